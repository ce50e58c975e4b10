"""The bound of Z: what any function of the description could reach, and never above what boosting reaches."""

import numpy as np
import pytest

from tamis.votes.bounds import least_z
from tamis.votes.criterion import TwoClassProblems
from tests.oracles import fs2boost as oracle
from tests.settings import N_PROBLEMS
from tests.votes.problems import vote_problem

PRIMED = ("z_prime_minimised", "z_prime_literal")


def sets_of(problem, seed):
    """Some sets of columns: the first are small, so that descriptions repeat."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(problem.n_columns)[: 1 + size % problem.n_columns].tolist() for size in range(4)]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_no_boosting_gets_below_the_bound(seed):
    """Neighbours with all ties voting, every criterion of boosting, every number of rounds; 0 where no bound is known."""
    problem = vote_problem(seed)
    measure = problem.oracle()
    sets = sets_of(problem, seed)
    for chosen, bound in zip(sets, problem.engine().least((), sets)):
        assert (measure.paths(chosen)[0] >= bound * (1 - 1e-9)).all()
        if problem.settings["criterion"] == "accuracy" or problem.settings["ties"] == "lowest":
            assert bound == 0


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_bound_is_the_least_that_a_function_of_the_description_has(seed):
    """The closed form is the minimum over F of every description, found on a grid; the mean over problems."""
    problem = vote_problem(seed)
    settings = {**problem.settings, "ties": "all", "criterion": PRIMED[seed % 2] if seed % 3 else "z"}
    weights, even = settings["class_weight"], settings["even"]
    n_classes = int(problem.codes.max()) + 1
    for chosen in sets_of(problem, seed):
        bounds = []
        for signs, start in oracle.problems_of(problem.codes, n_classes, weights, even):
            kept = (
                oracle.imbalance(problem.values, chosen, signs) if settings["criterion"] in PRIMED else None
            )
            bounds.append(oracle.least_possible_z(problem.values, chosen, signs, start, kept))
        engine = problem.engine(ties="all", criterion=settings["criterion"])
        assert engine.least((), [chosen])[0] == pytest.approx(np.mean(bounds), abs=1e-5)


def test_the_bound_by_hand():
    """Three rows of one description, one of them of the other class, and a row apart: 2 sqrt(1/2 1/4)."""
    problems = TwoClassProblems.of(np.array([1, 3]), np.ones(2))
    bound = least_z(np.array([0, 0, 0, 1]), np.array([1, 1, 0, 1]), problems, primed=False)
    assert bound == pytest.approx(2 * np.sqrt(1 / 8), abs=1e-15)
    balanced = least_z(
        np.array([0, 0]), np.array([0, 1]), TwoClassProblems.of(np.array([1, 1]), np.ones(2)), primed=True
    )
    assert balanced == 1.0
