"""Simba against its oracle."""

import numpy as np
import pytest

from tamis.features import simba
from tamis.features._kernels.relief import ascent
from tamis.features.simba import Simba
from tamis.table._table import Schema, Table, Target
from tests.features.test_relieff import problem
from tests.oracles import columns
from tests.oracles import simba as oracle
from tests.settings import N_PROBLEMS


def blocks_of(X, nominal, y):
    classes, codes = np.unique(y, return_inverse=True)
    table = Table(X, Schema(nominal, (None,) * X.shape[1]))
    return simba._class_blocks(table, Target(codes, classes), np.arange(len(X)))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_every_step_finds_the_neighbours_of_the_oracle(seed):
    """Near hit and near miss of every step of every start are the plain version's; the weights within rounding."""
    X, nominal, y = problem(seed)
    z, blocks = oracle.differences(X, nominal), blocks_of(X, nominal, y)
    position = np.argsort(blocks.rows)
    for first, order in oracle.draws(*X.shape, 2, 1 + seed % 2, seed):
        scores, _, pairs = oracle.start(z, y, first, order)
        weights, found = ascent(blocks, position[order], first)
        assert found.tolist() == [[-1 if hit is None else hit, miss] for hit, miss in pairs]
        squares = weights**2
        np.testing.assert_allclose(squares / (squares.max() or 1.0), scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_equals_the_oracle(seed):
    """Margins and weights of every start, over distinct columns, are the plain version's; the best total margin wins."""
    X, nominal, y = problem(seed)
    n_starts, n_passes = 1 + seed % 3, 1 + seed % 2
    first = columns.first_equals(X, nominal)
    asked = columns.distinct(first)
    z = oracle.differences(X[:, asked], nominal[asked])
    draws = oracle.draws(len(X), len(asked), n_starts, n_passes, seed)
    starts = [oracle.start(z, y, weights, order) for weights, order in draws]
    totals = [total for _, total, _ in starts]
    fitted = Simba(n_starts=n_starts, n_passes=n_passes, random_state=seed, categorical_features=nominal).fit(
        X, y
    )
    np.testing.assert_allclose(fitted.history_["margin"], totals, rtol=0, atol=1e-12)
    expected = np.array([scores for scores, _, _ in starts])
    np.testing.assert_allclose(fitted.history_["weights"][:, asked], expected, rtol=0, atol=1e-12)
    for column, original in enumerate(first):
        weights = fitted.history_["weights"][:, column]
        if column not in asked:
            said = 0.0 if original == columns.CONSTANT else fitted.history_["weights"][:, original]
            np.testing.assert_array_equal(weights, said)
    best = int(np.argmax(fitted.history_["margin"]))
    assert totals[best] == pytest.approx(max(totals), abs=1e-12)
    np.testing.assert_array_equal(fitted.scores_, fitted.history_["weights"][best])


def test_one_step_by_hand():
    """Row 0 has its hit at 0.6 and its miss at 0.8: w grows by half of (0.8 - 0.6) in the one column."""
    X, y = np.array([[0.0], [0.6], [0.8], [1.0]]), np.array([0, 0, 1, 1])
    weights, found = ascent(blocks_of(X, np.array([False]), y), np.array([0]), np.ones(1))
    assert found.tolist() == [[1, 2]]
    assert weights[0] == pytest.approx(1.1, abs=2.0**-20)


def test_a_distance_of_zero_adds_nothing():
    """A row equal to its hit moves by its miss alone."""
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0, 0, 1])
    weights, _ = ascent(blocks_of(X, np.zeros(2, bool), y), np.array([0]), np.ones(2))
    assert weights.tolist() == [1.5, 1.0]


def test_a_class_of_one_row_makes_no_step():
    """A row without a hit has no margin: it neither moves the weights nor counts."""
    X, y = np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 1])
    weights, found = ascent(blocks_of(X, np.array([False]), y), np.array([0]), np.ones(1))
    assert weights.tolist() == [1.0]
    assert found.tolist() == [[-1, 1]]
    alone = Simba(random_state=0).fit(X, [0, 1, 2])
    assert alone.history_["margin"].tolist() == [0.0] * 5


def test_weights_that_all_vanish_score_zero():
    """Equal rows of two classes, and hits at distance 1: the only weight falls to 0 and stays there."""
    fitted = Simba(n_starts=1, random_state=0).fit([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1])
    assert fitted.scores_.tolist() == [0.0]
    assert fitted.history_["margin"].tolist() == [0.0]


