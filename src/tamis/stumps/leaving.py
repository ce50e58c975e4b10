"""The backward elimination of columns: what the columns are worth, and which of them leave.

Plain numpy: it is called once per model, and knows models by what their rounds add to the worth of columns alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Model(NamedTuple):
    """What a boosted model tells of its columns, one entry for each column of each round, in order of the rounds."""

    column: Int
    round: Int
    margin: Float  # its part in alpha times the sum of y h(x) over the rows
    ratio: Float  # its part in alpha


class Plan(NamedTuple):
    """How an elimination goes."""

    priors: Float  # (problems,)
    by_margin: bool  # by eq. (10), else by eq. (7)
    step: float  # columns that leave together, or, below 1, their share
    step_until: int
    tie_order: Int  # the columns in the order in which equals leave
    parents: Int = np.empty(
        (0, 2), dtype=np.int64
    )  # (pairs, 2) of the last columns of the table, which are pairs


class Record(NamedTuple):
    """What an elimination has done: one entry per column, in the order in which they left."""

    column: Int
    score: Float
    n_columns: Int


def elimination_plan(
    n_problems: int, priors: ArrayLike | None, criterion: str, step: int | float, step_until: int
) -> Plan:
    """How the elimination goes, without its order of ties; `priors` weigh the problems, all the same if None."""
    if criterion not in ("margin_fraction", "contribution_ratio"):
        raise ValueError(
            f"eliminate: criterion={criterion!r}. Use 'margin_fraction' or 'contribution_ratio'."
        )
    if step <= 0 or (step > 1 and step != int(step)) or step_until < 1:
        raise ValueError(
            f"eliminate: step={step}, step_until={step_until}. Use a whole number from 1, or a share between 0 and 1, "
            "for step, and a whole number from 1 for step_until."
        )
    weigh = np.full(n_problems, 1.0 / n_problems)
    if priors is not None and n_problems > 1:
        weigh = np.array(priors, dtype=np.float64)
    if weigh.shape != (n_problems,):
        raise ValueError(f"eliminate: priors has shape {weigh.shape}, but there are {n_problems} problems.")
    return Plan(
        weigh, criterion == "margin_fraction", float(step), int(step_until), np.empty(0, dtype=np.int64)
    )


def column_scores(models: list[Model], plan: Plan, n_columns: int) -> tuple[Float, Float]:
    """What each column is worth, and by what to compare them.

    Worth is the numerator of eq. (10) or (7) over its sum; where that is not positive, over the sum of the absolute
    values; with several problems the mean of these, weighted by the priors. One problem is compared by the numerators.
    A pair of columns gives half of its numerator to each of the two, and has none.
    """
    shares = np.zeros(n_columns)
    for prior, model in zip(plan.priors, models):
        parts = model.margin if plan.by_margin else model.ratio
        numerators = np.asarray(np.bincount(model.column, parts, n_columns), dtype=np.float64)
        for pair, two in enumerate(plan.parents, start=n_columns - len(plan.parents)):
            numerators[two] += numerators[pair] / 2
            numerators[pair] = 0.0
        total = np.add.accumulate(numerators)[-1]  # one after the other, unlike np.sum
        if not total > 0.0:
            total = np.add.accumulate(np.abs(numerators))[-1]
        if total > 0.0:
            shares += prior * (numerators / total)
    return shares, numerators if len(models) == 1 else shares


def n_leaving(n_left: int, step: float, step_until: int) -> int:
    """How many of the `n_left` surviving columns leave together."""
    if n_left <= step_until:
        return 1
    n_leave = int(step) if step >= 1.0 else max(1, int(step * n_left))
    return min(n_leave, n_left - step_until)


def leaving_order(keys: Float, tie_order: Int, surviving: NDArray[np.bool_]) -> Int:
    """The surviving columns in the order in which they would leave this model: ascending key, then tie order."""
    left = tie_order[surviving[tie_order]]
    key = keys[left]
    other = left[key != 0.0]  # few; all columns that no stump uses have 0
    other = other[np.argsort(keys[other], kind="stable")]
    n_negative = np.count_nonzero(key < 0.0)
    return np.concatenate([other[:n_negative], left[key == 0.0], other[n_negative:]])


def drop_columns(
    models: list[Model], plan: Plan, surviving: NDArray[np.bool_], record: Record, restart: Int
) -> int:
    """Let columns leave, step by step, until a column that some model uses has left, or none is left.

    Returns how many have left in all. Written: `surviving` (d,), `record`, and into `restart` (problems,) the round in
    which each model first used a column that has left, the number of its rounds if it did not.
    """
    used = np.zeros(len(surviving), dtype=np.bool_)
    for model in models:
        used[model.column] = True
    if len(plan.parents):
        used[plan.parents[used[len(used) - len(plan.parents) :]]] = True
    shares, keys = column_scores(models, plan, len(surviving))
    order = leaving_order(keys, plan.tie_order, surviving)
    n_gone = len(record.column) - len(order)
    used_later = np.flatnonzero(used[order])
    first_used = int(used_later[0]) if len(used_later) else len(order)  # those before it change no model
    n_leaves = 0
    while n_leaves < len(order) and n_leaves <= first_used:
        n_left = len(order) - n_leaves
        n_together = n_leaving(n_left, plan.step, plan.step_until)
        record.n_columns[n_gone + n_leaves : n_gone + n_leaves + n_together] = n_left
        n_leaves += n_together
    record.column[n_gone : n_gone + n_leaves] = order[:n_leaves]
    record.score[n_gone : n_gone + n_leaves] = shares[order[:n_leaves]]
    surviving[order[:n_leaves]] = False
    if len(plan.parents):
        surviving[len(used) - len(plan.parents) :] = surviving[plan.parents].all(axis=1)
    for problem, model in enumerate(models):
        gone = np.flatnonzero(~surviving[model.column])
        n_rounds = model.round[-1] + 1 if len(model.round) else 0
        restart[problem] = model.round[gone[0]] if len(gone) else n_rounds
    return n_gone + n_leaves
