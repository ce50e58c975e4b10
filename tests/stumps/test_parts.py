"""Tables in parts: the same bits as the whole table with the same bins, for any parts; the oracle where values are few."""

import itertools
import pickle
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

from tamis._memory import Memory
from tamis.stumps import elimination, engine
from tamis.stumps.part_answers import Past, Request, Start, answers
from tamis.stumps.part_bins import bins_of, coded, facts_of, sample_limit
from tamis.stumps.part_table import (
    ClassFacts,
    CodedTable,
    PartTable,
    Summary,
    between_values,
    coded_problems,
    contents,
    part_starts,
)
from tamis.stumps.sorted_columns import sorted_table
from tests.oracles import stumps as oracle
from tests.settings import N_PROBLEMS
from tests.stumps import calls
from tests.stumps.test_histogram_run import random_problem

N_ROUNDS = 20


def cut(n, rng, n_parts):
    """The ends of some parts of random sizes, empty ones among them."""
    return np.r_[0, np.sort(rng.integers(0, n + 1, n_parts - 1)), n]


def summary_of(values, nominal, codes, n_classes, weights, ends, balanced=False):
    """The bins and figures of a table in parts, and its coded parts."""
    kept = np.ones(len(values), bool) if weights is None else weights > 0
    ends = np.r_[0, np.cumsum(kept)][ends]
    values, codes = values[kept], codes[kept]
    weights = None if weights is None else weights[kept]
    limit = sample_limit(len(values), values.shape[1])
    pieces = list(itertools.pairwise(ends))
    n_codes = np.where(nominal, np.nan_to_num(values).max(axis=0) + 1, -1).astype(int)
    bins = bins_of([facts_of(values[a:b], int(a), limit) for a, b in pieces], n_codes)
    equal = weights is None or (weights == weights[0]).all()
    counts = np.bincount(codes, minlength=n_classes)
    given = np.ones(len(values)) if weights is None else weights
    classes = []
    for label in range(n_classes):
        own = given[codes == label]
        weight = sum(map(Fraction, own), Fraction(0))
        classes.append(ClassFacts(int(counts[label]), weight, float(own.min()), float(own.max())))
    summary = Summary(bins, tuple(classes), balanced)
    parts = [
        coded(values[a:b], codes[a:b], n_classes, bins, None if equal else weights[a:b]) for a, b in pieces
    ]
    return summary, parts


class LocalParts:
    """Coded parts in this process, asked one after the other."""

    def __init__(self, parts):
        self.parts = parts

    def total(self, function, *arguments):
        return sum(
            (function(part, *arguments) for part in self.parts[1:]), function(self.parts[0], *arguments)
        )


class Together:
    """The codes and weights of all parts in one, the rows of a class side by side."""

    def __init__(self, words, weights):
        self.words, self.weights = words, weights


def engine_arguments(parts, summary):
    """The table and the problems that the engine is given."""
    if isinstance(parts, Together):
        return CodedTable.of(parts.words, summary.bins.nominal), coded_problems(summary, parts.weights)
    return PartTable(parts, summary.bins.nominal), part_starts(summary)


def boost(parts, summary, n_rounds, **settings):
    models = engine.boost(*engine_arguments(parts, summary), n_rounds, **settings)
    return [between_values(stumps, summary.bins) for stumps in models]


def eliminate(parts, summary, n_rounds, **settings):
    return engine.eliminate(*engine_arguments(parts, summary), n_rounds, priors=summary.priors, **settings)


def together(parts):
    """The parts in one, the rows of a class side by side."""
    n_classes = len(parts[0].starts) - 1
    pieces = [(part, *part.positive(label)) for label in range(n_classes) for part in parts]
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights[a:b] for part, a, b in pieces])
    return Together(np.concatenate([part.words[:, a:b] for part, a, b in pieces], axis=1), weights)


def weights_of(parts):
    return getattr(parts, "weights", None)


def same(first, second):
    return all(np.array_equal(getattr(first, f.name), getattr(second, f.name)) for f in fields(first))


def problem(seed, n_classes=2):
    rng, values, nominal, codes, options = random_problem(seed, n_classes)
    codes[:n_classes] = np.arange(n_classes)[: len(codes)]
    if options["weights"] is not None:
        options["weights"][: min(len(codes), n_classes)] = 1.0
    return rng, values, nominal, codes, options


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_parts_equal_the_oracle_where_values_are_few(seed):
    """With at most 255 distinct values a column, any parts give the plain oracle's model and elimination."""
    rng, values, nominal, codes, options = problem(seed)
    ends = cut(len(values), rng, int(rng.integers(1, 6)))
    summary, parts = summary_of(values, nominal, codes, 2, options["weights"], ends, options["balanced"])
    sign = np.where(codes == 1, 1, -1)
    expected = oracle.boost(values, nominal, sign, N_ROUNDS, **options)
    for table in (LocalParts(parts), together(parts)):
        model = boost(table, summary, N_ROUNDS, weight_cap=options["weight_cap"])[0]
        for field in fields(model):
            np.testing.assert_array_equal(getattr(model, field.name), expected[field.name])
    order, scores, left, full = oracle.eliminate(values, nominal, sign, 8, **options)
    for table in (LocalParts(parts), together(parts)):
        gone = eliminate(table, summary, 8, weight_cap=options["weight_cap"])
        np.testing.assert_array_equal(gone.column, order)
        np.testing.assert_array_equal(gone.score, scores)
        np.testing.assert_array_equal(gone.n_columns, left)
        np.testing.assert_array_equal(gone.first_scores, full)


