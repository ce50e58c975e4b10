"""A sample of the rows of a large table, for methods that would take very long on all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tamis.cli._screen import note
from tamis.cli._sentences import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tamis.table._dataset import Dataset
    from tamis.table.parts.parted import PartedTable

T = TypeVar("T", bound="Dataset | PartedTable")
ALL = "all"


def parsed_sample(text: str | None) -> int | str | None:
    """What ``--sample`` asks for: a number of rows, "all", or None if it was not given."""
    if text is None or text.strip().lower() == ALL:
        return None if text is None else ALL
    number = text.strip().replace("_", "")
    if not number.isdecimal() or len(number) > 15 or int(number) < 2:
        raise UserError(f"--sample {text!r}, but it must be a number of rows from 2 up, or all.")
    return int(number)


def sampled(dataset: T, asked: int | str | None, at_most: int | None, who: str, seed: int | None) -> T:
    """The table, or the rows that `sample_of` draws; see there."""
    from tamis.table._dataset import Dataset

    if not isinstance(dataset, Dataset):
        if asked is not None:
            raise UserError("a table in parts is read whole, and has no --sample. Leave it out.")
        return dataset
    rows = sample_of(dataset, asked, at_most, who, seed)
    return dataset if rows is None else replace(dataset, X=dataset.X[rows.tolist()], y=dataset.y[rows])


def sample_of(
    dataset: Dataset, asked: int | str | None, at_most: int | None, who: str, seed: int | None
) -> NDArray[np.intp] | None:
    """A sample of the rows of a table, in their order, or None for all; a note tells of a sample that nobody asked for.

    Parameters
    ----------
    dataset : Dataset
        The table.
    asked : int, "all" or None
        The value of ``--sample``; see `parsed_sample`.
    at_most : int or None
        Above this number of rows, a sample of this size is drawn, unless the user asked otherwise; None for no limit.
    who : str
        The name of the method, for the note.
    seed : int or None
        The value of ``--seed``.

    Returns
    -------
    ndarray of int, or None
        In a sample, each class keeps its share of the rows, and at least one row.
    """
    n_rows = dataset.X.height
    wanted = at_most if asked is None else None if asked == ALL else int(asked)
    if wanted is None or wanted >= n_rows:
        return None
    classes = dataset.y if dataset.target_kind == "classes" else dataset.X.height * ["numbers"]
    rows = drawn_rows(classes, wanted, seed or 0)
    if asked is None:
        note(
            f"{n_rows:,} rows are many for {who}: {len(rows):,} of them, drawn at random, are used. "
            "--sample all uses all of them, which may take very long."
        )
    return rows


def drawn_rows(labels: ArrayLike, n_rows: int, seed: int) -> NDArray[np.intp]:
    """About `n_rows` rows drawn at random, in ascending order: per class its share, and at least one row."""
    import numpy as np

    _, codes = np.unique(labels, return_inverse=True)
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    counts = np.bincount(codes)
    wanted = np.minimum(counts, np.maximum(1, np.round(counts * n_rows / len(codes)).astype(int)))
    starts = np.cumsum(counts) - counts
    rows: NDArray[np.intp] = np.sort(
        np.concatenate([by_class[start : start + size] for start, size in zip(starts, wanted)])
    )
    return rows
