"""AdaBoost over neighbour votes as a classifier: the oracle's votes for training rows and for new ones."""

import numpy as np
import pytest
from sklearn.base import clone

from tamis import datasets
from tamis.votes.adaboost import NeighborAdaBoost
from tests.neighbors.random_tables import mixed_table
from tests.oracles import fs2boost as oracle
from tests.settings import N_PROBLEMS
from tests.votes.problems import vote_problem


def model_of(problem, **changes):
    given = {**problem.settings, **changes}
    weight = None if given["class_weight"] is None else dict(enumerate(given["class_weight"]))
    return NeighborAdaBoost(
        given["n_rounds"],
        n_neighbors=given["n_neighbors"],
        ties=given["ties"],
        vote=given["vote"],
        metric=given["metric"],
        class_weight=weight,
        categorical_features=problem.nominal,
    )


def expected_votes(problem, new):
    """Z, F of the training rows and F of new rows, a column a problem."""
    measure = problem.oracle(even=False)
    columns = range(problem.n_columns)
    steps = sum(
        oracle.column_steps(new[:, j], problem.values[:, j], problem.nominal[j], problem.settings["metric"])
        for j in columns
    )
    near = oracle.neighbor_matrix(steps, measure.k, measure.ties, leave_one_out=False)
    runs = [
        oracle.boosted(measure.neighbors(columns), signs, start, measure.n_rounds, measure.vote, new=near)
        for signs, start in oracle.problems_of(problem.codes, measure.n_classes, measure.class_weight)
    ]
    path = np.mean([run[0] for run in runs], axis=0)
    return path, np.stack([run[2] for run in runs], axis=1), np.stack([run[3] for run in runs], axis=1)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_votes_are_those_of_the_oracle(seed):
    """Z after every round, F of training rows without themselves, and F of new rows, within 1e-12 of plain loops."""
    problem = vote_problem(seed)
    new = mixed_table(seed, 40, 7)[1]
    model = model_of(problem).fit(problem.values, problem.codes)
    path, inside, outside = expected_votes(problem, new)
    np.testing.assert_allclose(model.z_path_, path, rtol=0, atol=1e-12)
    if outside.shape[1] == 1:
        inside, outside = inside[:, 0], outside[:, 0]
    np.testing.assert_allclose(model.leave_one_out_decision_, inside, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(new), outside, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_predictions_follow_the_votes(seed):
    """The sign or the largest F; probabilities sum to 1 and have the same winner."""
    problem = vote_problem(seed)
    model = model_of(problem).fit(problem.values, problem.codes)
    decided = model.decision_function(problem.values)
    winners = decided > 0 if decided.ndim == 1 else decided.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(problem.values), model.classes_[winners.astype(int)])
    chances = model.predict_proba(problem.values)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(chances.argmax(axis=1), winners.astype(int))


def test_z_is_the_mean_exponential_loss_of_the_training_rows():
    """Two classes, no weights: Z is the mean of exp(-y F), F without the row's own vote."""
    data = datasets.load("glass2")
    model = NeighborAdaBoost().fit(data.X, data.y)
    signs = np.where(np.asarray(data.y) == model.classes_[1], 1.0, -1.0)
    assert model.z_ == pytest.approx(np.exp(-signs * model.leave_one_out_decision_).mean(), rel=1e-12)


def test_z_never_rises():
    """Every round makes Z smaller, but for rounding, or boosting stops."""
    data = datasets.load("heart_cleveland")
    path = NeighborAdaBoost(100).fit(data.X, data.y).z_path_
    assert (np.diff(path) <= 1e-15).all()
    assert path[0] < 1


def test_the_number_of_threads_changes_no_bit():
    """One job and two say the same."""
    data = datasets.load("credit_crx")
    one = NeighborAdaBoost(n_jobs=1).fit(data.X, data.y)
    two = NeighborAdaBoost(n_jobs=2).fit(data.X, data.y)
    np.testing.assert_array_equal(one.decision_function(data.X), two.decision_function(data.X))


def test_a_named_metric_needs_exactly_k_neighbours():
    """A metric without exact ties is refused for ties="all", with what to do, and works with "lowest"."""
    angles = np.array([0.1, 0.2, 0.3, 0.4, 1.1, 1.2, 1.3, 1.4])
    lengths = np.array([1.0, 9.0, 2.0, 8.0, 9.0, 1.0, 8.0, 2.0])
    X, y = lengths[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]), angles > 0.7
    with pytest.raises(ValueError, match=r"metric='cosine' with ties='all'.*Use ties='lowest'"):
        NeighborAdaBoost(metric="cosine").fit(X, y)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    model = NeighborAdaBoost(1, metric="cosine", ties="lowest", n_neighbors=2).fit(X, y)
    lengths = np.linalg.norm(scaled, axis=1)
    closeness = (scaled @ scaled.T) / np.outer(lengths, lengths)
    np.fill_diagonal(closeness, -np.inf)
    near = np.argsort(-closeness, axis=1)[:, :2]
    first_votes = np.where(y, 1, -1)[near].mean(axis=1)
    np.testing.assert_allclose(model.leave_one_out_decision_, model.alphas_[0, 0] * first_votes)


def test_a_class_without_weight_is_refused():
    """A weight of 0 would leave its class without votes; the error names the class."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "c"]
    with pytest.raises(ValueError, match="class_weight gives the class 'b' no weight"):
        NeighborAdaBoost(class_weight={"b": 0}).fit(X, y)


def test_fewer_rows_than_neighbours_is_no_error():
    """All other rows are neighbours then, as the docstring says."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    many = NeighborAdaBoost(n_neighbors=50).fit(X, y)
    three = clone(many).set_params(n_neighbors=3).fit(X, y)
    np.testing.assert_array_equal(many.decision_function(X), three.decision_function(X))


def test_more_than_memory_holds_is_refused_with_its_numbers(monkeypatch):
    """Ten thousand classes times as many rows times the rounds are refused before the first round."""
    monkeypatch.setattr("tamis.votes.adaboost.memory_bytes", lambda: 1e5)
    X = np.arange(60.0).reshape(30, 2)
    with pytest.raises(MemoryError, match="15 classes, 30 rows and n_rounds=50 need"):
        NeighborAdaBoost(n_rounds=50).fit(X, np.arange(30) // 2)
    NeighborAdaBoost(n_rounds=2).fit(X, np.arange(30) // 2)
