"""GLVQ of sklvq and Median GLVQ of proto-dist-ml, as made_rows.py measures them beside ours.

Both packages sleep. sklvq 0.1.2 calls a method that scikit-learn no longer has and takes no start but class means;
proto-dist-ml 1.0.1 gives numpy a sparse matrix where it wants a number. Both are put right here, and nothing else.
Install them with ``pip install sklvq==0.1.2 proto-dist-ml==1.0.1``.
"""

from __future__ import annotations

import warnings

import numpy as np
import proto_dist_ml.rng
from proto_dist_ml.mglvq import MGLVQ
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_X_y
from sklvq import GLVQ

from tamis.neighbors import STEPS, pair_distances

proto_dist_ml.rng.csr_matrix = np.asarray  # its sparse rows times a vector are no longer numbers


class RunningGLVQ(GLVQ):
    """sklvq's GLVQ from given prototypes, with the method of scikit-learn that it misses."""

    def _validate_data(self, X, y, force_all_finite=True):
        X, y = check_X_y(X, y, ensure_all_finite=force_all_finite)
        self.n_features_in_ = X.shape[1]
        return X, y

    def _init_prototypes(self, X, y):
        self.prototypes_labels_ = np.repeat(np.arange(len(self.classes_)), self.prototype_n_per_class)
        self.prototypes_ = self.to_prototypes_view(self._variables)
        self.set_prototypes(self.prototype_init)


def glvq_accuracy(one, share):
    """1-NN on GLVQ's prototypes: from k-means in each class down its loss (sigmoid, beta 8) by L-BFGS."""
    centres, labels = one.k_means_centres(share)
    moved = RunningGLVQ(
        solver_type="limited-memory-bfgs",
        activation_params={"beta": 8},
        solver_params={"options": {"maxiter": 50}},
        prototype_init=centres,
        prototype_n_per_class=np.unique(labels, return_counts=True)[1],
        random_state=one.seed,
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # 0 / 0 where a row lies on prototypes of both classes
        moved.fit(one.one_hot(one.rows), one.y)
    found = np.isfinite(moved.prototypes_).all(axis=1)
    rule = KNeighborsClassifier(1).fit(moved.prototypes_[found], labels[found])
    return rule.score(one.one_hot(one.new), one.y_new)


def mglvq_accuracy(one, n_kept):
    """1-NN on the rows that Median GLVQ keeps with its own settings: of every class as many, nearest to `n_kept`.

    Where it stops because its loss is not what it reckoned (ties), the rows that it had then count.
    """
    classes, codes = np.unique(one.y, return_inverse=True)
    n_each = min(max(1, round(n_kept / len(classes))), int(np.bincount(codes).min()))
    distances = np.sqrt(pair_distances(one.space, one.rows, one.rows) / STEPS)
    np.random.seed(one.seed)  # noqa: NPY002 - its only source of chance
    model = MGLVQ(n_each)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model.fit(distances, codes)
        except ValueError as error:
            if "Loss changed" not in str(error):
                raise
    return one.accuracy(np.unique(model._w))
