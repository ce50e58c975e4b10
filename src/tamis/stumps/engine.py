"""Which of the two stump engines serves a table. Both give the same bits; only their speed differs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.stumps import model

MANY_ROWS = 8_000


def stump_engine(
    values: NDArray[np.float64],
    nominal: NDArray[np.bool_],
    classes: NDArray[np.int64],
    n_jobs: int | None = None,
    many_rows: int = MANY_ROWS,
) -> tuple[Any, Any]:
    """The engine for a table, and the table as it wants it.

    Sorted columns are several times faster on a few thousand rows, histograms on tens of thousands and more. Where they
    cross depends on the number of columns and on the work: between 3,000 rows (one model, many columns) and 10,000.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The table.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    classes : ndarray of int, shape (n,)
        The class of each row.
    n_jobs : int, optional
        Threads.
    many_rows : int, default=8000
        From how many rows on histograms are used.

    Returns
    -------
    engine : module
        `tamis.stumps.model` or `tamis.stumps.histograms`: call its `boost` and `eliminate`.
    prepared : object
        Their first argument.
    """
    if len(values) < many_rows:
        return model, model.prepare(values, nominal, n_jobs=n_jobs)
    from tamis.stumps import histograms  # twice the kernels of all the rest; few tables need them

    return histograms, histograms.prepare(values, nominal, classes=classes, n_jobs=n_jobs)
