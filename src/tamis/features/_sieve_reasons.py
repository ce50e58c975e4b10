"""Why a column has its rank: it tells something alone, only with another, or what another tells already."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.features._concordance import concordance_of_targets
from tamis.features._sieve_part import Part
from tamis.features._twins import unit_ranks
from tamis.features.pair_scan import PairScan
from tamis.features.univariate import class_weights, column_scores
from tamis.table._distinct import CONSTANT, first_equals
from tamis.table._table import Numbers, Table, Target

Float = NDArray[np.float64]
Ints = NDArray[np.intp]

ALIKE = 0.9  # from this absolute rank correlation on, a column repeats another
NO_BETTER, BEATS = "no better than its decoy", "beats its decoy"  # where a rate was asked for
N_SHUFFLES = 20
_N_PARTNERS = 100  # the best columns, among which partners are looked for
_SURE = 0.05  # p values below are beyond chance


def column_reasons(
    part: Part,
    order: Ints,
    support: NDArray[np.bool_],
    names: Sequence[str],
    random: np.random.RandomState,
    *,
    joint: bool = False,
    drawn: bool = False,
    verdicts: Sequence[str] | None = None,
) -> list[str]:
    """A sentence for every column of the whole table, given from best to worst and whether each is kept.

    Where the part's rows are `drawn` of more, others may tell constants and copies apart. `verdicts` are those of decoys.
    """
    so_far = " in the rows looked at" if drawn else ""
    own = part.columns[part.distinct.columns]
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    ranked, own_names = np.argsort(rank[own]), [names[j] for j in own]
    told_of = part.own, part.target, part.weights
    found = reasons(*told_of, ranked, support[own], own_names, random, joint=joint)
    told = dict(zip(own.tolist(), found))
    for j, first in zip(part.columns[part.distinct.copies], part.distinct.first[part.distinct.copies]):
        told[int(j)] = f"the same as {names[part.columns[first]]}{so_far}"
    constants = [*part.columns[part.distinct.constants], *(own[:1] if _is_constant(part.own) else ())]
    told |= {int(j): f"constant{so_far}" for j in constants}
    if verdicts is not None:
        told |= {int(j): _with_verdict(told[int(j)], verdicts[j]) for j in own}
    return [told.get(j, "excluded") for j in range(part.n_columns)]


def _with_verdict(reason: str, verdict: str) -> str:
    """The reason with what decoys say of the column where they do not beat it, or where nothing else speaks for it."""
    words = {"chance": NO_BETTER, "kept": BEATS if reason == "chance" else ""}.get(verdict, "")
    if not words or reason == "chance":
        return words or reason
    return f"{reason}; {words}" if not reason.startswith("constant") else reason


def reasons(
    table: Table,
    target: Target | Numbers,
    weights: Float | None,
    order: Ints,
    kept: NDArray[np.bool_],
    names: Sequence[str],
    random: np.random.RandomState,
    *,
    joint: bool = False,
) -> list[str]:
    """A short reason per column.

    Parameters
    ----------
    table : Table
        The table, without constant columns and copies.
    target : Target or Numbers
        The classes, or the numbers.
    weights : ndarray, shape (n,), or None
        The weights of the rows.
    order : ndarray of int, shape (d,)
        The columns from best to worst.
    kept : ndarray of bool, shape (d,)
        Which columns are kept.
    names : sequence of str
        The names of the columns.
    random : RandomState
        Used to shuffle the target.
    joint : bool, default=False
        Whether rows held out have shown that many columns tell something together (`joint_order`).

    Returns
    -------
    list of str
        "alone: AUC .81" ("alone: concordance .81" of numbers), "only with income", "says what age says (rank correlation
        .97)", "with many others only", "chance".
    """
    areas, alone = told_alone(table, target, weights, random)
    again = said_before(table, order)
    partner = {}
    lonely = [int(j) for j in order if kept[j] and not alone[j] and int(j) not in again]
    if lonely:
        partner = partners(table, target, weights, lonely, order)
    measure = "concordance" if isinstance(target, Numbers) else "AUC"
    found = []
    for j in range(table.n_columns):
        parts = []
        if alone[j]:
            parts.append(f"alone: {measure} {_decimals(areas[j])}")
        elif j in partner:
            parts.append(f"only with {names[partner[j]]}")
        if j in again:
            other, correlation = again[j]
            parts.append(f"says what {names[other]} says (rank correlation {_decimals(correlation)})")
        found.append("; ".join(parts) or ("with many others only" if joint and kept[j] else "chance"))
    return found


def told_alone(
    table: Table, target: Target | Numbers, weights: Float | None, random: np.random.RandomState
) -> tuple[Float, NDArray[np.bool_]]:
    """The area under the ROC curve, or concordance, of each column by itself, and whether it is beyond chance.

    The target is shuffled 20 times. A column's area is measured by how far it is from its mean over the target itself and the shuffles,
    in units of their deviation, and so is its area in every shuffle; so in noise all 21 are alike. Since 21 values tell a variance
    roughly, that of a column is averaged with the median of all. Beyond chance is what is above the largest of any column in any
    shuffle (Westfall and Young's maximum statistic): in one table of noise in 21, some column is.
    """
    if isinstance(target, Numbers):
        targets = [target.values, *(random.permutation(target.values) for _ in range(N_SHUFFLES))]
        areas = concordance_of_targets(table, targets, weights, True)
    else:
        rows = np.ones(table.n_rows) if weights is None else weights
        others = (Target(random.permutation(target.codes), target.classes) for _ in range(N_SHUFFLES))
        areas = np.stack([column_scores(table, class_weights(rows, one), True) for one in (target, *others)])
    variances = areas.var(axis=0)
    spread = np.sqrt((variances + np.median(variances)) / 2)
    away = (areas - areas.mean(axis=0)) / np.maximum(spread, 1e-9)
    return areas[0], away[0] > away[1:].max()


def said_before(table: Table, order: Ints) -> dict[int, tuple[int, float]]:
    """For numeric columns: the most correlated better column, where the absolute rank correlation is .9 or more."""
    ranks = unit_ranks(table)
    numeric = [int(j) for j in order if not table.nominal[j]]
    found: dict[int, tuple[int, float]] = {}
    seen = np.empty((table.n_rows, len(numeric)))
    for n_better, j in enumerate(numeric):
        seen[:, n_better] = ranks[:, j]
        if n_better:
            with_better = seen[:, :n_better].T @ ranks[:, j]
            best = int(np.argmax(np.abs(with_better)))
            if abs(with_better[best]) >= ALIKE:
                found[j] = numeric[best], float(with_better[best])
    return found


def partners(
    table: Table, target: Target | Numbers, weights: Float | None, lonely: Sequence[int], order: Ints
) -> dict[int, int]:
    """For columns that tell nothing alone: the best partner with which they tell something, if there is one.

    The p value of the pair must be below .05, corrected for all pairs of the columns tested: `lonely` and the 100 best.
    """
    seen = np.unique(np.concatenate([np.array(lonely, dtype=np.intp), order[:_N_PARTNERS]]))
    numeric = isinstance(target, Numbers)
    labels = target.values if isinstance(target, Numbers) else target.codes
    scan = PairScan(
        categorical_features=table.nominal[seen], target_kind="numbers" if numeric else "classes"
    ).fit(table.values[:, seen], labels, weights)
    found: dict[int, int] = {}
    told = scan.pairs_
    for first, second, p_value in zip(seen[told["first"]], seen[told["second"]], told["p_value"]):
        for column, other in ((first, second), (second, first)):
            if p_value < _SURE and column in lonely:
                found.setdefault(int(column), int(other))
    return found


def _is_constant(table: Table) -> bool:
    """Whether the table has one column only, without two values: where all columns are constant, one takes part."""
    return table.n_columns == 1 and first_equals(table.values, table.nominal)[0] == CONSTANT


def _decimals(value: float) -> str:
    """Two decimals without the 0 before them; what is below 1 is not rounded to it."""
    if abs(value) > 1 - 1e-9:
        return f"{value:.2f}"
    return f"{min(max(value, -0.99), 0.99):.2f}".replace("0.", ".", 1)
