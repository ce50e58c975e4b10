"""The scores of a model on rows held out: four for classes, four for numbers, and any scorer of scikit-learn by name."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import get_scorer, get_scorer_names, roc_auc_score

from tamis.features._kernels.concordance import concordance
from tamis.table.weights import scaled_weights, whole_weights

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


def scorer_score(
    score: str, fitted: Any, X: Any, y: NDArray[Any], weights: Float | None = None
) -> float | None:
    """The score of a fitted model by a scorer of scikit-learn, higher is better; None if it is not a finite number."""
    told = {} if weights is None else {"sample_weight": scaled_weights(weights)}
    value = float(get_scorer(score)(fitted, X, y, **told))
    return value if np.isfinite(value) else None


def refuse_score_without_weights(who: str, score: str, kind: str) -> None:
    """Refuse a scorer of scikit-learn that takes no weights of rows, where there are some."""
    if score in SCORES[kind] or "sample_weight" in signature(get_scorer(score)._score_func).parameters:
        return
    raise ValueError(
        f"{who}: sample_weight was given, but the score {score!r} takes none. Leave it out, or use another score, such as "
        f"{DEFAULT_SCORE[kind]}."
    )


def number_scores(predicted: Any, y: Float, weights: Float | None = None) -> list[float | None]:
    """The four scores of predicted numbers: r2, root mean squared error, mean absolute error, concordance.

    r2 and concordance are None if all numbers held out are the same, and if there is only one.
    """
    answers = np.asarray(predicted, dtype=np.float64).ravel()
    scale = float(np.abs(y).max()) or 1.0  # squares of very large numbers would overflow
    errors, centred = (answers - y) / scale, (y - weighted_mean(y, weights)) / scale
    counts = np.ones(len(y)) if weights is None else scaled_weights(weights)
    squares = float((errors**2 * counts).sum())
    return [
        1.0 - squares / float((centred**2 * counts).sum()) if y.min() < y.max() else None,
        scale * float(np.sqrt(squares / counts.sum())),
        scale * float(weighted_mean(np.abs(errors), weights)),
        concordant_share(answers, y, weights),
    ]


def weighted_mean(values: Float, weights: Float | None) -> Any:
    """The mean of some numbers, each counting by its weight if there are weights."""
    return values.mean() if weights is None else np.average(values, weights=scaled_weights(weights))


def concordant_share(predicted: Float, y: Float, weights: Float | None = None) -> float | None:
    """The share of the pairs with different y that are predicted in the right order, equal predictions counting half.

    A pair counts by the product of its weights: as whole numbers in their ratio, or rounded to 30 bits (`whole_weights`).
    """
    order = np.argsort(y, kind="stable")
    ranked = y[order]
    groups = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]))
    counts = whole_weights(len(y), weights)
    held = np.add.reduceat(counts[order], groups[:-1])  # the weight of each value of y
    squares = sum(int(one) ** 2 for one in held)
    n_pairs = (int(held.sum()) ** 2 - squares) // 2
    if n_pairs == 0:
        return None
    ranks = rankdata(predicted, method="dense").astype(np.int64) - 1
    lead = int(concordance(ranks, order, groups, counts))
    return 0.5 + lead / (2 * n_pairs)


def class_scores(
    predicted: NDArray[Any],
    chances: Float | None,
    y: NDArray[Any],
    classes: NDArray[Any],
    weights: Float | None = None,
) -> list[float | None]:
    """Accuracy, balanced accuracy, area under the ROC curve and log loss; None if a score is not defined.

    `chances` holds the probabilities of all `classes`, or None if the model gives no probabilities; `weights` are positive.
    """
    right = predicted == y
    rows_of = [y == label for label in np.unique(y)]
    recalls = [weighted_mean(right[own], None if weights is None else weights[own]) for own in rows_of]
    return [
        float(weighted_mean(right, weights)),
        float(np.mean(recalls)),
        _area(chances, y, classes, weights),
        _log_loss(chances, y, classes, weights),
    ]


def class_chances(model: Any, X: Any, classes: NDArray[Any]) -> Float | None:
    """Probabilities of all classes, 0 for classes the model never saw; None if it gives no probabilities."""
    if not hasattr(model, "predict_proba"):
        return None
    chances = np.asarray(model.predict_proba(X), dtype=np.float64)
    whole = np.zeros((len(chances), len(classes)))
    whole[:, np.searchsorted(classes, model.classes_)] = chances
    return whole


def _area(
    chances: Float | None, y: NDArray[Any], classes: NDArray[Any], weights: Float | None
) -> float | None:
    """Area under the ROC curve; for several classes the unweighted mean of one against the rest."""
    if chances is None or len(np.unique(y)) < len(classes):
        return None
    counts = None if weights is None else scaled_weights(weights)
    asked = [1] if len(classes) == 2 else range(len(classes))
    return float(
        np.mean([roc_auc_score(y == classes[j], chances[:, j], sample_weight=counts) for j in asked])
    )


def _log_loss(
    chances: Float | None, y: NDArray[Any], classes: NDArray[Any], weights: Float | None
) -> float | None:
    """Mean of -log of the probability of the true class, which is raised to at least the machine epsilon."""
    if chances is None:
        return None
    own = chances[np.arange(len(y)), np.searchsorted(classes, y)]
    return float(weighted_mean(-np.log(np.clip(own, np.finfo(np.float64).eps, 1.0)), weights))
