"""What condensing in parts costs in accuracy: 1-NN on the kept rows, judged on held-out rows.

    python benchmarks/condense_parts.py

Each numeric set is split three times, two thirds to train. Without parts, the method sees all training rows at once; with 2, 4
and 8 parts, each part is condensed, and what they keep again. Writes benchmarks/results/condense_parts.json and .md.
"""

import json
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from tamis import CondensedNN, PSBoost, datasets
from tamis.prototypes.in_parts import condense_parts

RESULTS = Path(__file__).parent / "results"
SETS = ("pima", "vehicle", "ionosphere", "spambase")
MOST_ROWS = 6000
METHODS = {"condensed-nn": CondensedNN(random_state=0), "psboost, 60 rows": PSBoost(n_prototypes=60)}


def numeric(name):
    data = datasets.load(name)
    X = data.X.to_numpy().astype(float)
    chosen = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
    return X[chosen], data.y[chosen]


def judged(X, y, train, test, kept):
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[train][kept], y[train][kept])
    return float(model.score(X[test], y[test]))


def main():
    found = []
    for name in SETS:
        X, y = numeric(name)
        splits = list(StratifiedShuffleSplit(3, test_size=1 / 3, random_state=0).split(X, y))
        for method, selector in METHODS.items():
            for n_parts in (0, 2, 4, 8):
                scores, rows, seconds = [], [], []
                for train, test in splits:
                    start = time.perf_counter()
                    if n_parts == 0:
                        kept = selector.fit(X[train], y[train]).sample_indices_
                    else:
                        answer = condense_parts(selector, X[train], y[train], n_parts=n_parts, random_state=0)
                        kept = answer.sample_indices_
                    seconds.append(time.perf_counter() - start)
                    scores.append(judged(X, y, train, test, kept))
                    rows.append(len(kept))
                entry = {"set": name, "rows": len(train), "method": method, "parts": n_parts}
                entry |= {
                    "accuracy": round(100 * float(np.mean(scores)), 1),
                    "kept": round(float(np.mean(rows))),
                }
                entry["seconds"] = round(min(seconds), 2)
                found.append(entry)
                print(entry, flush=True)
    (RESULTS / "condense_parts.json").write_text(json.dumps(found, indent=1) + "\n")
    lines = [
        "| set | method | whole | 2 parts | 4 parts | 8 parts |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in SETS:
        for method in METHODS:
            row = [e for e in found if (e["set"], e["method"]) == (name, method)]
            cells = " | ".join(f"{e['accuracy']} ({e['kept']})" for e in row)
            lines.append(f"| {name} | {method} | {cells} |")
    (RESULTS / "condense_parts.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
