"""
A search with wishes
====================

:class:`tamis.FS2Boost` tries columns together. Some may be fixed, left out, or come only together.
"""

# %%
# First freely: at each step the column comes in with which boosted neighbours do best, until four steps bring no progress.
from tamis import FS2Boost, datasets
from tamis.report import PathDisplay

heart = datasets.load("heart_cleveland")
free = FS2Boost().fit(heart.X, heart.y)
print(f"Z = {free.criterion_:.3f}:", ", ".join(free.get_feature_names_out()))
PathDisplay.from_estimator(free)

# %%
# Now age and gender are known in any case, the scan gives two columns or none, and nobody wants the ECG.
wished = FS2Boost(
    fixed_features=["age", "gender"],
    excluded_features=["rest ECG"],
    feature_groups=[["thal", "major vessels colored"]],
).fit(heart.X, heart.y)
print(f"Z = {wished.criterion_:.3f}:", ", ".join(wished.get_feature_names_out()))
