"""The 972 points of the paper on ensemble feature ranking: which ranker is best where.

    python benchmarks/problem_map.py FOLDER [--rankers A;B] [--points N] [--show]

FOLDER keeps what was found: a run that was stopped goes on where it was, and --show only writes benchmarks/results/problem_map.md.
The fast rankers see one data set of every point. EFR and SampledEFR see the points of 100 columns with no noise at all and with the
most of both kinds. One ranker at a time, as `tamis study problem-space` runs it, on one processor.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

import tamis
from tamis.datasets import problem_space as all_points
from tamis.study.problem_space import problem_space

PAGE = Path(__file__).parent / "results" / "problem_map.md"
SEED = 3
BATCH = 27
FAST = {
    "signed cosine": lambda: tamis.GramSchmidt(centered=False, signed=True),
    "cosine": lambda: tamis.GramSchmidt(),
    "UnivariateAUC, folded": lambda: tamis.UnivariateAUC(folded=True),
    "ReliefF": lambda: tamis.ReliefF(),
    "SBSMF": lambda: tamis.SBSMF(step=0.1, step_until=50),
    "PairScan": lambda: tamis.PairScan(),
    "l1-logistic": lambda: LogisticRegression(l1_ratio=1.0, solver="liblinear"),
    "extra trees": lambda: ExtraTreesClassifier(100),
}
SLOW = {"EFR": lambda: tamis.EFR(), "SampledEFR": lambda: tamis.SampledEFR()}
NOISES = {(0.0, 0.0): "clean", (0.1, 0.1): "most noise"}


def points_of(name):
    """The points that a ranker sees, spread so that a run cut short has some of every region."""
    points = list(all_points())
    if name in SLOW:
        points = [p for p in points if p["d"] == 100 and (p["label_noise"], p["feature_noise"]) in NOISES]
    return [points[k] for k in np.random.default_rng(0).permutation(len(points))]


def run(folder, names, n_most):
    """Some points of all rankers, then the next: a run that is cut short has the same points of all. What is done is kept."""
    for first in range(0, n_most, BATCH):
        for name in names:
            if points := points_of(name)[first : min(first + BATCH, n_most)]:
                place = folder / name.replace(",", "").replace(" ", "_")
                problem_space((FAST | SLOW)[name](), points, n_datasets=1, path=place, random_state=SEED)


def found(folder):
    """What is kept of every ranker."""
    frames = []
    for name in (*FAST, *SLOW):
        place = folder / name.replace(",", "").replace(" ", "_") / "results.parquet"
        if place.exists():
            kept = pl.read_parquet(place).select("n", "d", "r", "concept", "redundant", "label_noise", "feature_noise", "auc", "seconds")  # fmt: skip
            frames.append(kept.with_columns(name=pl.lit(name)))
    return pl.concat(frames)


def page(rows):
    """The map in Markdown."""
    key = ["n", "d", "r", "concept", "redundant", "label_noise", "feature_noise"]
    n_points = rows.group_by("name", maintain_order=True).agg(pl.len(), pl.mean("auc"), pl.sum("seconds"))
    fast = [name for name in FAST if name in n_points["name"].to_list()]
    both = rows.filter(pl.col("name").is_in(fast))
    complete = both.group_by(key).len().filter(pl.col("len") == len(fast)).select(key)
    wide = (
        both.join(complete, on=key)
        .with_columns(
            rows=(pl.col("n") / pl.col("d")), relevant=(pl.col("d") / pl.col("r")),
            noise=(pl.col("label_noise") + pl.col("feature_noise")),
        )
    )  # fmt: skip
    lines = [
        "# The problem space: which ranker where",
        "",
        "Made by `python benchmarks/problem_map.py`, which says how. Area under ROC-FS, 1 is perfect and .5 chance; one data set a point.",
        "",
        f"Points that all fast rankers have seen: {complete.height} of 972.",
        "",
        "| ranker | points | mean area | seconds in all |",
        "| --- | --- | --- | --- |",
        *(f"| {n} | {c} | {a:.3f} | {s:.0f} |" for n, c, a, s in n_points.rows()),
        "",
    ]
    for title, part in (
        ("By concept, and rows for each column", ["concept", "rows"]),
        ("By concept, columns in all, and redundant ones", ["concept", "d", "redundant"]),
        ("By concept and noise (share of wrong labels plus deviation of the values)", ["concept", "noise"]),
        ("By concept, and how many columns there are for each relevant one", ["concept", "relevant"]),
    ):
        lines += _regions(title, part, wide, fast)
    lines += _best(wide, key)
    lines += _slow(rows, key)
    return "\n".join(lines).rstrip() + "\n"


def _regions(title, part, wide, names):
    lines = [f"## {title}", "", f"| {' | '.join(part)} | points | {' | '.join(names)} |", "| --- " * (len(part) + 1 + len(names)) + "|"]  # fmt: skip
    for values, some in wide.sort(part).group_by(part, maintain_order=True):
        means = dict(some.group_by("name").agg(pl.mean("auc")).rows())
        best = max(means.values())
        cells = [f"**{means[n]:.3f}**" if means[n] >= best - 0.005 else f"{means[n]:.3f}" for n in names]
        told = [f"{v:g}" if isinstance(v, float) else str(v) for v in values]
        lines.append(f"| {' | '.join(told)} | {some.height // len(names)} | {' | '.join(cells)} |")
    return [*lines, ""]


def _best(wide, key):
    """How often each ranker is the best of a point, or within .01 of it."""
    top = wide.with_columns(best=pl.col("auc").max().over(key))
    lines = ["## How often a ranker is the best of a point, or within .01 of it", "", "| concept | ranker | share of the points |", "| --- | --- | --- |"]  # fmt: skip
    shares = (
        top.group_by("concept", "name")
        .agg(((pl.col("auc") >= pl.col("best") - 0.01).mean()).alias("share"))
        .sort("concept", "share", descending=[True, True])
    )
    lines += [f"| {concept} | {name} | {share:.2f} |" for concept, name, share in shares.rows()]
    return [*lines, ""]


def _slow(rows, key):
    """EFR and SampledEFR beside the fast ones, on the points that they have seen."""
    names = [name for name in SLOW if (rows["name"] == name).any()]
    if not names:
        return []
    fast = [name for name in FAST if (rows["name"] == name).any()]
    seen = rows.group_by(key).len().filter(pl.col("len") == len(names) + len(fast)).select(key)
    here = rows.join(seen, on=key)
    if here.is_empty():
        return []
    told = f"{' and '.join(names)}, 100 columns, no noise and the most of both kinds"
    return _regions(told, ["concept", "label_noise"], here, [*names, *fast])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rankers", default=";".join([*FAST, *SLOW]))
    parser.add_argument("--points", type=int, default=972, help="of each ranker, in a random order")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if not given.show:
        run(given.folder, given.rankers.split(";"), given.points)
    PAGE.write_text(page(found(given.folder)))


if __name__ == "__main__":
    main()
