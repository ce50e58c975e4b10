"""How much work the methods do, counted and not timed: fits, rounds, sets of columns, distances, hypotheses.

The expected numbers follow from the methods, by counting or by a plain run of an oracle; a change that makes a method do
more work than it must fails here, on any machine.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from tamis import ROGER, SBSMF, CondensedNN, FS2Boost, MonteCarloPrototypes, SelectorCV, StumpAdaBoost
from tamis.prototypes import _condense
from tamis.stumps.sorted_run import SortedRun
from tamis.votes.criterion import NeighborVotes
from tests.oracles import stumps as oracle

N_ROUNDS = 15


def table(seed, n_rows=60, n_columns=7):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_columns))
    return values, np.where(values[:, 0] + values[:, 1] + rng.normal(size=n_rows) > 0, 1, -1)


@pytest.fixture
def trained(monkeypatch):
    """Rounds trained each time that a model is trained to its end."""
    counts, train = [], SortedRun.train

    def counted(self, at_most=None):
        first = len(self)
        train(self, at_most)
        counts.append(len(self) - first)

    monkeypatch.setattr(SortedRun, "train", counted)
    return counts


def rounds_needed(values, sign, order):
    """Rounds of each model on the way down, trained anew from the first round that used a column that has left."""
    nominal = np.zeros(values.shape[1], dtype=bool)
    left = list(range(values.shape[1]))
    model = oracle.boost(values, nominal, sign, N_ROUNDS, balanced=True)["column"]
    needed = [len(model)]
    for column in order[:-1]:
        left.remove(column)
        if column in model:
            first = model.index(column)
            model = oracle.boost(values, nominal, sign, N_ROUNDS, columns=left, balanced=True)["column"]
            needed.append(len(model) - first)
    return needed


@pytest.mark.parametrize("seed", range(10))
def test_elimination_trains_no_round_twice(trained, seed):
    """Models are trained only after a column that they use has left, and only from its first round on."""
    values, sign = table(seed)
    selector = SBSMF(n_rounds=N_ROUNDS).fit(values, sign)
    needed = rounds_needed(values, sign, selector.history_["feature"].tolist())
    assert trained == needed
    assert selector.history_["n_fits"].max() == len(needed)


def test_a_perfect_column_needs_one_round(trained):
    """A stump without an error ends boosting, and columns that no stump uses leave without a new model."""
    values, _ = table(0, n_columns=30)
    selector = SBSMF(n_rounds=N_ROUNDS).fit(values, values[:, 4] > 0)
    assert trained == [1]
    assert (selector.history_["n_fits"] == 1).all()


def test_one_model_a_class(trained):
    """Three classes take three models, two classes one."""
    values, _ = table(0)
    for n_classes, n_models in ((2, 1), (3, 3)):
        trained.clear()
        StumpAdaBoost(5).fit(values, np.arange(len(values)) % n_classes)
        assert len(trained) == n_models


@pytest.fixture
def measured(monkeypatch):
    """Sets of columns whose votes were boosted."""
    sets = []
    for name in ("extensions", "subsets"):
        plain = getattr(NeighborVotes, name)

        def counted(self, held, others, *arguments, plain=plain, name=name):
            sets.extend((*held, other) if name == "extensions" else other for other in others)
            return plain(self, held, others, *arguments)

        monkeypatch.setattr(NeighborVotes, name, counted)
    return [sets]


@pytest.mark.parametrize("n_columns", [2, 4, 7])
def test_forward_search_measures_each_candidate_once(measured, n_columns):
    """All d columns take d + (d - 1) + ... + 1 sets; scores and the final criterion take none beyond them."""
    values, sign = table(1, n_columns=n_columns)
    FS2Boost(n_columns, n_rounds=5).fit(values, sign)
    (sets,) = measured
    assert len(sets) == n_columns * (n_columns + 1) // 2
    assert len({tuple(sorted(one)) for one in sets}) == len(sets)


def test_forward_search_stops_where_it_is_told(measured):
    """Two columns of six take 6 + 5 sets."""
    values, sign = table(1, n_columns=6)
    FS2Boost(2, n_rounds=5).fit(values, sign)
    assert len(measured[0]) == 11


@pytest.mark.parametrize("seed", range(5))
def test_condensing_measures_each_pair_once(monkeypatch, seed):
    """Every row meets every stored row once, however many passes there are."""
    searches, new = [], _condense._new_search
    monkeypatch.setattr(_condense, "_new_search", lambda *given: searches.append(new(*given)) or searches[-1])
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(700, 3))
    selector = CondensedNN().fit(values, rng.random(700) < 0.3)
    (search,) = searches
    assert selector.history_["pass"].max() > 1
    assert (search.compared == len(selector.sample_indices_)).all()


@pytest.mark.parametrize(("budget", "done"), [(20, 20), (219, 20), (220, 220), (1_000, 820), (1_020, 1_020)])
def test_evolution_stays_within_its_budget(budget, done):
    """20 parents, then generations of 200 as long as a whole one fits."""
    rng = np.random.default_rng(0)
    values = rng.random((60, 5))
    selector = ROGER(n_evaluations=budget, random_state=0).fit(values, rng.random(60) < 0.5)
    assert selector.history_["n_evaluations"].max() == done


def test_chance_judges_as_many_sets_as_asked():
    """Monte Carlo judges one set a sample."""
    values, sign = table(0)
    selector = MonteCarloPrototypes(5, n_samples=37, random_state=0).fit(values, sign)
    assert len(selector.history_["accuracy"]) == 37


def test_the_number_of_columns_costs_a_ranking_a_fold():
    """SelectorCV ranks once a fold and once on all rows; the judge is fitted once a fold and size, and once at the end."""
    fits = {"selector": 0, "judge": 0}

    class Selector(SBSMF):
        def fit(self, *given):
            fits["selector"] += 1
            return super().fit(*given)

    class Judge(KNeighborsClassifier):
        def fit(self, *given):
            fits["judge"] += 1
            return super().fit(*given)

    values, sign = table(0, n_columns=4)
    SelectorCV(clone(Selector(n_rounds=5)), Judge(), cv=3).fit(values, sign)
    assert fits["selector"] == 3 + 1
    assert fits["judge"] == 3 * 4 + 1
