"""What rows held out inside of a fit say of a choice: whether columns shall learn to count in MovedPrototypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from tamis._parameters import n_wanted
from tamis.prototypes._weights import loss_weights
from tamis.table._rows import rows_of
from tamis.table._target import encode_target

if TYPE_CHECKING:
    from tamis.prototypes.moved import MovedPrototypes

N_FOLDS = 3
OUTSIDE = -2
"""The fold of a row that takes no part; one of fold -1 is never held out."""
TRIED_ROWS = 1_500
"""With more rows so many are drawn, and the number of made rows shrinks with them."""
FEWEST_TRIED, TRIED_VALUES = 500, 400_000
"""Of wide tables fewer rows are drawn: so many at least, and so many values in all if that is more."""


def with_weights_decided(selector: MovedPrototypes, X: ArrayLike, y: NDArray[Any]) -> MovedPrototypes:
    """Return a clone whose columns learn to count if that is right more often on rows held out.

    Parameters
    ----------
    selector : MovedPrototypes
        Not fitted; it stays as it is.
    X : array-like or frame, shape (n, d)
        The rows.
    y : ndarray, shape (n,)
        Their classes.

    Returns
    -------
    MovedPrototypes
        A clone with ``learn_weights`` True or False: False where both are right equally often, and where fewer than
        two classes have a row for each fold.
    """
    target = encode_target(selector, X, y)
    weights, _ = loss_weights(selector, target, selector.class_weight)
    fixed = isinstance(selector.random_state, int | np.integer)
    most = min(TRIED_ROWS, max(FEWEST_TRIED, TRIED_VALUES // np.shape(X)[1]))
    folds = held_out_folds(target.codes, check_random_state(selector.random_state if fixed else 0), most)
    n_rows = int(np.sum(folds > OUTSIDE))
    size = n_wanted("MovedPrototypes", "n_prototypes", selector.n_prototypes, len(y), "rows")
    size = max(1, round(size * n_rows / len(y)))
    plain, learning = (clone(selector).set_params(learn_weights=learn, verbose=0) for learn in (False, True))
    right = [0.0, 0.0]
    for fold in range(N_FOLDS if len(np.unique(target.codes[folds >= 0])) > 1 else 0):
        trained, tried = np.flatnonzero((folds > OUTSIDE) & (folds != fold)), np.flatnonzero(folds == fold)
        start: NDArray[np.intp] | None = None
        for place, one in enumerate((plain, learning)):
            made = clone(one).set_params(n_prototypes=min(size, len(trained)))
            made._fit_from(rows_of(X, trained), y[trained], None, start)
            start = made.start_indices_  # the same search for both
            near = made._nearest_made.positions(made, rows_of(X, tried))[:, 0]
            right[place] += float(weights[tried] @ (made.labels_[near] == y[tried]))
    decided: MovedPrototypes = clone(selector).set_params(learn_weights=right[1] > right[0])
    return decided


def held_out_folds(
    codes: NDArray[np.int64], random: np.random.RandomState, most: int = TRIED_ROWS
) -> NDArray[np.int64]:
    """The fold of every row: each class dealt out evenly, classes of fewer rows than folds never held out.

    About `most` rows take part, drawn at random from each class.
    """
    order = random.permutation(len(codes))
    folds = np.full(len(codes), OUTSIDE, dtype=np.int64)
    share = min(1.0, most / len(codes))
    for code in np.unique(codes):
        rows = order[codes[order] == code]
        rows = rows[: max(N_FOLDS, round(share * len(rows)))]
        folds[rows] = np.arange(len(rows)) % N_FOLDS if len(rows) >= N_FOLDS else -1
    return folds
