"""
Rankings where the truth is known
=================================

In made problems the relevant columns are known, and a ranking can be judged by itself: ROC-FS has the share of the relevant
columns found so far over that of the irrelevant ones.
"""

# %%
# 100 rows and 30 columns; four columns decide, in two pairs of which no column says anything alone.
import matplotlib.pyplot as plt

from tamis import ReliefF, SampledEFR, UnivariateAUC, datasets
from tamis.report import RankingDisplay, RocFsDisplay

problem = datasets.make_problem(100, 30, 4, "xor", random_state=1)
print("relevant:", *sorted(problem.informative))
relevant = [name in problem.informative for name in problem.X.columns]
figure, panels = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
rankers = (UnivariateAUC(folded=True), ReliefF(), SampledEFR(n_features_to_select=4, random_state=0))
for ranker, ax in zip(rankers, panels):
    RocFsDisplay.from_estimator(ranker.fit(problem.X, problem.y), relevant, ax=ax)
    ax.set_title(type(ranker).__name__)

# %%
# A score of each column alone sees nothing. :class:`tamis.ReliefF` looks at neighbours over all columns; here it needs no more.
# :class:`tamis.SampledEFR` samples thousands of sparse hypotheses, pairs among them, and counts which columns they need: its
# ``inclusion_`` is a probability.
print([f"{name} {share:.2f}" for name, share in zip(problem.X.columns, rankers[2].inclusion_) if share > 0.5])
RankingDisplay.from_estimator(rankers[2], n_shown=10)
