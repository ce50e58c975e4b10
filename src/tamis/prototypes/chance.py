"""Rows drawn by chance: what any row selector must beat."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._parameters import SEED
from tamis.prototypes._base import COUNT, PrototypeSelector
from tamis.prototypes._quota import class_quotas
from tamis.table._table import Table, Target


class RandomPrototypes(PrototypeSelector):
    """Keep rows drawn at random without replacement.

    Parameters
    ----------
    n_prototypes : int or float, default=0.2
        How many rows to keep: a number, or a fraction of the rows.
    class_quota : None, "proportional" or dict, default=None
        None draws from all rows alike. "proportional" gives each class its share of the kept rows (by largest
        remainder, at least one row per class where possible). A dict gives the number of rows for each class; its sum
        then replaces `n_prototypes`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical. Not used here: all row selectors have this parameter.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Examples
    --------
    >>> from tamis import RandomPrototypes
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> y = ["a", "a", "a", "a", "b", "b"]
    >>> selector = RandomPrototypes(3, class_quota="proportional", random_state=0)
    >>> X_kept, y_kept = selector.fit_resample(X, y)
    >>> y_kept
    ['a', 'a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PrototypeSelector._parameter_constraints,
        "n_prototypes": COUNT,
        "class_quota": [None, StrOptions({"proportional"}), dict],
        "random_state": SEED,
    }

    def __init__(
        self,
        n_prototypes: int | float = 0.2,
        *,
        class_quota: Any = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.class_quota = class_quota
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _rows(self, table: Table, target: Target) -> NDArray[np.intp]:
        by_name = isinstance(self.class_quota, dict)  # its sum replaces n_prototypes
        wanted = 0 if by_name else self._count(self.n_prototypes, table.n_rows)
        random = check_random_state(self.random_state)
        order = random.permutation(table.n_rows)
        if self.class_quota is None:
            drawn: NDArray[np.intp] = order[:wanted]
            return drawn
        quotas = class_quotas(type(self).__name__, target, wanted, self.class_quota)
        return np.concatenate([order[target.codes[order] == c][:quota] for c, quota in enumerate(quotas)])
