"""Fit a method on a table, and give what it keeps as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tamis.cli._screen import working
from tamis.cli._sentences import UserError, said

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.table._dataset import Dataset


def fitted(estimator: BaseEstimator, method: Method, dataset: Dataset) -> Any:
    """The estimator, fitted by `fitted_as` under the name of its method."""
    return fitted_as(method.name, estimator, dataset)


def fitted_as(
    name: str,
    estimator: BaseEstimator,
    dataset: Dataset,
    groups: NDArray[Any] | None = None,
    weights: NDArray[Any] | None = None,
) -> Any:
    """The estimator, fitted, while the screen shows `name`. A table that it refuses becomes a `UserError`.

    Where there are `groups` or `weights` of rows, its ``fit`` takes them.

    An estimator refuses a table by raising a ValueError, or a TypeError whose message begins with the estimator's name.
    Any other error is a bug in tamis and keeps its traceback.
    """
    rows, columns = dataset.X.shape
    if type(estimator).__name__ == "Sieve":
        from tamis.cli._warm import compile_members_ahead

        compile_members_ahead(dataset)
    try:
        with working(f"{name} on {rows} rows x {columns} columns"):
            told = {"groups": groups, "sample_weight": weights}
            known = {name: one for name, one in told.items() if one is not None}
            return estimator.fit(dataset.X, dataset.y, **known)
    except ValueError as error:
        raise UserError(said(error)) from error
    except TypeError as error:
        if not str(error).startswith(f"{type(estimator).__name__}:"):
            raise
        raise UserError(said(error)) from error


def ranked_columns(
    selector: BaseEstimator, dataset: Dataset, *, kept: bool, judged: BaseEstimator | None = None
) -> pl.DataFrame:
    """The columns from best to worst: rank, column, score, and with `kept` also whether the column is kept.

    Where `judged`, or else the method, gives verdicts at a false discovery rate, these and the q values stand beside.

    Where a search decided the ranks, the score need not fall with the rank; it is then named for what it is.
    """
    import polars as pl

    judged = selector if judged is None else judged
    answer = pl.DataFrame(
        {
            "rank": selector.ranking_,
            "column": dataset.X.columns,
            getattr(selector, "_score_name", "score"): selector.scores_,
            **({"kept": selector.support_} if kept else {}),
            **({"q": judged.q_values_, "verdict": judged.verdicts_} if hasattr(judged, "verdicts_") else {}),
        }
    )
    return answer.sort("rank")


def whole_table(dataset: Dataset) -> pl.DataFrame:
    """The features and the target as one table."""
    import polars as pl

    return dataset.X.with_columns(pl.Series(dataset.target, dataset.y))


def kept_columns(selector: BaseEstimator, dataset: Dataset, weights: pl.Series | None = None) -> pl.DataFrame:
    """The table with the kept columns, the column of weights, which is needed wherever they are used, and the target."""
    names = [name for name, is_kept in zip(dataset.X.columns, selector.support_) if is_kept]
    kept: pl.DataFrame = whole_table(dataset)[[*names, dataset.target]]
    return kept if weights is None else kept.insert_column(-1, weights)


def kept_rows(selector: BaseEstimator, dataset: Dataset) -> pl.DataFrame:
    """The table with the kept rows, in their original order, or with the new rows that the method made."""
    import polars as pl

    if hasattr(selector, "prototypes_"):
        made: pl.DataFrame = selector.prototypes_.with_columns(pl.Series(dataset.target, selector.labels_))
        return made
    rows: pl.DataFrame = whole_table(dataset)[selector.sample_indices_.tolist()]
    return rows


def kept_labels(selector: BaseEstimator, dataset: Dataset) -> NDArray[Any]:
    """The class labels of the rows that were kept or made."""
    labels: NDArray[Any] = (
        selector.labels_ if hasattr(selector, "labels_") else dataset.y[selector.sample_indices_]
    )
    return labels


def class_counts(labels: NDArray[Any]) -> str:
    """The number of rows per class, in words."""
    import numpy as np

    classes, counts = np.unique(labels, return_counts=True)
    return ", ".join(f"{count} of {label!r}" for label, count in zip(classes.tolist(), counts.tolist()))
