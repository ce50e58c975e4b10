"""Columns that say something only together: PairScan beside what people use instead.

    python benchmarks/pairs.py FOLDER [--parts concepts,control,tables,costs,copies,time] [--groups ...] [--rankers A;B] [--show]

FOLDER keeps what was found, one line a fit: a run that was stopped goes on where it was, and --show only writes
benchmarks/results/pairs.json and pairs.md. GAMETES and madelon are read from the folder named by TAMIS_DATA (name.csv.gz).
The concepts are in benchmarks/pair_concepts.py; of the n rows of a cell five sixths are seen, as in one fold of six, and every
draw is a new table. A ranker is judged by the share of the k relevant columns among its first k.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import threadpoolctl
from column_rankers import RANKERS
from pair_concepts import HELD_OUT, PASSEMIERS, TUNING
from pair_copies import copies
from pair_costs import costs
from pair_pages import page

import tamis

RESULTS = Path(__file__).parent / "results"
CELLS = [(n, d) for n in (250, 500, 1000) for d in (128, 512, 2048)]
OTHER = [(500, 200)]  # the cell of all other concepts
QUICK = ("PairScan", "SBSMF", "SBSMF, 30 pairs", "UnivariateAUC, folded", "ReliefF", "mRMR")
SLOW = (
    "GramSchmidt",
    "BDSFS",
    "SBSMF, 30 pairs, copies share",
    "Simba",
    "Sieve",
    "EFR",
    "SampledEFR",
    "random forest",
    "extra trees",
    "LightGBM gain",
    "mutual information",
)
N_DRAWS = 5
N_PERMUTED = 100
SIZES = [(1000, 250), (1000, 500), (1000, 1000), (1000, 2000), (10_000, 200), (1000, 10_000), (100_000, 200)]


def _ours(make):
    def rank(X, nominal, y, seed):
        return np.argsort(make().set_params(categorical_features=nominal).fit(X, y).ranking_)

    return rank


RANKERS["UnivariateAUC, folded"] = _ours(lambda: tamis.UnivariateAUC(folded=True))
RANKERS["SBSMF"] = _ours(lambda: tamis.SBSMF(step=0.1, step_until=50))
RANKERS["SBSMF, 30 pairs"] = _ours(lambda: tamis.SBSMF(step=0.1, step_until=50, interactions=30))
RANKERS["SBSMF, 30 pairs, copies share"] = _ours(
    lambda: tamis.SBSMF(step=0.1, step_until=50, interactions=30, share_above=0.99)
)


def _products(X, nominal, y, seed):
    """The matrix products of the scan alone, as numpy does them: the floor of its time."""
    n, d = X.shape
    n_views = 4 * d if 4 * d <= 8192 else 2 * d
    views = np.resize(np.arange(-63, 64, dtype=np.int8), (n_views, n))
    halves = [range(start, stop, 4227) for start, stop in ((0, n // 2), (n // 2, n))]
    with threadpoolctl.threadpool_limits(1):
        for a in range(0, n_views, 1024):
            for b in range(a, n_views, 1024):
                for half in halves:
                    for start in half:
                        rows = slice(start, min(start + 4227, half.stop))
                        _ = (
                            views[a : a + 1024, rows].astype(np.float32)
                            @ views[b : b + 1024, rows].astype(np.float32).T
                        )
    return np.arange(d)


RANKERS["matrix products alone"] = _products


def drawn(concept, n, d, draw):
    """A table of a concept; the same for every ranker."""
    return concept(n, d, np.random.default_rng([draw, n, d]))


def concepts(kept, rankers):
    """The share of relevant columns among the first, for every concept."""
    groups = {"Passemiers": (PASSEMIERS, CELLS), "tuning": (TUNING, OTHER), "held out": (HELD_OUT, OTHER)}
    for draw in range(N_DRAWS):  # all cells once, then all again: a run that is cut short has all of them
        for group, (members, cells) in groups.items():
            for n, d in cells if group in kept.groups else []:
                for name, concept in members.items():
                    for ranker in rankers:
                        at = ["concepts", group, name, n, d, draw, ranker]
                        kept.enter(at, _found, concept, n, d, draw, ranker)


def _found(concept, n, d, draw, ranker):
    return _judged(drawn(concept, n, d, draw), n * 5 // 6, ranker, draw)


def _judged(table, n_seen, ranker, seed):
    X, nominal, y, relevant = table
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        order = RANKERS[ranker](X[:n_seen], nominal, y[:n_seen], seed)
    seconds = time.process_time() - start
    found = float(np.isin(order[: len(relevant)], relevant).mean())
    return {"share": round(found, 4), "seconds": round(seconds, 3)}


def control(kept, rankers):
    """The same tables with the classes permuted: how often anything is significant."""
    for name, concept in {**PASSEMIERS, **HELD_OUT}.items():
        for draw in range(N_PERMUTED):
            for kind in ("permuted", "as it is"):
                kept.enter(["control", name, kind, draw], _significant, concept, draw, kind)


def _significant(concept, draw, kind):
    X, nominal, y, relevant = drawn(concept, 300, 60, 1000 + draw)
    noise = ~np.isin(np.arange(60), relevant)
    if kind == "permuted":
        y, noise = np.random.default_rng(draw).permutation(y), np.ones(60, dtype=bool)
    scan = tamis.PairScan(categorical_features=nominal).fit(X, y)
    return {
        "false": bool(scan.p_values_[noise].min() < 0.05),
        "best": round(float(scan.scores_[noise].max()), 3),
        "found": bool(scan.p_values_[relevant].max() < 0.05),
    }


def tables(kept, rankers):
    """Tables whose relevant columns are known: of GAMETES and madelon."""
    folder = os.environ.get("TAMIS_DATA")
    if folder is None:
        print("TAMIS_DATA is not set: no tables")
        return
    for name in ("gametes_2way_20", "gametes_2way_1000", "gametes_het_20", "gametes_3way_20", "madelon"):
        if not (Path(folder) / f"{name}.csv.gz").exists():
            continue
        table = _table(Path(folder), name)
        (n, d), n_relevant = table[0].shape, len(table[3])
        for ranker in rankers:
            kept.enter(["tables", name, n, d, n_relevant, ranker], _judged, table, n, ranker, 0)


def _table(folder, name):
    frame = pl.read_csv(folder / f"{name}.csv.gz")
    X = frame[:, :-1].to_numpy().astype(float)
    y = np.unique(frame[:, -1].to_numpy(), return_inverse=True)[1]
    if name == "madelon":
        told = json.loads((folder / "MANIFEST.json").read_text())[name]["informative_columns"]
        relevant = np.array([frame.columns.index(column) for column in told])
    else:
        relevant = np.array([j for j, column in enumerate(frame.columns[:-1]) if column[0] in "PM"])
    return X, np.full(X.shape[1], name != "madelon"), y, relevant


def times(kept, rankers):
    """Processor seconds on one thread, and memory beside the table."""
    for n, d in SIZES:
        for ranker in ("PairScan", "matrix products alone", "random forest"):
            kept.enter(["time", n, d, ranker], _apart, n, d, ranker)


def _apart(n, d, ranker):
    """In a process of its own, whose peak is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_timed, (n, d, ranker))


