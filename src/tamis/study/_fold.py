"""One method in one fold: select on the training rows, then judge every size on the rows held out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from tamis._jit import compiling
from tamis._shared import LARGE
from tamis.features._curves import column_sets, columns_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Rows = NDArray[np.intp]
SCORES = ("accuracy", "balanced_accuracy", "roc_auc", "log_loss")


@dataclass(frozen=True)
class Data:
    """What all folds share.

    Parameters
    ----------
    X : array or frame
        The table.
    y : ndarray
        Its classes.
    models : dict of str to estimator
        The classifiers that judge.
    """

    X: ArrayLike
    y: NDArray[Any]
    models: dict[str, Any]

    def __sizeof__(self) -> int:
        """A size that makes joblib send it to a Dask cluster once, instead of with every fold: see `tamis._shared`."""
        return LARGE


@dataclass(frozen=True)
class Fold:
    """One task of a comparison: a method in a split.

    Parameters
    ----------
    method : str
        The method's name.
    selector : estimator or None
        The method; None keeps everything.
    sifts : "columns" or "rows"
        What it keeps.
    split : int
        The number of the split.
    train, test : ndarray of int
        The rows.
    sizes : list
        Numbers of columns; numbers or shares of rows; empty for a selector that chooses its own number.
    limit : float or None
        Seconds, without compilation, after which no further model is fitted; None for no limit.
    models : tuple of str or None
        The models that judge; None is all.
    """

    method: str
    selector: BaseEstimator
    sifts: str
    split: int
    train: Rows
    test: Rows
    sizes: list[Any]
    limit: float | None = None
    models: tuple[str, ...] | None = None


def judged_fold(fold: Fold, data: Data) -> dict[str, Any]:
    """The last of `fold_answers`: every model's scores."""
    *_, answer = fold_answers(fold, data)
    return answer


def fold_answers(fold: Fold, data: Data) -> Iterator[dict[str, Any]]:
    """Scores of every size and model in one fold, and what was kept, as plain numbers and lists.

    Yields
    ------
    dict
        One after every model, with ``method``; ``split``; ``seconds`` of the selection, without compilation; ``order``
        (columns from best to worst, None without a ranking); ``steps``, one per size, each with ``n_kept``, ``kept`` (None
        if it follows from `order`), ``scores`` by model, and ``failed``, the messages of models that could not be fitted;
        ``cut``, if some models were skipped. A method that refuses the table gives ``refused``, its message, instead.
    """
    answer: dict[str, Any] = {"method": fold.method, "split": fold.split}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        X, y = _safe_indexing(data.X, fold.train), data.y[fold.train]
        start = _working_clock()
        try:
            order, sets = _selection(fold, X, y)
        except (ValueError, TypeError) as error:
            yield {**answer, "refused": " ".join(str(error).split()) or type(error).__name__}
            return
        answer["seconds"] = _working_clock() - start
        answer["order"] = None if order is None else order.tolist()
        end = np.inf if fold.limit is None else start + fold.limit
        steps = [_step(fold, kept, order is None, data.models) for kept in sets]
        allowed = tuple(data.models) if fold.models is None else fold.models
        left = len(steps) * len(data.models)
        for (
            name
        ) in data.models:  # one model after the other, so that the last ones are skipped if time runs out
            for step, kept in zip(steps, sets):
                if name in allowed and _working_clock() <= end:
                    _judge(fold, data, name, kept, X, y, step)
                    left -= 1
            yield {**answer, "steps": deepcopy(steps), **({"cut": True} if left else {})}


def _working_clock() -> float:
    """Seconds without compilation, which happens once, in whichever fold comes first."""
    return time.perf_counter() - compiling.seconds


def whole_selection(
    selector: BaseEstimator, sifts: str, size: Any, X: ArrayLike, y: NDArray[Any]
) -> dict[str, list[int]]:
    """What a method keeps of the whole table: ``kept``, and ``order`` if it has a ranking."""
    fold = Fold("", selector, sifts, 0, np.arange(len(y)), np.arange(0), [] if size is None else [size])
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        order, sets = _selection(fold, X, y)
    return {"kept": sets[0].tolist(), "order": [] if order is None else order.tolist()}


