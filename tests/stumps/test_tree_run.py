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
    table = tree_table(values, nominal, codes, max_leaves)
    signs = one_against_rest(codes, n_classes)
    for sign in signs:
        model = boost(table, sign, 6, weights, **settings)
        expected = oracle.boost(values, nominal, sign, 6, max_leaves, weights, **settings)
        assert plain(model) == expected["tree"]
        assert model.alpha.tolist() == expected["alpha"]
        assert model.edge.tolist() == expected["edge"]
        total, told, confidence = oracle.column_votes(expected, values, nominal, values.shape[1])
        np.testing.assert_array_equal(model.decision(values), total)
        for ours, theirs in zip(model.column_votes(values, values.shape[1]), (told, confidence)):
            np.testing.assert_array_equal(ours, theirs)
    criterion = "contribution_ratio" if seed % 4 == 3 else "margin_fraction"
    gone = eliminate(table, signs, 6, weights, criterion=criterion, **settings)
    short = "ratio" if seed % 4 == 3 else "margin"
    order, scores, full = oracle.eliminate(
        values, nominal, signs, 6, max_leaves, weights, criterion=short, **settings
    )
    assert gone.column.tolist() == order.tolist()
    np.testing.assert_array_equal(gone.score, scores)
    np.testing.assert_array_equal(gone.first_scores, full)
