"""The page of a sieve: the answer first, then the score of each number of columns, then every column in detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.features._sieve_reasons import BEATS, NO_BETTER
from tamis.report._answer import noticed
from tamis.report._chart import Line, line_chart
from tamis.report._markup import Html, element
from tamis.report._null_section import null_section
from tamis.report._page import Section, details, page, paragraph, table
from tamis.report._study_page import MOST_COLUMNS
from tamis.study._shuffled import Shuffled
from tamis.study._sifted import Sifted

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def sift_page(
    name: str,
    columns: Sequence[str],
    sieve: BaseEstimator,
    answer: Sifted,
    *,
    made: Mapping[str, str] | None = None,
    null: Shuffled | Sequence[int] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The page of a fitted sieve.

    Parameters
    ----------
    name : str
        The name of the table.
    columns : sequence of str
        The names of the table's columns.
    sieve : Sieve
        The fitted sieve, with its reasons.
    answer : Sifted
        What the sieve found, in words.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.
    null : Shuffled or sequence of int, optional
        What the sieve finds with the target shuffled.
    notes : sequence of str, default=()
        What was noticed when the table was read.

    Returns
    -------
    str
        The HTML document.
    """
    sections = []
    if hasattr(sieve, "cv_results_"):
        sections.append(Section("What each number of columns is worth", [_curve(sieve)]))
    by_chance = null_section(null, sieve.n_features_)
    sections += [] if by_chance is None else [by_chance]
    order = np.argsort(sieve.ranking_)[:MOST_COLUMNS].tolist()
    blocks: list[Any] = [
        "A click on a column tells why it stands where it stands. Kept columns are marked.",
        Html("".join(_column(sieve, columns, j) for j in order)),
    ]
    if len(columns) > MOST_COLUMNS:
        blocks.insert(0, f"The first {MOST_COLUMNS} of {len(columns)} columns are listed.")
    sections.append(Section("Every column, from best to worst", blocks))
    sections.append(Section("As a table", [_table(sieve, columns, order)]))
    if notes:
        sections.append(Section("What was noticed in the table", [noticed(notes)]))
    told = (answer.worth, answer.sure, answer.less, answer.noticed)
    lead = element(
        "div",
        *(element("p", line, class_="caution") for line in answer.doubts),
        element("p", answer.keep, class_="answer"),
        element("ul", *(element("li", line) for line in told)),
    )
    return page(f"{name}: what to keep", sections, lead=lead, made=made)


def _curve(sieve: BaseEstimator) -> Html:
    """The score at each number of columns; the chosen number is in the caption."""
    results = sieve.cv_results_
    mean, error = results["mean_test_score"].tolist(), results["standard_error"].tolist()
    sizes = [float(size) for size in results["size"]]
    kept = sieve.n_features_
    told = f"{kept} column{'s' * (kept != 1)}: the fewest that are level with the best number."
    return line_chart(
        [Line("mean over the folds", sizes, mean, error, strong=True)],
        x_label="columns kept",
        y_label="score on rows not seen" if hasattr(sieve, "classes_") else "r2 on rows not seen",
        alt=told,
        caption=f"{told} The band is one standard error over the folds.",
    )


def _column(sieve: BaseEstimator, columns: Sequence[str], j: int) -> Html:
    """One column: its rank and, after a click, everything that is known about it."""
    kept = bool(sieve.support_[j])
    mark = " (kept)" if kept else ""
    facts = [paragraph(_sentence(sieve, j))]
    ranks = ", ".join(
        f"{member} {rank}" for member, rank in zip(sieve.member_names_, sieve.member_ranks_[:, j].tolist())
    )
    facts.append(paragraph(f"Rank by each method: {ranks}. Score {sieve.scores_[j]:.4f}."))
    if hasattr(sieve, "verdicts_"):
        facts.append(paragraph(f"Against its decoys: {sieve.verdicts_[j]}, q = {sieve.q_values_[j]:.3g}."))
    if hasattr(sieve, "kept_share_"):
        n_folds = len(sieve.fold_scores_)
        times = round(float(sieve.kept_share_[j]) * n_folds)
        facts.append(
            paragraph(f"Kept in {times} of {n_folds} folds, in each of which some rows are left out.")
        )
    return details(f"{sieve.ranking_[j]}. {columns[j]}{mark}: {sieve.reasons_[j]}", *facts)


_WORDS = (
    (
        "alone: AUC",
        "By itself it tells classes apart better than any column did when the classes were shuffled.",
    ),
    (
        "alone: concordance",
        "By itself it puts rows in the order of the target better than any column did when the target was shuffled.",
    ),
    ("only with", "By itself it does no better than chance; beside that column it does."),
    ("with many", "By itself it does no better than chance; many columns together do, on rows held out."),
    ("says what", "Most of what it says is said by a better column already."),
    ("the same as", "In every row looked at it says the same, so it adds nothing."),
    ("constant", "Every row looked at has the same value."),
    ("excluded", "It was left out on request."),
    (
        BEATS,
        "By itself it does no better than a column of noise; beside the others it beats the decoys made of it.",
    ),
    (NO_BETTER, "Beside the others it says no more than the decoys made of it."),
    ("chance", "By itself it does no better than a column of noise."),
)


def _sentence(sieve: BaseEstimator, j: int) -> str:
    """What the reason of a column means, in sentences; the names of other columns in it mean nothing."""
    reason = sieve.reasons_[j]
    told = reason.removesuffix(f"; {NO_BETTER}")
    first, _, second = told.partition("; ") if told.startswith("alone") else (told, "", "")
    parts = (first, second, NO_BETTER * (told != reason))
    return " ".join(words for part in parts for key, words in _WORDS if part.startswith(key))


def _table(sieve: BaseEstimator, columns: Sequence[str], order: Sequence[int]) -> Html:
    """The listed columns with all their numbers."""
    headings = ["rank", "column", "kept", "reason", "score", *sieve.member_names_]
    folds, verdicts = hasattr(sieve, "kept_share_"), hasattr(sieve, "verdicts_")
    headings += ["q", "verdict"] * verdicts
    if folds:
        headings.insert(4, "share of folds")
    rows = []
    for j in order:
        row: list[Any] = [
            int(sieve.ranking_[j]), columns[j], bool(sieve.support_[j]), sieve.reasons_[j],
            float(sieve.scores_[j]), *sieve.member_ranks_[:, j].tolist(),
        ]  # fmt: skip
        if verdicts:
            row += [float(sieve.q_values_[j]), sieve.verdicts_[j]]
        if folds:
            row.insert(4, float(sieve.kept_share_[j]))
        rows.append(row)
    return table(headings, rows, caption="All columns; a click on a heading sorts", searchable=True)
