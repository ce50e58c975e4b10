"""
Several methods on one table
============================

:func:`tamis.study.compare` fits every method inside every fold and scores what it keeps on the rows held out, at every size.
"""

# %%
# Two rankings of tamis and scikit-learn's F-test, judged by gradient boosting on trees.
from tamis import datasets
from tamis.report import SizeCurveDisplay, StabilityDisplay
from tamis.study import compare

radar = datasets.load("ionosphere")
found = compare(
    radar.X,
    radar.y,
    ["sbs-mf", "univariate-auc", "f-test"],
    models=["boosting"],
    column_sizes=[1, 2, 3, 4, 6, 8, 12, 16, 24, 34],
    repeats=1,
)
advice = found.advice["columns"]
print(f"on rows that took no part in the choice: {advice.honest_mean:.3f} +- {advice.honest_error:.3f}")
print(f"by chance: {advice.against_chance.mean:.3f}, beaten: {advice.against_chance.beaten}")
print(f"keep {advice.chosen.n_kept:.0f} columns by {advice.chosen.method}")
SizeCurveDisplay.from_results(found, model="boosting")

# %%
# Accuracy is one thing; whether the same columns would be found again is another.
StabilityDisplay.from_results(found)
