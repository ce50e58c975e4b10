"""Bounds from the histograms: which columns and bins may hold the best stump."""

import numpy as np
import pytest

from tamis.stumps._kernels import bounds
from tamis.stumps._kernels.fields import BEST, GAP, IN_USE, INFO, MIXED, TASK

BIN_OF = np.tile(np.arange(256, dtype=np.uint8), (2, 1))


def problem(seed, has_mixed=False):
    """Two columns, numeric and nominal, of six bins and gaps: H, info, flags."""
    rng = np.random.default_rng(seed)
    label, weights = rng.integers(0, 2, 300), rng.integers(1, 1000, 300).astype(float)
    H = np.zeros((2, 2, 256))
    for column in range(2):
        code = np.where(rng.random(300) < 0.1, GAP, rng.integers(2, 8, 300))
        np.add.at(H[column], (label, code), weights)
    info, flags = np.zeros((2, len(INFO)), np.int64), np.zeros((2, 256), np.uint8)
    info[:, INFO.unit], info[1, INFO.nominal] = [0, 1], 1
    if has_mixed:
        flags[:, 4] = MIXED
    columns = bounds.fit_columns(H, np.arange(2), info, flags, BIN_OF)
    return H, info, flags, columns


def plain_edges(H, nominal):
    """The edges of all stumps between bins, and the known values against the gaps."""
    V, edges = H[0] - H[1], []
    S = V.sum()
    for k in range(2, 8):
        left = V[:GAP].sum() - V[k] if nominal else V[: k + 1].sum()
        if nominal or k < 7:
            edges += [S - 2 * left, S - 2 * (left + V[GAP])]
    return [*edges, 2 * V[GAP] - S]


def test_columns_know_their_bins():
    """The lowest and highest bin in use, whether there are gaps, and which columns have a stump."""
    H, info, flags, columns = problem(0)
    assert columns.tolist() == [0, 1]
    assert info[0, INFO.first] == 2
    assert info[0, INFO.last] == 7
    assert info[:, INFO.has_gaps].all()
    assert (flags[0, 2:8] == IN_USE).all()
    H[0, :, 3:] = 0.0
    assert bounds.fit_columns(H, np.array([0]), info, flags * 0, BIN_OF).tolist() == []


def test_a_bundle_gives_the_histogram_of_its_column():
    """Cells of one bin are added up."""
    H = np.random.default_rng(0).random((1, 2, 256))
    info, bin_of = np.zeros((1, len(INFO)), np.int64), np.zeros((1, 256), np.uint8)
    info[0, INFO.n_cells] = 9
    bin_of[0, :9] = [0, 1, 2, 0, 1, 2, 0, 1, GAP]
    p, q = bounds.column_histogram(H, info, bin_of, 0, np.empty((2, 256)))
    for side, label in ((p, 0), (q, 1)):
        for k in (0, 1, 2, GAP):
            expected = 0.0
            for cell in np.flatnonzero(bin_of[0, :9] == k):
                expected += H[0, label, cell]
            assert side[k] == expected


@pytest.mark.parametrize("seed", range(3))
def test_the_largest_edges_equal_plain_loops(seed):
    """Between bins the largest |edge| of each column, and its stump among the contenders."""
    H, info, flags, columns = problem(seed)
    S = float(H[0, 0].sum() - H[0, 1].sum())
    limits = np.empty((2, 2))
    bounds.bounds(H, columns, S, info, flags, BIN_OF, limits, 0, 1)
    most = [max(abs(edge) for edge in plain_edges(H[column], column == 1)) for column in range(2)]
    assert limits[bounds.BETWEEN].tolist() == most
    assert limits[bounds.INSIDE].tolist() == [0.0, 0.0]
    between, tasks = bounds.contenders(H, columns, limits, S, 0.0, info, flags, BIN_OF)
    assert len(tasks) == 0
    assert between[:, BEST.size].max() == max(most)
    assert between[:, BEST.column].tolist() == [c for c in range(2) if most[c] == max(most)]


@pytest.mark.parametrize("seed", range(3))
def test_bins_of_several_values_are_bounded(seed):
    """A bin is to be opened where what it holds of either class could lift an edge above the best between bins."""
    H, info, flags, columns = problem(seed, has_mixed=True)
    V = H[0, 0] - H[0, 1]
    S, G, F = float(V.sum()), V[GAP], V[:4].sum()
    limits = np.empty((2, 2))
    bounds.bounds(H, columns, S, info, flags, BIN_OF, limits, 0, 1)
    reach = [S - 2 * (F + x + g) for x in (-H[0, 1, 4], H[0, 0, 4]) for g in (0, G)]
    assert limits[bounds.INSIDE, 0] == max(map(abs, reach))
    between, tasks = bounds.contenders(H, columns, limits, S, 2.0**40, info, flags, BIN_OF)
    assert tasks[:, TASK.bin].tolist() == [4, 4]
    assert tasks[0, TASK.bound] == limits[bounds.INSIDE, 0]
    assert tasks[0, TASK.edge] == S - 2 * F
    assert tasks[0, TASK.gaps] == G
    assert len(between) == 2


def test_of_equal_stumps_the_earlier_stays():
    """The runner-up is the next |edge|, equal ones included."""
    best = np.full(6, -1.0)
    for edge, cut in ((3.0, 1), (-5.0, 2), (5.0, 3), (4.0, 4)):
        bounds.consider(best, edge, cut, -1, False)
    assert best[[BEST.size, BEST.runner_up, BEST.edge, BEST.cut]].tolist() == [5.0, 5.0, -5.0, 2.0]
