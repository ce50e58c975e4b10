"""The engine's functions as the tests call them: with signs and weights in place of problems."""

from tamis.stumps import engine
from tamis.stumps.problems import two_class_problems


def boost(table, sign, n_rounds, weights=None, *, balanced=False, **settings):
    """The model of one problem."""
    problems = two_class_problems(sign, weights, balanced=balanced)
    return engine.boost(table, problems, n_rounds, **settings)[0]


def eliminate(table, signs, n_rounds, weights=None, *, balanced=False, **settings):
    """The columns in the order in which they leave."""
    problems = two_class_problems(signs, weights, balanced=balanced)
    return engine.eliminate(table, problems, n_rounds, **settings)
