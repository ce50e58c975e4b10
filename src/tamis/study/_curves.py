"""What a selector keeps at every size, and how well a model does on it in one fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_selection import RFE, SequentialFeatureSelector
from sklearn.utils import _safe_indexing

from tamis.table._encode import as_frame


def columns_of(X: Any, columns: NDArray[np.intp]) -> Any:
    """Columns of an array or of any frame, by position."""
    frame = as_frame(X)
    if frame is None:
        return X[:, columns]
    return frame[:, columns.tolist()].to_native()


def size_parameter(selector: Any) -> str | None:
    """The parameter that says how many columns are kept; None where there is none."""
    names = ("n_features_to_select", "max_features", "k")
    return next((name for name in names if name in selector.get_params(deep=False)), None)


def finds_its_number(selector: Any) -> bool:
    """Whether a column selector decides itself how many it keeps, as RFECV, SelectorCV and Boruta do.

    What has neither a number nor a ``transform`` is only asked for its ranking.
    """
    return hasattr(selector, "transform") and size_parameter(selector) is None


def own_columns(selector: Any, X: Any, y: NDArray[Any]) -> NDArray[np.intp]:
    """The columns that a fitted selector keeps, as many as it will."""
    selector.fit(X, y)
    kept = selector.get_support() if hasattr(selector, "get_support") else selector.support_
    return np.flatnonzero(kept)


def sized(selector: Any, size: int) -> Any:
    """A copy of the selector that keeps `size` columns, by whichever parameter it has for that."""
    name = size_parameter(selector)
    if name is not None:
        return clone(selector).set_params(**{name: size})
    raise ValueError(
        f"{type(selector).__name__} has neither a ranking nor a parameter for the number of columns "
        "(n_features_to_select, max_features or k). Give another selector."
    )


def column_order(selector: Any, X: Any, y: NDArray[Any]) -> NDArray[np.intp] | None:
    """Fit, and read off the columns from best to worst; None where the selector has no ranking."""
    parameters = selector.get_params(deep=False)
    if isinstance(selector, SequentialFeatureSelector):
        return None  # knows only the set it ends with
    if isinstance(selector, RFE) and "n_features_to_select" in parameters:
        selector.set_params(n_features_to_select=1)  # a full ranking instead of many firsts
    elif "k" in parameters:
        selector.set_params(k="all")
    selector.fit(X, y)
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
    selector: Any, X: Any, y: NDArray[Any], sizes: list[int]
) -> tuple[NDArray[np.intp] | None, list[NDArray[np.intp]]]:
    """The ranking, if there is one, and the columns kept at each size, ascending.

    A ranker is fitted once for all sizes, any other selector once a size. Without any size the selector decides.
    """
    if not sizes:
        return None, [own_columns(selector, X, y)]
    order = column_order(selector, X, y)
    if order is not None:
        return order, [np.sort(order[:size]) for size in sizes]
    return None, [np.flatnonzero(sized(selector, size).fit(X, y).get_support()) for size in sizes]


def column_curve(
    selector: Any,
    model: Any,
    score: Any,
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    sizes: list[int],
) -> list[float]:
    """Held-out score of each size in one fold: the selector sees the training rows only."""
    X_train, y_train = _safe_indexing(X, train), _safe_indexing(y, train)
    X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
    scores = []
    for columns in column_sets(selector, X_train, y_train, sizes)[1]:
        fitted = clone(model).fit(columns_of(X_train, columns), y_train)
        scores.append(float(score(fitted, columns_of(X_test, columns), y_test)))
    return scores


def row_curve(
    selector: Any,
    model: Any,
    score: Any,
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    sizes: list[float],
) -> list[float]:
    """Held-out score of each number of kept rows in one fold."""
    X_train, y_train = _safe_indexing(X, train), _safe_indexing(y, train)
    X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
    scores = []
    for size in sizes:
        kept = clone(selector).set_params(n_prototypes=size).fit_resample(X_train, y_train)
        scores.append(float(score(clone(model).fit(*kept), X_test, y_test)))
    return scores
