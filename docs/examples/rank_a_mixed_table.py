"""
A ranking of a mixed table
==========================

Credit applications: numeric and categorical columns and missing values side by side. Nothing is encoded or imputed before.
"""

# %%
# :class:`tamis.SBSMF` boosts decision stumps, drops the column that adds least to the margins, and boosts again.
from tamis import SBSMF, datasets
from tamis.report import PathDisplay, RankingDisplay

credit = datasets.load("credit_crx")
print(credit)
selector = SBSMF(n_features_to_select=5).fit(credit.X, credit.y)
RankingDisplay.from_estimator(selector)

# %%
# The bars are the scores in the first model, of all columns; the order is that of the elimination, and the two may
# disagree. The path shows at which step each column went.
PathDisplay.from_estimator(selector)
