"""Some rows of whatever holds rows: arrays, lists, columns, and tables of any library."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing


def rows_of(X: Any, rows: Any) -> Any:
    """Rows of `X` in the order of `rows` (numbers, or a mask), of the same type as `X`."""
    if type(X).__module__.partition(".")[0] != "pyarrow":
        return _safe_indexing(X, rows)
    chosen = np.asarray(rows)  # scikit-learn 1.6 has no way for it
    return X.take(np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64))
