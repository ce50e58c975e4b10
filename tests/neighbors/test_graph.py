"""The k nearest rows, exactly k, the lower row first on ties."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tamis.neighbors import (
    NAMED_METRICS,
    MixedSpace,
    _blocks,
    _both_ways,
    _candidates,
    _exact,
    _graph,
    _products,
    nearest_rows,
    pair_distances,
)
from tests.neighbors.random_tables import mixed_table
from tests.oracles import neighbors as oracle
from tests.settings import N_PROBLEMS, NIGHTLY


def ranked(distances, n_neighbors, leave_one_out):
    """Return the oracle's rows and distances, each (queries, n_neighbors), from its distances of all pairs."""
    answers = [
        oracle.nearest_lowest(line, i if leave_one_out else -1, n_neighbors)
        for i, line in enumerate(distances)
    ]
    return [[row for _, row in answer] for answer in answers], [[d for d, _ in answer] for answer in answers]


def numeric_table(kind, n_rows=150, n_columns=6, seed=0):
    """Return numeric rows without gaps: real values, values on a grid, or few distinct rows."""
    rng = np.random.default_rng(seed)
    if kind == "real":
        return rng.normal(size=(n_rows, n_columns))
    if kind == "grid":
        return rng.integers(0, 4, (n_rows, n_columns)) * 0.1
    return rng.normal(size=(20, n_columns))[rng.integers(0, 20, n_rows)]


def by_products(fitted, queries, *rest):
    """Return what `rows_by_products` finds in the space of the rows themselves."""
    space = _products.ProductSpace.of(fitted, _blocks.Layout.of(fitted, queries))
    return _products.rows_by_products(space, fitted, queries, *rest)


