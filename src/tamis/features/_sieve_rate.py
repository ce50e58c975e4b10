"""Which columns a sieve keeps when a false discovery rate is asked for: those that beat decoys of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.features.decoys import Decoys
from tamis.table._encode import column_names
from tamis.table._table import Numbers

if TYPE_CHECKING:
    from tamis.features._column_units import Units
    from tamis.features._sieve_part import Part

_RATE = ("q_values_", "verdicts_", "decoys_")  # what a rate adds to the fitted attributes
_RESAMPLED = ("cv_results_", "fold_scores_", "kept_share_", "_splits", "_n_each")  # what resampling adds


def check_rate(sieve: Any, *, weighed: bool) -> None:
    """Refuse a rate beside a size, or beside weights, and forget what an earlier fit told of one or found by resampling."""
    for name in (*_RATE, *_RESAMPLED):
        sieve.__dict__.pop(name, None)
    if sieve.fdr is None:
        return
    if sieve.n_features_to_select is not None:
        raise ValueError(
            f"Sieve: fdr={sieve.fdr:g} and n_features_to_select={sieve.n_features_to_select} both say how many columns are kept. "
            "Give one of them."
        )
    if weighed:
        raise ValueError(
            f"Sieve: fdr={sieve.fdr:g} and sample_weight are given, but decoys take no weights. Give one of them."
        )


def kept_first(
    sieve: Any, part: Part, units: Units, order: NDArray[np.intp], seed: int
) -> tuple[NDArray[np.intp], int]:
    """The order with the columns that beat their decoys first, and how many they are; verdicts are told to the sieve."""
    numeric = isinstance(part.target, Numbers)
    labels = part.target.values if isinstance(part.target, Numbers) else part.target.classes[part.labels]
    decoys = Decoys(
        fdr=sieve.fdr,
        target_kind="numbers" if numeric else "classes",
        categorical_features=part.table.nominal,
        random_state=seed,
        n_jobs=sieve.n_jobs,
    )
    place = {column: pos for pos, column in enumerate(part.columns.tolist())}
    groups = [[place[j] for j in unit] for unit in units.eligible if len(unit) > 1]
    fixed = [place[j] for unit in units.fixed for j in unit]
    decoys.set_params(feature_groups=groups or None, fixed_features=sorted(fixed) or None)
    decoys.fit(_named(sieve, part), labels)
    q_values, verdicts = np.ones(part.n_columns), np.full(part.n_columns, "excluded", dtype=object)
    q_values[part.columns] = decoys.q_values_
    verdicts[part.columns] = decoys.verdicts_
    sieve.q_values_, sieve.verdicts_, sieve.decoys_ = q_values, verdicts.tolist(), decoys
    kept = np.zeros(part.n_columns, dtype=bool)
    kept[part.columns] = decoys.support_
    return np.concatenate([order[kept[order]], order[~kept[order]]]), int(kept.sum())


def _named(sieve: Any, part: Part) -> Any:
    """The values of the part, in a frame with the names of the columns, so that doubts can name them."""
    names = [column_names(sieve)[j] for j in part.columns]
    if len(set(names)) < len(names):
        return part.table.values
    return pl.DataFrame(part.table.values, schema=names)
