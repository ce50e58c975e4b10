"""What FS2Boost minimises, from its parameters: by the votes of nearest neighbours, or by a learner that was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils import check_random_state

from tamis.neighbors import MixedSpace
from tamis.table._table import Numbers, Table, Target
from tamis.votes.criterion import NeighborMeans, NeighborVotes, TwoClassProblems
from tamis.votes.models import ModelVotes, weak_learner

if TYPE_CHECKING:
    from tamis.features.fs2boost import FS2Boost


def criterion_of(selector: FS2Boost, table: Table, target: Target | Numbers) -> NeighborVotes | ModelVotes:
    """Return the criterion of sets of columns, on the rows of the search."""
    rows = selector.search_rows_
    if selector.estimator is not None and isinstance(target, Target):
        return _by_learner(selector, table, target)
    space = MixedSpace.fit(table.values, table.nominal, selector.metric)
    coordinates = space.scaled(table.values[rows]).coordinates
    settings: dict[str, Any] = {
        "n_neighbors": min(selector.n_neighbors, len(rows) - 1),
        "n_rounds": selector.n_rounds,
        "squared": space.squared,
        "lowest": selector.ties == "lowest",
        "n_jobs": selector.n_jobs,
    }
    if isinstance(target, Numbers):
        return NeighborMeans(coordinates, target.values[rows], **settings)
    problems = TwoClassProblems.by_class_weight(selector, target, selector.class_weight, rows)
    return NeighborVotes(
        coordinates,
        target.codes[rows],
        problems,
        criterion=selector.criterion,
        by_sign=selector.vote == "sign",
        **settings,
    )


def _by_learner(selector: FS2Boost, table: Table, target: Target) -> ModelVotes:
    """Return the criterion of sets of columns by the weak learner that was given."""
    rows, who = selector.search_rows_, type(selector).__name__
    if selector.criterion == "accuracy":
        raise ValueError(
            f"{who}: criterion='accuracy' is for nearest neighbours, but estimator={selector.estimator!r} was given. Use a "
            "criterion of boosting, or scikit-learn's SequentialFeatureSelector."
        )
    return ModelVotes(
        table.values[rows],
        table.nominal,
        target.codes[rows],
        TwoClassProblems.by_class_weight(selector, target, selector.class_weight, rows),
        weak_learner(who, selector.estimator, table),
        criterion=selector.criterion,
        n_rounds=selector.n_rounds,
        by_sign=selector.vote == "sign",
        seed=int(check_random_state(selector.random_state).randint(2**31)),
        n_jobs=selector.n_jobs,
    )
