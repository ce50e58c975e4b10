"""``--groups`` and ``--time``: folds in which rows stay together, or that hold out later rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tamis.cli._sentences import UserError
from tamis.cli._time import later_rows, time_order

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.table._dataset import Dataset

T = TypeVar("T")


def check_folds(
    groups: str | None,
    time_column: str | None,
    *,
    resampled: bool = True,
    handed: bool = False,
    parts: bool = False,
) -> None:
    """Refuse both at once, either where nothing is resampled, or of a table in parts; groups may be `handed` to the method."""
    if groups is not None and time_column is not None:
        raise UserError("--groups and --time ask for different folds. Give one of them.")
    if not resampled and ((groups is not None and not handed) or time_column is not None):
        name = "--groups" if time_column is None else "--time"
        raise UserError(f"{name} says how rows are held out, and nothing is held out here. Add --keep auto.")
    if parts and (groups is not None or time_column is not None):
        name = "--groups" if time_column is None else "--time"
        raise UserError(f"a table in parts has no {name}. Leave it out, or name one file.")


def grouped(dataset: Dataset, column: str | None) -> tuple[Dataset, Any]:
    """The table without the column that ``--groups`` names, and the values of that column."""
    if column is None:
        return dataset, None
    values = dataset.X[named_column(dataset, column, "--groups")]
    if values.null_count():
        raise UserError(
            f"{values.null_count()} of {len(values)} rows of {dataset.name} have no value in {column!r}, so --groups cannot say which rows "
            "they stay with. Give every row a group (a row alone is one of its own), or leave these rows out."
        )
    return without(dataset, column), values.cast(str).to_numpy()


def takes_groups(estimator: BaseEstimator) -> bool:
    """Whether its ``fit`` has a use for groups where no rows are held out; none where decoys, which take no groups, decide."""
    from sklearn.utils.validation import has_fit_parameter

    return has_fit_parameter(estimator, "groups") and getattr(estimator, "fdr", None) is None


def groups_of(table: Any, column: str | None) -> Any:
    """The values of the column that ``--groups`` names, one per row; None where it is not given."""
    return None if column is None else grouped(table, column)[1]


def without(dataset: T, column: str | None) -> T:
    """The table without the column of groups or times; a table in parts as it is."""
    from tamis.table._dataset import Dataset

    if column is None or not isinstance(dataset, Dataset):
        return dataset
    return replace(dataset, X=dataset.X.drop(column))


def row_folds(
    dataset: Dataset, groups: str | None, time_column: str | None, n_folds: int
) -> tuple[Dataset, Any]:
    """The table without the column of groups or times, its rows in their order, and the folds: a number, or a list of them."""
    import numpy as np

    if time_column is not None:
        order = time_order(dataset, named_column(dataset, time_column, "--time"))
        left = without(dataset, time_column)
        advice = "Leave --time out, or use more rows."
        later = later_rows(replace(left, X=left.X[order], y=left.y[order]), n_folds, advice)
        return left, [(order[train], order[test]) for train, test in later]
    left, together = grouped(dataset, groups)
    if together is None:
        return dataset, n_folds
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    n_groups = len(np.unique(together))
    if n_groups < 2:
        raise UserError(
            f"{groups!r} has one value only in {dataset.name}, so no rows can be held out by --groups."
        )
    kind = GroupKFold if dataset.target_kind == "numbers" else StratifiedGroupKFold
    splitter = kind(min(n_folds, n_groups), shuffle=True, random_state=0)
    try:
        return left, list(splitter.split(together, left.y, together))
    except ValueError as error:  # a class with too few rows
        raise UserError(f"no folds can be made by --groups {groups}: {error}") from error


def named_column(dataset: Dataset, column: str, option: str) -> str:
    """The name of a column that an option names; refused if it is not there, or the only one."""
    if column not in dataset.X.columns:
        raise UserError(f"no column {column!r} in {dataset.name} for {option}.")
    if dataset.X.width == 1:
        raise UserError(f"no columns are left in {dataset.name} besides the target and {column!r}.")
    return column
