"""Hart's store and Gates's pass over it against plain loops."""

import numpy as np
import pytest

from tamis.prototypes._kernels.condensing import Reduction, Search, catch_up, kept_positions, settle, walk
from tests.coordinates import in_blocks
from tests.prototypes.kernels.problems import nearest, rows_and_classes


def search_of(rows, blocks, codes, n_plain=3):
    """A search whose store holds the first row."""
    n, shape = len(rows), (len(blocks), blocks.shape[2])
    stored = np.arange(n) == 0
    return Search(
        *(blocks, rows, codes, n_plain, np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64), stored),
        *(np.full(shape, np.inf), np.zeros(shape, dtype=np.int64), np.zeros(len(blocks), dtype=np.int64)),
    )


def plain_pass(codes, far, store):
    """One pass of Hart's rule: a row that the store misclassifies is stored."""
    store = list(store)
    for row in range(len(codes)):
        if row not in store and codes[nearest(far, store, row)] != codes[row]:
            store.append(row)
    return store


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_stores_what_plain_loops_store_pass_after_pass(seed):
    """Rows join in their order, and a row's nearest is the one that was stored earlier on ties."""
    rows, blocks, codes, far = rows_and_classes(seed)
    search, expected, n_stored = search_of(rows, blocks, codes), [0], 1
    for number in (1, 2, 3):
        n_stored = walk(search, 0, len(blocks), n_stored, number)
        before, expected = len(expected), plain_pass(codes, far, expected)
        assert search.store[:n_stored].tolist() == expected
        assert (search.passes[before:n_stored] == number).all()
    catch_up(search, 0, len(blocks), n_stored)
    wanted = [nearest(far, expected, row) for row in range(40)]
    assert search.store[search.nearest.ravel()[:40]].tolist() == wanted
    np.testing.assert_array_equal(search.distance.ravel()[:40], far[np.arange(40), wanted])


def test_scalar_products_settle_the_same_neighbours():
    """Comparing by products and measuring only what may be nearer finds what comparing all finds."""
    rows, _, codes, _ = rows_and_classes(1)
    rows = np.ascontiguousarray(rows[:, :3])
    blocks, lengths = in_blocks(rows), (rows**2).sum(axis=1)
    search, other = (search_of(rows, blocks, codes) for _ in range(2))
    for one in (search, other):
        one.store[:5] = [0, 7, 21, 30, 39]
    catch_up(search, 0, len(blocks), 5)
    for block in range(len(blocks)):
        some = rows[block * 16 : (block + 1) * 16]
        products = some @ rows[other.store[:5]].T
        settle(other, block, 0, products, lengths, np.full(40, 10.0))
    np.testing.assert_array_equal(other.nearest.ravel()[:40], search.nearest.ravel()[:40])
    np.testing.assert_array_equal(other.distance.ravel()[:40], search.distance.ravel()[:40])
    assert (other.compared == 5).all()


@pytest.mark.parametrize("length", [1, 8])
@pytest.mark.parametrize("seed", range(4))
def test_a_reduction_drops_what_plain_loops_drop(seed, length):
    """In one pass, a stored row goes if no row that was right becomes wrong; lists of any length find the same."""
    rows, _, codes, far = rows_and_classes(seed)
    store = np.random.default_rng(seed).permutation(40)[:12]
    first = np.array([int(np.argmin(far[row, store])) for row in range(40)])
    reduction = Reduction(
        *(in_blocks(rows[store]), rows, codes, 3, store, np.ones(12, dtype=bool)),
        *(np.full((40, length), -1), np.full(40, length)),
    )
    kept_positions(reduction, first)
    kept = store.tolist()
    right = {row for row in range(40) if codes[nearest(far, kept, row)] == codes[row]}
    for row in store.tolist():
        others = [other for other in kept if other != row]
        if others and all(codes[nearest(far, others, one)] == codes[one] for one in right):
            kept = others
            right = {one for one in range(40) if codes[nearest(far, kept, one)] == codes[one]}
    assert store[reduction.kept].tolist() == kept
