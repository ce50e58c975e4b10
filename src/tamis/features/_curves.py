"""What a selector keeps at every size, how well a model does on it in one fold, and which size the folds choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from tamis.table._encode import as_frame
from tamis.table._rows import rows_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


EVERY_SIZE_UP_TO = 60
LEVEL = 0.5  # standard errors of the difference from the best within which a size is level with it


def columns_of(X: Any, columns: NDArray[np.intp]) -> Any:
    """Columns of an array or of any frame, by position."""
    frame = as_frame(X)
    if frame is None:
        return X[:, columns]
    return frame[:, columns.tolist()].to_native()


def size_parameter(selector: BaseEstimator) -> str | None:
    """The parameter that says how many columns are kept; None where there is none."""
    names = ("n_features_to_select", "max_features", "k")
    return next((name for name in names if name in selector.get_params(deep=False)), None)


def finds_its_number(selector: BaseEstimator) -> bool:
    """Whether a column selector decides itself how many it keeps, as RFECV, SelectorCV and Boruta do.

    What has neither a number nor a ``transform`` is only asked for its ranking.
    """
    return hasattr(selector, "transform") and size_parameter(selector) is None


def own_columns(selector: BaseEstimator, X: ArrayLike, y: NDArray[Any], **extra: Any) -> NDArray[np.intp]:
    """Fit, and give the columns that the selector keeps, as many as it will; what is in `extra` goes to ``fit``."""
    selector.fit(X, y, **extra)
    kept = selector.get_support() if hasattr(selector, "get_support") else selector.support_
    return np.flatnonzero(kept)


def sized(selector: BaseEstimator, size: int) -> Any:
    """A copy of the selector that keeps `size` columns, by whichever parameter it has for that."""
    name = size_parameter(selector)
    if name is not None:
        return clone(selector).set_params(**{name: size})
    raise ValueError(
        f"{type(selector).__name__} has neither a ranking nor a parameter for the number of columns "
        "(n_features_to_select, max_features or k). Give another selector."
    )


def column_order(
    selector: BaseEstimator, X: ArrayLike, y: NDArray[Any], **extra: Any
) -> NDArray[np.intp] | None:
    """Fit, and read off the columns from best to worst; None where the selector has no ranking.

    What is in `extra` goes to ``fit``.
    """
    parameters = selector.get_params(deep=False)
    if isinstance(selector, SequentialFeatureSelector):
        return None  # knows only the set it ends with
    if isinstance(selector, RFE) and "n_features_to_select" in parameters:
        selector.set_params(n_features_to_select=1)  # a full ranking instead of many firsts
    elif "k" in parameters:
        selector.set_params(k="all")
    elif hasattr(selector, "_rank_only"):
        selector._rank_only = True  # no size is sought by resampling in every fold of another resampling
    selector.fit(X, y, **extra)
    ranking = getattr(selector, "ranking_", None)
    if ranking is not None:
        return np.argsort(np.asarray(ranking), kind="stable")
    for source in (selector, getattr(selector, "estimator_", None)):
        for name in ("scores_", "feature_importances_", "coef_"):
            scores = getattr(source, name, None)
            if scores is not None:
                flat = np.asarray(scores, dtype=np.float64)
                if name == "coef_":
                    flat = np.linalg.norm(np.atleast_2d(flat), axis=0)
                return np.argsort(-np.nan_to_num(flat, nan=-np.inf), kind="stable")
    return None


def column_sets(
    selector: BaseEstimator, X: ArrayLike, y: NDArray[Any], sizes: list[int], **extra: Any
) -> tuple[NDArray[np.intp] | None, list[NDArray[np.intp]]]:
    """The ranking, if there is one, and the columns kept at each size, ascending.

    A ranker is fitted once for all sizes, any other selector once a size. Columns that come and go together are kept together; fixed ones
    always. Without any size the selector decides.
    """
    if not sizes:
        return None, [own_columns(selector, X, y, **extra)]
    order = column_order(selector, X, y, **extra)
    units = getattr(selector, "_units", None)
    if order is not None and units is not None:
        return order, [units.firsts(order, size) for size in sizes]
    if order is not None:
        return order, [np.sort(order[:size]) for size in sizes]
    return None, [np.flatnonzero(sized(selector, size).fit(X, y, **extra).get_support()) for size in sizes]


def order_and_curve(
    selector: BaseEstimator,
    model: BaseEstimator,
    score: Any,
    X: ArrayLike,
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    sizes: list[int],
    weights: NDArray[np.float64] | None = None,
    groups: NDArray[Any] | None = None,
    *,
    best_first: bool = False,
) -> tuple[NDArray[np.intp] | None, list[Any]]:
    """The ranking on the training rows of one fold, and the held-out score of each size, as `score` tells it.

    The `weights` of the rows go to the selector, to the score, and to the model where it takes them; `groups` of rows that belong
    together to the selector where it takes them. The model sees the columns in the order of the table or, with `best_first`, of the
    ranking, so that what it draws does not depend on where they stand in the table.
    """
    X_train, y_train = rows_of(X, train), rows_of(y, train)
    X_test, y_test = rows_of(X, test), rows_of(y, test)
    scores = []
    extra = weights_for(selector, weights, train)
    held = {} if weights is None else {"sample_weight": weights[test]}
    together = groups_for(selector, groups, train)
    order, sets = column_sets(selector, X_train, y_train, sizes, **extra, **together)
    extra = weights_for(model, weights, train)
    for columns in sets:
        if best_first and order is not None:
            columns = order[np.isin(order, columns)]
        fitted = clone(model).fit(columns_of(X_train, columns), y_train, **extra)
        scores.append(score(fitted, columns_of(X_test, columns), y_test, **held))
    return order, scores


def weights_for(
    estimator: BaseEstimator, weights: NDArray[np.float64] | None, rows: Any = slice(None)
) -> dict[str, Any]:
    """The weights of some rows as an argument of ``fit``; none where there are none, or the estimator takes none.

    A pipeline hands them to each of its steps that takes them, if the last one does.
    """
    if weights is None or not takes_weights(estimator):
        return {}
    if not isinstance(estimator, Pipeline):
        return {"sample_weight": weights[rows]}
    steps = [name for name, step in estimator.steps if takes_weights(step)]
    return {f"{name}__sample_weight": weights[rows] for name in steps}


def takes_weights(estimator: Any) -> bool:
    """Whether weights of rows can be told to an estimator: its ``fit`` takes ``sample_weight``, or hands it on to what it holds.

    What hands it on is a pipeline, RFE, SelectFromModel, and whatever names what it holds in ``_weighed_part``. Not so with
    scikit-learn's metadata routing, which asks the user for a request.
    """
    if isinstance(estimator, Pipeline):
        part = estimator.steps[-1][1]
    elif isinstance(estimator, RFE | SelectFromModel) and not isinstance(estimator, RFECV):
        part = estimator.estimator
    else:
        part = getattr(estimator, "_weighed_part", None)
    if part is not None:
        return not get_config()["enable_metadata_routing"] and takes_weights(part)
    return hasattr(estimator, "fit") and has_fit_parameter(estimator, "sample_weight")


def groups_for(
    selector: BaseEstimator, groups: NDArray[Any] | None, rows: Any = slice(None)
) -> dict[str, Any]:
    """The groups of some rows as an argument of ``fit``; none where there are none, or the selector takes none."""
    return {} if groups is None or not has_fit_parameter(selector, "groups") else {"groups": groups[rows]}


def column_sizes(n_columns: int) -> list[int]:
    """Every number of columns up to 60, then some 20 more up to all of them, evenly on a log scale."""
    dense = list(range(1, min(n_columns, EVERY_SIZE_UP_TO) + 1))
    if n_columns <= EVERY_SIZE_UP_TO:
        return dense
    sparse = np.unique(np.geomspace(EVERY_SIZE_UP_TO, n_columns, 21).round().astype(int))[1:]
    return [*dense, *sparse.tolist()]


def size_results(
    sizes: list[Any], scores: NDArray[np.float64], n_folds: int | None = None
) -> dict[str, NDArray[Any]]:
    """The scores (folds, sizes) as ``cv_results_`` holds them.

    Where folds are repeated, `n_folds` of them hold out every row once, and the standard error is that of so many.
    """
    n_splits = len(scores)
    n_apart = n_splits if n_folds is None else min(n_folds, n_splits)
    spread = scores.std(axis=0, ddof=1) / np.sqrt(n_apart) if n_splits > 1 else np.zeros(len(sizes))
    return {
        "size": np.asarray(sizes),
        "mean_test_score": scores.mean(axis=0),
        "std_test_score": scores.std(axis=0),
        "standard_error": spread,
        **{f"split{fold}_test_score": scores[fold] for fold in range(n_splits)},
    }


def chosen_size(sizes: Sequence[Any], scores: NDArray[np.float64], rule: str, who: str = "Sieve") -> Any:
    """The size by the rule, from the scores (folds, sizes); sizes ascend, so that the first one that will do is the smallest.

    "best": the size of the best mean. "one_standard_error": the smallest whose mean is within the standard error of the best
    mean. "level": the smallest that is behind the best by at most half the standard error of that difference, as `behind_best`
    has it.
    """
    unknown = np.argwhere(~np.isfinite(scores))
    if len(unknown):
        fold, place = unknown[0].tolist()
        raise ValueError(
            f"{who}: with {sizes[place]} kept, the score in fold {fold + 1} is {scores[fold, place]}, so no size can be chosen. Use "
            "a score that is a finite number on the rows of every fold, or other folds: some scores need rows of every class."
        )
    mean = scores.mean(axis=0)
    best = int(np.argmax(mean))
    if rule == "level":
        behind, error = behind_best(scores)
        enough = behind <= LEVEL * error
    elif rule == "one_standard_error":
        enough = mean >= mean[best] - size_results(list(sizes), scores)["standard_error"][best]
    else:
        enough = mean >= mean[best]
    return sizes[int(np.flatnonzero(enough)[0])]


def behind_best(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By how much each size is behind the size of the best mean, and the standard error of that, over folds; scores (folds, sizes).

    Both sizes are scored on the same rows in a fold, so that what makes one fold harder than another does not count.
    """
    best = int(np.argmax(scores.mean(axis=0)))
    behind = scores[:, [best]] - scores
    mean: NDArray[np.float64] = behind.mean(axis=0)
    if len(scores) < 2:
        return mean, np.zeros(scores.shape[1])
    error: NDArray[np.float64] = behind.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return mean, error