def large_problem(seed, n_classes):
    """More distinct values than bins, gaps, a nominal column, one of few values, weights at times."""
    rng = np.random.default_rng(seed)
    n = 3000
    values = rng.normal(size=(n, 8))
    values[:, 3] = rng.integers(0, 9, n)
    values[:, 4] = np.round(values[:, 4], 2)
    values[rng.random(n) < 0.2, 5] = np.nan
    values[:, 6] = np.where(rng.random(n) < 0.4, 1.5, values[:, 6])
    values[:, 7] = rng.integers(0, 20, n)
    score = (
        values[:, 0]
        + 0.5 * values[:, 4]
        + (values[:, 3] > 4)
        + 0.5 * (values[:, 7] == 3)
        + rng.normal(size=n)
    )
    codes = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    weights = rng.integers(0, 4, n) / 2.0 if seed % 2 else None
    return rng, values, np.arange(8) == 7, codes, weights


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_any_parts_equal_the_whole_table_with_the_same_bins(seed, n_classes, balanced):
    """Bins, models and eliminations are the same for one part and for many, and those of the table of bins."""
    rng, values, nominal, codes, weights = large_problem(seed, n_classes)
    whole, parts = summary_of(
        values, nominal, codes, n_classes, weights, np.array([0, len(values)]), balanced
    )
    binned = np.column_stack([column_codes(parts[0], j) for j in range(8)])
    labels = np.repeat(np.arange(n_classes), whole.counts)
    signs = engine.one_against_rest(labels, n_classes)
    prepared = sorted_table(np.where(binned == 255, np.nan, binned), nominal)
    given = parts[0].weights
    models = [calls.boost(prepared, sign, N_ROUNDS, given, balanced=balanced) for sign in signs]
    gone = calls.eliminate(prepared, signs, N_ROUNDS, given, balanced=balanced, priors=whole.priors)
    for n_parts in (1, 2, 7):
        summary, parts = summary_of(
            values, nominal, codes, n_classes, weights, cut(len(values), rng, n_parts), balanced
        )
        assert same(summary.bins, whole.bins)
        for table in (LocalParts(parts), together(parts)):
            found = boost(table, summary, N_ROUNDS)
            for each, expected in zip(found, models):
                for name in ("column", "gap_right", "polarity", "alpha", "u", "edge"):
                    np.testing.assert_array_equal(getattr(each, name), getattr(expected, name))
            assert same(eliminate(table, summary, N_ROUNDS), gone)


