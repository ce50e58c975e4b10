"""What is said where a rate is not promised."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import Decoys, UnivariateAUC
from tamis.study._rate import rate_sentences


def fitted(X, y, **settings):
    """Decoys with a quick judge."""
    return Decoys(UnivariateAUC(), n_sets=1, random_state=0, **settings).fit(X, y)


def test_a_good_table_is_not_doubted():
    """Enough rows and columns, nothing but a line between them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 12)) + random.normal(size=(300, 1))
    assert fitted(X, random.integers(0, 2, 300)).doubts_ == []


@pytest.mark.parametrize(
    ("n", "d", "words"),
    [
        (150, 160, "columns (160) as rows (150)"),
        (50, 12, "50 rows are few"),
        (300, 1, "nothing can be"),
    ],
)
def test_what_cannot_be_promised_is_said(n, d, words):
    """Too many columns, too few rows, too few columns for any verdict."""
    random = np.random.default_rng(1)
    decoys = fitted(random.normal(size=(n, d)), random.integers(0, 2, n), fdr=0.05)
    assert any(words in doubt for doubt in decoys.doubts_)
    assert rate_sentences(decoys)[1:] == decoys.doubts_


def test_a_small_class_is_named():
    """What only tells it apart can hardly be found."""
    random = np.random.default_rng(2)
    y = np.array(["a", "b"] * 148 + ["c"] * 4)
    (told,) = fitted(random.normal(size=(300, 8)), y).doubts_
    assert told.startswith("class 'c' has 4 rows")


def test_a_curve_is_named_and_its_columns_share_a_verdict():
    """The two columns that hang together, by name; a doubt where they may not be joined."""
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 8))
    X[:, 6] = X[:, 2] ** 2 + 0.3 * random.normal(size=300)
    y = random.integers(0, 2, 300)
    joined = fitted(X, y)
    assert joined.joined_ == [[2, 6]]
    assert joined.units_.tolist() == [0, 1, 2, 3, 4, 5, 2, 6]
    assert joined.doubts_ == []
    assert "x2 with x6" in rate_sentences(joined)[1]
    (told,) = fitted(X, y, join_bonds=False).doubts_
    assert {"x2", "x6"} == set(told.split(" hang")[0].split(" and "))
    assert "not promised" in told


def test_rows_far_out_are_no_doubt():
    """The copula of Student's t serves where rows share their scale."""
    random = np.random.default_rng(4)
    X = random.normal(size=(600, 12)) / np.sqrt(random.chisquare(3, size=(600, 1)) / 3)
    decoys = fitted(X, random.integers(0, 2, 600))
    assert decoys.degrees_of_freedom_ < 10
    assert decoys.doubts_ == []


def test_families_share_a_verdict_and_are_found_where_columns_are_not():
    """Four families of columns that are hard to tell apart; two of them matter."""
    random = np.random.default_rng(5)
    X = np.repeat(random.normal(size=(300, 4)), 4, axis=1) + 0.25 * random.normal(size=(300, 16))
    y = (X[:, 0] + X[:, 5] + 0.5 * random.normal(size=300) > 0).astype(int)
    families = Decoys(group_above=0.8, random_state=0).fit(X, y)
    kept = families.support_.reshape(4, 4)
    assert (kept == kept[:, :1]).all()
    assert kept[:2, 0].all()
    assert kept[:, 0].sum() <= 3
    assert not Decoys(random_state=0).fit(X, y).support_.any()
    np.testing.assert_array_equal(families.units_, np.repeat(np.arange(4), 4))
    assert families.doubts_ == []
    assert "families" in rate_sentences(families)[0]
