"""A false discovery rate in words: what it means for this table, and where it is not promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def rate_sentences(decoys: BaseEstimator) -> list[str]:
    """What there is to say about the rate of a fitted `Decoys`, its doubts after it; sentences without a capital letter."""
    n_kept, share = decoys.n_features_, f"{100 * decoys.fdr:g} %"
    what = "kept columns" if decoys.group_above is None else "kept families of columns"
    n_units = len(set(decoys.units_[decoys.support_].tolist()) - {-1})
    if n_kept and decoys.group_above is not None:
        told = [f"of the {n_units} {what} about {share} at most are expected to be there by chance."]
    elif n_kept:
        told = [f"of the {n_kept} {what} about {share} at most are expected to be there by chance."]
    else:
        told = [
            (
                f"no column is kept: at a rate of {share} no fewer than {decoys.least_kept_} can be, with "
                f"{decoys.n_decoys_} decoys for each. A higher --fdr or, with --method decoys, --set n_decoys=20 asks for less."
            )
        ]
    return [*told, *decoys.doubts_]
