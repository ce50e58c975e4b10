"""The choice between the engines changes no bit, and an elimination goes on where it was."""

from contextlib import suppress
from dataclasses import fields

import numpy as np
import pytest

from tamis._memory import Memory
from tamis.stumps import elimination
from tamis.stumps._kernels import scanning
from tamis.stumps.engine import one_against_rest, stump_table
from tests.oracles import stumps as oracle
from tests.stumps.calls import boost, eliminate


@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_engines_rank_and_boost_alike(n_classes):
    """The same stumps and the same order of elimination, whichever engine is asked, gaps and names included."""
    random = np.random.default_rng(n_classes)
    values = random.normal(size=(400, 7)).round(1)
    values[:, 5:] = random.integers(0, 4, (400, 2))
    values[random.random(values.shape) < 0.05] = np.nan
    nominal = np.arange(7) >= 5
    codes = random.integers(0, n_classes, 400)
    signs = one_against_rest(codes, n_classes)
    answers = []
    for many_rows in (1, 10_000):
        table = stump_table(values, nominal, codes, many_rows=many_rows)
        models = [boost(table, sign, 20) for sign in signs]
        answers.append((type(table), models, eliminate(table, signs, 20)))
    assert answers[0][0] != answers[1][0]
    for few, many in zip(answers[1][1], answers[0][1]):
        for name in ("column", "threshold", "gap_right", "polarity", "alpha", "u"):
            np.testing.assert_array_equal(getattr(few, name), getattr(many, name))
    np.testing.assert_array_equal(answers[0][2].column, answers[1][2].column)
    np.testing.assert_array_equal(answers[0][2].first_scores, answers[1][2].first_scores)


@pytest.mark.parametrize("many_rows", [1, 10_000], ids=["histograms", "sorted"])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_a_learning_rate_is_the_oracle_s(many_rows, rate):
    """With a part of every edge acted on, both engines give the plain version's stumps and order."""
    random = np.random.default_rng(7)
    values = random.normal(size=(60, 6)).round(1)
    nominal = np.zeros(6, dtype=bool)
    sign = np.where(values[:, 0] + values[:, 1] + random.normal(size=60) > 0, 1, -1)
    table = stump_table(values, nominal, (sign > 0).astype(np.int64), many_rows=many_rows)
    model = boost(table, sign, 30, learning_rate=rate)
    plain = oracle.boost(values, nominal, sign, 30, learning_rate=rate)
    assert model.column.tolist() == plain["column"]
    assert model.alpha.tolist() == plain["alpha"]
    gone = eliminate(table, sign[np.newaxis], 30, learning_rate=rate)
    assert gone.column.tolist() == oracle.eliminate(values, nominal, sign, 30, learning_rate=rate)[0].tolist()


def random_table(seed, n_classes):
    """A table with ties, gaps and a nominal column, and its classes."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(70, 6)).round(1)
    values[:, 5] = random.integers(0, 3, 70)
    values[random.random(values.shape) < 0.05] = np.nan
    return values, np.arange(6) == 5, random.integers(0, n_classes, 70)


@pytest.mark.parametrize("many_rows", [1, 10_000], ids=["histograms", "sorted"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_an_elimination_in_memory_goes_on_where_it_was(seed, n_classes, many_rows, tmp_path):
    """Stopped anywhere, also in the middle of a model, it ends with the bits of one that was left alone."""
    values, nominal, codes = random_table(seed, n_classes)
    signs = one_against_rest(codes, n_classes)
    settings = {"weight_cap": [None, 1.5][seed % 2], "balanced": seed > 1}

    def ranked(memory=None):
        table = stump_table(values, nominal, codes, many_rows=many_rows)
        return eliminate(table, signs, 9, memory=memory, **settings)

    expected, keep = ranked(), Memory.keep
    for n_kept in (1, 2, 5, 11):
        memory, n_done = Memory(tmp_path / str(n_kept), "this table"), []

        def stopped(self, part, arrays, n_done=n_done, n_kept=n_kept):
            if len(n_done) == n_kept:
                raise KeyboardInterrupt
            keep(self, part, arrays)
            n_done.append(part)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(elimination, "SECONDS", 0.0)
            patch.setattr(elimination, "ROUNDS", 2)
            patch.setattr(Memory, "keep", stopped)
            with suppress(KeyboardInterrupt):
                ranked(memory)
        assert (tmp_path / str(n_kept)).is_dir()
        gone = ranked(memory)
        for field in fields(gone):
            np.testing.assert_array_equal(getattr(gone, field.name), getattr(expected, field.name))


def test_known_rounds_in_memory_are_not_searched_again(tmp_path, monkeypatch):
    """What was kept is repeated from its stumps: a finished elimination looks for new ones in its last models alone."""
    values, nominal, codes = random_table(0, 2)
    monkeypatch.setattr(elimination, "SECONDS", 0.0)
    memory, trained, train = Memory(tmp_path / "kept", "this table"), [], scanning.train

    def counted(layout, work, active, last, known, settings):
        first = max(work.rounds.state[0], work.rounds.state[2])
        train(layout, work, active, last, known, settings)
        trained.append(int(work.rounds.state[0]) - int(first))

    monkeypatch.setattr(scanning, "train", counted)
    n_rounds = []
    for _ in range(2):
        trained.clear()
        eliminate(stump_table(values, nominal, codes), one_against_rest(codes, 2), 9, memory=memory)
        n_rounds.append(sum(trained))
    assert n_rounds[0] > 20
    assert n_rounds[1] <= 9


@pytest.mark.parametrize("many_rows", [0, 10**9])
@pytest.mark.parametrize("seed", range(12))
def test_pairs_share_what_they_earn_and_leave_with_a_column(seed, many_rows):
    """The last columns are made of two others each: the order is that of the oracle, and scores to rounding."""
    rng = np.random.default_rng(seed)
    n, d = 40, 5
    base = np.round(rng.normal(size=(n, d)), 1)
    parents = np.array([[0, 1], [1, 3], [2, 4]])
    values = np.column_stack([base, *(base[:, a] * base[:, b] for a, b in parents)])
    nominal = np.zeros(d + 3, dtype=bool)
    codes = rng.integers(0, 2 + seed % 2, n)
    codes[:3] = np.arange(3) % (2 + seed % 2)
    signs = one_against_rest(codes, codes.max() + 1)
    settings = {"step": 2, "step_until": 3} if seed % 3 == 2 else {}
    settings["criterion"] = "contribution_ratio" if seed % 4 == 3 else "margin_fraction"
    found = eliminate(
        stump_table(values, nominal, codes, many_rows=many_rows), signs, 12, parents=parents, **settings
    )
    order, left_with, n_left, full = oracle.eliminate(values, nominal, signs, 12, parents=parents, **settings)
    np.testing.assert_array_equal(found.column, order)
    np.testing.assert_array_equal(found.n_columns, n_left)
    np.testing.assert_allclose(found.score, left_with, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.first_scores, full, rtol=1e-12, atol=1e-15)
