"""The loops of MarginPrototypes where matrix products say which rows can be near: few pairs are left to be measured.

Symbols are those of ``margin.py`` and of ``neighbors/_kernels/products.py``: the distance of a query and a row is
2**21 (base - product) at least, and products are wrong by `slack` at most. What is measured decides, so that the swaps
are those of ``margin.py``.

Who calls whom
--------------
    first_swap_by_products -> reached_rows -> pair_distance (``neighbors/_kernels/distance.py``)
    first_swap_by_products -> best_slot (``margin.py``)
    begin_swap             -> withdraw, insert (``margin.py``)
    list_by_products       -> pair_distance, insert
    end_swap               -> enter (``margin.py``)
"""

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import pair_distance
from tamis.neighbors._kernels.products import TO_UNITS
from tamis.prototypes._kernels.margin import best_slot, enter, insert, withdraw


@kernel
def reached_rows(account, candidate, products, base, distances, reached):
    """Write the rows that lie nearer to a candidate than their second nearest into `reached`; return how many.

    products is (rows,) float32, those of the candidate. Their distances go into `distances`, (rows,) float64.
    """
    codes, near, rows = account.codes, account.near, account.rows
    code, n_possible = codes[candidate], 0
    for row in range(codes.shape[0]):  # without branches, which the processor could not predict
        reached[n_possible] = row
        limit = base - near[1 + 2 * (codes[row] != code), row] * TO_UNITS
        n_possible += np.float64(products[row]) > limit
    n_reached = 0
    for p in range(n_possible):
        row = reached[p]
        distance = pair_distance(rows, candidate, rows, row, True)
        if distance < near[1 + 2 * (codes[row] != code), row]:
            distances[row] = distance
            reached[n_reached] = row
            n_reached += 1
    return n_reached


@kernel
def first_swap_by_products(account, candidates, products, base, beta, loss, least):
    """As `first_swap`; products is (candidates, rows) float32, base (candidates,) float64."""
    n_rows = account.codes.shape[0]
    correction = np.empty(account.kept.shape[0], dtype=np.int64)
    reached, distances = np.empty(n_rows + 1, dtype=np.int64), np.empty(n_rows)
    for pos in range(candidates.shape[0]):
        candidate = candidates[pos]
        if account.slots[4, candidate] < 0:
            n_reached = reached_rows(account, candidate, products[pos], base[pos], distances, reached)
            rise, slot = best_slot(account, candidate, distances, beta, correction, reached[:n_reached])
            if -rise > least * loss:
                return pos, slot, rise
    return candidates.shape[0], 0, 0


@kernel
def begin_swap(account, slot, candidate, products, base):
    """Put a candidate into a slot: write it into the lists that it enters, and find those that must be made anew.

    Returns the rows whose terms change, (changed,), the rows to be listed anew and their sides (0 or 2), both (gone,),
    and by how much the loss rises, what the changed rows will count being left out.
    """
    codes, near, slots, terms = account.codes, account.near, account.slots, account.terms
    kept, removal, n_rows = account.kept, account.removal, account.codes.shape[0]
    reached, distances = np.empty(n_rows + 1, dtype=np.int64), np.empty(n_rows)
    n_reached = reached_rows(account, candidate, products, base, distances, reached)
    changed, gone, sides = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    n_changed, n_gone, p, rise = 0, 0, 0, 0
    old = kept[slot]
    slots[4, old], slots[4, candidate], kept[slot] = -1, slot, candidate
    for row in range(n_rows):
        nearer = p < n_reached and reached[p] == row
        p += nearer
        lost = 0 if codes[row] == codes[old] else 2
        is_gone = slots[lost, row] == slot or slots[lost + 1, row] == slot
        if nearer or is_gone or row == old or row == candidate:
            own = slots[4, row]
            slots[4, row] = slot if row == old else -1 if row == candidate else own  # as it was entered
            rise -= withdraw(row, slots, terms, removal)
            slots[4, row] = own
            changed[n_changed] = row
            n_changed += 1
            first = 0 if codes[row] == codes[candidate] else 2
            if nearer and row != candidate and not (is_gone and lost == first):
                insert(near, slots, first, row, distances[row], slot)
            if is_gone:
                gone[n_gone], sides[n_gone] = row, lost
                n_gone += 1
    return changed[:n_changed].copy(), gone[:n_gone].copy(), sides[:n_gone].copy(), rise


@kernel
def list_by_products(account, listed, sides, products, slack, kept_codes):
    """Search again for the two nearest kept rows of each of some rows, of its own class (side 0) or of the others (2).

    products is (listed, slots) float32, slack (listed,) float64, kept_codes (slots,) the classes of the kept rows.
    """
    codes, near, slots, kept, rows = account.codes, account.near, account.slots, account.kept, account.rows
    for i in range(listed.shape[0]):
        row, first = listed[i], sides[i]
        code, other = codes[row], first == 2
        largest, second = np.float32(-np.inf), np.float32(-np.inf)
        for slot in range(kept.shape[0]):
            product = products[i, slot]
            if product > second and (kept_codes[slot] != code) == other and kept[slot] != row:
                if product > largest:
                    largest, second = product, largest
                else:
                    second = product
        # a little less: a row at the limit may tie with the second
        limit = np.float64(second) - 2.0 * slack[i] - (abs(np.float64(second)) * 2.0**-23 + 1e-30)
        near[first, row], near[first + 1, row] = np.inf, np.inf
        slots[first, row], slots[first + 1, row] = -1, -1
        for slot in range(kept.shape[0]):
            if np.float64(products[i, slot]) >= limit:
                if (kept_codes[slot] != code) == other and kept[slot] != row:
                    distance = pair_distance(rows, row, rows, kept[slot], True)
                    if distance < near[first + 1, row]:
                        insert(near, slots, first, row, distance, slot)


@kernel
def end_swap(account, changed, beta):
    """Count the changed rows anew, and return what they count."""
    rise = 0
    for p in range(changed.shape[0]):
        rise += enter(
            changed[p], beta, account.near, account.slots, account.terms, account.weights, account.removal
        )
    return rise
