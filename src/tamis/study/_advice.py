"""A recommendation in words: what to keep, its score on rows not used for the choice, and the score of chance."""

from __future__ import annotations

import math

import numpy as np

from tamis._methods import methods
from tamis.study._comparison import Comparison
from tamis.study._contenders import BASELINE
from tamis.study._recommend import Candidate, Recommendation
from tamis.study._scores import score_in_words, shown, sign_of
from tamis.study._statistics import p_in_words
from tamis.table._names import listed

NO_PART = "on rows that took no part in the choice"


def scored(score: str, mean: float, error: float) -> str:
    """A score with its standard error, if there is one."""
    return shown(score, mean) if math.isnan(error) else f"{shown(score, mean)} ± {shown(score, error)}"


def worth(said: Recommendation) -> str:
    """The score of the choice and of chance, in words; empty if it is not known."""
    if math.isnan(said.honest_mean):
        return ""
    sign, test = sign_of(said.score), said.against_chance
    figure = f"{score_in_words(said.score)} {scored(said.score, sign * said.honest_mean, said.honest_error)} {NO_PART}"
    return figure if test is None else f"{figure}, {shown(said.score, sign * test.mean)} by chance"


def verdict(comparison: Comparison, said: Recommendation) -> str:
    """The result in one sentence without a full stop: whether chance is beaten, what to keep, and the score of that.

    Parameters
    ----------
    comparison : Comparison
        The result of `compare`.
    said : Recommendation
        The result of `recommend` on it.

    Returns
    -------
    str
        Such as "keep 8 of 34 columns: balanced accuracy 0.912 ± 0.020 on rows that took no part in the choice, 0.500 by chance".
    """
    test = said.against_chance
    if test is not None and not test.beaten:
        return f"nothing here beats chance{provisional(said)}: {worth(said)} ({p_in_words(test.p)})"
    keep = f"keep {amount(comparison, said)}{provisional(said)}"
    if math.isnan(said.honest_mean):
        return f"{keep}; what that is worth cannot be told from one split"
    other = said.against_everything
    if other is None or other.high >= 0:
        return f"{keep}: {worth(said)}"
    low, high = sorted((-other.low, -other.high))
    return f"{keep}: {worth(said)}; all {said.sifts} do better, by {shown(said.score, low)} to {shown(said.score, high)}"


def weights_in_words(comparison: Comparison) -> str:
    """What the weights of rows count in, and what takes none, in a sentence; empty if there are no weights."""
    if comparison.unweighted is None:
        return ""
    named = [*comparison.unweighted["methods"], *comparison.unweighted["models"]]
    names = listed(list(dict.fromkeys(named)), 30)
    but = f", but not in the fit of {names}, which {'take' if len(named) > 1 else 'takes'} no weights"
    return (
        f"rows count by their weights in the scores, in those of chance, and in every fit{but * bool(named)}."
    )


def names_kept(comparison: Comparison, said: Recommendation) -> list[str]:
    """The columns to keep, best first: those of the whole table, or, if there was no time for it, those kept most often."""
    return comparison.kept_names() or names_often_kept(comparison, said.chosen)


def names_often_kept(comparison: Comparison, one: Candidate) -> list[str]:
    """The columns that a choice keeps most often in the splits; none if it keeps all."""
    if one.method == BASELINE["columns"]:
        return []
    often = comparison.kept(one.method, one.step).mean(axis=0)
    ranks = comparison.mean_ranks(one.method)
    order = np.lexsort((ranks[0] if ranks else np.arange(len(often)), -often))
    return [comparison.columns[j] for j in order[: round(one.n_kept)].tolist()]


def provisional(said: Recommendation) -> str:
    """That fewer splits were done than asked for, in brackets; empty where all were."""
    if said.n_splits >= said.n_planned:
        return ""
    return f" (provisional: {said.n_splits} of {said.n_planned} splits)"


def amount(comparison: Comparison, said: Recommendation) -> str:
    """How much to keep, in words: 8 of 34 columns, 5 % of the rows, all columns."""
    chosen, kind = said.chosen, said.sifts
    if chosen.method == BASELINE[kind]:
        return f"all {kind}, since no smaller choice came within one standard error of the best"
    if kind == "columns":
        return f"{chosen.n_kept:.0f} of {len(comparison.columns)} columns"
    share = chosen.n_kept / (comparison.n_rows / (1 + comparison.test_share))
    made = any(method.makes and method.name == chosen.method for method in methods("rows"))
    return f"{share:.0%} of the rows" if not made else f"made rows, as many as {share:.0%} of the rows"
