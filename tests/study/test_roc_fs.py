"""ROC-FS against every order of tied columns tried in turn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tamis.study.roc_fs import roc_fs
from tests.oracles.roc_fs import judged
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_figures_are_means_over_all_orders_of_ties(seed):
    """Curve, area, p_b and p_w equal the exact means over the orders that the ties allow."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    scores = rng.integers(0, 3, d)
    relevant = rng.random(d) < 0.5
    relevant[:2] = [True, False]
    found = roc_fs(relevant, scores=scores)
    expected = judged(scores.tolist(), relevant.tolist())
    figures = [*found.true_relevant, *found.false_relevant, found.auc, found.p_b, found.p_w]
    np.testing.assert_allclose(figures, expected, rtol=0, atol=1e-14)


def test_a_ranking_is_the_scores_turned_round():
    """Ranks with 1 as the best are judged as their negatives would be."""
    rng = np.random.default_rng(0)
    ranking, relevant = rng.permutation(30) + 1, np.arange(30) < 6
    by_rank, by_score = roc_fs(relevant, ranking=ranking), roc_fs(relevant, scores=-ranking)
    assert by_rank.auc == by_score.auc
    np.testing.assert_array_equal(by_rank.true_relevant, by_score.true_relevant)


def test_the_area_is_that_of_scikit_learn():
    """The area is the ROC area of the scores for telling relevant columns from the others."""
    rng = np.random.default_rng(1)
    scores, relevant = rng.integers(0, 20, 100), rng.random(100) < 0.1
    assert roc_fs(relevant, scores=scores).auc == pytest.approx(roc_auc_score(relevant, scores), abs=1e-14)


def test_perfect_worst_and_tied_rankings():
    """A perfect ranking has 1, 1 and r/d; the worst 0, 0 and 1; with all tied every figure is chance's."""
    relevant = np.arange(10) < 2
    best = roc_fs(relevant, ranking=np.arange(1, 11))
    assert (best.auc, best.p_b, best.p_w) == (1, 1, 0.2)
    worst = roc_fs(relevant, scores=np.arange(10))
    assert (worst.auc, worst.p_b, worst.p_w) == (0, 0, 1)
    tied = roc_fs(relevant, scores=np.zeros(10))
    assert (tied.auc, tied.p_b) == (0.5, 0.2)
    assert tied.p_w == pytest.approx(2 * 11 / 3 / 10)
    np.testing.assert_allclose(tied.true_relevant, tied.false_relevant)


def test_what_cannot_be_judged_is_refused():
    """Both or no ranking, other lengths, NaN, and columns all of one kind are named errors."""
    with pytest.raises(ValueError, match="either scores or ranking"):
        roc_fs([True, False])
    with pytest.raises(ValueError, match="either scores or ranking"):
        roc_fs([True, False], scores=[1, 2], ranking=[2, 1])
    with pytest.raises(ValueError, match=r"shape \(2,\), the ranking \(3,\)"):
        roc_fs([True, False], scores=[1, 2, 3])
    with pytest.raises(ValueError, match="1 of 2 columns have NaN"):
        roc_fs([True, False], scores=[1, float("nan")])
    with pytest.raises(ValueError, match="2 of 2 columns are relevant"):
        roc_fs([True, True], scores=[1, 2])
