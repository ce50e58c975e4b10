"""From what a caller hands to an estimator (an array or any frame) to a `Table`, and from labels to a `Target`.

Arrays go through scikit-learn's own validation and nothing else. Frames (pandas, polars, pyarrow, whatever
narwhals knows) are read column by column and by position, so that any column names will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from tamis.table._table import Labels, Schema, Table, Target

_NOMINAL = (nw.Categorical, nw.Enum, nw.String, nw.Boolean)


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """The frame behind `X` as narwhals sees it, or None where `X` is no frame."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy {type(X).__module__.split('.')[0]} frame, whose rows are not there yet. "
            "Collect it first (for polars: X.collect())."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def encode(estimator: Any, X: Any, categorical_features: Any = "from_dtype") -> Table:
    """Read the rows that `estimator` is fitted on; sets `n_features_in_` and `feature_names_in_`.

    Parameters
    ----------
    estimator : estimator
        On whose behalf the table is read; its class name stands in errors.
    X : array-like or frame, shape (n, d)
        Numbers with NaN for gaps; in a frame also nominal columns.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are nominal: by dtype (category, enum, string, boolean), none, or exactly these: a mask,
        positions, or names.

    Returns
    -------
    Table
        The validated table.
    """
    frame = as_frame(X)
    if frame is None:
        values = validate_data(
            estimator, X, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=2
        )
        nominal = _nominal_mask(estimator, categorical_features, values.shape[1], None)
        categories = tuple(_numbers(values[:, j]) if nominal[j] else None for j in range(values.shape[1]))
        schema = Schema(nominal, categories)
        return Table(_coded(values, schema), schema)
    validate_data(estimator, X, skip_check_array=True)
    _refuse_empty(estimator, frame)
    nominal = _nominal_mask(estimator, categorical_features, frame.shape[1], frame)
    categories = tuple(
        _categories(estimator, frame[:, j]) if nominal[j] else None for j in range(frame.shape[1])
    )
    schema = Schema(nominal, categories)
    return Table(_frame_values(estimator, frame, schema), schema)


