"""The kind of a column: the one place that decides it.

A file's texts become dtypes in `reading/types`, and a Parquet file or a caller's frame has dtypes of its own. From there on
the dtype is all that counts: readers, checks, labels, parts and `encode` ask `kind_of` what it means.
"""

import re
from typing import Any, Literal

Kind = Literal["number", "categorical", "time", "other"]

#: What a target may be said to hold; "auto" lets its values decide.
TARGET_KINDS = ("auto", "classes", "numbers")

#: A text that is a number in plain digits, as ``-1.5e3``; None for others.
plain_number = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch

_CATEGORICAL = ("String", "Categorical", "Enum", "Boolean")


def kind_of(dtype: Any) -> Kind:
    """What values of a dtype are: numbers, categories (text and truth values among them), dates and times, or neither.

    Parameters
    ----------
    dtype : polars.DataType or narwhals.dtypes.DType
        A column's dtype; the two libraries call theirs by the same names.

    Examples
    --------
    >>> import narwhals as nw, polars as pl
    >>> kind_of(pl.Enum(["a"])), kind_of(nw.Boolean()), kind_of(pl.Decimal(8, 2)), kind_of(nw.Date())
    ('categorical', 'categorical', 'number', 'time')
    """
    if dtype.is_numeric():
        return "number"
    if type(dtype).__name__ in _CATEGORICAL:
        return "categorical"
    return "time" if dtype.is_temporal() else "other"
