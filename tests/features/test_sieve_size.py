"""The size that a sieve chooses: folds drawn again, honest scores, the quick model's scores, groups of rows."""

import numpy as np
import pytest

from tamis import ReliefF, Sieve, UnivariateAUC
from tamis.features._curves import chosen_size
from tamis.features._sieve_size import class_scores, judged, told_apart
from tamis.study._sifted import sifted


def test_a_fold_is_scored_at_the_size_that_the_others_choose():
    """Of its own repetition: what another one holds out are the same rows again."""
    scores = np.random.default_rng(0).random((10, 4))
    curves = np.stack([scores, np.random.default_rng(1).random((10, 4))], axis=2)
    told = judged([1, 2, 3, 4], [(None, curve.tolist()) for curve in curves], 5)
    assert told.size == chosen_size([1, 2, 3, 4], curves[:, :, 1], "level")
    for fold in range(10):
        others = [other for other in range(10) if other // 5 == fold // 5 and other != fold]
        size = chosen_size([1, 2, 3, 4], curves[others, :, 1], "level")
        assert told.scores[fold] == curves[fold, size - 1, 0]
    np.testing.assert_allclose(told.results["mean_test_score"], scores.mean(axis=0))
    np.testing.assert_allclose(told.results["mean_brier_score"], -curves[:, :, 1].mean(axis=0))


def test_the_scores_of_the_quick_model_by_hand():
    """Classes count alike; a class that the model has never seen is wholly missed."""

    class Model:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, X):
            return np.array([[1.0, 0.0], [0.4, 0.6], [0.5, 0.5], [0.25, 0.75]])

    y = np.array(["a", "a", "b", "c"])
    right, brier = class_scores(Model(), np.empty((4, 1)), y)
    assert right == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert -brier == pytest.approx(((0 + 0.72) / 2 + 0.5 + (1 + 0.0625 + 0.5625)) / 3)
    weighed = class_scores(Model(), np.empty((4, 1)), y, np.array([3.0, 1.0, 1.0, 1.0]))
    assert weighed[0] == pytest.approx((3 / 4 + 0 + 0) / 3)


def test_folds_are_drawn_again_on_small_tables_only():
    """Each repetition holds out every row once."""
    random = np.random.default_rng(0)
    for n, d, n_folds in ((60, 4, 6), (400, 4, 6), (700, 4, 3), (60, 700, 3)):
        X, y = random.normal(size=(n, d)), np.arange(n) % 2
        sieve = Sieve(cv=3, explain=False, search=False, members=[("auc", UnivariateAUC())]).fit(X, y)
        assert len(sieve.fold_scores_) == len(sieve._splits) == n_folds
        assert sieve._n_each == 3
        for first in range(0, n_folds, 3):
            held = np.concatenate([test for _, test in sieve._splits[first : first + 3]])
            assert sorted(held.tolist()) == list(range(n))


def test_groups_reach_the_folds_and_the_members():
    """A number of folds keeps groups whole; members that take groups get them, on all rows and in every fold."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(30), 4)
    true = random.normal(size=30)
    y = (true > 0)[patient]
    names = random.normal(size=(30, 2))[patient]
    X = np.column_stack([names, true[patient] + random.normal(size=120)])
    members = [("hits", ReliefF())]
    alone, together = (
        Sieve(members=members, cv=4, random_state=0).fit(X, y, groups=groups) for groups in (None, patient)
    )
    assert together.ranking_.tolist() == ReliefF().fit(X, y, groups=patient).ranking_.tolist()
    assert alone.ranking_[2] > 1
    assert together.ranking_[2] == 1
    for train, test in together._splits:
        assert not set(patient[train]) & set(patient[test])
    with pytest.raises(ValueError, match="Sieve: groups has the shape"):
        Sieve().fit(X, y, groups=patient[:5])


def test_columns_that_32_bits_do_not_hold_are_judged_all_the_same():
    """Seconds since long ago differ in their last digits; numbers above 1e38 and below 1e-45 are numbers as well."""
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 150))
    for column in (20230101000000 + np.round(3000 * x), 1e300 * x, 1e-200 * x, 1e306 * np.sign(x)):
        sieve = Sieve(members=[("auc", UnivariateAUC())], cv=3, random_state=0).fit(
            np.column_stack([z, column]), x > 0
        )
        assert sieve.support_.tolist() == [False, True]
        assert sieve.fold_scores_.mean() > 0.97
    ordinary = np.column_stack([x, np.where(x > 0, np.nan, z), np.full(150, np.nan), np.full(150, 1e9)])
    assert told_apart(ordinary) is ordinary
    skewed = np.exp(8 * x)[:, np.newaxis]  # all but the largest would be lost
    assert told_apart(skewed) is skewed


def test_numbers_of_any_size_are_judged_alike():
    """r2 has no unit: nothing overflows, and a tiny spread is not taken for none."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = X[:, 1] + 0.5 * X[:, 2]
    plain, *others = (
        Sieve(members=[("auc", UnivariateAUC())], cv=3, target_kind="numbers", random_state=0).fit(X, numbers)
        for numbers in (y, np.ldexp(y, 1020), np.ldexp(y, -500), np.ldexp(y, -40))
    )
    for other in others:
        np.testing.assert_array_equal(other.fold_scores_, plain.fold_scores_)
    lines = [sifted(sieve, "abc", np.ldexp(y, up)).worth for sieve, up in ((plain, 0), (others[0], 1020))]
    assert lines[0][:40] == lines[1][:40]
    assert "inf" not in lines[1]


def test_a_single_fold_chooses_only_where_it_is_asked_for():
    """Of three rows one fold could be made: the number is not chosen by it. A caller's own is taken, and said to tell little."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    assert not hasattr(Sieve(random_state=0).fit(X[:3], [0, 1, 1]), "cv_results_")
    held_out = [(np.arange(40), np.arange(40, 60))]
    one = Sieve(members=[("auc", UnivariateAUC())], cv=held_out, random_state=0).fit(X, y)
    assert one.fold_scores_.shape == (1,)
    assert sifted(one, "abc", y).worth.startswith("Worth: not known: one fold only")
