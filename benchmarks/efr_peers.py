"""Column rankers side by side on problems whose relevant columns are known: ours and those of scikit-learn.

Run it from the repository: ``python benchmarks/efr_peers.py FOLDER`` (about an hour on one core). FOLDER keeps the
results, one row a data set: a run that was stopped goes on where it was. ``--rankers "A;B"`` runs only these, and
``--show`` runs nothing and writes the table of what FOLDER holds.

d = 100 columns, r = 10 of them relevant; n = 50 and 100 rows; the concepts linear, ball, two and xor; clean, and with
10 % wrong labels and noise of standard deviation .1 on every value; up to 40 data sets a cell, the same for every
ranker, of which the slow ones see the first few: the tables say how many, and leave out cells with fewer than 8.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import RFE, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

import tamis
from tamis.study.problem_space import problem_space

RESULTS = Path(__file__).parent / "results"
SEED = 1
N_DATASETS = 40
LEAST = 8  # data sets, for a cell to be shown
SLOW = {
    "EFR": 20,
    "EFR, as in the paper": 20,
    "SampledEFR": 20,
    "extra trees": 12,
    "random forest": 12,
}  # the first of the same data sets


class MutualInformation(BaseEstimator):
    """scikit-learn's estimate from nearest neighbours."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.scores_ = mutual_info_classif(X, y, random_state=self.random_state)
        return self


class LassoLogistic(BaseEstimator):
    """Logistic regression with an l1 penalty on standardised columns, and on their folds where `squares`."""

    def __init__(self, C=1.0, squares=False, random_state=None):
        self.C = C
        self.squares = squares
        self.random_state = random_state

    def fit(self, X, y):
        views = [X, (X - np.median(X, axis=0)) ** 2] if self.squares else [X]
        model = LogisticRegression(
            l1_ratio=1.0, solver="liblinear", C=self.C, random_state=self.random_state, max_iter=1000
        ).fit(scale(np.hstack(views)), y)
        self.scores_ = np.abs(model.coef_[0]).reshape(len(views), -1).max(axis=0)
        return self


RANKERS = {
    "SampledEFR": lambda: tamis.SampledEFR(),
    "EFR": lambda: tamis.EFR(),
    "EFR, as in the paper": lambda: tamis.EFR(tamis.ROGER()),
    "signed cosine": lambda: tamis.GramSchmidt(centered=False, signed=True),
    "cosine, sign-blind": lambda: tamis.GramSchmidt(),
    "folded univariate": lambda: tamis.UnivariateAUC(folded=True),
    "ReliefF": lambda: tamis.ReliefF(),
    "mutual information": lambda: MutualInformation(),
    "l1-logistic": lambda: LassoLogistic(),
    "l1-logistic, squares": lambda: LassoLogistic(squares=True),
    "SVM-RFE": lambda: RFE(LinearSVC(max_iter=10_000), n_features_to_select=1, step=1),
    "averaged linear weights": lambda: tamis.EFR(
        LinearSVC(max_iter=10_000), n_estimators=50, bootstrap=True, aggregation="mean"
    ),
    "gradient boosting": lambda: GradientBoostingClassifier(),
    "extra trees": lambda: ExtraTreesClassifier(500),
    "random forest": lambda: RandomForestClassifier(500),
}


def points():
    """The sixteen cells."""
    return [
        {
            "n": n,
            "d": 100,
            "r": 10,
            "concept": concept,
            "redundant": False,
            "label_noise": noise,
            "feature_noise": noise,
        }
        for noise in (0.0, 0.1)
        for n in (50, 100)
        for concept in ("linear", "ball", "two", "xor")
    ]


