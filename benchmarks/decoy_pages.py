"""From the draws of benchmarks/decoys.py to tables."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np

WORDS = (
    "Written by `python benchmarks/decoys.py FOLDER --show`. Rate: the mean share of false columns among the kept, with its standard "
    "error; **bold** where it is above what was asked for by more than two of them. Power: the mean share of the relevant columns "
    "that are kept.\n"
)


def page(found):
    """benchmarks/results/decoys.md."""
    parts = [
        "# Columns against decoys: realised false discovery rate and power\n",
        WORDS,
        "## SBSMF as the judge (the default), ten sets\n",
        "Doubted: the share of the draws in which `doubts_` says that something speaks against the rate.\n",
        _rates(found["cells"], "all sets", doubted=True),
        "## The same, one set\n",
        _rates(found["cells"], "one set"),
    ]
    if found["families"]:
        parts += [
            "## Families of columns: one verdict for each block of five\n",
            "`group_above=0.6` at a correlation of 0.7 and 0.8 at 0.9, ten sets. Rate and power are of families, a family being relevant if one of its columns is.\n",
            _rates(found["families"], "all sets"),
        ]
    if found["bayes"]:
        parts += [
            "## `SampledEFR(fdr=)`: a Bayesian rate, without decoys\n",
            "As many columns as keep the mean probability not to matter at or below the rate; chains of the default length.\n",
            _rates(found["bayes"], "one set"),
        ]
    if found["peers"]:
        parts += [
            "## Beside Boruta, knockpy and hidimstat\n",
            (
                "Written by `benchmarks/decoy_peers.py`, which needs not tamis. Boruta knows no rate; knockpy with its own statistic (a penalised logistic regression) and "
                "with a forest; hidimstat's knockoffs with their defaults. Rate and power at 0.1, and the number of draws.\n"
            ),
            _peers(found["cells"], found["peers"]),
        ]
    if found["real"]:
        parts += ["## Real tables with permuted copies of their own columns\n", _real(found["real"])]
    if found["costs"]:
        parts += ["## Cost\n", _costs(found["costs"])]
    return "\n".join(parts)


def judges_page(found):
    """benchmarks/results/decoy_judges.md."""
    one = "One set (SampledEFR, short chains, has no more): the rate that `Decoys(n_sets=1)` is asked for.\n"
    several = [line for line in found["statistics"] if line["who"] != "SampledEFR"]
    parts = ["# Other judges of columns and decoys\n", WORDS,
             "## Ten sets for UnivariateAUC (folded), three for the others\n", _rates(several, "all sets", named=True),
             "## One set\n", one, _rates(found["statistics"], "one set", named=True)]  # fmt: skip
    return "\n".join(parts)


def _told(lines):
    """Mean rate, its error, and power; and the number of draws."""
    shares = np.array([line["false"] / max(1, line["false"] + line["right"]) for line in lines])
    power = np.mean([line["right"] / max(1, line["k"]) for line in lines])
    return (
        shares.mean(),
        shares.std(ddof=1) / len(shares) ** 0.5 if len(shares) > 1 else float("nan"),
        power,
        len(shares),
    )


def _rates(lines, sets, *, named=False, doubted=False):
    """A line a cell, a column a rate."""
    groups = defaultdict(list)
    for line in lines:
        if line["sets"] == sets:
            groups[line["cell"], line["who"], line["rate"]].append(line)
    rates = sorted({rate for _, _, rate in groups})
    rows = ["| table, correlation, signal, size | " + ("judge | " if named else "") + "draws | "
            + " | ".join(f"rate at {rate:g} | power at {rate:g}" for rate in rates)
            + (" | doubted" if doubted else "") + " |"]  # fmt: skip
    rows.append("| --- " * (2 + named + 2 * len(rates) + doubted) + "|")
    for cell, who in dict.fromkeys((cell, who) for cell, who, _ in groups):
        told = [_told(groups[cell, who, rate]) for rate in rates]
        cells = []
        for rate, (mean, error, power, _) in zip(rates, told):
            text = f"{mean:.3f} ± {error:.3f}"
            cells += [
                f"**{text}**" if mean > rate + 2 * error else text,
                "" if "nothing" in cell else f"{power:.2f}",
            ]
        if doubted:
            cells.append(f"{np.mean([line['doubted'] for line in groups[cell, who, rates[0]]]):.2f}")
        rows.append(
            f"| {cell} | " + (f"{who} | " if named else "") + f"{told[0][3]} | " + " | ".join(cells) + " |"
        )
    return "\n".join(rows) + "\n"


def _peers(ours, peers):
    """Rate and power at 0.1, each on the draws that it has made."""
    columns = {
        "Decoys, ten sets": [line for line in ours if line["sets"] == "all sets"],
        "Decoys, one set": [line for line in ours if line["sets"] == "one set"],
        **{
            who: [line for line in peers if line["who"] == who]
            for who in dict.fromkeys(line["who"] for line in peers)
        },
    }
    rows = [
        "| table, correlation, signal, size | "
        + " | ".join(f"{name}: rate, power, draws" for name in columns)
        + " |"
    ]
    rows.append("| --- " * (1 + len(columns)) + "|")
    for cell in dict.fromkeys(line["cell"] for line in peers):
        texts = []
        for lines in columns.values():
            mine = [line for line in lines if line["cell"] == cell and line["rate"] in (0.1, None)]
            mean, error, power, n = _told(mine) if mine else (np.nan, np.nan, np.nan, 0)
            texts.append(f"{mean:.2f} ± {error:.2f}, {power:.2f}, {n}" if n else "")
        rows.append(f"| {cell} | " + " | ".join(texts) + " |")
    return "\n".join(rows) + "\n"


def _real(lines):
    """How many columns, and permuted copies, are kept at 0.1."""
    rows = [
        "| table | rows | columns | draws | kept | permuted copies kept | of the kept | doubted | families joined |",
        "| --- " * 9 + "|",
    ]
    for name in dict.fromkeys(line["table"] for line in lines):
        mine = [line for line in lines if line["table"] == name]
        kept, false = (np.mean([line[key] for line in mine]) for key in ("kept", "permuted kept"))
        share = np.mean(
            [line["permuted kept"] / max(1, line["kept"] + line["permuted kept"]) for line in mine]
        )
        rows.append(
            f"| {name} | {mine[0]['n']} | {mine[0]['d']} | {len(mine)} | {kept:.1f} | {false:.2f} | {share:.3f} "
            f"| {np.mean([line['doubted'] for line in mine]):.2f} | {np.mean([line['joined'] for line in mine]):.1f} |"
        )
    return "\n".join(rows) + "\n"


def _costs(lines):
    """Processor seconds, and how many plain rankings that is."""
    rows = ["| table | judge | one ranking, s | Decoys, ten sets, s | times |", "| --- " * 5 + "|"]
    rows += [
        f"| {line['cell']} | {line['who']} | {line['plain']:.3f} | {line['decoys']:.2f} | {line['decoys'] / line['plain']:.0f} |"
        for line in lines
    ]
    return "\n".join(rows) + "\n"


def lines(path):
    """What a file holds, one line a dict."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write(path, line):
    """Add a line."""
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
