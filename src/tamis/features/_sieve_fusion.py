"""Several rankers of the same columns: the members of a sieve, the ranking of each, and the fused ranking."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone

from tamis._parameters import capped
from tamis.features._base import FeatureSelector
from tamis.features._curves import column_order, groups_for
from tamis.features._sieve_joint import joint_order
from tamis.features._sieve_part import Part, few_rows, of_rows
from tamis.features._sieve_search import HeadSearch
from tamis.features.bdsfs import BDSFS
from tamis.features.gram_schmidt import GramSchmidt
from tamis.features.pair_scan import PairScan
from tamis.features.sbsmf import SBSMF
from tamis.features.simba import Simba
from tamis.table._table import Numbers, Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]
Ints = NDArray[np.intp]

OFFSET = 10  # a rank r is worth 1 / (OFFSET + r)
HEAD, STEPS = 24, 12  # columns at the head of the ranking that are searched, and how many of them are taken
_VOTES = 2  # what a vote of the search for a rank counts, in votes of all members together
SEARCH_ROWS = 600
_TREES, _TIMES = 30, 4  # trees that judge a search; up to 4 times as many on few rows (noisier errors)
_SURE, _MOST_PAIRS = 0.05, 8  # pairs with a smaller corrected p value may be taken together, at most 8
_WIDE = 500  # the most columns that a member of quadratic cost ranks
_QUADRATIC = (BDSFS, GramSchmidt, PairScan)


def slowest_is_compiled() -> bool:
    """Whether the kernel that takes longest to compile has been compiled on this machine."""
    from tamis._jit import is_compiled
    from tamis.pairs._kernels.score_tests import log_p_values

    return is_compiled(log_p_values)


def default_members(*, numeric: bool = False) -> list[tuple[str, Any]]:
    """The members that did best together on one half of the tables of benchmarks/columns.py.

    For a numeric target: on Friedman's functions and five tables, with other seeds than those of benchmarks/numeric_targets.py.
    """
    if numeric:
        return [
            ("margins", SBSMF()),
            ("order", SBSMF(loss="ranks")),
            ("gain", BDSFS()),
            ("cosine", GramSchmidt()),
            ("pairs", PairScan()),
        ]
    return [
        ("margins", SBSMF()),
        ("small steps", SBSMF(learning_rate=0.1, n_rounds=200)),
        ("gain", BDSFS()),
        ("neighbours", Simba()),
        ("cosine", GramSchmidt()),
        ("pairs", PairScan()),
    ]


@dataclass(frozen=True)
class Fusion:
    """The ranking of the columns by all members together, and by each.

    Attributes
    ----------
    scores : ndarray, shape (d,)
        Higher is better.
    order : ndarray of int, shape (d,)
        The columns from best to worst.
    ranks : ndarray of int, shape (m, d)
        The rank that each member gives to each column, 1 the best.
    joint : bool
        Whether columns stand where they stand since many of them tell something together.
    seconds : float
        How long that took.
    """

    scores: Float
    order: Ints
    ranks: NDArray[np.int64]
    joint: bool = False
    seconds: float = 0.0


def ranks_of(order: Ints) -> NDArray[np.int64]:
    """The rank of each column, 1 the best."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def fused_scores(ranks: NDArray[np.int64]) -> Float:
    """The mean of 1 / (10 + rank) over the members (m, d): reciprocal rank fusion, in which first places count most."""
    scores: Float = np.sort(1 / (OFFSET + ranks), axis=0).mean(axis=0)
    return scores


def fusion(
    members: Sequence[Any],
    part: Part,
    random: np.random.RandomState,
    *,
    search: bool,
    n_jobs: int | None,
) -> Fusion:
    """Rank the columns by every member, fuse the ranks, and search the head of the fused order.

    Parameters
    ----------
    members : sequence of estimators
        They are cloned. Where there are many columns, members of quadratic cost rank only the head of the ranking that
        the others give.
    part : Part
        Its columns that are neither constant nor copies are ranked.
    random : RandomState
        Seeds the members and draws the rows of the search.
    search : bool
        Whether the head is searched.
    n_jobs : int or None
        How many members are fitted at the same time.
    """
    table, began = part.own, time.monotonic()
    kind = "numbers" if isinstance(part.target, Numbers) else "classes"
    seeds = random.randint(np.iinfo(np.int32).max, size=len(members))
    made = [_prepared(member, table.nominal, kind, int(seed)) for member, seed in zip(members, seeds)]
    late = [table.n_columns > _WIDE and isinstance(member, _QUADRATIC) for member in made]
    if all(late):
        late = [False] * len(made)
    ranks = np.empty((len(made), table.n_columns), dtype=np.int64)
    for turn in (False, True):
        now = [number for number, its in enumerate(late) if its == turn]
        early = ranks[[not its for its in late]]
        head = None if not turn or not now else _order(fused_scores(early), early[0])
        orders = Parallel(n_jobs=capped(n_jobs), prefer="threads")(
            delayed(_member_order)(made[number], part, head) for number in now
        )
        for number, order in zip(now, orders):
            ranks[number] = ranks_of(order)
    scores = fused_scores(ranks)
    joint = False
    if search and table.n_columns > 1:
        scores, joint = _searched(part, scores, ranks[0], _sure_pairs(made, late, head), random)
    return Fusion(scores, _order(scores, ranks[0]), ranks, joint, time.monotonic() - began)


