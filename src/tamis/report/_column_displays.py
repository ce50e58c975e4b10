"""Figures about columns: a ranking, the search that led to it, and how it compares with known relevant columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis.report._display import COLOURS, GREY, Display
from tamis.study.roc_fs import RocFS, roc_fs
from tamis.table._encode import column_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator


_CRITERIA = ("score", "criterion", "gain")


class RankingDisplay(Display):
    """Columns from best to worst as bars of their scores, the kept ones dark.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    scores : array-like
        Higher is better.
    ranking : array-like
        1 is best.
    kept : array-like of bool
        Which columns are kept.
    method : str, default="the method"
        Its name in the title.
    n_shown : int, default=30
        How many columns are drawn.
    score_name : str, default="score"
        What the scores measure; where a search decides the ranking, they need not decrease along it.

    Examples
    --------
    >>> from tamis import UnivariateAUC
    >>> from tamis.report import RankingDisplay
    >>> drawn = RankingDisplay.from_estimator(UnivariateAUC().fit([[1, 5], [2, 9], [3, 5], [4, 9]], [0, 0, 1, 1]))
    >>> drawn.ax_.get_title()
    'UnivariateAUC keeps 1 of 2 columns; x0 is best'
    """

    def __init__(
        self,
        names: Sequence[str],
        scores: Any,
        ranking: Any,
        kept: Any,
        *,
        method: str = "the method",
        n_shown: int = 30,
        score_name: str = "score",
    ) -> None:
        self.names, self.method, self.n_shown = list(names), method, n_shown
        self.score_name = score_name
        self.scores, self.ranking = np.asarray(scores, dtype=np.float64), np.asarray(ranking)
        self.kept = np.asarray(kept, dtype=bool)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, n_shown: int = 30, ax: Axes | None = None) -> Self:
        """Draw the ranking of a fitted column selector."""
        check_is_fitted(estimator)
        return cls(
            column_names(estimator), estimator.scores_, estimator.ranking_, estimator.support_,
            method=type(estimator).__name__, n_shown=n_shown,
            score_name=getattr(estimator, "_score_name", "score").replace("_", " "),
        ).plot(ax)  # fmt: skip

    def _draw(self, ax: Axes) -> None:
        order = np.argsort(self.ranking)[: self.n_shown]
        places = np.arange(len(order))
        colours = [COLOURS[0] if self.kept[j] else "#c3c8cf" for j in order]
        ax.barh(places, self.scores[order], color=colours, edgecolor="#33363b", linewidth=0.5)
        ax.set_yticks(places, [plain(self.names[j]) for j in order], fontsize=8)
        ax.invert_yaxis()
        ax.set_xlabel(f"{self.score_name} (dark: kept)")
        first = plain(self.names[int(np.argmin(self.ranking))])
        ax.set_title(
            f"{self.method} keeps {int(self.kept.sum())} of {len(self.names)} columns; {first} is best"
        )


class PathDisplay(Display):
    """The criterion of a search at each of its steps, with the column that was added or removed.

    Parameters
    ----------
    names : sequence of str
        The column of each step.
    values : array-like
        The criterion at each step.
    criterion : str
        The name of the criterion.
    method : str, default="the method"
        Its name in the title.

    Examples
    --------
    >>> from tamis import BDSFS
    >>> from tamis.report import PathDisplay
    >>> drawn = PathDisplay.from_estimator(BDSFS().fit([[1, 5], [2, 9], [3, 5], [4, 9]], [0, 0, 1, 1]))
    >>> drawn.ax_.get_title()
    'BDSFS: the first of 2 steps is x0'
    """

    def __init__(
        self, names: Sequence[str], values: Any, criterion: str, *, method: str = "the method"
    ) -> None:
        self.names, self.values = list(names), np.asarray(values, dtype=np.float64)
        self.criterion, self.method = criterion, method

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, *, ax: Axes | None = None) -> Self:
        """Draw the path of a fitted selector whose ``history_`` names a column and a criterion for each step."""
        check_is_fitted(estimator)
        history = getattr(estimator, "history_", {})
        key = next((name for name in _CRITERIA if name in history), None)
        if key is None or "feature" not in history:
            raise ValueError(
                f"PathDisplay: {type(estimator).__name__} has no path of columns in history_. Use RankingDisplay."
            )
        names = column_names(estimator)
        steps = ["start" if j < 0 else names[j] for j in np.asarray(history["feature"])]
        return cls(steps, history[key], key, method=type(estimator).__name__).plot(ax)

    def _draw(self, ax: Axes) -> None:
        steps = np.arange(1, len(self.names) + 1)
        ax.plot(steps, self.values, color=COLOURS[0], marker="o", markersize=4)
        shown = np.unique(np.linspace(1, len(steps), min(len(steps), 40)).round().astype(int))
        ax.set_xticks(shown, [plain(self.names[step - 1]) for step in shown], rotation=90, fontsize=8)
        ax.set_ylabel(self.criterion)
        ax.set_xlabel("column of each step, in order")
        count = f"{len(steps)} step{'s' * (len(steps) != 1)}"
        ax.set_title(f"{self.method}: the first of {count} is {plain(self.names[0])}")


class RocFsDisplay(Display):
    """The share of relevant against that of irrelevant columns among the first 1, 2, ... of a ranking.

    Parameters
    ----------
    judged : RocFS
        What `tamis.study.roc_fs.roc_fs` returned.
    method : str, default="the ranking"
        Its name in the title.

    Examples
    --------
    >>> from tamis import UnivariateAUC
    >>> from tamis.report import RocFsDisplay
    >>> selector = UnivariateAUC().fit([[1, 5], [2, 9], [3, 5], [4, 9]], [0, 0, 1, 1])
    >>> RocFsDisplay.from_estimator(selector, [True, False]).ax_.get_title()
    'UnivariateAUC: a relevant column comes first with chance 1.00'
    """

    def __init__(self, judged: RocFS, *, method: str = "the ranking") -> None:
        self.judged, self.method = judged, method

    @classmethod
    def from_results(cls, judged: RocFS, *, method: str = "the ranking", ax: Axes | None = None) -> Self:
        """Draw what `roc_fs` returned."""
        return cls(judged, method=method).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, relevant: Any, *, ax: Axes | None = None) -> Self:
        """Draw the ranking of a fitted selector where the relevant columns are known."""
        check_is_fitted(estimator)
        return cls(roc_fs(relevant, ranking=estimator.ranking_), method=type(estimator).__name__).plot(ax)

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", label="by chance")
        label = f"area {self.judged.auc:.3f}"
        ax.plot(
            self.judged.false_relevant, self.judged.true_relevant, color=COLOURS[0], linewidth=2, label=label
        )
        ax.set(
            xlabel="share of the irrelevant columns",
            ylabel="share of the relevant columns",
            xlim=(-0.02, 1.02),
        )
        ax.legend(loc="lower right", frameon=False)
        ax.set_title(f"{self.method}: a relevant column comes first with chance {self.judged.auc:.2f}")


def plain(name: str) -> str:
    """A name for matplotlib: dollar signs escaped (they would start a formula), one line, at most 40 characters."""
    text = " ".join(str(name).split()).replace("$", r"\$")
    return text if len(text) <= 40 else f"{text[:39]}…"
