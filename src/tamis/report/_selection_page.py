"""The pages of one ranking, of one set of kept rows, and of suspect labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.report._chart import scatter
from tamis.report._markup import Html
from tamis.report._page import Section, page, table
from tamis.report._pair_displays import row_places
from tamis.report._study_page import MOST_COLUMNS

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


MOST_PAIRS = 20
MOST_DRAWN = 3
BEYOND_CHANCE = 0.05


def ranking_page(
    name: str,
    method: str,
    columns: Sequence[str],
    selector: BaseEstimator,
    *,
    kept: bool = True,
    data: Any = None,
    made: Mapping[str, str] | None = None,
) -> str:
    """The page of a fitted column selector.

    Parameters
    ----------
    name, method : str
        The names of the table and of the method.
    columns : sequence of str
        The names of the table's columns.
    selector : estimator
        The fitted selector: ``ranking_``, ``scores_`` and ``support_`` are read.
    kept : bool, default=True
        Whether the page says which columns are kept.
    data : Dataset, optional
        The table it was fitted on; with it, the best pairs of columns are drawn.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.

    Returns
    -------
    str
        The HTML document.
    """
    order = np.argsort(selector.ranking_)
    rows = [
        [rank, columns[j], float(selector.scores_[j]), *([bool(selector.support_[j])] if kept else [])]
        for rank, j in enumerate(order[:MOST_COLUMNS].tolist(), start=1)
    ]
    score = getattr(selector, "_score_name", "score").replace("_", " ")
    heads = ["rank", "column", score, *(["kept"] if kept else [])]
    blocks: list[Any] = [
        table(heads, rows, caption="All columns; a click on a heading sorts", searchable=True)
    ]
    if len(order) > MOST_COLUMNS:
        blocks.insert(0, f"The first {MOST_COLUMNS} of {len(order)} columns are listed.")
    lead = (
        f"{method} ranks {columns[order[0]]} first"
        + (f" and keeps {int(np.sum(selector.support_))}" if kept else "")
        + f" of {len(columns)} columns. How sure that is, `tamis compare` tells."
    )
    sections = [Section("The columns, from best to worst", blocks)]
    if len(getattr(selector, "pairs_", {}).get("first", ())):
        sections.append(_pairs(selector.pairs_, columns, data))
    return page(f"{name}: columns by {method}", sections, lead=lead, made=made)


def _pairs(pairs: Mapping[str, Any], columns: Sequence[str], data: Any) -> Section:
    """The best pairs of columns by what they tell only together; pairs beyond chance are drawn."""
    told = list(zip(pairs["first"].tolist(), pairs["second"].tolist(), pairs["score"], pairs["p_value"]))
    rows = [[columns[a], columns[b], float(score), float(p)] for a, b, score, p in told[:MOST_PAIRS]]
    words = (
        f"The best {len(rows)} pairs, by what two columns say of the classes together beyond what each says alone. p values are "
        "corrected for all pairs: one below 0.05 is found in at most one of twenty tables of noise."
    )
    head = ["column", "with", "score", "p"]
    drawn = [] if data is None else [pair for pair in told[:MOST_DRAWN] if pair[3] < BEYOND_CHANCE]
    pictures = [_together(data, columns[a], columns[b], float(p)) for a, b, _, p in drawn]
    return Section("Pairs of columns", [words, *pictures, table(head, rows, caption="Pairs, the best first")])


def _together(data: Any, first: str, second: str, p_value: float) -> Html:
    """The rows drawn on two columns, with the class as colour."""
    places, _ = row_places(data.X[first].to_list(), data.X[second].to_list())
    known = np.flatnonzero(~np.isnan(places).any(axis=1))
    labels = np.asarray(data.y)[known].tolist()
    alt = f"{first} and {second} together tell the classes apart (p = {p_value:.2g})"
    return scatter(
        places[known], labels, [], alt=alt, caption=f"{alt}: {first} to the right, {second} upwards."
    )


def rows_page(
    name: str,
    method: str,
    kept: Sequence[int],
    labels: Sequence[Any],
    places: Any,
    shown: float,
    *,
    made: Mapping[str, str] | None = None,
    n_made: int = 0,
) -> str:
    """The page of the rows that a method keeps, or makes.

    Parameters
    ----------
    name, method : str
        The names of the table and of the method.
    kept : sequence of int
        The row numbers of the kept rows.
    labels : sequence
        The class of each row.
    places : ndarray, shape (n, 2)
        The coordinates of the rows in the picture.
    shown : float
        The share of the variance that the picture shows.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.
    n_made : int, default=0
        How many rows the method made: they are the last rows, and those in `kept`.

    Returns
    -------
    str
        The HTML document.
    """
    row_labels = np.asarray(labels)
    chosen = np.asarray(kept, dtype=np.intp)
    n_given = len(row_labels) - n_made
    classes, counts = np.unique(row_labels[:n_given], return_counts=True)
    rows = [
        [
            str(label),
            int((row_labels[chosen] == label).sum()),
            count,
            float((row_labels[chosen] == label).sum() / count),
        ]
        for label, count in zip(classes.tolist(), counts.tolist())
    ]
    said, word = (f"makes {n_made} rows of", "made") if n_made else (f"keeps {len(chosen)} of", "kept")
    lead = f"{method} {said} {n_given} rows ({len(chosen) / n_given:.1%})."
    caption = (
        f"Two principal components, which show {shown:.0%} of the variance. Large open marks are {word} rows."
    )
    picture = scatter(places, labels, chosen, alt=lead, caption=caption)
    sections = [
        Section(f"The {word} rows among all", [picture]),
        Section(
            "Rows of each class",
            [table(["class", word, "of", "share"], rows, caption=f"{word.capitalize()} rows by class")],
        ),
    ]
    return page(f"{name}: rows by {method}", sections, lead=lead, made=made)


def suspects_page(
    name: str,
    answer: Any,
    suspects: Sequence[int],
    labels: Sequence[Any],
    places: Any,
    shown: float,
    error_rate: float,
    *,
    made: Mapping[str, str] | None = None,
) -> str:
    """The page of the rows whose label looks wrong, and of the least valuable rows.

    Parameters
    ----------
    name : str
        The name of the table.
    answer : polars.DataFrame
        The rows, the least valuable first; columns: row, label, looks wrong, suggested, probably right, value, margin.
    suspects : sequence of int
        The numbers of the rows whose label looks wrong, counted from 0.
    labels : sequence
        The class of each row.
    places, shown
        The coordinates of the rows in the picture, and the share of the variance that it shows.
    error_rate : float
        The estimated share of suspects whose label is right.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.

    Returns
    -------
    str
        The HTML document.
    """
    lead = (
        f"{len(suspects)} of {answer.height} labels look wrong by the votes of the nearest rows. Some of them are right: "
        f"{error_rate:.0%} by the estimate, more where classes overlap."
    )
    caption = (
        f"Two principal components, which show {shown:.0%} of the variance. Large open marks are suspects."
    )
    doubted = answer.filter(answer["looks wrong"]).sort("probably right", "row")
    headings = answer.columns
    blocks: list[Any] = [
        table(headings, [list(row) for row in some.head(MOST_COLUMNS).rows()], caption=what, searchable=True)
        for what, some in (("Labels that look wrong", doubted), ("Rows of least value", answer))
    ]
    sections = [
        Section(
            "The suspects", [scatter(places, labels, list(suspects), alt=lead, caption=caption), blocks[0]]
        ),
        Section("The rows that are worth least", [blocks[1]]),
    ]
    return page(f"{name}: what its rows are worth", sections, lead=lead, made=made)
