"""The page of one ranking: the answer, every column with its facts, the best columns by class, pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.report._answer import cautions, noticed
from tamis.report._chart import scatter, share_bar
from tamis.report._distributions import MOST_GROUPS, distribution, groups_of
from tamis.report._hard_rows import hard_rows
from tamis.report._markup import Html, element
from tamis.report._null_section import null_section
from tamis.report._page import Section, details, page, table
from tamis.report._pair_displays import row_places
from tamis.report._study_page import MOST_COLUMNS
from tamis.study._rate import rate_text
from tamis.table._kinds import kind_of
from tamis.table._names import as_cell, listed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.study._shuffled import Shuffled
    from tamis.table._dataset import Dataset

AUTO = "--keep auto: "  # begins the note that says how the number of columns was chosen
MOST_PAIRS = 20
MOST_DRAWN = 3
MOST_NAMED = 8
BEYOND_CHANCE = 0.05
_OPEN, _MOST_SPREAD = 4, 12  # the columns whose histograms are shown at once, and in all
_MOST_BARS = 300


def ranking_page(
    name: str,
    method: str,
    columns: Sequence[str],
    selector: BaseEstimator,
    *,
    kept: bool = True,
    data: Dataset | None = None,
    notes: Sequence[str] = (),
    made: Mapping[str, str] | None = None,
    null: Shuffled | Sequence[int] | None = None,
    judged: BaseEstimator | None = None,
) -> str:
    """The page of a fitted column selector.

    Parameters
    ----------
    name, method : str
        The names of the table and of the method.
    columns : sequence of str
        The names of the table's columns.
    selector : estimator
        The fitted selector: ``ranking_``, ``scores_``, ``support_`` and, if there are, ``reasons_``, ``verdicts_`` and ``pairs_`` are read.
    kept : bool, default=True
        Whether the page says which columns are kept.
    data : Dataset, optional
        The table it was fitted on; with it, the page has kinds, missing values and histograms by class.
    notes : sequence of str, default=()
        What was noticed when the table was read.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.
    null : Shuffled or sequence of int, optional
        What the method finds with the target shuffled.
    judged : Decoys, optional
        Fitted on the same columns: its verdicts stand beside the ranking. Those of `selector` do, if it has any.

    Returns
    -------
    str
        The HTML document.
    """
    order = np.argsort(selector.ranking_).tolist()
    kept = kept or hasattr(selector, "verdicts_")
    judged = selector if judged is None else judged
    blocks: list[Any] = [_columns_table(columns, selector, order[:MOST_COLUMNS], kept, data, judged)]
    if len(order) > MOST_COLUMNS:
        blocks.insert(0, f"The first {MOST_COLUMNS} of {len(order)} columns are listed.")
    sections = [Section("The columns, from best to worst", blocks)]
    if data is not None:
        sections.append(_spread(data, [columns[j] for j in order[:_MOST_SPREAD]]))
        rows = hard_rows(selector, data)
        sections += [] if rows is None else [rows]
    if len(getattr(selector, "pairs_", {}).get("first", ())):
        sections.append(_pairs(selector.pairs_, columns, data))
    by_chance = null_section(null, int(np.sum(selector.support_)))
    sections += [] if by_chance is None else [by_chance]
    if notes:
        sections.append(Section("What was noticed in the table", [noticed(notes)]))
    lead = _lead(method, columns, selector, order, kept, judged, notes)
    return page(f"{name}: columns by {method}", sections, lead=lead, made=made)


def _lead(
    method: str,
    columns: Sequence[str],
    selector: BaseEstimator,
    order: Sequence[int],
    kept: bool,
    judged: BaseEstimator,
    notes: Sequence[str],
) -> Html:
    """What to keep, or what comes first; how sure that is, resampling, the rate of decoys or another command tells."""
    n_kept = int(np.sum(selector.support_))
    shown = [as_cell(columns[j]) for j in (order[:n_kept] if kept else order[:3])]
    names = listed(shown, MOST_NAMED)
    said = (
        ["Keep ", element("b", names), f": {n_kept} of {len(columns)} columns, by {method}."]
        if kept
        else [element("b", names), f" come first of {len(columns)} columns, by {method}."]
    )
    if kept and not n_kept:
        said = [f"None of {len(columns)} columns is kept, by {method}."]
    sift, compare = element("code", "tamis sift"), element("code", "tamis compare")
    sure: list[Any] = ["How many to keep and how sure that is, ", sift, " and ", compare, " tell."]
    resampled = [note.removeprefix(AUTO) for note in notes if note.startswith(AUTO)]
    if resampled:
        sure = [
            f"{resampled[0][0].upper()}{resampled[0][1:]} ",
            compare,
            " judges on rows that chose nothing.",
        ]
    if hasattr(judged, "verdicts_"):
        sure = [rate_text(getattr(judged, "decoys_", judged))]
        beat = [as_cell(columns[j]) for j in order if judged.verdicts_[j] == "kept"]
        if judged is not selector and beat:
            many = f"{len(beat)} beat their decoys: " if len(beat) > 1 else "1 beats its decoys: "
            said[-1:] = [f" come first of {len(columns)} columns, by {method}; {many}"]
            said += [element("b", listed(beat, MOST_NAMED)), "."]
    return element(
        "div", cautions(notes), element("p", *said, class_="answer"), element("p", *sure, class_="faint")
    )


def _columns_table(
    columns: Sequence[str],
    selector: BaseEstimator,
    order: Sequence[int],
    kept: bool,
    data: Dataset | None,
    judged: BaseEstimator,
) -> Html:
    """Rank, name and score of every listed column, and whatever else is known about it."""
    score = getattr(selector, "_score_name", "score").replace("_", " ")
    reasons, verdicts = getattr(selector, "reasons_", None), getattr(judged, "verdicts_", None)
    largest = max((float(selector.scores_[j]) for j in order), default=0.0)
    facts = None if data is None else _facts(data)
    rows = []
    for rank, j in enumerate(order, start=1):
        value = float(selector.scores_[j])
        row: list[Any] = [rank, columns[j], *([bool(selector.support_[j])] if kept else []), value]
        if largest > 0:
            bar = share_bar(min(1.0, max(0.0, value / largest)))
            row.append(element("span", bar, class_="share") if rank <= _MOST_BARS else "")
        row += [] if verdicts is None else [float(judged.q_values_[j]), verdicts[j]]
        row += [] if reasons is None else [reasons[j]]
        row += [] if facts is None else facts[columns[j]]
        rows.append(row)
    heads = ["rank", "column", *(["keep"] if kept else []), score, *(["score as bar"] if largest > 0 else [])]
    heads += [] if verdicts is None else ["q", "verdict"]
    heads += [] if reasons is None else ["why"]
    heads += [] if facts is None else ["kind", "values", "missing"]
    return table(heads, rows, caption="All columns; a click on a heading sorts", searchable=True)


def _facts(data: Dataset) -> dict[str, list[Any]]:
    """Kind, number of distinct values and share of missing values of each column."""
    facts = {}
    for series in data.X.iter_columns():
        kind = "numbers" if kind_of(series.dtype) == "number" else "categories"
        missing = series.null_count() / max(1, len(series))
        facts[series.name] = [kind, series.drop_nulls().n_unique(), f"{missing:.1%}" if missing else ""]
    return facts


def _spread(data: Dataset, names: Sequence[str]) -> Section:
    """Histograms of the best columns in every class; the first ones open."""
    groups = groups_of(np.asarray(data.y), data.target_kind)
    what = "class" if data.target_kind == "classes" else "third of the target"
    words = f"How the best columns are spread in each {what}; the height of a bar is a share of the rows of its {what}."
    few = len(groups) == MOST_GROUPS and len(np.unique(data.y)) > MOST_GROUPS
    words += f" The {MOST_GROUPS} largest classes are shown." if few and what == "class" else ""
    blocks: list[Any] = [words]
    for place, name in enumerate(names):
        series = data.X[name]
        missing = series.null_count()
        told = f" ({missing} of {len(series)} values missing)" if missing else ""
        picture = distribution(series, groups)
        if place < _OPEN:
            blocks += [element("h3", f"{place + 1}. {name}{told}"), picture]
        else:
            blocks.append(details(f"{place + 1}. {name}{told}", picture))
    return Section(f"The best columns in each {what}", blocks)


def _pairs(pairs: Mapping[str, Any], columns: Sequence[str], data: Dataset | None) -> Section:
    """The best pairs of columns by what they tell only together; pairs beyond chance are drawn."""
    told = list(zip(pairs["first"].tolist(), pairs["second"].tolist(), pairs["score"], pairs["p_value"]))
    rows = [[columns[a], columns[b], float(score), float(p)] for a, b, score, p in told[:MOST_PAIRS]]
    words = (
        f"The best {len(rows)} pairs, by what two columns say of the classes together beyond what each says alone. p values are "
        "corrected for all pairs: one below 0.05 is found in at most one of twenty tables of noise."
    )
    head = ["column", "with", "score", "p"]
    pictures = []
    if data is not None:
        drawn = [pair for pair in told[:MOST_DRAWN] if pair[3] < BEYOND_CHANCE]
        pictures = [_together(data, columns[a], columns[b], float(p)) for a, b, _, p in drawn]
    return Section("Pairs of columns", [words, *pictures, table(head, rows, caption="Pairs, the best first")])


def _together(data: Dataset, first: str, second: str, p_value: float) -> Html:
    """The rows drawn on two columns, with the class as colour."""
    places, _ = row_places(data.X[first].to_list(), data.X[second].to_list())
    known = np.flatnonzero(~np.isnan(places).any(axis=1))
    labels = np.asarray(data.y)[known].tolist()
    alt = f"{first} and {second} together tell the classes apart (p = {p_value:.2g})"
    return scatter(
        places[known], labels, [], alt=alt, caption=f"{alt}: {first} to the right, {second} upwards."
    )
