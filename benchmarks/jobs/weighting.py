"""Weigh columns by near hits and near misses."""

import numpy as np

from jobs.tables import columns_judged as judged
from jobs.tables import growing_columns, growing_rows, real

__all__ = ["CASES", "CONTENDERS", "QUALITY", "QUICK", "TITLE", "judged"]

TITLE = "Weigh columns by near hits and misses"
QUALITY = "balanced accuracy of 5-nearest-neighbours on held-out rows, with the five best columns"
CASES = [
    *real("ionosphere", "spambase", "musk1"),
    *growing_rows((300, 1_000, 3_000, 10_000, 30_000), 20),
    *growing_columns(300, (10, 100, 1_000, 10_000)),
]
QUICK = ["ionosphere", "300 x 20", "1000 x 20", "3000 x 20", "300 x 10", "300 x 100"]
N_NEIGHBORS = 10


def tamis():
    from tamis import ReliefF

    return lambda data: np.argsort(ReliefF(n_neighbors=N_NEIGHBORS, n_jobs=1).fit(data.X, data.y).ranking_)


def _weighed(selector):
    return lambda data: selector.fit(data.X, data.y).top_features_


def relieff():
    from skrebate import ReliefF

    return _weighed(ReliefF(n_neighbors=N_NEIGHBORS, n_jobs=1))


def surf():
    from skrebate import SURF

    return _weighed(SURF(n_jobs=1))


def mutual_information():
    from sklearn.feature_selection import mutual_info_classif

    return lambda data: np.argsort(-mutual_info_classif(data.X, data.y, random_state=0))


def nothing():
    return lambda data: np.arange(data.X.shape[1])[::-1]


CONTENDERS = {
    "tamis ReliefF": tamis,
    "skrebate ReliefF": relieff,
    "skrebate SURF": surf,
    "mutual information": mutual_information,
    "nothing": nothing,
}
