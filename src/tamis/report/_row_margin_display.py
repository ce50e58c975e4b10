"""The figure of one row: why it is classified as it is, and by which columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tamis.report._column_displays import plain
from tamis.report._display import COLOURS, GREY, Display
from tamis.table._encode import as_frame, column_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator


class RowMarginDisplay(Display):
    """What each column adds to the margin of one row, as steps from 0 to the margin (a waterfall).

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    parts : array-like
        What each column adds to the margin.
    values : sequence, optional
        The value of each column in this row, written beside its name.
    label, rival : str
        The class that the row is judged for, and the class it is held against.
    row : str, default="The row"
        What the row is called in the title.
    n_shown : int, default=10
        How many columns have a bar of their own, the largest first; the others share one.

    Examples
    --------
    >>> from tamis import StumpAdaBoost
    >>> from tamis.report import RowMarginDisplay
    >>> X, y = [[1, 0], [2, 1], [3, 0], [4, 1]], ["no", "no", "yes", "yes"]
    >>> drawn = RowMarginDisplay.from_estimator(StumpAdaBoost(10).fit(X, y), X, row=3)
    >>> drawn.ax_.get_title()
    'Row 3 is yes rather than no: margin 1.00, 1.00 of it by x0'
    """

    def __init__(
        self,
        names: Sequence[str],
        parts: Any,
        values: Sequence[Any] | None = None,
        *,
        label: str = "one class",
        rival: str = "the other",
        row: str = "The row",
        n_shown: int = 10,
    ) -> None:
        self.names, self.parts = list(names), np.asarray(parts, dtype=np.float64)
        self.values = None if values is None else list(values)
        self.label, self.rival, self.row, self.n_shown = label, rival, row, n_shown

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        row: int = 0,
        n_shown: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Draw one row as a fitted StumpAdaBoost sees it.

        Parameters
        ----------
        estimator : StumpAdaBoost
            The fitted model.
        X : array-like or frame
            Rows with the columns of ``fit``.
        y : array-like, optional
            Their classes; the predicted ones if not given.
        row : int, default=0
            The position of the row in X.
        n_shown : int, default=10
            How many columns have a bar of their own.
        ax : matplotlib Axes, optional
            The axes to draw on; those of a new figure by default.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "row_margins"):
            raise ValueError(
                f"RowMarginDisplay: {type(estimator).__name__} has no row_margins. Use a fitted StumpAdaBoost."
            )
        told = estimator.row_margins(X, y)
        if not 0 <= row < len(told.margins):
            raise ValueError(
                f"RowMarginDisplay: row={row}, but X has {len(told.margins)} rows. "
                f"Use 0 to {len(told.margins) - 1}."
            )
        frame = as_frame(X)
        values = list(frame.row(row)) if frame is not None else np.asarray(X)[row].tolist()
        label, rival = str(told.labels[row]), str(told.rivals[row])
        words: dict[str, Any] = {"label": label, "rival": rival, "row": f"Row {row}", "n_shown": n_shown}
        return cls(column_names(estimator), told.parts[row], values, **words).plot(ax)

    def _draw(self, ax: Axes) -> None:
        order = np.argsort(-np.abs(self.parts), kind="stable")
        order = order[self.parts[order] != 0]
        shown, others = order[: self.n_shown], order[self.n_shown :]
        widths = self.parts[shown].tolist()
        words = [self._word(column) for column in shown]
        if len(others):
            widths.append(float(self.parts[others].sum()))
            words.append(f"{len(others)} other column{'s' * (len(others) > 1)}")
        ends = np.cumsum(widths)
        for place, (width, end) in enumerate(zip(widths, ends)):
            ax.barh(place, width, left=end - width, color=COLOURS[0] if width > 0 else COLOURS[1], height=0.7)
            ax.annotate(
                f"{width:+.2f}",
                (end, place),
                xytext=(3 if width > 0 else -3, 0),
                textcoords="offset points",
                ha="left" if width > 0 else "right",
                va="center",
                fontsize=7,
            )
            if place + 1 < len(widths):
                ax.plot([end, end], [place, place + 1], color=GREY, linewidth=0.6)
        ax.axvline(0, color=GREY, linewidth=1, linestyle=":")
        ax.set_yticks(range(len(words)), words, fontsize=8)
        ax.invert_yaxis()
        ax.use_sticky_edges = False
        ax.margins(x=0.12)
        ax.set_xlabel(f"margin of {plain(self.label)} over {plain(self.rival)} (from 0, column by column)")
        ax.set_title(self._title(order))

    def _word(self, column: int) -> str:
        """The name of a column, with its value in this row."""
        name = plain(self.names[column])
        if self.values is None:
            return name
        value = self.values[column]
        missing = value is None or value != value
        return f"{name} = " + (
            "missing" if missing else f"{value:.4g}" if isinstance(value, float) else plain(value)
        )

    def _title(self, order: Any) -> str:
        margin = float(self.parts.sum())
        said = f"{self.row} is {plain(self.label)} rather than {plain(self.rival)}: margin {margin:.2f}"
        if not margin > 0:
            said = (
                f"{self.row} is taken for {plain(self.rival)}, not {plain(self.label)}: margin {margin:.2f}"
            )
        towards = [column for column in order if self.parts[column] * margin > 0]
        if not towards:
            return said
        return f"{said}, {self.parts[towards[0]]:.2f} of it by {plain(self.names[towards[0]])}"
