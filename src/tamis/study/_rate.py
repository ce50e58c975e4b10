"""A false discovery rate in words: what it means for this table, and where it is not promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.table._encode import column_names
from tamis.table._names import listed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

_MOST_JOINED = 5


def rate_sentences(decoys: BaseEstimator) -> list[str]:
    """What there is to say about the rate of a fitted `Decoys`, its doubts after it; sentences without a capital letter."""
    n_kept, share = decoys.n_features_, f"{100 * decoys.fdr:g} %"
    families = decoys.group_above is not None or bool(decoys.joined_)
    n_units = len(set(decoys.units_[decoys.support_].tolist()) - {-1})
    if n_kept:
        what = f"{n_units} kept families of columns" if families else f"{n_kept} kept columns"
        told = [f"of the {what} about {share} at most are expected to be there by chance."]
    else:
        told = [
            (
                f"no column is kept: at a rate of {share} no fewer than {decoys.least_kept_} can be, with "
                f"{decoys.n_decoys_} decoys for each. A higher --fdr or, with --method decoys, --set n_decoys=20 asks for less."
            )
        ]
    if decoys.joined_:
        names = column_names(decoys)
        joined = [" with ".join(names[j] for j in columns) for columns in decoys.joined_]
        told.append(
            f"one verdict for columns that hang together in a way that decoys do not: {listed(joined, _MOST_JOINED)}."
        )
    return [*told, *decoys.doubts_]


def rate_text(decoys: BaseEstimator) -> str:
    """The same as a text: sentences begin with a capital letter, but for those that begin with the name of a column."""
    names = tuple(f"{name} " for name in column_names(decoys))
    told = rate_sentences(decoys)
    return " ".join(one if one.startswith(names) else one[0].upper() + one[1:] for one in told)
