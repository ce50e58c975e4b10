"""MarginPrototypes by products, which may be as wrong as they say: the swaps of the plain kernels."""

import numpy as np
import pytest

from tamis.prototypes._kernels import margin as plain
from tamis.prototypes._kernels import margin_products as kernels
from tests.prototypes.kernels.test_margin import BETA, account_of

SLACK = 0.3


def products_of(far, rows, others, seed):
    """Products of some rows with others, wrong by less than the slack; their base is minus the slack."""
    wrong = np.random.default_rng(seed).uniform(-0.99 * SLACK, 0.99 * SLACK, (len(rows), len(others)))
    return (-far[np.ix_(rows, others)] / 2**21 + wrong).astype(np.float32)


@pytest.mark.parametrize("seed", range(6))
def test_lists_are_those_of_all_distances(seed):
    """The two nearest of either side, whatever is wrong with the products."""
    account, far = account_of(seed, cached=False)
    expected = account.near.copy(), account.slots.copy()
    account.near[:] = -1.0
    account.slots[:4] = -7
    rows = np.arange(len(account.codes))
    products = products_of(far, rows, account.kept, seed)
    slack, kept_codes = np.full(len(rows), SLACK), account.codes[account.kept]
    for side in (0, 2):
        sides = np.full(len(rows), side)
        kernels.list_by_products(account, rows, sides, products, slack, kept_codes)
    np.testing.assert_array_equal(account.near, expected[0])
    np.testing.assert_array_equal(account.slots, expected[1])


@pytest.mark.parametrize("seed", range(6))
def test_swaps_are_those_of_all_distances(seed):
    """The same first swap, and the same account after it, from products that are wrong."""
    account, far = account_of(seed, cached=False)
    other, _ = account_of(seed, cached=False)
    loss = plain.opened(account, BETA)
    plain.opened(other, BETA)
    candidates, everyone = np.random.default_rng(seed).permutation(40), np.arange(40)
    products = products_of(far, candidates, everyone, seed)
    base = np.full(40, -SLACK)
    for _ in range(4):
        found = kernels.first_swap_by_products(account, candidates, products, base, BETA, loss, 0.0)
        assert found == plain.first_swap(other, candidates, BETA, loss, 0.0)
        position, slot, rise = found
        if position == len(candidates):
            break
        candidate = int(candidates[position])
        line = (products[position], base[position])
        changed, gone, sides, before = kernels.begin_swap(account, slot, candidate, *line)
        kept_products = products_of(far, gone, account.kept, seed)
        kept_codes = account.codes[account.kept]
        kernels.list_by_products(account, gone, sides, kept_products, np.full(len(gone), SLACK), kept_codes)
        assert (
            before + kernels.end_swap(account, changed, BETA)
            == rise
            == plain.swap(other, slot, candidate, BETA)
        )
        for name in ("kept", "near", "slots", "terms", "removal"):
            np.testing.assert_array_equal(getattr(account, name), getattr(other, name))
        loss += rise


def test_reached_rows_are_measured():
    """Those nearer to a candidate than their second nearest, with their distances, in ascending order."""
    account, far = account_of(3, cached=False)
    plain.opened(account, BETA)
    candidate = int(np.flatnonzero(account.slots[4] < 0)[0])
    reached, distances = np.empty(41, dtype=np.int64), np.empty(40)
    products = products_of(far, [candidate], np.arange(40), 1)[0]
    n_reached = kernels.reached_rows(account, candidate, products, -SLACK, distances, reached)
    same = account.codes == account.codes[candidate]
    expected = np.flatnonzero(far[candidate] < np.where(same, account.near[1], account.near[3]))
    assert reached[:n_reached].tolist() == expected.tolist()
    np.testing.assert_array_equal(distances[expected], far[candidate, expected])
