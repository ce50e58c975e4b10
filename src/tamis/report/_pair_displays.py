"""Figures about pairs of columns: the rows drawn on two columns that tell something only together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from tamis.report._column_displays import plain
from tamis.report._display import COLOURS, MARKERS, Display
from tamis.table._encode import as_frame, column_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator


_JITTER = 0.3  # the most a row is moved at random, in steps between values, where values are few
_FEW = 12  # distinct values up to which rows are moved


class PairDisplay(Display):
    """The rows drawn on two columns, with the class as colour and shape.

    Parameters
    ----------
    first, second : array-like, shape (n,)
        The values of the two columns; texts are drawn in alphabetical order.
    labels : array-like, shape (n,)
        The classes.
    names : tuple of str
        The names of the two columns.
    p_value : float or None, default=None
        For the title: the p value of what the columns tell together beyond what each tells alone.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import PairScan
    >>> from tamis.report import PairDisplay
    >>> X = np.random.default_rng(0).random((200, 5))
    >>> y = (X[:, 1] > 0.5) != (X[:, 3] > 0.5)
    >>> drawn = PairDisplay.from_estimator(PairScan().fit(X, y), X, y)
    >>> drawn.ax_.get_xlabel(), drawn.ax_.get_ylabel()
    ('x1', 'x3')
    """

    def __init__(
        self, first: Any, second: Any, labels: Any, names: tuple[str, str], *, p_value: float | None = None
    ) -> None:
        self.first, self.second, self.labels = first, second, np.asarray(labels)
        self.names, self.p_value = names, p_value

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, *, place: int = 0, ax: Axes | None = None
    ) -> Self:
        """Draw one of the best pairs of a fitted `PairScan` on the rows that it was fitted on.

        Parameters
        ----------
        estimator : PairScan
            The fitted estimator.
        X, y : array-like
            What it was fitted on.
        place : int, default=0
            Which pair: 0 is the best.
        ax : matplotlib Axes, optional
            The axes to draw on; those of a new figure by default.

        Returns
        -------
        PairDisplay
            The drawn display.
        """
        check_is_fitted(estimator)
        pairs = getattr(estimator, "pairs_", None)
        if pairs is None:
            raise ValueError(
                f"PairDisplay: {type(estimator).__name__} has no pairs_ of columns. Use a fitted PairScan."
            )
        n_pairs = len(pairs["first"])
        if not 0 <= place < n_pairs:
            raise ValueError(
                f"PairDisplay: place={place}, but there are {n_pairs} pairs. Use 0 to {n_pairs - 1}."
            )
        first, second = int(pairs["first"][place]), int(pairs["second"][place])
        names, p_value = column_names(estimator), float(pairs["p_value"][place])
        drawn = cls(_column(X, first), _column(X, second), y, (names[first], names[second]), p_value=p_value)
        return drawn.plot(ax)

    def _draw(self, ax: Axes) -> None:
        places, names = row_places(self.first, self.second)
        for ticks, axis in zip(names, (ax.xaxis, ax.yaxis)):
            if ticks:
                axis.set_ticks(range(len(ticks)), [plain(tick) for tick in ticks])
        for number, label in enumerate(np.unique(self.labels).tolist()):
            mine = self.labels == label
            look: dict[str, Any] = {
                "color": COLOURS[number % 6],
                "marker": MARKERS[number % 6],
                "linestyle": "",
                "alpha": 0.7,
            }
            ax.plot(places[mine, 0], places[mine, 1], markersize=3.5, label=plain(label), **look)
        ax.set(xlabel=plain(self.names[0]), ylabel=plain(self.names[1]))
        outside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        ax.legend(frameon=False, fontsize=8, title="class", title_fontsize=8, **outside)
        said = "" if self.p_value is None else f" (p = {self.p_value:.2g})"
        ax.set_title(f"{plain(self.names[0])} and {plain(self.names[1])} together{said}")


def row_places(first: Any, second: Any) -> tuple[NDArray[np.float64], list[list[str]]]:
    """Coordinates of the rows, (n, 2), jittered on columns of few values; and the tick labels of columns of texts."""
    rng = np.random.default_rng(0)
    places, names = [], []
    for values in (first, second):
        numbers, ticks = _numbers(values)
        seen = np.unique(numbers[~np.isnan(numbers)])
        step = np.diff(seen).min() if 1 < len(seen) <= _FEW else 0.0
        places.append(numbers + step * rng.uniform(-_JITTER, _JITTER, len(numbers)))
        names.append(ticks)
    return np.column_stack(places), names


def _column(X: ArrayLike, column: int) -> Any:
    """One column of an array or a frame."""
    frame = as_frame(X)
    return np.asarray(X)[:, column] if frame is None else frame[:, column].to_list()


def _numbers(values: Any) -> tuple[NDArray[np.float64], list[str]]:
    """A column as numbers; where it holds texts, these are 0, 1, ... and their names come second."""
    known = [value for value in values if value is not None]
    if not any(isinstance(value, str | bool) for value in known):
        return np.array([np.nan if value is None else float(value) for value in values]), []
    ticks = sorted({str(value) for value in known})
    codes = {tick: float(number) for number, tick in enumerate(ticks)}
    return np.array([np.nan if value is None else codes[str(value)] for value in values]), ticks
