"""Verdicts against plain loops, and the rate on columns that say nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.decoys.rates import adjusted, contests, e_values, threshold
from tests.oracles import decoys as oracle
from tests.settings import N_PROBLEMS


def problem(seed: int):
    """Scores of columns and decoys, with ties, and some columns that are better than their decoys."""
    random = np.random.default_rng(seed)
    m, d = int(random.integers(1, 7)), int(random.integers(1, 40))
    scores = random.normal(size=(m + 1, d)) if seed % 2 else random.integers(0, 5, (m + 1, d)).astype(float)
    scores[0] += random.choice([0, 0, 6], size=d)
    return scores, float(random.choice([0.05, 0.1, 0.2, 0.5])), m


@pytest.mark.parametrize("seed", range(6 * N_PROBLEMS))
def test_verdicts_equal_plain_loops(seed):
    """Winners, leads, thresholds, e-values and what e-BH keeps."""
    scores, rate, m = problem(seed)
    won, leads = contests(scores)
    told = [oracle.contest(one[0], one[1:]) for one in scores.T.tolist()]
    assert won.tolist() == [w for w, _ in told]
    assert leads.tolist() == [lead for _, lead in told]
    assert threshold(won, leads, rate, m) == oracle.threshold(won, leads, rate, m)
    values = e_values(won, leads, rate, m)
    assert values.tolist() == oracle.e_values(won, leads, rate, m)
    mixed = (values + e_values(*contests(np.roll(scores, 1, axis=1)), rate / 2, m)) / 2
    kept = np.flatnonzero(adjusted(mixed) <= rate * (1 + 1e-12))
    assert set(kept.tolist()) == oracle.kept_by_e_values(mixed, rate)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_one_set_by_e_values_is_the_threshold(seed):
    """e-BH on the e-values of one set keeps what the threshold keeps."""
    scores, rate, m = problem(seed)
    won, leads = contests(scores)
    kept = np.flatnonzero(adjusted(e_values(won, leads, rate, m)) <= rate * (1 + 1e-12))
    assert set(kept.tolist()) == oracle.kept_by_threshold(won, leads, rate, m)


def test_a_tie_is_not_won():
    """A column as good as a decoy has lost; without any difference there is no lead."""
    won, leads = contests(np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 0.0], [1.0, 0.0, 0.0]]))
    assert won.tolist() == [False, False, True]
    assert leads.tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("m", [1, 5])
def test_the_rate_is_kept_where_scores_are_exchangeable(m):
    """300 tables of 20 good columns and 60 that are as their decoys: the mean share of false ones is the rate at most."""
    random = np.random.default_rng(m)
    shares = []
    for _ in range(300):
        scores = random.exponential(size=(m + 1, 80))
        scores[0, :20] += 3
        kept = adjusted(e_values(*contests(scores), 0.2, m)) <= 0.2
        shares.append(kept[20:].sum() / max(1, kept.sum()))
    assert np.mean(shares) <= 0.2 + 2 * np.std(shares) / 300**0.5
    assert np.mean(shares) > 0.1
