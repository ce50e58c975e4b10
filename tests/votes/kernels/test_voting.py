"""AdaBoost over votes of neighbours, against a plain loop over cells."""

import numpy as np
import pytest

from tamis.votes._kernels.cells import cells_of
from tamis.votes._kernels.voting import boost, vote_totals
from tests.votes.kernels.test_cells import problem


def plain_boost(cells, signs, start, n_rounds):
    """Z after each round, alpha of each round, and y F of every cell, from the definitions."""
    y, weights = signs[cells.label], start[cells.label]
    weights = weights / (cells.size * weights).sum()
    ends = np.cumsum(cells.length)
    lists = [cells.neighbors[first:end] for first, end in zip(ends - cells.length, ends)]
    path, alphas, total = np.ones(n_rounds), np.zeros(n_rounds), np.zeros(len(y))
    for t in range(n_rounds):
        own = (cells.size - 1) * weights
        lead = np.array([(y * cells.size * weights)[one].sum() for one in lists]) + y * own
        around = np.array([(cells.size * weights)[one].sum() for one in lists]) + own
        margins = y * np.divide(lead, around, out=np.zeros_like(lead), where=around > 0)
        edge = (cells.size * weights * margins).sum()
        if edge <= 1e-12:  # no better than chance: boosting stops
            break
        alpha = 0.5 * np.log((1 + edge) / (1 - edge))
        weights = weights * np.exp(-alpha * margins)
        step = (cells.size * weights).sum()
        weights, total = weights / step, total + alpha * margins
        path[t:] *= step
        alphas[t] = alpha
    return path, alphas, total


@pytest.mark.parametrize("n_problems", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_rounds_are_those_of_plain_loops(seed, n_problems):
    """Z, alpha and F of one problem, and of four that are boosted together."""
    lists, begins, rows, codes, _ = problem(seed)
    cells = cells_of(lists, begins, rows, codes, 3)
    signs = np.array([[1.0, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, -1]])[:n_problems]
    start = np.array([[1.0, 1, 1], [1, 2, 1], [0.5, 1, 3], [1, 1, 1]])[:n_problems]
    nothing = np.zeros((n_problems, 0))
    path, _, alphas, _, leads = boost(cells, signs, start, nothing, False, 4, False, True)
    for k in range(n_problems):
        expected = plain_boost(cells, signs[k], start[k], 4)
        for found, wanted in zip((path[k], alphas[k], leads[k]), expected):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("by_sign", [False, True])
def test_totals_are_sums_of_plain_votes(by_sign):
    """F of a list is the sum over rounds of alpha times the vote of its units; no weight around is no vote."""
    rng = np.random.default_rng(0)
    weights = rng.random((6, 3))
    weights[5] = 0.0
    leads, alphas = weights * rng.choice([-1.0, 1.0], (6, 3)), rng.random(3)
    lists = [[0, 1, 2], [5], [3, 4, 5], []]
    indptr = np.cumsum([0, *map(len, lists)])
    units = np.concatenate([*lists[:3]]).astype(np.int32)
    scores = vote_totals(indptr, units, leads, weights, alphas, by_sign)
    for score, one in zip(scores, lists):
        around = weights[one].sum(axis=0)
        votes = np.divide(leads[one].sum(axis=0), around, out=np.zeros(3), where=around > 0)
        votes = np.sign(votes) if by_sign else votes
        assert score == pytest.approx((alphas * votes).sum())