def _selection(fold: Fold, X: Any, y: NDArray[Any]) -> tuple[Rows | None, list[Rows]]:
    """The ranking, if there is one, and what is kept at each size."""
    everything = np.arange(X.shape[1] if fold.sifts == "columns" else len(y))
    if fold.selector is None:
        return None, [everything]
    if fold.sifts == "rows":
        return None, list(_row_sets(fold, X, y))
    return column_sets(clone(fold.selector), X, y, fold.sizes)


def _row_sets(fold: Fold, X: ArrayLike, y: NDArray[Any]) -> Iterator[Rows]:
    if not fold.sizes:
        yield np.asarray(clone(fold.selector).fit(X, y).sample_indices_)
    for size in fold.sizes:
        wanted = max(1, round(size * len(y))) if isinstance(size, float) else min(size, len(y))
        selector = clone(fold.selector).set_params(n_prototypes=wanted)
        selector.fit_resample(X, y)
        yield np.asarray(selector.sample_indices_)


def _step(fold: Fold, kept: Rows, say_kept: bool, models: Iterable[str]) -> dict[str, Any]:
    """One size, not yet judged."""
    said = kept if fold.sifts == "columns" else fold.train[kept]
    unjudged: dict[str, list[float | None]] = {name: [None] * (len(SCORES) + 1) for name in models}
    listed = said.tolist() if say_kept and fold.selector is not None else None
    return {"n_kept": len(kept), "kept": listed, "scores": unjudged, "failed": {}}


def _judge(
    fold: Fold, data: Data, name: str, kept: Rows, X: ArrayLike, y: NDArray[Any], step: dict[str, Any]
) -> None:
    """Add to `step` the scores of one model on what is kept."""
    start = time.perf_counter()
    X_test, y_test = _safe_indexing(data.X, fold.test), data.y[fold.test]
    if fold.sifts == "columns":
        X, X_test = columns_of(X, kept), columns_of(X_test, kept)
    elif len(kept) < len(y):
        X, y = _safe_indexing(X, kept), y[kept]
    scores: list[float | None] = [None] * len(SCORES)
    try:
        scores = scores_of(clone(data.models[name]), X, y, X_test, y_test, np.unique(data.y))
    except ValueError as error:
        step["failed"][name] = " ".join(str(error).split())
    step["scores"][name] = [*scores, time.perf_counter() - start]


def scores_of(
    model: BaseEstimator,
    X: ArrayLike,
    y: NDArray[Any],
    X_test: Any,
    y_test: NDArray[Any],
    classes: NDArray[Any],
) -> list[float | None]:
    """Accuracy, balanced accuracy, area under the ROC curve and log loss of a model; None if a score is not defined."""
    predicted = np.asarray(model.fit(X, y).predict(X_test))
    chances = _chances(model, X_test, classes)
    right = predicted == y_test
    recalls = [right[y_test == label].mean() for label in np.unique(y_test)]
    return [
        float(right.mean()),
        float(np.mean(recalls)),
        _area(chances, y_test, classes),
        _log_loss(chances, y_test, classes),
    ]


def _chances(model: BaseEstimator, X: ArrayLike, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """Probabilities of all classes, 0 for classes the model never saw; None if it gives no probabilities."""
    if not hasattr(model, "predict_proba"):
        return None
    chances = np.asarray(model.predict_proba(X), dtype=np.float64)
    whole = np.zeros((len(chances), len(classes)))
    whole[:, np.searchsorted(classes, model.classes_)] = chances
    return whole


def _area(chances: NDArray[np.float64] | None, y: NDArray[Any], classes: NDArray[Any]) -> float | None:
    """Area under the ROC curve; for several classes the unweighted mean of one against the rest."""
    if chances is None or len(np.unique(y)) < len(classes):
        return None
    if len(classes) == 2:
        return float(roc_auc_score(y == classes[1], chances[:, 1]))
    return float(np.mean([roc_auc_score(y == label, chances[:, j]) for j, label in enumerate(classes)]))


def _log_loss(chances: NDArray[np.float64] | None, y: NDArray[Any], classes: NDArray[Any]) -> float | None:
    """Mean of -log of the probability of the true class, which is raised to at least the machine epsilon."""
    if chances is None:
        return None
    own = chances[np.arange(len(y)), np.searchsorted(classes, y)]
    return float(-np.log(np.clip(own, np.finfo(np.float64).eps, 1.0)).mean())
