"""The account of the margin loss: losses and swaps against the loss worked out from all distances."""

import numpy as np
import pytest

from tamis.prototypes._kernels import margin as kernels
from tests.coordinates import in_blocks
from tests.prototypes.kernels.problems import rows_and_classes

BETA = 3.0


def account_of(seed, cached, n=40, n_kept=7):
    """An account before any loss is counted, and all distances."""
    rows, blocks, codes, far = rows_and_classes(seed, n)
    rng = np.random.default_rng(seed)
    kept = rng.permutation(n)[:n_kept]
    slots = np.full((5, n), -1, dtype=np.int64)
    slots[4, kept] = np.arange(n_kept)
    cache = kernels.all_distances(blocks, rows, 3) if cached else np.empty((0, 0), dtype=np.int32)
    account = kernels.Account(
        *(blocks, rows, 3, codes, cache, rng.random((2, n)), kept, in_blocks(rows[kept]), np.empty((4, n))),
        *(slots, np.empty((4, n), dtype=np.int64), np.empty(n_kept, dtype=np.int64)),
    )
    kernels.listed(account, 0, n)
    return account, far


def plain_loss(account, far, kept):
    """The loss of a set of kept rows in steps, from its definition."""
    total = 0
    for row in range(len(account.codes)):
        others = [other for other in kept if other != row]
        own, enemy = (
            min(
                (far[row, o] for o in others if (account.codes[o] == account.codes[row]) == same),
                default=np.inf,
            )
            for same in (True, False)
        )
        if own == enemy:
            margin = 0.0
        elif np.isinf(own) or np.isinf(enemy):
            margin = -1.0 if np.isinf(own) else 1.0
        else:
            margin = (np.sqrt(enemy) - np.sqrt(own)) / (np.sqrt(enemy) + np.sqrt(own))
        weight = account.weights[1 if row in kept else 0, row]
        total += int(np.rint(2.0**32 * (weight / (1 + np.exp(BETA * margin)))))
    return total


def test_all_distances_are_those_of_plain_loops():
    """Of every pair, as whole numbers."""
    account, far = account_of(0, cached=True)
    np.testing.assert_array_equal(account.cache, far)


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_loss_is_counted_as_in_plain_loops_and_removals_are_its_changes(seed, cached):
    """The loss of the kept rows, and by how much it rises if a slot is emptied."""
    account, far = account_of(seed, cached)
    loss = kernels.opened(account, BETA)
    kept = account.kept.tolist()
    assert loss == pytest.approx(plain_loss(account, far, kept), abs=len(account.codes))
    for slot, row in enumerate(kept):
        without = plain_loss(account, far, [other for other in kept if other != row])
        assert account.removal[slot] == pytest.approx(without - loss, abs=2 * len(account.codes))


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_swap_changes_the_same_loss_as_it_says(seed, cached):
    """The first candidate that lowers the loss enough takes the best slot; what it says is what the new set has."""
    account, far = account_of(seed, cached)
    loss = kernels.opened(account, BETA)
    candidates = np.random.default_rng(seed).permutation(40)
    for _ in range(3):
        kept = account.kept.tolist()
        position, slot, rise = kernels.first_swap(account, candidates, BETA, loss, 0.0)
        changes = {
            candidate: min(
                plain_loss(account, far, [*kept[:at], candidate, *kept[at + 1 :]]) - loss
                for at in range(len(kept))
            )
            for candidate in candidates.tolist()[: position + 1]
            if candidate not in kept
        }
        if position == len(candidates):
            assert min(changes.values()) >= -len(account.codes)
            break
        candidate = int(candidates[position])
        assert rise == pytest.approx(changes[candidate], abs=2 * len(account.codes))
        assert kernels.swap(account, slot, candidate, BETA) == rise
        loss += rise
        assert loss == pytest.approx(plain_loss(account, far, account.kept.tolist()), abs=len(account.codes))
