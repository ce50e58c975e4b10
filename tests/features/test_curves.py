"""Which size the scores of folds choose, by each rule, against plain loops."""

import math

import numpy as np
import pytest

from tamis.features._curves import behind_best, chosen_size, size_results


def smallest(sizes, scores, rule):
    """The first size that will do, by loops."""
    n_folds = len(scores)
    means = [sum(fold[k] for fold in scores) / n_folds for k in range(len(sizes))]
    best = means.index(max(means))
    for k, size in enumerate(sizes):
        behind = [fold[best] - fold[k] for fold in scores]
        mean = sum(behind) / n_folds
        if rule == "level":
            spread = math.sqrt(sum((one - mean) ** 2 for one in behind) / (n_folds - 1) / n_folds)
            margin = 0.5 * spread
        elif rule == "one_standard_error":
            own = [fold[best] for fold in scores]
            margin = math.sqrt(sum((one - means[best]) ** 2 for one in own) / (n_folds - 1) / n_folds)
        else:
            margin = 0.0
        if mean <= margin + 1e-12:
            return size
    return None


@pytest.mark.parametrize("rule", ["level", "one_standard_error", "best"])
def test_the_size_is_that_of_plain_loops(rule):
    """On random curves, that rise and then fall, of hard and easy folds."""
    for seed in range(50):
        random = np.random.default_rng(seed)
        sizes = [1, 2, 3, 5, 8]
        scores = random.normal(size=(int(random.integers(2, 8)), 1)) + 0.3 * random.normal(size=(1, 5))
        scores = scores + 0.2 * random.normal(size=(len(scores), 5))
        assert chosen_size(sizes, scores, rule) == smallest(sizes, scores.tolist(), rule)


def test_hard_folds_do_not_widen_the_margin():
    """Each fold says that two columns are better than one by the same: they are kept, however much the folds differ."""
    scores = np.array([[0.5, 0.6, 0.6], [0.7, 0.8, 0.8], [0.9, 1.0, 1.0]])
    assert chosen_size([1, 2, 3], scores, "level") == 2
    assert chosen_size([1, 2, 3], scores, "one_standard_error") == 1
    behind, error = behind_best(scores)
    np.testing.assert_allclose(behind, [0.1, 0.0, 0.0])
    np.testing.assert_allclose(error, 0.0, atol=1e-15)


def test_one_fold_has_no_error():
    """The best is taken, the smaller on ties."""
    scores = np.array([[0.5, 0.7, 0.7]])
    assert {chosen_size([1, 2, 3], scores, rule) for rule in ("level", "one_standard_error", "best")} == {2}
    assert size_results([1, 2, 3], scores)["standard_error"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("rule", ["level", "one_standard_error", "best"])
def test_a_score_that_is_no_number_is_refused(rule):
    """As the area under the ROC curve of a fold with one class: the size and the fold are named."""
    scores = np.array([[0.5, 0.7], [0.5, np.nan]])
    with pytest.raises(ValueError, match="SelectorCV: with 4 kept, the score in fold 2 is nan"):
        chosen_size([2, 4], scores, rule, "SelectorCV")


def test_repeated_folds_do_not_count_as_more_rows():
    """Twice the same five folds have the standard error of five, but for one degree of freedom less."""
    scores = np.random.default_rng(0).random((5, 3))
    again = np.concatenate([scores, scores])
    once, twice = size_results([1, 2, 3], scores), size_results([1, 2, 3], again, 5)
    np.testing.assert_allclose(
        twice["standard_error"], once["standard_error"] * math.sqrt((10 / 9) / (5 / 4))
    )
