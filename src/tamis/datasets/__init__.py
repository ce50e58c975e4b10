"""The papers' data sets: real ones that ship with the package or are fetched, and seeded generators.

``load(name)`` gives a data set by name, ``names()`` and ``describe()`` list them, ``make_*`` generate new ones.
Importing this room loads neither polars nor scikit-learn.
"""

from tamis.datasets._concepts import make_artificial, make_hard, make_led, make_xd6
from tamis.datasets._entry import Entry
from tamis.datasets._enumerated import make_monks, tic_tac_toe
from tamis.datasets._load import describe, load, names
from tamis.datasets._problem import Problem, make_problem, problem_space

__all__ = [
    "Entry",
    "Problem",
    "describe",
    "load",
    "make_artificial",
    "make_hard",
    "make_led",
    "make_monks",
    "make_problem",
    "make_xd6",
    "names",
    "problem_space",
    "tic_tac_toe",
]
