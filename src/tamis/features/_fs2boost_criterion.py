"""What FS2Boost minimises, from its parameters: by the votes of nearest neighbours, or by a learner that was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from tamis.neighbors import MixedSpace
from tamis.table._table import Numbers, Table, Target
from tamis.table.weights import group_codes, number_weights, row_weights, weighed_numbers, weighed_rows
from tamis.votes.criterion import NeighborMeans, NeighborVotes, TwoClassProblems
from tamis.votes.models import ModelVotes, weak_learner

if TYPE_CHECKING:
    from tamis.features.fs2boost import FS2Boost


@dataclass(frozen=True)
class Given:
    """What a search is given: the rows of positive weight.

    Attributes
    ----------
    table : Table
        Their values.
    target : Target or Numbers
        Their classes or numbers.
    weights : ndarray, shape (n,), or None
        Their weights.
    groups : ndarray of int, shape (n,), or None
        Their groups.
    rows : ndarray of int, shape (n,)
        Their positions in the caller's table.
    """

    table: Table
    target: Target | Numbers
    weights: NDArray[np.float64] | None
    groups: NDArray[np.int64] | None
    rows: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        selector: FS2Boost,
        table: Table,
        target: Target | Numbers,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
    ) -> Given:
        """Leave out rows of weight 0."""
        numbers = None if groups is None else group_codes(type(selector).__name__, table.n_rows, groups)
        every = np.arange(table.n_rows)
        if sample_weight is None:
            return cls(table, target, None, numbers, every)
        left: Target | Numbers
        if isinstance(target, Numbers):
            alive = number_weights(selector, target, sample_weight) > 0
            table, left, weights = weighed_numbers(selector, table, target, sample_weight)
        else:
            alive = row_weights(selector, target, sample_weight) > 0
            table, left, weights = weighed_rows(selector, table, target, sample_weight)
        return cls(table, left, weights, None if numbers is None else numbers[alive], every[alive])


def criterion_of(selector: FS2Boost, given: Given, rows: NDArray[np.intp]) -> NeighborVotes | ModelVotes:
    """Return the criterion of sets of columns, on some rows of what is given."""
    table, target = given.table, given.target
    if selector.estimator is not None and isinstance(target, Target):
        return _by_learner(selector, given, target, rows)
    space = MixedSpace.fit(table.values, table.nominal, selector.metric)
    coordinates = space.scaled(table.values[rows]).coordinates
    settings: dict[str, Any] = {
        "n_neighbors": min(selector.n_neighbors, len(rows) - 1),
        "n_rounds": selector.n_rounds,
        "squared": space.squared,
        "lowest": selector.ties == "lowest",
        "n_jobs": selector.n_jobs,
        "together": _together(selector, given, rows),
    }
    if isinstance(target, Numbers):
        weights = None if given.weights is None else given.weights[rows]
        return NeighborMeans(coordinates, target.values[rows], weights=weights, **settings)
    problems, labels = TwoClassProblems.by_class_weight(
        selector, target, selector.class_weight, rows, given.weights
    )
    return NeighborVotes(
        coordinates,
        labels,
        problems,
        criterion=selector.criterion,
        by_sign=selector.vote == "sign",
        **settings,
    )


def _together(selector: FS2Boost, given: Given, rows: NDArray[np.intp]) -> NDArray[np.int64] | None:
    """Return the group of each row, if there are groups; refuse a single one."""
    if given.groups is None:
        return None
    own = given.groups[rows]
    if own.min() == own.max():
        raise ValueError(
            f"{type(selector).__name__}: groups holds one group only, whose rows have no neighbours. Give two groups or more, or "
            "leave it out."
        )
    return own


def _by_learner(selector: FS2Boost, given: Given, target: Target, rows: NDArray[np.intp]) -> ModelVotes:
    """Return the criterion of sets of columns by the weak learner that was given."""
    table, who = given.table, type(selector).__name__
    if selector.criterion == "accuracy":
        raise ValueError(
            f"{who}: criterion='accuracy' is for nearest neighbours, but estimator={selector.estimator!r} was given. Use a "
            "criterion of boosting, or scikit-learn's SequentialFeatureSelector."
        )
    problems, labels = TwoClassProblems.by_class_weight(
        selector, target, selector.class_weight, rows, given.weights
    )
    return ModelVotes(
        table.values[rows],
        table.nominal,
        labels,
        problems,
        weak_learner(who, selector.estimator, table),
        criterion=selector.criterion,
        n_rounds=selector.n_rounds,
        by_sign=selector.vote == "sign",
        seed=int(check_random_state(selector.random_state).randint(2**31)),
        n_jobs=selector.n_jobs,
    )
