"""RowValues: values by the definition, margins by plain loops, and who is a suspect."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import RowValues
from tamis.neighbors import MixedSpace, nearest_rows
from tamis.prototypes._row_values import _orders, margins, near_shapley_values, suspected
from tests.oracles import row_values as oracle
from tests.oracles.neighbors import all_distances
from tests.prototypes.problems import problem
from tests.settings import NIGHTLY


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(300 if NIGHTLY else 30))
def test_values_are_those_of_the_definition(seed: int, grouped: bool) -> None:
    """Every set of the others is looked at, on tables of up to 7 rows with ties, gaps and nominal columns; and groups."""
    one = problem(seed)
    n = min(4 + seed % 4, len(one.X))
    X, y, n_neighbors = one.X[:n], one.y[:n], 1 + seed % 5
    if len(set(y)) < 2:
        y = np.where(np.arange(n) == 0, "other", y)
    groups = np.random.default_rng(seed).permutation(np.arange(n) % 3) if grouped else None
    found = RowValues(n_neighbors, categorical_features=one.nominal).fit(X, y, groups=groups)
    distances = all_distances(X, X, one.nominal, "l2")
    np.testing.assert_allclose(
        found.values_, oracle.row_values(distances, y.tolist(), n_neighbors, groups), atol=1e-12
    )
    plain = [oracle.margin(distances, y.tolist(), row, groups) for row in range(n)]
    np.testing.assert_allclose(found.margins_, plain, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_agreement_is_the_share_of_right_votes(seed: int) -> None:
    """How many of each row's nearest others have its label; the values of all rows share that out."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(50, 3)), random.integers(0, 2 + seed % 2, 50)
    found = RowValues(7, categorical_features=None).fit(X, y)
    distances = all_distances(X, X, np.zeros(3, dtype=bool), "l2")
    near = [
        np.argsort(np.where(np.arange(50) == row, np.inf, distances[row]), kind="stable")[:7]
        for row in range(50)
    ]
    right = np.mean([(y[rows] == y[row]).mean() for row, rows in enumerate(near)])
    assert found.agreement_ == pytest.approx(right)
    assert found.values_.sum() * 49 / 50 == pytest.approx(right)  # a row takes part in 49 games of 50


def test_values_from_the_nearest_alone_are_all_but_exact() -> None:
    """Of 200 rows the 100 nearest know each value of a game to 1/100."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, 200)
    order = np.array([random.permutation(np.delete(np.arange(200), row)) for row in range(200)])
    alone = np.arange(200)
    whole, near = (near_shapley_values(order[:, :n_near], codes, 5, alone) for n_near in (199, 100))
    assert np.abs(whole - near).max() <= 0.01


def test_large_distances_are_ordered_as_small_ones() -> None:
    """Distances too large to be packed with their rows are sorted by the other way, ties to the lower row."""
    random = np.random.default_rng(4)
    distances = random.integers(0, 5, (20, 30))
    expected = np.argsort(distances, axis=1, kind="stable")
    assert np.array_equal(_orders(distances * 2**58), expected)
    assert np.array_equal(_orders(distances.copy()), expected)


def test_margins_where_the_nearest_lack_a_class() -> None:
    """Lists that hold one class alone, or none of the own, give the margins of longer lists."""
    random = np.random.default_rng(5)
    values = np.repeat(random.normal(size=(60, 2)), 2, axis=0)
    codes = np.sort(random.integers(0, 3, 120))
    codes[7] = 3  # the only one of its class
    space = MixedSpace.fit(values, np.zeros(2, dtype=bool))
    rows = space.scaled(values)
    short, long = (
        margins(rows, codes, *nearest_rows(space, rows, n_near), np.arange(120), n_jobs=1)
        for n_near in (1, 119)
    )
    assert np.array_equal(short, long)
    assert short[7] == -1.0


def flipped(share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two classes well apart, with a share of the labels turned; the turned rows."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, 400)
    X = random.normal(size=(400, 5)) + 3 * y[:, np.newaxis]
    turned = random.random(400) < share
    return X, np.where(turned, 1 - y, y), turned


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
def test_turned_labels_are_suspects_and_worth_least(share: float) -> None:
    """On classes well apart nearly all turned labels are found, few others, and the values of turned rows are lowest."""
    X, y, turned = flipped(share, 0)
    found = RowValues().fit(X, y)
    marked = np.zeros(400, dtype=bool)
    marked[found.suspects_] = True
    assert (marked & turned).sum() >= 0.9 * turned.sum()
    assert (marked & ~turned).sum() <= 0.1 * marked.sum()
    assert found.values_[turned].mean() < found.values_[~turned].mean()
    assert (found.suggested_labels_[found.suspects_] != y[found.suspects_]).all()


@pytest.mark.parametrize("share", [0.5, 0.3, 0.1])
@pytest.mark.parametrize("n_groups", [30, 60, 300])
@pytest.mark.parametrize("of_each", [1, 5])
def test_labels_by_chance_are_no_suspects(n_groups: int, share: float, of_each: int) -> None:
    """Where the columns say nothing of the labels, none is called wrong: of few rows, rare classes, and groups of like rows."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = np.repeat(random.normal(size=(n_groups, 4)), of_each, axis=0)
        y = np.repeat(random.random(n_groups) < share, of_each)
        y[:of_each], y[-of_each:] = False, True
        groups = np.repeat(np.arange(n_groups), of_each)
        found = RowValues().fit(X, y, groups=groups)
        assert not len(found.suspects_)
        assert np.array_equal(found.suggested_labels_, y)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_labels_by_chance_of_several_classes_are_no_suspects(n_classes: int) -> None:
    """Of 500 rows at most one in a hundred is called wrong."""
    random = np.random.default_rng(2)
    found = RowValues().fit(random.normal(size=(500, 4)), random.integers(0, n_classes, 500))
    assert len(found.suspects_) <= 5


