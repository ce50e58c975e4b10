"""
How many columns are enough
===========================

A ranking does not say where to stop. :class:`tamis.SelectorCV` repeats the whole selection in every fold, scores every size on
the rows held out, and takes the smallest size within one standard error of the best.
"""

# %%
# Outlines of four kinds of vehicle, 18 columns, judged by boosted stumps.
from sklearn.model_selection import StratifiedKFold

from tamis import SBSMF, SelectorCV, StumpAdaBoost, datasets
from tamis.report import SizeCurveDisplay

vehicle = datasets.load("vehicle")
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = SelectorCV(SBSMF(), StumpAdaBoost(50), cv=folds).fit(vehicle.X, vehicle.y)
print(search.n_features_, "of", len(vehicle.X.columns), "columns:", ", ".join(search.get_feature_names_out()))
SizeCurveDisplay.from_estimator(search)

# %%
# Near the line of one standard error the choice depends on the folds. The score of the chosen size is the best of many and
# flatters a little: for a figure to quote, put the whole search into ``cross_val_score``.
