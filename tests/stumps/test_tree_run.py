"""Boosted trees of three and more leaves: the engine is the plain oracle, to the bit."""

import numpy as np
import pytest

from tamis import SBSMF, StumpAdaBoost
from tamis.stumps.problems import one_against_rest
from tamis.stumps.tree_run import tree_table
from tests.oracles import trees as oracle
from tests.stumps.calls import boost, eliminate

BY_DAY, BY_NIGHT = range(50), range(50, 300)
SEEDS = [*BY_DAY, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in BY_NIGHT)]


def problem(seed):
    """A small table with ties, missing values, categorical columns, copies, constants, weights, and two to four classes."""
    random = np.random.default_rng(seed)
    n_rows, n_columns = int(random.integers(4, 40)), int(random.integers(1, 6))
    values = random.normal(size=(n_rows, n_columns)).round(int(random.integers(0, 3)))
    nominal = random.random(n_columns) < 0.3
    values[:, nominal] = random.integers(int(random.integers(1, 5)), size=(n_rows, int(nominal.sum())))
    if random.random() < 0.6:
        values[random.random(values.shape) < random.choice([0.05, 0.3])] = np.nan
    if random.random() < 0.3:
        values[:, -1] = values[:, 0]
        nominal[-1] = nominal[0]
    n_classes = int(random.choice([2, 2, 3, 4]))
    codes = random.integers(n_classes, size=n_rows)
    codes[:n_classes] = np.arange(n_classes)
    if random.random() < 0.4:  # an exclusive or, and few wrong labels
        codes = (np.nan_to_num(values[:, 0]) > 0).astype(int) ^ (np.nan_to_num(values[:, -1]) > 0)
        codes[:2] = [0, 1]
        n_classes = 2
    weights = None
    if random.random() < 0.4:
        weights = random.choice([0.0, 1.0, 2.0, 0.3], size=n_rows)
        weights[:n_classes] = 1.0
    settings = {"balanced": bool(random.random() < 0.5)}
    if random.random() < 0.3:
        settings["weight_cap"] = float(random.choice([1.0, 2.0, 5.0]))
    if random.random() < 0.3:
        settings["learning_rate"] = 0.3
    max_leaves = int(random.choice([3, 4, 5, 8]))
    if "weight_cap" not in settings and random.random() < 0.4:
        settings["soft_margin"] = float(random.choice([0.05, 0.2, 0.6]))
        max_leaves = int(random.choice([2, 3, 5]))
    return values, nominal, codes, n_classes, weights, settings, max_leaves


def plain(model):
    """The trees of a model as the oracle has them."""
    told = []
    for t in range(len(model)):
        nodes = [int(label) for label in model.label[t, : 1 + 2 * model.n_splits[t]]]
        for s in range(model.n_splits[t]):
            column, threshold = int(model.column[t, s]), float(model.threshold[t, s])
            nodes[model.split[t, s]] = (column, threshold, bool(model.gap_right[t, s]), 1 + 2 * s)
        told.append(nodes)
    return told


@pytest.mark.parametrize("seed", SEEDS)
def test_trees_and_elimination_are_the_oracle_s(seed):
    """Splits, labels, alphas, edges and what columns are worth; then the columns in the order in which they leave."""
    values, nominal, codes, n_classes, weights, settings, max_leaves = problem(seed)
    engine = {name: value for name, value in settings.items() if name != "soft_margin"}
    table = tree_table(values, nominal, codes, max_leaves, settings.get("soft_margin", 0.0))
    signs = one_against_rest(codes, n_classes)
    for sign in signs:
        model = boost(table, sign, 6, weights, **engine)
        expected = oracle.boost(values, nominal, sign, 6, max_leaves, weights, **settings)
        assert plain(model) == expected["tree"]
        assert model.alpha.tolist() == expected["alpha"]
        assert model.edge.tolist() == expected["edge"]
        total, told, confidence = oracle.column_votes(expected, values, nominal, values.shape[1])
        np.testing.assert_array_equal(model.decision(values), total)
        for ours, theirs in zip(model.column_votes(values, values.shape[1]), (told, confidence)):
            np.testing.assert_array_equal(ours, theirs)
    criterion = "contribution_ratio" if seed % 4 == 3 else "margin_fraction"
    gone = eliminate(table, signs, 6, weights, criterion=criterion, **engine)
    short = "ratio" if seed % 4 == 3 else "margin"
    order, scores, full = oracle.eliminate(
        values, nominal, signs, 6, max_leaves, weights, criterion=short, **settings
    )
    assert gone.column.tolist() == order.tolist()
    np.testing.assert_array_equal(gone.score, scores)
    np.testing.assert_array_equal(gone.first_scores, full)


def exclusive_or(n_rows=300, n_columns=8, seed=0):
    """Columns 3 and 5 tell the class together, and nothing alone."""
    X = np.random.default_rng(seed).random((n_rows, n_columns))
    return X, ((X[:, 3] > 0.5) != (X[:, 5] > 0.5)).astype(int)


