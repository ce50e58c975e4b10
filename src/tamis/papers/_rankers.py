"""Rankings of columns by the methods of the papers and by other methods of today, on plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tamis.features.bdsfs import BDSFS
from tamis.features.relieff import ReliefF
from tamis.features.sbsmf import SBSMF
from tamis.features.simba import Simba
from tamis.papers._tables import Numbers

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Ints = NDArray[np.intp]
Ranker = Callable[[Numbers, int], Ints]

N_TREES = 100
N_CHOICES = 100  # the most columns of a microarray that a figure shows


def order(selector: BaseEstimator, data: Numbers) -> Ints:
    """Return the columns, best first."""
    selector.set_params(categorical_features=data.nominal)
    ranking: Ints = selector.fit(data.values, data.codes).ranking_
    return np.argsort(ranking)


def forest_order(data: Numbers, seed: int, **options: Any) -> Ints:
    """Return the columns by their impurity-based importance in a random forest, best first."""
    forest = RandomForestClassifier(N_TREES, random_state=seed, **options)
    forest.fit(data.filled().values, data.codes)
    return np.argsort(-forest.feature_importances_, kind="stable")


def chance_order(data: Numbers, seed: int) -> Ints:
    """Return the columns in a random order."""
    return np.random.default_rng(seed).permutation(len(data.columns))


def lightgbm_order(data: Numbers, seed: int) -> Ints:
    """Return the columns by backward elimination of the smallest gain in LightGBM, best first."""
    from lightgbm import LGBMClassifier
    from sklearn.feature_selection import RFE

    model = LGBMClassifier(
        importance_type="gain", random_state=seed % 2**31, n_jobs=1, deterministic=True, verbose=-1
    )
    ranking: Ints = RFE(model, n_features_to_select=1).fit(data.filled().values, data.codes).ranking_
    return np.argsort(ranking, kind="stable")


class FirstBDSFS(BDSFS):
    """BDSFS that ends after its first 100 choices; the other columns follow in the order of the table."""

    _n_choices = N_CHOICES


#: The rankings of the SBS-MF paper's Table II, and others that a user may take today.
TABLE: dict[str, Ranker] = {
    "SBS-MF": lambda data, seed: order(SBSMF(class_weight=None), data),
    "AdaBoost-CR": lambda data, seed: order(SBSMF(criterion="contribution_ratio", class_weight=None), data),
    "BDSFS": lambda data, seed: order(BDSFS(), data),
    "Simba": lambda data, seed: order(Simba(random_state=seed), data),
    "ReliefF": lambda data, seed: order(ReliefF(), data),
    "random forest": forest_order,
    "chance": chance_order,
}


def _halving(criterion: str) -> SBSMF:
    return SBSMF(criterion=criterion, step=0.5, step_until=100, class_weight="balanced")


#: The same for microarrays: classes balanced at the start, halving down to 100 columns, the first 100 choices of BDSFS.
MICROARRAY: dict[str, Ranker] = {
    "SBS-MF": lambda data, seed: order(_halving("margin_fraction"), data),
    "AdaBoost-CR": lambda data, seed: order(_halving("contribution_ratio"), data),
    "BDSFS": lambda data, seed: order(FirstBDSFS(class_weight="balanced"), data),
    "Simba": TABLE["Simba"],
    "ReliefF": TABLE["ReliefF"],
    "random forest": lambda data, seed: forest_order(data, seed, class_weight="balanced"),
}
