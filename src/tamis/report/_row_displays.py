"""Figures about rows: the margins of a boosted model, and the rows that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis.report._display import COLOURS, GREY, MARKERS, Display, line_style
from tamis.study._models import Numbers
from tamis.study._projection import projection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike
    from sklearn.base import BaseEstimator


class MarginDisplay(Display):
    """The cumulative distribution of the rows' margins after given numbers of rounds, or of votes H(x) by class.

    Parameters
    ----------
    margins : mapping of str to array-like
        For each curve, by its label: the margin (or vote) of each row.
    kind : {"margins", "votes"}, default="margins"
        What is drawn.

    Examples
    --------
    >>> from tamis import StumpAdaBoost
    >>> from tamis.report import MarginDisplay
    >>> X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    >>> MarginDisplay.from_estimator(StumpAdaBoost(10).fit(X, y), X, y).ax_.get_title()
    'After 1 round every margin is above 0'
    """

    def __init__(self, margins: dict[str, Any], *, kind: str = "margins") -> None:
        if kind not in ("margins", "votes"):
            raise ValueError(f"MarginDisplay: kind={kind!r}. Use 'margins' or 'votes'.")
        self.margins = {
            str(name): np.sort(np.asarray(values, dtype=np.float64)) for name, values in margins.items()
        }
        self.kind = kind

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        *,
        rounds: Sequence[int] | None = None,
        kind: str = "margins",
        ax: Axes | None = None,
    ) -> Self:
        """Draw a fitted StumpAdaBoost on rows and their classes.

        Parameters
        ----------
        estimator : StumpAdaBoost
            The fitted model. With more than two classes, a row's vote is that for its own class, and its margin is the
            lead of that class over the next.
        X, y : array-like
            The rows and their classes.
        rounds : sequence of int, optional
            After which rounds margins are drawn; by default 1, 5, 10, 100, 1000 and the last.
        kind : {"margins", "votes"}, default="margins"
            The cumulative distribution of margins, or the votes H(x) by class.
        ax : matplotlib Axes, optional
            The axes to draw on; those of a new figure by default.
        """
        check_is_fitted(estimator)
        labels = np.asarray(y)
        stages = [_lead(votes, labels, estimator.classes_) for votes in estimator.staged_decision_function(X)]
        if kind == "votes":
            return cls({str(c): stages[-1][0][labels == c] for c in estimator.classes_}, kind=kind).plot(ax)
        alphas = np.zeros(len(stages))
        for stumps in estimator.stumps_:
            alphas[: len(stumps.alpha)] += stumps.alpha
        scale = np.cumsum(alphas) if len(estimator.stumps_) == 1 else None
        chosen = (
            rounds
            if rounds is not None
            else [r for r in (1, 5, 10, 100, 1000) if r < len(stages)] + [len(stages)]
        )
        drawn = {}
        for number in chosen:
            if not 1 <= number <= len(stages):
                raise ValueError(f"MarginDisplay: rounds holds {number}, but there are {len(stages)} rounds.")
            lead = stages[number - 1][1]
            width = scale[number - 1] if scale is not None else np.abs(lead).max() or 1.0
            drawn[f"{number} round{'s' * (number != 1)}"] = lead / width
        return cls(drawn).plot(ax)

    def _draw(self, ax: Axes) -> None:
        for number, (name, values) in enumerate(self.margins.items()):
            share = np.arange(1, len(values) + 1) / max(1, len(values))
            ax.step(values, share, where="post", label=name, **line_style(number))
        ax.axvline(0, color=GREY, linewidth=1, linestyle=":")
        what = "margin of a row" if self.kind == "margins" else "vote H(x)"
        ax.set(xlabel=what, ylabel="share of the rows at or below", ylim=(0, 1.02))
        ax.legend(frameon=False, fontsize=8)
        ax.set_title(self._title())

    def _title(self) -> str:
        if self.kind == "votes":
            return "The votes H(x) of the rows, by class"
        name, values = list(self.margins.items())[-1]
        below = int((values <= 0).sum())
        counted = (
            "every margin is above 0" if not below else f"{below} of {len(values)} margins are at or below 0"
        )
        return f"After {name} {counted}"


class PrototypeDisplay(Display):
    """The kept rows among all rows, or made rows beside them, on two principal components.

    Parameters
    ----------
    places : array-like, shape (n, 2)
        The coordinates of the rows.
    labels : array-like, shape (n,)
        Their classes.
    kept : array-like of int
        The row numbers of the kept rows.
    method : str, default="the method"
        Its name in the title.
    n_made : int, default=0
        How many rows the method made: they are the last rows, and those in `kept`.

    Examples
    --------
    >>> from tamis import CondensedNN
    >>> from tamis.report import PrototypeDisplay
    >>> X, y = [[0, 0], [1, 0], [9, 1], [8, 1]], [0, 0, 1, 1]
    >>> PrototypeDisplay.from_estimator(CondensedNN().fit(X, y), X, y).ax_.get_title()
    'CondensedNN keeps 2 of 4 rows'
    """

    def __init__(
        self, places: Any, labels: Any, kept: Any, *, method: str = "the method", n_made: int = 0
    ) -> None:
        self.places, self.labels = np.asarray(places, dtype=np.float64), np.asarray(labels)
        self.kept, self.method, self.n_made = np.asarray(kept, dtype=np.intp), method, n_made

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Draw the rows that a fitted row selector keeps of the rows it was fitted on, or makes of them."""
        check_is_fitted(estimator)
        method = type(estimator).__name__
        if not hasattr(estimator, "prototypes_"):
            return cls(projection(X)[0], y, estimator.sample_indices_, method=method).plot(ax)
        numbers = Numbers().fit(X)
        given, made = numbers.transform(X), numbers.transform(estimator.prototypes_)
        places, _ = projection(np.concatenate([given, made]))
        labels, kept = np.concatenate([y, estimator.labels_]), np.arange(len(given), len(places))
        return cls(places, labels, kept, method=method, n_made=len(made)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        kept = np.zeros(len(self.labels), dtype=bool)
        kept[self.kept] = True
        for place, label in enumerate(np.unique(self.labels).tolist()):
            mine = self.labels == label
            look: dict[str, Any] = {
                "color": COLOURS[place % 6],
                "marker": MARKERS[place % 6],
                "linestyle": "",
            }
            ax.plot(*self.places[mine & ~kept].T, markersize=2.5, alpha=0.5, **look)
            name = str(label).replace("$", r"\$")
            ax.plot(
                *self.places[mine & kept].T,
                markersize=7,
                markeredgecolor="black",
                markeredgewidth=0.8,
                label=name,
                **look,
            )
        ax.set(xlabel="first principal component", ylabel="second principal component")
        word = "made" if self.n_made else "kept"
        ax.legend(frameon=False, fontsize=8, title=f"class (large: {word})", title_fontsize=8)
        said = f"makes {self.n_made} rows of" if self.n_made else f"keeps {len(self.kept)} of"
        ax.set_title(f"{self.method} {said} {len(self.labels) - self.n_made} rows")


def _lead(votes: Any, labels: Any, classes: Any) -> tuple[Any, Any]:
    """The votes (with more than two classes: for the row's own class), and the lead of the row's own class."""
    decided = np.asarray(votes, dtype=np.float64)
    own = np.searchsorted(classes, labels)
    if decided.ndim == 1:
        return decided, np.where(own == 1, decided, -decided)
    mine = decided[np.arange(len(own)), own]
    others = decided.copy()
    others[np.arange(len(own)), own] = -np.inf
    return mine, mine - others.max(axis=1)