def column_codes(part, column):
    return ((part.words[column // 4] >> np.uint32(8 * (column % 4))) & np.uint32(255)).astype(float)


def test_a_threshold_between_bins_parts_the_rows_as_the_codes_do():
    """Values up to the threshold are exactly those whose code is not on the right, in every kind of column."""
    _, values, nominal, codes, _ = large_problem(0, 2)
    summary, parts = summary_of(values, nominal, codes, 2, None, np.array([0, len(values)]))
    model = boost(LocalParts(parts), summary, 60)[0]
    order = np.argsort(codes, kind="stable")
    assert not summary.bins.exact.all()
    for t in range(len(model)):
        column, x = model.column[t], values[order, model.column[t]]
        right = x == model.threshold[t] if model.nominal[t] else x > model.threshold[t]
        right |= np.isnan(x) & model.gap_right[t]
        agreed = np.where(codes[order] == 1, 1, -1) * np.where(right, 1, -1) * model.polarity[t]
        assert agreed.sum() == model.u[t], column


def test_a_lost_part_replays_its_weights():
    """A part that has lost its weights, or comes from another process, gives the same histograms."""
    rng, values, nominal, codes, _ = large_problem(2, 2)
    _, (part,) = summary_of(values, nominal, codes, 2, None, np.array([0, len(values)]))
    moves = np.array([[0, 0, k, 0, 1.3, 0.8, 0.8, 1.3] for k in rng.integers(0, 250, 12)])
    columns = np.arange(8)
    start = Start(1, (float(len(values)),) * 2, 2.0**52, True, False, False)
    side = {"move": np.array([0, 3, 5, 0, 1, 1, 1, 1.0]), "small_right": (True, False)}

    def answer(part, t, **wanted):
        return answers(part, (Request(Past(start, moves[:t], columns, frozenset({3})), columns, **wanted),))

    step_by_step = [(answer(part, t), answer(part, t, **side)) for t in range(13)]
    assert len(part.states[1]) == 2
    copy = pickle.loads(pickle.dumps(part))  # noqa: S301
    assert copy.states == {}
    for t in (12, 3, 5, 0):
        for held in (part, copy):
            np.testing.assert_array_equal(answer(held, t), step_by_step[t][0])
            np.testing.assert_array_equal(answer(held, t, **side), step_by_step[t][1])


def test_the_sample_depends_on_the_place_of_a_row_alone():
    """Sampled rows are the same for any parts, and about as many as wanted."""
    values = np.arange(300_000.0).reshape(-1, 1)
    limit = sample_limit(len(values), 1)
    whole = facts_of(values, 0, limit).sample
    ends = cut(len(values), np.random.default_rng(0), 5)
    pieces = [facts_of(values[a:b], int(a), limit).sample for a, b in itertools.pairwise(ends)]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    assert abs(len(whole) - (1 << 16)) < 1500


def test_bins_of_many_values_hold_about_equally_many_rows():
    """A column of many values has close to 255 bins, none with more than twice its share of the rows."""
    values = np.random.default_rng(0).standard_cauchy((300_000, 1))
    limit = sample_limit(len(values), 1)
    bins = bins_of([facts_of(values, 0, limit)], np.array([-1]))
    part = coded(values, np.zeros(len(values), int), 1, bins)
    counts = np.bincount(column_codes(part, 0).astype(int))
    assert bins.n_bins[0] > 240
    assert counts.max() < 2 * len(values) / bins.n_bins[0]


def stopped_after(n_kept, memory, monkeypatch):
    """Let an elimination be kept after every few rounds, and stop it after some of these times."""
    monkeypatch.setattr(elimination, "SECONDS", 0.0)
    monkeypatch.setattr(elimination, "ROUNDS", 3)
    keep, done = Memory.keep, []

    def stopped(self, part, arrays):
        if len(done) == n_kept:
            raise KeyboardInterrupt
        keep(self, part, arrays)
        done.append(part)

    monkeypatch.setattr(Memory, "keep", stopped)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(max(5, N_PROBLEMS // 10)))
def test_an_elimination_goes_on_where_it_was(seed, n_classes, tmp_path):
    """Stopped anywhere, also in the middle of a model, it ends with the bits of one that was left alone."""
    rng, values, nominal, codes, options = problem(seed, n_classes)
    ends = cut(len(values), rng, 3)
    summary, parts = summary_of(
        values, nominal, codes, n_classes, options["weights"], ends, options["balanced"]
    )
    for name, table in (("here", lambda: together(parts)), ("parts", lambda: LocalParts(parts))):
        expected = eliminate(table(), summary, N_ROUNDS, weight_cap=options["weight_cap"])
        for n_kept in (0, 1, int(rng.integers(2, 12))):
            memory = Memory(tmp_path / f"{name} {n_kept}", "this table")
            for part in parts:
                part.states.clear()
            with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
                stopped_after(n_kept, memory, patch)
                eliminate(table(), summary, N_ROUNDS, weight_cap=options["weight_cap"], memory=memory)
            for part in parts:
                part.states.clear()  # as another process would find them
            found = eliminate(table(), summary, N_ROUNDS, weight_cap=options["weight_cap"], memory=memory)
            assert same(found, expected)


def test_known_rounds_are_not_searched_again(tmp_path, monkeypatch):
    """What was kept is replayed: a run that goes on asks the parts for the histograms of new rounds alone."""
    _, values, nominal, codes, _ = problem(3)
    summary, parts = summary_of(values, nominal, codes, 2, None, np.array([0, len(values)]))
    asked = []

    class Counted(LocalParts):
        def total(self, function, *arguments):
            asked.append(function)
            return super().total(function, *arguments)

    eliminate(Counted(parts), summary, N_ROUNDS)
    whole = len(asked)
    monkeypatch.setattr(elimination, "SECONDS", 0.0)
    memory = Memory(tmp_path / "kept", "this table")
    eliminate(Counted(parts), summary, N_ROUNDS, memory=memory)
    asked.clear()
    eliminate(Counted(parts), summary, N_ROUNDS, memory=memory)
    assert whole > 10
    assert len(asked) < whole / 2


def test_contents_tell_tables_apart():
    """One code, one class or one weight more tells another table, whose kept work is not taken for this one's."""
    rng = np.random.default_rng(0)
    values, codes = rng.integers(0, 9, size=(40, 3)).astype(float), rng.integers(0, 2, 40)

    def told(values, codes, weights=None):
        summary, parts = summary_of(values, np.zeros(3, bool), codes, 2, weights, np.array([0, 15, 40]))
        return [
            tuple(
                array.tobytes()
                for array in contents(engine_arguments(table, summary)[0], summary, weights_of(table))
            )
            for table in (LocalParts(parts), together(parts))
        ]

    first = told(values, codes)
    changed = values.copy()
    changed[7, 1] = (changed[7, 1] + 1) % 9
    others = codes.copy()
    others[[np.flatnonzero(codes)[0], np.flatnonzero(codes == 0)[0]]] = 0, 1
    assert first == told(values, codes)
    for other in (told(changed, codes), told(values, others), told(values, codes, rng.random(40) + 0.1)):
        assert first[0] != other[0]
        assert first[1] != other[1]
