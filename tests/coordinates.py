"""Rows as kernels see them, coordinates in whole steps, and their distances by plain NumPy."""

import numpy as np

STEP = 2**20
CODE = 2.0**60  # how far codes of categories and missing values lie from everything else


def coordinates(n_rows, n_plain, n_coded, *, squared, seed):
    """Coordinates (n_rows, n_plain + n_coded): numbers with ties, then columns with missing values and categories.

    A column adds abs(a - b) to a distance, or (a - b)**2 where `squared`; numbers differ by one step at most.
    """
    rng = np.random.default_rng(seed)
    largest = 2.0**10 if squared else 2.0**20
    numbers = rng.integers(0, 5, (n_rows, n_plain + n_coded)) * (largest / 4)
    codes = CODE * rng.integers(1, 4, (n_rows, n_coded))
    coded = np.where(rng.random((n_rows, n_coded)) < 0.4, codes, numbers[:, n_plain:])
    return np.column_stack([numbers[:, :n_plain], coded])


def distances(first, second, *, squared):
    """The distances of all pairs, int64: a column of terms above STEP adds STEP."""
    terms = np.abs(first[:, None, :] - second[None, :, :])
    terms = terms**2 if squared else terms
    return np.minimum(np.rint(terms), STEP).sum(axis=2).astype(np.int64)


def in_blocks(rows, size=16):
    """Rows in blocks, column by column: (blocks, columns, rows of a block), the last one filled up with zeros."""
    blocks = np.zeros((-(-len(rows) // size), rows.shape[1], size), dtype=rows.dtype)
    for row, values in enumerate(rows):
        blocks[row // size, :, row % size] = values
    return blocks
