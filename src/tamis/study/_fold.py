"""One method in one fold: select on the training rows, then judge every size on the rows held out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from tamis._jit import compiling
from tamis._shared import LARGE
from tamis.features._curves import column_sets, columns_of, groups_for, weights_for
from tamis.study._scores import class_chances, class_scores, measured, number_scores, scorer_score
from tamis.table._rows import rows_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Rows = NDArray[np.intp]


class Made(NamedTuple):
    """Rows that were made, and their classes."""

    X: Any
    y: NDArray[Any]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.y)


@dataclass(frozen=True)
class Data:
    """What all folds share.

    Parameters
    ----------
    X : array or frame
        The table.
    y : ndarray
        Its target.
    models : dict of str to estimator
        The models that judge.
    target_kind : {"classes", "numbers"}, default="classes"
        What `y` holds.
    score : str or None, default=None
        The score that decides.
    weights : ndarray of float, shape (n,), or None, default=None
        What each row counts; rows of weight 0 are in no fold.
    groups : ndarray of int, shape (n,), or None, default=None
        The group of each row, for selectors of columns that take groups.
    """

    X: ArrayLike
    y: NDArray[Any]
    models: dict[str, Any]
    target_kind: str = "classes"
    score: str | None = None
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.int64] | None = None

    @property
    def counted(self) -> Rows:
        """The rows that count: all, or those of positive weight."""
        return np.arange(len(self.y)) if self.weights is None else np.flatnonzero(self.weights)

    def weights_of(self, rows: Rows) -> NDArray[np.float64] | None:
        """The weights of some rows; None where there are none."""
        return None if self.weights is None else self.weights[rows]

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
    with _alone(data):
        X, y = rows_of(data.X, fold.train), data.y[fold.train]
        start = _working_clock()
        try:
            order, sets = _selection(fold, X, y, fold.train, data)
        except (ValueError, TypeError) as error:
            yield {**answer, "refused": " ".join(str(error).split()) or type(error).__name__}
            return
        answer["seconds"] = _working_clock() - start
        answer["order"] = None if order is None else order.tolist()
        end = np.inf if fold.limit is None else start + fold.limit
        steps = [_step(fold, kept, order is None, data) for kept in sets]
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


@contextmanager
def _alone(data: Data) -> Iterator[None]:
    """Without warnings, on one thread, and where rows have weights without metadata routing: every process does the same then."""
    told = {} if data.weights is None else {"enable_metadata_routing": False}
    with warnings.catch_warnings(), threadpool_limits(1), config_context(**told):
        warnings.simplefilter("ignore")
        yield


def _working_clock() -> float:
    """Seconds without compilation, which happens once, in whichever fold comes first."""
    return time.perf_counter() - compiling.seconds


def whole_selection(selector: BaseEstimator, sifts: str, size: Any, data: Data) -> dict[str, list[int]]:
    """What a method keeps of the whole table: ``kept``, and ``order`` if it has a ranking."""
    rows = data.counted
    fold = Fold("", selector, sifts, 0, rows, np.arange(0), [] if size is None else [size])
    X = data.X if len(rows) == len(data.y) else rows_of(data.X, rows)
    with _alone(data):
        order, sets = _selection(fold, X, data.y[rows], rows, data)
    kept = sets[0]
    if isinstance(kept, Made):
        return {"kept": [], "order": []}
    if sifts == "rows":
        kept = rows[kept]
    return {"kept": kept.tolist(), "order": [] if order is None else order.tolist()}


def held_out(name: str, tasks: list[tuple[Rows, Rows, Rows]], data: Data) -> NDArray[np.float64]:
    """What a model predicts for the rows held out, NaN elsewhere; a task is training rows, rows held out, and columns."""
    predicted = np.full(len(data.y), np.nan)
    with _alone(data):
        for train, test, columns in tasks:
            X, model = columns_of(data.X, columns), clone(data.models[name])
            told = weights_for(model, data.weights, train)
            try:
                fitted = model.fit(rows_of(X, train), data.y[train], **told)
                predicted[test] = np.asarray(fitted.predict(rows_of(X, test))).ravel()
            except (ValueError, TypeError):  # it is among the failures of the comparison
                continue
    return predicted


def _selection(
    fold: Fold, X: Any, y: NDArray[Any], rows: Rows, data: Data
) -> tuple[Rows | None, Sequence[Rows | Made]]:
    """The ranking, if there is one, and what is kept, or made, at each size; X and y are those of the rows."""
    everything = np.arange(X.shape[1] if fold.sifts == "columns" else len(y))
    if fold.selector is None:
        return None, [everything]
    if fold.sifts == "rows":
        return None, list(_row_sets(fold, X, y, data.weights_of(rows)))
    selector = clone(fold.selector)
    told = weights_for(selector, data.weights, rows) | groups_for(selector, data.groups, rows)
    return column_sets(selector, X, y, fold.sizes, **told)


def _row_sets(
    fold: Fold, X: ArrayLike, y: NDArray[Any], weights: NDArray[np.float64] | None
) -> Iterator[Rows | Made]:
    told = weights_for(fold.selector, weights)
    if not fold.sizes:
        yield np.asarray(clone(fold.selector).fit(X, y, **told).sample_indices_)
    for size in fold.sizes:
        wanted = max(1, round(size * len(y))) if isinstance(size, float) else min(size, len(y))
        selector = clone(fold.selector).set_params(n_prototypes=wanted)
        rows, labels = selector.fit_resample(X, y, **told)
        kept = getattr(selector, "sample_indices_", None)
        yield Made(rows, np.asarray(labels)) if kept is None else np.asarray(kept)


def _step(fold: Fold, kept: Rows | Made, say_kept: bool, data: Data) -> dict[str, Any]:
    """One size, not yet judged."""
    unjudged: dict[str, list[float | None]] = {
        name: [None] * (len(measured(data.target_kind, data.score)) + 1) for name in data.models
    }
    listed = None
    if say_kept and fold.selector is not None and not isinstance(kept, Made):
        listed = (kept if fold.sifts == "columns" else fold.train[kept]).tolist()
    return {"n_kept": kept.size, "kept": listed, "scores": unjudged, "failed": {}}


def _judge(
    fold: Fold,
    data: Data,
    name: str,
    kept: Rows | Made,
    X: ArrayLike,
    y: NDArray[Any],
    step: dict[str, Any],
) -> None:
    """Add to `step` the scores of one model on what is kept; rows that were made have no weights."""
    start = time.perf_counter()
    X_test, y_test = rows_of(data.X, fold.test), data.y[fold.test]
    weights, counts = data.weights_of(fold.train), data.weights_of(fold.test)
    if isinstance(kept, Made):
        (X, y), weights = kept, None
    elif fold.sifts == "columns":
        X, X_test = columns_of(X, kept), columns_of(X_test, kept)
    elif len(kept) < len(y):
        X, y = rows_of(X, kept), y[kept]
        weights = None if weights is None else weights[kept]
    scores: list[float | None]
    n_scores = len(measured(data.target_kind, data.score))
    try:
        model = clone(data.models[name])
        fitted = model.fit(X, y, **weights_for(model, weights))
        classes = None if data.target_kind == "numbers" else np.unique(data.y[data.counted])
        scores = scores_of(fitted, X_test, y_test, classes, counts)
        if n_scores > len(scores):
            scores.append(scorer_score(str(data.score), fitted, X_test, y_test, counts))
    except (ValueError, TypeError) as error:
        step["failed"][name] = " ".join(str(error).split())
        scores = [None] * n_scores
    step["scores"][name] = [*scores, time.perf_counter() - start]


def scores_of(
    fitted: Any,
    X: Any,
    y: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: NDArray[np.float64] | None = None,
) -> list[float | None]:
    """The scores of a fitted model on rows held out: `number_scores`, or with classes `class_scores`."""
    predicted = np.asarray(fitted.predict(X))
    if classes is None:
        return number_scores(predicted, y, weights)
    return class_scores(predicted, class_chances(fitted, X, classes), y, classes, weights)
