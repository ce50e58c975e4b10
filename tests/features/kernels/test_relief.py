"""The loops of ReliefF and Simba against plain NumPy."""

import numpy as np
import pytest

from tamis.features._kernels import relief as kernels
from tests.coordinates import CODE, in_blocks

ONE = 2.0**20


def table(seed, n=40):
    """Rows class by class in blocks: two columns of numbers, one with missing values, one of categories."""
    rng = np.random.default_rng(seed)
    codes = np.sort(rng.integers(0, 3, n))
    codes[:3] = 0
    values = np.column_stack([rng.integers(0, 5, (n, 3)) * ONE / 4, CODE * rng.integers(1, 4, n)])
    values[rng.random(n) < 0.3, 2] = -CODE
    rows = np.concatenate(
        [np.sort(part) for part in np.split(rng.permutation(n), np.flatnonzero(np.diff(codes)) + 1)]
    )
    kinds = np.array([kernels.PLAIN, kernels.PLAIN, kernels.GAPPED, kernels.NOMINAL], dtype=np.int8)
    borders = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=3))])
    alone = np.arange(len(rows))
    grouped = (alone, alone, np.arange(len(rows) + 1))
    return kernels.ClassBlocks(in_blocks(values), kinds, rows, codes, borders, *grouped), values


def differences(first, second):
    """The differences of two rows in every column, from 0 to 1."""
    steps = np.abs(first - second)
    return np.where(steps > 2.0**53, 1.0, np.rint(steps) / ONE)


def near_pair(blocks, values, own, weights):
    """Positions of the nearest row of the own class (None where there is none) and of another; the lower row on ties."""
    lengths = np.sqrt([(weights**2 * differences(values[own], other) ** 2).sum() for other in values])
    order = [pos for pos in np.lexsort([blocks.rows, lengths]) if pos != own]
    same = [pos for pos in order if blocks.codes[pos] == blocks.codes[own]]
    others = [pos for pos in order if blocks.codes[pos] != blocks.codes[own]]
    return (same[0] if same else None), others[0], lengths


@pytest.mark.parametrize("seed", range(3))
def test_summed_differences_are_those_of_plain_loops(seed):
    """Sums by the class of the asking row over the first of its list, itself left out; in steps of 2**-30, exactly."""
    _, values = table(seed)
    rng = np.random.default_rng(seed)
    codes, asking = rng.integers(0, 3, 40), np.arange(0, 40, 2)
    listed, limits = rng.integers(0, 40, (20, 6)), np.array([5, 2, 6])
    found = kernels.summed_differences(values, listed, asking, codes, limits, 2.0**10)
    expected = np.zeros((3, 4))
    for row, others in zip(asking, listed):
        for other in [other for other in others if other != row][: limits[codes[row]]]:
            expected[codes[row]] += differences(values[row], values[other]) * 2**30
    np.testing.assert_array_equal(found, expected.astype(np.int64))


@pytest.mark.parametrize("seed", range(3))
def test_margins_are_half_the_gap_between_the_nearest_miss_and_the_nearest_hit_in_plain_loops(seed):
    """0 where a row is alone in its class."""
    blocks, values = table(seed)
    weights = np.random.default_rng(seed).random(4)
    theta = kernels.margins(blocks, 3, 30, weights**2)
    for pos in range(3, 30):
        hit, miss, lengths = near_pair(blocks, values, pos, weights)
        wanted = 0.0 if hit is None else (lengths[miss] - lengths[hit]) / 2
        assert theta[pos - 3] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_ascent_takes_the_steps_of_plain_loops(seed):
    """Simba's step, or a part of it, for one row after the other, the near pairs found again under the new weights."""
    blocks, values = table(seed)
    order = np.random.default_rng(seed).permutation(40)[:10]
    weights = np.array([1.0, 0.8, 0.6, 0.9])
    lengths_of_steps = np.tile([1.0, 0.25], 5)
    found, pairs = kernels.ascent(blocks, order, lengths_of_steps, weights)
    for own, part, (near_hit, near_miss) in zip(order, lengths_of_steps, pairs):
        hit, miss, lengths = near_pair(blocks, values, own, weights)
        assert near_miss == blocks.rows[miss]
        assert near_hit == (-1 if hit is None else blocks.rows[hit])
        if hit is None:
            continue
        change = np.zeros(4)
        for pos, sign in ((miss, 1), (hit, -1)):
            if lengths[pos] > 0:
                change += sign * differences(values[own], values[pos]) ** 2 / lengths[pos]
        weights = weights + 0.5 * part * change * weights
    np.testing.assert_allclose(found, weights, rtol=1e-12)
