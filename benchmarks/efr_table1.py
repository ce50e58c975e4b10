"""Table 1 of Jong, Marchiori and Sebag (PPSN 2004), run again: the cosine criterion and EFR, beside the paper.

Run it from the repository: ``python benchmarks/efr_table1.py`` (some minutes; ``--quick`` takes 3 data sets a cell).
d = 100 columns, 10 of them relevant, none redundant; the cosine over 30 data sets a cell, EFR with 15 runs of ROGER over
20. p_b is a mean, p_w and the area are medians. The folded univariate score stands beside them, as the plain answer
that both should beat. ``--more`` adds redundant problems and d = 200 (15 minutes on one core), ``--all`` d = 500 as
well (an hour and a half): the paper ran them but does not print them.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import polars as pl

from tamis.features.efr import EFR
from tamis.features.gram_schmidt import GramSchmidt
from tamis.features.roger import ROGER
from tamis.features.univariate import UnivariateAUC
from tamis.study.problem_space import problem_space, summary

RESULTS = Path(__file__).parent / "results"

# n, label noise, feature noise: cosine linear, cosine non-linear, EFR linear, EFR non-linear, each p_b, p_w, area.
PAPER = {
    (50, 0.0, 0.0): ((0.87, 0.33, 0.920), (0.03, 0.93, 0.49), (0.50, 0.92, 0.67), (0.20, 0.75, 0.71)),
    (50, 0.0, 0.1): ((0.90, 0.33, 0.916), (0.03, 0.94, 0.49), (0.50, 0.80, 0.63), (0.45, 0.82, 0.68)),
    (50, 0.1, 0.0): ((0.87, 0.47, 0.870), (0.10, 0.93, 0.49), (0.35, 0.94, 0.61), (0.25, 0.81, 0.68)),
    (50, 0.1, 0.1): ((0.80, 0.56, 0.848), (0.03, 0.93, 0.51), (0.35, 0.89, 0.62), (0.25, 0.88, 0.61)),
    (100, 0.0, 0.0): ((1.00, 0.18, 0.970), (0.00, 0.91, 0.53), (0.85, 0.79, 0.79), (0.55, 0.63, 0.81)),
    (100, 0.0, 0.1): ((1.00, 0.22, 0.966), (0.03, 0.90, 0.52), (0.50, 0.74, 0.77), (0.60, 0.72, 0.78)),
    (100, 0.1, 0.0): ((0.93, 0.29, 0.944), (0.17, 0.92, 0.52), (0.55, 0.77, 0.72), (0.65, 0.78, 0.77)),
    (100, 0.1, 0.1): ((0.93, 0.36, 0.934), (0.10, 0.92, 0.52), (0.65, 0.82, 0.75), (0.40, 0.72, 0.75)),
}
CONCEPTS = ("linear", "ball")
RANKERS = {
    "cosine": (GramSchmidt(centered=False, signed=True), 30),
    "EFR": (EFR(ROGER(), n_estimators=15, max_features=1.0), 20),  # as in the paper
    "univariate": (UnivariateAUC(folded=True), 30),
}


def points(d, redundant):
    """The eight rows of the table for both concepts, n and r in proportion to d."""
    return [
        {
            "n": n * d // 100,
            "d": d,
            "r": d // 10,
            "concept": concept,
            "redundant": redundant,
            "label_noise": e,
            "feature_noise": sigma,
        }
        for n, e, sigma in PAPER
        for concept in CONCEPTS
    ]


def rerun(cells, rankers, n_jobs, quick):
    """One row a cell and ranker."""
    tables = []
    for name in rankers:
        ranker, n_datasets = RANKERS[name]
        start = time.perf_counter()
        results = problem_space(ranker, cells, n_datasets=3 if quick else n_datasets, n_jobs=n_jobs)
        tables.append(summary(results).with_columns(ranker=pl.lit(name)))
        print(f"{name}: {results.height} data sets, {time.perf_counter() - start:.0f} s", flush=True)
    return pl.concat(tables)


def shown(row):
    return f"{row['p_b']:.2f} / {row['p_w']:.2f} / {row['auc']:.3f}"


def lines(table):
    """The table in Markdown: the paper's figures above ours."""
    yield "| n, e, sigma | | cosine linear | cosine non-linear | EFR linear | EFR non-linear | univariate linear | univariate non-linear |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for (n, e, sigma), printed in PAPER.items():
        old = [f"{p_b:.2f} / {p_w:.2f} / {area:.3f}" for p_b, p_w, area in printed]
        new = [
            shown(
                table.filter(
                    pl.col("ranker") == name,
                    pl.col("concept") == concept,
                    pl.col("n") == n,
                    pl.col("d") == 100,
                    pl.col("label_noise") == e,
                    pl.col("feature_noise") == sigma,
                    ~pl.col("redundant"),
                ).to_dicts()[0]
            )
            for name in RANKERS
            for concept in CONCEPTS
        ]
        yield f"| {n}, {e:.0%}, {sigma:g} | paper | {' | '.join(old)} | | |"
        yield f"| | tamis | {' | '.join(new)} |"


