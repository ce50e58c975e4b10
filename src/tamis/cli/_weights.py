"""``--weights``: a column that says what each row counts, which is not among the columns judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tamis.cli._folds import named_column, without
from tamis.cli._screen import note
from tamis.cli._sentences import UserError
from tamis.table._names import as_cell

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from tamis.table._dataset import Dataset

T = TypeVar("T")
OPTION = "--weights"


def check_weights(
    column: str | None,
    target: str | None = None,
    others: tuple[str | None, ...] = (),
    *,
    who: str = "",
    estimator: Any = None,
    fdr: float | None = None,
    parts: bool = False,
) -> None:
    """Refuse weights of a table in parts, those in a column that means something else, and a method that takes none."""
    if column is None:
        return
    if fdr is not None:
        raise UserError(f"--fdr draws decoys, which take no {OPTION}. Leave one of them out.")
    if parts:
        raise UserError(f"a table in parts has no {OPTION}. Leave it out, or name one file.")
    if column in (target, *others):
        raise UserError(
            f"{OPTION} names {column!r}, which another option names as well. Name another column."
        )
    if estimator is None:
        return
    from tamis.features._curves import takes_weights

    if not takes_weights(estimator):
        raise UserError(f"{who} takes no {OPTION}. Leave it out, or use one of {_able(estimator)}.")


def _able(estimator: Any) -> str:
    """The methods of the same kind that take weights."""
    from tamis._methods import METHODS, of_class
    from tamis.features._curves import takes_weights

    known = of_class(type(estimator).__name__)
    return ", ".join(
        method.name
        for method in METHODS
        if known is not None and method.sifts == known.sifts and takes_weights(method.estimator_class())
    )


def weighed(dataset: T, column: str | None) -> tuple[T, NDArray[Any] | None]:
    """The table without the column that ``--weights`` names, and the numbers in that column; a table in parts as it is."""
    from tamis.table._dataset import Dataset

    if column is None or not isinstance(dataset, Dataset):
        return dataset, None
    values = _numbers(dataset.X[named_column(dataset, column, OPTION)], dataset.name)
    return without(dataset, column), values


def with_weight(dataset: Dataset, column: str | None) -> Dataset:
    """The rows to which the column that ``--weights`` names gives weight; a note tells how many have none."""
    counts = weighed(dataset, column)[1]
    if counts is None or counts.all():
        return dataset
    rows = (counts > 0).nonzero()[0]
    n_left = len(counts) - len(rows)
    note(f"{n_left} row{'s' * (n_left != 1)} of weight 0 {'are' if n_left != 1 else 'is'} left out.")
    return replace(dataset, X=dataset.X[rows.tolist()], y=dataset.y[rows])


def _numbers(given: pl.Series, name: str) -> NDArray[Any]:
    """Weights as floats; an error if some are missing, no numbers, negative or infinite, or if all are 0."""
    import polars as pl

    column, n_missing = as_cell(given.name), given.null_count()
    if n_missing:
        raise UserError(
            f"{n_missing} row{'s' * (n_missing != 1)} of {name} {'have' if n_missing != 1 else 'has'} no value in {given.name!r}, so "
            f"{OPTION} {column} cannot tell what they count. Fill in their weights (0 leaves a row out), or leave these rows out."
        )
    numbers = (
        given.cast(pl.String).cast(pl.Float64, strict=False)
        if not given.dtype.is_numeric()
        else given.cast(pl.Float64)
    )
    wrong = given.filter(numbers.is_null() | ~numbers.is_finite() | (numbers < 0))
    if len(wrong):
        raise UserError(
            f"{OPTION} names {given.name!r} of {name}, but {len(wrong)} of its values {'are' if len(wrong) != 1 else 'is'} no weight, such "
            f"as {wrong[0]!r}. Use a column of numbers from 0 up."
        )
    if not (numbers > 0).any():
        raise UserError(
            f"{OPTION} names {given.name!r} of {name}, which is 0 in every row. Name another column."
        )
    return numbers.to_numpy()
