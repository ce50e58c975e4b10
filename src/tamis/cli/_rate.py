"""What is said of a false discovery rate: what it means for this table, and where it is not promised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tamis.cli._screen import note

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.table._dataset import Dataset


MOST_ROWS, MOST_COLUMNS = 2000, 300  # for verdicts that nobody asked for


def verdicts_unasked(dataset: Dataset, seed: int | None, jobs: int | None) -> Any:
    """`Decoys` fitted at its default rate, for verdicts beside a ranking; None for a table of many columns.

    Of many rows 2,000 are looked at, so that verdicts take seconds.
    """
    if dataset.X.width > MOST_COLUMNS:
        return None
    from tamis import Decoys
    from tamis.cli._fitting import fitted_as
    from tamis.cli._sample import sampled

    few = sampled(dataset, MOST_ROWS, None, "", seed)
    decoys = Decoys(target_kind=dataset.target_kind, random_state=seed or 0, n_jobs=jobs)
    judged = fitted_as("verdicts by decoys", decoys, few)
    note(
        "verdict: whether a column says more, beside all the others, than noise made to look like it (its decoys); q is the "
        "lowest rate of false finds at which it is kept. Of columns that say the same, one may rank high and the others last."
    )
    return judged


def note_rate(selector: BaseEstimator) -> None:
    """Say in notes what the rate of a fitted `Decoys` means, and where nothing can be promised; nothing for others."""
    if not hasattr(selector, "verdicts_"):
        return
    from tamis.study._rate import rate_sentences

    for sentence in rate_sentences(getattr(selector, "decoys_", selector)):
        note(sentence)
