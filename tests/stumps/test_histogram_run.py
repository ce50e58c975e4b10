"""The histogram engine against the plain oracle, and against the sorting engine where the oracle is too slow."""

from dataclasses import fields

import numpy as np
import pytest

from tamis.stumps import binned as binned_module
from tamis.stumps._kernels.binning import bin_counts
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.binned import binned_table as prepare
from tamis.stumps.engine import one_against_rest
from tamis.stumps.histogram_run import HistogramRun
from tamis.stumps.problems import Problem
from tamis.stumps.sorted_columns import sorted_table
from tests.oracles import stumps as oracle
from tests.settings import N_PROBLEMS
from tests.stumps.calls import boost, eliminate

N_ROUNDS = 20


def random_column(rng, n):
    """Continuous, coarse, rounded, mostly zero, or of very different size."""
    kind = rng.integers(5)
    if kind == 0:
        return rng.normal(size=n)
    if kind == 1:
        return rng.integers(0, rng.integers(1, 6), n).astype(float)
    if kind == 2:
        return np.round(rng.normal(size=n), 1)
    if kind == 3:
        return np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n))
    return rng.standard_cauchy(n) * 10.0 ** rng.integers(-300, 300)


def random_problem(seed, n_classes=2):
    """A table with ties, gaps, nominal and doubled columns; classes; weights, zeros among them; a cap at times."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 120)), int(rng.integers(1, 9))
    values = np.column_stack([random_column(rng, n) for _ in range(d)])
    nominal = rng.random(d) < 0.3
    for column in np.flatnonzero(nominal):
        values[:, column] = rng.integers(0, rng.integers(1, 12), n)
    for column in np.flatnonzero(rng.random(d) < 0.3):
        values[rng.random(n) < rng.choice([0.1, 0.5, 1.0], p=[0.6, 0.3, 0.1]), column] = np.nan
    if rng.random() < 0.3:
        source = rng.integers(d)
        values[:, -1], nominal[-1] = values[:, source], nominal[source]
    codes = rng.integers(0, n_classes, n)
    if rng.random() < 0.5:
        known = np.nan_to_num(values[:, 0])
        codes = np.where(rng.random(n) < 0.8, known > np.median(known), codes).astype(np.int64)
    weights = None
    if rng.random() < 0.4:
        weights = rng.random(n) * rng.integers(0, 3, n)
        weights[:2] = 1.0
        if rng.random() < 0.3:
            weights = (weights > 0) * 2.0
    settings = {
        "weights": weights,
        "weight_cap": rng.choice([None, None, 1.0, 3.0]),
        "balanced": bool(seed % 2),
    }
    return rng, values, nominal, codes, settings


def sign_of(codes, label=1):
    return np.where(codes == label, 1, -1)


def run_of(binned, sign, weights=None, weight_cap=None, columns=None, balanced=False, **settings):
    """A model whose machinery can be set."""
    columns = np.arange(binned.n_columns) if columns is None else columns
    start = oracle.start_weights(
        np.ones(len(sign)) if weights is None else weights, sign if balanced else None
    )
    kept = start > 0
    sharers = np.full(2, float(kept.sum()))
    if balanced and len(np.unique(sign[kept])) == 2:
        sharers = np.array([2.0 * (sign[kept] > 0).sum(), 2.0 * (sign[kept] < 0).sum()])
    problem = Problem(sign, start, len(np.unique(start[kept])) == 1, sharers)
    return HistogramRun(binned, problem, columns, Settings(N_ROUNDS, weight_cap or 0.0, 1.0), **settings)


def assert_same_model(model, expected):
    for field in fields(model):
        assert getattr(model, field.name).tolist() == expected[field.name], field.name


def assert_equal(first, second):
    for field in fields(first):
        assert np.array_equal(getattr(first, field.name), getattr(second, field.name)), field.name


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_boost_equals_the_oracle(seed):
    """Column, threshold, gaps' side, polarity, alpha, u and edge of every round are the oracle's."""
    rng, values, nominal, codes, settings = random_problem(seed)
    columns = None if rng.random() < 0.7 else rng.permutation(values.shape[1])[: max(1, values.shape[1] // 2)]
    expected = oracle.boost(values, nominal, sign_of(codes), N_ROUNDS, columns=columns, **settings)
    binned = prepare(values, nominal, classes=codes)
    assert_same_model(boost(binned, sign_of(codes), N_ROUNDS, columns=columns, **settings), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_any_bins_bundles_and_rebuilds_equal_the_oracle(seed):
    """Few bins, shared bytes, and histograms made anew never, at times or always change nothing."""
    rng, values, nominal, codes, settings = random_problem(1000 + seed)
    expected = oracle.boost(values, nominal, sign_of(codes), N_ROUNDS, **settings)
    binned = prepare(values, nominal, classes=codes, max_bins=int(rng.integers(1, 12)), bundle=True)
    for rebuild in (0.0, 1e-13, 1.0):
        run = run_of(binned, sign_of(codes), rebuild=rebuild, **settings)
        run.train()
        assert_same_model(run.model(), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_elimination_equals_the_oracle(seed):
    """Order and scores are those of a loop that trains every model from scratch, one class or three, any step."""
    rng, values, nominal, codes, settings = random_problem(2000 + seed, n_classes=int(2 + seed % 2))
    signs = one_against_rest(codes, 2 + seed % 2)
    settings["criterion"] = str(rng.choice(["margin_fraction", "contribution_ratio"]))
    settings["step"] = [1, 1, 2, 0.5][rng.integers(4)]
    settings["priors"] = rng.random(len(signs))
    classes = codes if rng.random() < 0.7 else None
    binned = prepare(
        values, nominal, classes=classes, max_bins=int(rng.choice([4, 255])), bundle=seed % 3 == 0
    )
    gone = eliminate(binned, signs, N_ROUNDS, **settings)
    expected = eliminate(sorted_table(values, nominal), signs, N_ROUNDS, **settings)
    order = oracle.eliminate(values, nominal, signs, N_ROUNDS, **settings)[0]
    assert gone.column.tolist() == order.tolist()
    assert_equal(gone, expected)


@pytest.mark.parametrize("seed", range(max(4, N_PROBLEMS // 5)))
def test_two_threads_equal_the_oracle(seed):
    """Coding, histograms, opened bins and weights do not depend on the number of threads."""
    rng, values, nominal, codes, settings = random_problem(3000 + seed)
    expected = oracle.boost(values, nominal, sign_of(codes), N_ROUNDS, **settings)
    max_bins = int(rng.choice([3, 20, 255]))
    binned = prepare(values, nominal, classes=codes, n_jobs=2, max_bins=max_bins, bundle=bool(seed % 2))
    assert_same_model(boost(binned, sign_of(codes), N_ROUNDS, n_jobs=2, **settings), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_going_back_equals_the_oracle(seed):
    """After columns have left, a model restarted at the round that first used them is that of a fresh start."""
    rng, values, nominal, codes, settings = random_problem(4000 + seed)
    binned = prepare(values, nominal, classes=codes, max_bins=int(rng.choice([5, 255])), bundle=seed % 3 == 0)
    run = run_of(binned, sign_of(codes), n_kept=int(rng.integers(1, 5)), **settings)
    columns = np.arange(values.shape[1])
    run.train()
    while len(columns) > 1 and len(run):
        used = run.rounds.column[: len(run)].tolist()
        gone = int(rng.choice(used))
        columns = columns[columns != gone]
        first = used.index(gone)
        run.restart(first, columns)
        run.train()
        expected = oracle.boost(values, nominal, sign_of(codes), N_ROUNDS, columns=columns, **settings)
        assert_same_model(run.model(), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_histograms_are_no_further_off_than_they_say(seed):
    """In every round the cells of each unit, kept up from the round before, are off by at most the account's errors in sum."""
    _, values, nominal, codes, settings = random_problem(5000 + seed)
    settings["weight_cap"] = None
    run = run_of(
        prepare(values, nominal, classes=codes, bundle=True), sign_of(codes), rebuild=1.0, **settings
    )
    for _ in range(1, N_ROUNDS):
        run.train(at_most=1)
        if run.finished:
            break
        off = np.abs(run.H - run._full_histogram(run.rows.weights)).sum(axis=2)
        assert (off <= run.account.error).all()


