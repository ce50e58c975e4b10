"""What a model predicted for rows held out: predicted against true numbers, and what is left over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.report._chart import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Scale,
    _axes,
    _mark,
    _picture,
    _thinned,
    _with_data,
    short,
)
from tamis.report._markup import Html, element, joined
from tamis.report._page import figure

Float = NDArray[np.float64]
MOST_POINTS = 1000


def prediction_charts(true: Any, predicted: Any, judge: str) -> list[Html]:
    """Two pictures of the rows held out: predicted against true, and residuals against predicted.

    Parameters
    ----------
    true : array-like, shape (n,)
        The numbers.
    predicted : array-like, shape (n,)
        What was predicted for each row by a model that had not seen it; NaN for rows without a prediction.
    judge : str
        The model, in words.

    Returns
    -------
    list of Html
        The figures; empty if fewer than two rows have a prediction.
    """
    numbers, answers = np.asarray(true, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    rows = np.flatnonzero(np.isfinite(answers))
    if len(rows) < 2:
        return []
    left = numbers - answers
    half, worst = np.median(np.abs(left[rows])), rows[np.argmax(np.abs(left[rows]))]
    ends = [float(end) for end in (min(numbers[rows].min(), answers[rows].min()),
                                   max(numbers[rows].max(), answers[rows].max()))]  # fmt: skip
    return [
        _cloud(
            numbers, answers, rows, (ends, ends), x_label="true", y_label=f"predicted by {judge}",
            alt=f"Half of the rows are predicted to within {short(half)} of the truth",
            caption="A dot is a row, predicted by a model that had not seen it, from columns that were chosen without it; "
            "on the line the prediction is right. The method and the number of columns were chosen with all rows. Rows are counted in the table as it was compared.",
        ),
        _cloud(
            answers, left, rows, (answers[rows], [0.0, 0.0]), x_label=f"predicted by {judge}", y_label="true less predicted",
            alt=f"What is left over: the largest error is {'+' * bool(left[worst] >= 0)}{short(left[worst])}, in row {worst + 1}",
            caption="Residuals of the same predictions. A bend says that the model misses a curve, a funnel that large numbers "
            "are predicted less exactly.",
        ),
    ]  # fmt: skip


def _cloud(
    x: Float,
    y: Float,
    rows: NDArray[np.intp],
    guide: Any,
    *,
    x_label: str,
    y_label: str,
    alt: str,
    caption: str,
) -> Html:
    """Points with axes, and a guide line between the ends of two ranges; a point tells its row and both values."""
    span = [float(end) for end in (min(x[rows].min(), *guide[0]), max(x[rows].max(), *guide[0]))]
    height = [float(end) for end in (min(y[rows].min(), *guide[1]), max(y[rows].max(), *guide[1]))]
    pad = (height[1] - height[0]) * 0.05 or 1.0
    across = Scale(span[0], span[1], LEFT + 8, WIDTH - RIGHT - 6)
    up = Scale(height[0] - pad, height[1] + pad, HEIGHT - BOTTOM, TOP)
    line = element(
        "line",
        class_="axis",
        x1=across(span[0]),
        y1=up(min(guide[1])),
        x2=across(span[1]),
        y2=up(max(guide[1])),
    )
    marks = [
        _mark(
            0,
            across(x[row]),
            up(y[row]),
            False,
            f"row {row + 1}: {x_label} {x[row]:.4g}, {y_label} {y[row]:.4g}",
        )
        for row in _thinned(rows, MOST_POINTS)
    ]
    left_out = f" {MOST_POINTS} of {len(rows)} rows are drawn." if len(rows) > MOST_POINTS else ""
    picture = _picture(
        [_axes(across, up, x_label, y_label), line, element("g", *marks, class_="series c0")], alt
    )
    data: dict[str, Any] = {"places": [], "labels": [], "series": []}
    drawn = _with_data(figure(picture, caption=f"{caption}{left_out}", class_="chart"), data)
    return joined(element("h3", alt), drawn)
