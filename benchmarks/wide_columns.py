"""Two-class microarrays, some dozen rows and thousands of columns: how good and how stable are the first few columns?

    TAMIS_DATA=folder python benchmarks/wide_columns.py [--rankers Sieve,...] [--splits 10] [--summary]

The tables (dlbcl_shipp, 77 x 7,129, and prostate_ge5966) do not ship with tamis; they are read from the folder named by TAMIS_DATA. A
ranker sees two thirds of the rows of each class; its first 5, 20 and 50 columns are judged by the mean accuracy of 5 nearest neighbours,
logistic regression (ridge) and a forest on the other rows. Stability is the mean over pairs of splits of the Jaccard index of the first columns, and
Kuncheva's index, which is 0 in expectation for columns drawn at random. What was done is kept in the file of --path and is not done
again; --summary writes benchmarks/results/wide_columns.json and wide_columns.md from it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from pathlib import Path

import numpy as np
from column_rankers import RANKERS
from column_tables import table

RESULTS = Path(__file__).parent / "results"
TABLES = ("dlbcl_shipp", "prostate_ge5966")
SIZES = (5, 20, 50)
PEERS = (
    "Sieve", "Sieve, no search", "SBSMF", "random forest", "extra trees", "LightGBM gain", "SVM-RFE", "ANOVA F", "mRMR",
    "l1 logistic",
)  # fmt: skip


def split(y, name, seed):
    """Two thirds of the rows of each class, and the others."""
    random = np.random.default_rng([sum(name.encode()), seed])
    train, test = [], []
    for label in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == label))
        cut = round(len(rows) * 2 / 3)
        train.append(rows[:cut])
        test.append(rows[cut:])
    return random.permutation(np.concatenate(train)), np.concatenate(test)


def accuracy(X, y, train, test, columns):
    """Mean accuracy of the three models on some columns."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import StandardScaler

    Z = X[:, columns]
    Z = StandardScaler().fit(Z[train]).transform(Z)
    models = (
        KNeighborsClassifier(5),
        LogisticRegression(max_iter=2000),
        RandomForestClassifier(100, random_state=0, n_jobs=1),
    )
    return float(np.mean([(m.fit(Z[train], y[train]).predict(Z[test]) == y[test]).mean() for m in models]))


def run(rankers, n_splits, path):
    done = {tuple(entry["at"]) for entry in entries(path)}
    with path.open("a") as file:
        for seed in range(n_splits):
            for name in TABLES:
                found = table(name)
                if found is None:
                    print(f"{name}: not in the folder of TAMIS_DATA", flush=True)
                    continue
                X, nominal, y = found
                X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
                train, test = split(y, name, seed)
                for r in rankers:
                    if (name, seed, r) in done:
                        continue
                    start = time.process_time()
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        order = RANKERS[r](X[train], nominal, y[train], seed)
                        seconds = time.process_time() - start
                        scores = [accuracy(X, y, train, test, order[:size]) for size in SIZES]
                    entry = {
                        "at": [name, seed, r],
                        "seconds": round(seconds, 2),
                        "accuracy": [round(score, 5) for score in scores],
                        "first": order[: max(SIZES)].tolist(),
                    }
                    file.write(json.dumps(entry) + "\n")
                    file.flush()
                    print(name, seed, r, entry["seconds"], entry["accuracy"], flush=True)


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def stability(firsts, n_columns):
    """Mean Jaccard and Kuncheva index of the first columns over pairs of splits, at each size."""
    told = []
    for size in SIZES:
        pairs = [len({*a[:size]} & {*b[:size]}) for a, b in itertools.combinations(firsts, 2)]
        jaccard = np.mean([both / (2 * size - both) for both in pairs])
        kuncheva = np.mean([(both * n_columns - size**2) / (size * (n_columns - size)) for both in pairs])
        told.append((round(float(jaccard), 4), round(float(kuncheva), 4)))
    return told


def summarised(found):
    """Means over the splits that all rankers of a table did."""
    results = {}
    for name in sorted({entry["at"][0] for entry in found}):
        here = [entry for entry in found if entry["at"][0] == name]
        rankers = {entry["at"][2] for entry in here}
        by_ranker = {r: {e["at"][1]: e for e in here if e["at"][2] == r} for r in rankers}
        seeds = sorted(set.intersection(*(set(by) for by in by_ranker.values())))
        X, _, y = table(name)
        own = np.array([by_ranker["Sieve"][s]["accuracy"] for s in seeds])
        for r, by in by_ranker.items():
            scores = np.array([by[s]["accuracy"] for s in seeds])
            ahead = own - scores
            results[f"{name}|{r}"] = {
                "rows": len(y),
                "columns": X.shape[1],
                "splits": len(seeds),
                "accuracy": scores.mean(axis=0).round(5).tolist(),
                "behind_sieve": ahead.mean(axis=0).round(5).tolist(),
                "error": (ahead.std(axis=0, ddof=1) / np.sqrt(len(seeds))).round(5).tolist(),
                "stability": stability([by[s]["first"] for s in seeds], X.shape[1]),
                "seconds": round(float(np.mean([by[s]["seconds"] for s in seeds])), 2),
            }
    return results


def page(results):
    lines = [
        "# Columns of microarrays",
        "",
        "`TAMIS_DATA=folder python benchmarks/wide_columns.py`, then `--summary`. Accuracy in per cent on the third of the rows that the ranker did not",
        "see, mean of 5-NN, logistic regression and a forest; in brackets how far Sieve is ahead, with the standard error over splits (which share rows, so",
        "that it is too small). Stability of the first columns over the splits: Jaccard and Kuncheva's index at 20.",
    ]
    for name in sorted({at.split("|")[0] for at in results}):
        here = {at.split("|")[1]: told for at, told in results.items() if at.split("|")[0] == name}
        any_one = next(iter(here.values()))
        lines += [
            "",
            f"## {name}: {any_one['rows']} x {any_one['columns']:,}, {any_one['splits']} splits",
            "",
            "| ranker | 5 columns | 20 columns | 50 columns | Jaccard | Kuncheva | seconds |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        ]
        order = sorted(here, key=lambda r: (r != "Sieve", -float(np.mean(here[r]["accuracy"]))))
        for r in order:
            told = here[r]
            cells = [
                f"{100 * a:.1f}" + ("" if r == "Sieve" else f" ({100 * b:+.1f} ± {100 * e:.1f})")
                for a, b, e in zip(told["accuracy"], told["behind_sieve"], told["error"])
            ]
            jaccard, kuncheva = told["stability"][1]
            lines.append(
                f"| {r} | {' | '.join(cells)} | {jaccard:.2f} | {kuncheva:.2f} | {told['seconds']:.1f} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rankers", default="|".join(PEERS), help="separated by |")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--path", type=Path, default=RESULTS / "wide_columns.jsonl")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if options.summary:
        results = summarised(entries(options.path))
        (RESULTS / "wide_columns.json").write_text(json.dumps(results, indent=0, sort_keys=True) + "\n")
        (RESULTS / "wide_columns.md").write_text(page(results))
        return
    run(options.rankers.split("|"), options.splits, options.path)


if __name__ == "__main__":
    main()
