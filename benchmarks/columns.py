"""Which ranking of columns is the best? Rankers on real tables, as they are and with columns added that say nothing new.

    python benchmarks/columns.py [--rankers SBSMF,...] [--tables vehicle,...] [--seeds 0,1] [--half 1|2] [--summary]

A ranker sees the training rows (600, or three fifths of a small table). Its first columns, an eighth to all of the table's
own number, are judged by the accuracy of three models on other rows: 5 nearest neighbours, linear discriminant analysis
and a random forest. Columns are added as in Cherepanova et al. (NeurIPS 2023): three times as many of pure noise, of copies
with noise, or of products. What was done is kept in the file of --path (whole rankings: some megabytes, not committed), and is not
done again; --summary writes benchmarks/results/columns.json and columns.md from it.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from column_rankers import RANKERS, spread_out
from column_tables import FIRST_HALF, SECOND_HALF, VARIANTS, task

RESULTS = Path(__file__).parent / "results"
MODELS = ("5-NN", "LDA", "forest")


def accuracies(task, columns, known):
    """Of the three models on some columns; `known` holds what was computed before."""
    key = ",".join(map(str, sorted(columns)))
    if key not in known:
        known[key] = _accuracies(task, np.sort(columns))
    return known[key]


def _accuracies(task, columns):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import StandardScaler

    Z, _ = spread_out(task.X[:, columns], task.nominal[columns])
    Z = StandardScaler().fit(Z[task.train]).transform(Z)
    models = (
        KNeighborsClassifier(5),
        LinearDiscriminantAnalysis(),
        RandomForestClassifier(50, random_state=0, n_jobs=1),
    )
    train, test = task.train, task.test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            round(float((m.fit(Z[train], task.y[train]).predict(Z[test]) == task.y[test]).mean()), 5)
            for m in models
        ]


def run(names, variants, seeds, rankers, path):
    """Judge what is not judged yet."""
    _warm_up(rankers)
    done = {tuple(entry["at"]): entry for entry in entries(path)}
    with path.open("a") as file:
        for name in names:
            for variant in variants:
                if name == "madelon" and variant != "plain":
                    continue  # has its own noise
                for seed in seeds:
                    missing = [r for r in rankers if (name, variant, seed, r) not in done]
                    if not missing:
                        continue
                    found = task(name, variant, seed)
                    if found is None:
                        continue
                    known = {}
                    for at, entry in done.items():
                        if at[:3] == (name, variant, seed):
                            for size, scores in zip(found.sizes, entry["scores"]):
                                known[",".join(map(str, sorted(entry["order"][:size])))] = scores
                    for r in missing:
                        entry = judged(found, RANKERS[r], seed, known)
                        entry["at"] = [name, variant, seed, r]
                        file.write(json.dumps(entry) + "\n")
                        file.flush()
                        print(
                            name,
                            variant,
                            seed,
                            r,
                            entry["seconds"],
                            np.mean(entry["scores"]).round(4),
                            flush=True,
                        )


def _warm_up(rankers):
    """Compile and import what is timed later."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 6))
    X[:, 1] = random.integers(3, size=60)
    nominal = np.arange(6) == 1
    for n_classes in (2, 3):
        y = np.arange(60) % n_classes
        for r in rankers:
            RANKERS[r](X, nominal, y, 0)


def judged(task, rank, seed, known):
    start = time.process_time()
    order = rank(task.X[task.train], task.nominal, task.y[task.train], seed)
    seconds = time.process_time() - start
    kept = [np.sort(order[:size]).tolist() for size in task.sizes]
    return {
        "seconds": round(seconds, 3),
        "true": round(float(task.own[order[: task.n_true]].mean()), 4),
        "order": order.tolist(),
        "scores": [accuracies(task, columns, known) for columns in kept],
    }