def encode_like(estimator: Any, X: Any, schema: Schema) -> Table:
    """Read new rows for a fitted `estimator`, with the kinds and codes of its `schema`."""
    frame = as_frame(X)
    if frame is None:
        _refuse_texts_as_numbers(estimator, schema)
        values = validate_data(estimator, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return Table(_coded(values, schema), schema)
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return Table(_frame_values(estimator, frame, schema), schema)


def encode_target(estimator: Any, X: Any, y: Any, *, min_rows: int = 1) -> Target:
    """Read the labels of a classification problem.

    Parameters
    ----------
    estimator : estimator
        On whose behalf; its class name stands in errors.
    X : array-like or frame
        Only its length is looked at.
    y : array-like, shape (n,)
        Labels of any kind.
    min_rows : int, default=1
        How many rows every class must have.

    Returns
    -------
    Target
        The codes and the sorted classes.
    """
    who = type(estimator).__name__
    if y is None:
        raise ValueError(
            f"{who}: requires y to be passed, but the target y is None. Give the class of every row."
        )
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    _refuse_unlabelled(who, y)
    check_classification_targets(y)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise TypeError(
            f"{who}: the labels in y are of several types that have no common order. "
            "Make them all texts or all numbers."
        ) from None
    if len(classes) < 2:
        raise ValueError(
            f"{who}: y holds one class only ({classes[0]!r}); at least 2 classes are needed. "
            "Check the target column or the rows you kept."
        )
    counts = np.bincount(codes)
    if counts.min() < min_rows:
        small = classes[int(np.argmin(counts))]
        raise ValueError(
            f"{who}: class {small!r} has {counts.min()} row{'s' if counts.min() > 1 else ''}, "
            f"but at least {min_rows} a class are needed. Merge it with another class or leave it out."
        )
    return Target(codes.astype(np.int64).ravel(), classes)


def positions(estimator: Any, columns: Iterable[Any], n_columns: int, what: str) -> NDArray[np.intp]:
    """Positions of columns given by name or position, for a parameter called `what`."""
    who = type(estimator).__name__
    names = getattr(estimator, "feature_names_in_", None)
    found = []
    for column in columns:
        if isinstance(column, str):
            if names is None:
                raise ValueError(
                    f"{who}: {what} names the column {column!r}, but X has no column names. Use positions."
                )
            hits = np.flatnonzero(names == column)
            if not len(hits):
                raise ValueError(f"{who}: {what} names {column!r}, which is not a column of X.")
            found.append(int(hits[0]))
        elif not -n_columns <= int(column) < n_columns:
            raise ValueError(
                f"{who}: {what} holds the position {column}, but X has {n_columns} columns. "
                f"Use 0 to {n_columns - 1}."
            )
        else:
            found.append(int(column) % n_columns)
    return np.asarray(found, dtype=np.intp)


def column_names(estimator: Any) -> list[str]:
    """The names of the columns `estimator` was fitted on, x0, x1, ... where it saw none."""
    return [str(name) for name in _check_feature_names_in(estimator)]


def _refuse_empty(estimator: Any, frame: nw.DataFrame[Any]) -> None:
    rows, columns = frame.shape
    who = type(estimator).__name__
    if columns == 0:
        raise ValueError(f"{who}: 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
    if rows < 2:
        raise ValueError(f"{who}: X has {rows} row{'s' * (rows != 1)}, at least 2 are needed.")


def _nominal_mask(
    estimator: Any, chosen: Any, n_columns: int, frame: nw.DataFrame[Any] | None
) -> NDArray[np.bool_]:
    """Which columns are nominal, by dtype or by the caller's word."""
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            raise ValueError(
                f"{type(estimator).__name__}: categorical_features={chosen!r}. "
                "Use 'from_dtype', None, a mask, positions or names."
            )
        if frame is None:
            return np.zeros(n_columns, dtype=bool)
        return np.asarray([dtype in _NOMINAL for dtype in _dtypes(frame)], dtype=bool)
    mask = np.zeros(n_columns, dtype=bool)
    if chosen is None:
        return mask
    listed = np.asarray(chosen)
    if listed.dtype == bool:
        if listed.shape != (n_columns,):
            raise ValueError(
                f"{type(estimator).__name__}: categorical_features is a mask of shape {listed.shape}, "
                f"but X has {n_columns} columns."
            )
        return listed.copy()
    mask[positions(estimator, listed.tolist(), n_columns, "categorical_features")] = True
    return mask


def _dtypes(frame: nw.DataFrame[Any]) -> list[Any]:
    return [frame[:, j].dtype for j in range(frame.shape[1])]


def _frame_values(estimator: Any, frame: nw.DataFrame[Any], schema: Schema) -> NDArray[np.float64]:
    values = np.empty(frame.shape, dtype=np.float64, order="F")
    for j in range(frame.shape[1]):
        series = frame[:, j]
        known = schema.categories[j]
        if known is None:
            values[:, j] = _numeric(estimator, series)
        elif known.dtype == np.float64:
            values[:, j] = _number_codes(_numeric(estimator, series), known)
        else:
            values[:, j] = _text_codes(_texts(estimator, series), known)
    return values


def _numeric(estimator: Any, series: nw.Series[Any]) -> NDArray[np.float64]:
    """A numeric column as float64 with NaN for gaps; infinities are refused."""
    who, name = type(estimator).__name__, series.name
    dtype = series.dtype
    if dtype == nw.Unknown and series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if not (dtype.is_numeric() or dtype == nw.Boolean):
        advice = {
            nw.Date: "Turn the dates into numbers (a year, a count of days) or drop the column.",
            nw.Datetime: "Turn the dates into numbers (a year, a count of days) or drop the column.",
            nw.String: "Name it in categorical_features, or make it numeric, or drop it.",
            nw.Categorical: "Name it in categorical_features, or make it numeric, or drop it.",
            nw.Enum: "Name it in categorical_features, or make it numeric, or drop it.",
        }.get(type(dtype), "Make it numeric or a category, or drop it.")
        raise ValueError(f"{who}: column {name!r} has dtype {dtype}, which is not numeric. {advice}")
    column: NDArray[np.float64] = np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if series.null_count():
        column[series.is_null().to_numpy()] = np.nan
    if np.isinf(column).any():
        raise ValueError(
            f"{who}: Input X contains infinity or a value too large for dtype('float64'): column {name!r} "
            f"holds {int(np.isinf(column).sum())}. Replace them by gaps (NaN) or by large finite numbers."
        )
    return column


def _categories(estimator: Any, series: nw.Series[Any]) -> Labels:
    """The values of a nominal column in code order: texts sorted as texts, numbers as numbers."""
    if series.dtype.is_numeric():
        return _numbers(_numeric(estimator, series))
    texts = _texts(estimator, series)
    return np.asarray(sorted(texts.unique().drop_nulls().to_list()), dtype=object)


def _numbers(column: NDArray[np.float64]) -> NDArray[np.float64]:
    known: NDArray[np.float64] = np.unique(column[~np.isnan(column)])
    return known


def _texts(estimator: Any, series: nw.Series[Any]) -> Any:
    """A nominal column as polars texts, whatever library it comes from."""
    import polars as pl

    native = series.to_native()
    if isinstance(native, pl.Series):
        return native.cast(pl.String)
    if series.dtype == nw.Categorical and hasattr(native, "cat"):  # pandas: a few categories, many codes
        labels = [str(label) for label in native.cat.categories]
        if len(set(labels)) < len(labels):
            raise ValueError(
                f"{type(estimator).__name__}: column {series.name!r} has different categories that read the "
                "same as texts. Rename them."
            )
        codes = pl.Series(native.cat.codes.to_numpy().astype(np.int64))
        found: Sequence[str | None] = [*labels, None]
        return pl.Series(found, dtype=pl.String).gather(codes.replace(-1, len(labels)))
    if series.dtype == nw.Boolean:  # polars writes false and true
        known = [None if value is None else str(bool(value)).lower() for value in _listed(series)]
        return pl.Series(known, dtype=pl.String)
    return pl.Series(
        [None if value is None else str(value) for value in _listed(series)], dtype=pl.String
    )


def _listed(series: nw.Series[Any]) -> list[Any]:
    """The values of a column, None for every kind of gap."""
    missing = series.is_null().to_numpy()
    return [None if gone else value for value, gone in zip(series.to_list(), missing)]


def _text_codes(texts: Any, known: Labels) -> NDArray[np.float64]:
    """Codes of texts; one after the last for a text never seen, NaN for a gap."""
    import polars as pl

    codes = (
        texts.replace_strict(
            list(known),
            np.arange(len(known), dtype=np.float64),
            default=float(len(known)),
            return_dtype=pl.Float64,
        )
        if len(known)
        else pl.repeat(0.0, len(texts), eager=True)
    )
    column: NDArray[np.float64] = np.array(codes.to_numpy(), dtype=np.float64)
    column[texts.is_null().to_numpy()] = np.nan
    return column


def _number_codes(column: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Codes of numbers that stand for names; one after the last for a number never seen, NaN for a gap."""
    codes = np.searchsorted(known, column).astype(np.float64)
    inside = np.minimum(codes, max(len(known) - 1, 0)).astype(np.intp)
    seen = known[inside] == column if len(known) else np.zeros(len(column), dtype=bool)
    codes[~seen] = len(known)
    codes[np.isnan(column)] = np.nan
    return codes


def _coded(values: NDArray[np.float64], schema: Schema) -> NDArray[np.float64]:
    if not schema.nominal.any():
        return values
    coded = values.copy()
    for j in np.flatnonzero(schema.nominal):
        known = schema.categories[j]
        coded[:, j] = _number_codes(values[:, j], np.asarray(known, dtype=np.float64))
    return coded


def _refuse_texts_as_numbers(estimator: Any, schema: Schema) -> None:
    for known in schema.categories:
        if known is not None and known.dtype != np.float64:
            raise ValueError(
                f"{type(estimator).__name__}: fitted on a frame with text columns, but X is a plain array. "
                "Give a frame with the same columns."
            )


def _refuse_unlabelled(who: str, y: NDArray[Any]) -> None:
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y", allow_nan=True)
        missing = int(np.isnan(y).sum())
    elif y.dtype == object:
        missing = sum(1 for label in y if label is None or label != label)
    else:
        missing = 0
    if missing:
        raise ValueError(
            f"{who}: Input y contains NaN: {missing} of {len(y)} rows have no label. "
            "Leave those rows out (on the command line: --drop-unlabelled)."
        )
