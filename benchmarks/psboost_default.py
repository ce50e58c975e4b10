"""Settings of PSBoost: the best on one half of the data sets, confirmed on the other.

    python benchmarks/psboost_default.py [--splits 10] [--quick]

``--quick`` is 3 splits. Sets that do not ship with tamis are looked for in the folder that TAMIS_DATA names, or fetched.
Results go to benchmarks/results/psboost_default.json and .md.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from psboost_table import PAPER, SIZES, Split, compact, means_by_split, standard_error, write

from tamis.prototypes.psboost import PSBoost

MORE = (
    "australian",
    "credit_crx",
    "glass2",
    "heart_cleveland",
    "kr_vs_kp",
    "monks1",
    "monks2",
    "musk1",
    "spambase",
)

FIRST_SEEDS = (1000, 2000)
"""Seeds of the splits on the choosing and on the confirming half start here."""


def setting_name(k, removes, quota):
    """What a setting is called in the report."""
    return f"k = {k}, {'chosen rows leave' if removes else 'all rows stay'}, quota {quota}"


def settings_compared(n_splits):
    """Records of PSBoost's settings on two halves of the sets."""
    names = sorted([*(name for name, _, _ in PAPER.values()), *MORE])
    records = []
    for place, name in enumerate(names):
        first_seed = FIRST_SEEDS[place % 2]
        for seed in range(first_seed, first_seed + n_splits):
            one = Split(name, seed, None, 1200)
            for k, removes, quota in product((1, 3, 5, 7, 9), (False, True), (None, "proportional")):
                for size in SIZES:
                    kept = kept_or_none(
                        one, PSBoost(size, n_neighbors=k, remove_selected=removes, class_quota=quota)
                    )
                    accuracy = 100 * one.accuracy(kept) if len(kept) else 0.0
                    method = setting_name(k, removes, quota)
                    records.append(
                        {
                            "method": method,
                            "size": size,
                            "set": name,
                            "half": place % 2,
                            "split": seed,
                            "accuracy": accuracy,
                            "kept": 100 * len(kept) / len(one.y),
                        }
                    )
    return records


def kept_or_none(one, selector):
    """The rows kept; none where the selector finds none worth keeping, which it says by an error."""
    try:
        return one.kept(selector)
    except ValueError:
        return np.empty(0, dtype=int)


def settings_report(records):
    """Settings in order of their mean on the first half, with what they do on the second."""
    methods = list(dict.fromkeys(r["method"] for r in records))
    halves = [[r for r in records if r["half"] == half] for half in (0, 1)]
    rows = []
    for method in methods:
        cells = [[means_by_split(half, method, size)[0].mean() for size in SIZES] for half in halves]
        rows.append((float(np.mean(cells[0])), method, cells))
    rows.sort(reverse=True)
    sets = [sorted({r["set"] for r in half}) for half in halves]
    lines = ["# Settings of PSBoost, chosen on one half of the sets and confirmed on the other", ""]
    lines += [
        f"Chosen on {', '.join(sets[0])}; confirmed on {', '.join(sets[1])}. At most 1,200 rows, a third held out.",
        "",
    ]
    lines += [
        "| setting | mean, choosing | "
        + " | ".join(f"{100 * size:g} %" for size in SIZES)
        + " | mean, confirming | "
        + " | ".join(f"{100 * size:g} %" for size in SIZES)
        + " |"
    ]
    lines += ["| --- |" + " --- |" * (2 + 2 * len(SIZES))]
    for mean, method, (first, second) in rows:
        figures = [mean, *first, float(np.mean(second)), *second]
        lines.append(f"| {method} | " + " | ".join(f"{figure:.1f}" for figure in figures) + " |")
    best = rows[0][1]
    default = next(method for method in methods if method == setting_name(5, True, "proportional"))
    lines += [
        "",
        f"Paired over the splits, mean of the sizes: {best} (best on the choosing half) less {default}:",
        "",
    ]
    for half, word in zip(halves, ("choosing", "confirming"), strict=True):
        gains = [
            means_by_split(half, best, size)[0] - means_by_split(half, default, size)[0] for size in SIZES
        ]
        gain = np.mean(gains, axis=0)
        lines.append(f"- on the {word} half {gain.mean():+.2f} (standard error {standard_error(gain):.2f});")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="3 splits")
    options = parser.parse_args()
    records = settings_compared(3 if options.quick else options.splits)
    name = "psboost_default_quick" if options.quick else "psboost_default"
    write(name, compact(records), settings_report(records))


if __name__ == "__main__":
    main()
