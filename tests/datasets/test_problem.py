import math

import numpy as np
import pytest

from tamis.datasets import make_problem, problem_space
from tamis.datasets._problem import two_median
from tests.oracles import problems as oracle
from tests.settings import N_PROBLEMS

CONCEPTS = ("linear", "ball", "two", "xor")


def redundant_names(problem):
    (note,) = problem.notes
    return note.removeprefix("Redundant columns: ").removesuffix(".").split(", ")


@pytest.mark.parametrize("concept", CONCEPTS)
def test_labels_follow_the_concept(concept):
    """Without noise every label is what the relevant columns say, whatever n, d, r and the redundancy."""
    random = np.random.default_rng(CONCEPTS.index(concept))
    for seed in range(N_PROBLEMS):
        r = int(random.choice([2, 4, 5, 10]))
        r += r % 2 if concept == "xor" else 0
        n, d = int(random.integers(1, 60)), int(random.integers(2 * r, 4 * r))
        problem = make_problem(n, d, r, concept, bool(random.integers(2)), random_state=seed)
        assert problem.X.shape == (n, d)
        assert len(set(problem.informative)) == r
        rows = problem.X.select(problem.informative).rows()
        assert problem.y.tolist() == [oracle.problem_label(row, concept, two_median(r)) for row in rows]


def test_columns_are_shuffled():
    """Over many problems every place holds a relevant column about equally often."""
    draws, d, r = 2000, 8, 2
    places = np.zeros(d)
    for seed in range(draws):
        problem = make_problem(1, d, r, random_state=seed)
        places[[problem.X.columns.index(name) for name in problem.informative]] += 1
    assert np.all(np.abs(places / draws - r / d) < oracle.hoeffding(draws))


def test_redundant_columns_are_averages_of_the_relevant_ones():
    """A redundant column is a combination of the relevant ones with positive coefficients of sum 1; no other is."""
    for seed in range(N_PROBLEMS):
        problem = make_problem(60, 30, 6, "ball", redundant=True, random_state=seed)
        relevant = problem.X.select(problem.informative).to_numpy()
        names = redundant_names(problem)
        assert len(names) == 6
        assert not set(names) & set(problem.informative)
        for name in problem.X.columns:
            if name in problem.informative:
                continue
            column = problem.X[name].to_numpy()
            coefficients = np.linalg.lstsq(relevant, column, rcond=None)[0]
            exact = np.allclose(relevant @ coefficients, column, rtol=0, atol=1e-12)
            assert exact == (name in names)
            if exact:
                assert coefficients.min() > 0
                assert abs(coefficients.sum() - 1) < 1e-10


def test_label_noise_inverts_labels_and_leaves_the_columns():
    """The same seed with label noise has the same columns; labels are inverted at the given rate."""
    n = 20_000
    clean = make_problem(n, 5, 2, random_state=0)
    noisy = make_problem(n, 5, 2, label_noise=0.1, random_state=0)
    assert clean.X.equals(noisy.X)
    assert abs((clean.y != noisy.y).mean() - 0.1) < oracle.hoeffding(n)
    assert np.array_equal(make_problem(n, 5, 2, label_noise=1, random_state=0).y, 1 - clean.y)


def test_feature_noise_is_a_standard_deviation_on_every_column():
    """Labels stay those of the clean columns; what is added is normal with the given standard deviation."""
    n, d, sigma = 5000, 12, 0.1
    clean = make_problem(n, d, 4, redundant=True, random_state=0)
    noisy = make_problem(n, d, 4, redundant=True, feature_noise=sigma, random_state=0)
    assert np.array_equal(clean.y, noisy.y)
    assert clean.informative == noisy.informative
    added = (noisy.X.to_numpy() - clean.X.to_numpy()) / sigma
    assert np.all(np.abs(added.mean(axis=0)) < 6.5 / math.sqrt(n))
    # Laurent and Massart: |chi2_n - n| < 2 sqrt(n t) + 2 t but for probability 2 exp(-t); t = 25 gives 3e-11.
    assert np.all(np.abs((added**2).mean(axis=0) - 1) < 2 * math.sqrt(25 / n) + 50 / n)


