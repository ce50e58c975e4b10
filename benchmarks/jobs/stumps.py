"""Fit one boosted model of stumps."""

from jobs.tables import growing_columns, growing_rows, real

TITLE = "Fit 100 boosted stumps"
QUALITY = "accuracy on held-out rows"
CASES = [
    *real("ionosphere", "spambase", "musk1"),
    *growing_rows((1_000, 5_000, 10_000, 100_000, 1_000_000), 20),
    *growing_columns(500, (10, 100, 1_000, 10_000)),
]
QUICK = ["ionosphere", "spambase", "1000 x 20", "5000 x 20", "500 x 100", "500 x 1000"]


def judged(data, model):
    predicted = model.predict(data.X_test)
    return {"quality": float((predicted == data.y_test).mean())}


def _fitted(model):
    return lambda data: model.fit(data.X, data.y)


def tamis():
    from tamis import StumpAdaBoost

    return _fitted(StumpAdaBoost(100, n_jobs=1))


def lightgbm():
    from lightgbm import LGBMClassifier

    return _fitted(LGBMClassifier(n_estimators=100, num_leaves=2, learning_rate=0.3, n_jobs=1, verbose=-1))


def xgboost():
    from xgboost import XGBClassifier

    return _fitted(XGBClassifier(n_estimators=100, max_depth=1, n_jobs=1))


def scikit_learn():
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    return _fitted(AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=100))


def nothing():
    from sklearn.dummy import DummyClassifier

    return _fitted(DummyClassifier())


CONTENDERS = {
    "tamis StumpAdaBoost": tamis,
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "scikit-learn AdaBoost": scikit_learn,
    "nothing": nothing,
}
