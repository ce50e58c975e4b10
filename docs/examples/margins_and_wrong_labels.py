"""
Margins, and labels that are wrong
==================================

Boosting gives weight to the rows that it gets wrong. Where labels are wrong, these are the wrong ones.
"""

# %%
# After more rounds small margins grow and large ones shrink.
import numpy as np

from tamis import SBSMF, StumpAdaBoost, datasets
from tamis.report import MarginDisplay

radar = datasets.load("ionosphere")
MarginDisplay.from_estimator(StumpAdaBoost(100).fit(radar.X, radar.y), radar.X, radar.y)

# %%
# How many of the 12 relevant columns of 60 are among the first 12, when every fifth label is wrong: a cap on the weights, or
# small steps, hold the wrong rows back.
settings = {
    "as it is": SBSMF(),
    "weight_cap=2": SBSMF(weight_cap=2),
    "learning_rate=0.1, n_rounds=200": SBSMF(learning_rate=0.1, n_rounds=200),
}
found = {name: [] for name in settings}
for seed in range(10):
    problem = datasets.make_problem(300, 60, 12, "linear", label_noise=0.2, random_state=seed)
    relevant = np.isin(problem.X.columns, problem.informative)
    for name, selector in settings.items():
        found[name].append((selector.fit(problem.X, problem.y).ranking_[relevant] <= 12).mean())
for name, shares in found.items():
    print(f"{name}: {np.mean(shares):.2f} +- {np.std(shares, ddof=1) / 10**0.5:.2f}")