def test_suspects_of_equal_probability_stand_or_fall_together() -> None:
    """Three rows of 0.1 and two of 0.3: at a mean of 0.15 the two would be one too many."""
    right = np.array([0.1, 0.1, 0.1, 0.3, 0.3, 0.05])
    doubted = np.array([True, True, True, True, True, False])
    assert suspected(right, doubted, 0.15).tolist() == [True, True, True, False, False, False]
    assert suspected(right, doubted, 0.19).tolist() == [True] * 5 + [False]
    assert not suspected(right, doubted, 0.05).any()


def test_threads_and_the_order_of_the_columns_change_nothing() -> None:
    """The same bits for one thread and two, and for turned columns."""
    X, y, _ = flipped(0.1, 3)
    one, two = RowValues(n_jobs=1).fit(X, y), RowValues(n_jobs=2).fit(X[:, ::-1], y)
    assert one.values_.tobytes() == two.values_.tobytes()
    assert one.suspects_.tolist() == two.suspects_.tolist()


def test_copies_in_one_group_do_not_speak_for_each_other() -> None:
    """Beside each of 8 wrong labels stand three copies of it: found where copies are of one group, and else not."""
    X, y, turned = flipped(0.02, 6)
    wrong = np.flatnonzero(turned)[:8]
    X, y = np.concatenate([X, *[X[wrong]] * 3]), np.concatenate([y, *[y[wrong]] * 3])
    groups = np.concatenate([np.arange(400), *[wrong] * 3])
    together = RowValues(3).fit(X, y, groups=groups)
    alone = RowValues(3).fit(X, y)
    assert np.isin(wrong, together.suspects_).all()
    assert not np.isin(wrong, alone.suspects_).any()


def test_groups_of_one_row_change_no_bit_and_one_group_is_refused() -> None:
    """A row alone is what every row is without groups."""
    X, y, _ = flipped(0.1, 7)
    plain, alone = RowValues().fit(X, y), RowValues().fit(X, y, groups=np.arange(400))
    assert plain.values_.tobytes() == alone.values_.tobytes()
    assert plain.margins_.tobytes() == alone.margins_.tobytes()
    with pytest.raises(ValueError, match="RowValues: all rows are of one group"):
        RowValues().fit(X, y, groups=np.zeros(400))
