"""The rankers of benchmarks/columns.py: tamis's own and what people use instead.

A ranker takes training rows (values with NaN, which columns are nominal, class codes, a seed) and returns the columns
from best to worst. Peers get what they need: categories one yes-or-no column a value, missing values filled with the mean;
the importances of a column's parts are added.
"""

from __future__ import annotations

import warnings

import numpy as np

RANKERS = {}


def ranker(name):
    def enter(function):
        RANKERS[name] = function
        return function

    return enter


def _ours(name, make):
    def rank(X, nominal, y, seed):
        selector = make(seed).set_params(categorical_features=nominal)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.argsort(selector.fit(X, y).ranking_)

    RANKERS[name] = rank


def _enter_ours():
    import tamis

    _ours("Sieve", lambda seed: tamis.Sieve(0.5, explain=False, random_state=seed))
    _ours("Sieve, no search", lambda seed: tamis.Sieve(0.5, explain=False, search=False, random_state=seed))
    _ours("SBSMF", lambda seed: tamis.SBSMF())
    _ours("SBSMF plain", lambda seed: tamis.SBSMF(class_weight=None))
    _ours("SBSMF small steps", lambda seed: tamis.SBSMF(learning_rate=0.1, n_rounds=200))
    _ours("AdaBoost-CR", lambda seed: tamis.SBSMF(criterion="contribution_ratio"))
    _ours("AdaBoost-CR plain", lambda seed: tamis.SBSMF(criterion="contribution_ratio", class_weight=None))
    _ours("BDSFS", lambda seed: tamis.BDSFS())
    _ours("UnivariateAUC", lambda seed: tamis.UnivariateAUC())
    _ours("PairScan", lambda seed: tamis.PairScan())
    _ours("ReliefF", lambda seed: tamis.ReliefF())
    _ours("Simba", lambda seed: tamis.Simba(random_state=seed))
    _ours("GramSchmidt", lambda seed: tamis.GramSchmidt())
    _ours("EFR", lambda seed: tamis.EFR(random_state=seed))
    _ours("SampledEFR", lambda seed: tamis.SampledEFR(random_state=seed))


def spread_out(X, nominal):
    """One-hot categories and filled numbers, and of which column each is a part."""
    parts, owner = [], []
    for j in range(X.shape[1]):
        column = X[:, j]
        missing = np.isnan(column)
        if nominal[j]:
            values = np.where(missing, -1, column)
            for value in np.unique(values):
                parts.append((values == value) * 1.0)
                owner.append(j)
        else:
            mean = column[~missing].mean() if not missing.all() else 0.0
            parts.append(np.where(missing, mean, column))
            owner.append(j)
            if missing.any():
                parts.append(missing * 1.0)
                owner.append(j)
    return np.column_stack(parts), np.array(owner)


def _by_owner(importances, owner, d):
    return np.argsort(-np.bincount(owner, importances, d), kind="stable")


def _best_of_owner(scores, owner, d):
    best = np.full(d, -np.inf)
    np.maximum.at(best, owner, np.nan_to_num(scores, nan=-np.inf))
    return np.argsort(-best, kind="stable")


@ranker("random forest")
def forest(X, nominal, y, seed):
    from sklearn.ensemble import RandomForestClassifier

    Z, owner = spread_out(X, nominal)
    model = RandomForestClassifier(500, random_state=seed, n_jobs=1).fit(Z, y)
    return _by_owner(model.feature_importances_, owner, X.shape[1])


@ranker("extra trees")
def extra_trees(X, nominal, y, seed):
    from sklearn.ensemble import ExtraTreesClassifier

    Z, owner = spread_out(X, nominal)
    model = ExtraTreesClassifier(500, random_state=seed, n_jobs=1).fit(Z, y)
    return _by_owner(model.feature_importances_, owner, X.shape[1])


