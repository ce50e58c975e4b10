"""The papers' data sets: real ones that ship with the package or are fetched, and seeded generators.

``load(name)`` gives a data set by name, ``names()`` and ``describe()`` list them, ``make_*`` generate new ones.
Importing this package loads neither polars nor scikit-learn.
"""

from tamis._public import public_names

__all__, __getattr__, __dir__ = public_names(__name__)
