"""Boosting by least squares against plain loops: equal to the bit, or wrong."""

import math

import numpy as np
import pytest

from tamis import StumpBoostRegressor
from tamis.stumps.engine import boost, eliminate
from tamis.stumps.least_squares import Steps, cell_table, columns_once
from tests.oracles import least_squares as oracle
from tests.settings import N_PROBLEMS
from tests.stumps.test_sorted_run import assert_same_elimination, random_table

N_ROUNDS = 8


def random_problem(seed):
    """A table, a numeric target of some kind, and weights or none."""
    rng = np.random.default_rng(seed)
    values, nominal = random_table(rng)
    n = len(values)
    kind = rng.integers(4)
    y = rng.normal(size=n)
    if kind == 0:
        y += np.nan_to_num(values[:, 0])
    elif kind == 1:
        y = np.round(y)
    elif kind == 2:
        y = np.exp(6 * y) * 1e200
    if y.min() == y.max():
        y[0] += 1.0
    weights = [None, rng.integers(1, 4, n).astype(float), rng.random(n) + 0.01][rng.integers(3)]
    rate = float(rng.choice([1.0, 0.5, 0.1]))
    return rng, values, nominal, y, weights, rate


def assert_same_model(stumps, expected):
    for name in ("column", "threshold", "nominal", "gap_right", "polarity", "alpha", "u"):
        assert getattr(stumps, name).tolist() == expected[name], name
    assert stumps.edge.tolist() == expected["middle"]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_steps_equal_the_oracle(seed):
    """Target and weights in whole numbers, the mean, and the size of a step."""
    _, _, _, y, weights, _ = random_problem(seed)
    target, whole, mean, unit = oracle.steps(y, weights)
    steps = Steps.of(y, weights)
    assert steps.target.tolist() == target
    assert steps.weights.tolist() == whole
    assert (steps.mean, steps.unit) == (mean, unit)
    assert sum(w * abs(number) for w, number in zip(whole, target)) < 2**61


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_boost_equals_the_oracle(seed):
    """Every stump, its answers and its part in the margin are the oracle's."""
    _, values, nominal, y, weights, rate = random_problem(1000 + seed)
    expected = oracle.boost(values, nominal, y, N_ROUNDS, weights, None, rate)
    found = boost(cell_table(values, nominal), [Steps.of(y, weights)], N_ROUNDS, learning_rate=rate)[0]
    assert_same_model(found, expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_elimination_equals_the_oracle(seed):
    """Order and scores equal those of a loop that trains every model from scratch, whatever is kept to go back to."""
    rng, values, nominal, y, weights, rate = random_problem(2000 + seed)
    settings = {
        "criterion": str(rng.choice(["margin_fraction", "contribution_ratio"])),
        "step": [1, 1, 2, 0.5][rng.integers(4)],
        "step_until": int(rng.integers(1, 4)),
        "learning_rate": rate,
    }
    expected = oracle.eliminate(values, nominal, y, N_ROUNDS, weights, **settings)
    table, problem = cell_table(values, nominal), Steps.of(y, weights)
    for n_kept in (1, 3, N_ROUNDS):
        assert_same_elimination(eliminate(table, [problem], N_ROUNDS, n_kept=n_kept, **settings), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_columns_once_equals_the_oracle(seed):
    """Each column once, in the order of its gain on what is left."""
    _, values, nominal, y, weights, _ = random_problem(3000 + seed)
    expected = oracle.columns_once(values, nominal, y, weights)
    order, gains, first = columns_once(cell_table(values, nominal), Steps.of(y, weights))
    assert order[: len(expected)].tolist() == expected
    assert sorted(order.tolist()) == list(range(values.shape[1]))
    assert (gains[len(expected) :] == 0).all()
    assert first.tolist() == (oracle.first_edges(values, nominal, y, weights) ** 2).tolist()


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 5))
def test_the_regressor_says_what_the_oracle_says(seed):
    """Predictions to the last few bits, and the last stage is the prediction."""
    _, values, nominal, y, weights, rate = random_problem(4000 + seed)
    flags = np.flatnonzero(nominal)
    model = StumpBoostRegressor(N_ROUNDS, learning_rate=rate, categorical_features=flags)
    model.fit(values, y, sample_weight=weights)
    _, _, mean, unit = oracle.steps(y, weights)
    expected = oracle.predict(
        oracle.boost(values, nominal, y, N_ROUNDS, weights, None, rate), values, mean, unit
    )
    size = np.abs(y).max()
    assert np.allclose(model.predict(values) / size, expected / size, rtol=0, atol=1e-12)
    stages = list(model.staged_predict(values))
    if stages:
        assert np.allclose(stages[-1] / size, expected / size, rtol=0, atol=1e-12)


def test_bins_are_where_a_column_has_many_values():
    """With more than 255 values, thresholds are between bins, and every row is where its threshold says."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3000, 3))
    values[::7, 1] = np.nan
    y = np.sin(values[:, 0]) + np.isnan(values[:, 1]) + rng.normal(size=3000)
    table = cell_table(values, np.zeros(3, dtype=bool))
    assert np.diff(table.starts).max() <= 256
    model = StumpBoostRegressor(50, learning_rate=1.0).fit(values, y)
    rest = y - y.mean()
    stumps = model.stumps_
    for t in range(len(stumps)):
        column = values[:, stumps.column[t]]
        right = column > stumps.threshold[t]
        if stumps.gap_right[t]:
            right |= np.isnan(column)
        answers = rest[right].mean(), rest[~right].mean()
        assert math.isclose(abs(answers[0] - answers[1]) / 2, stumps.alpha[t], rel_tol=1e-6)
        rest = rest - np.where(right, *answers)
    assert np.allclose(model.predict(values), y - rest, atol=1e-6)


def test_neither_the_order_of_the_rows_nor_the_scale_of_the_target_matters():
    """Rows in another order give the same model; a target in other units the same stumps."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(700, 5)).round(2)
    y = values[:, 2] + rng.normal(size=700)
    shuffled = rng.permutation(700)
    first = StumpBoostRegressor().fit(values, y)
    second = StumpBoostRegressor().fit(values[shuffled], y[shuffled])
    assert first.predict(values).tolist() == second.predict(values).tolist()
    other = StumpBoostRegressor().fit(values, y * 1024.0)
    assert other.stumps_.threshold.tolist() == first.stumps_.threshold.tolist()


def test_extreme_numbers():
    """Targets near the largest and the smallest floats neither overflow nor vanish."""
    values = np.arange(8.0)[:, None]
    for size in (1e307, 1e-300):
        y = np.where(values[:, 0] > 3, size, -size)
        told = StumpBoostRegressor(1, learning_rate=1.0).fit(values, y).predict(values)
        assert np.allclose(told / size, y / size)
