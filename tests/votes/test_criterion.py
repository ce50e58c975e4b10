"""The criterion of sets of columns: the oracle's neighbours and votes, whatever way leads to a set."""

import numpy as np
import pytest

from tamis.votes import neighborhoods
from tamis.votes._kernels.distances import nearest_first
from tamis.votes.criterion import NeighborVotes, TwoClassProblems
from tests.settings import N_PROBLEMS
from tests.votes.problems import vote_problem

SEEDS = range(N_PROBLEMS)


def some_sets(problem, seed, n_sets=3):
    """Random sets of columns, each with the columns outside it."""
    rng = np.random.default_rng(seed)
    for _ in range(n_sets):
        size = int(rng.integers(0, problem.n_columns))
        chosen = rng.permutation(problem.n_columns)[:size].tolist()
        yield chosen, [j for j in range(problem.n_columns) if j not in chosen]


def neighbor_matrix(units, lists):
    """Which row is a neighbour of which, from units and their lists."""
    found = np.zeros((len(units.rows), len(units.rows)))
    for u in range(len(units.size)):
        own = units.rows[units.begins[u] : units.begins[u + 1]]
        found[np.ix_(own, own)] = 1
        for v in lists.units[lists.indptr[u] : lists.indptr[u + 1]]:
            found[np.ix_(own, units.rows[units.begins[v] : units.begins[v + 1]])] = 1
    np.fill_diagonal(found, 0)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbours_are_those_of_the_oracle(seed):
    """Over a set and one column more, exactly the rows that plain loops find, for both ways with ties."""
    problem = vote_problem(seed)
    engine, measure = problem.engine(), problem.oracle()
    for chosen, others in some_sets(problem, seed):
        found = engine.neighborhoods.extensions(chosen, others, neighbor_matrix)
        for column, matrix in zip(others, found):
            np.testing.assert_array_equal(matrix, measure.neighbors([*chosen, column]))


