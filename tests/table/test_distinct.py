"""Which columns say something of their own, against comparison pair by pair."""

import numpy as np
import pytest

from tamis.table._distinct import CONSTANT, Distinct, first_equals
from tamis.table._table import Schema, Table
from tests.oracles import columns as oracle
from tests.settings import N_PROBLEMS

NAN = float("nan")


def numeric(*columns):
    """The first equals of numeric columns."""
    return first_equals(np.column_stack(columns), np.zeros(len(columns), dtype=bool)).tolist()


def nominal(*columns):
    """The first equals of nominal columns."""
    return first_equals(np.column_stack(columns), np.ones(len(columns), dtype=bool)).tolist()


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
@pytest.mark.parametrize("order", ["C", "F"])
def test_equals_the_oracle(seed, order):
    """Small tables full of copies, renamed levels, constants and gaps, of which some rows weigh nothing."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(2, 12)), int(random.integers(1, 12))
    X = random.integers(0, 1 + seed % 4, (n, d)).astype(float) * random.choice([1.0, -1.0])
    kinds = random.random(d) < 0.5
    X[:, kinds] = np.abs(X[:, kinds])
    X[random.random((n, d)) < random.choice([0.0, 0.2])] = NAN
    weight = random.integers(0, 3, n)
    weight[0] = 1
    rows = np.flatnonzero(weight) if seed % 2 else None
    found = first_equals(np.array(X, order=order), kinds, rows)
    assert found.tolist() == oracle.first_equals(X, kinds, weight if seed % 2 else None)


def test_what_is_the_same_number_is_the_same_value():
    """0 and -0, and gaps of whatever bits, are one; a gap is no number."""
    odd = np.array([NAN, 1.0, 0.0])
    odd.view(np.uint64)[0] |= np.uint64(1)
    odd.view(np.uint64)[0] ^= np.uint64(1 << 63)
    assert numeric([NAN, 1.0, 0.0], odd, [NAN, 1.0, -0.0], [2.0, 1.0, 0.0]) == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("column", "constant"),
    [
        ([3.0, 3.0, 3.0], True),
        ([0.0, -0.0, 0.0], True),
        ([NAN, NAN, NAN], True),
        ([3.0, NAN, 3.0], False),
        ([3.0, 3.0, np.nextafter(3.0, 4.0)], False),
    ],
)
def test_one_value_or_none_is_constant_and_both_are_not(column, constant):
    """All the same, or all missing; a value here and a gap there tell rows apart, and so does the last bit."""
    assert numeric(column) == [CONSTANT if constant else 0]


def test_nominal_columns_are_equal_up_to_the_names_of_their_values():
    """The same rows together and the same gaps; a missing level is not a level."""
    assert nominal([0, 1, 0, 2], [2, 0, 2, 1], [0, 1, 0, 1]) == [0, 0, 2]
    assert nominal([0, 1, 0, NAN], [1, 0, 1, NAN], [0, NAN, 0, 1]) == [0, 0, 2]


def test_a_number_is_no_level():
    """A nominal column is no copy of a numeric one that holds its codes."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    assert first_equals(X, np.array([False, True])).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [False, True])
@pytest.mark.parametrize("n", [129, 9000, 40_000])
def test_one_row_of_many_tells_columns_apart(n, kind):
    """However many rows there are, a single different one is seen, in constants and in copies; equal ones are found."""
    random = np.random.default_rng(n)
    base = random.integers(0, 3, n).astype(float)
    other, rare, late = base.copy(), np.zeros(n), np.zeros(n)
    other[n // 3 + 1] = (base[n // 3 + 1] + 1) % 3
    rare[n // 2 + 1] = late[n // 2 + 3] = 1.0
    X = np.column_stack([base, other, rare, late, np.zeros(n), base, rare])
    assert first_equals(X, np.full(7, kind)).tolist() == [0, 1, 2, 3, CONSTANT, 0, 2]
    rows = np.setdiff1d(np.arange(n), [n // 3 + 1, n // 2 + 1])
    assert first_equals(X, np.full(7, kind), rows).tolist() == [0, 0, CONSTANT, 3, CONSTANT, 0, CONSTANT]


def test_the_way_back():
    """Copies stand behind the distinct columns in the order of their originals, constants at the end."""
    X = np.array([[1.0, 5.0, 1.0, 2.0, 2.0, 7.0, 1.0], [2.0, 5.0, 2.0, 1.0, 1.0, 7.0, 2.0]])
    table = Table(X, Schema(np.zeros(7, dtype=bool), (None,) * 7))
    distinct = Distinct.of(table)
    assert distinct.columns.tolist() == [0, 3]
    assert distinct.cut(table).values.tolist() == [[1.0, 2.0], [2.0, 1.0]]
    assert distinct.spread(np.array([0.5, 0.25])).tolist() == [0.5, 0.0, 0.5, 0.25, 0.25, 0.0, 0.5]
    assert distinct.completed(np.array([3, 0])).tolist() == [3, 0, 4, 2, 6, 1, 5]
    assert Distinct.of(table, copies=False).columns.tolist() == [0, 2, 3, 4, 6]


def test_a_table_of_distinct_columns_is_not_copied():
    """Nothing to leave out, nothing to do; of nothing but constants the first stays."""
    table = Table(np.array([[1.0, 2.0], [2.0, 1.0]]), Schema(np.zeros(2, dtype=bool), (None, None)))
    assert Distinct.of(table).cut(table) is table
    flat = Table(np.ones((2, 3)), Schema(np.zeros(3, dtype=bool), (None,) * 3))
    assert Distinct.of(flat).columns.tolist() == [0]
    assert Distinct.of(flat).completed(np.array([0])).tolist() == [0, 1, 2]
