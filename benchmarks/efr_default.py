"""EFR's settings, chosen on one half of a part of the problem space and confirmed on the other with fresh seeds.

Run it from the repository: ``python benchmarks/efr_default.py FOLDER`` (about ten minutes on one processor). FOLDER keeps
the results, and a run that was stopped goes on where it was.

The part: d = 100, r = 10, none redundant, n = 50 and 100, both concepts, nine kinds of noise: 36 points. Every second
point is in the half on which all settings are compared; the paper's setting and the best of the others meet on the
other half, and on narrower and wider tables: d = 20, 40, 200 and 500, a tenth relevant, n = d / 2 (at least 50), both
concepts, without noise and with 10 % of both kinds. Differences are those of the same data sets.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from tamis import EFR, ROGER
from tamis.datasets import problem_space as all_points
from tamis.study.problem_space import problem_space

RESULTS = Path(__file__).parent / "results"
SETTINGS = {
    "15 runs (the paper's)": EFR(ROGER()),
    "60 runs": EFR(ROGER(), n_estimators=60),
    "60 runs of half of the columns": EFR(ROGER(), n_estimators=60, max_features=0.5),
    "short runs on few columns (the default)": EFR(),
}
PAPER = next(iter(SETTINGS))
WIDTHS = (20, 40, 200, 500)


def halves():
    """Every second point of the part, and the others."""
    part = [
        point
        for point in all_points()
        if point["d"] == 100 and point["r"] == 10 and not point["redundant"] and point["n"] <= 100
    ]
    return part[::2], part[1::2]


def other_widths(d):
    """Four points of one width."""
    return [
        {
            "n": max(50, d // 2),
            "d": d,
            "r": d // 10,
            "concept": concept,
            "redundant": False,
            "label_noise": noise,
            "feature_noise": noise,
        }
        for concept in ("linear", "ball")
        for noise in (0.0, 0.1)
    ]


def areas(name, points, folder, seed, n_datasets):
    """Area and seconds of each data set."""
    place = folder / f"{list(SETTINGS).index(name)}_{seed}_{points[0]['d']}"
    table = problem_space(SETTINGS[name], points, n_datasets=n_datasets, path=place, random_state=seed)
    return table["auc"].to_numpy(), table["seconds"].to_numpy()


def row(name, found, base):
    """Mean area, difference from the paper's setting with its standard error, and seconds."""
    area, seconds = found
    gap = area - base[0]
    error = gap.std(ddof=1) / np.sqrt(len(gap)) if name != PAPER else 0.0
    return {
        "setting": name,
        "n_datasets": len(area),
        "auc": round(float(area.mean()), 4),
        "difference": round(float(gap.mean()), 4),
        "error": round(float(error), 4),
        "seconds": round(float(np.median(seconds)), 2),
    }


def main():
    """Run both halves and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the results are kept")
    parser.add_argument("--datasets", type=int, default=1, help="data sets a point")
    given = parser.parse_args()
    chosen_on, confirmed_on = halves()
    found = {name: areas(name, chosen_on, given.folder, 11, given.datasets) for name in SETTINGS}
    first = [row(name, found[name], found[PAPER]) for name in SETTINGS]
    best = max(first[1:], key=lambda one: one["auc"])["setting"]
    judged = {"The other half, fresh seeds": (confirmed_on, 12, given.datasets)}
    judged |= {f"d = {d}": (other_widths(d), 13, 2 * given.datasets) for d in WIDTHS}
    told = {"The half on which they were compared": first}
    for title, (points, seed, n_datasets) in judged.items():
        again = {name: areas(name, points, given.folder, seed, n_datasets) for name in (PAPER, best)}
        told[title] = [row(name, again[name], again[PAPER]) for name in again]
    page = ["# EFR's settings", "", *(__doc__ or "").strip().splitlines()[-5:]]
    for title, rows in told.items():
        page += ["", f"## {title}", "", "| setting | data sets | area | difference | seconds |"]
        page += ["| --- | --- | --- | --- | --- |"]
        page += [
            f"| {one['setting']} | {one['n_datasets']} | {one['auc']:.3f} | {one['difference']:+.3f} "
            f"({one['error']:.3f}) | {one['seconds']:.2f} |"
            for one in rows
        ]
    text = "\n".join(page) + "\n"
    print(text)
    (RESULTS / "efr_default.json").write_text(json.dumps(told, indent=1) + "\n")
    (RESULTS / "efr_default.md").write_text(text)


if __name__ == "__main__":
    main()