@pytest.mark.parametrize("seed", SEEDS)
def test_one_column_more_is_worth_what_the_oracle_says(seed):
    """Z and Z' after every round, or the error, within 1e-12."""
    problem = vote_problem(seed)
    engine, measure = problem.engine(), problem.oracle()
    for chosen, others in some_sets(problem, seed):
        path, path_prime = engine.extensions(chosen, others)
        for pos, column in enumerate(others):
            expected, expected_prime = measure.paths([*chosen, column])
            np.testing.assert_allclose(path[pos], expected, rtol=0, atol=1e-12)
            if problem.settings["criterion"].startswith("z_prime"):
                np.testing.assert_allclose(path_prime[pos], expected_prime, rtol=0, atol=1e-12)
            else:
                assert np.isnan(path_prime[pos]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_near_a_set_are_worth_what_the_oracle_says(seed):
    """The set itself, and the set without one of its columns, or with two more."""
    problem = vote_problem(seed)
    engine, measure = problem.engine(), problem.oracle()
    for chosen, others in some_sets(problem, seed):
        sets = [chosen, [*chosen, *others[:2]], *([c for c in chosen if c != gone] for gone in chosen)]
        sets = [chosen for chosen in sets if chosen]
        path, _ = engine.subsets(chosen, sets)
        for pos, columns in enumerate(sets):
            np.testing.assert_allclose(path[pos], measure.paths(columns)[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_blocks_and_threads_change_no_bit(seed, monkeypatch):
    """Distances held in blocks of a few rows and candidates shared by threads give the same bits."""
    problem = vote_problem(seed)
    sets = list(some_sets(problem, seed))
    whole = [problem.engine().extensions(*given) for given in sets]
    monkeypatch.setattr(neighborhoods, "ONE_THREAD_UP_TO", 0)
    threaded = [problem.engine(n_jobs=3).extensions(*given) for given in sets]
    monkeypatch.setattr(neighborhoods, "BLOCK_BYTES", 500)
    blocked = [problem.engine().extensions(*given) for given in sets]
    both = [problem.engine(n_jobs=2).extensions(*given) for given in sets]
    for other in (threaded, blocked, both):
        np.testing.assert_equal(other, whole)


@pytest.mark.parametrize("seed", range(10))
def test_the_way_to_a_set_changes_no_bit(seed):
    """From nothing, from a larger set or from another set, what is found is the same."""
    problem = vote_problem(seed)
    for chosen, others in some_sets(problem, seed):
        direct = problem.engine().extensions(chosen, others)
        engine = problem.engine()
        engine.extensions(others[1:], others[:1])
        engine.extensions([*chosen, *others[1:]], others[:1])
        np.testing.assert_equal(engine.extensions(chosen[::-1], others), direct)


@pytest.mark.parametrize("seed", range(10))
def test_how_many_groups_are_put_in_order_changes_no_bit(seed, monkeypatch):
    """What is not in order is looked at all the same."""
    problem = vote_problem(seed)
    sets = list(some_sets(problem, seed))
    wide = [problem.engine().extensions(*given) for given in sets]
    monkeypatch.setattr(neighborhoods.Neighborhoods, "_width", lambda self, base: 2)
    np.testing.assert_equal([problem.engine().extensions(*given) for given in sets], wide)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("width", [0, 1, 3, 10, 40])
def test_groups_in_order_end_where_those_left_out_begin(width, dtype):
    """The reach is as far as any group in order and nearer than any left out, also beside the edges of bins."""
    edges = np.array([0, 1, 17, 2**20, 17 * 2**16, 2**24, 17 * 2**26, 2**31 - 70])
    lines = [np.clip(edge + np.arange(-64, 65), 0, None).astype(dtype) for edge in edges]
    lines.append(np.concatenate(lines)[:: len(edges)])
    steps = np.stack(lines)
    groups, ordered = np.empty((len(steps), width), np.int32), np.empty((len(steps), width), dtype)
    length, reach = np.empty(len(steps), np.int64), np.empty(len(steps), np.int64)
    nearest_first(steps, groups, ordered, length, reach, 0, len(steps))
    for line, some, far, n, limit in zip(steps, groups, ordered, length, reach):
        np.testing.assert_array_equal(far[:n], line[some[:n]])
        left_out = np.delete(line, some[:n])
        assert (far[:n] <= limit).all()
        assert (left_out > limit).all()
        assert len(left_out) == len(line) - n


@pytest.mark.parametrize("seed", range(10))
def test_one_run_holds_all_shorter_runs(seed):
    """Z after t of T rounds is Z of a run of t rounds, to the bit."""
    problem = vote_problem(seed)
    chosen, others = next(some_sets(problem, seed))
    longest, _ = problem.engine(n_rounds=12).extensions(chosen, others)
    for n_rounds in (1, 5):
        shorter, _ = problem.engine(n_rounds=n_rounds).extensions(chosen, others)
        np.testing.assert_array_equal(shorter, longest[:, :n_rounds])


def engine_of(values, codes, worth=(1.0, 1.0), **settings):
    problems = TwoClassProblems.of(np.bincount(codes), np.asarray(worth))
    return NeighborVotes(np.asarray(values) * 2.0**20, np.asarray(codes), problems, **settings)


def test_separate_classes_have_no_z_left():
    """Where every neighbour has the row's class, r_1 = 1 and Z = 0."""
    engine = engine_of([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], n_neighbors=1, n_rounds=4)
    np.testing.assert_array_equal(engine.extensions([], [0])[0], [[0.0, 0.0, 0.0, 0.0]])


def test_a_vote_worse_than_chance_ends_boosting():
    """Equal rows of opposite classes vote for the other class: r_1 = -1, and Z stays 1."""
    engine = engine_of([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1], n_neighbors=1, n_rounds=3)
    np.testing.assert_array_equal(engine.extensions([], [0])[0], [[1.0, 1.0, 1.0]])


@pytest.mark.parametrize("criterion", ["z_prime", "z_prime_literal"])
def test_balanced_descriptions_leave_z_at_one(criterion):
    """Where every description has as many rows of either class, nothing counts."""
    values = [[0.0], [0.0], [0.2], [0.2], [1.0], [1.0]]
    engine = engine_of(values, [0, 1, 0, 1, 0, 1], n_neighbors=3, n_rounds=3, criterion=criterion)
    np.testing.assert_array_equal(engine.extensions([], [0])[0], [[1.0, 1.0, 1.0]])


def test_two_rounds_by_hand():
    """Three rows of one column, k = 1: the middle row has both others as neighbours.

    Round 1: y h is -1 for row 0, 0 for row 1 and 1 for row 2 with classes 0, 1, 1: r = 0, boosting ends with Z = 1.
    With weights 1, 1, 2 on the classes' rows the start is 1/5, 2/5, 2/5: y h = -1, 1/3, 1, r = 1/3, alpha = log(2) / 2.
    """
    values, codes = [[0.0], [0.5], [1.0]], [0, 1, 1]
    even = engine_of(values, codes, n_neighbors=1, n_rounds=1)
    assert even.extensions([], [0])[0][0, 0] == 1.0
    uneven = engine_of(values, codes, worth=(1.0, 2.0), n_neighbors=1, n_rounds=1)
    root = 2**0.5
    by_hand = (root + 2 * root ** (-1 / 3) + 2 / root) / 5
    assert uneven.extensions([], [0])[0][0, 0] == pytest.approx(by_hand, rel=1e-14)


def test_one_against_the_rest_is_balanced():
    """Both sides of every problem weigh one half, and within a side classes keep their proportions."""
    counts, worth = np.array([1, 2, 5]), np.array([1.0, 3.0, 0.5])
    held = TwoClassProblems.of(counts, worth, even=True).start * counts
    np.testing.assert_allclose(np.diag(held), 0.5)
    np.testing.assert_allclose(held.sum(axis=1), 1.0)
    assert held[0, 1] / held[0, 2] == pytest.approx(6 / 2.5)


def test_weights_that_the_caller_names_multiply_balanced_ones():
    """A class of weight 3 weighs 3 times as much as without, before the whole is scaled to 1."""
    counts = np.array([1, 2, 5])
    plain = TwoClassProblems.of(counts, np.ones(3)).start
    named = TwoClassProblems.of(counts, np.array([1.0, 3.0, 1.0])).start
    np.testing.assert_allclose(named[:, 1] / named[:, 0], 3 * plain[:, 1] / plain[:, 0])
    np.testing.assert_allclose((named * counts).sum(axis=1), 1.0)
