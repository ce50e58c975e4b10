"""The page of benchmarks/pairs.py, from what it found."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from pair_copies import copy_lines
from pair_costs import cost_lines

PUBLISHED = {
    (250, 128): "LassoNet .382", (250, 512): "random forest .306", (250, 2048): "random forest .201",
    (500, 128): "random forest .656", (500, 512): "random forest .479", (500, 2048): "mRMR .319",
    (1000, 128): "random forest .785", (1000, 512): "random forest .639", (1000, 2048): "random forest .562",
}  # fmt: skip


def page(entries):
    """All tables, in Markdown."""
    found = defaultdict(dict)
    for entry in entries:
        found[entry["at"][0]][tuple(entry["at"][1:])] = entry
    lines = ["# Pairs of columns", "", "Made by `python benchmarks/pairs.py`, which says how.", ""]
    for make in (_passemiers, _concepts, _control, _tables):
        lines += make(found)
    lines += cost_lines(found, _table) + copy_lines(found, _table) + _times(found)
    return "\n".join(lines).rstrip() + "\n"


def _table(head, rows):
    return [
        "| " + " | ".join(head) + " |",
        "| --- " * len(head) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]


def _rankers(shares):
    names = dict.fromkeys(key[-1] for key in shares)
    return sorted(names, key=lambda name: -np.mean([np.mean(v) for k, v in shares.items() if k[-1] == name]))


def _shares(found, group):
    """(concept, n, d, ranker) -> the shares of all draws."""
    shares = defaultdict(list)
    for (which, concept, n, d, _, ranker), entry in found["concepts"].items():
        if which == group:
            shares[concept, n, d, ranker].append(entry["share"])
    return shares


def _passemiers(found):
    shares = _shares(found, "Passemiers")
    cells = sorted({key[1:3] for key in shares})
    concepts = list(dict.fromkeys(key[0] for key in shares))
    rows = []
    for ranker in _rankers(shares):
        row = []
        for n, d in cells:
            here = [shares[c, n, d, ranker] for c in concepts if shares.get((c, n, d, ranker))]
            row.append(f"{np.mean([np.mean(one) for one in here]):.3f}" if len(here) == len(concepts) else "")
        draws = sorted({len(v) for k, v in shares.items() if k[-1] == ranker and v})
        rows.append([f"{ranker} ({'-'.join(map(str, draws))} draws)", *row])
    rows.append(["best published of 41", *(PUBLISHED[cell] for cell in cells)])
    lines = [
        "## The benchmark of Passemiers et al. (2024): share of relevant columns found, mean of the four concepts",
        "",
    ]
    lines += _table(["ranker", *(f"{n} x {d}" for n, d in cells)], rows)
    lines += [
        "An empty cell was not run. Relevant columns stand first in every table, which helps rankers that leave many columns tied.",
        "",
    ]
    lines += ["### Each concept, mean of the cells that were run", ""]
    rows = [
        [
            r,
            *(
                f"{np.mean([np.mean(v) for k, v in shares.items() if k[0] == c and k[-1] == r and v]):.3f}"
                for c in concepts
            ),
        ]
        for r in _rankers(shares)
    ]
    return lines + _table(["ranker", *concepts], rows)


def _concepts(found):
    lines = []
    for group, title in (
        ("held out", "Concepts held out"),
        ("tuning", "Concepts that the views were chosen on"),
    ):
        shares = _shares(found, group)
        if not shares:
            continue
        concepts = list(dict.fromkeys(key[0] for key in shares))
        n, d = next(iter(shares))[1:3]
        rows = []
        for r in _rankers(shares):
            means = [np.mean(shares[c, n, d, r]) if shares.get((c, n, d, r)) else np.nan for c in concepts]
            rows.append([r, *("" if np.isnan(m) else f"{m:.2f}" for m in means), f"{np.nanmean(means):.3f}"])
        lines += [f"## {title}: {n} rows, {d} columns, share of relevant columns found", ""]
        lines += _table(["ranker", *concepts, "mean"], rows)
    return lines


def _control(found):
    by = defaultdict(list)
    for (concept, kind, _), entry in found["control"].items():
        by[concept, kind].append(entry)
    if not by:
        return []
    rows = []
    for concept in dict.fromkeys(key[0] for key in by):
        permuted, plain = by[concept, "permuted"], by[concept, "as it is"]
        rows.append(
            [
                concept,
                str(len(permuted)),
                f"{np.mean([e['false'] for e in permuted]):.3f}",
                f"{np.median([e['best'] for e in permuted]):.2f}",
                f"{np.mean([e['false'] for e in plain]):.3f}",
                f"{np.mean([e['found'] for e in plain]):.2f}",
            ]
        )
    total = [e["false"] for (_, kind), es in by.items() if kind == "permuted" for e in es]
    return [
        "## Control: tables on which anything irrelevant is significant (p < 0.05 after correction; at most .05 is promised)",
        "",
        "300 rows, 60 columns. The last column: tables on which all relevant columns are significant.",
        "",
        *_table(
            [
                "concept",
                "tables",
                "permuted classes",
                "median best score",
                "as it is, noise columns",
                "all found",
            ],
            rows,
        ),
        f"All tables with permuted classes: {np.mean(total):.4f} of {len(total)}.",
        "",
    ]


def _tables(found):
    if not found["tables"]:
        return []
    names = list(dict.fromkeys(key[:4] for key in found["tables"]))
    rankers = list(dict.fromkeys(key[4] for key in found["tables"]))
    rows = []
    for ranker in rankers:
        row = [ranker]
        for name in names:
            entry = found["tables"].get((*name, ranker))
            row.append("" if entry is None else f"{entry['share'] * name[3]:.0f} ({entry['seconds']:.1f} s)")
        rows.append(row)
    head = ["ranker", *(f"{name}, {n} x {d}: of {k}" for name, n, d, k in names)]
    lines = ["## Tables: how many of the k relevant columns are among the first k", ""]
    return [*lines, "Processor seconds; the first fit of a method compiles it.", "", *_table(head, rows)]


def _times(found):
    if not found["time"]:
        return []
    rankers = ("PairScan", "matrix products alone", "random forest")
    rows = []
    for n, d in sorted({key[:2] for key in found["time"]}):
        here = [found["time"].get((n, d, ranker)) for ranker in rankers]
        rows.append(
            [f"{n} x {d}"]
            + [f"{e['seconds']:.1f} s, {e['megabytes']} MB" if e else "" for e in here]
            + [f"{n * d * 8 / 2**20:.0f} MB"]
        )
    lines = ["## Processor seconds on one thread, and memory beside the table", ""]
    lines += [
        "Without compiling. An empty cell was not finished. The products alone are those of the scan as numpy does them, in the same tiles:",
        "the floor of its time. The forest was measured in an earlier session, the other two together, on a busy machine.",
        "",
    ]
    lines += _table(["rows x columns", *rankers, "the table"], rows)
    for ranker in rankers:
        seconds = {key[:2]: e["seconds"] for key, e in found["time"].items() if key[2] == ranker}
        ends = (((1000, 1000), (1000, 10_000), "columns"), ((10_000, 200), (100_000, 200), "rows"))
        for a, b, what in ends:
            if a in seconds and b in seconds:
                power = np.log10(seconds[b] / seconds[a])
                lines.append(f"- {ranker} grows with the number of {what} to the power {power:.2f}.")
    return [*lines, ""]
