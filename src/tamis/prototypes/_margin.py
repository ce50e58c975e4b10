"""The search of MarginPrototypes on plain arrays: the first lists, passes over candidates, swaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays, Memory
from tamis._threads import Team
from tamis.neighbors import STEPS, MixedSpace
from tamis.neighbors._products import Single
from tamis.prototypes._condense import in_blocks, plain_first
from tamis.prototypes._kernels.margin import (
    LOSS_STEPS,
    Account,
    all_distances,
    first_swap,
    listed,
    opened,
    swap,
)
from tamis.prototypes._kernels.margin_products import first_swap_by_products
from tamis.prototypes._margin_products import MOST_CANDIDATES, MOST_PRODUCTS, Products
from tamis.table._table import Table, Target

CACHED_ROWS = 4096
"""Up to this many rows all distances are stored, 4 bytes each (64 MB); beyond, they are measured when needed."""

LEAST = 1e-9
"""A swap must lower the loss by more than this fraction of it."""

TOGETHER = 512
"""The most candidates that a thread looks at in one call: between calls Ctrl-C is noticed."""


def new_account(
    table: Table, target: Target, kept: NDArray[np.intp], weights: NDArray[np.float64], team: Team
) -> tuple[Account, Products | None]:
    """Lay out the rows, and list for each the nearest of those kept.

    Parameters
    ----------
    table, target
        The rows and their classes.
    kept : ndarray of int
        The rows to start from.
    weights : ndarray of shape (2, n_rows)
        The weight of a row's loss while it is not kept, and while it is.
    team : Team
        The threads.

    Returns
    -------
    Account
        The account before any loss is computed.
    Products or None
        What bounds distances, where they are not stored and bounds are the faster way.
    """
    n_rows, n_columns = table.values.shape
    space = MixedSpace.fit(table.values, table.nominal, "l2")
    rows = space.scaled(table.values)
    coordinates, n_plain = plain_first(rows, np.arange(n_rows))
    cached = n_rows <= CACHED_ROWS and n_columns * STEPS < 2**31
    products = None if cached else Products.of(rows, kept, target.codes)
    blocks = in_blocks(coordinates if products is None else coordinates[:1])
    slots = np.full((5, n_rows), -1, dtype=np.int64)
    slots[4, kept] = np.arange(len(kept))
    account = Account(
        blocks=blocks,
        rows=coordinates,
        n_plain=n_plain,
        codes=target.codes,
        cache=all_distances(blocks, coordinates, n_plain) if cached else np.empty((0, 0), dtype=np.int32),
        weights=weights,
        kept=kept.astype(np.int64),
        kept_blocks=in_blocks(coordinates[kept]),
        near=np.empty((4, n_rows)),
        slots=slots,
        terms=np.empty((4, n_rows), dtype=np.int64),
        removal=np.empty(len(kept), dtype=np.int64),
    )

    def lists(part: int, n_parts: int) -> None:
        listed(account, part * n_rows // n_parts, (part + 1) * n_rows // n_parts)

    if products is None:
        team.each(lists)
    else:
        products.list_all(account, team)
    return account, products


def swapped(
    account: Account,
    products: Products | None,
    betas: Sequence[float],
    max_passes: int,
    candidates: Callable[[], NDArray[np.int64]],
    team: Team,
    history: dict[str, list[Any]],
    memory: Memory,
) -> Iterator[tuple[float, int, int, float]]:
    """Swap kept rows for others while that lowers the loss, for one beta after the other.

    Parameters
    ----------
    account : Account
        Rows and lists; written to.
    products : Products or None
        What bounds distances; written to.
    betas : sequence of float
        How steep the loss is.
    max_passes : int
        The largest number of passes over the candidates for each beta.
    candidates : callable
        Returns the candidates of the next pass, in order.
    team : Team
        The threads.
    history : dict of lists, one entry per swap
        ``beta``, ``pass``, ``removed``, ``added``, ``loss``; written to.
    memory : Memory
        Stores finished passes; the swaps of a stored pass are repeated without searching for them.

    Yields
    ------
    tuple
        After every pass: beta, the number of the pass from 1, its number of swaps, and the loss.
    """
    for stage, beta in enumerate(betas):
        loss = int(opened(account, beta))
        for number in range(1, max_passes + 1):
            before = len(history["beta"])
            order = candidates()
            part = f"beta {stage}, pass {number}"  # the stage, because the same beta may occur twice
            stored = memory.recall(part)
            if stored is not None:
                swaps = _repeated_swaps(account, products, stored, beta, team)
            elif products is None:
                swaps = _searched_swaps(account, order, beta, loss, team)
            else:
                swaps = _swaps_by_products(account, products, order, beta, loss, team)
            for removed, added, rise in swaps:
                loss += rise
                for name, value in zip(history, (beta, number, removed, added, loss / LOSS_STEPS)):
                    history[name].append(value)
            if stored is None:
                pairs = {
                    name: np.array(history[name][before:], dtype=np.int64) for name in ("removed", "added")
                }
                memory.keep(part, pairs)
            yield beta, number, len(history["beta"]) - before, loss / LOSS_STEPS
            if len(history["beta"]) == before:
                break


def _searched_swaps(
    account: Account, order: NDArray[np.int64], beta: float, loss: int, team: Team
) -> Iterator[tuple[int, int, int]]:
    """Search for the swaps of one pass and make them; yield the rows removed and added, and the rise of the loss."""
    start, gap = 0, TOGETHER
    while True:
        pos, slot = _next_swap(account, order, start, beta, loss, team, gap)
        if pos == len(order):
            return
        removed, added = int(account.kept[slot]), int(order[pos])
        rise = int(swap(account, slot, added, beta))
        loss += rise
        yield removed, added, rise
        start, gap = pos + 1, (gap + pos - start + 1) // 2


def _swaps_by_products(
    account: Account, products: Products, order: NDArray[np.int64], beta: float, loss: int, team: Team
) -> Iterator[tuple[int, int, int]]:
    """As `_searched_swaps`; the products of a candidate stay what they are while others are swapped."""
    most = max(1, min(MOST_CANDIDATES, MOST_PRODUCTS // account.rows.shape[0]))
    for first in range(0, len(order), most):
        candidates = order[first : first + most]
        lines, base = products.lines(candidates, team)
        start = 0
        while start < len(candidates):
            pos, slot = _next_by_products(account, candidates, lines, base, start, beta, loss, team)
            if pos == len(candidates):
                break
            removed, added = int(account.kept[slot]), int(candidates[pos])
            rise = products.swap(account, slot, added, (lines[pos], base[pos]), beta)
            loss += rise
            yield removed, added, rise
            start = pos + 1


def _repeated_swaps(
    account: Account, products: Products | None, stored: Arrays, beta: float, team: Team
) -> Iterator[tuple[int, int, int]]:
    """Make the swaps of a stored pass again."""
    for removed, added in zip(stored["removed"].tolist(), stored["added"].tolist()):
        slot = int(account.slots[4, removed])
        if products is None:
            yield removed, added, int(swap(account, slot, added, beta))
        else:
            lines, base = products.lines(np.array([added]), team)
            yield removed, added, products.swap(account, slot, added, (lines[0], base[0]), beta)


def _next_by_products(
    account: Account,
    candidates: NDArray[np.int64],
    lines: Single,
    base: NDArray[np.float64],
    start: int,
    beta: float,
    loss: int,
    team: Team,
) -> tuple[int, int]:
    """As `_next_swap`, among a few candidates whose products are known."""
    first_swaps: list[tuple[int, int]] = [(len(candidates), 0)] * team.n_parts

    def look(part: int, n_parts: int) -> None:
        length = -(-(len(candidates) - start) // n_parts)
        some = slice(start + part * length, min(start + (part + 1) * length, len(candidates)))
        pos, slot, _ = first_swap_by_products(
            account, candidates[some], lines[some], base[some], beta, loss, LEAST
        )
        found = pos < len(candidates[some])
        first_swaps[part] = (some.start + int(pos) if found else len(candidates), int(slot))

    team.each(look)
    return min(first_swaps)


def _next_swap(
    account: Account,
    order: NDArray[np.int64],
    start: int,
    beta: float,
    loss: int,
    team: Team,
    gap: int,
) -> tuple[int, int]:
    """Return the first position from `start` on whose candidate is worth a swap, and the slot that it takes.

    Every thread looks through its own stretch of candidates, about as long as the latest swaps were apart. What
    comes after the first swap is looked at again once it is made, so that threads change nothing but the time.
    """
    length = TOGETHER if team.n_parts == 1 else max(1, min(TOGETHER, gap // team.n_parts))
    first_swaps: list[tuple[int, int]] = [(0, 0)] * team.n_parts

    def look(part: int, n_parts: int) -> None:
        first = start + part * length
        stretch = order[first : first + length]
        pos, slot, _ = first_swap(account, stretch, beta, loss, LEAST)
        first_swaps[part] = (first + int(pos) if pos < len(stretch) else len(order), int(slot))

    while start < len(order):
        team.each(look)
        earliest = min(first_swaps)
        if earliest[0] < len(order):
            return earliest
        start += length * team.n_parts
        length = min(TOGETHER, 2 * length)
    return len(order), 0
