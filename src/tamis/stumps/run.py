"""The contract of the engines: a table on which models are boosted, and a model in the making.

An engine is a `StumpTable`, which is how it reads a table, and the `Run` that the table makes. ``engine.boost`` and the
loop of ``elimination.py`` know no more than this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis._threads import Team
from tamis.stumps._kernels.fields import STATE, Rounds
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.leaving import Model
from tamis.stumps.model import Stumps
from tamis.stumps.trees import Trees

__all__ = ["Boosted", "Run", "StumpTable"]

Boosted = Stumps | Trees

Float = NDArray[np.float64]
Int = NDArray[np.int64]
P = TypeVar("P", contravariant=True)


class StumpTable(Protocol[P]):
    """A table in the form in which an engine reads it; P is what the engine calls a two-class problem."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""

    def n_threads(self, n_jobs: int | None) -> int:
        """How many threads are worth their trouble."""

    def n_kept(self, n_problems: int) -> int:
        """How many rounds of each of several models an elimination keeps, to go back to."""

    def new_run(self, problem: P, columns: Int, settings: Settings, n_kept: int, team: Team) -> Run:
        """A model of no rounds whose stumps use the given columns, ascending; `n_kept` rounds are kept to go back to."""


class Run(ABC):
    """A boosted model of two classes that can go on, and go back after columns have left.

    Parameters
    ----------
    settings : Settings
        How it is boosted.
    columns : ndarray of int
        The columns that stumps may use, ascending.
    nominal : ndarray of bool, shape (d,)
        Which columns of the table are nominal.

    Attributes
    ----------
    rounds : Rounds
        The stumps so far, and room for more.
    """

    def __init__(self, settings: Settings, columns: Int, nominal: NDArray[np.bool_]) -> None:
        self.settings, self.columns, self.nominal = settings, columns, nominal
        whole, real = np.zeros((5, settings.n_rounds), dtype=np.int64), np.zeros((3, settings.n_rounds))
        self.rounds = Rounds._make([*whole, *real, np.zeros(len(STATE), dtype=np.int64)])

    def __len__(self) -> int:
        """How many stumps there are."""
        return int(self.rounds.state[STATE.n_rounds])

    @property
    def finished(self) -> bool:
        """Whether there will be no more stumps: the best edge is 0, or a stump makes no error."""
        return bool(self.rounds.state[STATE.finished])

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to train."""
        return self.finished or len(self) == self.settings.n_rounds

    def train(self, at_most: int | None = None) -> None:
        """Add stumps until there are `settings.n_rounds` or so many more, or there will be no more."""
        n_rounds = self.settings.n_rounds
        self._train(n_rounds if at_most is None else min(n_rounds, len(self) + at_most))

    @classmethod
    def train_several(cls, runs: Sequence[Run], at_most: int | None = None) -> None:
        """`train` models of one table, one after the other; or in step, where that saves messages."""
        for run in runs:
            run.train(at_most)

    def model(self) -> Boosted:
        """The model."""
        rounds = Rounds._make([array[: len(self)].copy() for array in self.rounds])
        return Stumps(
            column=rounds.column,
            threshold=np.array([self._threshold(t) for t in range(len(self))], dtype=np.float64),
            nominal=self.nominal[rounds.column],
            gap_right=rounds.gap_right > 0,
            polarity=rounds.polarity,
            alpha=rounds.alpha,
            u=rounds.u,
            edge=rounds.edge,
        )

    def worth(self) -> Model:
        """What the stumps tell of their columns."""
        column, alpha, u = (getattr(self.rounds, name)[: len(self)] for name in ("column", "alpha", "u"))
        return Model(column, np.arange(len(self)), alpha * u, alpha)

    def keep(self) -> Arrays:
        """The stumps, and whether there will be more: all that `put_back` needs."""
        names = ("column", "cut", "last", "gap_right")
        kept = {name: getattr(self.rounds, name)[: len(self)] for name in names}
        return {**kept, "finished": np.array([self.finished])}

    def put_back(self, kept: Arrays, columns: Int) -> None:
        """Become the run that gave `kept`, when the given columns were left; for a run of no rounds."""
        n_rounds = len(kept["column"])
        for name in ("column", "cut", "last", "gap_right"):
            getattr(self.rounds, name)[:n_rounds] = kept[name]
        self._use_only(columns)
        self._repeat(n_rounds, kept)
        self.rounds.state[STATE.finished] = kept["finished"][0]

    def _use_only(self, columns: Int) -> None:
        """Leave out all columns but these."""
        self.columns = np.intersect1d(self.columns, columns)

    @abstractmethod
    def restart(self, n_rounds: int, columns: Int) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""

    @abstractmethod
    def first_edges(self) -> Float:
        """The largest |edge| of each column under the start weights, as a share of all weight; 0 without a stump.

        For a run of no rounds.
        """

    @abstractmethod
    def _train(self, end: int) -> None:
        """Add stumps until there are `end`, or there will be no more."""

    @abstractmethod
    def _repeat(self, n_rounds: int, kept: Arrays) -> None:
        """Go from no rounds to `n_rounds`, whose stumps are entered."""

    @abstractmethod
    def _threshold(self, t: int) -> float:
        """The threshold of a stump: see `Stumps`."""
