"""Hart's condensed nearest neighbours."""

from jobs.tables import growing_columns, growing_rows, real
from jobs.tables import rows_judged as judged

__all__ = ["CASES", "CONTENDERS", "QUALITY", "QUICK", "TITLE", "judged"]

TITLE = "Condense the rows (Hart)"
QUALITY = "balanced accuracy of the nearest neighbour among the kept rows, on held-out rows"
CASES = [
    *real("ionosphere", "spambase", "pima"),
    *growing_rows((300, 1_000, 3_000, 10_000, 30_000), 20),
    *growing_columns(1_000, (10, 30, 100, 300)),
]
QUICK = ["ionosphere", "300 x 20", "1000 x 20", "3000 x 20", "1000 x 10", "1000 x 30"]


def tamis():
    from tamis import CondensedNN

    def work(data):
        X, y = CondensedNN(random_state=0).fit_resample(data.X, data.y)
        return X, y

    return work


def imbalanced_learn():
    from imblearn.under_sampling import CondensedNearestNeighbour

    def work(data):
        sampler = CondensedNearestNeighbour(sampling_strategy="all", random_state=0, n_jobs=1)
        X, y = sampler.fit_resample(data.X, data.y)
        return X, y

    return work


def nothing():
    return lambda data: (data.X, data.y)


CONTENDERS = {"tamis CondensedNN": tamis, "imbalanced-learn": imbalanced_learn, "nothing": nothing}
