"""How many rows of each class to keep."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.table._table import Target


def class_quotas(who: str, target: Target, n_prototypes: int, quota: Any) -> NDArray[np.int64]:
    """Return how many rows of each class to keep.

    Parameters
    ----------
    who : str
        The estimator that errors name.
    target : Target
        The labels.
    n_prototypes : int
        How many rows in all; ignored if `quota` is a dict.
    quota : "proportional" or dict
        "proportional": shares by largest remainder (ties to the earlier class), at least one row per class where
        possible. A dict: the number of rows for each label; classes that it does not name keep none.

    Returns
    -------
    ndarray of int, shape (n_classes,)
        The number of rows of each class; never more than the class has.
    """
    counts = target.counts()
    if isinstance(quota, dict):
        return _named_quotas(who, target, counts, quota)
    n_rows = counts.sum()
    exact = (
        n_prototypes * counts
    )  # the exact share times n_rows: whole numbers, so that equal remainders are equal
    never = np.iinfo(np.int64).min
    quotas: NDArray[np.int64] = exact // n_rows
    if n_prototypes >= len(counts):
        quotas = np.maximum(quotas, 1)
    while quotas.sum() < n_prototypes:
        quotas[np.argmax(np.where(quotas < counts, exact - quotas * n_rows, never))] += 1
    while quotas.sum() > n_prototypes:
        quotas[np.argmax(np.where(quotas > 1, quotas * n_rows - exact, never))] -= 1
    return quotas


def _named_quotas(
    who: str, target: Target, counts: NDArray[np.int64], quota: dict[Any, Any]
) -> NDArray[np.int64]:
    labels = target.classes.tolist()
    quotas = np.zeros(len(labels), dtype=np.int64)
    for label, wanted in quota.items():
        if label not in labels:
            raise ValueError(
                f"{who}: class_quota names {label!r}, which is no class of y. Classes: {labels}."
            )
        has = int(counts[labels.index(label)])
        if isinstance(wanted, bool) or not isinstance(wanted, Integral) or not 0 <= int(wanted) <= has:
            raise ValueError(
                f"{who}: class_quota asks for {wanted!r} rows of {label!r}, which has {has}. Use 0 to {has}."
            )
        quotas[labels.index(label)] = int(wanted)
    if quotas.sum() == 0:
        raise ValueError(f"{who}: class_quota keeps no row. Ask for at least one.")
    return quotas
