"""The scores of a model on rows held out: four for classes, four for numbers, and any scorer of scikit-learn by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import get_scorer, get_scorer_names, roc_auc_score

from tamis.features._kernels.concordance import concordance

Float = NDArray[np.float64]
CLASS_SCORES = ("accuracy", "balanced_accuracy", "roc_auc", "log_loss")
NUMBER_SCORES = ("r2", "rmse", "mae", "concordance")
SCORES = {"classes": CLASS_SCORES, "numbers": NUMBER_SCORES}
"""The scores of each kind of target, in the order in which answers list them."""
DEFAULT_SCORE = {"classes": "balanced_accuracy", "numbers": "r2"}
SCORE_WORDS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "roc_auc": "area under the ROC curve",
    "log_loss": "log loss",
    "r2": "r2",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "concordance": "share of concordant pairs",
}
_LOWER_IS_BETTER = ("log_loss", "rmse", "mae")
_IN_UNITS_OF_THE_TARGET = ("rmse", "mae")


def sign_of(score: str) -> int:
    """The sign with which a score is shown; internally all scores are such that higher is better."""
    return -1 if score in _LOWER_IS_BETTER else 1


def shown(score: str, value: float) -> str:
    """A score as a text: three decimals, or four digits where its unit is that of the target; what rounds to 0 has no sign."""
    in_units = score in _IN_UNITS_OF_THE_TARGET or score.startswith("neg_")
    return f"{value:.4g}" if in_units else f"{round(value, 3) + 0.0:.3f}"


def checked_score(who: str, score: str | None, kind: str) -> str:
    """The name of a score of this kind of target, the default for None; refused if there is no such score."""
    if score is None:
        return DEFAULT_SCORE[kind]
    others = {name for names in SCORES.values() for name in names}
    if score in SCORES[kind] or (score not in others and score in get_scorer_names()):
        return score
    target = "numeric target" if kind == "numbers" else "target of classes"
    raise ValueError(
        f"{who}: no score {score!r} for a {target}. Use one of {', '.join(SCORES[kind])}, or a scorer of scikit-learn by its "
        "name, such as f1_macro."
    )


def measured(kind: str, score: str | None) -> tuple[str, ...]:
    """The scores that are measured for this kind of target, in the order in which answers list them."""
    return SCORES[kind] if score is None or score in SCORES[kind] else (*SCORES[kind], score)


def score_in_words(score: str) -> str:
    """The name of a score in words."""
    return SCORE_WORDS.get(score, score.replace("_", " "))


def scorer_score(score: str, fitted: Any, X: Any, y: NDArray[Any]) -> float | None:
    """The score of a fitted model by a scorer of scikit-learn, higher is better; None if it is not a finite number."""
    value = float(get_scorer(score)(fitted, X, y))
    return value if np.isfinite(value) else None


def number_scores(predicted: Any, y: Float) -> list[float | None]:
    """The four scores of predicted numbers: r2, root mean squared error, mean absolute error, concordance.

    r2 and concordance are None if all numbers held out are the same, and if there is only one.
    """
    answers = np.asarray(predicted, dtype=np.float64).ravel()
    scale = float(np.abs(y).max()) or 1.0  # squares of very large numbers would overflow
    errors, centred = (answers - y) / scale, (y - y.mean()) / scale
    squares = float((errors**2).sum())
    return [
        1.0 - squares / float((centred**2).sum()) if y.min() < y.max() else None,
        scale * float(np.sqrt(squares / len(y))),
        scale * float(np.abs(errors).mean()),
        concordant_share(answers, y),
    ]


def concordant_share(predicted: Float, y: Float) -> float | None:
    """The share of the pairs with different y that are predicted in the right order, equal predictions counting half."""
    order = np.argsort(y, kind="stable")
    ranked = y[order]
    groups = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]))
    tied = np.diff(groups)
    n_pairs = (len(y) * (len(y) - 1) - int((tied * (tied - 1)).sum())) // 2
    if n_pairs == 0:
        return None
    ranks = rankdata(predicted, method="dense").astype(np.int64) - 1
    lead = concordance(ranks, order, groups, np.ones(len(y), dtype=np.int64))
    return 0.5 + int(lead) / (2 * n_pairs)


def class_scores(
    predicted: NDArray[Any], chances: Float | None, y: NDArray[Any], classes: NDArray[Any]
) -> list[float | None]:
    """Accuracy, balanced accuracy, area under the ROC curve and log loss; None if a score is not defined.

    `chances` holds the probabilities of all `classes`, or None if the model gives no probabilities.
    """
    right = predicted == y
    recalls = [right[y == label].mean() for label in np.unique(y)]
    return [
        float(right.mean()),
        float(np.mean(recalls)),
        _area(chances, y, classes),
        _log_loss(chances, y, classes),
    ]


def class_chances(model: Any, X: Any, classes: NDArray[Any]) -> Float | None:
    """Probabilities of all classes, 0 for classes the model never saw; None if it gives no probabilities."""
    if not hasattr(model, "predict_proba"):
        return None
    chances = np.asarray(model.predict_proba(X), dtype=np.float64)
    whole = np.zeros((len(chances), len(classes)))
    whole[:, np.searchsorted(classes, model.classes_)] = chances
    return whole


def _area(chances: Float | None, y: NDArray[Any], classes: NDArray[Any]) -> float | None:
    """Area under the ROC curve; for several classes the unweighted mean of one against the rest."""
    if chances is None or len(np.unique(y)) < len(classes):
        return None
    if len(classes) == 2:
        return float(roc_auc_score(y == classes[1], chances[:, 1]))
    return float(np.mean([roc_auc_score(y == label, chances[:, j]) for j, label in enumerate(classes)]))


def _log_loss(chances: Float | None, y: NDArray[Any], classes: NDArray[Any]) -> float | None:
    """Mean of -log of the probability of the true class, which is raised to at least the machine epsilon."""
    if chances is None:
        return None
    own = chances[np.arange(len(y)), np.searchsorted(classes, y)]
    return float(-np.log(np.clip(own, np.finfo(np.float64).eps, 1.0)).mean())