def more_lines(table):
    """The other cells, which the paper does not print."""
    yield "| d, n, redundant, e, sigma | concept | " + " | ".join(RANKERS) + " |"
    yield "| --- | --- " + "| --- " * len(RANKERS) + "|"
    rest = table.filter((pl.col("d") > 100) | pl.col("redundant"))
    keys = ["d", "n", "redundant", "label_noise", "feature_noise", "concept"]
    for key, group in rest.group_by(keys, maintain_order=True):
        d, n, redundant, e, sigma, concept = key
        figures = {row["ranker"]: shown(row) for row in group.to_dicts()}
        cells = " | ".join(figures.get(name, "") for name in RANKERS)
        yield f"| {d}, {n}, {'yes' if redundant else 'no'}, {e:.0%}, {sigma:g} | {concept} | {cells} |"


def differences(table):
    """Largest difference of the area from the paper's, by ranker and n."""
    found = {}
    for (n, e, sigma), printed in PAPER.items():
        for place, (name, concept) in enumerate(
            (name, concept) for name in ("cosine", "EFR") for concept in CONCEPTS
        ):
            row = table.filter(
                pl.col("ranker") == name,
                pl.col("concept") == concept,
                pl.col("n") == n,
                pl.col("d") == 100,
                pl.col("label_noise") == e,
                pl.col("feature_noise") == sigma,
                ~pl.col("redundant"),
            )
            gap = float(row["auc"][0]) - printed[place][2]
            key = f"{name}, {concept}, n={n}"
            found[key] = max(found.get(key, 0.0), gap, key=abs)
    return {key: round(value, 3) for key, value in found.items()}


def main():
    """Run, print and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="3 data sets a cell; nothing is written")
    parser.add_argument("--more", action="store_true", help="also redundant problems, and d = 200")
    parser.add_argument("--all", action="store_true", help="also d = 500")
    parser.add_argument("--jobs", type=int, default=1, help="data sets at the same time")
    given = parser.parse_args()
    cells = points(100, False)
    if given.more or given.all:
        cells += points(100, True) + points(200, False)
    if given.all:
        cells += points(500, False)
    table = rerun(cells, RANKERS, given.jobs, given.quick)
    page = [
        "p_b / p_w / area under ROC-FS; p_b is a mean over data sets, the others are medians.",
        "",
        *lines(table),
    ]
    if given.more or given.all:
        page += ["", *more_lines(table)]
    page += ["", "Largest difference of the area from the paper's: " + json.dumps(differences(table)) + "."]
    print("\n".join(page))
    if not given.quick:
        RESULTS.mkdir(exist_ok=True)
        rows = [{key: _short(value) for key, value in row.items()} for row in table.to_dicts()]
        text = json.dumps(rows, indent=1)
        (RESULTS / "efr_table1.json").write_text(text + "\n")
        (RESULTS / "efr_table1.md").write_text(
            "\n".join(["# Table 1 of the EFR paper, run again", "", *page]) + "\n"
        )


def _short(value):
    return round(value, 5) if isinstance(value, float | np.floating) else value


if __name__ == "__main__":
    main()