def test_values_are_uniform():
    """Clean values that are not redundant lie in [0, 1] and follow the uniform law (Dvoretzky, Kiefer, Wolfowitz)."""
    values = np.sort(make_problem(2000, 10, 2, random_state=0).X.to_numpy().ravel())
    assert values[0] >= 0
    assert values[-1] <= 1
    steps = np.arange(1, len(values) + 1) / len(values)
    assert np.abs(values - steps).max() < oracle.hoeffding(len(values)) + 1 / len(values)


@pytest.mark.parametrize("r", [5, 10, 20, 25, 40, 50, 100])
def test_threshold_of_two_is_the_median(r):
    """The constants for the paper's r halve the classes: the share below them is 1/2 within Hoeffding's bound."""
    draws = 200_000
    assert abs(oracle.two_share_below(r, two_median(r), draws, seed=r) - 0.5) < oracle.hoeffding(draws)


@pytest.mark.parametrize("r", [2, 3, 8])
def test_threshold_of_two_for_any_r_halves_the_classes(r):
    """For other r the threshold is a sample median, whose error adds to that of the check."""
    draws = 200_000
    bound = oracle.hoeffding(draws) + oracle.hoeffding(1 << 20)
    assert abs(oracle.two_share_below(r, two_median(r), draws, seed=r) - 0.5) < bound


def test_threshold_of_two_for_one_column_is_known():
    """With one column the distance to the nearer centre is uniform on [0, 1/4], so the share below s is 4 sqrt(s)."""
    assert abs(4 * math.sqrt(two_median(1)) - 0.5) < oracle.hoeffding(1 << 20)


def test_xor_columns_say_nothing_alone():
    """Under xor each column has the same mean in both classes: the mean of x where y = 1, less where y = 0, is 0."""
    n = 20_000
    problem = make_problem(n, 6, 4, "xor", random_state=0)
    signed = problem.X.to_numpy() * (
        2 * problem.y[:, None] - 1
    )  # in [-1, 1], expectation 0 as P(y = 1) = 1/2
    assert np.all(np.abs(signed.mean(axis=0)) < 2 * oracle.hoeffding(n))


def test_problem_space_is_the_papers():
    """972 different points with the paper's values, each of which make_problem takes."""
    points = list(problem_space())
    assert len({tuple(sorted(point.items())) for point in points}) == len(points) == 3 * 3 * 3 * 2 * 2 * 3 * 3
    assert {point["d"] for point in points} == {100, 200, 500}
    assert {(point["d"] / point["r"], point["n"] / point["d"]) for point in points} == {
        (share, rows) for share in (20, 10, 5) for rows in (0.5, 1, 2)
    }
    assert {point["concept"] for point in points} == {"linear", "ball"}
    assert {(point["label_noise"], point["feature_noise"]) for point in points} == {
        (e, sigma) for e in (0, 0.05, 0.1) for sigma in (0, 0.05, 0.1)
    }
    for point in points[:: len(points) // 12]:
        problem = make_problem(**point, random_state=0)
        assert problem.X.shape == (point["n"], point["d"])
        assert len(problem.informative) == point["r"]
        assert bool(problem.notes) == point["redundant"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"d": 5, "r": 6},
            r"make_problem: r=6 relevant columns, but d=5 columns in all\. Use r from 1 to 5\.",
        ),
        (
            {"d": 9, "r": 5, "redundant": True},
            r"redundant=True needs 5 irrelevant .* but d=9\. Use d of at least 10\.",
        ),
        ({"concept": "cube"}, r"concept='cube'\. Use one of 'linear', 'ball', 'two', 'xor'\."),
        ({"concept": "xor", "r": 5}, r"takes the relevant columns in pairs, but r=5\. Use an even r\."),
        ({"r": 0}, r"make_problem: r=0, but at least 1 is needed"),
        ({"label_noise": -0.1}, r"make_problem: label_noise=-0\.1\. Use a number from 0 to 1\."),
        ({"feature_noise": float("inf")}, r"make_problem: feature_noise=inf\. Use a number"),
    ],
)
def test_impossible_problems_are_refused(arguments, message):
    """Arguments that do not fit together are named with their values before anything is drawn."""
    with pytest.raises(ValueError, match=message):
        make_problem(**arguments)
