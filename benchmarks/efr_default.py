"""EFR's settings, chosen on one half of a part of the problem space and confirmed on the other with fresh seeds.

Run it from the repository: ``python benchmarks/efr_default.py FOLDER`` (about ten minutes on one processor). FOLDER keeps
the results, and a run that was stopped goes on where it was.

The part: d = 100, r = 10, none redundant, n = 50 and 100, both concepts, nine kinds of noise: 36 points. Every second
point is in the half on which all settings are compared; the default and the best of the others meet on the other
half. Differences are those of the same data sets.
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
    "15 runs (default)": EFR(),
    "60 runs": EFR(n_estimators=60),
    "60 runs of half of the columns": EFR(n_estimators=60, max_features=0.5),
    "300 runs of a tenth of the columns, 1,000 hypotheses": EFR(
        ROGER(n_evaluations=1000), n_estimators=300, max_features=0.1
    ),
}
DEFAULT = next(iter(SETTINGS))


def halves():
    """Every second point of the part, and the others."""
    part = [
        point
        for point in all_points()
        if point["d"] == 100 and point["r"] == 10 and not point["redundant"] and point["n"] <= 100
    ]
    return part[::2], part[1::2]


def areas(name, points, folder, seed, n_datasets):
    """Area and seconds of each data set."""
    place = folder / f"{list(SETTINGS).index(name)}_{seed}"
    table = problem_space(SETTINGS[name], points, n_datasets=n_datasets, path=place, random_state=seed)
    return table["auc"].to_numpy(), table["seconds"].to_numpy()


def row(name, found, base):
    """Mean area, difference from the default with its standard error, and seconds."""
    area, seconds = found
    gap = area - base[0]
    error = gap.std(ddof=1) / np.sqrt(len(gap)) if name != DEFAULT else 0.0
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
    first = [row(name, found[name], found[DEFAULT]) for name in SETTINGS]
    best = max(first[1:], key=lambda one: one["auc"])["setting"]
    again = {name: areas(name, confirmed_on, given.folder, 12, given.datasets) for name in (DEFAULT, best)}
    second = [row(name, again[name], again[DEFAULT]) for name in again]
    page = ["# EFR's settings", "", *(__doc__ or "").strip().splitlines()[-4:]]
    for title, rows in (
        ("The half on which they were compared", first),
        ("The other half, fresh seeds", second),
    ):
        page += ["", f"## {title}", "", "| setting | data sets | area | difference | seconds |"]
        page += ["| --- | --- | --- | --- | --- |"]
        page += [
            f"| {one['setting']} | {one['n_datasets']} | {one['auc']:.3f} | {one['difference']:+.3f} "
            f"({one['error']:.3f}) | {one['seconds']:.2f} |"
            for one in rows
        ]
    text = "\n".join(page) + "\n"
    print(text)
    (RESULTS / "efr_default.json").write_text(
        json.dumps({"compared": first, "confirmed": second}, indent=1) + "\n"
    )
    (RESULTS / "efr_default.md").write_text(text)


if __name__ == "__main__":
    main()
