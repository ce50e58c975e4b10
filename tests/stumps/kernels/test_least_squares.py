"""The loops of boosting by least squares."""

import numpy as np
import pytest

from tamis.stumps._kernels import least_squares as kernels
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.least_squares import LeastSquaresRun, Steps, cell_table


def run_of(seed, n_rounds=5):
    """A run of no rounds on a table with missing values and a categorical column, and its columns."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 4)).round(1)
    values[:, 3] = rng.integers(0, 4, 40)
    values[rng.random((40, 4)) < 0.1] = np.nan
    nominal = np.array([False, False, False, True])
    problem = Steps.of(rng.normal(size=40), rng.integers(1, 4, 40).astype(float))
    table = cell_table(values, nominal)
    return LeastSquaresRun(table, problem, np.arange(4), Settings(n_rounds, 0.0, 1.0), n_rounds)


def on_right(run, column, cell, gap_right):
    """The rows on the right of a stump, by plain loops."""
    cells = run.cells
    first, gap = cells.starts[column], cells.starts[column + 1] - 1
    sides = []
    for code in cells.codes[column].tolist():
        at = first + code
        if at == gap:
            sides.append(gap_right == 1)
        else:
            sides.append(at == cell if cells.nominal[column] else at > cell)
    return np.array(sides)


@pytest.mark.parametrize("seed", range(5))
def test_joint_weights_and_side_sums_equal_plain_loops(seed):
    """Both are sums over the rows on the right, whichever side is the smaller."""
    run = run_of(seed)
    cells = run.cells
    columns = np.arange(4)
    for column in range(4):
        for cell in range(cells.starts[column], cells.starts[column + 1] - 1):
            for gap_right in (0, 1):
                right = on_right(run, column, cell, gap_right)
                joint = np.empty(cells.starts[-1], dtype=np.int64)
                kernels.joint_weights(cells, columns, column, cell, gap_right, joint)
                expected = np.zeros_like(joint)
                for f in range(4):
                    np.add.at(expected, cells.starts[f] + cells.codes[f, right], cells.weights[right])
                assert joint.tolist() == expected.tolist()
                found = kernels.side_sums(cells, cells.held, column, cell, gap_right)
                assert found == (cells.weights[right].sum(), cells.weights[~right].sum())


@pytest.mark.parametrize("seed", range(5))
def test_what_is_left_is_the_sum_over_the_rows(seed):
    """After some rounds the sums of the cells are those of the rows, less what the stumps have answered."""
    run = run_of(seed)
    rest = run.problem.target.copy()
    for t in range(5):
        run.train(1)
        right = on_right(run, *(int(run.rounds[k][t]) for k in (0, 1, 3)))
        middle, half = run.rounds.edge[t], run.rounds.alpha[t] * run.rounds.polarity[t]
        rest = rest - np.where(right, middle + half, middle - half).astype(np.int64)
        expected = np.zeros_like(run.work.left)
        for f in range(4):
            np.add.at(
                expected, run.cells.starts[f] + run.cells.codes[f].astype(int), run.cells.weights * rest
            )
        assert run.work.left.tolist() == expected.tolist()


def test_the_best_stump_is_the_best_of_the_best_of_each_column():
    """Gains of columns agree with the stump that is taken."""
    run = run_of(9)
    gains = kernels.column_gains(run.cells, run.work.left, np.arange(4))
    column, cell, gap_right = kernels.best_stump(run.cells, run.work.left, np.arange(4))
    assert column == int(np.argmax(gains))
    gain, found, side = kernels.best_of_column(run.cells, run.work.left, column, -1.0)
    assert (gain, found, side) == (gains.max(), cell, gap_right)
    assert kernels.best_of_column(run.cells, run.work.left, column, gains.max())[1] == -1


def test_what_a_stump_takes_off_is_the_same_whether_its_weights_were_kept():
    """With room for no stump and with room for all."""
    few, many = run_of(3, 20), run_of(3, 20)
    few.work = few.work._replace(joint=few.work.joint[:1])
    few.train()
    many.train()
    assert few.work.used[0] == 0 < many.work.used[0]
    assert few.work.left.tolist() == many.work.left.tolist()


def test_training_ends_where_nothing_changes():
    """A stump that answers the same on both sides ends it."""
    run = run_of(4, 400)
    kernels.train(run.cells, run.work, np.array([3]), 400, 1.0, 1)
    assert run.finished
    assert len(run) < 400
