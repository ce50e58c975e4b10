"""Keep rows for a nearest-neighbour rule: edited, thinned, chosen or averaged."""

import numpy as np

from jobs.tables import growing_columns, growing_rows, real
from jobs.tables import rows_judged as judged

__all__ = ["CASES", "CONTENDERS", "QUALITY", "QUICK", "TITLE", "judged"]

TITLE = "Keep rows for the nearest-neighbour rule"
QUALITY = "balanced accuracy of the nearest neighbour among the kept rows, on held-out rows"
CASES = [
    *real("ionosphere", "spambase", "pima"),
    *growing_rows((300, 1_000, 3_000, 10_000, 30_000), 20),
    *growing_columns(1_000, (10, 30, 100, 300)),
]
QUICK = ["ionosphere", "300 x 20", "1000 x 20", "3000 x 20", "1000 x 10", "1000 x 30"]
N_KEPT = 50


def _resampled(make):
    def work(data):
        X, y = make(data).fit_resample(data.X, data.y)
        return X, y

    return work


def tamis():
    from tamis import EditedNN

    return _resampled(lambda data: EditedNN(n_neighbors=3, n_jobs=1))


def drop3():
    from tamis import DROP3

    return _resampled(lambda data: DROP3(n_jobs=1))


def margin():
    from tamis import MarginPrototypes

    return _resampled(lambda data: MarginPrototypes(N_KEPT, n_candidates=100, random_state=0))


def psboost():
    from tamis import PSBoost

    return _resampled(lambda data: PSBoost(N_KEPT, n_jobs=1))


def _imbalanced(name, **settings):
    import imblearn.under_sampling

    return _resampled(lambda data: getattr(imblearn.under_sampling, name)(**settings))


def edited():
    return _imbalanced("EditedNearestNeighbours", sampling_strategy="all", n_neighbors=3, n_jobs=1)


def all_knn():
    return _imbalanced("AllKNN", sampling_strategy="all", n_neighbors=3, n_jobs=1)


def tomek():
    return _imbalanced("TomekLinks", sampling_strategy="all", n_jobs=1)


def k_means():
    from sklearn.cluster import KMeans

    def work(data):
        classes = np.unique(data.y)
        centres = [
            KMeans(N_KEPT // len(classes), n_init=1, random_state=0).fit(data.X[data.y == c]).cluster_centers_
            for c in classes
        ]
        labels = np.repeat(classes, [len(centre) for centre in centres])
        return np.vstack(centres), labels

    return work


def nothing():
    return lambda data: (data.X, data.y)


CONTENDERS = {
    "tamis EditedNN": tamis,
    "imbalanced-learn ENN": edited,
    "imbalanced-learn AllKNN": all_knn,
    "imbalanced-learn TomekLinks": tomek,
    "k-means a class, 50 rows": k_means,
    "tamis DROP3": drop3,
    "tamis MarginPrototypes, 50 rows": margin,
    "tamis PSBoost, 50 rows": psboost,
    "nothing": nothing,
}