def _lightgbm(X, nominal, y, seed, n_estimators=100):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=n_estimators, random_state=seed, n_jobs=1, verbose=-1, importance_type="gain",
        min_child_samples=5 if len(y) < 200 else 20,
    )  # fmt: skip
    codes = np.where(nominal & np.isnan(X), -1, X)  # LightGBM reads a negative category as missing
    return model.fit(codes, y, categorical_feature=np.flatnonzero(nominal).tolist() or "auto")


@ranker("LightGBM gain")
def lightgbm_gain(X, nominal, y, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gains = _lightgbm(X, nominal, y, seed).feature_importances_
    return np.argsort(-gains, kind="stable")


@ranker("LightGBM-RFE")
def lightgbm_rfe(X, nominal, y, seed):
    left, gone = np.arange(X.shape[1]), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while len(left) > 1:
            gains = _lightgbm(X[:, left], nominal[left], y, seed, 50).feature_importances_
            n_leave = max(1, len(left) // 10)
            order = np.argsort(gains, kind="stable")
            gone.extend(left[order[:n_leave]].tolist())
            left = np.delete(left, order[:n_leave])
    return np.array([*gone, *left])[::-1]


@ranker("XGBoost gain")
def xgboost_gain(X, nominal, y, seed):
    from xgboost import XGBClassifier

    Z, owner = spread_out(X, nominal)
    model = XGBClassifier(n_estimators=100, random_state=seed, n_jobs=1, importance_type="total_gain").fit(
        Z, y
    )
    return _by_owner(model.feature_importances_, owner, X.shape[1])


@ranker("permutation importance")
def permutation(X, nominal, y, seed):
    """Of a forest, on a third of the rows held out."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    Z, owner = spread_out(X, nominal)
    rows = np.arange(len(y))
    fit, held = train_test_split(rows, test_size=1 / 3, random_state=seed)
    model = RandomForestClassifier(100, random_state=seed, n_jobs=1).fit(Z[fit], y[fit])
    found = permutation_importance(model, Z[held], y[held], n_repeats=3, random_state=seed)
    tie = model.feature_importances_ * 1e-6
    return _by_owner(found.importances_mean + tie, owner, X.shape[1])


@ranker("mutual information")
def mutual_information(X, nominal, y, seed):
    from sklearn.feature_selection import mutual_info_classif

    codes = np.where(np.isnan(X), -1, X)
    Z = np.where(
        nominal, codes, np.where(np.isnan(X), np.nanmean(np.where(np.isnan(X).all(0), 0, X), axis=0), X)
    )
    return np.argsort(-mutual_info_classif(Z, y, discrete_features=nominal, random_state=seed), kind="stable")


@ranker("ANOVA F")
def anova(X, nominal, y, seed):
    from sklearn.feature_selection import f_classif

    Z, owner = spread_out(X, nominal)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scores = f_classif(Z, y)[0]
    return _best_of_owner(scores, owner, X.shape[1])


@ranker("l1 logistic")
def l1_logistic(X, nominal, y, seed):
    """By the sum of absolute coefficients along a path of five penalties: what enters early stands ahead."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    Z, owner = spread_out(X, nominal)
    Z = StandardScaler().fit_transform(Z)
    sizes = np.zeros(Z.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for strength in (0.01, 0.03, 0.1, 0.3, 1.0):
            for label in np.unique(y) if y.max() > 1 else [1]:
                model = LogisticRegression(C=strength, l1_ratio=1.0, solver="liblinear", random_state=seed)
                sizes += np.abs(model.fit(Z, y == label).coef_[0])
    return _by_owner(sizes, owner, X.shape[1])


@ranker("SVM-RFE")
def svm_rfe(X, nominal, y, seed):
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    Z, owner = spread_out(X, nominal)
    Z = StandardScaler().fit_transform(Z)
    left, gone = np.arange(X.shape[1]), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while len(left) > 1:
            own = np.isin(owner, left)
            model = LinearSVC(C=0.1, random_state=seed, max_iter=200).fit(Z[:, own], y)
            worth = np.bincount(owner[own], (model.coef_**2).sum(axis=0), X.shape[1])[left]
            order = np.argsort(worth, kind="stable")[: max(1, len(left) // 10)]
            gone.extend(left[order].tolist())
            left = np.delete(left, order)
    return np.array([*gone, *left])[::-1]


@ranker("mRMR")
def mrmr(X, nominal, y, seed):
    """F over mean absolute correlation with what is chosen (FCQ)."""
    from sklearn.feature_selection import f_classif

    Z, owner = spread_out(X, nominal)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        F = np.nan_to_num(f_classif(Z, y)[0], posinf=1e12)
    d = X.shape[1]
    best = np.array([np.flatnonzero(owner == j)[np.argmax(F[owner == j])] for j in range(d)])
    F, Z = F[best], Z[:, best] - Z[:, best].mean(axis=0)
    length = np.sqrt((Z**2).sum(axis=0))
    Z = Z / np.where(length > 0, length, 1.0)
    left, chosen = np.ones(d, dtype=bool), []
    together = np.zeros(d)
    while left.any():
        mean = np.maximum(together / len(chosen), 1e-3) if chosen else 1.0
        pick = int(np.argmax(np.where(left, F / mean, -np.inf)))
        chosen.append(pick)
        left[pick] = False
        together += np.abs(Z[:, pick] @ Z)
    return np.array(chosen)


@ranker("SHAP-RFE")
def shap_rfe(X, nominal, y, seed):
    """LightGBM, a tenth of the columns leaving at a time: those of the least mean absolute SHAP value on the training rows."""
    left, gone = np.arange(X.shape[1]), []
    codes = np.where(nominal & np.isnan(X), -1, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while len(left) > 1:
            model = _lightgbm(X[:, left], nominal[left], y, seed, 50)
            told = np.abs(model.predict(codes[:, left], pred_contrib=True)).mean(axis=0)
            worth = told.reshape(-1, len(left) + 1)[:, :-1].sum(
                axis=0
            )  # a bias after the columns of each class
            order = np.argsort(worth, kind="stable")[: max(1, len(left) // 10)]
            gone.extend(left[order].tolist())
            left = np.delete(left, order)
    return np.array([*gone, *left])[::-1]


@ranker("CatBoost select_features")
def catboost(X, nominal, y, seed):
    """Its recursive elimination by SHAP values, down to one column in as many steps as there are tenths."""
    import pandas as pd
    from catboost import CatBoostClassifier, EFeaturesSelectionAlgorithm, Pool

    frame = pd.DataFrame(X)
    for j in np.flatnonzero(nominal):
        frame[j] = frame[j].map(str)
    data = Pool(frame, y, cat_features=np.flatnonzero(nominal).tolist())
    model = CatBoostClassifier(
        iterations=100, random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False
    )
    told = model.select_features(
        data,
        features_for_select=list(range(X.shape[1])),
        num_features_to_select=1,
        steps=min(10, X.shape[1] - 1),
        algorithm=EFeaturesSelectionAlgorithm.RecursiveByShapValues,
        train_final_model=False,
        logging_level="Silent",
    )
    return np.array([*told["selected_features"], *reversed(told["eliminated_features"])])


@ranker("Boruta")
def boruta(X, nominal, y, seed):
    """By its ranks, and among equals by the mean importance over the rounds."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    Z, owner = spread_out(X, nominal)
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", n_jobs=1, random_state=seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = BorutaPy(forest, n_estimators=100, max_iter=40, random_state=seed).fit(Z, y)
        worth = np.nan_to_num(np.nanmean(np.atleast_2d(found.importance_history_), axis=0), nan=0.0)
    return _best_of_owner(-found.ranking_ + 0.5 * worth / max(worth.max(), 1e-12), owner, X.shape[1])


_enter_ours()
