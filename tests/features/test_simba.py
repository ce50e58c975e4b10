"""Simba against its oracle."""

import numpy as np
import pytest

from tamis import datasets
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
    return simba._class_blocks(*simba._coordinates(table), Target(codes, classes), np.arange(len(X)))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_every_step_finds_the_neighbours_of_the_oracle(seed):
    """Near hit and near miss of every step of every start are the plain version's; the weights within rounding."""
    X, nominal, y = problem(seed)
    z, blocks = oracle.differences(X, nominal), blocks_of(X, nominal, y)
    position = np.argsort(blocks.rows)
    for first, visits in oracle.draws(*X.shape, 2, 1 + seed % 2, seed):
        scores, _, pairs = oracle.start(z, y, first, visits)
        rows = [row for row, _ in visits]
        weights, found = ascent(blocks, position[rows], np.ones(len(rows)), first)
        assert found.tolist() == [[-1 if hit is None else hit, miss] for hit, miss in pairs]
        squares = weights**2
        np.testing.assert_allclose(squares / (squares.max() or 1.0), scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_equals_the_oracle(seed):
    """Margins and weights of every start, over distinct columns, are the plain version's; the best total margin wins."""
    X, nominal, y = problem(seed)
    n_starts, n_passes = 1 + seed % 3, 1 + seed % 2
    first = columns.first_equals(X, nominal)
    asked = oracle.content_order(X, nominal, columns.distinct(first))
    z = oracle.differences(X[:, asked], nominal[asked])
    draws = oracle.draws(len(X), len(asked), n_starts, n_passes, seed)
    starts = [oracle.start(z, y, weights, visits) for weights, visits in draws]
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
    weights, found = ascent(blocks_of(X, np.array([False]), y), np.array([0]), np.ones(1), np.ones(1))
    assert found.tolist() == [[1, 2]]
    assert weights[0] == pytest.approx(1.1, abs=2.0**-20)


def test_a_distance_of_zero_adds_nothing():
    """A row equal to its hit moves by its miss alone."""
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0, 0, 1])
    weights, _ = ascent(blocks_of(X, np.zeros(2, bool), y), np.array([0]), np.ones(1), np.ones(2))
    assert weights.tolist() == [1.5, 1.0]


def test_a_class_of_one_row_makes_no_step():
    """A row without a hit has no margin: it neither moves the weights nor counts."""
    X, y = np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 1])
    weights, found = ascent(blocks_of(X, np.array([False]), y), np.array([0]), np.ones(1), np.ones(1))
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


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_permuting_columns_permutes_the_answer_to_the_bit(seed):
    """Neither sums nor random starts ask where a column stands, or what its categories are called."""
    X, nominal, y = problem(seed)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    history = Simba(random_state=seed, categorical_features=nominal).fit(X, y).history_
    X[:, nominal] = 5.0 - X[:, nominal]
    permuted = Simba(random_state=seed, categorical_features=nominal[order]).fit(X[:, order], y).history_
    np.testing.assert_array_equal(permuted["margin"], history["margin"])
    varies = ~np.array([np.unique(column[~np.isnan(column)]).size < 2 for column in X.T])
    np.testing.assert_array_equal(
        permuted["weights"][:, varies[order]], history["weights"][:, order][:, varies[order]]
    )


@pytest.mark.parametrize("name", ["credit_crx", "kr_vs_kp"])
def test_near_ties_do_not_go_by_position(name):
    """On these tables sums of floats in the order of the columns made other rows the nearest where columns were permuted."""
    data = datasets.load(name)
    X, y = data.X[::3], data.y[::3]
    first = Simba(random_state=0, n_jobs=2).fit(X, y)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(X.shape[1]).tolist()
        permuted = Simba(random_state=0).fit(X[:, order], y)
        np.testing.assert_array_equal(permuted.scores_, first.scores_[order])


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
    asked = oracle.content_order(X, nominal, columns.distinct(columns.first_equals(X, nominal)))
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


def weighed_problem(seed):
    """A problem, and weights: whole numbers and fractions, some 0, of various means; two classes keep weight."""
    X, nominal, y = problem(seed)
    random = np.random.default_rng(100 + seed)
    counts = random.integers(0, 4, len(y)) * (1.0, 0.3, 0.7, 1.0)[seed % 4]
    counts[[np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]]] = 2.0
    return X, nominal, y, counts