def run(name, folder):
    """All cells of one ranker, a few data sets of each at a time, resumed from its folder."""
    place = folder / name.replace(" ", "_").replace(",", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence of the peers
        for count in (2, 4, 8, 12, 20, 40):
            if count <= SLOW.get(name, N_DATASETS):
                problem_space(RANKERS[name](), points(), n_datasets=count, path=place, random_state=SEED)
    print(f"{name}: done", flush=True)


def measured(folder):
    """One row a data set and ranker."""
    tables = []
    for name in RANKERS:
        files = sorted((folder / name.replace(" ", "_").replace(",", "")).glob("*.parquet"))
        if not files:
            continue
        rows = pl.concat([pl.read_parquet(file) for file in files], how="diagonal")
        rows = rows.unique(["label_noise", "n", "concept", "dataset"], keep="first", maintain_order=True)
        rows = rows.filter(pl.col("dataset") < SLOW.get(name, N_DATASETS))
        tables.append(rows.with_columns(ranker=pl.lit(name)))
    return pl.concat(tables, how="diagonal")


def collected(rows):
    """One row a cell and ranker; cells of which too few data sets are done are left out."""
    keys = ["ranker", "label_noise", "n", "concept"]
    figures = [pl.len().alias("n_datasets"), pl.median("seconds")]
    for name in ("auc", "p_b", "p_w"):
        figures += [
            pl.mean(name).round(4),
            (pl.std(name) / pl.len().sqrt()).round(4).alias(f"{name}_error"),
        ]
    table = rows.group_by(keys, maintain_order=True).agg(figures)
    return table.filter(pl.col("n_datasets") >= LEAST)


def lines(table):
    """The page: one table of each figure, the best of each column in bold."""
    cells = [(point["label_noise"], point["n"], point["concept"]) for point in points()]
    for figure, title, best_of in (
        ("auc", "Area under ROC-FS (mean and standard error over data sets; 1 is perfect, .5 chance)", max),
        ("p_b", "p_b: how often the best column is relevant", max),
        ("p_w", "p_w: rank of the worst relevant column over d (.10 is perfect)", min),
    ):
        for noise in (0.0, 0.1):
            here = [cell for cell in cells if cell[0] == noise]
            kind = "10 % wrong labels, noise .1 on the values" if noise else "clean"
            yield f"## {title}: {kind}"
            yield ""
            yield "| ranker | " + " | ".join(f"{concept} {n}" for _, n, concept in here) + " |"
            yield "| --- " * (len(here) + 1) + "|"
            found = {
                (row["ranker"], row["label_noise"], row["n"], row["concept"]): row for row in table.to_dicts()
            }
            names = [name for name in RANKERS if any((name, *cell) in found for cell in here)]
            best = {
                cell: best_of(
                    (found[name, *cell][figure] for name in names if (name, *cell) in found), default=0
                )
                for cell in here
            }
            for name in names:
                shown, counts = [], set()
                for cell in here:
                    row = found.get((name, *cell))
                    if row is None:
                        shown.append("")
                        continue
                    counts.add(row["n_datasets"])
                    text = f"{row[figure]:.3f}"
                    text = f"**{text}**" if row[figure] == best[cell] else text
                    shown.append(f"{text} ({row[f'{figure}_error']:.3f})")
                sets = "-".join(map(str, sorted({min(counts), max(counts)})))
                yield f"| {name} ({sets} sets) | " + " | ".join(shown) + " |"
            yield ""


def gaps(rows):
    """How far SampledEFR lies before (+) or behind (-) the best of the others in each cell, on the same data sets."""
    for point in points():
        cell = rows.filter(*(pl.col(name) == point[name] for name in ("label_noise", "n", "concept")))
        ours = cell.filter(pl.col("ranker") == "SampledEFR").select("dataset", ours="auc")
        others = cell.filter(pl.col("ranker") != "SampledEFR").join(ours, on="dataset")
        difference = pl.col("ours") - pl.col("auc")
        compared = (
            others.group_by("ranker")
            .agg(
                pl.len().alias("sets"),
                pl.mean("ours"),
                pl.mean("auc"),
                difference.mean().alias("difference"),
                (difference.std() / pl.len().sqrt()).alias("error"),
            )
            .filter(pl.col("sets") >= LEAST)
            .sort("difference")
        )
        if compared.height:
            best = compared.row(0, named=True)
            kind = "noisy" if point["label_noise"] else "clean"
            yield (
                f"| {kind}, n = {point['n']}, {point['concept']} | {best['ours']:.3f} | {best['ranker']} "
                f"| {best['auc']:.3f} | {best['difference']:+.3f} ({best['error']:.3f}) | {best['sets']} |"
            )


def write(folder):
    """Print the tables and write them to the results."""
    rows = measured(folder)
    table = collected(rows)
    page = ["# Rankers of columns side by side", "", *(__doc__ or "").strip().splitlines()[-3:], ""]
    page += ["## SampledEFR beside the best of the others, by area, on the data sets that both have seen", ""]
    page += ["| cell | SampledEFR | best other | its area | difference (standard error) | data sets |"]
    page += ["| --- " * 6 + "|", *gaps(rows), "", *lines(table)]
    page += [
        "## Seconds a data set (median, one core of a busy machine)",
        "",
        "| ranker | n = 50 | n = 100 |",
    ]
    page += ["| --- | --- | --- |"]
    for name in dict.fromkeys(table["ranker"].to_list()):
        mine = table.filter(pl.col("ranker") == name)
        taken = [mine.filter(pl.col("n") == n)["seconds"].median() for n in (50, 100)]
        page.append(f"| {name} | " + " | ".join(f"{seconds:.3f}" for seconds in taken) + " |")
    RESULTS.mkdir(exist_ok=True)
    told = table.with_columns(pl.col("seconds").round(4)).to_dicts()
    (RESULTS / "efr_peers.json").write_text(json.dumps(told, indent=1) + "\n")
    (RESULTS / "efr_peers.md").write_text("\n".join(page).rstrip() + "\n")
    print("\n".join(page))


def main():
    """Run what is asked for and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the results are kept")
    parser.add_argument("--rankers", help="names, separated by semicolons; all of them by default")
    parser.add_argument("--show", action="store_true", help="run nothing, write the tables")
    given = parser.parse_args()
    if not given.show:
        for name in given.rankers.split(";") if given.rankers else RANKERS:
            run(name, given.folder)
    write(given.folder)


if __name__ == "__main__":
    main()