def test_trees_see_what_two_columns_tell_together():
    """Which stumps cannot; the model predicts new rows, and a ranking puts both columns first."""
    X, y = exclusive_or()
    new, expected = exclusive_or(seed=1)
    assert StumpAdaBoost(30, max_leaves=4).fit(X, y).score(new, expected) > 0.9
    assert StumpAdaBoost(30).fit(X, y).score(new, expected) < 0.65
    assert set(SBSMF(2, max_leaves=4, n_rounds=30).fit(X, y).get_support(indices=True)) == {3, 5}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_s_margin_is_shared_by_the_columns_on_its_paths(n_classes):
    """Parts make the margins, votes of columns the decision, and the mean margin has the fractions of the columns."""
    X, _ = exclusive_or(120)
    X[::7, 2] = np.nan
    y = np.digitize(X[:, 3] * X[:, 5], [0.2, 0.5][: n_classes - 1])
    model = StumpAdaBoost(12, max_leaves=5, class_weight=None).fit(X, y)
    told = model.row_margins(X, y)
    np.testing.assert_allclose(told.margins, model.margins_, atol=1e-12)
    np.testing.assert_allclose(model.column_votes(X).sum(axis=1), model.decision_function(X), atol=1e-12)
    np.testing.assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    assert np.abs(told.conditional).max() <= 1 + 1e-12
    assert model.margin_fractions_.sum() == pytest.approx(1)
    assert model.contribution_ratios_.sum() == pytest.approx(1)
    if n_classes == 2:
        mean = told.parts.mean(axis=0)
        np.testing.assert_allclose(model.margin_fractions_, mean / mean.sum(), atol=1e-12)
    assert len(model.margin_bound(X, y)) == (1 if n_classes == 2 else 3)


def test_many_values_are_cut_between_bins_and_nothing_depends_on_the_layout():
    """A column of 3,000 values: thresholds lie between its values, bits are those of float32 and of a Fortran order."""
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 6)).astype(np.float32)
    X[:, 4] = random.integers(2, size=3000)
    X[:, 5] = random.integers(2, size=3000)
    y = (X[:, 0] * X[:, 1] + 0.3 * X[:, 4] > 0).astype(int)
    model = StumpAdaBoost(20, max_leaves=6).fit(X, y)
    assert model.score(X, y) > 0.85
    expected = model.decision_function(X)
    for other in (X.astype(np.float64), np.asfortranarray(X)):
        again = StumpAdaBoost(20, max_leaves=6, n_jobs=2).fit(other, y)
        np.testing.assert_array_equal(again.decision_function(other), expected)
    flipped = StumpAdaBoost(20, max_leaves=6).fit(X, 1 - y)
    np.testing.assert_array_equal(flipped.decision_function(X), -expected)
    margins = np.where(y == 1, 1, -1) * expected / model.stumps_[0].alpha.sum()
    np.testing.assert_allclose(model.margins_, margins, atol=1e-12)


def test_going_back_needs_no_more_than_a_few_kept_rounds():
    """With four rounds kept, others are made again from the trees; nothing else changes."""
    random = np.random.default_rng(4)
    X = random.normal(size=(80, 12)).round(1)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    table, sign = tree_table(X, np.zeros(12, dtype=bool), y, 5), np.where(y == 1, 1, -1)
    many, few = (eliminate(table, sign, 25, n_kept=n_kept) for n_kept in (None, 4))
    assert many.column.tolist() == few.column.tolist()
    np.testing.assert_array_equal(many.score, few.score)


def test_an_elimination_that_was_stopped_goes_on(tmp_path, monkeypatch):
    """What is kept of the trees is enough: the same columns in the same order."""
    from tamis._memory import Memory
    from tamis.stumps import elimination

    random = np.random.default_rng(5)
    X = random.normal(size=(60, 9)).round(1)
    codes = np.digitize(X[:, 0] * X[:, 1] + X[:, 2], [-0.5, 0.5])
    table, signs = tree_table(X, np.zeros(9, dtype=bool), codes, 4), one_against_rest(codes, 3)
    whole = eliminate(table, signs, 12)
    monkeypatch.setattr(elimination, "SECONDS", 0.0)
    calls = []

    class Stopping(Memory):
        def keep(self, part, arrays):
            super().keep(part, arrays)
            calls.append(part)
            if len(calls) == 20:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        eliminate(table, signs, 12, memory=Stopping(tmp_path, "trees"))
    resumed = eliminate(table, signs, 12, memory=Memory(tmp_path, "trees"))
    assert resumed.column.tolist() == whole.column.tolist()
    np.testing.assert_array_equal(resumed.score, whole.score)


def test_what_trees_cannot_have_is_refused(tmp_path):
    """A table in parts and a numeric target, with who, what and what to do."""
    import pandas as pd

    pd.DataFrame({"a": [1.0, 2, 3, 4], "y": [0, 1, 0, 1]}).to_parquet(tmp_path / "a.parquet")
    for estimator in (StumpAdaBoost(max_leaves=3), SBSMF(max_leaves=3)):
        with pytest.raises(
            ValueError, match=r": max_leaves=3, which a table in parts cannot have. Leave it at 2"
        ):
            estimator.fit(str(tmp_path), "y")
    with pytest.raises(ValueError, match=r"^SBSMF: max_leaves=3, which is for classes, but y holds numbers"):
        SBSMF(max_leaves=3).fit(np.arange(30.0).reshape(15, 2), np.linspace(0, 1, 15))


def test_a_soft_margin_lets_wrong_labels_go():
    """Turned labels hold less of the weight at the end, so that more of the relevant columns are found first; not beside a cap."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 8))
    y = X[:, :3].sum(axis=1) > 0
    wrong = random.random(200) < 0.15
    hard, soft = (StumpAdaBoost(80, soft_margin=nu).fit(X, y ^ wrong) for nu in (0.0, 0.3))
    assert soft.score(X, y) > hard.score(X, y)
    for estimator in (StumpAdaBoost(soft_margin=0.1, weight_cap=2.0), SBSMF(soft_margin=0.1, weight_cap=2.0)):
        with pytest.raises(ValueError, match=r"weight_cap=2.0 and soft_margin=0.1, but only one of them"):
            estimator.fit(X, y)
