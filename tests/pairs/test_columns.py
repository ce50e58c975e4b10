"""Columns made of two, against an oracle, and of rows that were never seen."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.pairs.columns import NO_PAIRS, Curve, Joint, PairColumns, pair_columns
from tamis.table._table import Schema, Table, Target
from tests.oracles import pair_scan as oracle

NAN = float("nan")


@pytest.mark.parametrize("seed", range(8))
def test_columns_of_pairs_equal_the_oracle_s(seed: int) -> None:
    """Products of ranks or squares, to the bit; of other pairs the same rows have the same value, and the same ones none."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 5)), 1)
    nominal = np.array([False, False, False, True, True])
    X[:, 3:] = rng.integers(0, 4, (60, 2))
    X[rng.random(X.shape) < 0.1] = NAN
    codes = rng.integers(0, 3, 60)
    weights = rng.integers(1, 4, 60).astype(float) if seed % 2 else np.ones(60)
    table = Table(X, Schema(nominal, (None,) * 5))
    columns = np.array([0, 2, 1, 3, 4])
    made = pair_columns(table, Target(codes, np.arange(3)), weights, columns, 99, None)
    assert len(made.pairs) == 10
    whole = made.table(table)
    assert whole.nominal[5:].tolist() == nominal[made.pairs].any(axis=1).tolist()
    for k, (a, b) in enumerate(made.pairs):
        expected = oracle.pair_column(X[:, a], X[:, b], nominal[[a, b]], codes, weights)
        found = whole.values[:, 5 + k]
        assert [value is None for value in expected] == np.isnan(found).tolist()
        if nominal[[a, b]].any():
            both = {(one, other) for one, other in zip(expected, found) if one is not None}
            assert len(both) == len({one for one, _ in both}) == len({other for _, other in both})
        else:
            np.testing.assert_array_equal(found, [NAN if value is None else value for value in expected])


def test_new_values_lie_on_straight_lines() -> None:
    """Between two values the ranks are between theirs, beyond the ends they are those of the ends."""
    first, second = (
        Curve(np.array([0.0, 1.0, 3.0]), np.array([-4.0, 0.0, 4.0])),
        Curve(np.arange(2.0), np.array([-1.0, 1.0])),
    )
    made = Joint((0, 1), (first, second), None).made(
        np.array([1.0, 2.0, -9, 9, NAN]), np.array([1.0, 0.75, 1, 0, 0])
    )
    np.testing.assert_array_equal(made, [0, 1, -4, -4, NAN])


def test_values_never_seen_together_are_missing() -> None:
    """A category with the half of a number's ranks: three of the four were seen."""
    levels = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    joint = Joint((0, 1), (None, Curve(np.arange(2.0), np.array([-1.0, 1.0]))), levels)
    made = joint.made(np.array([0.0, 0, 1, 1, 7, NAN]), np.array([0.0, 1, 1, 0, 1, 1]))
    np.testing.assert_array_equal(made, [0, 1, 2, NAN, NAN, NAN])


def test_a_pair_gives_a_half_to_each_of_its_columns() -> None:
    """Column 1 is in two pairs; without pairs nothing changes."""
    columns = PairColumns(np.array([[0, 1], [1, 2]]), ())
    assert columns.shared(np.array([1.0, 0, 0, 4, 6])).tolist() == [3, 5, 3]
    assert NO_PAIRS.shared(np.array([1.0, 2])).tolist() == [1, 2]
    table = np.ones((2, 3))
    assert NO_PAIRS.behind(table) is table
