"""Models on parts: what is kept of the histograms is right within its error, and what is said between the two sides."""

import numpy as np
import pytest

from tamis._threads import Team
from tamis.stumps import engine, part_run
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.part_answers import Request, asked
from tests.stumps.test_parts import LocalParts, cut, engine_arguments, large_problem, same, summary_of


class Counted(LocalParts):
    """Parts that count what they are asked."""

    def __init__(self, parts):
        super().__init__(parts)
        self.requests = []

    def total(self, function, *arguments):
        self.requests.append(arguments[0])
        return super().total(function, *arguments)


def new_problem(seed, n_classes=2, n_parts=3):
    rng, values, nominal, codes, weights = large_problem(seed, n_classes)
    summary, parts = summary_of(
        values, nominal, codes, n_classes, weights, cut(len(values), rng, n_parts), bool(seed % 2)
    )
    return summary, Counted(parts)


def new_run(summary, parts, number=0, **settings):
    table, problems = engine_arguments(parts, summary)
    how = Settings(40, settings.pop("weight_cap", 0.0), settings.pop("learning_rate", 1.0))
    run = table.new_run(problems[number], np.arange(8), how, 4, Team(1))
    run.rebuild = settings.pop("rebuild", run.rebuild)
    return run


@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_histograms_are_right_within_their_error(seed, learning_rate):
    """In every round no column's histogram is off by more than is said, nor are the weights of the classes."""
    summary, parts = new_problem(seed)
    run = new_run(summary, parts, learning_rate=learning_rate, rebuild=1.0)
    n_off = 0
    for t in range(30):
        run.train(1)
        sums = run.sums[t + 1]
        (exact,) = asked(parts, [Request(run.past, sums.columns)])
        off = np.abs(sums.H - exact.H).sum(axis=2)
        assert (off <= sums.error).all()
        assert np.abs(sums.weight - exact.whole).sum() <= sums.doubt
        assert sums.eps > 2 * sums.error.sum() + sums.doubt
        n_off += off.any()
    assert n_off > 10


@pytest.mark.parametrize("seed", range(4))
def test_any_rebuilding_gives_the_same_model(seed):
    """Histograms made anew never, at times and always lead to the same stumps."""
    models = []
    for rebuild in (1.0, 3e-12, 0.0):
        summary, parts = new_problem(seed)
        run = new_run(summary, parts, rebuild=rebuild)
        run.train()
        models.append(run.model())
        anew = sum(request.move is None and len(request.columns) == 8 for (request,) in parts.requests)
        assert (anew < 4) if rebuild == 1.0 else (anew > 4)
    assert same(models[0], models[1])
    assert same(models[0], models[2])


def test_doubts_are_settled_by_exact_histograms_of_a_few_columns():
    """Copies of a column are equally good in every round: the first is taken, and nothing but the copies is asked for."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2000, 8))
    values[:, 5] = values[:, 2]
    codes = (values[:, 2] + rng.normal(size=2000) > 0).astype(int)
    summary, parts = summary_of(values, np.zeros(8, bool), codes, 2, None, np.array([0, 700, 2000]))
    parts = Counted(parts)
    run = new_run(summary, parts)
    run.train()
    model = run.model()
    assert 2 in model.column
    assert 5 not in model.column
    few = [
        request.columns.tolist()
        for (request,) in parts.requests
        if request.move is None and not request.counted
    ]
    assert few
    assert all(columns == [2, 5] for columns in few)


def test_a_round_is_one_message_for_all_models():
    """Models of several classes go on together: as many messages as the longest model needs, not the sum."""
    summary, parts = new_problem(0, n_classes=3)
    n_alone = []
    for number in range(3):
        run = new_run(summary, parts, number)
        parts.requests.clear()
        run.train()
        n_alone.append(len(parts.requests))
    runs = [new_run(summary, parts, number) for number in range(3)]
    parts.requests.clear()
    part_run.PartRun.train_several(runs)
    assert len(parts.requests) == max(n_alone)
    assert max(n_alone) <= 40 + 4
    assert sum(map(len, parts.requests)) == sum(n_alone)


def test_what_is_known_here_is_not_asked_for():
    """Going back to a round costs no message: the histograms of all rounds are here."""
    summary, parts = new_problem(0)
    run = new_run(summary, parts)
    run.train()
    parts.requests.clear()
    run.restart(7, np.arange(7))
    run.train(1)
    assert len(parts.requests) == 1
    assert parts.requests[0][0].move is not None


def test_an_elimination_says_what_it_needs():
    """A message in an elimination is a round of a model or a doubt, and its size is that of the columns left."""
    summary, parts = new_problem(0)
    table, problems = engine_arguments(parts, summary)
    gone = engine.eliminate(table, problems, 20)
    requests = [request for requests in parts.requests for request in requests]
    rounds = [request for request in requests if request.move is not None]
    assert len(requests) <= 1.1 * len(rounds) + 2
    assert len(rounds) <= 20 * gone.n_fits[-1]
    assert {len(request.columns) for request in rounds} > {8, 2}
