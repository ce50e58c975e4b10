"""Choose columns one by one, each by what the nearest neighbours say with it."""

import numpy as np

from jobs.tables import columns_judged as judged
from jobs.tables import growing_columns, growing_rows, real

__all__ = ["CASES", "CONTENDERS", "QUALITY", "QUICK", "TITLE", "judged"]

TITLE = "Choose five columns, forward, by nearest neighbours"
QUALITY = "balanced accuracy of 5-nearest-neighbours on held-out rows, with the five columns"
CASES = [
    *real("ionosphere", "vehicle", "spambase"),
    *growing_rows((300, 1_000, 3_000, 10_000), 20),
    *growing_columns(300, (10, 30, 100, 300)),
]
QUICK = ["ionosphere", "300 x 20", "1000 x 20", "300 x 10", "300 x 30"]
N_KEPT = 5


def tamis():
    from tamis import FS2Boost

    def work(data):
        selector = FS2Boost(N_KEPT, n_neighbors=5, n_jobs=1).fit(data.X, data.y)
        return np.flatnonzero(selector.support_)

    return work


def scikit_learn():
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.neighbors import KNeighborsClassifier

    def work(data):
        selector = SequentialFeatureSelector(KNeighborsClassifier(5), n_features_to_select=N_KEPT, cv=5)
        return np.flatnonzero(selector.fit(data.X, data.y).support_)

    return work


def mlxtend():
    from mlxtend.feature_selection import SequentialFeatureSelector
    from sklearn.neighbors import KNeighborsClassifier

    def work(data):
        selector = SequentialFeatureSelector(KNeighborsClassifier(5), k_features=N_KEPT, cv=5, n_jobs=1)
        return list(selector.fit(data.X, data.y).k_feature_idx_)

    return work


def nothing():
    return lambda data: np.arange(data.X.shape[1])[::-1]


CONTENDERS = {
    "tamis FS2Boost": tamis,
    "scikit-learn SFS": scikit_learn,
    "mlxtend SFS": mlxtend,
    "nothing": nothing,
}
