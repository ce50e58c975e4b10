"""How long a comparison will take, from two small ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.study._compare import compare

FEW, MORE = 100, 300  # rows of the small comparisons
_WHAT = ("methods", "models", "score", "target_kind", "random_state")


def expected_seconds(X: Any, y: NDArray[Any], given: dict[str, Any], n_splits: int) -> float | None:
    """The seconds that `compare` will take, give or take a factor of two; None if the small comparisons find nothing.

    Parameters
    ----------
    X, y
        The table, a polars frame, and its target.
    given : dict
        The arguments of `compare`.
    n_splits : int
        In how many splits every method is judged.

    Returns
    -------
    float or None
        Each small comparison judges every method in one split; what a further row costs is the difference of the two.
    """
    rows = np.random.default_rng(0).permutation(len(y))
    times = [_seconds_of_a_split(X, y, rows[: n + n // 4], given) for n in (FEW, MORE)]
    if None in times:
        return None
    few, more = (float(time or 0.0) for time in times)
    n_train = len(y) * (1 - 1 / max(2, n_splits))
    split = max(more, more + (more - few) / (MORE - FEW) * (n_train - MORE))
    return split * n_splits


def _seconds_of_a_split(
    X: Any, y: NDArray[Any], rows: NDArray[np.intp], given: dict[str, Any]
) -> float | None:
    rows = np.sort(rows)
    last = len(rows) // 5
    split = [(np.arange(last, len(rows)), np.arange(last))]
    try:
        weights = given.get("sample_weight")
        told = compare(
            X[rows.tolist()],
            y[rows],
            cv=split,
            sample_weight=None if weights is None else weights[rows],
            **{name: given[name] for name in _WHAT},
        )
    except ValueError:  # too few rows of some class
        return None
    table = told.scores()
    if not table.height:
        return None
    selection = sum(answer["seconds"] for answer in told.answers)
    return float(selection + table["model_seconds"].fill_null(0.0).sum())