def _timed(n, d, ranker):
    X = np.random.default_rng(0).random((n, d))
    y = ((X[:, 0] - 0.5) * (X[:, 1] - 0.5) > 0).astype(int)
    nominal = np.zeros(d, dtype=bool)
    for width in (5, 2100 if d > 2048 else 5):  # compile
        RANKERS[ranker](X[:50, :width], nominal[:width], y[:50], 0)
    before, start = _peak(), time.process_time()
    RANKERS[ranker](X, nominal, y, 0)
    return {"seconds": round(time.process_time() - start, 2), "megabytes": round(_peak() - before)}


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Kept:
    """What was found, one line a fit."""

    def __init__(self, folder, groups):
        self.groups = groups
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "pairs.jsonl"
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        self.entries = [json.loads(line) for line in lines]
        self.known = {json.dumps(entry["at"]) for entry in self.entries}

    def enter(self, at, fit, *given):
        """Fit, unless that was done."""
        if json.dumps(at) in self.known:
            return
        entry = {"at": at, **fit(*given)}
        self.entries.append(entry)
        self.known.add(json.dumps(at))
        with self.file.open("a") as file:
            file.write(json.dumps(entry) + "\n")


PARTS = {
    "concepts": concepts,
    "control": control,
    "tables": tables,
    "costs": costs,
    "copies": copies,
    "time": times,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--rankers", default=";".join(QUICK + SLOW))
    parser.add_argument("--groups", default="Passemiers,held out,tuning", help="of concepts")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    kept = Kept(given.folder, given.groups.split(","))
    for part in [] if given.show else given.parts.split(","):
        PARTS[part](kept, given.rankers.split(";"))
    entries = sorted(kept.entries, key=lambda entry: json.dumps(entry["at"]))
    (RESULTS / "pairs.json").write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
    (RESULTS / "pairs.md").write_text(page(entries))


if __name__ == "__main__":
    main()
