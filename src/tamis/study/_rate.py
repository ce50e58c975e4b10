"""A false discovery rate in words: what it means for this table, and where it is not promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def rate_sentences(selector: BaseEstimator, n_rows: int, n_columns: int) -> list[str]:
    """What there is to say about the rate of a fitted `Decoys`."""
    n_kept, share = selector.n_features_, f"{100 * selector.fdr:g} %"
    if n_kept:
        told = [f"of the {n_kept} kept columns about {share} at most are expected to be there by chance."]
    else:
        told = [
            (
                f"no column is kept: at a rate of {share} no fewer than {selector.least_kept_} can be, with "
                f"{selector.n_decoys_} decoys for each. A higher --fdr or, with --method decoys, --set n_decoys=20 asks for less."
            )
        ]
    if n_columns > n_rows:
        told.append(
            f"with more columns ({n_columns}) than rows ({n_rows}) decoys cannot copy how columns hang together, and the rate "
            "is not promised."
        )
    return told
