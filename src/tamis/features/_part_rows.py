"""What column selectors ask of the rows of a table in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.stumps.part_fit import kinds_of_columns
from tamis.table._table import Numbers, Target
from tamis.table.parts.opened import opened_parts
from tamis.table.parts.rows import PartRows, told_rows
from tamis.table.weights import weighed_numbers, weighed_rows

if TYPE_CHECKING:
    from tamis.features._base import FeatureSelector


def rows_of_parts(
    selector: FeatureSelector, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> PartRows:
    """The rows of a table in parts; `classes_` is set, or left out for numbers, and what is known of the columns."""
    pieces = opened_parts(selector, X, y, sample_weight, getattr(selector, "n_jobs", None))
    rows = told_rows(selector, pieces, kinds_of_columns(selector, pieces.table))
    if isinstance(rows.target, Target):
        selector.classes_ = rows.target.classes
    elif hasattr(selector, "classes_"):
        del selector.classes_
    return rows


def rows_of_weight(
    selector: Any, rows: PartRows
) -> tuple[NDArray[np.intp], Target | Numbers, NDArray[np.float64]]:
    """Which rows have weight, their target, and their weights, as in memory."""
    target: Target | Numbers = rows.target
    if isinstance(target, Numbers):
        left, target, weights = weighed_numbers(selector, rows.positions, target, rows.weights)
    else:
        named = getattr(selector, "class_weight", None)
        left, target, weights = weighed_rows(selector, rows.positions, target, rows.weights, named)
    return left.values[:, 0].astype(np.intp), target, weights
