"""What is said of a false discovery rate: what it means for this table, and where it is not promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.cli._screen import note

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.table._dataset import Dataset


def note_rate(selector: BaseEstimator, dataset: Dataset) -> None:
    """Say in notes what the rate of a fitted `Decoys` means, and where nothing can be promised; nothing for others."""
    if not hasattr(selector, "verdicts_"):
        return
    from tamis.study._rate import rate_sentences

    for sentence in rate_sentences(getattr(selector, "decoys_", selector)):
        note(sentence)
