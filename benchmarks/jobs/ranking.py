"""Rank all columns."""

import warnings

import numpy as np

from jobs.tables import columns_judged as judged
from jobs.tables import growing_columns, growing_rows, real

__all__ = ["CASES", "CONTENDERS", "QUALITY", "QUICK", "TITLE", "judged"]

TITLE = "Rank all columns"
QUALITY = "balanced accuracy of 5-nearest-neighbours on held-out rows, with the five best columns"
CASES = [
    *real("ionosphere", "spambase", "musk1"),
    *growing_rows((1_000, 5_000, 10_000, 100_000, 1_000_000), 20),
    *growing_columns(500, (10, 100, 1_000, 10_000)),
]
QUICK = ["ionosphere", "1000 x 20", "5000 x 20", "500 x 10", "500 x 100"]
NOT_QUICK = ["RFE, scikit-learn stumps", "Boruta"]
N_ROUNDS = 100


def tamis():
    from tamis import SBSMF

    return lambda data: np.argsort(SBSMF(n_rounds=N_ROUNDS, n_jobs=1).fit(data.X, data.y).ranking_)


def _eliminated(model):
    from sklearn.feature_selection import RFE

    def work(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ranking = RFE(model, n_features_to_select=1).fit(data.X, data.y).ranking_
        return np.argsort(ranking)

    return work


def rfe_lightgbm():
    from lightgbm import LGBMClassifier

    return _eliminated(LGBMClassifier(n_estimators=N_ROUNDS, num_leaves=2, n_jobs=1, verbose=-1))


def rfe_xgboost():
    from xgboost import XGBClassifier

    return _eliminated(XGBClassifier(n_estimators=N_ROUNDS, max_depth=1, n_jobs=1))


def rfe_scikit_learn():
    from sklearn.ensemble import GradientBoostingClassifier

    return _eliminated(GradientBoostingClassifier(n_estimators=N_ROUNDS, max_depth=1))


def forest():
    from sklearn.ensemble import RandomForestClassifier

    def work(data):
        model = RandomForestClassifier(100, n_jobs=1, random_state=0).fit(data.X, data.y)
        return np.argsort(-model.feature_importances_)

    return work


def boruta():
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    def work(data):
        model = RandomForestClassifier(n_jobs=1, max_depth=5, random_state=0)
        found = BorutaPy(model, n_estimators="auto", random_state=0).fit(data.X, data.y)
        return np.argsort(found.ranking_, kind="stable")

    return work


def nothing():
    return lambda data: np.arange(data.X.shape[1])[::-1]


CONTENDERS = {
    "tamis SBSMF": tamis,
    "RFE, LightGBM stumps": rfe_lightgbm,
    "RFE, XGBoost stumps": rfe_xgboost,
    "RFE, scikit-learn stumps": rfe_scikit_learn,
    "forest importances": forest,
    "Boruta": boruta,
    "nothing": nothing,
}
