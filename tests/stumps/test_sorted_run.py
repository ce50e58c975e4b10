"""The exact stump engine against the plain oracle: equal to the bit, or wrong."""

from dataclasses import fields

import numpy as np
import pytest

from tamis.stumps.engine import one_against_rest
from tamis.stumps.sorted_columns import sorted_table as prepare
from tests.oracles import stumps as oracle
from tests.settings import N_PROBLEMS
from tests.stumps.calls import boost, eliminate

N_ROUNDS = 12


def random_table(rng):
    """A small table with ties, duplicated and constant columns, nominal ones and, at times, gaps."""
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 9))
    kind = rng.integers(4)
    if kind == 0:
        values = rng.normal(size=(n, d))
    elif kind == 1:
        values = rng.integers(0, 3, (n, d)).astype(float)
    elif kind == 2:
        values = rng.integers(-20, 20, (n, d)) / 4
    else:
        values = np.where(rng.random((n, d)) < 0.7, 0.0, rng.normal(size=(n, d)))
    nominal = rng.random(d) < 0.3
    values[:, nominal] = rng.integers(0, 5, (n, int(nominal.sum())))
    if rng.random() < 0.5:
        values[rng.random((n, d)) < rng.choice([0.05, 0.4])] = np.nan
    if rng.random() < 0.3:
        values[:, rng.integers(d)] = 1.5
    if rng.random() < 0.3:
        source = rng.integers(d)
        values[:, -1], nominal[-1] = values[:, source], nominal[source]
    return values, nominal


def random_weights(rng, n):
    """No weights, small integers, zeros among them, or weights of very different size."""
    kind = rng.integers(5)
    if kind <= 1:
        return None
    if kind == 2:
        return rng.integers(1, 4, n).astype(float)
    if kind == 3:
        return np.where(np.arange(n) < 2, 1.0, rng.integers(0, 3, n).astype(float))
    return np.exp(rng.normal(size=n) * 20)


def random_problem(seed):
    """A table, the class of each row, and settings of boosting."""
    rng = np.random.default_rng(seed)
    values, nominal = random_table(rng)
    n_classes = int(rng.choice([2, 3]))
    codes = rng.integers(0, n_classes, len(values))
    known = np.nan_to_num(values[:, 0])
    if rng.random() < 0.5:
        codes = np.where(rng.random(len(values)) < 0.8, known > np.median(known), codes).astype(np.int64)
    settings = {
        "weights": random_weights(rng, len(values)),
        "weight_cap": rng.choice([None, None, 1.0, 1.5, 3.0]),
        "balanced": bool(seed % 2),
    }
    return rng, values, nominal, one_against_rest(codes, n_classes), settings


def assert_same_model(stumps, expected):
    for field in fields(stumps):
        assert getattr(stumps, field.name).tolist() == expected[field.name], field.name


def assert_same_elimination(gone, expected):
    columns, scores, n_columns, first_scores = expected
    assert gone.column.tolist() == columns.tolist()
    assert gone.score.tolist() == scores.tolist()
    assert gone.n_columns.tolist() == n_columns.tolist()
    assert gone.first_scores.tolist() == first_scores.tolist()


