"""Figures about columns and their decoys: who beat whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis.report._column_displays import plain
from tamis.report._display import COLOURS, GREY, Display
from tamis.table._encode import column_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator


class DecoyDisplay(Display):
    """Each column's score beside the scores of its decoys, the best columns first, kept ones dark.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    scores : array-like, shape (sets, d)
        The scores of the columns.
    decoys : array-like, shape (sets, decoys, d)
        The scores of their decoys.
    ranking : array-like, shape (d,)
        1 is best.
    kept : array-like of bool, shape (d,)
        Which columns are kept.
    fdr : float, default=0.1
        The false discovery rate, for the title.
    n_shown : int, default=30
        How many columns are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import Decoys
    >>> from tamis.report import DecoyDisplay
    >>> X = np.random.default_rng(0).normal(size=(300, 5))
    >>> decoys = Decoys(random_state=0).fit(X, X[:, 1] + X[:, 3] > 0)
    >>> DecoyDisplay.from_estimator(decoys).ax_.get_title()
    '2 of 5 columns kept; at most 10 % of them expected by chance'
    """

    def __init__(
        self,
        names: Sequence[str],
        scores: Any,
        decoys: Any,
        ranking: Any,
        kept: Any,
        *,
        fdr: float = 0.1,
        n_shown: int = 30,
    ) -> None:
        self.names, self.fdr, self.n_shown = list(names), fdr, n_shown
        self.scores, self.decoys = np.asarray(scores, dtype=np.float64), np.asarray(decoys, dtype=np.float64)
        self.ranking, self.kept = np.asarray(ranking), np.asarray(kept, dtype=bool)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, n_shown: int = 30, ax: Axes | None = None) -> Self:
        """Draw the columns and decoys of a fitted `Decoys`."""
        check_is_fitted(estimator)
        if not hasattr(estimator, "decoy_scores_"):
            raise ValueError(f"DecoyDisplay: {type(estimator).__name__} has no decoys. Use a fitted Decoys.")
        return cls(
            column_names(estimator), estimator.column_scores_, estimator.decoy_scores_, estimator.ranking_,
            estimator.support_, fdr=estimator.fdr, n_shown=n_shown,
        ).plot(ax)  # fmt: skip

    def _draw(self, ax: Axes) -> None:
        order = np.argsort(self.ranking)[: self.n_shown]
        places = np.arange(len(order))
        others = self.decoys.reshape(-1, self.decoys.shape[-1])[:, order]
        ax.boxplot(
            list(others.T), positions=places, orientation="horizontal", widths=0.6, whis=(0, 100),
            manage_ticks=False, patch_artist=True,
            boxprops={"facecolor": "#e4e7eb", "edgecolor": GREY}, medianprops={"color": GREY},
            whiskerprops={"color": GREY}, capprops={"color": GREY},
        )  # fmt: skip
        own = self.scores.mean(axis=0)[order]
        for is_kept, marker, label in ((True, "o", "kept column"), (False, "x", "other column")):
            here = self.kept[order] == is_kept
            colour = COLOURS[0] if is_kept else COLOURS[1]
            ax.plot(own[here], places[here], linestyle="", marker=marker, color=colour, label=label)
        ax.set_yticks(places, [plain(self.names[j]) for j in order], fontsize=8)
        ax.invert_yaxis()
        ax.set_xlabel("score (boxes: the decoys of the column, from the least to the largest)")
        ax.legend(loc="lower right", frameon=False, fontsize=8)
        ax.set_title(
            f"{int(self.kept.sum())} of {len(self.names)} columns kept; at most {self.fdr * 100:g} % of them expected by chance"
        )
