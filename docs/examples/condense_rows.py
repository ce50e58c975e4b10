"""
Few rows that stand for all
===========================

A nearest-neighbour rule remembers every row. Four ways to keep 20 of 351, and chance.
"""

# %%
# Each selector inside every fold, then 1-NN on what it keeps, by tamis's own distance.
from sklearn.model_selection import cross_val_score

from tamis import (
    HillClimbingPrototypes,
    MarginPrototypes,
    MonteCarloPrototypes,
    PrototypeClassifier,
    PSBoost,
    RandomPrototypes,
    datasets,
)
from tamis.report import PrototypeDisplay

radar = datasets.load("ionosphere")
for selector in (
    MarginPrototypes(20, random_state=0),
    HillClimbingPrototypes(20, random_state=0),
    MonteCarloPrototypes(20, random_state=0),
    PSBoost(20),
    RandomPrototypes(20, random_state=0),
    RandomPrototypes(1.0, random_state=0),
):
    right = cross_val_score(PrototypeClassifier(selector), radar.X, radar.y, cv=10)
    print(f"{right.mean():.3f}  {selector}")

# %%
# The last line keeps every row. The picture shows the kept rows among all, over the two directions in which the table varies most.
PrototypeDisplay.from_estimator(MarginPrototypes(20, random_state=0).fit(radar.X, radar.y), radar.X, radar.y)