def same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("metric", ["l1", "l2"])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_equal_oracle(seed, metric):
    """Rows and distances, leave-one-out and for new rows, are exactly those of the plain loops."""
    fitted, new, nominal = mixed_table(1000 + seed, n_max=50, d_max=12)
    space = MixedSpace.fit(fitted, nominal, metric)
    for queries in (None, new):
        pairs = oracle.all_distances(fitted if queries is None else new, fitted, nominal, metric)
        for n_neighbors in {1, len(fitted) // 2, len(fitted) - 1} - {0}:
            rows, distances = nearest_rows(space, fitted, n_neighbors, queries)
            assert (rows.tolist(), distances.tolist()) == ranked(pairs, n_neighbors, queries is None)


@pytest.mark.parametrize("block_rows", [1, 7, 64])
@pytest.mark.parametrize("query_rows", [1, 5, 40])
def test_blocks_of_any_size(monkeypatch, block_rows, query_rows):
    """The sizes of the blocks of fitted rows and of queries do not change the answer."""
    fitted, _, nominal = mixed_table(21, n_max=500)
    space = MixedSpace.fit(fitted, nominal)
    expected = nearest_rows(space, fitted, 3)
    monkeypatch.setattr(_blocks, "BLOCK_ROWS", block_rows)
    monkeypatch.setattr(_exact, "QUERY_ROWS", query_rows)
    assert same(nearest_rows(space, fitted, 3), expected)
    assert same(nearest_rows(space, fitted, 3, n_jobs=2), expected)


def test_many_columns_and_tiles():
    """More columns than a chunk and more queries than a tile are all counted."""
    rng = np.random.default_rng(5)
    values = np.column_stack(
        [rng.integers(0, 3, (150, 40)), rng.integers(0, 5, (150, 35)) * 0.1, rng.integers(0, 2, (150, 40))]
    ).astype(float)
    values[:, 40:75][rng.random((150, 35)) < 0.1] = np.nan
    nominal = np.arange(115) < 40
    space = MixedSpace.fit(values, nominal, "l2")
    pairs = pair_distances(space, values, values)
    assert pairs[:5].tolist() == oracle.all_distances(values[:5], values, nominal, "l2")
    np.fill_diagonal(pairs, np.iinfo(np.int64).max)
    order = np.argsort(pairs, axis=1, kind="stable")[:, :9]
    assert np.array_equal(nearest_rows(space, values, 9)[0], order)


@pytest.mark.parametrize("kind", ["real", "grid", "few"])
@pytest.mark.parametrize("seed", range(max(2, N_PROBLEMS // 10)))
def test_products_equal_kernel(monkeypatch, kind, seed):
    """By matrix products the answer is the kernel's, with ties or without, near and far, in blocks of any size."""
    monkeypatch.setattr(_products, "TILE_QUERIES", 40)
    values = numeric_table(kind, n_rows=700, seed=seed)
    space = MixedSpace.fit(values, np.zeros(values.shape[1], dtype=bool), "l2")
    fitted = space.scaled(values)
    far = space.scaled(np.vstack([values[:20] * 3, values[:20] * 1e4, values[:20]]))
    for tile, n_neighbors in ((600, 1), (1024, 10), (64, 10), (512, 99), (200, 699)):
        monkeypatch.setattr(_products, "TILE_ROWS", tile)
        for queries, own_rows in ((fitted, np.arange(700)), (far, np.full(60, -1))):
            expected = _exact.rows_by_kernel(fitted, queries, own_rows, n_neighbors)
            assert same(by_products(fitted, queries, own_rows, n_neighbors, 2), expected)
        products = _products.ProductSpace.of(fitted, _blocks.Layout.of(fitted))
        monkeypatch.setattr(_both_ways, "STRIPE", tile)
        expected = _exact.rows_by_kernel(fitted, fitted, np.arange(700), n_neighbors)
        for n_jobs in (1, 2):
            assert same(_both_ways.rows_both_ways(products, fitted, n_neighbors, n_jobs), expected)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_products_equal_oracle(monkeypatch, seed):
    """On mixed tables with missing values, ties and values never seen, products answer as plain loops do."""
    monkeypatch.setattr(_products, "HELD", seed % 4)
    fitted, new, nominal = mixed_table(5000 + seed, n_max=50, d_max=12)
    space = MixedSpace.fit(fitted, nominal, "l2")
    rows, own = space.scaled(fitted), np.arange(len(fitted))
    for n_neighbors in {1, len(fitted) // 2, len(fitted) - 1} - {0}:
        for values, queries, own_rows in (
            (fitted, rows, own),
            (new, space.scaled(new), np.full(len(new), -1)),
        ):
            pairs = oracle.all_distances(values, fitted, nominal, "l2")
            found = by_products(rows, queries, own_rows, n_neighbors)
            assert tuple(part.tolist() for part in found) == ranked(pairs, n_neighbors, queries is rows)


def test_many_values_are_searched_by_products(monkeypatch):
    """From the measured sizes on `nearest_rows` multiplies, for the same answer and any number of threads."""
    values = numeric_table("real")
    space = MixedSpace.fit(values, np.zeros(6, dtype=bool), "l2")
    expected = nearest_rows(space, values, 5)
    used = []

    def watched(*arguments):
        used.append(True)
        return _products.rows_by_products(*arguments)

    monkeypatch.setattr(_graph, "PRODUCTS_FROM_VALUES", 100)
    monkeypatch.setattr(_graph, "rows_by_products", watched)
    for n_jobs in (1, 2):
        assert same(nearest_rows(space, values, 5, n_jobs=n_jobs), expected)
    assert used == [True, True]
    nearest_rows(MixedSpace.fit(values, np.zeros(6, dtype=bool), "l1"), values, 5)  # products are squares
    few = values[:, :2]
    nearest_rows(MixedSpace.fit(few, np.zeros(2, dtype=bool), "l2"), few, 5)  # few columns
    assert used == [True, True]


def test_wide_tables_are_looked_at_from_both_sides(monkeypatch):
    """Wide numeric tables have each product looked at by both rows, for the kernel's answer and all of the progress."""
    values = np.vstack([numeric_table(kind, 40, 210) for kind in ("real", "grid", "few")])
    fitted = MixedSpace.fit(values, np.zeros(210, dtype=bool)).scaled(values)
    expected = _exact.rows_by_kernel(fitted, fitted, np.arange(120), 7)
    monkeypatch.setattr(_both_ways, "STRIPE", 50)
    monkeypatch.setattr(_graph, "rows_by_products", None)
    for n_jobs in (1, 2):
        calls = []
        assert same(nearest_rows(fitted.space, fitted, 7, n_jobs=n_jobs, progress=calls.append), expected)
        assert sum(calls) == 120
    monkeypatch.undo()
    products = _products.ProductSpace.of(fitted, _blocks.Layout.of(fitted))
    assert not _both_ways.worth_both_ways(products, fitted, 7)  # few rows
    monkeypatch.setattr(_both_ways, "STRIPE", 50)
    assert _both_ways.worth_both_ways(products, fitted, 7)
    monkeypatch.setattr(_both_ways, "STATE_BYTES", 0)
    assert not _both_ways.worth_both_ways(products, fitted, 100)  # more memory than the table


@pytest.mark.parametrize("metric", NAMED_METRICS)
def test_named_metrics_rank_by_distance_then_row(metric):
    """scikit-learn's metrics give float distances, ascending, the lower row first, a row never its own neighbour."""
    values = np.repeat(np.random.default_rng(2).normal(size=(20, 3)), 3, axis=0)
    space = MixedSpace.fit(values, np.zeros(3, dtype=bool), metric)
    pairs = pair_distances(space, values, values)
    np.fill_diagonal(pairs, np.inf)
    order = np.argsort(pairs, axis=1, kind="stable")[:, :7]
    for n_jobs in (1, 2):
        rows, distances = nearest_rows(space, values, 7, n_jobs=n_jobs)
        assert distances.dtype == np.float64
        assert np.array_equal(rows, order)
        assert np.array_equal(distances, np.take_along_axis(pairs, order, axis=1))


@pytest.mark.parametrize("kind", ["real", "grid"])
def test_progress_counts_every_query(monkeypatch, kind):
    """The calls of `progress` add up to the number of queries, whoever answers."""
    monkeypatch.setattr(_exact, "QUERY_ROWS", 32)
    monkeypatch.setattr(_products, "TILE_QUERIES", 40)
    values = numeric_table(kind)
    fitted = MixedSpace.fit(values, np.zeros(6, dtype=bool), "l2").scaled(values)
    for search in (_exact.rows_by_kernel, by_products):
        calls = []
        search(fitted, fitted, np.arange(150), 3, 1, calls.append)
        assert sum(calls) == 150


def test_approximate_ranks_by_exact_distance(monkeypatch):
    """What pynndescent proposes is ranked by exact distances, itself left out; rows with too few are searched."""
    fitted, _, nominal = mixed_table(34, n_max=400)
    space = MixedSpace.fit(fitted, nominal, "l1")
    n_rows = len(fitted)
    proposals = np.tile(np.arange(n_rows - 1, -1, -1), (n_rows, 1))  # everyone, worst order
    proposals[0, 1:] = -1  # the first row is given too few

    class NNDescent:
        def __init__(self, data, metric, n_neighbors, random_state, n_jobs):
            assert data.dtype == np.float32
            assert n_jobs == 1
            assert metric(data[0], data[0]) == 0.0
            self.neighbor_graph = (proposals.astype(np.int32), None)

    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=NNDescent))
    monkeypatch.setattr(_graph, "EXACT_UP_TO_ROWS", 1)
    found = nearest_rows(space, fitted, 4, graph="approximate", random_state=0)
    assert same(found, nearest_rows(space, fitted, 4))


def test_approximate_distance_is_the_exact_one_unrounded():
    """The distance handed to pynndescent is the exact one, up to rounding."""
    fitted, _, nominal = mixed_table(34)
    for metric in ("l1", "l2"):
        space = MixedSpace.fit(fitted, nominal, metric)
        points, measure = _candidates.proposal_points(space.scaled(fitted))
        found = [[measure(a, b) for b in points] for a in points]
        np.testing.assert_allclose(found, pair_distances(space, fitted, fitted) / 2**20, atol=1e-4)


def test_approximate_without_pynndescent_names_the_extra(monkeypatch):
    """Where pynndescent is not installed the error says which extra to install."""
    fitted, _, nominal = mixed_table(34)
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    monkeypatch.setattr(_graph, "EXACT_UP_TO_ROWS", 1)
    with pytest.raises(ImportError, match=r"pip install tamis\[ann\]"):
        nearest_rows(MixedSpace.fit(fitted, nominal), fitted, 1, graph="approximate")


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="pynndescent compiles for a minute")
def test_pynndescent_is_seeded_and_nearly_exact():
    """The real pynndescent gives one graph for one seed, whatever n_jobs, with at least 90 % of the neighbours."""
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=(3000, 5)), rng.integers(0, 3, (3000, 3))])
    values[rng.random(3000) < 0.1, 0] = np.nan
    space = MixedSpace.fit(values, np.arange(8) >= 5)
    exact, _ = nearest_rows(space, values, 10)
    first = nearest_rows(space, values, 10, graph="approximate", random_state=3)
    assert same(nearest_rows(space, values, 10, graph="approximate", random_state=3, n_jobs=2), first)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(first[0], exact, strict=True)])
    assert recall >= 0.9
    assert not (first[0] == np.arange(3000)[:, np.newaxis]).any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0, but a row has 2 others to find. Use a value from 1 to 2."),
        ({"n_neighbors": 3}, "n_neighbors=3, but a row has 2 others to find. Use a value from 1 to 2."),
        ({"n_neighbors": 1, "graph": "tree"}, "graph='tree' is unknown"),
        ({"n_neighbors": 1, "graph": "approximate", "queries": [[1.0]]}, "with queries"),
    ],
)
def test_bad_settings_are_named(settings, message):
    """A number of neighbours out of reach, and searches there are none of, are refused."""
    values = np.array([[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match=message):
        nearest_rows(MixedSpace.fit(values, [False]), values, **settings)


def test_one_row_alone_has_no_neighbor():
    """A table of one row has nothing to find; the error asks for more rows."""
    values = np.array([[0.0]])
    with pytest.raises(ValueError, match="there is no row to find"):
        nearest_rows(MixedSpace.fit(values, [False]), values, 1)
