"""Columns that say the same."""

import numpy as np
import pytest

from tamis import SBSMF
from tamis.features._twins import best_of_groups, shared_order, twin_groups
from tamis.table._table import Schema, Table


def table_of(columns, nominal=None):
    values = np.column_stack(columns).astype(float)
    kinds = np.zeros(values.shape[1], dtype=bool) if nominal is None else np.asarray(nominal)
    return Table(values, Schema(kinds, (None,) * values.shape[1]))


def test_same_and_opposite_order_stand_together():
    """A monotone transform and a mirror image are twins; other columns are not."""
    x = np.random.default_rng(0).normal(size=50)
    other = np.random.default_rng(1).normal(size=50)
    groups = twin_groups(table_of([x, other, np.exp(x), -x]), 1.0)
    assert groups.tolist() == [0, 1, 0, 0]


def test_near_twins_by_rank_correlation():
    """A noisy copy is a twin below its correlation, and none above it."""
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    copy = x + 0.1 * random.normal(size=400)
    table = table_of([x, copy])
    assert twin_groups(table, 0.95).tolist() == [0, 0]
    assert twin_groups(table, 0.9999).tolist() == [0, 1]


def test_gaps_must_be_in_the_same_rows():
    """The same values with a gap elsewhere are not the same column."""
    x = np.arange(20.0)
    holed, twin = x.copy(), 2 * x
    holed[3] = twin[3] = np.nan
    assert twin_groups(table_of([x, holed, twin]), 0.9).tolist() == [0, 1, 1]


def test_gaps_may_be_anywhere_where_the_caller_says_so():
    """The rows where both have a value decide, if they are half of all."""
    random = np.random.default_rng(0)
    x = random.normal(size=200)
    holed, nearly_empty = 3 * x + 1, np.exp(x)
    holed[::4] = np.nan
    nearly_empty[10:] = np.nan
    other = random.normal(size=200)
    other[1::4] = np.nan
    table = table_of([x, holed, other, nearly_empty])
    assert twin_groups(table, 0.99, missing_alike=False).tolist() == [0, 0, 1, 2]
    assert twin_groups(table, 0.99).tolist() == [0, 1, 2, 3]


def test_nominal_twins_part_the_rows_alike():
    """Renamed values are the same column; a numeric column is never a nominal one's twin."""
    codes = np.array([0, 1, 2, 0, 1, 2, 0])
    renamed = np.array([2, 0, 1, 2, 0, 1, 2])
    merged = np.array([0, 1, 1, 0, 1, 1, 0])
    groups = twin_groups(table_of([codes, renamed, merged, codes], [True, True, True, False]), 0.5)
    assert groups.tolist() == [0, 0, 1, 2]


def test_constant_columns_stand_alone():
    """Nothing is correlated with a constant."""
    assert twin_groups(table_of([np.ones(5), np.ones(5), np.arange(5)]), 0.1).tolist() == [0, 1, 2]


def test_order_puts_groups_side_by_side():
    """The group of the best column comes whole, its best column first."""
    groups = np.array([0, 1, 0, 2, 1])
    worth = np.array([0.6, 0.9, 0.8, 0.7, 0.9])
    assert best_of_groups(groups, worth).tolist() == [2, 1, 3]
    assert shared_order(groups, np.array([1, 3, 2]), worth).tolist() == [1, 4, 3, 2, 0]


@pytest.mark.parametrize("share", [None, 1.0])
def test_a_copy_shares_the_credit_or_takes_none(share):
    """Without sharing the copy of the best column is left behind; with it, it comes second with half the score."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 6))
    y = X[:, 0] + 0.5 * X[:, 1] + 0.3 * random.normal(size=200) > 0
    X = np.column_stack([X, X[:, 0]])
    fitted = SBSMF(share_above=share).fit(X, y)
    alone = SBSMF().fit(X[:, :6], y)
    if share is None:
        assert fitted.scores_[6] == 0
        assert fitted.ranking_[6] > 2
    else:
        assert fitted.ranking_[[0, 6]].tolist() == [1, 2]
        assert fitted.scores_[0] == fitted.scores_[6] == pytest.approx(alone.scores_[0] / 2)
        assert sorted(fitted.ranking_) == list(range(1, 8))


def test_without_twins_nothing_changes():
    """On columns that are all different the option changes no rank and no score."""
    random = np.random.default_rng(2)
    X, y = random.normal(size=(80, 10)), random.random(80) < 0.5
    plain, shared = SBSMF().fit(X, y), SBSMF(share_above=0.99).fit(X, y)
    np.testing.assert_array_equal(plain.ranking_, shared.ranking_)
    np.testing.assert_array_equal(plain.scores_, shared.scores_)
