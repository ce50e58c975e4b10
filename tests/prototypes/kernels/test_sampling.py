"""The 1-NN rule of a set of kept rows, and the climb by replacements, against plain loops."""

import numpy as np
import pytest

from tamis.prototypes._kernels.sampling import LaidOut, climbed, n_right, nearest_of_set
from tests.prototypes.kernels.problems import nearest, rows_and_classes


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_kept_rows_are_those_of_plain_loops(seed):
    """Of every row, kept or not, the lower one on ties; and how many rows they classify correctly."""
    rows, blocks, codes, far = rows_and_classes(seed)
    counts = np.arange(40) if seed % 2 else np.ones(40, dtype=np.int64)
    table, kept = (
        LaidOut(blocks, rows, 3, codes, counts),
        np.sort(np.random.default_rng(seed).permutation(40)[:6]),
    )
    found, distance = nearest_of_set(table, kept)
    expected = np.array([nearest(far, kept, row) for row in range(40)])
    np.testing.assert_array_equal(found.ravel()[:40], expected)
    np.testing.assert_array_equal(distance.ravel()[:40], far[np.arange(40), expected])
    assert n_right(table, found) == counts[codes[expected] == codes].sum()


@pytest.mark.parametrize("seed", range(4))
def test_a_climb_keeps_the_replacements_that_classify_more_rows_in_plain_loops(seed):
    """Each mutation is tried on the set as it then stands; the two rows take each other's positions."""
    rows, blocks, codes, far = rows_and_classes(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(40)
    kept, spare = np.sort(order[:6]), np.sort(order[6:])
    slots, fresh = rng.integers(0, 6, 25), rng.integers(0, 34, 25)
    found, tried = climbed(
        LaidOut(blocks, rows, 3, codes, np.ones(40, dtype=np.int64)), kept, spare, slots, fresh
    )

    def right(some):
        some = sorted(some)
        return sum(codes[nearest(far, some, row)] == codes[row] for row in range(40))

    kept, spare, expected = kept.tolist(), spare.tolist(), []
    for slot, new in zip(slots, fresh):
        other = [*kept[:slot], spare[new], *kept[slot + 1 :]]
        stays = right(other) > right(kept)
        expected.append((kept[slot], spare[new], right(other), stays))
        if stays:
            kept[slot], spare[new] = spare[new], kept[slot]
    assert found.tolist() == kept
    np.testing.assert_array_equal(tried.T, expected)
