"""Rows in cells, the cells' neighbours and the error of the plain vote, against loops over rows."""

import numpy as np
import pytest

from tamis.votes._kernels.cells import Lists, cells_of, leave_one_out_error


def problem(seed):
    """Units with their rows, lists of neighbouring units, and classes."""
    rng = np.random.default_rng(seed)
    unit_of_row = np.sort(np.concatenate([np.arange(9), rng.integers(0, 9, 21)]))
    rows = rng.permutation(30)
    begins = np.searchsorted(unit_of_row, np.arange(10))
    listed = [sorted({*rng.integers(0, 9, 3).tolist()} - {unit}) for unit in range(9)]
    indptr = np.cumsum([0, *map(len, listed)])
    lists = Lists(indptr, np.concatenate([*listed]).astype(np.int32))
    return lists, begins, rows, rng.integers(0, 3, 30), listed


@pytest.mark.parametrize("seed", range(4))
def test_cells_hold_the_rows_of_a_class_and_list_their_neighbours(seed):
    """Cells with the shortest lists come first; a list names the unit's other cells and those of the units around."""
    lists, begins, rows, codes, listed = problem(seed)
    cells = cells_of(lists, begins, rows, codes, 3)
    expected = {}
    for unit in range(9):
        for row in rows[begins[unit] : begins[unit + 1]]:
            expected[unit, codes[row]] = expected.get((unit, codes[row]), 0) + 1
    names = list(zip(cells.unit.tolist(), cells.label.tolist()))
    assert dict(zip(names, cells.size.tolist())) == expected
    assert (np.diff(cells.length) >= 0).all()
    ends = np.cumsum(cells.length)
    for name, start, end in zip(names, ends - cells.length, ends):
        around = {other for other in expected if other[0] in {name[0], *listed[name[0]]}} - {name}
        assert sorted(names[i] for i in cells.neighbors[start:end]) == sorted(around)


@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_the_share_of_rows_that_a_plain_vote_gets_wrong(seed):
    """Rows vote with what their class is worth; ties go to the larger class, then to the lower one."""
    lists, begins, rows, codes, listed = problem(seed)
    worth, sizes = np.array([1.0, 2.0, 0.5]), np.bincount(codes, minlength=3)
    error = leave_one_out_error(cells_of(lists, begins, rows, codes, 3), worth, np.arange(3), sizes)
    wrong = total = 0.0
    for unit in range(9):
        around = [row for other in (unit, *listed[unit]) for row in rows[begins[other] : begins[other + 1]]]
        for row in rows[begins[unit] : begins[unit + 1]]:
            votes = np.bincount(codes[[other for other in around if other != row]], minlength=3) * worth
            winner = max(range(3), key=lambda label: (votes[label], sizes[label], -label))
            total += worth[codes[row]]
            wrong += worth[codes[row]] * (winner != codes[row])
    assert error == pytest.approx(wrong / total)
