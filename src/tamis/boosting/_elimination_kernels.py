"""Kernels of the backward elimination: what the columns are worth, and which of them leave.

They know models by their columns, alphas and u alone, and so serve any engine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel


class Models(NamedTuple):
    """The boosted models of several problems, one row each."""

    n_rounds: Any  # (problems,) rounds trained
    column: Any  # (problems, T)
    alpha: Any
    u: Any


class Plan(NamedTuple):
    """How an elimination goes."""

    priors: Any  # (problems,)
    by_margin: bool  # by eq. (10), else by eq. (7)
    step: float  # columns that leave together, or, below 1, their share
    step_until: int
    tie_order: Any  # the columns in the order in which equals leave


class Record(NamedTuple):
    """What an elimination has done: one entry a column, in the order in which they left."""

    column: Any
    score: Any
    n_columns: Any


@kernel
def column_scores(models: Models, plan: Plan, n_columns: int) -> tuple[Any, Any]:
    """Return what each column is worth, and by what to compare them.

    Worth is the numerator of eq. (10) or (7) over its sum; where that is not positive, over the sum of the absolute
    values; with several problems the mean of these, weighted by the priors. One problem is compared by the numerators.
    """
    n_problems = len(models.n_rounds)
    shares = np.zeros(n_columns)
    numerators = np.empty(n_columns)
    for problem in range(n_problems):
        numerators[:] = 0.0
        for t in range(models.n_rounds[problem]):
            alpha = models.alpha[problem, t]
            numerators[models.column[problem, t]] += alpha * models.u[problem, t] if plan.by_margin else alpha
        total = 0.0
        for value in numerators:
            total += value
        if not total > 0.0:
            total = 0.0
            for value in numerators:
                total += abs(value)
        if total > 0.0:
            for column in range(n_columns):
                shares[column] += plan.priors[problem] * (numerators[column] / total)
    return shares, numerators if n_problems == 1 else shares


@kernel
def n_leaving(n_left: int, step: float, step_until: int) -> int:
    """Return how many of the `n_left` surviving columns leave together."""
    if n_left <= step_until:
        return 1
    n_leave = int(step) if step >= 1.0 else max(1, int(step * n_left))
    return min(n_leave, n_left - step_until)


@kernel
def leaving_order(keys: Any, used: Any, tie_order: Any, surviving: Any) -> Any:
    """Return the surviving columns in the order in which they would leave this model: ascending key, then tie order.

    The key of an unused column is 0; the used ones are few and sorted by insertion.
    """
    n_columns = len(tie_order)
    queue = np.empty(n_columns, np.int64)
    n_queued = 0
    n_negative = 0
    n_unused = 0
    for column in tie_order:
        if not surviving[column]:
            continue
        if not used[column]:
            n_unused += 1
            continue
        k = n_queued
        while k > 0 and keys[column] < keys[queue[k - 1]]:
            queue[k] = queue[k - 1]
            k -= 1
        queue[k] = column
        n_queued += 1
        n_negative += keys[column] < 0.0
    order = np.empty(n_queued + n_unused, np.int64)
    order[:n_negative] = queue[:n_negative]
    n_zero = n_negative
    for column in tie_order:
        if surviving[column] and keys[column] == 0.0:
            order[n_zero] = column
            n_zero += 1
    order[n_zero:] = queue[n_queued + n_zero - len(order) : n_queued] if n_zero < len(order) else queue[:0]
    return order


@kernel
def drop_columns(models: Models, plan: Plan, surviving: Any, record: Record, restart: Any) -> int:
    """Let columns leave, step by step, until one leaves on which the models rest, or none is left.

    Returns how many have left in all. Written: `surviving` (d,), `record`, and into `restart` (problems,) the round in
    which each model first used a column that has left, the number of its rounds if it did not.
    """
    used = np.zeros(len(surviving), np.bool_)
    for problem in range(len(models.n_rounds)):
        for t in range(models.n_rounds[problem]):
            used[models.column[problem, t]] = True
    shares, keys = column_scores(models, plan, len(surviving))
    order = leaving_order(keys, used, plan.tie_order, surviving)
    n_gone = len(record.column) - len(order)
    place = 0
    model_rests = True
    while place < len(order) and model_rests:
        n_left = len(order) - place
        for _ in range(n_leaving(n_left, plan.step, plan.step_until)):
            column = order[place]
            place += 1
            model_rests &= not used[column]
            surviving[column] = False
            record.column[n_gone] = column
            record.score[n_gone] = shares[column]
            record.n_columns[n_gone] = n_left
            n_gone += 1
    for problem in range(len(models.n_rounds)):
        restart[problem] = 0
        while (
            restart[problem] < models.n_rounds[problem]
            and surviving[models.column[problem, restart[problem]]]
        ):
            restart[problem] += 1
    return n_gone
