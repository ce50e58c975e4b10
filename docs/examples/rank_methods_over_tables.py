"""
Methods over several tables
===========================

One table decides nothing. Friedman's test looks at the ranks of the methods on every table, and Nemenyi's critical difference says
how far mean ranks must be apart.
"""

# %%
# 1-NN on 10 % of the rows, kept by five methods, over ten tables; three folds each.
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
from tamis.report import CriticalDifferenceDisplay
from tamis.study import friedman_nemenyi

methods = {
    "MarginPrototypes": MarginPrototypes(0.1, random_state=0),
    "hill climbing": HillClimbingPrototypes(0.1, random_state=0),
    "Monte Carlo": MonteCarloPrototypes(0.1, random_state=0),
    "PSBoost": PSBoost(0.1),
    "chance": RandomPrototypes(0.1, random_state=0),
}
names = (
    "breast_w credit_crx german heart_cleveland horse_colic house_votes ionosphere pima tic_tac_toe vehicle"
)
scores = []
for name in names.split():
    table = datasets.load(name)
    scores.append(
        [
            cross_val_score(PrototypeClassifier(selector), table.X, table.y, cv=3).mean()
            for selector in methods.values()
        ]
    )
    print(f"{name:16}", *(f"{score:.3f}" for score in scores[-1]))
tested = friedman_nemenyi(scores, list(methods))
print(f"Friedman p = {tested.p:.1g}")
CriticalDifferenceDisplay.from_results(tested)

# %%
# Methods under one bar cannot be told apart by these ten tables.
