"""Decoys: is the false discovery rate what was asked for, and how much is found?

    python benchmarks/decoys.py FOLDER [--until HH:MM] [--part cells|families|statistics|bayes|real|costs] [--show]

FOLDER keeps what was found, one line a draw: a run that was stopped goes on where it was, and --show only writes
benchmarks/results/decoys.md, and decoy_judges.md if there are draws with other judges. Every round makes one more draw of every cell (of slow ones in every tenth round), until the time in UTC.
The tables are in benchmarks/decoy_tables.py; Boruta, knockpy and hidimstat are run by benchmarks/decoy_peers.py, in an environment of their own if need be.
"""

from __future__ import annotations

import argparse
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from decoy_pages import judges_page, lines, page, write
from decoy_tables import Cell, drawn
from sklearn.ensemble import RandomForestClassifier

import tamis
from tamis import datasets
from tamis.decoys.rates import adjusted, e_values
from tamis.features._bayesian_rate import n_at_rate

RATES = (0.05, 0.1, 0.2)
TABLES = [("gaussian", 0.3), ("gaussian", 0.7), ("gaussian", 0.9), ("heavy", 0.5), ("mixed", 0.5), ("missing", 0.5),
          ("curved", 0.3)]  # fmt: skip
CELLS = [
    *(Cell(table, rho, signal) for signal in ("linear", "squares") for table, rho in TABLES),
    *(Cell(table, 0.3, "nothing") for table in ("gaussian", "mixed")),
    *(Cell("gaussian", 0.3, "pairs", k=4), Cell("gaussian", 0.3, "linear", n=200)),
    *(Cell("gaussian", 0.7, "linear", n=200), Cell("mixed", 0.5, "linear", n=200)),
    *(Cell("gaussian", 0.3, "linear", n=2000), Cell("gaussian", 0.3, "squares", n=2000)),
    *(Cell("gaussian", 0.3, "linear", d=200, k=20), Cell("gaussian", 0.3, "squares", d=200, k=20)),
]
SLOW = [
    *(
        Cell("gaussian", 0.3, "linear", n=200, d=200, k=20),
        Cell("gaussian", 0.3, "linear", n=2000, d=200, k=20),
    ),
    *(Cell("mixed", 0.5, "linear", d=200, k=20), Cell("gaussian", 0.3, "linear", d=1000, k=30)),
]
REAL = (
    "ionosphere",
    "vehicle",
    "heart_cleveland",
    "credit_crx",
    "german",
    "breast_w",
    "house_votes",
    "horse_colic",
)
STATISTICS = {
    "SBSMF": (None, 10),
    "UnivariateAUC": (tamis.UnivariateAUC(folded=True), 10),
    "ReliefF": (tamis.ReliefF(), 3),
    "forest": (RandomForestClassifier(100, min_samples_leaf=3), 3),
    "PairScan": (tamis.PairScan(), 3),
    "SampledEFR": (tamis.SampledEFR(n_chains=2, n_additive_chains=1, n_sweeps=120, n_burn_in=40), 1),
}
FAMILY = {0.7: 0.6, 0.9: 0.8}  # the rank correlation from which columns are one family
FAMILY_CELLS = [Cell("gaussian", rho, signal) for rho in FAMILY for signal in ("linear", "squares")]
STATISTIC_CELLS = [Cell("gaussian", 0.3, "linear"), Cell("gaussian", 0.7, "squares"), Cell("mixed", 0.5, "linear"),
                   Cell("gaussian", 0.3, "pairs", k=4)]  # fmt: skip
BAYES_CELLS = [*STATISTIC_CELLS, Cell("gaussian", 0.3, "squares"), Cell("heavy", 0.5, "linear"), Cell("curved", 0.3, "squares"),
               Cell("gaussian", 0.9, "linear"), Cell("gaussian", 0.3, "nothing")]  # fmt: skip


def answers(selector, n_sets, cell, seed, **settings):
    """What is kept at each rate, by the first set of decoys alone and by all together; of families, not of columns, if there are."""
    X, nominal, y, relevant = drawn(cell, seed)
    start = time.process_time()
    decoys = tamis.Decoys(
        selector, n_sets=n_sets, categorical_features=nominal, random_state=seed, **settings
    )
    decoys.fit(X, y)
    seconds = time.process_time() - start
    _, first = np.unique(decoys.units_, return_index=True)
    relevant = np.isin(decoys.units_[first], decoys.units_[relevant])
    won, leads = decoys.statistics_[:, first] > 0, np.abs(decoys.statistics_[:, first])
    for rate in RATES:
        one = adjusted(e_values(won[0], leads[0], rate, decoys.n_decoys_))
        several = [e_values(*both, rate / 2, decoys.n_decoys_) for both in zip(won, leads)]
        for name, told in (("one set", one), ("all sets", adjusted(np.mean(several, axis=0)))):
            yield {
                "rate": rate,
                "sets": name,
                **counted(told <= rate * (1 + 1e-12), relevant),
                "k": int(relevant.sum()),
                "doubted": bool(decoys.doubts_),
                "seconds": seconds,
            }


def counted(kept, relevant):
    """How many of the kept columns are relevant, and how many are not."""
    return {"right": int((kept & relevant).sum()), "false": int((kept & ~relevant).sum())}