def test_more_starts_keep_the_first_ones():
    """A start does not depend on how many follow."""
    X, nominal, y = problem(7)
    few = Simba(n_starts=2, random_state=4, categorical_features=nominal).fit(X, y)
    many = Simba(n_starts=4, random_state=4, categorical_features=nominal).fit(X, y)
    np.testing.assert_array_equal(many.history_["weights"][:2], few.history_["weights"])
    assert many.history_["margin"].max() >= few.history_["margin"].max()


def test_jobs_and_blocks_change_no_bit(monkeypatch):
    """One thread and two, long blocks and short: the same weights and margins."""
    random = np.random.default_rng(1)
    X = random.normal(size=(700, 5)).round(1)
    X[random.random(X.shape) < 0.05] = np.nan
    X[:, 3] = random.integers(0, 3, 700)
    y = (X[:, 0] > 0).astype(int) + (X[:, 3] == 1)
    one = Simba(random_state=0, categorical_features=[3], n_jobs=1).fit(X, y).history_
    monkeypatch.setattr(simba, "BLOCK_VALUES", 64)
    monkeypatch.setattr(simba, "CALL_ROWS", 53)
    two = Simba(random_state=0, categorical_features=[3], n_jobs=2).fit(X, y).history_
    for key, value in one.items():
        np.testing.assert_array_equal(two[key], value)


def test_renaming_classes_changes_no_bit():
    """Labels are names: another order of them gives the same bits."""
    X, nominal, _ = problem(6)
    y = np.random.default_rng(6).integers(0, 3, len(X))
    y[:3] = [0, 1, 2]
    first = Simba(random_state=0, categorical_features=nominal).fit(X, y).scores_
    np.testing.assert_array_equal(
        Simba(random_state=0, categorical_features=nominal).fit(X, -y).scores_, first
    )


def test_permuting_columns_permutes_the_start_from_equal_weights():
    """Random starts belong to positions; the first start does not ask where a column stands."""
    random = np.random.default_rng(2)
    X = random.normal(size=(40, 5))
    y = (X[:, 3] + random.normal(size=40) > 0).astype(int)
    order = [4, 2, 0, 1, 3]
    first = Simba(n_starts=1, random_state=0).fit(X, y).scores_
    permuted = Simba(n_starts=1, random_state=0).fit(X[:, order], y).scores_
    np.testing.assert_allclose(permuted, first[order], rtol=0, atol=1e-12)


def test_the_columns_that_carry_the_classes_lead():
    """Two columns among ten decide the class."""
    random = np.random.default_rng(0)
    X = random.random((200, 10))
    fitted = Simba(n_features_to_select=2, random_state=0).fit(X, X[:, 1] + X[:, 6] > 1)
    assert np.flatnonzero(fitted.support_).tolist() == [1, 6]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_groups_equal_the_oracle(seed):
    """With groups, no row of a row's group is its hit or miss; margins and weights are the plain version's."""
    X, nominal, y = problem(seed)
    groups = np.random.default_rng(seed).integers(0, max(2, len(X) // 2), len(X))
    asked = columns.distinct(columns.first_equals(X, nominal))
    z = oracle.differences(X[:, asked], nominal[asked])
    starts = [oracle.start(z, y, *draw, groups) for draw in oracle.draws(len(X), len(asked), 2, 1, seed)]
    fitted = Simba(n_starts=2, random_state=seed, categorical_features=nominal).fit(X, y, groups=groups)
    totals = [total for _, total, _ in starts]
    np.testing.assert_allclose(fitted.history_["margin"], totals, rtol=0, atol=1e-12)
    expected = np.array([scores for scores, _, _ in starts])
    np.testing.assert_allclose(fitted.history_["weights"][:, asked], expected, rtol=0, atol=1e-12)


def test_a_margin_does_not_know_repeated_rows():
    """Rows given again in groups have the margin of a row each: a repeated row is no longer its own hit."""
    X, _, _ = problem(3)
    y = np.arange(len(X)) % 2
    again, groups = np.repeat(X, 2, axis=0), np.repeat(np.arange(len(X)), 2)
    once = Simba(n_starts=1, random_state=0).fit(X, y)
    twice = Simba(n_starts=1, random_state=0).fit(again, np.repeat(y, 2), groups=groups)
    z = oracle.differences(X, np.zeros(X.shape[1], bool))
    weights = np.sqrt(twice.scores_)
    assert twice.history_["margin"][0] == pytest.approx(2 * oracle.margin(z, y, weights), abs=1e-9)
    assert once.history_["margin"][0] == pytest.approx(oracle.margin(z, y, np.sqrt(once.scores_)), abs=1e-9)
