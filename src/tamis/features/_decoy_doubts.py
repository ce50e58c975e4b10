"""Where a false discovery rate is not promised, or a verdict can hardly be had, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tamis.table._encode import column_names
from tamis.table._table import Target

if TYPE_CHECKING:
    from tamis.decoys.bonds import Bonds
    from tamis.features._decoy_units import Units
    from tamis.features.decoys import Decoys
    from tamis.table._table import Numbers, Table

FEW_ROWS = 100  # below this nothing was measured
FEW_OF_A_CLASS = 10


def doubts(
    decoys: Decoys, table: Table, target: Target | Numbers, units: Units, found: Bonds | None
) -> list[str]:
    """What speaks against the rate, or against finding anything, on this table; sentences without a capital letter."""
    n_rows, n_tried = len(table.values), len(units.tried)
    n_units = int(units.of_column.max(initial=-1)) + 1
    told = []
    if n_units < decoys.least_kept_:
        told.append(
            f"{n_units} columns take part, but no fewer than {decoys.least_kept_} can be kept at this rate: nothing can be, whatever they "
            "say. Use more decoys (n_decoys) or a higher rate."
        )
    if n_tried >= n_rows:
        mixed = " of several kinds" if 0 < table.nominal[units.tried].sum() < n_tried else ""
        told.append(
            f"with as many columns ({n_tried}){mixed} as rows ({n_rows}) or more, decoys cannot copy how columns hang together, and the rate is not "
            "promised."
        )
    if n_rows < FEW_ROWS:
        told.append(
            f"{n_rows} rows are few: the rate was not measured below {FEW_ROWS}, and is not promised; little or nothing can be found."
        )
    if isinstance(target, Target):
        counts = np.bincount(target.codes, minlength=target.n_classes)
        fewest = int(counts.min())
        if fewest < FEW_OF_A_CLASS:
            small = target.classes[int(np.argmin(counts))]
            told.append(
                f"class {str(small)!r} has {fewest} row{'s' * (fewest != 1)}: what only tells it from the others can hardly be found."
            )
    if found is not None and (found.single or found.everywhere):
        names = column_names(decoys)
        one, two = (names[units.tried[place]] for place in (found.first, found.second))
        what = f"{one} and {two}" if found.single else f"many columns ({one} and {two} most of all)"
        told.append(
            f"{what} hang together in a way that decoys do not (by a curve, or in their spread): the rate is not promised. Where it "
            "was measured, up to twice as many as allowed were false; put such columns into feature_groups."
        )
    return told
