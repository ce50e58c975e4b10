"""How the evolution engine reads columns, and hypotheses as values of rows."""

import numpy as np

from tamis.evolution.engine import Columns, evolved

NAN = float("nan")


def test_columns_are_read_by_kind():
    """Numbers get a range, levels and gaps a view each; a column with one value takes no part."""
    values = np.asarray(
        [[1.0, 0, 5, NAN, 2], [3.0, 1, 5, NAN, 2], [NAN, 1, 5, NAN, NAN], [2.0, 2, 5, NAN, 2]]
    )
    columns = Columns.of(values, np.asarray([False, True, False, False, False]))
    assert columns.numeric.tolist() == [0, 4]
    assert columns.nominal.tolist() == [1]
    assert columns.owners.tolist() == [0, 1, 1, 1, 4]
    np.testing.assert_array_equal(columns.levels, [NAN, 0, 1, 2, NAN])
    np.testing.assert_array_equal(columns.scaled(values), [[0, 0], [1, 0], [0, 0], [0.5, 0]])
    holds = columns.indicators(values)
    np.testing.assert_array_equal(holds[:, 0], [False, False, True, False])
    np.testing.assert_array_equal(holds[:, 2], [False, True, True, False])


def test_the_widest_range_does_not_overflow():
    """A column from the lowest to the largest float is scaled to [0, 1]."""
    largest = np.finfo(float).max
    values = np.asarray([[-largest], [0.0], [largest]])
    columns = Columns.of(values, np.asarray([False]))
    np.testing.assert_allclose(columns.scaled(values)[:, 0], [0, 0.5, 1])


def test_values_of_a_hypothesis_give_its_own_area():
    """Counting pairs by the float64 values of the rows gives the area the kernel found in single precision."""
    rng = np.random.default_rng(0)
    values = rng.random((50, 4))
    values[:, 3] = rng.integers(0, 3, 50)
    values[rng.random(50) < 0.3, 1] = NAN
    near = np.arange(50) % 2 == 0
    nominal = np.asarray([False, False, False, True])
    for linear in (False, True):
        found = evolved(
            Columns.of(values, nominal),
            values,
            (~near).astype(np.int64),
            np.ones(50),
            linear=linear,
            n_evaluations=1020,
            seed=5,
        )[0]
        h = found.values(values)
        lost = (h[near, None] > h[None, ~near]).mean() + (h[near, None] == h[None, ~near]).mean() / 2
        assert abs(1 - lost - found.auc) < 2 / 625  # at most a pair or two closer than single precision tells


def test_a_table_of_constants_has_an_even_chance():
    """Without a column that varies there is nothing to evolve: weights of 0 and an area of 1/2."""
    values = np.ones((6, 2))
    found = evolved(
        Columns.of(values, np.zeros(2, dtype=bool)),
        values,
        np.arange(6) // 3,
        np.ones(6),
        linear=False,
        n_evaluations=220,
        seed=0,
    )[0]
    assert found.auc == 0.5
    np.testing.assert_array_equal(found.weights, 0)
