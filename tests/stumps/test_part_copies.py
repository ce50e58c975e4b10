"""Copies among the columns of a table in parts: those of the table in memory, wherever the parts end."""

import itertools

import numpy as np
import pytest

from tamis.stumps.part_bins import bins_of, coded, facts_of
from tamis.stumps.part_copies import distinct_columns
from tamis.stumps.part_table import CodedTable
from tamis.table._distinct import CONSTANT, first_equals
from tests.settings import N_PROBLEMS
from tests.stumps.test_parts import LocalParts, cut

GAP = 255


class Elsewhere:
    """A table whose parts are asked."""

    def __init__(self, parts):
        self.parts = LocalParts(parts)


def found(values, nominal, ends, left_out=(), n_classes=2):
    """The first of equal columns, from parts elsewhere and from all parts in one."""
    n_codes = np.where(nominal, np.nanmax(values, axis=0, initial=0) + 1, -1).astype(int)
    pieces = list(itertools.pairwise(ends))
    limit = (1 << 64) - 1
    bins = bins_of([facts_of(values[a:b], int(a), limit) for a, b in pieces], n_codes)
    labels = np.arange(len(values)) * 7 % n_classes
    parts = [coded(values[a:b], labels[a:b], n_classes, bins) for a, b in pieces]
    whole = CodedTable.of(coded(values, labels, n_classes, bins).words, nominal)
    gaps = np.full(len(nominal), GAP)
    both = [
        distinct_columns(table, bins, gaps, np.array(left_out, dtype=np.intp)).first
        for table in (Elsewhere(parts), whole)
    ]
    np.testing.assert_array_equal(*both)
    return both[0]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_copies_in_parts_are_those_in_memory(seed):
    """Few values, missing ones, columns that differ in a row, categories under other names."""
    rng = np.random.default_rng(seed)
    n, n_values = int(rng.integers(4, 40)), int(rng.integers(2, 4))
    columns = [np.r_[np.arange(n_values), rng.integers(0, n_values, n - n_values)].astype(float)]
    for _ in range(int(rng.integers(2, 9))):
        column = columns[rng.integers(len(columns))].copy()
        change = rng.integers(5)
        if change == 0:
            column = rng.permutation(n_values)[np.nan_to_num(column).astype(int)].astype(float)
        elif change == 1:
            column[rng.integers(n)] = rng.integers(n_values)
        elif change == 2:
            column[rng.random(n) < 0.2] = np.nan
        elif change == 3:
            column = rng.permutation(column)
        columns.append(column)
    values, nominal = np.stack(columns, axis=1), rng.random(len(columns)) < 0.5
    values[:n_values] = np.arange(n_values)[:, None]
    constant = (np.isnan(values).all(axis=0)) | (values == values[0]).all(axis=0)
    expected = first_equals(values, nominal)
    np.testing.assert_array_equal(expected == CONSTANT, constant)
    first = found(values, nominal, cut(n, rng, int(rng.integers(1, 6))), np.flatnonzero(constant))
    np.testing.assert_array_equal(first, expected)


@pytest.mark.parametrize("nominal", [False, True])
def test_the_rows_of_two_parts_may_not_change_places(nominal):
    """One column has in its first part what the other has in its second, and the reverse."""
    one, other = [0, 0, 1, 1], [0, 1, 0, 1]
    values = np.array([[*one, *other], [*other, *one]], dtype=float).T
    np.testing.assert_array_equal(found(values, np.full(2, nominal), [0, 4, 8], n_classes=1), [0, 1])


def test_a_column_that_is_left_out_is_no_original():
    """Of three equal columns the second stands for the third where the first may not be used."""
    values = np.tile(np.arange(6.0)[:, None], 3)
    np.testing.assert_array_equal(found(values, np.zeros(3, bool), [0, 2, 6], left_out=[0]), [CONSTANT, 1, 1])
