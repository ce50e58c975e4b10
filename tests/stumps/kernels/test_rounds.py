"""Rounds on histograms, by one thread and by two together."""

import numpy as np
import pytest

from tamis._threads import Team
from tamis.stumps._kernels.fields import STATE
from tamis.stumps._kernels.rounds import DONE, WAITING, play, search
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.binned import binned_table
from tamis.stumps.engine import class_problems
from tamis.stumps.histogram_run import HistogramRun
from tests.oracles import stumps as oracle


def problem(seed):
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=90).round(1), rng.normal(size=90), rng.integers(0, 3, 90)])
    return values, rng.integers(0, 2, 90)


def run_of(values, codes, team=None):
    table = binned_table(values, classes=codes, max_bins=9, bundle=False)
    return HistogramRun(table, class_problems(codes, 2)[0], np.arange(3), Settings(6, 0.0, 1.0), team=team)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_rounds_equal_the_oracle(seed, n_threads):
    """The columns, cuts and figures of every round."""
    values, codes = problem(seed)
    expected = oracle.boost(values, [False] * 3, np.where(codes == 1, 1, -1), 6)
    with Team(n_threads) as team:
        run = run_of(values, codes, team)
        game, answers = run._game(), []
        team.each(lambda part, n: answers.append(play(game, run.rounds, run.columns, 6, False, part, n)))
    n_rounds = run.rounds.state[STATE.n_rounds]
    assert answers == [DONE] * n_threads
    for name in ("column", "polarity", "alpha", "u", "edge"):
        assert getattr(run.rounds, name)[:n_rounds].tolist() == expected[name]


def test_a_search_finds_the_largest_edge():
    """The size is that of the oracle's first round, and histograms made from all rows leave no doubt."""
    values, codes = problem(3)
    run = run_of(values, codes)
    stump, size, rivals = search(run._game(), run.H, run.columns, run.info, 0.0, 0, 1)
    expected = oracle.boost(values, [False] * 3, np.where(codes == 1, 1, -1), 1)
    assert stump.column == expected["column"][0]
    assert size / run.account.weight.sum() == expected["edge"][0]
    assert len(rivals) == 0


def test_it_waits_before_a_column_is_used_for_the_first_time():
    """With `keep` it stops, the stump entered; once the column is marked it goes on from there."""
    values, codes = problem(1)
    run = run_of(values, codes)
    game = run._game()
    assert play(game, run.rounds, run.columns, 6, True, 0, 1) == WAITING
    assert run.rounds.state.tolist() == [0, 0, 1]
    run.used[:] = True
    assert play(game, run.rounds, run.columns, 6, True, 0, 1) == DONE
    assert len(run) == 6 or run.finished