def assert_equal(first, second):
    for field in fields(first):
        assert np.array_equal(getattr(first, field.name), getattr(second, field.name)), field.name


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_boost_equals_the_oracle(seed):
    """Column, threshold, gaps' side, polarity, alpha, u and edge of every round are the oracle's."""
    rng, values, nominal, signs, settings = random_problem(seed)
    columns = None if rng.random() < 0.7 else rng.permutation(values.shape[1])[: max(1, values.shape[1] // 2)]
    expected = oracle.boost(values, nominal, signs[0], N_ROUNDS, columns=columns, **settings)
    assert_same_model(
        boost(prepare(values, nominal), signs[0], N_ROUNDS, columns=columns, **settings), expected
    )


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_elimination_equals_the_oracle(seed):
    """Order and scores equal those of a loop that trains every model from scratch, for any step and criterion."""
    rng, values, nominal, signs, settings = random_problem(1000 + seed)
    settings["criterion"] = str(rng.choice(["margin_fraction", "contribution_ratio"]))
    settings["step"] = [1, 1, 2, 0.5, 0.3][rng.integers(5)]
    settings["step_until"] = int(rng.integers(1, 4))
    if rng.random() < 0.5:
        settings["priors"] = rng.random(len(signs))
    expected = oracle.eliminate(values, nominal, signs, N_ROUNDS, **settings)
    assert_same_elimination(eliminate(prepare(values, nominal), signs, N_ROUNDS, **settings), expected)


@pytest.mark.parametrize("seed", range(max(4, N_PROBLEMS // 10)))
def test_larger_tables_equal_the_oracle(seed):
    """Groups of many rows, which are summed apart, change nothing."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(400, 5)), 1)
    values[:, 4] = np.round(values[:, 4])  # groups of about 150, 100 and 25 rows
    values[:, 1] = rng.integers(0, 4, 400)
    values[:, 2] = np.where(rng.random(400) < 0.9, 0.0, values[:, 2])
    values[rng.random((400, 5)) < 0.02] = np.nan
    nominal = np.array([False, True, False, False, False])
    sign = np.where(rng.random(400) < 0.5, 1, -1)
    expected = oracle.boost(values, nominal, sign, 30)
    assert_same_model(boost(prepare(values, nominal), sign, 30), expected)
    expected = oracle.eliminate(values, nominal, sign, 30)
    assert_same_elimination(eliminate(prepare(values, nominal), sign, 30), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_conditional_margins_add_up(seed):
    """Theorem 3.1: the margin of a row is the sum of its columns' margins, weighted by their shares of alpha."""
    _, values, nominal, signs, _ = random_problem(2000 + seed)
    sign = signs[0]
    stumps = boost(prepare(values, nominal), sign, N_ROUNDS)
    if len(stumps) == 0:
        return
    margin = sign * stumps.decision(values) / stumps.alpha.sum()
    total = np.zeros(len(values))
    for column in np.unique(stumps.column):
        own = np.zeros(len(values))
        for t, vote in enumerate(stumps.votes(values)):
            own += vote if stumps.column[t] == column else 0.0
        alpha = stumps.alpha[stumps.column == column].sum()
        total += alpha / stumps.alpha.sum() * (sign * own / alpha)
    np.testing.assert_allclose(total, margin, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_margin_fractions_are_parts_of_the_mean_margin(seed):
    """Eq. (10): the sum of a column's alpha_t u_t is the sum over the rows of what the column adds to y H(x)."""
    _, values, nominal, signs, settings = random_problem(3000 + seed)
    sign, weights = signs[0], settings["weights"]
    stumps = boost(prepare(values, nominal), sign, N_ROUNDS, weights, balanced=settings["balanced"])
    averaging = oracle.start_weights(
        np.ones(len(sign)) if weights is None else weights, sign if settings["balanced"] else None
    )
    if len(np.unique(averaging[averaging > 0])) == 1:
        averaging = (averaging > 0).astype(float)
    expected = np.zeros(values.shape[1])
    for t, vote in enumerate(stumps.votes(values)):
        expected[stumps.column[t]] += (averaging * sign * vote).sum()
    scale = averaging.sum() * max(1.0, stumps.alpha.sum())
    np.testing.assert_allclose(
        stumps.margin_numerators(values.shape[1]), expected, rtol=0, atol=1e-12 * scale
    )
    assert np.isclose(stumps.ratio_numerators(values.shape[1]).sum(), stumps.alpha.sum())


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_mean_margin_is_positive(seed):
    """Without a cap the start-weighted mean of y H(x) is positive: the loss of AdaBoost bounds it from below."""
    _, values, nominal, signs, settings = random_problem(4000 + seed)
    stumps = boost(prepare(values, nominal), signs[0], N_ROUNDS, settings["weights"])
    assert len(stumps) == 0 or stumps.margin_numerators(values.shape[1]).sum() > 0


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_decision_equals_the_oracle(seed):
    """H(x) is the oracle's, also for gaps and values that the training table did not have."""
    rng, values, nominal, signs, settings = random_problem(5000 + seed)
    new = np.where(
        rng.random(values.shape) < 0.2, np.nan, np.nan_to_num(values) + rng.integers(0, 2, values.shape)
    )
    stumps = boost(prepare(values, nominal), signs[0], N_ROUNDS, **settings)
    expected = oracle.predict(oracle.boost(values, nominal, signs[0], N_ROUNDS, **settings), new)
    assert stumps.decision(new).tolist() == expected.tolist()


def wide_table(seed=0, n=300, d=900):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(n, d)), 2)
    return values, np.where(values[:, 3] + values[:, 5] + rng.normal(size=n) > 0, 1, -1)


def test_two_threads_give_the_same_bits():
    """The number of threads changes nothing, in preparation, boosting and elimination."""
    values, sign = wide_table()
    one, two = prepare(values), prepare(values, n_jobs=2)
    for first, second in zip(one.layout, two.layout):
        assert np.array_equal(first, second)
    assert_equal(boost(one, sign, 20), boost(two, sign, 20, n_jobs=2))
    assert_equal(eliminate(one, sign, 5), eliminate(two, sign, 5, n_jobs=2))


def test_blocks_of_columns_give_the_same_bits(monkeypatch):
    """How many columns are sorted together changes nothing."""
    values, _ = wide_table(d=20)
    together = prepare(values)
    monkeypatch.setattr("tamis.stumps.sorted_columns.CELLS_A_BLOCK", 900)
    apart = prepare(values, n_jobs=2)
    for first, second in zip(together.layout, apart.layout):
        assert np.array_equal(first, second)
    assert np.array_equal(together.distinct, apart.distinct)


def test_float32_gives_the_same_bits():
    """A float32 table and its float64 copy give the same model and ranking."""
    values, sign = wide_table(d=30)
    narrow = values.astype(np.float32)
    one, two = prepare(narrow), prepare(narrow.astype(np.float64))
    assert_equal(boost(one, sign, 30), boost(two, sign, 30))
    assert_equal(eliminate(one, sign, 30), eliminate(two, sign, 30))


def test_many_rows_give_what_few_rows_give():
    """Beyond 32,767 rows the row numbers are wider; the model is still the oracle's."""
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=(40_000, 2)), 1)
    sign = np.where(values[:, 0] * values[:, 1] + rng.normal(size=40_000) > 0, 1, -1)
    prepared = prepare(values)
    assert prepared.layout.codes.dtype == np.uint32
    assert_same_model(boost(prepared, sign, 10), oracle.boost(values, [False, False], sign, 10))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_permuted_columns_permute_the_answer(seed):
    """Where no two columns tie, the order of the columns does not matter. (Of few rows two columns may say the same.)"""
    rng = np.random.default_rng(6000 + seed)
    values = rng.normal(size=(300, 5))
    sign = np.where(values[:, 0] + rng.normal(size=300) > 0, 1, -1)
    weights = rng.random(300) + 0.1
    order = rng.permutation(5)
    plain = eliminate(prepare(values), sign, N_ROUNDS, weights)
    permuted = eliminate(prepare(values[:, order]), sign, N_ROUNDS, weights)
    assert order[permuted.column].tolist() == plain.column.tolist()


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_rows_in_any_order_give_the_same_model(seed):
    """The order of the rows does not matter, nor does a change of sign of all rows, except to the polarities."""
    rng, values, nominal, signs, settings = random_problem(7000 + seed)
    order = rng.permutation(len(values))
    weights = None if settings["weights"] is None else settings["weights"][order]
    plain = boost(prepare(values, nominal), signs[0], N_ROUNDS, **settings)
    settings["weights"] = weights
    moved = boost(prepare(values[order], nominal), -signs[0][order], N_ROUNDS, **settings)
    for field in fields(plain):
        sign = -1 if field.name == "polarity" else 1
        assert np.array_equal(getattr(plain, field.name), sign * getattr(moved, field.name)), field.name


def test_values_that_differ_in_their_last_bits_are_sorted():
    """Sorting by shortened keys loses no difference between values, however small."""
    rng = np.random.default_rng(0)
    values = (1.0 + rng.permutation(64) * 2.0**-52)[:, np.newaxis]
    values = np.hstack(
        [values, -values, rng.permutation(np.repeat([-0.0, 0.0, 5e-324, -5e-324], 16))[:, np.newaxis]]
    )
    codes = prepare(values).layout.codes
    for column in range(3):
        assert np.array_equal(codes[column], np.unique(values[:, column], return_inverse=True)[1])


def test_thresholds_stay_between_their_values():
    """Halfway between neighbouring floats lies the lower one; between huge values nothing overflows."""
    largest = np.finfo(float).max
    values = np.array([[1.0, -largest], [1.0, -largest], [np.nextafter(1.0, 2.0), largest], [2.0, largest]])
    stumps = boost(prepare(values), [1, 1, -1, -1], 1)
    assert stumps.threshold.tolist() == [1.0]
    stumps = boost(prepare(values), [1, 1, -1, -1], 1, columns=[1])
    assert stumps.threshold.tolist() == [0.0]


def test_a_stump_without_an_error_ends_the_model():
    """A perfect stump can only come first; its alpha is that of an edge of 1 - 1/n."""
    stumps = boost(prepare([[1.0], [2.0], [3.0], [4.0]]), [-1, -1, 1, 1], 10)
    assert stumps.edge.tolist() == [1.0]
    assert stumps.alpha.tolist() == [0.5 * np.log(1.75 / 0.25)]


def test_a_table_without_stumps_gives_an_empty_model():
    """Constant columns and columns of gaps have no stump; they leave, the larger column first."""
    values = np.array([[1.0, np.nan], [1.0, np.nan], [1.0, np.nan]])
    prepared = prepare(values)
    stumps = boost(prepared, [1, -1, 1], 5)
    assert len(stumps) == 0
    assert stumps.decision(values).tolist() == [0.0, 0.0, 0.0]
    assert eliminate(prepared, [1, -1, 1], 5).column.tolist() == [1, 0]


def test_unused_columns_leave_without_a_new_model():
    """Only columns on which a model rests cost a fit."""
    values, sign = wide_table(n=60, d=400)
    gone = eliminate(prepare(values), sign, 5)
    assert gone.n_fits[-1] < 40


def test_inputs_stay_as_they_are():
    """Neither the table nor the weights are written to."""
    _, values, nominal, signs, _ = random_problem(3)
    weights = np.arange(len(values), dtype=float)
    copies = values.copy(), weights.copy(), signs.copy()
    eliminate(prepare(values, nominal), signs, N_ROUNDS, weights)
    for before, after in zip(copies, (values, weights, signs)):
        assert np.array_equal(before, after, equal_nan=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rounds": 0}, "n_rounds=0"),
        ({"weights": [1.0, 2.0]}, r"weights have shape \(2,\), but there are 4 rows"),
        ({"weights": [1.0, -2.0, 1.0, 1.0]}, "not negative"),
        ({"weights": [0.0, 0.0, 0.0, 0.0]}, "one at least positive"),
        ({"columns": [3]}, "columns 0 to 1"),
        ({"weight_cap": 0.5}, "weight_cap=0.5"),
        ({"sign": [1, 0, 1, 1]}, r"\+1 or -1"),
        ({"sign": [1, 1]}, "the table has 4 rows"),
    ],
)
def test_wrong_arguments_are_named(settings, message):
    """What is wrong, with its number, before any work starts."""
    arguments = {"sign": [1, 1, -1, -1], "n_rounds": 3, **settings}
    with pytest.raises(ValueError, match=message):
        boost(prepare(np.arange(8.0).reshape(4, 2)), **arguments)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"criterion": "gain"}, "criterion='gain'"),
        ({"step": 0}, "step=0"),
        ({"step": 1.5}, "step=1.5"),
        ({"step_until": 0}, "step_until=0"),
        ({"priors": [0.5, 0.5]}, "there are 3 problems"),
    ],
)
def test_wrong_plans_are_named(settings, message):
    """What is wrong, with its number, before any work starts."""
    signs = one_against_rest(np.array([0, 1, 2, 2]), 3)
    with pytest.raises(ValueError, match=message):
        eliminate(prepare(np.arange(8.0).reshape(4, 2)), signs, 3, **settings)
