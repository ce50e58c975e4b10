"""A comparison in a few figures, and methods over several tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from tamis.study._comparison import Comparison
from tamis.study._statistics import RankTest, friedman_nemenyi


def summary(comparison: Comparison) -> dict[str, Any]:
    """The advice and the settings of a comparison, as plain values for JSON."""
    content: dict[str, Any] = {
        "rows": comparison.n_rows,
        "columns": len(comparison.columns),
        "target_kind": comparison.target_kind,
        "splits": len(comparison.repeats),
        "folds_done": len(comparison.answers),
        "settings": comparison.settings,
        "left_out": comparison.left_out,
        **({} if comparison.unweighted is None else {"unweighted": comparison.unweighted}),
        "advice": {},
    }
    for kind, said in comparison.advice.items():
        fields = asdict(said)
        for name in ("always", "often", "seldom"):
            fields[name] = [comparison.columns[j] for j in fields[name]]
        final = dict(comparison.final.get(kind, {}))
        if final and kind == "columns":
            final["kept"] = [comparison.columns[j] for j in final["kept"]]
            final["order"] = [comparison.columns[j] for j in final["order"]]
        content["advice"][kind] = {**fields, "whole_table": final}
        if kind == "columns":
            content["stability"] = {
                name: _stabilities(comparison, name) for name in comparison.methods("columns")
            }
    return content


def _stabilities(comparison: Comparison, method: str) -> list[dict[str, float]]:
    sizes = comparison.curve(method, comparison.models[0]).n_kept
    judged = [comparison.stability(method, step) for step in range(len(sizes))]
    return [
        {"n_kept": float(size), "index": one.index, "low": one.low, "high": one.high}
        for size, one in zip(sizes, judged)
    ]


def over_tables(comparisons: Sequence[Comparison]) -> dict[str, RankTest]:
    """Compare methods over several tables, each by its best mean score over sizes and models.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One per table.

    Returns
    -------
    dict of str to RankTest
        By the score that decides in each comparison; for "columns" and "rows", if two or more methods have results on each of two or more tables.
    """
    tests = {}
    for kind in ("columns", "rows"):
        done = [one for one in comparisons if one.methods(kind)]
        names = (
            [name for name in done[0].methods(kind) if all(name in one.methods(kind) for one in done)]
            if done
            else []
        )
        if len(done) > 1 and len(names) > 1:
            scores = np.array([[_best(one, name) for name in names] for one in done])
            if not np.isnan(scores).any():
                tests[kind] = friedman_nemenyi(scores, names)
    return tests


def _best(comparison: Comparison, method: str) -> float:
    score = comparison.settings["score"]
    means = [comparison.curve(method, model, score).mean for model in comparison.models]
    return float(np.nanmax(means)) if not np.isnan(means).all() else np.nan
