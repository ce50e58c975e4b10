"""A table in parts brought together here, one byte per value, for methods that look at whole columns.

The parts are read where they lie, by this process or by the workers of a Dask cluster; only codes, labels and weights come
here, in the order of the rows. A column of at most 255 values loses nothing: its codes have the order of its values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.stumps._kernels.fields import GAP
from tamis.stumps.least_squares import CellTable
from tamis.stumps.part_bins import Bins, unpacked, write_codes
from tamis.stumps.part_copies import distinct_columns
from tamis.stumps.part_fit import binned_parts, kinds_of_columns, looked_at_labels
from tamis.table._distinct import Distinct
from tamis.table._table import Numbers, Target
from tamis.table._target import checked_numbers
from tamis.table.parts.opened import Pieces, kind_of_parts
from tamis.table.parts.passes import (
    Coding,
    LabelFacts,
    Reading,
    coded_values,
    look_at_numbers,
    merged_labels,
    numbered_values,
)
from tamis.table.weights import refuse_one_class, refuse_one_number

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Float = NDArray[np.float64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class CodedRows:
    """All rows of a table in parts that have weight.

    Attributes
    ----------
    codes : ndarray of uint8, shape (d, n)
        The bins of the values, in their order, or the codes of categories; 255 where a value is missing.
    bins : Bins
        What the codes stand for.
    target : Target or Numbers
        The classes, or numbers.
    classes : ndarray or None
        All classes, those without weight too; None for numbers.
    weights : ndarray of shape (n,), or None
        The weights of the rows.
    unit : int
        The weights were divided by 2 ** unit.
    """

    codes: Bytes
    bins: Bins
    target: Target | Numbers
    classes: NDArray[Any] | None
    weights: Float | None
    unit: int

    def block(self, columns: NDArray[np.intp], order: NDArray[np.intp]) -> Float:
        """The codes of some columns as numbers, (n, columns), NaN where missing; the rows in this order."""
        codes = self.codes[columns][:, order].T
        return np.where(codes == GAP, np.nan, codes)

    def levels(self, columns: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The codes of some columns (columns, n), a missing value's after the last, and how many they have without it."""
        levels = np.where((self.codes[columns] != GAP).any(axis=1), self.bins.n_bins[columns], 0)
        return self._with_gaps_last(columns, levels, np.int32), levels

    def cells(self, columns: NDArray[np.intp]) -> CellTable:
        """Some columns in cells."""
        own = Bins(*(getattr(self.bins, name)[columns] for name in ("nominal", "exact", "n_bins", "values")))
        codes = self._with_gaps_last(columns, own.n_bins, np.uint8)
        return CellTable(codes, np.concatenate([[0], np.cumsum(own.n_bins + 1)]), own.nominal, own)

    def _with_gaps_last(
        self, columns: NDArray[np.intp], levels: NDArray[np.int64], dtype: Any
    ) -> NDArray[Any]:
        codes = np.empty((len(columns), self.codes.shape[1]), dtype=dtype)
        for own, column, level in zip(codes, columns, levels):
            own[:] = np.where(self.codes[column] == GAP, level, self.codes[column])
        return codes

    def distinct(self, excluded: NDArray[np.intp]) -> Distinct:
        """The columns that are neither constant nor copies nor excluded.

        Copies have the same codes, and bins of the same values; categories may have other names.
        """
        one_value = [column for column, codes in enumerate(self.codes) if (codes == codes[0]).all()]
        left_out = np.union1d(np.array(one_value, dtype=np.intp), excluded)
        return distinct_columns(self, self.bins, np.full(len(self.codes), GAP), left_out)

    def column_codes(self, column: int) -> Bytes:
        """The codes of a column."""
        codes: Bytes = self.codes[column]
        return codes


def coded_rows(estimator: BaseEstimator, pieces: Pieces) -> CodedRows:
    """Read a table in parts, in three passes, and bring its codes together.

    Parameters
    ----------
    estimator : estimator
        With the parameters `target_kind` and `categorical_features`; `n_features_in_` and, where columns have names,
        `feature_names_in_` are set.
    pieces : Pieces
        The table.

    Returns
    -------
    CodedRows
        Its rows of positive weight, in their order.
    """
    who = type(estimator).__name__
    nominal = kinds_of_columns(estimator, pieces.table)
    reading = Reading(clone(estimator), nominal)
    looks: list[LabelFacts] = []
    classes = None
    if kind_of_parts(estimator, pieces) == "numbers":
        numbers = pieces.labels(look_at_numbers, reading)
        refuse_one_number(who, checked_numbers(who, np.concatenate([target for target, _ in numbers])))
        lengths = [len(target) for target, _ in numbers]
    else:
        reading, looks = looked_at_labels(estimator, pieces, nominal)
        classes, known = merged_labels(looks, who)
        refuse_one_class(who, "sample_weight", np.array([float(facts.weight) for facts in known]))
        alive = classes[[facts.n_rows > 0 for facts in known]]
        lengths = [int(look.counts.sum()) for look in looks]
    schema, bins = binned_parts(who, pieces, reading, lengths)
    if classes is None:
        coding = Coding(schema, np.empty(0), None, weighted=True)
    else:
        coding = Coding(schema, alive, None, weighted=any(look.weighs for look in looks))
    found = pieces.each(part_rows, [()] * len(pieces.table.parts), reading, coding, bins)
    target = np.concatenate([labels for _, labels, _ in found])
    weights = None if found[0][2] is None else np.concatenate([held for _, _, held in found])
    return CodedRows(
        np.concatenate([codes for codes, _, _ in found], axis=1),
        bins,
        Numbers(target) if classes is None else Target(target, alive),
        classes,
        weights,
        reading.unit or 0,
    )


def part_rows(
    part: Any, reading: Reading, coding: Coding, bins: Bins
) -> tuple[Bytes, NDArray[Any], Float | None]:
    """The codes of a part, (d, n), its classes or numbers, and its weights."""
    target: NDArray[Any]
    if len(coding.classes):
        values, target, weights = coded_values(part, reading, coding)
    else:
        values, target, weights = numbered_values(part, reading, coding.schema)
    n_rows, n_columns = values.shape
    words = np.empty((-(-n_columns // 4), n_rows), dtype=np.uint32)
    write_codes(values, bins, np.arange(n_rows), words)
    codes = np.empty((n_columns, n_rows), dtype=np.uint8)
    for column in range(n_columns):
        codes[column] = unpacked(words, column)
    return codes, target, weights
