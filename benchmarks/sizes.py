"""The number of columns that Sieve chooses: is it as good as all columns, and as RFECV's choice, on rows held out?

    python benchmarks/sizes.py [--tables vehicle,...] [--variants plain,noise] [--seeds 0] [--summary]

Tables, splits and added columns are those of benchmarks/columns.py. Each way to choose sees the training rows (600, or three fifths of a small
table); what it keeps is judged by the accuracy of 5 nearest neighbours, linear discriminant analysis and a forest on other rows. RFECV is
scikit-learn's, 5 folds, with a forest or with logistic regression, a twentieth of the columns leaving at a time; it sees one column a
category, and a column is kept if one of its parts is. What was done is kept in the file of --path; --summary writes
benchmarks/results/sizes.json and sizes.md from it.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from column_rankers import spread_out
from column_tables import SECOND_HALF, task
from columns import accuracies, entries

RESULTS = Path(__file__).parent / "results"


def all_columns(X, nominal, y, seed):
    return np.arange(X.shape[1])


def sieve(X, nominal, y, seed):
    from tamis import Sieve

    fitted = Sieve(explain=False, random_state=seed, categorical_features=nominal).fit(X, y)
    return np.flatnonzero(fitted.support_)


def rfecv(model):
    def kept(X, nominal, y, seed):
        from sklearn.feature_selection import RFECV
        from sklearn.model_selection import StratifiedKFold
        from sklearn.preprocessing import StandardScaler

        Z, owner = spread_out(X, nominal)
        Z = StandardScaler().fit_transform(Z)
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        search = RFECV(model(seed), step=max(1, Z.shape[1] // 20), cv=folds).fit(Z, y)
        return np.unique(owner[search.support_])

    return kept


def forest(seed):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(50, random_state=seed, n_jobs=1)


def logistic(seed):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=300)


WAYS = {
    "Sieve": sieve,
    "all columns": all_columns,
    "RFECV, forest": rfecv(forest),
    "RFECV, logistic": rfecv(logistic),
}


def run(names, variants, seeds, path):
    done = {tuple(entry["at"]) for entry in entries(path)}
    with path.open("a") as file:
        for seed in seeds:
            for name in names:
                for variant in variants:
                    found = task(name, variant, seed)
                    if found is None:
                        continue
                    known = {}
                    for way, kept in WAYS.items():
                        if (name, variant, seed, way) in done:
                            continue
                        start = time.process_time()
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            columns = kept(found.X[found.train], found.nominal, found.y[found.train], seed)
                        entry = {
                            "at": [name, variant, seed, way],
                            "seconds": round(time.process_time() - start, 2),
                            "kept": len(columns),
                            "columns": found.X.shape[1],
                            "accuracy": round(float(np.mean(accuracies(found, columns, known))), 5),
                        }
                        file.write(json.dumps(entry) + "\n")
                        file.flush()
                        print(
                            *entry["at"],
                            entry["kept"],
                            entry["columns"],
                            entry["accuracy"],
                            entry["seconds"],
                            flush=True,
                        )


def page(found):
    tasks = {}
    for entry in found:
        *at, way = entry["at"]
        tasks.setdefault(tuple(at), {})[way] = entry
    tasks = {at: by for at, by in tasks.items() if len(by) == len(WAYS)}
    variants = sorted({at[1] for at in tasks}, reverse=True)
    lines = [
        "# How many columns to keep",
        "",
        f"{len(tasks)} tasks of {len({at[0] for at in tasks})} tables (`python benchmarks/sizes.py`, then `--summary`). Accuracy in per cent, mean of 5-NN, LDA and a",
        "forest on rows that the choice did not see; ahead: by how many points Sieve is, with the standard error over tables; kept: mean share of the columns.",
        "",
        "| tables | way | accuracy | Sieve is ahead by | tables won and lost | kept | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for variant in variants:
        here = {at: by for at, by in tasks.items() if at[1] == variant}
        for way in WAYS:
            by_table = {}
            for at, by in here.items():
                by_table.setdefault(at[0], []).append(100 * (by["Sieve"]["accuracy"] - by[way]["accuracy"]))
            ahead = np.array([np.mean(values) for values in by_table.values()])
            error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else float("nan")
            told = (
                " | "
                if way == "Sieve"
                else f"{ahead.mean():.2f} ({error:.2f}) | {(ahead > 0.05).sum()}, {(ahead < -0.05).sum()}"
            )
            mean = 100 * np.mean([by[way]["accuracy"] for by in here.values()])
            kept = 100 * np.mean([by[way]["kept"] / by[way]["columns"] for by in here.values()])
            seconds = np.mean([by[way]["seconds"] for by in here.values()])
            words = {"plain": "as they are", "noise": "with three times as many columns of noise"}.get(
                variant, variant
            )
            lines.append(f"| {words} | {way} | {mean:.1f} | {told} | {kept:.0f} % | {seconds:.1f} |")
    lines += [
        "",
        f"| table | columns | {' | '.join(f'{way}: accuracy (kept)' for way in WAYS)} |",
        "| --- | --- |" + " --- |" * len(WAYS),
    ]
    for at in sorted(tasks):
        by = tasks[at]
        cells = (f"{100 * by[way]['accuracy']:.1f} ({by[way]['kept']})" for way in WAYS)
        lines.append(f"| {at[0]}, {at[1]} | {by['Sieve']['columns']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default=",".join(SECOND_HALF))
    parser.add_argument("--variants", default="plain,noise")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--path", type=Path, default=RESULTS / "sizes.jsonl")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if options.summary:
        found = entries(options.path)
        results = {"|".join(map(str, entry.pop("at"))): entry for entry in json.loads(json.dumps(found))}
        (RESULTS / "sizes.json").write_text(json.dumps(results, indent=0, sort_keys=True) + "\n")
        (RESULTS / "sizes.md").write_text(page(found))
        return
    seeds = [int(seed) for seed in options.seeds.split(",")]
    run(options.tables.split(","), options.variants.split(","), seeds, options.path)


if __name__ == "__main__":
    main()