@pytest.mark.parametrize("scale", [1e-300, 0.01, 0.3, 1.0, 2.5, 8.5, 1e6, 1e300])
def test_the_visits_are_those_of_the_oracle(scale):
    """Which rows a pass visits, and by what part of a step, for weights of every size."""
    X, nominal, y = problem(9)
    weights = np.random.default_rng(0).random(len(y)) * scale
    blocks, shift = blocks_of(X, nominal, y), np.frexp(weights.max())[1] - 1
    visits = simba._visits(blocks, np.ldexp(weights, -shift), 2.0**shift)
    expected = oracle.visits_of(oracle.counted(weights.tolist()))
    assert list(zip(blocks.rows[visits.positions].tolist(), visits.lengths.tolist())) == expected


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_weights_equal_the_oracle(seed):
    """A row is visited as often as it weighs, and by the part left over, and its margin counts so often; with groups and without."""
    X, nominal, y, counts = weighed_problem(seed)
    groups = np.random.default_rng(seed).integers(0, max(2, len(X) // 2), len(X)) if seed % 2 else None
    fitted = Simba(n_starts=2, random_state=seed, categorical_features=nominal)
    fitted.fit(X, y, counts, groups=groups)
    X, y, groups, weights = (None if one is None else one[counts > 0] for one in (X, y, groups, counts))
    counts = oracle.counted(weights.tolist())
    asked = oracle.content_order(X, nominal, columns.distinct(columns.first_equals(X, nominal)))
    z = oracle.differences(X[:, asked], nominal[asked])
    draws = oracle.draws(len(X), len(asked), 2, 1, seed, counts)
    starts = [oracle.start(z, y, *draw, groups, counts) for draw in draws]
    totals = [total for _, total, _ in starts]
    np.testing.assert_allclose(fitted.history_["margin"], totals, rtol=0, atol=1e-11)
    expected = np.array([scores for scores, _, _ in starts])
    np.testing.assert_allclose(fitted.history_["weights"][:, asked], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_a_row_of_weight_w_is_w_rows_of_one_group(seed):
    """Whole weights are rows given again that are never each other's hit: the same bits, whatever groups there are besides."""
    X, nominal, y = problem(seed)
    random = np.random.default_rng(seed)
    counts, selector = random.integers(1, 4, len(X)), Simba(random_state=seed, categorical_features=nominal)
    groups = random.integers(0, len(X), len(X)) if seed % 2 else np.arange(len(X))
    weighed = selector.fit(X, y, counts, groups=groups if seed % 2 else None).history_
    again = np.repeat(np.arange(len(X)), counts)
    for key, value in selector.fit(X[again], y[again], groups=groups[again]).history_.items():
        np.testing.assert_array_equal(weighed[key], value)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_rows_of_weight_0_change_no_bit(seed):
    """They are nobody's neighbours, ask for none, and neither their values nor their class is known."""
    X, nominal, y, counts = weighed_problem(seed)
    alive, selector = counts > 0, Simba(random_state=seed, categorical_features=nominal)
    cut = selector.fit(X[alive], y[alive], counts[alive])
    history, classes = cut.history_, cut.classes_
    X[~alive], y[~alive] = X[~alive] * 3 + 1, 9
    whole = selector.fit(X, y, counts)
    np.testing.assert_array_equal(whole.classes_, classes)
    for key, value in history.items():
        np.testing.assert_array_equal(whole.history_[key], value)


def test_weights_of_1_change_no_bit_and_small_or_large_ones_are_scaled():
    """Means below 1 and above 10 are brought there: shares are what counts a row as much; a million rows each are ten."""
    X, nominal, y = problem(5)
    fitted = Simba(random_state=0, categorical_features=nominal)
    plain = fitted.fit(X, y).history_
    for weight, times in (
        (1.0, 1),
        (2.0**-7, 1),
        (0.3, 1),
        (1e-300, 1),
        (2.0, 2),
        (10.0, 10),
        (1e6, 10),
        (0.7e9, 10),
        (1e308, 10),
    ):
        history = fitted.fit(X, y, np.full(len(X), weight)).history_
        wanted = plain if times == 1 else fitted.fit(X, y, np.full(len(X), times)).history_
        for key, value in wanted.items():
            np.testing.assert_array_equal(history[key], value)


def test_a_step_of_half_the_weight_is_half_as_long():
    """The step by hand again: half of it is 0.05, and one and a half of weight are a step and what half a step is then."""
    X, y = np.array([[0.0], [0.6], [0.8], [1.0]]), np.array([0, 0, 1, 1])
    blocks = blocks_of(X, np.array([False]), y)
    weights, _ = ascent(blocks, np.array([0, 0]), np.array([0.5, 1.0]), np.ones(1))
    assert weights[0] == pytest.approx(1.05 + 0.1, abs=2.0**-18)


def test_rows_that_weigh_more_decide():
    """Two kinds of rows, each with a column of its own that tells the classes: the column of the heavier rows leads."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(120, 4)), random.integers(0, 2, 120)
    X[:60, 1] += 3 * y[:60]
    X[60:, 2] += 3 * y[60:]
    first, second = np.repeat([8.0, 1.0], 60), np.repeat([1.0, 8.0], 60)
    assert Simba(random_state=0).fit(X, y, first).ranking_[1] == 1
    assert Simba(random_state=0).fit(X, y, second).ranking_[2] == 1
