"""Weights of rows and classes: what sample_weight and class_weight mean, in every estimator.

Only ratios of weights matter, except where rows are counted: there a row of weight 2 is the row given twice. So that no
sum, square or product of weights overflows or vanishes, they are first scaled by a power of two: the largest is between
1 and 2.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight

from tamis.table._arrays import plain_numbers
from tamis.table._names import quoted
from tamis.table._table import Labels, Numbers, Table, Target
from tamis.table._target import n_missing

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]
# The smallest weight, relative to the largest; smaller ones are raised to it, so that the product of two is still positive.
LIGHTEST = 2.0**-400
MOST_ROWS = 1e300
MOST_REPEATED = 10_000_000
WEIGHT_BITS = 30  # of the sum of weights as whole numbers


def row_weights(
    estimator: BaseEstimator,
    target: Target,
    sample_weight: ArrayLike | None,
    class_weight: dict[Any, float] | str | None = None,
) -> Float:
    """Weight of each row: its `sample_weight` times the weight of its class, scaled by a power of two.

    Parameters
    ----------
    estimator : estimator
        The estimator that asks; its class name appears in error messages.
    target : Target
        The classes of the rows. At least two of them must have positive weight.
    sample_weight : array-like, shape (n,), or None
        Weights of the rows, not negative.
    class_weight : "balanced", dict or None
        As `class_factors` reads it.

    Returns
    -------
    ndarray, shape (n,)
        The largest is between 1 and 2; 0 for a row that is left out.
    """
    who = type(estimator).__name__
    weights = _sample_weights(who, len(target.codes), sample_weight)
    held: Float = np.bincount(target.codes, weights=weights, minlength=target.n_classes).astype(np.float64)
    refuse_one_class(who, "sample_weight", held)
    factors = class_factors(who, class_weight, target.classes, held)
    return weights if factors is None else scaled_weights(weights * factors[target.codes])


def _sample_weights(who: str, n_rows: int, sample_weight: ArrayLike | None) -> Float:
    """The given weights of so many rows, scaled; 1 where there are none."""
    if sample_weight is None:
        return np.ones(n_rows)
    given = plain_numbers(who, "sample_weight", sample_weight)
    try:
        given = _check_sample_weight(given, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True)
    except OverflowError:
        raise ValueError(f"{who}: sample_weight holds a number that no float can hold.") from None
    except ValueError as error:
        why = str(error).rstrip(".!")
        raise ValueError(
            f"{who}: {why}. Give one finite number per row as sample_weight, 0 or more, and not 0 for all."
        ) from None
    return scaled_weights(given)


def weighed_numbers(
    estimator: BaseEstimator, table: Table, target: Numbers, sample_weight: ArrayLike | None
) -> tuple[Table, Numbers, Float]:
    """As `weighed_rows`, of a numeric target."""
    weights = number_weights(estimator, target, sample_weight)
    alive = weights > 0
    if alive.all():
        return table, target, weights
    return Table(table.values[alive], table.schema), Numbers(target.values[alive]), weights[alive]


def number_weights(estimator: Any, target: Numbers, sample_weight: Any) -> Float:
    """As `row_weights`, of a numeric target."""
    who = type(estimator).__name__
    weights = _sample_weights(who, len(target.values), sample_weight)
    refuse_one_number(who, target.values[weights > 0])
    return weights


def any_weights(estimator: Any, target: Target | Numbers, sample_weight: ArrayLike | None) -> Float:
    """As `row_weights`, whatever the target is."""
    if isinstance(target, Numbers):
        return number_weights(estimator, target, sample_weight)
    return row_weights(estimator, target, sample_weight)


def refuse_one_number(who: str, values: Float) -> None:
    """Refuse numbers of weight that are all the same."""
    if len(values) == 0 or values.min() == values.max():
        raise ValueError(
            f"{who}: sample_weight leaves weight to one number of y only, but at least 2 are needed. "
            "Give weight to other rows."
        )


def group_codes(who: str, n_rows: int, groups: ArrayLike | None) -> NDArray[np.int64]:
    """The group of each row as a number from 0; each row its own where there are none."""
    if groups is None:
        return np.arange(n_rows)
    given = np.asarray(groups)
    if given.ndim != 1 or len(given) != n_rows:
        raise ValueError(
            f"{who}: groups has the shape {given.shape}, but X has {n_rows} rows. Give one group per row."
        )
    if n_missing(given):
        raise ValueError(
            f"{who}: groups has missing values. Give every row a group; a row alone is one of its own."
        )
    try:
        _, codes = np.unique(given, return_inverse=True)
    except TypeError:
        _, codes = np.unique([repr(one) for one in given], return_inverse=True)
    return codes.astype(np.int64)


def weighed_rows(
    estimator: BaseEstimator,
    table: Table,
    target: Target,
    sample_weight: ArrayLike | None,
    class_weight: dict[Any, float] | str | None = None,
) -> tuple[Table, Target, Float]:
    """The rows of positive weight, their classes, and their weights by `row_weights`.

    A row of weight 0 is left out, and so is a class that has no other rows.
    """
    weights = row_weights(estimator, target, sample_weight, class_weight)
    alive = weights > 0
    if alive.all():
        return table, target, weights
    present, codes = np.unique(target.codes[alive], return_inverse=True)
    left = Table(table.values[alive], table.schema)
    return left, Target(codes.astype(np.int64), target.classes[present]), weights[alive]


def repeated_rows(
    estimator: BaseEstimator, table: Table, target: Target | Numbers, sample_weight: ArrayLike
) -> tuple[Table, Target | Numbers]:
    """The table with each row as often as its weight says, which must be a whole number; see `weighed_rows`.

    For methods to which the number of rows matters, not only their shares.
    """
    who = type(estimator).__name__
    weights = any_weights(estimator, target, sample_weight) * scale_of(sample_weight)
    uneven = weights[weights != np.rint(weights)]
    if len(uneven):
        raise ValueError(
            f"{who}: sample_weight holds {uneven[0]:g}. A weight is how often a row is there: use whole numbers."
        )
    if weights.sum() > MOST_REPEATED:
        raise ValueError(
            f"{who}: sample_weight asks for {weights.sum():.3g} rows, more than {MOST_REPEATED:,}. Use smaller numbers."
        )
    rows = np.repeat(np.arange(table.n_rows), weights.astype(np.int64))
    again = Table(table.values[rows], table.schema)
    if isinstance(target, Numbers):
        return again, Numbers(target.values[rows])
    present, codes = np.unique(target.codes[rows], return_inverse=True)
    return again, Target(codes.astype(np.int64), target.classes[present])


def scaled_weights(weights: Float) -> Float:
    """Weights scaled by a power of two, the largest between 1 and 2."""
    return in_units(weights, unit_of(float(weights.max(initial=0.0))))


def unit_of(largest: float) -> int:
    """The power of two that scales this weight to one between 1 and 2."""
    return math.frexp(largest)[1] - 1


def in_units(weights: Float, unit: int) -> Float:
    """Weights divided by 2 ** unit; positive ones stay at least `LIGHTEST`."""
    return np.where(weights > 0, np.maximum(np.ldexp(weights, -unit), LIGHTEST), 0.0)


def class_factors(
    who: str, class_weight: dict[Any, float] | str | None, classes: Labels, held: Float
) -> Float | None:
    """The factor for the weights of each class; None if there is none.

    Parameters
    ----------
    who : str
        The estimator's name, for error messages.
    class_weight : "balanced", dict or None
        "balanced" gives every class the same total weight: W / (C W_c), where W is the weight of all rows and W_c that of
        the class's rows. A dict gives the weights of classes, 1 for those not named. At least two must be positive.
    classes : ndarray, shape (c,)
        The labels.
    held : ndarray, shape (c,)
        The total weight of the rows of each class.

    Returns
    -------
    ndarray, shape (c,), or None
        The largest is between 1 and 2; 0 for a class that is left out.
    """
    if class_weight is None:
        return None
    if not isinstance(class_weight, dict):
        balanced: Float = held.sum() / (np.count_nonzero(held) * np.where(held > 0, held, np.inf))
        return scaled_weights(balanced)
    return named_factors(who, class_weight, classes, held)


def named_factors(who: str, class_weight: dict[Any, Any], classes: Labels, held: Float) -> Float:
    """As `class_factors`, for a dict."""
    named = checked_class_weight(who, class_weight)
    labels = classes.tolist()
    for label in named:
        if label not in labels:
            raise ValueError(
                f"{who}: class_weight names {label!r}, which is no class of y. Classes: {quoted(labels)}."
            )
    factors = scaled_weights(np.array([named.get(label, 1.0) for label in labels]))
    refuse_one_class(who, "class_weight", factors * (held > 0))
    return factors


def checked_class_weight(who: str, class_weight: dict[Any, Any]) -> dict[Any, float]:
    """The weights of classes as floats; each must be a finite number, and not negative."""
    named = {}
    for label, weight in class_weight.items():
        number = math.nan
        if not isinstance(weight, bool) and isinstance(weight, Real):
            with suppress(OverflowError):  # an integer too large for a float
                number = float(weight)
        if not 0 <= number < math.inf:
            raise ValueError(
                f"{who}: class_weight gives {label!r} the weight {weight!r}. Use a finite number that is not negative."
            )
        named[label] = number
    return named


def refuse_one_class(who: str, parameter: str, weights: Float) -> None:
    """Refuse weights that leave fewer than two classes."""
    n_left = int(np.count_nonzero(weights))
    if n_left < 2:
        raise ValueError(
            f"{who}: {parameter} leaves weight to {n_left} class{'es' * (n_left != 1)}, "
            "but at least 2 classes are needed. Give weight to another."
        )


def class_shares(target: Target, weights: Float | None) -> Float:
    """The share of each class in the rows, or in their weight, whatever the order of the rows."""
    counts = np.bincount(target.codes, minlength=target.n_classes)
    held = counts.astype(np.float64)
    if weights is not None:
        ordered = weights[np.argsort(target.codes, kind="stable")]
        held = np.array([math.fsum(own) for own in np.split(ordered, np.cumsum(counts)[:-1])])
    shares: Float = held / held.sum()
    return shares


def scale_of(sample_weight: ArrayLike | None) -> float:
    """The power of two by which `row_weights` divides such weights; 1 without weights."""
    if sample_weight is None:
        return 1.0
    return math.ldexp(1.0, unit_of(float(np.asarray(sample_weight, dtype=np.float64).max())))


def counted_rows(weights: Float, scale: float) -> float:
    """The number of rows if one of weight w counts as w rows; `scale` comes from `scale_of`."""
    return min(math.fsum(weights) * scale, MOST_ROWS)


def whole_weights(n_rows: int, weights: Float | None) -> NDArray[np.int64]:
    """Weights of rows as whole numbers: in their own ratio where that is one of whole numbers, else rounded to 30 bits.

    Their sum is below 2^31, but for more rows than that. All are 1 where all weights are equal.
    """
    if weights is None or (n_rows and weights.min() == weights.max()):
        return np.ones(n_rows, dtype=np.int64)
    return WholeRule.of(weights).applied(weights)


@dataclass(frozen=True)
class WholeRule:
    """How weights become whole numbers: known from all rows, and done row by row.

    Attributes
    ----------
    shift : int
        The power of two that they are multiplied by: their sum is between 2^30 and 2^31.
    divisor : int
        What divides them all then; 0 if they are not whole, and have to be rounded.
    """

    shift: int
    divisor: int

    @classmethod
    def of(cls, weights: Float) -> WholeRule:
        """The rule for these weights, all positive."""
        shift = WEIGHT_BITS + 1 - math.frexp(math.fsum(weights))[1]
        fine = np.ldexp(weights, shift)
        exact = bool((fine == np.rint(fine)).all())
        return cls(shift, int(np.gcd.reduce(fine.astype(np.int64))) if exact else 0)

    def applied(self, weights: Float) -> NDArray[np.int64]:
        """Some of these weights as whole numbers."""
        fine = np.ldexp(weights, self.shift)
        if self.divisor:
            return fine.astype(np.int64) // self.divisor
        return np.maximum(1, np.rint(fine)).astype(np.int64)