def entries(path):
    """What was judged before."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def summarised(found):
    """The scores of every ranker and task, as they are committed."""
    return {
        "|".join(map(str, entry["at"])): {
            "seconds": entry["seconds"],
            "true": entry["true"],
            "accuracy": round(float(np.mean(entry["scores"])), 5),
        }
        for entry in found
    }


def page(results, own="Sieve"):
    """The differences to one ranker, with standard errors over tables, and table by table."""
    tasks = {}
    for at, entry in results.items():
        *task_of, ranker = at.split("|")
        tasks.setdefault(tuple(task_of), {})[ranker] = entry
    tasks = {at: by for at, by in tasks.items() if own in by}
    rankers = sorted({ranker for by in tasks.values() for ranker in by} - {own})
    seeds = ", ".join(sorted({at[2] for at in tasks}))
    lines = [
        "# Rankers of columns",
        "",
        f"{len(tasks)} tasks of {len({at[0] for at in tasks})} tables (`python benchmarks/columns.py --summary`), seed {seeds}.",
        "Accuracy in points, mean of 5-NN, LDA and a forest at several sizes; the error is over tables; a win is more than 0.05 points.",
        "",
        f"| ranker | tasks | {own} is ahead by | tables won and lost | true columns | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    ahead = {ranker: differences(tasks, own, ranker) for ranker in rankers}
    for ranker in (own, *rankers):
        there = [by[ranker] for by in tasks.values() if ranker in by]
        told = " | "
        if ranker != own:
            each = np.array(list(ahead[ranker].values()))
            error = each.std(ddof=1) / np.sqrt(len(each))
            told = f"{each.mean():.2f} ({error:.2f}) | {(each > 0.05).sum()}, {(each < -0.05).sum()}"
        true = np.mean([entry["true"] for entry in there])
        seconds = np.mean([entry["seconds"] for entry in there])
        lines.append(f"| {ranker} | {len(there)} | {told} | {true:.2f} | {seconds:.2f} |")
    lines += ["", best_of_four(tasks, own)]
    lines += ["", f"| table | tasks | {' | '.join(f'over {ranker}' for ranker in rankers)} |"]
    lines.append("| --- | --- |" + " --- |" * len(rankers))
    for name in sorted({at[0] for at in tasks}):
        n = sum(at[0] == name for at in tasks)
        cells = (f"{ahead[ranker][name]:.2f}" if name in ahead[ranker] else "" for ranker in rankers)
        lines.append(f"| {name} | {n} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def best_of_four(tasks, own, others=("random forest", "SVM-RFE", "l1 logistic")):
    """How far one could get by choosing among rankers: what the test rows themselves would choose, which flatters."""
    known = [by for by in tasks.values() if all(other in by for other in others)]
    best = [max(by[name]["accuracy"] for name in (own, *others)) for by in known]
    over = [
        100 * np.mean([one - by[name]["accuracy"] for one, by in zip(best, known)])
        for name in (own, others[0])
    ]
    return (
        f"Whoever knew from the test rows which of {own}, {', '.join(others[:-1])} and {others[-1]} is the best on each of these tasks "
        f"would be {over[0]:.2f} points ahead of {own}, and {over[1]:.2f} ahead of {others[0]}."
    )


def differences(tasks, own, other):
    """By how much one ranker is ahead of another on each table, in points, mean over the tasks that both did."""
    found = {}
    for at, by in tasks.items():
        if other in by:
            found.setdefault(at[0], []).append(100 * (by[own]["accuracy"] - by[other]["accuracy"]))
    return {name: float(np.mean(values)) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rankers", default="all")
    parser.add_argument("--tables", default="")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--seeds", default="0,1")
    parser.add_argument("--half", type=int, default=0)
    parser.add_argument("--path", type=Path, default=RESULTS / "columns.jsonl")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if options.summary:
        results = summarised(entries(options.path))
        (RESULTS / "columns.json").write_text(json.dumps(results, indent=0, sort_keys=True) + "\n")
        (RESULTS / "columns.md").write_text(page(results))
        return
    names = {0: FIRST_HALF + SECOND_HALF, 1: FIRST_HALF, 2: SECOND_HALF}[options.half]
    names = options.tables.split(",") if options.tables else names
    rankers = list(RANKERS) if options.rankers == "all" else options.rankers.split(",")
    run(names, options.variants.split(","), [int(s) for s in options.seeds.split(",")], rankers, options.path)


if __name__ == "__main__":
    main()
