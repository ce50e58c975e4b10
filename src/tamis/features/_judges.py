"""Any selector or model as a judge of columns: made ready for tables of another width, and read after its fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.features._base import FeatureSelector
from tamis.features.sbsmf import SBSMF
from tamis.table._table import Numbers, Target

Float = NDArray[np.float64]

_RULES = ("fixed_features", "excluded_features", "feature_groups")


def ready_judge(who: str, selector: Any, target: Target | Numbers) -> Any:
    """The selector, ready to be fitted on tables of other columns than X; rules that name columns are refused."""
    kind = "numbers" if isinstance(target, Numbers) else "classes"
    if selector is None:
        return SBSMF(n_rounds=300, learning_rate=0.3, step=0.9, target_kind=kind)
    judge = clone(selector)
    known = judge.get_params(deep=False)
    for rule in _RULES:
        if is_ours(judge) and known.get(rule) is not None:
            raise ValueError(
                f"{who}: the selector has {rule}, which name columns of X. Give them to {who} instead."
            )
    wanted = {"n_features_to_select": 0.5, "target_kind": kind, "explain": False}
    return judge.set_params(
        **{name: value for name, value in wanted.items() if name in known and is_ours(judge)}
    )


def told_scores(who: str, judge: Any, n_columns: int) -> Float:
    """One score per column of a fitted selector or model, higher is better; what is no number counts as the lowest."""
    for name, sign in (("scores_", 1), ("feature_importances_", 1), ("coef_", 0), ("ranking_", -1)):
        if hasattr(judge, name):
            told = np.asarray(getattr(judge, name), dtype=np.float64)
            scores = np.abs(told).reshape(-1, told.shape[-1]).sum(axis=0) if sign == 0 else sign * told
            if scores.shape == (n_columns,):
                finite = np.isfinite(scores)
                lowest = scores[finite].min() if finite.any() else 0.0
                return np.where(finite, scores, lowest)
    raise TypeError(
        f"{who}: {type(judge).__name__} has no scores_, feature_importances_, coef_ or ranking_ with one number per column "
        "after fit. Use another selector."
    )


def is_ours(judge: Any) -> bool:
    """Whether it is a column selector of this library."""
    return isinstance(judge, FeatureSelector)
