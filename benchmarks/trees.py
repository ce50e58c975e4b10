"""Boosted trees of several leaves: how fast they are beside LightGBM, and how well they rank columns.

    python benchmarks/trees.py race [--tables spambase,...]
    python benchmarks/trees.py rank [--half 1|2] [--seeds 0] [--tables ...] [--path trees.jsonl]
    python benchmarks/trees.py madelon
    python benchmarks/trees.py page [--path trees.jsonl]

``race``: one fit of 100 rounds of trees of 4 and of 8 leaves, preparation included, one thread, processor time, the median of
alternating runs after one that is not timed. ``rank``: a ranker sees the training rows of benchmarks/column_tables.py, as they are and
with three times as many columns of noise; its first 2, 4, 8 and 16 columns are judged by the accuracy of three models on other rows.
Settings are chosen on the tables of the first half, the second confirms them. ``madelon``: how many of the 20 known columns
are among the first 20, on all 2,600 rows. What was done is kept in the file of --path and is not done again; ``page`` writes
benchmarks/results/trees.md from it and from trees.json, where the race and madelon leave theirs.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from column_rankers import RANKERS, _ours
from column_tables import FIRST_HALF, SECOND_HALF, Task, task
from columns import accuracies, entries

from stumps import table

RESULTS = Path(__file__).parent / "results"
RACE = ("spambase", "magic", "madelon", "synthetic", "covtype")
SIZES = (2, 4, 8, 16)
LEAVES = (3, 4, 8)
SLOW = "LightGBM-RFE"


def rankers():
    """The rankers by name: stumps, trees of several sizes with full and with small steps, and peers."""
    import tamis

    chosen = {"stumps": RANKERS["SBSMF"]}
    for leaves in LEAVES:
        name = f"trees of {leaves} leaves"
        _ours(name, lambda seed, leaves=leaves: tamis.SBSMF(max_leaves=leaves))
        chosen[name] = RANKERS[name]
        slow = f"{name}, small steps"
        _ours(slow, lambda seed, leaves=leaves: tamis.SBSMF(max_leaves=leaves, learning_rate=0.3))
        chosen[slow] = RANKERS[slow]
    return {**chosen, "random forest": RANKERS["random forest"], SLOW: RANKERS[SLOW]}


@dataclass(frozen=True)
class Judged(Task):
    """A task whose rankings are judged at a few columns."""

    @property
    def sizes(self):
        return [size for size in SIZES if size <= self.X.shape[1]]


def rank(names, seeds, path):
    """Judge what is not judged yet, and keep it."""
    done = {tuple(entry["at"]) for entry in entries(path)}
    with path.open("a") as file:
        for name in names:
            for variant in ("plain", "noise"):
                if name == "madelon" and variant == "noise":
                    continue  # has its own
                for seed in seeds:
                    given = task(name, variant, seed)
                    if given is None:
                        continue
                    found, known = Judged(**vars(given)), {}
                    for who, ranker in rankers().items():
                        if (name, variant, seed, who) in done:
                            continue
                        start = time.process_time()
                        order = ranker(found.X[found.train], found.nominal, found.y[found.train], seed)
                        spent = time.process_time() - start
                        scores = [accuracies(found, np.sort(order[:size]), known) for size in found.sizes]
                        entry = {
                            "at": [name, variant, seed, who],
                            "seconds": round(spent, 3),
                            "scores": scores,
                        }
                        file.write(json.dumps(entry) + "\n")
                        file.flush()
                        print(
                            name, variant, seed, who, entry["seconds"], np.mean(scores).round(4), flush=True
                        )


def race(names):
    """Seconds of a fit of 100 rounds."""
    from lightgbm import LGBMClassifier

    from tamis import StumpAdaBoost

    for name in names:
        data = table(name)
        if data is None:
            print(f"{name}: not at hand, left out")
            continue
        X, y = data
        part = np.random.default_rng(1).permutation(len(y))
        test, train = part[: len(y) // 3], part[len(y) // 3 :]
        X_train, y_train = X[train], y[train]
        repeats = 3 if X.size < 2e6 else 1
        for leaves in (4, 8):
            makers = {
                "tamis": lambda leaves=leaves: StumpAdaBoost(100, max_leaves=leaves, n_jobs=1),
                "lightgbm": lambda leaves=leaves: LGBMClassifier(
                    n_estimators=100, num_leaves=leaves, n_jobs=1, verbose=-1
                ),
            }
            if X.size >= 2e6:
                StumpAdaBoost(2, max_leaves=leaves).fit(X[:9000], y[:9000])
            times, accuracy = {who: [] for who in makers}, {}
            for repeat in range(repeats + (X.size < 2e6)):
                for who, make in makers.items():
                    start = time.process_time()
                    model = make().fit(X_train, y_train)
                    times[who].append(time.process_time() - start)
                    if repeat == 0:
                        accuracy[who] = float(np.mean(np.asarray(model.predict(X[test])) == y[test]))
            row = {
                "rows": len(train),
                "columns": X.shape[1],
                **{who: round(float(np.median(times[who][-repeats:])), 4) for who in makers},
                **{f"{who} accuracy": round(accuracy[who], 4) for who in makers},
            }
            keep(f"race {name} {leaves}", row)


def madelon():
    """How many of the 20 known columns of madelon come first."""
    from tamis import SBSMF, datasets

    data = datasets.load("madelon", download_if_missing=False)
    X, names = data.X.to_numpy().astype(float), list(data.X.columns)
    y = np.unique(np.asarray(data.y), return_inverse=True)[1]
    known = np.isin(names, list(data.informative))
    for leaves in (2, *LEAVES):
        start = time.process_time()
        found = SBSMF(max_leaves=leaves, step=0.1, step_until=40).fit(X, y)
        spent = round(time.process_time() - start, 1)
        first = [int((known & (found.ranking_ <= size)).sum()) for size in (10, 20, 40)]
        keep(f"madelon {leaves} leaves", {"first 10, 20, 40": first, "seconds": spent})
    for who in ("random forest", SLOW):
        start = time.process_time()
        order = RANKERS[who](X, np.zeros(len(names), dtype=bool), y, 0)
        spent = round(time.process_time() - start, 1)
        first = [int(known[order[:size]].sum()) for size in (10, 20, 40)]
        keep(f"madelon {who}", {"first 10, 20, 40": first, "seconds": spent})


def keep(name, row):
    """Enter a result in trees.json."""
    path = RESULTS / "trees.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, name: row}, indent=1) + "\n")
    print(name, row, flush=True)


def page(path):
    """The page of results."""
    known = json.loads((RESULTS / "trees.json").read_text())
    lines = [
        "# Boosted trees of several leaves",
        "",
        "`python benchmarks/trees.py`; its first lines say how.",
        "",
    ]
    lines += ["## One fit of 100 rounds, one thread, processor seconds", ""]
    lines += [
        "| table | leaves | tamis | LightGBM | ratio | accuracy: tamis | LightGBM |",
        "| --- |" + " --- |" * 6,
    ]
    for name, row in known.items():
        if name.startswith("race"):
            _, data, leaves = name.split()
            ratio = row["lightgbm"] / row["tamis"]
            lines.append(
                f"| {data} ({row['rows']} x {row['columns']}) | {leaves} | {row['tamis']:.3f} | {row['lightgbm']:.3f} | {ratio:.2f} "
                f"| {row['tamis accuracy']:.3f} | {row['lightgbm accuracy']:.3f} |"
            )
    lines += ["", "## Known columns of madelon (20 of 500) among the first", ""]
    lines += ["| ranker | 10 | 20 | 40 | processor seconds |", "| --- | --- | --- | --- | --- |"]
    for name, row in known.items():
        if name.startswith("madelon"):
            a, b, c = row["first 10, 20, 40"]
            lines.append(f"| {name.removeprefix('madelon ')} | {a} | {b} | {c} | {row['seconds']} |")
    lines += _ranking_lines(entries(path))
    (RESULTS / "trees.md").write_text("\n".join(lines) + "\n")


def _ranking_lines(found):
    """Accuracy at each size, and differences from the stumps, half by half."""
    lines = []
    for half, names in (("first", FIRST_HALF), ("second", SECOND_HALF)):
        by_task: dict = {}
        for entry in found:
            name, variant, seed, who = entry["at"]
            if name in names:
                by_task.setdefault((name, variant, seed), {})[who] = entry
        whole = {at: own for at, own in by_task.items() if len(own) == len(rankers())}
        if not whole:
            continue
        n_tables = len({at[0] for at in whole})
        lines += ["", f"## Accuracy of three models on the first columns: {half} half", ""]
        lines += [
            f"{len(whole)} tasks on {n_tables} tables. The difference from stumps is the mean over tables, with its standard error.",
            "",
        ]
        lines += [
            "| ranker | 2 | 4 | 8 | 16 | mean | less stumps | processor seconds |",
            "| --- |" + " --- |" * 7,
        ]
        for who in rankers():
            cells = []
            for place in range(len(SIZES)):
                own = [
                    np.mean(e[who]["scores"][place]) for e in whole.values() if len(e[who]["scores"]) > place
                ]
                cells.append(f"{100 * np.mean(own):.2f}" if own else "")
            means = {at: 100 * np.mean(e[who]["scores"]) for at, e in whole.items()}
            stumps = {at: 100 * np.mean(e["stumps"]["scores"]) for at, e in whole.items()}
            by_table = [
                np.mean([means[at] - stumps[at] for at in whole if at[0] == name])
                for name in sorted({a[0] for a in whole})
            ]
            error = np.std(by_table, ddof=1) / np.sqrt(len(by_table)) if len(by_table) > 1 else 0.0
            seconds = np.mean([e[who]["seconds"] for e in whole.values()])
            difference = "" if who == "stumps" else f"{np.mean(by_table):+.2f} ({error:.2f})"
            lines.append(
                f"| {who} | {' | '.join(cells)} | {np.mean(list(means.values())):.2f} | {difference} | {seconds:.2f} |"
            )
    return lines


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("what", choices=("race", "rank", "madelon", "page"))
    words.add_argument("--tables", default="")
    words.add_argument("--half", type=int, default=1)
    words.add_argument("--seeds", default="0")
    words.add_argument("--path", type=Path, default=Path("trees.jsonl"))
    chosen = words.parse_args()
    warnings.simplefilter("ignore")
    names = chosen.tables.split(",") if chosen.tables else None
    if chosen.what == "race":
        race(names or RACE)
    elif chosen.what == "rank":
        halves = FIRST_HALF if chosen.half == 1 else SECOND_HALF
        rank(names or halves, [int(seed) for seed in chosen.seeds.split(",")], chosen.path)
    elif chosen.what == "madelon":
        madelon()
    else:
        page(chosen.path)


if __name__ == "__main__":
    main()
