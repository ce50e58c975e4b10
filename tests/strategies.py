"""Small tables for hypothesis: ties, duplicates, constants, gaps, nominal columns, classes of one row.

A `Problem` holds plain Python values and gives the same table as an array or as a frame of any library, so that a
test can compare what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

NOMINAL = ("text", "category", "flag")
NUMERIC = ("float", "integer", "constant")

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "float": st.sampled_from([-2.5, -1.0, -0.125, 0.0, 0.5, 1.0, 3.0, 1024.0, 2.0**-20]),
    "integer": st.integers(-3, 3),
    "constant": st.just(7.0),
    "text": st.sampled_from(["", "a", "b", "A", "é", "10", "9"]),
    "category": st.sampled_from(["low", "middle", "high"]),
    "flag": st.booleans(),
}
_PANDAS = {"integer": "Int64", "text": "str", "category": "category", "flag": "boolean"}
_POLARS = {
    "integer": pl.Int32(),
    "text": pl.String(),
    "category": pl.Enum(["high", "low", "middle", "unused"]),
    "flag": pl.Boolean(),
}
_PYARROW = {
    "integer": pa.int16(),
    "text": pa.string(),
    "category": pa.dictionary(pa.int8(), pa.string()),
    "flag": pa.bool_(),
}
_LABELS: tuple[tuple[Any, ...], ...] = (
    (0, 1, 2, 3),
    (-1, 1, 5, 1000),
    ("no", "yes", "perhaps", "never"),
    (0.0, 1.0, 2.0, 4.0),
    (False, True),
)


@dataclass(frozen=True)
class Problem:
    """A table by columns, and its labels.

    Parameters
    ----------
    kinds : dict
        Name of each column -> its kind, one of `NUMERIC` and `NOMINAL`.
    columns : dict
        Name of each column -> its values; None is a gap.
    y : list
        The labels.
    """

    kinds: dict[str, str]
    columns: dict[str, list[Any]]
    y: list[Any]

    def array(self, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
        """The table as an array; numeric columns only."""
        rows = [[np.nan if value is None else value for value in values] for values in self.columns.values()]
        return np.array(rows, dtype=dtype).T

    def pandas(self) -> pd.DataFrame:
        """The table as pandas holds it, under an index that is neither sorted nor unique."""
        index = [(3 * row) % 7 for row in range(len(self.y))]
        return pd.DataFrame(
            {
                name: pd.Series(values, dtype=_PANDAS.get(self.kinds[name], "float64"), index=index)
                for name, values in self.columns.items()
            }
        )

    def polars(self) -> pl.DataFrame:
        """The table as polars holds it."""
        return pl.DataFrame(
            {
                name: pl.Series(values, dtype=_POLARS.get(self.kinds[name], pl.Float64()))
                for name, values in self.columns.items()
            }
        )

    def pyarrow(self) -> pa.Table:
        """The table as pyarrow holds it."""
        return pa.table(
            {
                name: pa.array(values, _PYARROW.get(self.kinds[name], pa.float64()))
                for name, values in self.columns.items()
            }
        )


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    nominal: bool = True,
    gaps: bool = True,
    class_rows: int = 1,
    max_rows: int = 16,
    max_columns: int = 5,
) -> Problem:
    """Tables with labels.

    Parameters
    ----------
    draw : callable
        Given by hypothesis.
    nominal : bool
        Whether nominal columns may occur.
    gaps : bool
        Whether gaps may occur, whole columns of them among others.
    class_rows : int
        How many rows every class has at least.
    max_rows, max_columns : int
        Upper limits.

    Returns
    -------
    Problem
        With 2 to 4 classes of labels of several types.
    """
    labels = draw(st.sampled_from(_LABELS))
    n_classes = draw(st.integers(2, min(len(labels), max_rows // class_rows)))
    more = draw(st.lists(st.integers(0, n_classes - 1), max_size=max_rows - n_classes * class_rows))
    codes = draw(st.permutations([*list(range(n_classes)) * class_rows, *more]))
    names = [f"c{j}" for j in range(draw(st.integers(1, max_columns)))]
    kinds, columns = {}, {}
    for name in names:
        kinds[name], columns[name] = draw(_column(len(codes), NUMERIC + NOMINAL * nominal, gaps))
    if len(names) > 1 and draw(st.booleans()):  # the last column repeats the first
        kinds[names[-1]], columns[names[-1]] = kinds[names[0]], list(columns[names[0]])
    return Problem(kinds, columns, [labels[code] for code in codes])


@st.composite
def _column(draw: st.DrawFn, n_rows: int, kinds: tuple[str, ...], gaps: bool) -> tuple[str, list[Any]]:
    kind = draw(st.sampled_from(kinds))
    how = draw(st.sampled_from(["none", "none", "some", "all"])) if gaps else "none"
    value = _VALUES[kind]
    if how == "some":
        value = st.none() | value
    elif how == "all":
        value = st.none()
    return kind, draw(st.lists(value, min_size=n_rows, max_size=n_rows))


@st.composite
def smooth_problems(
    draw: st.DrawFn, *, nominal: bool = True, gaps: bool = True, class_rows: int = 2
) -> Problem:
    """Tables whose numeric columns hold no two equal values, for properties that ties would spoil."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 3))
    n_rows = max(draw(st.integers(8, 20)), n_classes * class_rows)
    codes = rng.permutation(
        np.r_[np.tile(np.arange(n_classes), class_rows), rng.integers(0, n_classes, n_rows)]
    )
    codes = codes.tolist()
    kinds = ["float"] * draw(st.integers(2, 4)) + ["category"] * (nominal and draw(st.booleans()))
    columns = {}
    for j, kind in enumerate(kinds):
        if kind == "float":
            values = (rng.normal(size=len(codes)) + rng.normal() * np.array(codes)).tolist()
        else:
            values = rng.choice(["low", "middle", "high"], len(codes)).tolist()
        if gaps and draw(st.booleans()):
            values[int(rng.integers(len(codes)))] = None
        columns[f"c{j}"] = values
    return Problem(dict(zip(columns, kinds)), columns, codes)
