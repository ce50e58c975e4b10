"""ReliefF against its oracle, and against scikit-rebate's answers where the definitions agree."""

from pathlib import Path

import numpy as np
import pytest

from tamis.features.relieff import ReliefF, _listed
from tamis.neighbors import MixedSpace
from tests.oracles import columns
from tests.oracles import relieff as oracle
from tests.settings import N_PROBLEMS


def problem(seed):
    """A small table with ties, duplicates, constants, gaps and nominal columns; two to four classes, some of one row."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(4, 24)), int(random.integers(1, 7))
    n_classes = int(random.integers(2, 5)) if n > 8 else 2
    y = random.permutation(
        np.r_[np.arange(n_classes), random.integers(0, n_classes - seed % 2, n - n_classes)]
    )
    nominal = random.random(d) < 0.35
    X = np.empty((n, d))
    for j in range(d):
        kind = int(random.integers(0, 5))
        if nominal[j] or kind == 0:
            X[:, j] = random.integers(0, 4, n)
        elif kind == 1:
            X[:, j] = random.integers(0, 11, n) * 0.1
        else:
            X[:, j] = random.normal(size=n) * 10.0 ** random.integers(-5, 6) if kind < 4 else 7.0
        if random.random() < 0.4:
            X[random.random(n) < 0.25, j] = np.nan
    if random.random() < 0.4:
        X = X[random.integers(0, n, n)]
    return X, nominal, y


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_equals_the_oracle(seed):
    """Weights of the distinct columns are the plain version's, for few and for many neighbours, for both distances."""
    X, nominal, y = problem(seed)
    asked = columns.distinct(columns.first_equals(X, nominal))
    k, metric = (1, 3, 10)[seed % 3], ("l1", "l2")[seed // 3 % 2]
    fitted = ReliefF(n_neighbors=k, metric=metric, categorical_features=nominal).fit(X, y)
    expected = oracle.weights(X[:, asked], nominal[asked], y, k, metric)
    np.testing.assert_allclose(fitted.scores_[asked], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_hits_and_misses_are_those_of_the_oracle(seed):
    """The rows listed for a row, itself left out, begin with the plain version's neighbours, in their order."""
    X, nominal, y = problem(seed)
    k, metric = (1, 3, 10)[seed % 3], ("l1", "l2")[seed // 3 % 2]
    rows = MixedSpace.fit(X, nominal, metric).scaled(X)
    for label in np.unique(y):
        listed = _listed(rows, rows, np.flatnonzero(y == label), k, None).tolist()
        for row, found in enumerate(listed):
            others = [other for other in found if other != row][:k]
            assert others == oracle.neighbors(X, nominal, y, row, label, k, metric)


@pytest.mark.parametrize("seed", range(5))
def test_steps_are_finer_than_any_use_of_the_weights(seed):
    """Counting differences in steps of 2**-30 moves no weight by more than two half steps."""
    X, nominal, y = problem(seed)
    fitted = ReliefF(n_neighbors=3, categorical_features=nominal).fit(X, y)
    plain = oracle.weights(X, nominal, y, 3, steps=None)
    np.testing.assert_allclose(fitted.scores_, plain, rtol=0, atol=2.0**-30)


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_of_rows_equals_the_oracle(seed):
    """Only the drawn rows ask; neighbours are sought among all rows, shares are those of all rows."""
    X, nominal, y = problem(seed)
    wanted = 1 + len(y) // 3
    asking = np.sort(np.random.RandomState(seed).permutation(len(y))[:wanted])
    fitted = ReliefF(n_neighbors=2, n_samples=wanted, random_state=seed, categorical_features=nominal).fit(
        X, y
    )
    expected = oracle.weights(X, nominal, y, 2, asking=asking.tolist())
    np.testing.assert_allclose(fitted.scores_, expected, rtol=0, atol=1e-12)


def test_all_rows_drawn_are_all_rows():
    """n_samples=1.0 is None, whatever the seed."""
    X, nominal, y = problem(3)
    every = ReliefF(categorical_features=nominal).fit(X, y).scores_
    drawn = ReliefF(categorical_features=nominal, n_samples=1.0, random_state=1).fit(X, y).scores_
    np.testing.assert_array_equal(drawn, every)


def test_a_class_of_one_row_has_no_hits():
    """Such a row gives its misses' part only: by hand, ((1 + 0.75) / 2 + (1 - 0.25) + (0.75 - 0.25)) / 3."""
    fitted = ReliefF(n_neighbors=5).fit([[0.0], [1.0], [0.75]], ["a", "b", "b"])
    assert fitted.scores_[0] == pytest.approx(((1 + 0.75) / 2 + (1 - 0.25) + (0.75 - 0.25)) / 3, abs=1e-12)


def test_misses_count_by_their_class_share():
    """By hand: of three classes with 1, 1 and 2 rows, a row of the first sees the others with shares 1/3 and 2/3."""
    X, y = np.array([[0.0], [0.5], [1.0], [1.0]]), [0, 1, 2, 2]
    first = 1 / 3 * 0.5 + 2 / 3 * 1.0
    second = 1 / 3 * 0.5 + 2 / 3 * 0.5
    third = 1 / 2 * 1.0 + 1 / 2 * 0.5 - 0.0
    assert ReliefF().fit(X, y).scores_[0] == pytest.approx((first + second + 2 * third) / 4, abs=1e-12)


def test_columns_in_other_units_tie():
    """0.1, 0.2, 0.3 and 1, 2, 3 are the same column: same weight to the bit, the lower column first."""
    random = np.random.default_rng(0)
    grid = random.integers(1, 11, 60)
    y = (grid + random.integers(0, 6, 60) > 7).astype(int)
    fitted = ReliefF().fit(np.column_stack([grid * 0.1, random.normal(size=60), grid]), y)
    assert fitted.scores_[0] == fitted.scores_[2]
    assert fitted.ranking_.tolist() == [1, 3, 2]


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_jobs_and_blocks_change_no_bit(metric, monkeypatch):
    """One thread and two, long blocks and short: the same weights."""
    random = np.random.default_rng(1)
    X = random.normal(size=(1200, 4)).round(1)
    X[random.random(X.shape) < 0.05] = np.nan
    X[:, 3] = random.integers(0, 3, 1200)
    y = (X[:, 0] > 0).astype(int) + (X[:, 3] == 1)
    one = ReliefF(metric=metric, categorical_features=[3], n_jobs=1).fit(X, y).scores_
    two = ReliefF(metric=metric, categorical_features=[3], n_jobs=2).fit(X, y).scores_
    monkeypatch.setattr("tamis.neighbors._blocks.BLOCK_ROWS", 37)
    monkeypatch.setattr("tamis.neighbors._exact.QUERY_ROWS", 101)
    short = ReliefF(metric=metric, categorical_features=[3], n_jobs=2).fit(X, y).scores_
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, short)


def test_renaming_classes_changes_no_bit():
    """Labels are names: another order of them gives the same bits."""
    X, nominal, _ = problem(6)
    y = np.random.default_rng(6).integers(0, 3, len(X))
    y[:3] = [0, 1, 2]
    first = ReliefF(categorical_features=nominal).fit(X, y).scores_
    np.testing.assert_array_equal(ReliefF(categorical_features=nominal).fit(X, -y).scores_, first)


def test_columns_that_count_only_together_are_found():
    """The exclusive or of two columns among eight: both lead, though each alone says nothing."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (300, 8))
    fitted = ReliefF(n_features_to_select=2).fit(X, X[:, 2] ^ X[:, 5])
    assert np.flatnonzero(fitted.support_).tolist() == [2, 5]


def test_too_many_samples_are_refused():
    """The number of rows stands in the error."""
    with pytest.raises(ValueError, match=r"ReliefF: n_samples=5, but X has 3 rows. Use a value from 1 to 3"):
        ReliefF(n_samples=5).fit([[0], [1], [2]], [0, 1, 1])


def read_fixture(name):
    return np.loadtxt(Path(__file__).parent / "fixtures" / name, delimiter=",", skiprows=1)


@pytest.mark.parametrize("number", range(12))
def test_scikit_rebate_gives_the_same_weights(number):
    """Where the definitions agree (one kind of column, no gaps, two classes or several of one size, no ties)."""
    problems, answers = read_fixture("skrebate_problems.csv"), read_fixture("skrebate_weights.csv")
    table = problems[problems[:, 0] == number]
    _, k, nominal, *expected = answers[number]
    selector = ReliefF(n_neighbors=int(k), categorical_features=[bool(nominal)] * 12)
    fitted = selector.fit(table[:, 1:13], table[:, 13].astype(int))
    np.testing.assert_allclose(fitted.scores_, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_weights_and_groups_equal_the_oracle(seed):
    """Rows of one group are never each other's neighbours, and rows count by their weight; rows of weight 0 are left out."""
    X, nominal, y = problem(seed)
    random = np.random.default_rng(seed)
    groups = random.integers(0, max(2, len(X) // 2), len(X)) if seed % 3 else None
    counts = random.integers(0, 4, len(X)) * 0.5 if seed % 2 else np.ones(len(X))
    counts[[int(np.flatnonzero(y == label)[0]) for label in np.unique(y)[:2]]] = 1.0
    asked = columns.distinct(columns.first_equals(X[counts > 0], nominal))
    k, metric = (1, 3, 10)[seed % 3], ("l1", "l2")[seed // 3 % 2]
    fitted = ReliefF(n_neighbors=k, metric=metric, categorical_features=nominal)
    fitted.fit(X, y, counts if seed % 2 else None, groups=groups)
    left = counts > 0
    own = None if groups is None else groups[left]
    expected = oracle.weights(
        X[left][:, asked], nominal[asked], y[left], k, metric, steps=None, groups=own, counts=counts[left]
    )
    np.testing.assert_allclose(fitted.scores_[asked], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_a_row_of_weight_w_is_w_rows_of_one_group(seed):
    """With one neighbour, integer weights are rows given again that are not each other's neighbours."""
    X, nominal, y = problem(seed)
    counts = np.random.default_rng(seed).integers(1, 4, len(X))
    selector = ReliefF(n_neighbors=1, categorical_features=nominal)
    weighted = selector.fit(X, y, counts, groups=np.arange(len(X))).scores_
    again = np.repeat(np.arange(len(X)), counts)
    repeated = selector.fit(X[again], y[again], groups=again).scores_
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_repeated_measurements_do_not_flatter(seed):
    """A column that names the patient tells nothing of new patients; with groups its weight falls by half and more."""
    random = np.random.default_rng(seed)
    patient = np.repeat(np.arange(40), 5)
    true = random.normal(size=40)
    y = (true > 0)[patient]
    X = np.column_stack([true[patient] + 0.8 * random.normal(size=200), random.normal(size=40)[patient]])
    alone, grouped = ReliefF().fit(X, y).scores_, ReliefF().fit(X, y, groups=patient).scores_
    assert grouped[1] < alone[1] / 2
    assert grouped[0] > 2 * grouped[1]


def test_numbers_with_weights_and_groups():
    """RReliefF with equal weights and every row its own group is RReliefF; with weights, by plain loops."""
    random = np.random.default_rng(1)
    X, y = random.random((30, 4)), random.random(30)
    y += X[:, 1]
    plain = ReliefF(n_neighbors=4).fit(X, y)
    np.testing.assert_allclose(
        plain.scores_, ReliefF(n_neighbors=4).fit(X, y, np.ones(30)).scores_, atol=1e-5
    )
    groups, counts = np.arange(30) // 3, random.integers(1, 4, 30)
    found = ReliefF(n_neighbors=4).fit(X, y, counts, groups=groups).scores_
    scaled, of_y = (X - X.min(axis=0)) / np.ptp(X, axis=0), (y - y.min()) / np.ptp(y)
    pairs = apart = 0.0
    of_columns, of_both = np.zeros(4), np.zeros(4)
    for row in range(30):
        others = [other for other in range(30) if groups[other] != groups[row]]
        others.sort(key=lambda other: np.abs(scaled[row] - scaled[other]).sum())
        for other in others[:4]:
            differ = np.abs(scaled[row] - scaled[other])
            pairs += counts[row]
            apart += counts[row] * abs(of_y[row] - of_y[other])
            of_columns += counts[row] * differ
            of_both += counts[row] * differ * abs(of_y[row] - of_y[other])
    expected = of_both / apart - (of_columns - of_both) / (pairs - apart)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_groups_are_refused_by_name():
    """As many groups as rows are needed."""
    with pytest.raises(ValueError, match=r"ReliefF: groups has the shape \(2,\), but X has 4 rows"):
        ReliefF().fit(np.eye(4), [0, 1, 0, 1], groups=[1, 2])
