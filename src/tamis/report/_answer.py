"""The first thing on a page: what to keep, what that is worth, and the command that does it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tamis._methods import methods
from tamis.report._markup import Html, element, joined
from tamis.study import Comparison, Recommendation
from tamis.study._advice import names_kept, names_often_kept, provisional, scored
from tamis.study._contenders import BASELINE
from tamis.study._recommend import Candidate
from tamis.study._scores import score_in_words, sign_of
from tamis.table._names import as_cell

MOST_NAMES = 8
LEAK = "Is it known before the outcome?"  # asked by the note about a column that alone tells the class
MODEL_WORDS = {
    "1-nn": "the nearest neighbour",
    "5-nn": "the five nearest neighbours",
    "linear": "logistic regression",
    "ridge": "ridge regression",
    "boosting": "boosted trees",
}
_Numbers = TypeVar("_Numbers", float, NDArray[np.float64])
_SHARES = ("accuracy", "balanced_accuracy")


def answer(comparison: Comparison, said: Recommendation, command: str = "") -> Html:
    """What to keep, in one sentence, with the command to copy; a lean and a cautious choice where they differ.

    Parameters
    ----------
    comparison : Comparison
        What `compare` found.
    said : Recommendation
        What the comparison advises.
    command : str, default=""
        The command that writes the table with the kept columns or rows; empty for none.

    Returns
    -------
    Html
        The block.
    """
    parts = [element("p", *_sentence(comparison, said), class_="answer")]
    if command and not _by_chance(said) and said.chosen.method != BASELINE[said.sifts]:
        parts.append(element("pre", element("code", command)))
    if said.chosen != said.best and not _by_chance(said):
        lean, cautious = (_choice(comparison, said, one) for one in (said.chosen, said.best))
        parts.append(
            element(
                "div",
                _card(
                    f"Lean: {lean[0]}",
                    f"{lean[1]}. The smallest choice within one standard error of the best.",
                ),
                _card(
                    f"Cautious: {cautious[0]}",
                    f"{cautious[1]}. The best mean of {said.n_candidates} choices.",
                ),
                class_="cards",
            )
        )
    return element("div", *parts, class_="first")


def figure_of(score: str, value: float, error: float = math.nan) -> str:
    """A score as people write it: 86.9 % ± 1.2, or 0.912 ± 0.010."""
    value *= sign_of(score)
    if score in _SHARES:
        return f"{100 * value:.1f} %" + ("" if math.isnan(error) else f" ± {100 * error:.1f}")
    return scored(score, value, error)


def judged_by(model: str) -> str:
    """The name of a model in words."""
    return MODEL_WORDS.get(model, model)


def _by_chance(said: Recommendation) -> bool:
    return said.against_chance is not None and not said.against_chance.beaten


def _sentence(comparison: Comparison, said: Recommendation) -> list[Html | str]:
    kind, chosen = said.sifts, said.chosen
    known = not math.isnan(said.honest_mean)
    worth = figure_of(
        said.score, said.honest_mean if known else chosen.mean, said.honest_error if known else chosen.error
    )
    what = (
        f"{score_in_words(said.score)} {worth} on rows that took no part in the choice"
        if known
        else f"{score_in_words(said.score)} {worth} on the rows that chose"
    )
    test = said.against_chance
    by_chance = "" if test is None else f"; chance gives {figure_of(said.score, test.mean)}"
    if _by_chance(said):
        return [f"Nothing here beats chance{provisional(said)}: {what}{by_chance}."]
    if chosen.method == BASELINE[kind]:
        return [
            f"Keep all {kind}{provisional(said)}: no smaller choice came close. {what.capitalize()}{by_chance}."
        ]
    every = ""
    if said.everything is not None:
        n_all = len(comparison.columns) if kind == "columns" else comparison.n_rows
        every = f" (all {n_all} {kind} by the same model: {figure_of(said.score, said.everything.mean)})"
    better = said.against_everything
    warning = (
        " All of them do better, by more than chance explains."
        if better is not None and better.high < 0
        else ""
    )
    return ["Keep ", *_kept(comparison, said), f"{provisional(said)}: {what}{every}{by_chance}.{warning}"]


def _kept(comparison: Comparison, said: Recommendation) -> list[Html | str]:
    """The names of the columns, or the number of rows."""
    if said.sifts == "rows":
        makers = {method.name for method in methods("rows") if method.makes}
        made = "rows made " if said.chosen.method in makers else ""
        return [element("b", f"{n_kept(comparison, said, said.chosen)} {made}of {comparison.n_rows} rows")]
    names = names_kept(comparison, said)
    shown: list[Html | str] = []
    for position, name in enumerate(names[:MOST_NAMES]):
        joint = "" if position == 0 else " and " if position == len(names) - 1 else ", "
        shown += [joint, element("b", name)]
    more = len(names) - MOST_NAMES
    return [*shown, *([f" and {more} more columns"] if more > 0 else [])]


def n_kept(comparison: Comparison, said: Recommendation, one: Candidate) -> int:
    """How many columns or rows of the whole table a choice keeps: the count in card, sentence and picture."""
    final = comparison.final.get(said.sifts, {})
    if one == said.chosen and final.get("kept"):
        return len(final["kept"])
    return round(of_whole(comparison, said.sifts, one.n_kept))


def of_whole(comparison: Comparison, kind: str, n_kept: _Numbers) -> _Numbers:
    """Numbers of columns as they are; numbers of rows kept of a split's training rows as the same share of the whole table."""
    return n_kept if kind == "columns" else n_kept * (1 + comparison.test_share)


def _choice(comparison: Comparison, said: Recommendation, one: Candidate) -> tuple[str, str]:
    number = n_kept(comparison, said, one)
    kind = said.sifts if number != 1 else said.sifts.removesuffix("s")
    names = ""
    if said.sifts == "columns":
        often = names_often_kept(comparison, one)
        names = f"{_listed(names_kept(comparison, said) if often and one == said.chosen else often)}: "
    return (
        f"{number} {kind}",
        f"{names}{figure_of(said.score, one.mean, one.error)} on the rows that chose, by {one.method}, scored with {judged_by(one.model)}",
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(as_cell, names[:MOST_NAMES]))
    return f"{shown}, and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else shown or "all"


def _card(figure: str, words: str) -> Html:
    return element("div", element("b", figure), element("span", words), class_="card")


def cautions(notes: Sequence[str]) -> Html:
    """Those of the notes that may turn the answer over: they stand before it."""
    return joined(*(element("p", note, class_="caution") for note in notes if LEAK in note))


def noticed(notes: Sequence[str]) -> Html:
    """A list of what was noticed when the table was read: columns left out, columns that are nearly equal."""
    return joined(element("ul", *(element("li", note) for note in notes)))
