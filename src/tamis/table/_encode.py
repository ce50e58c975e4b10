"""From the X that an estimator is given (an array or any frame) to a `Table`.

Arrays go through scikit-learn's own validation and nothing else. Frames (pandas, polars, pyarrow, whatever
narwhals supports) are read column by column and by position, so that any column names are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from numbers import Integral
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_feature_names_in, validate_data

from tamis.table._arrays import plain_numbers
from tamis.table._header import check_new_frame, note_columns
from tamis.table._kinds import kind_of
from tamis.table._table import Labels, Schema, Table
from tamis.table._target import encode_any_target as encode_any_target
from tamis.table._target import encode_numbers as encode_numbers
from tamis.table._target import encode_target as encode_target

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


_PLAIN = (nw.Float64, nw.Float32, nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt32, nw.UInt16, nw.UInt8)


def as_frame(X: ArrayLike) -> nw.DataFrame[Any] | None:
    """`X` as a narwhals frame, or None if `X` is not a frame."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:
        names = [str(name) for name in getattr(X, "columns" if hasattr(X, "iloc") else "column_names")]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(
            f"X has several columns named {', '.join(map(repr, twice))}. Give every column its own name."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy {type(X).__module__.split('.')[0]} frame, whose rows are not computed yet. "
            "Collect it first (for polars: X.collect())."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def encode(
    estimator: BaseEstimator, X: ArrayLike, categorical_features: ArrayLike | None = "from_dtype"
) -> Table:
    """Read the rows that `estimator` is fitted on; sets `n_features_in_` and `feature_names_in_`.

    Parameters
    ----------
    estimator : estimator
        The estimator that the table is read for; its class name appears in error messages.
    X : array-like or frame, shape (n, d)
        Numbers with NaN for missing values; in a frame also categorical columns.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype (category, enum, string, boolean), none, or exactly these: a mask,
        positions, or names.

    Returns
    -------
    Table
        The validated table.
    """
    frame = as_frame(X)
    if frame is None:
        values = _numbers_only(estimator, X, ensure_min_samples=2)
        nominal = _nominal_mask(estimator, categorical_features, values.shape[1], None)
        categories = tuple(_numbers(values[:, j]) if nominal[j] else None for j in range(values.shape[1]))
        schema = Schema(nominal, categories)
        return Table(_coded(values, schema), schema)
    note_columns(estimator, X, frame)
    _refuse_empty(estimator, frame)
    if isinstance(categorical_features, str | None) and (numbers := _plain_numbers(frame)) is not None:
        _nominal_mask(estimator, categorical_features, frame.shape[1], [])
        none = np.zeros(frame.shape[1], dtype=bool)
        return Table(numbers, Schema(none, (None,) * frame.shape[1]))
    columns = _columns(estimator, frame)
    nominal = _nominal_mask(estimator, categorical_features, len(columns), columns)
    categories = tuple(
        _categories(estimator, column) if chosen else None for column, chosen in zip(columns, nominal)
    )
    schema = Schema(nominal, categories)
    return Table(_column_values(estimator, columns, schema), schema)


def encode_like(estimator: BaseEstimator, X: ArrayLike, schema: Schema) -> Table:
    """Read new rows for a fitted `estimator`, with the kinds and codes of its `schema`."""
    frame = as_frame(X)
    if frame is None:
        _refuse_texts_as_numbers(estimator, schema)
        values = _numbers_only(estimator, X, reset=False)
        return Table(_coded(values, schema), schema)
    check_new_frame(estimator, X, frame)
    if not schema.nominal.any() and (numbers := _plain_numbers(frame)) is not None:
        return Table(numbers, schema)
    return Table(_column_values(estimator, _columns(estimator, frame), schema), schema)


def gives_a_frame(estimator: BaseEstimator, frame: nw.DataFrame[Any] | None) -> bool:
    """Whether columns kept of `frame` come back as a frame: if `estimator` knows names, or the frame's are no texts.

    Names such as 0, 1, 2 are no `feature_names_in_` to scikit-learn.
    """
    if frame is None:
        return False
    return hasattr(estimator, "feature_names_in_") or not any(isinstance(name, str) for name in frame.columns)


def positions(
    estimator: BaseEstimator, columns: Iterable[Any], n_columns: int, what: str
) -> NDArray[np.intp]:
    """Positions of columns given by name or position, for a parameter called `what`."""
    who = type(estimator).__name__
    names = getattr(estimator, "feature_names_in_", None)
    chosen = []
    for column in columns:
        if isinstance(column, str):
            if names is None:
                raise ValueError(
                    f"{who}: {what} names the column {str(column)!r}, but X has no column names. Use positions."
                )
            hits = np.flatnonzero(names == column)
            if not len(hits):
                raise ValueError(f"{who}: {what} names {str(column)!r}, which is not a column of X.")
            chosen.append(int(hits[0]))
        elif isinstance(column, bool | np.bool_) or not isinstance(column, Integral):
            raise ValueError(
                f"{who}: {what} holds {column!r}, which is neither the name nor the position of a column."
            )
        elif not -n_columns <= int(column) < n_columns:
            raise ValueError(
                f"{who}: {what} holds the position {column}, but X has {n_columns} columns. "
                f"Use 0 to {n_columns - 1}."
            )
        else:
            chosen.append(int(column) % n_columns)
    return np.asarray(chosen, dtype=np.intp)


def column_names(estimator: BaseEstimator) -> list[str]:
    """The names of the columns that `estimator` was fitted on; x0, x1, ... if they had none."""
    return [str(name) for name in _check_feature_names_in(estimator)]


def _numbers_only(estimator: BaseEstimator, X: ArrayLike, **checks: Any) -> NDArray[np.float64]:
    """Validate what is not a frame with scikit-learn; errors about what is not a number also say what to do."""
    who = type(estimator).__name__
    X = plain_numbers(who, "X", X)
    try:
        values: NDArray[np.float64] = validate_data(
            estimator, X, dtype=np.float64, ensure_all_finite="allow-nan", **checks
        )
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        raise ValueError(
            f"{who}: X is not a frame and holds texts ({error}). Give a pandas, polars or "
            "pyarrow frame, whose text columns are categorical, or turn the texts into numbers."
        ) from None
    except OverflowError:
        raise ValueError(
            f"{who}: Input X contains infinity or a value too large for dtype('float64'). Use missing "
            "values (NaN) or large finite numbers instead."
        ) from None
    return values


def _plain_numbers(frame: nw.DataFrame[Any]) -> NDArray[np.float64] | None:
    """All columns at once, if all hold plain finite numbers and missing values; otherwise None."""
    if not all(dtype in _PLAIN for dtype in frame.schema.dtypes()):
        return None
    array = frame.to_numpy()
    if array.dtype.kind not in "fiu":
        return None
    values: NDArray[np.float64] = array.astype(np.float64)  # a copy, never the caller's memory
    return None if np.isinf(values).any() else values


def _refuse_empty(estimator: BaseEstimator, frame: nw.DataFrame[Any]) -> None:
    rows, columns = frame.shape
    who = type(estimator).__name__
    if columns == 0:
        raise ValueError(f"{who}: 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
    if rows < 2:
        raise ValueError(f"{who}: X has {rows} row{'s' * (rows != 1)}, at least 2 are needed.")


def _nominal_mask(
    estimator: BaseEstimator, chosen: Any, n_columns: int, columns: list[nw.Series[Any]] | None
) -> NDArray[np.bool_]:
    """Which columns are categorical, by dtype or as the caller says."""
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            raise ValueError(
                f"{type(estimator).__name__}: categorical_features={chosen!r}. "
                "Use 'from_dtype', None, a mask, positions or names."
            )
        if columns is None:
            return np.zeros(n_columns, dtype=bool)
        return np.asarray([kind_of(column.dtype) == "categorical" for column in columns], dtype=bool)
    mask = np.zeros(n_columns, dtype=bool)
    if chosen is None:
        return mask
    listed = list(chosen)
    if listed and all(isinstance(column, bool | np.bool_) for column in listed):
        if len(listed) != n_columns:
            raise ValueError(
                f"{type(estimator).__name__}: categorical_features is a mask of {len(listed)} columns, "
                f"but X has {n_columns} columns."
            )
        return np.asarray(listed, dtype=bool)
    mask[positions(estimator, listed, n_columns, "categorical_features")] = True
    return mask


def _columns(estimator: BaseEstimator, frame: nw.DataFrame[Any]) -> list[nw.Series[Any]]:
    """The columns of a frame; pandas object columns by the kind of their values, sparse columns refused."""
    columns = list(frame.iter_columns())
    if not frame.implementation.is_pandas_like():
        return columns
    for j, column in enumerate(columns):
        native = column.to_native()
        if column.dtype == nw.Unknown and hasattr(native, "sparse"):
            raise TypeError(
                f"{type(estimator).__name__}: column {column.name!r} is sparse, but dense data is required. "
                "Use X.sparse.to_dense() first."
            )
        if native.dtype == object and native.isna().all():  # like a null column in other libraries
            columns[j] = nw.from_native(native.isna().astype(float).where(native.notna()), series_only=True)
        elif column.dtype == nw.Object:
            columns[j] = nw.from_native(native.convert_dtypes(), series_only=True)
    return columns


def _column_values(
    estimator: BaseEstimator, columns: list[nw.Series[Any]], schema: Schema
) -> NDArray[np.float64]:
    values = np.empty((len(columns[0]) if columns else 0, len(columns)), dtype=np.float64, order="F")
    for j, series in enumerate(columns):
        known = schema.categories[j]
        if known is None:
            _numeric(estimator, series, values[:, j])
        elif known.dtype == np.float64:
            values[:, j] = _number_codes(_numeric(estimator, series), known)
        else:
            values[:, j] = _text_codes(_texts(estimator, series), known)
    return values


def _numeric(
    estimator: BaseEstimator, series: nw.Series[Any], column: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """A numeric column as float64 with NaN for missing values, written to `column` if given; infinities are refused."""
    who, name = type(estimator).__name__, series.name
    dtype = series.dtype
    column = np.empty(len(series)) if column is None else column
    if series.null_count() == len(series):  # only missing values: libraries give such a column any dtype
        column[:] = np.nan
        return column
    if kind_of(dtype) != "number" and dtype != nw.Boolean:
        dates = "Turn the dates into numbers (a year, a count of days) or drop the column."
        texts = "Name it in categorical_features, or make it numeric, or drop it."
        of_kind = dict.fromkeys([nw.Date, nw.Datetime], dates)
        of_kind |= dict.fromkeys([nw.String, nw.Categorical, nw.Enum], texts)
        advice = of_kind.get(type(dtype), "Make it numeric or a category, or drop it.")
        given = getattr(series.to_native(), "dtype", dtype) if dtype == nw.Unknown else dtype
        raise ValueError(f"{who}: column {name!r} has dtype {given}, which is not numeric. {advice}")
    missing = series.is_null().to_numpy() if series.null_count() else None
    if dtype.is_integer() and not series.implementation.is_polars():  # Arrow refuses to cast beyond 2**53
        column[:] = (series if missing is None else series.fill_null(0)).to_numpy()
    else:
        widened = missing is None and dtype == nw.Float32  # by the assignment, without a copy in between
        column[:] = (series if widened else series.cast(nw.Float64)).to_numpy()
    if missing is not None:
        column[missing] = np.nan
    if np.fmax.reduce(column) == np.inf or np.fmin.reduce(column) == -np.inf:
        raise ValueError(
            f"{who}: Input X contains infinity or a value too large for dtype('float64'): column {name!r} "
            f"holds {int(np.isinf(column).sum())}. Use missing values (NaN) or large finite numbers instead."
        )
    return column


def _categories(estimator: BaseEstimator, series: nw.Series[Any]) -> Labels:
    """The values of a categorical column in code order: texts sorted as texts, numbers as numbers."""
    if kind_of(series.dtype) == "number":
        return _numbers(_numeric(estimator, series))
    if series.dtype.is_nested() or series.dtype == nw.Object:
        raise ValueError(
            f"{type(estimator).__name__}: column {series.name!r} has dtype {series.dtype}, which cannot be categorical. "
            "Turn its values into texts or drop it."
        )
    texts = _texts(estimator, series)
    return np.asarray(sorted(texts.unique().drop_nulls().to_list()), dtype=object)


def _numbers(column: NDArray[np.float64]) -> NDArray[np.float64]:
    known: NDArray[np.float64] = np.unique(column[~np.isnan(column)])
    return known


def _texts(estimator: BaseEstimator, series: nw.Series[Any]) -> Any:
    """A categorical column as polars texts, whatever library it comes from."""
    import polars as pl

    native = series.to_native()
    if series.implementation.is_pyarrow():
        if series.dtype == nw.Categorical:
            native = native.cast(native.type.value_type)
        if kind_of(series.dtype) == "categorical":
            native = pl.from_arrow(native)
    elif series.implementation.is_pandas_like() and series.dtype in (nw.String, nw.Boolean):
        with suppress(NotImplementedError):  # some of Arrow's text types have no categories
            native = native.astype("category")
    if isinstance(native, pl.Series) and kind_of(native.dtype) == "categorical":
        return native.cast(pl.String)
    if series.implementation.is_pandas_like() and hasattr(native, "cat"):  # a few categories, many codes
        labels = [_text(label) for label in native.cat.categories]
        if len(set(labels)) < len(labels):
            raise ValueError(
                f"{type(estimator).__name__}: column {series.name!r} has different categories that read the "
                "same as texts. Rename them."
            )
        codes = pl.Series(native.cat.codes.to_numpy().astype(np.int64))
        texts: Sequence[str | None] = [*labels, None]
        return pl.Series(texts, dtype=pl.String).gather(codes.replace(-1, len(labels)))
    missing = series.is_null().to_numpy()  # every kind of missing value
    listed = [None if gone else _text(value) for value, gone in zip(series.to_list(), missing)]
    return pl.Series(listed, dtype=pl.String)


def _text(value: Any) -> str:
    """A category as polars writes it: false and true in lower case."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def _text_codes(texts: Any, known: Labels) -> NDArray[np.float64]:
    """Codes of texts: the next code after the last for an unknown text, NaN for a missing value."""
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
    """Codes of numbers in a categorical column: the next code after the last for an unknown number, NaN for a missing value."""
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


def _refuse_texts_as_numbers(estimator: BaseEstimator, schema: Schema) -> None:
    for known in schema.categories:
        if known is not None and known.dtype != np.float64:
            raise ValueError(
                f"{type(estimator).__name__}: fitted on a frame with text columns, but X is a plain array. "
                "Give a frame with the same columns."
            )