def bayesian(cell, seed):
    """What SampledEFR keeps at a rate of its own, from one run of its chains."""
    X, nominal, y, relevant = drawn(cell, seed)
    start = time.process_time()
    found = tamis.SampledEFR(fdr=RATES[0], categorical_features=nominal, random_state=seed).fit(X, y)
    seconds = time.process_time() - start
    order = np.lexsort((-found.scores_, -found.inclusion_))
    for rate in RATES:
        kept = np.zeros(len(order), dtype=bool)
        kept[order[: n_at_rate(found.inclusion_, rate)]] = True
        yield {"rate": rate, "sets": "one set", **counted(kept, relevant), "seconds": seconds}


def jobs(part, seed):
    """Who answers which cell in this round."""
    if part == "cells":
        for cell in CELLS if seed % 10 else [*CELLS, *SLOW]:
            yield cell, "SBSMF", lambda c=cell: answers(None, 10, c, seed)
    for cell in STATISTIC_CELLS if part == "statistics" else []:
        for name, (selector, n_sets) in STATISTICS.items():
            if name != "SBSMF":
                yield cell, name, lambda s=selector, m=n_sets, c=cell: answers(s, m, c, seed)
    for cell in FAMILY_CELLS if part == "families" else []:
        yield cell, "families", lambda c=cell: answers(None, 10, c, seed, group_above=FAMILY[c.rho])
    for cell in BAYES_CELLS if part == "bayes" else []:
        yield cell, "SampledEFR(fdr)", lambda c=cell: bayesian(c, seed)


def real_tables(folder):
    """Tables that ship with tamis, each with permuted copies of its own columns: how many of the copies are kept."""
    done = {(line["table"], line["seed"]) for line in lines(folder / "real.jsonl")}
    for seed in range(10):
        for name in REAL:
            data = datasets.load(name)
            if (name, seed) in done:
                continue
            random = np.random.default_rng(seed)
            rows = random.permutation(data.X.height)
            copies = data.X[rows.tolist()].rename({column: f"{column} permuted" for column in data.X.columns})
            whole = data.X.hstack(copies.get_columns())
            decoys = tamis.Decoys(random_state=seed).fit(whole, data.y)
            d = data.X.width
            write(folder / "real.jsonl", {"table": name, "seed": seed, "n": data.X.height, "d": d,
                "kept": int(decoys.support_[:d].sum()), "permuted kept": int(decoys.support_[d:].sum()),
                "doubted": bool(decoys.doubts_), "joined": len(decoys.joined_)})  # fmt: skip


def costs(folder):
    """Processor seconds of Decoys, as a multiple of one plain ranking of the same columns by the same selector."""
    (folder / "costs.jsonl").unlink(missing_ok=True)
    wide = Cell("gaussian", 0.3, "linear", d=200, k=20)
    for cell in (Cell("gaussian", 0.3, "linear"), Cell("mixed", 0.5, "linear"), wide):
        X, nominal, y, _ = drawn(cell, 0)
        for name, (selector, _) in STATISTICS.items():
            if name == "SampledEFR" or (cell == wide and name in ("forest", "PairScan", "ReliefF")):
                continue  # minutes
            ranker = tamis.SBSMF(n_rounds=300, learning_rate=0.3, step=0.9) if selector is None else selector
            if "categorical_features" in ranker.get_params():
                ranker = ranker.set_params(categorical_features=nominal)
            decoys = tamis.Decoys(ranker, n_sets=1, categorical_features=nominal, random_state=0)
            both = []
            for one in (ranker, decoys):
                one.fit(X, y)  # compiles
                one = one.set_params(n_sets=10) if one is decoys else one
                start = time.process_time()
                one.fit(X, y)
                both.append(time.process_time() - start)
            write(
                folder / "costs.jsonl", {"cell": cell.name, "who": name, "plain": both[0], "decoys": both[1]}
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--part", choices=["cells", "families", "statistics", "bayes", "real", "costs"], default="cells"
    )
    parser.add_argument("--until", default="23:59")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    if asked.show:
        parts = ("cells", "families", "statistics", "bayes", "peers", "real", "costs")
        found = {name: lines(asked.folder / f"{name}.jsonl") for name in parts}
        results = Path(__file__).parent / "results"
        (results / "decoys.md").write_text(page(found), encoding="utf-8")
        if found["statistics"]:
            (results / "decoy_judges.md").write_text(judges_page(found), encoding="utf-8")
        return
    if asked.part in ("real", "costs"):
        {"real": real_tables, "costs": costs}[asked.part](asked.folder)
        return
    path = asked.folder / f"{asked.part}.jsonl"
    done = {(line["cell"], line["who"], line["seed"]) for line in lines(path)}
    for seed in range(asked.draws):
        for cell, who, answer in jobs(asked.part, seed):
            if (cell.name, who, seed) in done:
                continue
            if datetime.now(UTC).strftime("%H:%M") >= asked.until:
                return
            told = list(answer())
            for line in told:
                write(path, {"cell": cell.name, "who": who, "seed": seed, "k": cell.k, **line})


if __name__ == "__main__":
    main()
