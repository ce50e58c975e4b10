"""SBSMF on a numeric target and on a table in parts: a part of `SBSMF`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._memory import Memory
from tamis.features._base import FeatureSelector
from tamis.stumps.elimination import Elimination
from tamis.stumps.engine import eliminate
from tamis.table._distinct import Distinct
from tamis.table._ranks import mid_ranks
from tamis.table._table import Numbers, Table
from tamis.table.parts.opened import Pieces
from tamis.table.weights import weighed_numbers, whole_weights


class OtherTables(FeatureSelector):
    """The fits of `SBSMF` that are not those of classes in memory."""

    criterion: str
    n_rounds: int
    max_leaves: int
    step: int | float
    step_until: int
    weight_cap: float | None
    soft_margin: float
    learning_rate: float | None
    loss: str
    share_above: float | None
    interactions: int
    class_weight: dict[Any, float] | str | None
    n_jobs: int | None

    def _fit_numbers(self, table: Table, target: Numbers, sample_weight: ArrayLike | None) -> Self:
        """Rank the columns for a numeric target."""
        from tamis.stumps.least_squares import Steps, cell_table  # another engine, with kernels of its own

        self._refuse_class_settings()
        table, target, weights = weighed_numbers(self, table, target, sample_weight)
        numbers = _mid_ranks(target.values, weights) if self.loss == "ranks" else target.values
        distinct = self._distinct(table)
        memory = Memory.of_arrays(self, lambda: [table.values, numbers, weights], table.schema, np.empty(0))
        cells = cell_table(table.values, table.nominal)
        return self._eliminate_numbers(cells, Steps.of(numbers, weights), distinct, memory)

    def _refuse_class_settings(self) -> None:
        """Refuse parameters that mean nothing for a numeric target."""
        for name, meant in (
            ("weight_cap", None),
            ("interactions", 0),
            ("share_above", None),
            ("max_leaves", 2),
        ):
            if getattr(self, name) != meant:
                raise ValueError(
                    f"SBSMF: {name}={getattr(self, name)}, which is for classes, but y holds numbers. Leave it at {meant}."
                )
        if isinstance(self.class_weight, dict):
            raise ValueError("SBSMF: class_weight names classes, but y holds numbers. Leave it out.")

    def _eliminate_numbers(self, cells: Any, problem: Any, distinct: Distinct, memory: Memory) -> Self:
        """Eliminate the columns of a table in cells by the part of each in y H(x)."""
        gone = eliminate(
            cells,
            [problem],
            self.n_rounds,
            criterion=self.criterion,
            step=self.step,
            step_until=self.step_until,
            columns=distinct.columns,
            learning_rate=0.1 if self.learning_rate is None else self.learning_rate,
            memory=memory,
        )
        self._store(gone.first_scores, gone.column[::-1], distinct=distinct, history=history_of(gone))
        return self

    def _fit_number_parts(self, pieces: Pieces) -> Self:
        """Rank the columns of a table in parts for a numeric target."""
        from tamis.stumps.part_copies import distinct_columns
        from tamis.stumps.part_numbers import prepared_numbers

        self._refuse_class_settings()
        excluded = self._excluded(pieces.table.n_columns)
        fitting = prepared_numbers(self, pieces, ranks=self.loss == "ranks")
        memory = Memory.of_arrays(self, fitting.contents, fitting.schema, np.empty(0))
        bins = fitting.table.bins
        left_out = np.union1d(fitting.constant_columns(), excluded)
        distinct = distinct_columns(fitting.table, bins, bins.n_bins, left_out)
        return self._eliminate_numbers(fitting.table, fitting.problem, distinct, memory)

    def _fit_parts(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Rank the columns of a table in parts."""
        from tamis.stumps import part_fit
        from tamis.stumps._kernels.fields import GAP
        from tamis.stumps.part_copies import distinct_columns
        from tamis.stumps.part_table import constant_columns
        from tamis.table.parts.opened import kind_of_parts, opened_parts

        for name, meant in (
            ("interactions", 0),
            ("share_above", None),
            ("max_leaves", 2),
            ("soft_margin", 0),
        ):
            if getattr(self, name) != meant:
                raise ValueError(
                    f"SBSMF: {name}={getattr(self, name)}, which a table in parts cannot have. Leave it at {meant}."
                )
        pieces = opened_parts(self, X, y, sample_weight, self.n_jobs)
        part_fit.remember_columns(self, pieces.table)  # rules of columns may name them
        if kind_of_parts(self, pieces) == "numbers":
            return self._fit_number_parts(pieces)
        excluded = self._excluded(pieces.table.n_columns)
        fitting = part_fit.prepared_parts(self, pieces)
        self.classes_ = fitting.classes
        summary = fitting.summary
        memory = Memory.of_arrays(self, fitting.contents, fitting.schema, fitting.classes)
        left_out = np.union1d(constant_columns(fitting.table, summary), excluded)
        distinct = distinct_columns(fitting.table, summary.bins, np.full(summary.n_columns, GAP), left_out)
        gone = eliminate(
            fitting.table,
            fitting.problems,
            self.n_rounds,
            priors=summary.priors,
            criterion=self.criterion,
            step=self.step,
            step_until=self.step_until,
            weight_cap=self.weight_cap,
            learning_rate=1.0 if self.learning_rate is None else self.learning_rate,
            columns=distinct.columns,
            n_jobs=self.n_jobs,
            memory=memory,
        )
        self._store(gone.first_scores, gone.column[::-1], distinct=distinct, history=history_of(gone))
        return self


def _mid_ranks(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of numbers: the weight below each, and half of the weight tied with it."""
    return mid_ranks(numbers[:, None], whole_weights(len(numbers), weights).astype(np.float64))[:, 0]


def history_of(gone: Elimination) -> dict[str, Any]:
    """Return the columns in the order of elimination."""
    return {
        "feature": gone.column,
        "score": gone.score,
        "n_features": gone.n_columns,
        "n_fits": gone.n_fits,
    }
