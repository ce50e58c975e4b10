"""FS2Boost on rows with weights, and with groups whose rows do not hear each other."""

import numpy as np
import pytest

from tamis import FS2Boost
from tests.features.test_fs2boost import assert_same_search, search_options, selector_of
from tests.oracles import columns
from tests.oracles import fs2boost as oracle
from tests.settings import N_PROBLEMS
from tests.votes.problems import vote_problem


def weights_and_groups(seed, codes):
    """Weights, some of them 0, and groups of a few rows; one or both of them. Two rows of two classes stay, in two groups."""
    rng = np.random.default_rng(seed)
    n = len(codes)
    weights = rng.choice([0.0, 0.5, 1.0, 2.7], size=n) if seed % 2 else rng.random(n) + 0.01
    groups = rng.integers(0, max(2, n // 3), n)
    chosen = [0, int(np.flatnonzero(codes != codes[0])[0])]
    weights[chosen], groups[chosen] = 1.0, (0, 1)
    return (None if seed % 3 == 0 else weights), (None if seed % 3 == 1 else groups)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_search_with_weights_and_groups_is_that_of_the_oracle(seed):
    """Every criterion, direction and stop rule; rows of weight 0 are not there."""
    problem = vote_problem(seed)
    weights, groups = weights_and_groups(seed, problem.codes)
    left = np.ones(len(problem.codes), dtype=bool) if weights is None else weights > 0
    ours, theirs = search_options(problem, seed)
    selector = selector_of(problem, **ours)
    named = selector.class_weight
    selector.fit(problem.values, problem.codes, weights, groups=groups)
    present, codes = np.unique(problem.codes[left], return_inverse=True)
    measure = oracle.Measure(
        problem.values[left],
        problem.nominal,
        codes,
        **{
            **problem.settings,
            "even": False,
            "class_weight": None if named is None else [named[label] for label in present],
        },
        weights=None if weights is None else weights[left],
        groups=None if groups is None else groups[left],
    )
    first = columns.first_equals(problem.values[left], problem.nominal)
    answer, moves = oracle.search(measure, problem.n_columns, **theirs, first=first)
    assert_same_search(selector, answer, moves, measure)
    assert selector.search_rows_.tolist() == np.flatnonzero(left).tolist()


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_numbers_with_weights_and_groups_are_those_of_the_oracle(seed):
    """The neighbours' weighted mean, and its weighted squared error."""
    problem = vote_problem(seed)
    y = np.random.default_rng(seed).normal(size=len(problem.codes)) + problem.codes
    weights, groups = weights_and_groups(seed, problem.codes)
    left = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    selector = selector_of(problem).set_params(criterion="accuracy", class_weight=None)
    selector.fit(problem.values, y, weights, groups=groups)
    names = ("n_neighbors", "ties", "metric", "n_rounds")
    measure = oracle.Measure(
        problem.values[left],
        problem.nominal,
        y[left],
        criterion="accuracy",
        weights=None if weights is None else weights[left],
        groups=None if groups is None else groups[left],
        **{name: getattr(selector, name) for name in names},
    )
    first = columns.first_equals(problem.values[left], problem.nominal)
    answer, moves = oracle.search(measure, problem.n_columns, first=first)
    assert_same_search(selector, answer, moves, measure)


@pytest.mark.parametrize("estimator", [None, "stump"])
def test_equal_weights_and_groups_of_one_row_change_no_bit(estimator):
    """Whatever the size of the weights; a class of weight two is rows of weight two."""
    problem = vote_problem(5)
    plain = FS2Boost(estimator=estimator, categorical_features=problem.nominal, random_state=0)
    first = plain.fit(problem.values, problem.codes).history_["candidates"].copy()
    n = len(problem.codes)
    plain.fit(problem.values, problem.codes, np.full(n, 4.0))
    np.testing.assert_array_equal(plain.history_["candidates"], first)
    if estimator is None:
        plain.fit(problem.values, problem.codes, groups=np.arange(n)[::-1])
        np.testing.assert_allclose(plain.history_["candidates"], first, rtol=0, atol=1e-12)
    twice = {code: 1.0 + (code == 1) for code in np.unique(problem.codes).tolist()}
    by_class = plain.__class__(**{**plain.get_params(), "class_weight": twice})
    by_class.fit(problem.values, problem.codes)
    if len(twice) == 2:  # with more, weights of rows are balanced away between a class and the rest
        plain.fit(problem.values, problem.codes, np.where(problem.codes == 1, 2.0, 1.0))
        np.testing.assert_array_equal(plain.scores_, by_class.scores_)


@pytest.mark.parametrize("seed", range(4))
def test_a_name_of_the_group_says_nothing_of_other_groups(seed):
    """A column that names the patient is the best without groups; with them, the one that holds for all patients."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(60), 6)
    true = rng.normal(size=60)
    y = (true > 0)[patient]
    X = np.column_stack([rng.permutation(60)[patient], true[patient] + 0.9 * rng.normal(size=360)])
    selector = FS2Boost(1, criterion="accuracy", n_neighbors=24)
    assert selector.fit(X, y, groups=patient).get_support(indices=True).tolist() == [1]
    selector.set_params(n_neighbors=5)
    assert selector.fit(X, y).get_support(indices=True).tolist() == [0]


def test_jobs_change_no_bit_with_weights_and_groups():
    """Threads share the candidates only."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 6)), rng.integers(0, 3, 150)
    given = {"sample_weight": rng.random(150), "groups": rng.integers(0, 40, 150)}
    one, two = (FS2Boost(3, n_jobs=jobs).fit(X, y, **given).history_["candidates"] for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_single_group_is_refused():
    """Its rows would have no neighbours."""
    with pytest.raises(ValueError, match="groups holds one group only, whose rows have no neighbours"):
        FS2Boost().fit(np.eye(4), [0, 1, 0, 1], groups=[7, 7, 7, 7])
