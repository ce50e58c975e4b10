"""Boruta, knockpy and hidimstat on the tables of benchmarks/decoys.py: what they keep.

    python benchmarks/decoy_peers.py FOLDER [--until HH:MM] [--draws 200]

FOLDER is that of benchmarks/decoys.py, which shows the results. Peers are given numeric tables without gaps, as they ask for. This file needs
numpy, scipy, scikit-learn, Boruta, knockpy and hidimstat, and not tamis: an environment of its own will do.
"""

from __future__ import annotations

import argparse
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from decoy_pages import lines, write
from decoy_tables import Cell, drawn

RATES = (0.05, 0.1, 0.2)
TABLES = [("gaussian", 0.3), ("gaussian", 0.7), ("gaussian", 0.9), ("heavy", 0.5), ("curved", 0.3)]
CELLS = [
    *(Cell(table, rho, signal) for signal in ("linear", "squares") for table, rho in TABLES),
    Cell("gaussian", 0.3, "pairs", k=4),
]


def boruta(X, y, seed):
    """BorutaPy with its defaults, on a forest as its documentation shows it; the rate is not a choice."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(max_depth=5, random_state=seed, n_jobs=1)
    yield None, BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y).support_


def knockpy(X, y, seed):
    """knockpy with its own statistic for classes, the coefficients of a penalised logistic regression."""
    yield from _knockpy(X, y, seed, "lasso")


def knockpy_forest(X, y, seed):
    """knockpy with the importances of a forest."""
    yield from _knockpy(X, y, seed, "randomforest")


def _knockpy(X, y, seed, statistic):
    from knockpy import KnockoffFilter

    np.random.seed(seed)  # noqa: NPY002 - knockpy draws from the global state
    knockoffs = KnockoffFilter(ksampler="gaussian", fstat=statistic)
    kept = knockoffs.forward(X=X, y=y, fdr=RATES[0])
    for rate in RATES:
        yield (
            rate,
            np.asarray(
                kept if rate == RATES[0] else knockoffs.make_selections(knockoffs.W, rate), dtype=bool
            ),
        )


def hidimstat(X, y, seed):
    """hidimstat's knockoffs with their defaults, the lasso on the classes as numbers."""
    from hidimstat import ModelXKnockoff

    found = ModelXKnockoff(random_state=seed, n_jobs=1).fit(X, y.astype(float))
    found.importance(X, y.astype(float))
    for rate in RATES:
        yield rate, np.asarray(found.fdr_selection(fdr=rate)) != 0


PEERS = {"Boruta": boruta, "knockpy": knockpy, "knockpy, forest": knockpy_forest, "hidimstat": hidimstat}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--until", default="23:59")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--peers", default=",".join(PEERS).replace("knockpy, forest", "knockpy; forest"))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    asked.folder.mkdir(exist_ok=True)
    path = asked.folder / "peers.jsonl"
    done = {(line["cell"], line["who"], line["seed"]) for line in lines(path)}
    for seed in range(asked.draws):
        for cell in CELLS:
            for name in (one.replace(";", ",") for one in asked.peers.split(",")):
                if (cell.name, name, seed) in done:
                    continue
                if datetime.now(UTC).strftime("%H:%M") >= asked.until:
                    return
                X, _, y, relevant = drawn(cell, seed)
                start = time.process_time()
                for rate, kept in PEERS[name](X, y, seed):
                    told = {"right": int((kept & relevant).sum()), "false": int((kept & ~relevant).sum())}
                    seconds = time.process_time() - start
                    write(path, {"cell": cell.name, "who": name, "seed": seed, "k": cell.k, "rate": rate, "sets": "one set", **told,
                                 "seconds": seconds})  # fmt: skip


if __name__ == "__main__":
    main()
