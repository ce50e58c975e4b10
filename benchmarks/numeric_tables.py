"""r2 at 2, 4, 8 and 16 columns of real tables with a numeric target, by `tamis.study.compare`, beside the peers.

    OMP_NUM_THREADS=1 TAMIS_DATA=folder python benchmarks/numeric_tables.py [--summary]

Each method ranks the training rows of five folds (stratified by tenths of the target), and the three models of `compare` are
scored on the rows held out. A table of fewer than 60 columns gets three times as many columns of noise, permuted copies of its
own; of more than 300 rows 300 are drawn. What was done is kept in benchmarks/results/numeric_tables.json and is not done
again; --summary writes the page beside it from what is there. numeric_targets.py is the longer study, on ten tables and Friedman's functions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numeric_race import elsewhere, shipped

RESULTS = Path(__file__).parent / "results"
TABLES = (
    *("glass_index", "heart_rate", "german_amount"),
    *("bodyfat", "no2", "tecator", "cpu_small", "houses", "pm10", "wind"),
)
OURS = ("sbs-mf", "bdsfs", "univariate-auc", "gram-schmidt", "relieff")
PEERS = ("f-test", "mutual-information", "lasso-path", "forest", "lightgbm")
SIZES = (2, 4, 8, 16)
MODELS = ("5-nn", "ridge", "boosting")
N_ROWS, FEW_COLUMNS, N_NOISE = 300, 60, 3


def table(name):
    """At most so many rows, with columns of noise; None if it is not at hand."""
    found = shipped(name) if name in TABLES[:3] else elsewhere(name)
    if found is None:
        return None
    X, y = found
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(y))[:N_ROWS])
    X, y = X[rows], y[rows]
    if X.shape[1] < FEW_COLUMNS:
        copies = X[:, rng.integers(0, X.shape[1], N_NOISE * X.shape[1])]
        X = np.hstack([X, rng.permuted(copies, axis=0)])
    return X, y


def scored(name):
    """The mean r2 of each method, model and size on one table; None if it is not at hand."""
    from tamis.study import compare

    found = table(name)
    if found is None:
        return None
    X, y = found
    done = compare(X, y, [*OURS, *PEERS], column_sizes=SIZES, repeats=1, random_state=0)
    means = {}
    for method in [*OURS, *PEERS]:
        if method in done.left_out:
            print(f"{name}: {method} is left out: {done.left_out[method]}")
            continue
        means[method] = {model: done.curve(method, model, "r2").mean.tolist() for model in MODELS}
    everything = {model: float(done.curve("all columns", model, "r2").mean[0]) for model in MODELS}
    return {"rows": len(y), "columns": X.shape[1], "r2": means, "all columns": everything}


def page(tables):
    """Means over the tables, with the standard error of each method's difference to the best peer."""
    methods = [name for name in (*OURS, *PEERS) if all(name in one["r2"] for one in tables.values())]
    r2 = np.array(
        [[[one["r2"][name][model] for model in MODELS] for name in methods] for one in tables.values()]
    )
    r2 = np.maximum(r2, -1.0)  # a model that runs away on one fold decides nothing
    over_all = r2.mean(axis=(2, 3))  # tables, methods
    means = r2.mean(axis=(0, 2))  # methods, sizes
    best = max(
        (name for name in methods if name in PEERS), key=lambda name: over_all[:, methods.index(name)].mean()
    )
    lines = [
        "# Real tables with a numeric target: r2 on rows held out",
        "",
        f"{len(tables)} tables ({', '.join(tables)}), five folds, the ranking made on the training rows; mean over three models (5-nn, ridge, boosting).",
        "r2 below -1 counts as -1. `python benchmarks/numeric_tables.py` writes it anew.",
        "",
        f"| method | {' | '.join(f'{size} columns' for size in SIZES)} | mean | less {best} (s.e. over tables) |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    order = np.argsort(-over_all.mean(axis=0), kind="stable")
    reference = over_all[:, methods.index(best)]
    for k in order:
        apart = over_all[:, k] - reference
        error = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.nan
        cells = " | ".join(f"{value:.3f}" for value in means[k])
        lines.append(
            f"| {methods[k]} | {cells} | {over_all[:, k].mean():.3f} | {apart.mean():+.3f} ({error:.3f}) |"
        )
    lines += ["", "| table | rows x columns | all columns | " + " | ".join(methods) + " |"]
    lines += ["| --- | --- | --: | " + " | ".join("--:" for _ in methods) + " |"]
    for t, (name, one) in enumerate(tables.items()):
        every = np.mean([max(-1.0, value) for value in one["all columns"].values()])
        cells = " | ".join(f"{value:.3f}" for value in over_all[t])
        lines.append(f"| {name} | {one['rows']} x {one['columns']} | {every:.3f} | {cells} |")
    by_model = r2.mean(axis=(0, 3))
    lines += ["", "| method | " + " | ".join(MODELS) + " |", "| --- | --: | --: | --: |"]
    lines += [
        f"| {methods[k]} | " + " | ".join(f"{value:.3f}" for value in by_model[k]) + " |" for k in order
    ]
    return "\n".join(lines) + "\n"


def main():
    """Do what is not done yet, table by table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--summary", action="store_true")
    summary = parser.parse_args().summary
    path = RESULTS / "numeric_tables.json"
    tables = json.loads(path.read_text()) if path.exists() else {}
    for name in () if summary else TABLES:
        if name not in tables:
            found = scored(name)
            if found is None:
                print(f"{name}: not at hand, left out")
                continue
            tables[name] = found
            path.write_text(json.dumps(tables, indent=1) + "\n")
            print(name, flush=True)
    (RESULTS / "numeric_tables.md").write_text(page(tables))


if __name__ == "__main__":
    main()
