"""From a table to the arrays of the chain kernels, and from their totals to how often each column was used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.chains._kernels.pairs import update_slots
from tamis.chains._kernels.prior import PRECISION, draw_start, update_hyperparameters, update_precision
from tamis.chains._kernels.sweeping import BLOCK, update_columns, update_rest

Float = NDArray[np.float64]
N_SLOTS = 8
MOST_LEVELS = 32  # the most frequent categories of a column, which have views of their own
_LINE = 16  # rows are padded to a whole cache line of single-precision numbers


class Table(NamedTuple):
    """What the kernels read; the shapes are in `sweeping.py`."""

    bases: NDArray[np.float32]
    rows: NDArray[np.float32]
    owners: NDArray[np.int64]
    first: NDArray[np.int64]
    y: NDArray[np.float32]


class Chain(NamedTuple):
    """A hypothesis and its hyperparameters, which the kernels write to; the shapes are in `sweeping.py`."""

    shapes: NDArray[np.int64]
    views: NDArray[np.int64]
    weights: Float
    ends: NDArray[np.int64]
    signs: NDArray[np.int64]
    slot_weights: Float
    numbers: Float
    groups: Float
    random: NDArray[np.uint64]


@dataclass(frozen=True)
class Views:
    """The columns as the chains see them.

    Parameters
    ----------
    used : ndarray of int, shape (d',)
        The columns that take part; constant columns do not.
    first : ndarray of int, shape (d' + 1,)
        First view of each of them.
    bases : ndarray, shape (v, 2, n)
        Both bases of each view: mean 0 and variance 1 over the rows where the value is known, 0 elsewhere.
    """

    used: NDArray[np.intp]
    first: NDArray[np.int64]
    bases: Float

    @classmethod
    def of(cls, values: Float, nominal: NDArray[np.bool_]) -> Views:
        """Read the columns of `values`, shape (n, d), in which NaN is a missing value."""
        used, counts, bases = [], [], []
        for k in range(values.shape[1]):
            views = _nominal_views(values[:, k]) if nominal[k] else _numeric_views(values[:, k])
            if views:
                used.append(k)
                counts.append(len(views))
                bases += views
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(np.asarray(used, dtype=np.intp), first, np.asarray(bases).reshape(-1, 2, len(values)))

    def sorted_rows(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        """Return an order of the rows that depends only on their values; eight views first, all if rows are still equal."""
        keys = self.bases[:, 0]
        for width in (8, len(keys)):
            order = np.lexsort([*keys[:width], codes])
            differ = np.diff(keys[:width, order], axis=1).any(axis=0) | (np.diff(codes[order]) != 0)
            if differ.all():
                break
        return order


def _numeric_views(column: Float) -> list[Float]:
    """Return the views of a numeric column: rank with folded rank, and whether the value is missing."""
    known = ~np.isnan(column)
    n = int(known.sum())
    views = []
    if n and column[known].min() < column[known].max():
        _, inverse, counts = np.unique(column[known], return_inverse=True, return_counts=True)
        ends = np.cumsum(counts)
        # n u: twice the mean rank, centred
        t = (2 * ends - counts + 1 - (n + 1)).astype(np.float64)[inverse]
        basis = np.zeros((2, len(column)))
        basis[0, known], basis[1, known] = _standardised(t), _standardised((t / n) ** 2)
        if len(counts) == 2 or not basis[1].any():
            basis[1] = basis[0]  # with two values there is no middle
        views.append(basis)
    return views + _indicators([~known])


def _nominal_views(column: Float) -> list[Float]:
    """Return the views of a categorical column: one per category, and whether the value is missing."""
    known = ~np.isnan(column)
    levels, counts = np.unique(column[known], return_counts=True)
    often = levels[np.sort(np.argsort(-counts, kind="stable")[:MOST_LEVELS])]
    if len(levels) == 2 and known.all():
        often = often[1:]
    return _indicators([column == level for level in often] + [~known])


def _indicators(masks: list[NDArray[np.bool_]]) -> list[Float]:
    """Return both bases of yes-or-no views, without those that are always or never true."""
    views = []
    for mask in masks:
        if 0 < mask.sum() < len(mask):
            basis = _standardised(mask.astype(np.float64))
            views.append(np.stack([basis, basis]))
    return views


def _standardised(values: Float) -> Float:
    """Scale to mean 0 and variance 1, or all 0; summed one by one, for the same bits on every machine."""
    n = len(values)
    centred = values - np.cumsum(values)[-1] / n
    variance = np.cumsum(centred * centred)[-1] / n
    result: Float = centred / np.sqrt(variance) if variance > 1e-20 else np.zeros(n)
    return result


@dataclass(frozen=True)
class Sampled:
    """The results of one chain.

    Parameters
    ----------
    on, pairs, used : ndarray, shape (d',)
        Mean over the sweeps of the probability that the column is in the hypothesis by itself; mean of the probability
        that it is in pairs, summed over the slots; and the fraction of the hypotheses that used it at all.
    log_likelihood, n_used : ndarray, shape (sweeps,)
        After each sweep.
    """

    on: Float
    pairs: Float
    used: Float
    log_likelihood: Float
    n_used: Float


def sampled(
    table: Table, *, additive: bool, n_sweeps: int, n_burn_in: int, seed: int, numeric: bool = False
) -> Sampled:
    """Run one chain.

    Parameters
    ----------
    table : Table
        The columns and classes, from `packed`, or numbers, from `packed_numbers`; only read, so that chains may share it.
    additive : bool
        Whether hypotheses are sums of columns only, without mirrored halves and pairs.
    n_sweeps, n_burn_in : int
        All sweeps, and those at the start that are not counted.
    seed : int
        Seed of all random choices.
    numeric : bool, default=False
        Whether the target of the table is numeric.

    Returns
    -------
    Sampled
        Means over the sweeps after the burn-in.
    """
    n_columns = len(table.first) - 1
    chain = empty_chain(n_columns, additive=additive, numeric=numeric, seed=seed)
    work, totals = work_space(table), np.zeros((3, n_columns))
    trace = np.empty((2, n_sweeps - n_burn_in))
    with np.errstate(over="ignore"):  # random integers overflow on purpose
        draw_start(table, chain)
        for t in range(n_burn_in):
            sweep(table, chain, work, 0.3 + 0.7 * t / n_burn_in, np.zeros_like(totals))
        for t in range(n_sweeps - n_burn_in):
            trace[0, t] = sweep(table, chain, work, 1.0, totals)
            used = in_use(table, chain)
            totals[2] += used
            trace[1, t] = used.sum()
    on, pairs, used_share = totals / (n_sweeps - n_burn_in)
    return Sampled(on, pairs, used_share, trace[0], trace[1])


def sweep(table: Table, chain: Chain, work: NDArray[np.float32], power: float, totals: Float) -> float:
    """Update everything once with the likelihood raised to `power`; return the log-likelihood.

    The probability that a column is on is added to ``totals[0]``, its probabilities of being in the slots to
    ``totals[1]``.
    """
    fields = update_columns(table, chain, work, power, totals[0])
    if len(chain.signs):
        update_slots(table, chain, fields, power, totals[1])
    log_likelihood = update_rest(table, chain, fields, work, power)
    if chain.numbers[PRECISION] > 0:
        log_likelihood = update_precision(chain, len(table.rows), log_likelihood, power)
    update_hyperparameters(table, chain)
    return float(log_likelihood)


def in_use(table: Table, chain: Chain) -> NDArray[np.bool_]:
    """Return which columns the hypothesis uses, alone or in a pair; shape (d',)."""
    used: NDArray[np.bool_] = chain.shapes > 0
    used[table.owners[chain.ends[chain.signs != 0]]] = True
    return used


def packed(views: Views, codes: NDArray[Any], labels: Iterable[int]) -> list[Table]:
    """Return the arrays that the kernels read, rows sorted by their values; one table per label against the rest.

    The tables share all arrays but y.
    """
    order = views.sorted_rows(codes)
    shared = _of_rows(views, order, np.zeros(len(order)))
    tables = []
    for label in labels:
        y = np.zeros_like(shared.y)
        y[: len(order)] = np.where(codes[order] == label, 1, -1)
        tables.append(shared._replace(y=y))
    return tables


def packed_numbers(views: Views, numbers: Float) -> Table:
    """Return the arrays that the kernels read for a numeric target, of which only the ranks are used, standardised."""
    order = views.sorted_rows(numbers)
    _, inverse, counts = np.unique(numbers[order], return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(counts) - counts).astype(np.float64)  # twice the mean rank
    table = _of_rows(views, order, _standardised(ranks[inverse]))
    table.y[len(order) :] = np.nan
    return table


def _of_rows(views: Views, order: NDArray[np.intp], y: NDArray[Any]) -> Table:
    """Return the arrays that the kernels read, rows in this order; `y` stands in it already."""
    n_views, _, n = views.bases.shape
    width = -(-n // _LINE) * _LINE
    bases = np.zeros((n_views, 2, width), np.float32)
    bases[:, :, :n] = views.bases[:, :, order]
    rows = np.ascontiguousarray(bases[:, 0, :n].T)
    owners = np.repeat(np.arange(len(views.used)), np.diff(views.first))
    padded = np.zeros(width, np.float32)
    padded[:n] = y
    return Table(bases, rows, owners, views.first, padded)


def empty_chain(n_columns: int, *, additive: bool, seed: int, numeric: bool = False) -> Chain:
    """Return a chain with every column and slot off, to be filled by the kernels."""
    numbers = np.zeros(7)
    numbers[PRECISION] = float(numeric)
    n_slots = 0 if additive or n_columns < 2 else N_SLOTS
    return Chain(
        shapes=np.zeros(n_columns, np.int64),
        views=np.zeros(n_columns, np.int64),
        weights=np.ones(n_columns),
        ends=np.zeros((n_slots, 2), np.int64),
        signs=np.zeros(n_slots, np.int64),
        slot_weights=np.ones(n_slots),
        numbers=numbers,
        groups=np.zeros((2, 2 if additive else 5)),
        random=np.asarray([seed], np.uint64),
    )


def work_space(table: Table) -> NDArray[np.float32]:
    """Return working space for the terms of a likelihood, with zeros and ones beyond the rows."""
    work = np.zeros((2, -(-len(table.y) // BLOCK) * BLOCK), np.float32)
    work[1] = 1
    return work
