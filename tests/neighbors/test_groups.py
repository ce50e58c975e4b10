"""Neighbours with all ties, as groups of equal descriptions."""

import numpy as np
import pytest

from tamis.neighbors import MixedSpace, _groups, description_groups, nearest_groups
from tests.neighbors.random_tables import mixed_table
from tests.oracles import neighbors as oracle
from tests.settings import N_PROBLEMS

FIELDS = ("group_of_row", "list_of_query", "indptr", "groups", "complement", "radius")


@pytest.mark.parametrize("metric", ["l1", "l2"])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_equal_oracle(seed, metric):
    """Neighbours, radius and sums, leave-one-out and for new rows, are exactly those of the plain loops."""
    fitted, new, nominal = mixed_table(2000 + seed, n_max=50, d_max=8)
    space = MixedSpace.fit(fitted, nominal, metric)
    weights = np.random.default_rng(seed).integers(-9, 10, len(fitted))
    for queries in (None, new):
        wanted = fitted if queries is None else queries
        distances = oracle.all_distances(wanted, fitted, nominal, metric)
        for n_neighbors in {1, len(fitted) // 2, len(fitted) - 1} - {0}:
            found = nearest_groups(space, fitted, n_neighbors, queries)
            sums = found.sums(weights)
            for i, line in enumerate(distances):
                own = i if queries is None else -1
                neighbors = oracle.nearest_all(line, own, n_neighbors)
                assert found.neighbors_of(i).tolist() == neighbors
                assert (
                    found.radius[found.list_of_query[i]]
                    == oracle.nearest_lowest(line, own, n_neighbors)[-1][0]
                )
                assert sums[i] == weights[neighbors].sum()


@pytest.mark.parametrize("seed", range(10))
def test_slabs_and_threads_do_not_matter(monkeypatch, seed):
    """Any size of the slabs of distances and any number of threads give the same lists."""
    fitted, new, nominal = mixed_table(3000 + seed)
    space = MixedSpace.fit(fitted, nominal)
    for queries in (None, new):
        expected = nearest_groups(space, fitted, 1, queries)
        monkeypatch.setattr(_groups, "SLAB_DISTANCES", 50)
        for n_jobs in (1, 2):
            calls = []
            found = nearest_groups(space, fitted, 1, queries, n_jobs=n_jobs, progress=calls.append)
            assert all(np.array_equal(getattr(found, name), getattr(expected, name)) for name in FIELDS)
            assert sum(calls) == len(found.radius)


def test_descriptions_are_numbered_by_first_row():
    """Equal rows share a number, gaps and both zeros included; numbers ascend with the first row."""
    values = np.array([[3.0, np.nan], [0.0, 1.0], [3.0, np.nan], [-0.0, 1.0], [3.0, 1.0]])
    groups, first_rows = description_groups(MixedSpace.fit(values, [False, False]).scaled(values))
    assert groups.tolist() == [0, 1, 0, 1, 2]
    assert first_rows.tolist() == [0, 1, 4]


def test_one_nominal_column_takes_no_lists_of_rows():
    """With thousands of rows of one nominal column a list holds at most half of the values, not the rows."""
    rng = np.random.default_rng(0)
    values = np.concatenate([np.zeros(3000), np.ones(3000), [2.0], np.arange(3, 500)])[:, np.newaxis]
    values = values[rng.permutation(len(values))]
    found = nearest_groups(MixedSpace.fit(values, [True], "l1"), values, 9)
    n_same = np.bincount(values[:, 0].astype(int))[values[:, 0].astype(int)]
    assert np.array_equal(found.sums(np.ones(len(values))), np.where(n_same > 9, n_same - 1, len(values) - 1))
    assert len(found.groups) <= 2 * len(found.radius)


def test_a_row_is_never_its_own_neighbor():
    """The sum over a row's neighbours does not hold the row, in a group of one or of many."""
    values = np.array([[0.0], [0.0], [0.4], [1.0], [1.0], [1.0]])
    found = nearest_groups(MixedSpace.fit(values, [False]), values, 1)
    for row in range(len(values)):
        assert row not in found.neighbors_of(row)
        assert found.sums(np.arange(len(values)) == row)[row] == 0.0


def test_only_additive_metrics_keep_all_ties():
    """Float distances cannot tie exactly: a metric of scikit-learn's is refused."""
    values = np.array([[0.0], [1.0]])
    with pytest.raises(ValueError, match="metric='cosine', but all ties are kept for l1 and l2 only"):
        nearest_groups(MixedSpace.fit(values, [False], "cosine"), values, 1)
    with pytest.raises(ValueError, match="nearest_groups: n_neighbors=2, but a row has 1 others"):
        nearest_groups(MixedSpace.fit(values, [False]), values, 2)
