"""The tables of a comparison's report: methods side by side, methods over several tables, and what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report._answer import judged_by, of_whole
from tamis.report._markup import Html
from tamis.report._page import Section, table
from tamis.study import Comparison, RankTest, Recommendation
from tamis.study._contenders import BASELINE
from tamis.study._scores import score_in_words, sign_of
from tamis.study._statistics import p_in_words


def turned_words(score: str) -> str:
    """The name of a score in words, where it is drawn so that higher is better."""
    return f"{score_in_words(score)}{' (sign turned)' * (sign_of(score) < 0)}"


def method_table(comparison: Comparison, kind: str, said: Recommendation) -> Html:
    """Every method with its best score, its score and stability near the advised size, and its time."""
    rows: list[list[Any]] = []
    sign = sign_of(said.score)
    for name in comparison.methods(kind, baseline=True):
        curves = [comparison.curve(name, model, said.score) for model in comparison.models]
        means = np.array([curve.mean for curve in curves])
        if np.isnan(means).all():
            continue
        m, step = np.unravel_index(int(np.nanargmax(means)), means.shape)
        near = int(np.nanargmin(np.abs(curves[0].n_kept - said.chosen.n_kept)))
        best_size, size = (
            of_whole(comparison, kind, n) for n in (curves[m].n_kept[step], curves[0].n_kept[near])
        )
        stable = (
            comparison.stability(name, near).index if kind == "columns" and name != BASELINE[kind] else None
        )
        rows.append([
            name, sign * float(means[m, step]), float(curves[m].error[step]), round(best_size),
            judged_by(comparison.models[m]), _top(sign * means[:, near], sign), round(size), stable,
            round(comparison.seconds(name), 3), comparison.n_splits(name),
        ])  # fmt: skip
    rows.sort(key=lambda row: -sign * row[1])
    word = score_in_words(said.score)
    headings = ["method", f"best {word}", "± error", f"{kind}", "scored with", "score near the advised size", "at", "stability there",
                "seconds a fit", "splits"]  # fmt: skip
    if kind == "rows":  # splits hold different rows, so rows have no stability index
        position = headings.index("stability there")
        headings.pop(position)
        rows = [[*row[:position], *row[position + 1 :]] for row in rows]
    return table(
        headings,
        rows,
        caption=f"Methods by their best {word} over sizes and models, which flatters: each is the best of many",
    )


def ranks_section(kind: str, tested: RankTest) -> Section:
    """The methods over several tables."""
    order = np.argsort(tested.mean_ranks, kind="stable")
    rows = [[tested.names[j], float(tested.mean_ranks[j])] for j in order]
    groups = [", ".join(tested.names[j] for j in group) for group in tested.cliques()]
    words = (
        f"Friedman's test over {tested.n_datasets} tables: chi-square {tested.chi_square:.2f}, {p_in_words(tested.p)}. By Nemenyi, mean "
        f"ranks differ at the 5 % level when they are {tested.critical_difference:.2f} or more apart."
    )
    blocks: list[Any] = [
        words,
        table(["method", "mean rank"], rows, caption="Mean rank over the tables; 1 is best"),
    ]
    blocks.extend(f"Not told apart: {group}." for group in groups)
    return Section(f"The methods for {kind} over all tables", blocks)


def left_out(comparison: Comparison) -> list[Any]:
    """What was not done, and why; empty where nothing is missing."""
    rows = [[name, why] for name, why in comparison.left_out.items()]
    blocks: list[Any] = [table(["method", "why"], rows, caption="Methods left out")] if rows else []
    n_splits = len(comparison.repeats)
    short = [name for name in comparison.sifts if 0 < comparison.n_splits(name) < n_splits]
    if short:
        done = len(comparison.answers)
        blocks.insert(
            0,
            f"The time budget ended the work: {done} folds were done, and not all of the {n_splits} splits by every method.",
        )
    cut = sum(bool(answer.get("cut")) for answer in comparison.answers)
    if cut:
        blocks.insert(
            0,
            f"In {cut} folds the last models were left out, since the fold's share of the time was used up.",
        )
    failures = [[model, why] for model, why in comparison.failures().items()]
    if failures:
        blocks.append(
            table(["model", "where and why"], failures, caption="Models that could not be fitted somewhere")
        )
    return blocks


def _top(values: Any, sign: int) -> float | None:
    """The best of some scores; None where all are missing."""
    known = values[~np.isnan(values)]
    return float(sign * (sign * known).max()) if len(known) else None
