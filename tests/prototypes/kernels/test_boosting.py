"""Boosting with rows as voters against plain sums."""

import numpy as np
import pytest

from tamis.prototypes._kernels.boosting import Votes, boosted_rows, voters


def problem(seed, n=30, k=4):
    """Neighbours of every row, never itself, and classes."""
    rng = np.random.default_rng(seed)
    neighbors = np.array(
        [rng.permutation([other for other in range(n) if other != row])[:k] for row in range(n)]
    )
    return neighbors, rng.integers(0, 2, n)


@pytest.mark.parametrize("seed", range(3))
def test_voters_reverse_the_graph(seed):
    """The rows that each row is a neighbour of, ascending."""
    neighbors, _ = problem(seed)
    starts, voted = voters(neighbors)
    for row in range(30):
        expected = np.flatnonzero((neighbors == row).any(axis=1))
        assert voted[starts[row] : starts[row + 1]].tolist() == expected.tolist()


def plain_rows(neighbors, codes, weights, quotas, n_wanted, remove, least):
    """Rows and alphas, each step from all sums."""
    n, left, chosen, alphas = len(codes), quotas.copy(), [], []
    agree = np.where(codes[:, None] == codes[None, :], 1.0, -1.0)
    votes_for = np.array([(neighbors == e).any(axis=1) for e in range(n)])
    while len(chosen) < n_wanted:
        total = weights.sum() or 1.0
        edges = (votes_for * agree * weights).sum(axis=1) / total
        alpha = np.arctanh(np.clip(edges, -1 + 1e-6, 1 - 1e-6))
        usable = [e for e in range(n) if e not in chosen and left[codes[e]] > 0]
        if not usable or max(alpha[usable]) < least - 1e-12:
            break
        best = next(e for e in usable if alpha[e] >= max(alpha[usable]) - 1e-12)
        chosen.append(best)
        alphas.append(alpha[best])
        weights = np.where(votes_for[best], weights * np.exp(-alpha[best] * agree[best]), weights)
        weights[best] = 0.0 if remove else weights[best]
        left[codes[best]] -= 1
    return chosen, alphas


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_chosen_rows_are_those_of_plain_sums(seed, remove):
    """The row of largest alpha at each step, within the quotas of the classes, until alpha is too small."""
    neighbors, codes = problem(seed)
    weights = (
        np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 1.5], len(codes))
        if seed > 1
        else np.ones(len(codes))
    )
    votes = Votes(neighbors, *voters(neighbors), codes == 1, codes, weights)
    quotas, least = np.array([6, 9]), 0.0 if seed % 2 else -np.inf
    rows, alphas = boosted_rows(votes, quotas, 15, remove, least)
    expected, wanted = plain_rows(neighbors, codes, weights, quotas, 15, remove, least)
    assert rows.tolist() == expected
    np.testing.assert_allclose(alphas, wanted, rtol=1e-9, atol=1e-12)