@pytest.mark.parametrize("seed", range(max(4, N_PROBLEMS // 5)))
def test_codes_beyond_the_bins_equal_the_oracle(seed):
    """A nominal column with more codes than bins shares bins among codes and loses none of them."""
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [rng.integers(0, 400, 900), np.where(rng.random(900) < 0.2, 7, rng.integers(0, 300, 900))]
    )
    values = values.astype(float)
    values[rng.random(values.shape) < 0.05] = np.nan
    sign = np.where((values[:, 1] == 7) ^ (rng.random(900) < 0.3), 1, -1)
    expected = oracle.boost(values, [True, True], sign, N_ROUNDS)
    assert_same_model(boost(prepare(values, [True, True], classes=sign), sign, N_ROUNDS), expected)


@pytest.mark.parametrize("seed", range(max(4, N_PROBLEMS // 5)))
def test_weights_of_the_small_side_equal_the_oracle(seed):
    """Few heavy rows opposite many light ones: with the factor of the other side their sum would pass 2**53."""
    rng = np.random.default_rng(seed)
    side = np.repeat([1.0, 0.0, 0.0], [5, 40, 60])
    sign = np.repeat([1, 1, -1], [5, 40, 60])
    weights = np.repeat([9.0, 0.01, 0.8], [5, 40, 60]) * (1.0 + rng.random(105))
    values = np.column_stack([side, rng.integers(0, 3, 105), rng.normal(size=105)])
    start = oracle.start_weights(weights)
    gamma = abs((start * sign * (2 * side - 1)).sum()) / start.sum()
    assert start[sign > 0].sum() / (1 - gamma) > 2.0**53
    expected = oracle.boost(values, [False] * 3, sign, N_ROUNDS, weights)
    assert expected["column"][0] == 0
    assert_same_model(boost(prepare(values, classes=sign), sign, N_ROUNDS, weights), expected)


def large_table(seed=0, n=30_000):
    """Columns of every kind in a table of many rows: continuous, coarse, binary, with atoms, gaps and rare values."""
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [
            rng.normal(size=n),
            np.exp(3 * rng.normal(size=n)),
            np.where(rng.random(n) < 0.5, 0.0, rng.normal(size=n)),
            np.round(rng.normal(size=n), 2),
            *(rng.random(n) < share for share in (0.5, 0.1, 0.01, 0.0001)),
            np.where(rng.random(n) < 0.0002, 0.5, rng.integers(0, 2, n)),
            rng.integers(0, 6, n),
            rng.integers(0, 1000, n),
        ]
    )
    values[rng.random(n) < 0.03, 3] = np.nan
    nominal = np.isin(np.arange(values.shape[1]), [9, 10])
    values[rng.random(n) < 0.03, 9] = np.nan
    score = values[:, 0] + np.log(values[:, 1]) + values[:, 5] + (values[:, 9] == 2) + rng.normal(size=n)
    return values, nominal, np.digitize(score, np.quantile(score, [0.4, 0.8]))


@pytest.mark.parametrize("seed", range(max(2, N_PROBLEMS // 25)))
def test_many_rows_give_what_the_sorting_engine_gives(seed):
    """On 30,000 rows, with thresholds from a sample, bundles and opened bins: the same models and the same ranking."""
    values, nominal, codes = large_table(seed)
    binned = prepare(values, nominal, classes=codes)
    assert (np.bincount(binned.unit) > 1).any()
    plain = sorted_table(values, nominal)
    for label in range(3):
        sign = sign_of(codes, label)
        assert_equal(boost(binned, sign, 60), boost(plain, sign, 60))
    signs = one_against_rest(codes, 3)
    assert_equal(eliminate(binned, signs, 20), eliminate(plain, signs, 20))


def test_many_rows_do_not_depend_on_threads_order_or_layout():
    """Two threads, rows not sorted by class, and a table in Fortran order give the same model."""
    values, nominal, codes = large_table(7)
    sign = sign_of(codes)
    expected = boost(prepare(values, nominal, classes=codes), sign, 40)
    assert_equal(boost(prepare(values, nominal, classes=codes, n_jobs=2), sign, 40, n_jobs=2), expected)
    assert_equal(boost(prepare(values, nominal), sign, 40), expected)
    assert_equal(boost(prepare(np.asfortranarray(values), nominal, classes=codes), sign, 40), expected)
    order = np.random.default_rng(0).permutation(len(values))
    assert_equal(boost(prepare(values[order], nominal, classes=codes[order]), sign[order], 40), expected)


def test_zero_weights_are_rows_left_out():
    """A model on rows of weight 0 and 1 is that of the rows of weight 1: folds can share a prepared table."""
    values, nominal, codes = large_table(3, n=9_000)
    kept = np.random.default_rng(1).random(len(values)) < 0.6
    expected = boost(prepare(values[kept], nominal, classes=codes[kept]), sign_of(codes[kept]), 30)
    assert_equal(boost(prepare(values, nominal, classes=codes), sign_of(codes), 30, kept * 1.0), expected)


@pytest.mark.parametrize("scale", [0.0, 1.0, 6.0])
def test_bins_count_the_thresholds_below(scale):
    """Whatever the distribution, the code of a value is the number of its column's thresholds below it."""
    rng = np.random.default_rng(0)
    values = np.exp(scale * rng.normal(size=(6_000, 3))) * rng.choice([-1.0, 1.0], (6_000, 3))
    values[:, 1] = np.round(values[:, 1], 1)
    table = prepare(values, bundle=False).table
    for column in range(3):
        code = table.words[0] >> np.uint32(8 * column) & np.uint32(255)
        cuts = table.bin_values[column]
        expected = np.minimum(np.searchsorted(cuts, values[:, column]), np.isfinite(cuts).sum())
        assert np.array_equal(code, expected)


def test_bundles_that_grow_too_large_are_taken_apart(monkeypatch):
    """Joint cells that the sample did not show, beyond 256 of them, or gaps, cost a second coding and nothing else."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (3_000, 7)).astype(float)
    values[::300] = 0.0  # all that a sample of ten rows sees
    values[1, 6] = np.nan
    monkeypatch.setattr(binned_module, "SAMPLE_SIZE", 10)
    sign = np.where(values[:, 0] + values[:, 3] + rng.normal(size=3_000) > 2, 1, -1)
    binned = prepare(values, classes=sign, bundle=True)
    assert_equal(boost(binned, sign, 30), boost(sorted_table(values), sign, 30))


def test_a_rare_value_does_not_share_a_bin_with_many_rows():
    """Where a large bin is not simple only for a value that the sample missed, that value gets a bin apart."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (20_000, 2)).astype(float)
    values[7] = [0.5, 3.0]
    binned = prepare(values)
    for column in range(2):
        counts = bin_counts(binned.table.words, binned.unit[column], binned.table.bin_of[column])
        assert counts[binned.mixed[column]].max() <= 1


def test_the_table_stays_as_it_is():
    """A float64 table is read in place and never written to."""
    values, nominal, codes = large_table(1, n=5_000)
    before = values.copy()
    binned = prepare(values, nominal, classes=codes)
    eliminate(binned, sign_of(codes), 10)
    assert np.shares_memory(binned.table.values, values)
    assert np.array_equal(values, before, equal_nan=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rounds": 0}, "n_rounds=0"),
        ({"weights": [1.0, 2.0]}, r"weights have shape \(2,\), but there are 4 rows"),
        ({"weights": [1.0, -2.0, 1.0, 1.0]}, "not negative"),
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
        ({"nominal": [True]}, "but values has 2 columns"),
        ({"max_bins": 256}, "max_bins=256. Use 1 to 255"),
    ],
)
def test_wrong_tables_are_named(settings, message):
    """What is wrong, with its number."""
    with pytest.raises(ValueError, match=message):
        prepare(np.arange(8.0).reshape(4, 2), **settings)
