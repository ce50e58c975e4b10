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
