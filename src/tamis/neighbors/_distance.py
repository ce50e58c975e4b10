"""The distance between two rows of a mixed table, and the coordinates that it is computed from.

The distance of two rows is the sum over columns of

* numeric: the difference of the values divided by the column's range in `MixedSpace.fit` (0 for a constant
  column), for ``metric="l2"`` its square, rounded to a whole number of steps of 2**-20;
* categorical ("nominal" in names): 0 if the values are equal, else 1 (2**20 steps);
* a known value against a missing one ("gap" in names): 1. Missing against missing: 0.

The sum is a whole number of steps: equal differences tie, and a tie is decided in the same way on every machine
and for any order of the columns. Because it is a plain sum, the distance over some columns plus one column's
term is the distance over all of them.

Take values on a grid of m levels. Two equal differences could round to different steps only if they were closer
to half a step than the error of the floating-point values, some 2**-30 of a step. For l1 they are at least
1 / (2 m) away from half a step (or, if m is a multiple of 2**21, may lie on it), for l2 1 / (2 m**2). So equal
differences always tie up to 2**21 levels for l1 and 2**14 for l2; beyond that, about one tie in 10**9 may be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

STEPS = 2**20
"""The distance 1, in steps."""

CODE_GAP = 2.0**60
"""The difference between the coordinates of two categorical codes, or of a known value and a missing one."""

NAMED_METRICS = (
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "euclidean",
    "manhattan",
    "minkowski",
    "sqeuclidean",
)
"""The metrics of scikit-learn that `nearest_rows` takes for numeric columns without missing values."""


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """Rows scaled once by a `MixedSpace`, for any number of searches.

    Attributes
    ----------
    coordinates : ndarray of shape (n_rows, n_columns), float64, C order
        Numeric values scaled by the range of `fit`, times 2**20 for ``metric="l1"``, 2**10 for ``"l2"``, and 1
        for the metrics of scikit-learn. Codes of categories are multiplied by `CODE_GAP`; a missing value is
        ``-CODE_GAP``. With t = abs(a - b) for l1 and (a - b)**2 for l2, one column's term of the distance is
        2**20 if t > 2**53, else rint(t).
    space : MixedSpace
        The space that scaled them.
    """

    coordinates: FloatArray
    space: MixedSpace

    def __len__(self) -> int:
        return len(self.coordinates)

    def take(self, rows: npt.ArrayLike) -> ScaledRows:
        """Return the given rows, in the given order."""
        return ScaledRows(np.ascontiguousarray(self.coordinates[np.asarray(rows)]), self.space)


Rows = FloatArray | ScaledRows
"""Rows of a table as the caller has them, or as `MixedSpace.scaled` returned them."""


@dataclass(frozen=True, eq=False)
class MixedSpace:
    """The distance on a table of numeric and categorical columns with missing values. Made by `MixedSpace.fit`.

    Attributes
    ----------
    metric : str
        "l1", "l2", or one of `NAMED_METRICS`.
    nominal : ndarray of shape (n_columns,), bool
        Which columns are categorical: they hold codes.
    lowest, spread : ndarray of shape (n_columns,)
        Lowest value and range of each numeric column in `fit`, times `shrink`; the range of a constant column is 0.
    shrink : ndarray of shape (n_columns,)
        1, or 1/4 where values are so large that their difference might overflow.
    limit : float
        A new value more than `limit` ranges away from the lowest value of `fit` counts as `limit` ranges away, so
        that no sum can overflow: 2**31 / n_columns for l1, 2**15 / sqrt(n_columns) for l2 (5,982 ranges at 30
        columns), infinite for other metrics. Values within the range of `fit` are never changed.

    Examples
    --------
    Between 0.1, 0.2 and 0.3 the differences are equal and tie, although 0.3 - 0.2 < 0.2 - 0.1 in floating point.

    >>> import numpy as np
    >>> from tamis.neighbors import MixedSpace, pair_distances
    >>> values = np.array([[0.1], [0.2], [0.3]])
    >>> space = MixedSpace.fit(values, np.array([False]), metric="l1")
    >>> pair_distances(space, values, values) / 2**20
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """

    metric: str
    nominal: npt.NDArray[np.bool_]
    lowest: FloatArray
    spread: FloatArray
    shrink: FloatArray
    limit: float

    @classmethod
    def fit(cls, values: npt.ArrayLike, nominal: npt.ArrayLike, metric: str = "l2") -> MixedSpace:
        """Take the ranges of the numeric columns from a table.

        Parameters
        ----------
        values : array-like of shape (n_rows, n_columns)
            Numbers, and for categorical columns whole-number codes from 0; NaN is a missing value.
        nominal : array-like of shape (n_columns,), bool
            Which columns are categorical.
        metric : str, default="l2"
            "l1": sum of scaled differences; "l2": sum of their squares (without the square root); or one of
            scikit-learn's names in `NAMED_METRICS`, computed on the scaled values and only for numeric columns
            without missing values.
        """
        table = np.asarray(values, dtype=np.float64)
        is_nominal = np.asarray(nominal, dtype=bool)
        if metric not in ("l1", "l2", *NAMED_METRICS):
            raise ValueError(
                f"MixedSpace: metric={metric!r} is unknown. Use one of l1, l2, {', '.join(NAMED_METRICS)}."
            )
        if table.ndim != 2 or table.shape[0] == 0 or is_nominal.shape != table.shape[1:]:
            raise ValueError(
                f"MixedSpace: values of shape {table.shape} and nominal of shape {is_nominal.shape}. "
                "Give at least one row, and one entry of nominal for each column."
            )
        _check_kinds(table, is_nominal, metric)
        low = np.where(is_nominal, 0.0, np.nan_to_num(np.fmin.reduce(table, axis=0)))
        high = np.where(is_nominal, 0.0, np.nan_to_num(np.fmax.reduce(table, axis=0)))
        shrink = np.where(np.maximum(-low, high) > 2.0**900, 0.25, 1.0)
        n_columns = max(1, table.shape[1])
        limit = {"l1": 2.0**31 / n_columns, "l2": 2.0**15 / n_columns**0.5}.get(metric, np.inf)
        return cls(metric, is_nominal, low * shrink, high * shrink - low * shrink, shrink, limit)

    @property
    def squared(self) -> bool:
        """Whether a column's term is the square of the difference."""
        return self.metric == "l2"

    @property
    def additive(self) -> bool:
        """Whether distances are whole numbers of steps that sum over columns: l1 and l2."""
        return self.metric in ("l1", "l2")

    def scaled(self, values: npt.ArrayLike) -> ScaledRows:
        """Return the coordinates of rows, those of `fit` or new ones: scaled by the range of `fit`, not clipped to it.

        A code that `fit` never saw is at distance 1 from every code it saw; two rows with the same new code are at
        distance 0 in that column.
        """
        table = np.asarray(values, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.nominal):
            raise ValueError(
                f"MixedSpace: values of shape {table.shape}, but fit saw {len(self.nominal)} columns."
            )
        _check_kinds(table, self.nominal, self.metric)
        unit = {"l1": float(STEPS), "l2": float(STEPS) ** 0.5}.get(self.metric, 1.0)
        coordinates = np.empty(table.shape)
        with np.errstate(over="ignore"):  # what overflows is clipped to the limit below
            np.multiply(table, self.shrink, out=coordinates)
            coordinates -= self.lowest
            np.divide(coordinates, self.spread, out=coordinates, where=self.spread > 0)
        np.clip(coordinates, -self.limit, self.limit, out=coordinates)
        coordinates *= unit
        constant = (self.spread == 0) & ~self.nominal
        coordinates[:, constant] = np.where(np.isnan(table[:, constant]), np.nan, 0.0)
        coordinates[:, self.nominal] = table[:, self.nominal] * CODE_GAP
        coordinates[np.isnan(coordinates)] = -CODE_GAP
        coordinates += 0.0  # turns -0.0 into 0.0: equal rows have equal bytes
        return ScaledRows(coordinates, self)

    def rows(self, rows: npt.ArrayLike | ScaledRows) -> ScaledRows:
        """Return `rows` unchanged if this space scaled them, else scale them."""
        if not isinstance(rows, ScaledRows):
            return self.scaled(rows)
        if rows.space is not self:
            raise ValueError("MixedSpace: the rows were scaled by another space. Scale them with this one.")
        return rows


def _check_kinds(table: FloatArray, nominal: npt.NDArray[np.bool_], metric: str) -> None:
    """Refuse infinite values, codes that are not whole numbers from 0, and tables that a metric cannot measure."""
    if np.isinf(table).any():
        column = int(np.flatnonzero(np.isinf(table).any(axis=0))[0])
        raise ValueError(
            f"MixedSpace: column {column} holds an infinite value. Use finite values, or NaN for a missing one."
        )
    codes: npt.NDArray[Any] = table[:, nominal]
    known = codes[~np.isnan(codes)]
    if ((known < 0) | (known >= 2**31 - 1) | (known != np.floor(known))).any():
        raise ValueError(
            "MixedSpace: categorical columns must hold whole-number codes from 0 to 2**31 - 2, or NaN for a missing value."
        )
    if metric in NAMED_METRICS and (nominal.any() or np.isnan(table).any()):
        raise ValueError(
            f"MixedSpace: metric={metric!r} with {int(nominal.sum())} categorical columns and "
            f"{int(np.isnan(table).sum())} missing values, but it measures numeric columns without missing values "
            "only. Use l1 or l2."
        )
