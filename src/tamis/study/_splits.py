"""Training rows and rows held out: stratified folds, shuffled anew in each repetition."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from tamis.study._fold import Rows

_PARTS_OF_NUMBERS = 10  # by which folds of a numeric target are stratified


def strata(y: NDArray[np.float64], cv: Any) -> NDArray[np.intp]:
    """The tenth of a numeric target in which each row lies, for stratified folds; fewer parts for few rows.

    With plain folds some hold few of the largest numbers, and r2, whose denominator is the spread of the numbers held out,
    differs much from fold to fold.
    """
    n_folds = int(cv) if isinstance(cv, int | np.integer) else 1
    if len(y) < 2 * n_folds:
        raise ValueError(
            f"compare: {len(y)} rows are too few for {n_folds} folds, each of which must hold out 2 rows or more. "
            f"Use {len(y) // 2} folds or fewer, or more rows."
        )
    n_parts = min(_PARTS_OF_NUMBERS, len(y) // n_folds)
    ranks = np.searchsorted(np.sort(y), y)  # equal numbers lie in the same part
    return ranks * n_parts // len(y)


def splits_of_counted(
    rows: Rows, y: NDArray[Any], cv: Any, repeats: int, groups: ArrayLike | None, random_state: int
) -> tuple[list[tuple[Rows, Rows]], list[int]]:
    """As `splits_of`, of the rows that count: the others are in no split, and folds are drawn as if they were not there.

    Splits that were given hold numbers of rows of the whole table; `y` is that of the rows that count.
    """
    if cv is None or isinstance(cv, int | np.integer) or hasattr(cv, "split"):
        together = None if groups is None else np.asarray(groups)[rows]
        drawn, repeat_of = splits_of(y, cv, repeats, together, random_state)
        return [(rows[train], rows[test]) for train, test in drawn], repeat_of
    given = [(np.asarray(train), np.asarray(test)) for train, test in cv]
    splits = [(train[np.isin(train, rows)], test[np.isin(test, rows)]) for train, test in given]
    for number, (train, test) in enumerate(splits):
        if not len(train) or not len(test):
            what = "held out" if len(train) else "to learn from"
            raise ValueError(
                f"compare: sample_weight leaves no row {what} in split {number + 1} of cv. Give weight to one, or leave the split "
                "out."
            )
    return splits, [0] * len(splits)


def splits_of(
    y: NDArray[Any], cv: Any, repeats: int, groups: ArrayLike | None, random_state: int
) -> tuple[list[tuple[Rows, Rows]], list[int]]:
    """The splits, stratified by `y`, and the repetition of each."""
    splits: list[tuple[Rows, Rows]] = []
    repeat_of: list[int] = []
    whole = isinstance(cv, int | np.integer)
    for repeat in range(repeats if whole else 1):
        seed = random_state + repeat
        if whole and groups is not None:
            folds: Any = StratifiedGroupKFold(cv, shuffle=True, random_state=seed)
        else:
            folds = (
                StratifiedKFold(cv, shuffle=True, random_state=seed)
                if whole
                else check_cv(cv, y, classifier=True)
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about a class with fewer rows than folds
            made = [
                (np.asarray(train), np.asarray(test))
                for train, test in folds.split(np.zeros(len(y)), y, groups)
            ]
        splits.extend(made)
        repeat_of.extend([repeat] * len(made))
    return splits, repeat_of
