"""Sieve(fdr=): the verdicts of decoys in the order of the sieve."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tamis import Decoys, Sieve
from tamis.report._sift_page import sift_page
from tamis.study._rate import rate_text
from tamis.study._sifted import sifted


def problem(seed=0):
    """Five columns that say something, one of them twice, six of noise, a constant."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(250, 13))
    X[:, 11] = X[:, 0]
    X[:, 12] = 1.0
    return X, (X[:, :5].sum(axis=1) > 0).astype(int)


def test_verdicts_are_those_of_decoys_and_the_order_that_of_the_sieve():
    """Kept columns come first, each part in the order of the members."""
    X, y = problem()
    sieve = Sieve(fdr=0.1, explain=False, search=False, random_state=0).fit(X, y)
    seed = sieve.decoys_.random_state
    decoys = Decoys(fdr=0.1, random_state=seed).fit(X, y)
    np.testing.assert_array_equal(sieve.support_, decoys.support_)
    np.testing.assert_array_equal(sieve.q_values_, decoys.q_values_)
    assert sieve.verdicts_ == decoys.verdicts_
    assert sieve.support_[:5].all()
    assert sieve.support_[11]  # a copy shares the verdict
    plain = Sieve(5, explain=False, search=False, random_state=0).fit(X, y)
    for part in (sieve.support_, ~sieve.support_):
        np.testing.assert_array_equal(np.argsort(sieve.ranking_[part]), np.argsort(plain.ranking_[part]))
    assert not hasattr(sieve, "fold_scores_")


def test_noise_is_not_kept_and_a_table_without_columns_can_be_transformed():
    """Nothing kept is an answer."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(80, 6)), random.integers(0, 2, 80)
    sieve = Sieve(fdr=0.1, search=False, random_state=0).fit(X, y)
    assert sieve.n_features_ == 0
    assert len(sieve.reasons_) == 6
    assert any("few" in doubt for doubt in sieve.decoys_.doubts_)


def test_rules_hold_beside_a_rate():
    """Fixed columns are kept, excluded ones never, groups come together."""
    X, y = problem()
    sieve = Sieve(
        fdr=0.1, fixed_features=[8], excluded_features=[1], feature_groups=[[0, 9]], search=False, explain=False,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert sieve.support_[[8, 0, 9]].all()
    assert not sieve.support_[1]
    assert sieve.verdicts_[1] == "excluded"
    assert sieve.ranking_[8] == 1


@pytest.mark.parametrize(
    ("given", "weight", "words"),
    [
        ({"n_features_to_select": 3}, None, "both say how many"),
        ({}, np.ones(250), "decoys take no weights"),
    ],
)
def test_what_contradicts_a_rate_is_refused(given, weight, words):
    """By name, before any work."""
    X, y = problem()
    with pytest.raises(ValueError, match=words):
        Sieve(fdr=0.1, **given).fit(X, y, sample_weight=weight)


def test_a_second_fit_forgets_the_first():
    """Verdicts after a rate, figures of folds without one."""
    X, y = problem()
    sieve = Sieve(fdr=0.1, search=False, explain=False, cv=2, random_state=0).fit(X, y)
    sieve.set_params(fdr=None).fit(X, y)
    assert not hasattr(sieve, "verdicts_")
    assert hasattr(sieve, "fold_scores_")
    sieve.set_params(fdr=0.2).fit(X, y)
    assert not hasattr(sieve, "fold_scores_")
    assert hasattr(sieve, "verdicts_")


def test_ctrl_c_before_the_decoys_keeps_nothing():
    """Half of the columns, which is kept where no folds are done, would not be what the rate promises."""
    X = np.random.default_rng(0).normal(size=(40, 4))

    def stop(done, total, what=""):
        if what == "drawing decoys":
            raise KeyboardInterrupt

    sieve = Sieve(fdr=0.1)
    sieve._tell = stop
    with pytest.raises(KeyboardInterrupt):
        sieve.fit(X, X[:, 0] > 0)
    assert not hasattr(sieve, "support_")


def test_reasons_tell_what_is_no_better_than_its_decoy():
    """Left out for that: alone, or after what the column says by itself; what is kept never reads as chance."""
    X, y = problem()
    X[:, 9] = X[:, 0] + 0.35 * X[:, 9]  # says what the first says, and no more
    sieve = Sieve(fdr=0.1, search=False, random_state=0).fit(X, y)
    assert "chance" in sieve.verdicts_
    for reason, verdict in zip(sieve.reasons_[:11], sieve.verdicts_):
        assert reason.endswith("no better than its decoy") == (verdict == "chance")
        assert verdict != "kept" or reason != "chance"
    assert sieve.reasons_[9].startswith("alone: AUC")
    assert sieve.reasons_[11:] == ["the same as x0", "constant"]
    n_chance = sieve.verdicts_[:11].count("chance")
    answer = sifted(sieve, [f"x{j}" for j in range(13)], y)
    assert f"no better than its decoy: {n_chance} columns" in answer.noticed
    page = sift_page("t", [f"x{j}" for j in range(13)], sieve, answer)
    assert page.count("Beside the others it says no more than the decoys made of it.") == n_chance
    assert "no better than its decoy" not in "".join(
        Sieve(3, search=False, random_state=0).fit(X, y).reasons_
    )


def test_names_of_columns_keep_their_letters():
    """Doubts that begin with the name of a column are told with that name, other sentences with a capital letter."""
    X, y = problem()
    decoys = Decoys(random_state=0).fit(pl.DataFrame(X[:, :6], schema=list("abcdef")), y)
    decoys.doubts_ = ["a and b hang together.", "an even worse one."]
    text = rate_text(decoys)
    assert text.endswith("expected to be there by chance. a and b hang together. An even worse one.")
    assert text[0].isupper()