def _prepared(member: BaseEstimator, nominal: NDArray[np.bool_], kind: str, seed: int) -> Any:
    """A copy of a member, told which columns are nominal (categorical) and the target's kind, with a seed where it has none."""
    made = clone(member)
    known = made.get_params(deep=False)
    if isinstance(made, FeatureSelector):
        made.set_params(categorical_features=nominal)
    if known.get("target_kind") == "auto":
        made.set_params(target_kind=kind)
    if "random_state" in known and known["random_state"] is None:
        made.set_params(random_state=seed)
    return made


def _member_order(member: BaseEstimator, part: Part, head: Ints | None) -> Ints:
    """The columns from best to worst; where `head` is given, the member ranks only its first columns."""
    table, labels = part.own, part.labels
    seen = np.arange(table.n_columns) if head is None else np.sort(head[:_WIDE])
    if head is not None:
        member.set_params(categorical_features=table.nominal[seen])
    extra = {} if part.weights is None else {"sample_weight": part.weights}
    extra |= groups_for(member, part.groups)
    order = column_order(member, table.values[:, seen], labels, **extra)
    if order is None:
        raise ValueError(
            f"Sieve: the member {type(member).__name__} has no ranking after fit. Use a ranker, or a model with "
            "feature_importances_ or coef_."
        )
    order = seen[order]
    return order if head is None else np.concatenate([order, head[_WIDE:]])


def _sure_pairs(members: Sequence[Any], late: Sequence[bool], head: Ints | None) -> list[tuple[int, int]]:
    """The pairs, the best first, that a `PairScan` among the members finds to tell more together than alone."""
    found: list[tuple[int, int]] = []
    for member, its in zip(members, late):
        if isinstance(member, PairScan):
            seen = np.arange(member.n_features_in_) if head is None or not its else np.sort(head[:_WIDE])
            told = member.pairs_
            sure = told["p_value"] < _SURE
            found += zip(seen[told["first"][sure]].tolist(), seen[told["second"][sure]].tolist())
    return found


def _searched(
    part: Part,
    scores: Float,
    ranks: NDArray[np.int64],
    pairs: Sequence[tuple[int, int]],
    random: np.random.RandomState,
) -> tuple[Float, bool]:
    """The scores after the search forwards and, where that is shown to be better, backwards; and whether it was.

    `ranks`, one a column, decide where scores tie.
    """
    rows = few_rows(part.target, SEARCH_ROWS, random)
    table = Table(part.own.values[rows], part.own.schema)
    head, seed = _order(scores, ranks)[:HEAD], int(random.randint(np.iinfo(np.int32).max))
    n_trees = _TREES * max(1, min(_TIMES, SEARCH_ROWS // len(rows)))
    search = HeadSearch(table, of_rows(part.target, rows), head, n_trees=n_trees, seed=seed)
    position = {column: k for k, column in enumerate(head.tolist())}
    within = [(position[a], position[b]) for a, b in pairs if a in position and b in position]
    taken, _ = search.run(STEPS, within[:_MOST_PAIRS])
    voted = _with_votes(scores, taken)
    joint = joint_order(table, of_rows(part.target, rows), _order(voted, ranks), random)
    if joint is not None:
        voted = _with_votes(voted, joint)
    return voted, joint is not None


def _with_votes(scores: Float, order: Ints) -> Float:
    """The scores with a vote for an order of columns that weighs twice as much as all members'."""
    voted = scores.copy()
    voted[order] += _VOTES / (OFFSET + np.arange(1, len(order) + 1))
    return voted


def _order(scores: Float, ranks: NDArray[np.int64]) -> Ints:
    """The columns by decreasing score, and on ties by the ranks that one member gives, not by where they stand in the table."""
    return np.lexsort((ranks, -scores))
