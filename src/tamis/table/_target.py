"""From labels of any kind to a `Target`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d

from tamis.table._arrays import unmasked
from tamis.table._table import Float, Numbers, Target

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FEW_CLASSES = 1 << 12
#: Floats of more different values than this are a quantity, not classes.
MOST_CLASSES_OF_FLOATS = 20
#: The selectors of columns that take classes only.
COLUMNS_BY_CLASSES = ("Simba",)
#: The selectors whose target may be numeric, for error messages.
TAKE_NUMBERS = (
    "Sieve",
    "SBSMF",
    "BDSFS",
    "UnivariateAUC",
    "GramSchmidt",
    "ReliefF",
    "ROGER",
    "EFR",
    "FS2Boost",
    "PairScan",
    "SampledEFR",
    "PermutationRanking",
    "Decoys",
    "StabilitySelection",
)


def encode_any_target(
    estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, kind: str = "auto", *, min_rows: int = 1
) -> Target | Numbers:
    """Read the target of a method that takes classes and numbers.

    Parameters
    ----------
    estimator, X, y, min_rows
        As in `encode_target`.
    kind : {"auto", "classes", "numbers"}, default="auto"
        What `y` holds. "auto": numbers if it holds floats with fractions, or more than 20 different floats.

    Returns
    -------
    Target or Numbers
        The classes, or the numbers.
    """
    holds_labels = isinstance(y, np.ndarray) and y.dtype.kind not in "fO" and kind == "auto"
    if y is None or kind == "classes" or holds_labels:
        return encode_target(estimator, X, y, min_rows=min_rows)
    given = column_or_1d(unmasked(y), warn=True)
    if kind == "numbers" or holds_numbers(given):
        return encode_numbers(estimator, X, given)
    return encode_target(estimator, X, y, min_rows=min_rows)


def encode_numbers(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike) -> Numbers:
    """Read a numeric target; `estimator` and `X` as in `encode_target`."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__}: requires y to be passed, but the target y is None. Give a number for every row."
        )
    given = column_or_1d(unmasked(y), warn=True)
    check_consistent_length(X, given)
    return Numbers(_as_numbers(type(estimator).__name__, given))


def holds_numbers(y: NDArray[Any]) -> bool:
    """Whether a target looks like a quantity: floats with fractions, or more than 20 different ones."""
    if y.dtype == object and all(isinstance(label, float | np.floating) for label in y):
        y = y.astype(np.float64)
    if y.dtype.kind != "f":
        return False
    known = y[np.isfinite(y)]
    return bool((known != np.rint(known)).any()) or len(np.unique(known)) > MOST_CLASSES_OF_FLOATS


def _as_numbers(who: str, y: NDArray[Any]) -> Float:
    """A numeric target as floats; refused where a number is missing or infinite, or all are the same."""
    _refuse_unlabelled(who, y)
    return checked_numbers(who, as_floats(who, y))


def as_floats(who: str, y: NDArray[Any]) -> Float:
    """A numeric target as floats; refused where it holds anything else."""
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{who}: target_kind='numbers', but y holds values that are no numbers. Use target_kind='classes'."
        ) from None


def checked_numbers(who: str, values: Float) -> Float:
    """The same numbers; refused where one is infinite, or all are the same."""
    assert_all_finite(values, input_name="y")
    if len(values) and values.min() == values.max():
        raise ValueError(
            f"{who}: y holds one number only ({values[0]:g}); at least 2 different ones are needed. "
            "Check the target column or the rows you kept."
        )
    return values


def encode_target(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, *, min_rows: int = 1) -> Target:
    """Read the labels of a classification problem.

    Parameters
    ----------
    estimator : estimator
        The estimator that asks; its class name appears in error messages.
    X : array-like or frame
        Only its length is used.
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
    labels = column_or_1d(unmasked(y), warn=True)
    check_consistent_length(X, labels)
    _refuse_unlabelled(who, labels)
    classes, codes = _classes(who, _of_one_type(who, labels))
    if len(classes) < 2:
        raise ValueError(
            f"{who}: y holds one class only ({classes.tolist()[0]!r}); at least 2 classes are needed. "
            "Check the target column or the rows you kept."
        )
    counts = np.bincount(codes)
    if counts.min() < min_rows:
        small = classes.tolist()[int(np.argmin(counts))]
        raise ValueError(
            f"{who}: class {small!r} has {counts.min()} row{'s' if counts.min() > 1 else ''}, "
            f"but at least {min_rows} per class are needed. Merge it with another class or leave it out."
        )
    return Target(codes.astype(np.int64).ravel(), classes)


def _classes(who: str, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The sorted classes and the class of each row; small whole numbers are counted, which is faster than sorting."""
    if y.dtype.kind in "iu" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < min(FEW_CLASSES, len(y) // 2) and high < 1 << 62 and low > -(1 << 62):
            shifted = y.astype(np.int64) - low
            seen = np.bincount(shifted) > 0
            return (np.flatnonzero(seen) + low).astype(y.dtype), (np.cumsum(seen) - 1)[shifted]
    _refuse_numbers(who, y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes


def _refuse_numbers(who: str, y: NDArray[Any]) -> None:
    """Refuse a target of numbers, by name; the first words are those of scikit-learn."""
    try:
        check_classification_targets(y)
    except ValueError as error:
        if not holds_numbers(y):
            raise
        if who in TAKE_NUMBERS:
            why = f"y holds numbers, which {who} takes as target_kind='numbers' or 'auto' only."
        else:
            why = f"y holds numbers, but {who} is for classes. For a numeric target use {_instead_of(who)}."
        raise ValueError(f"{who}: Unknown label type: {why}") from error


def _instead_of(who: str) -> str:
    """What to use for a numeric target instead of an estimator that is for classes."""
    if who == "StumpAdaBoost":
        return "StumpBoostRegressor, or cut y into classes"
    if who in COLUMNS_BY_CLASSES:
        return f"one of {', '.join(TAKE_NUMBERS[:-1])} and {TAKE_NUMBERS[-1]}, or cut y into classes"
    return "classes cut from it, such as its quarters: selectors of rows and classifiers take no numbers"


def _refuse_unlabelled(who: str, y: NDArray[Any]) -> None:
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y", allow_nan=True)
    missing = n_missing(y)
    if missing:
        raise ValueError(
            f"{who}: Input y contains NaN: {missing} of {len(y)} rows have no label. "
            "Leave those rows out (on the command line: --drop-unlabelled)."
        )


def n_missing(labels: NDArray[Any]) -> int:
    """How many labels are missing."""
    if labels.dtype.kind == "f":
        return int(np.isnan(labels).sum())
    if labels.dtype.kind in "mM":
        return int(np.isnat(labels).sum())
    return sum(map(_is_missing, labels)) if labels.dtype == object else 0


def _is_missing(label: Any) -> bool:
    same = (
        label == label
    )  # NaN and NaT differ from themselves; comparing pandas' NA gives neither True nor False
    return label is None or not isinstance(same, bool | np.bool_) or not same


def _of_one_type(who: str, y: NDArray[Any]) -> NDArray[Any]:
    """Labels held as objects, other than texts, as the numbers or booleans they are."""
    if y.dtype != object or all(isinstance(label, str) for label in y):
        return y
    if not all(isinstance(label, Real | np.bool_) for label in y):
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(
            f"{who}: the labels in y are of the types {', '.join(kinds)}. Make them all texts or all numbers."
        )
    return np.asarray(y.tolist())


def codes_by_appearance(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the classes in the order of their first rows: renaming them then changes no bit of the result."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
