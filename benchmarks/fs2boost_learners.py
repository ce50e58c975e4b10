"""FS2Boost with other readings of Z' and other weak learners: nested accuracy, and what it keeps of pure noise.

The columns are selected on nine tenths of the rows (one seed, the folds of fs2boost_nested.py), and the other tenth is classified over
them by its 9 nearest neighbours and by a random forest, on the paper's 19 data sets. Stumps and trees are boosted for 10 rounds. Then ten tables
of noise, 200 x 20, two classes that are drawn: how many columns are kept.

Run it from the repository: ``python benchmarks/fs2boost_learners.py`` (some ten minutes on one processor). It writes
results/fs2boost_learners.md and .json beside this file, and goes on where the .json ends.
"""

import argparse
import json
import warnings

import numpy as np
from fs2boost_nested import FOLDER, FOLDS, K, PlainVote, available
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from tamis import FS2Boost, datasets
from tamis.features._curves import columns_of
from tamis.papers._tables import numbers

RULES = {
    "Z (default)": {},
    "Z'": {"criterion": "z_prime"},
    "Z' minimised": {"criterion": "z_prime_minimised"},
    "Z' to the letter": {"criterion": "z_prime_literal"},
    "accuracy (SFS)": {"criterion": "accuracy"},
    "stumps": {"estimator": "stump", "n_rounds": 10},
    "trees": {"estimator": "tree", "n_rounds": 10},
}
NOISE_TABLES = 10


def measured(name):
    """{rule: [[accuracy by neighbours, by a forest, columns], ...]} over the folds."""
    data = datasets.load(name)
    y, values = np.asarray(data.y), numbers(data).filled().values
    results = {rule: [] for rule in [*RULES, "all columns"]}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y):
        for rule, settings in [*RULES.items(), ("all columns", None)]:
            kept = np.arange(values.shape[1])
            if settings is not None:
                selector = FS2Boost(**settings, n_neighbors=K, random_state=0)
                kept = np.flatnonzero(selector.fit(data.X[train], y[train]).support_)
            near = PlainVote().fit(columns_of(data.X[train], kept), y[train])
            forest = RandomForestClassifier(50, random_state=0).fit(values[train][:, kept], y[train])
            results[rule].append(
                [
                    float(np.mean(near.predict(columns_of(data.X[test], kept)) == y[test])),
                    float(np.mean(forest.predict(values[test][:, kept]) == y[test])),
                    len(kept),
                ]
            )
    return results


def noise():
    """{rule: [columns kept of 20, ...]} over tables of noise."""
    kept = {rule: [] for rule in RULES}
    for seed in range(NOISE_TABLES):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 20)), rng.integers(0, 2, 200)
        for rule, settings in RULES.items():
            kept[rule].append(int(FS2Boost(**settings, n_neighbors=K, random_state=0).fit(X, y).n_features_))
    return kept


def page(results):
    """The results as Markdown."""
    sets = list(results["sets"])
    lines = [
        "# FS2Boost: readings and weak learners",
        "",
        "Made by `python benchmarks/fs2boost_learners.py`, whose first lines say what is measured.",
        "",
        f"Mean over {len(sets)} data sets, in percent; the difference to Z with its standard error over the data sets.",
        "",
        "| criterion | 9-NN | difference | forest | difference | columns |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    means = {
        rule: np.array([np.mean(results["sets"][name][rule], axis=0) for name in sets])
        for rule in [*RULES, "all columns"]
    }
    for rule, values in means.items():
        cells = []
        for judge in (0, 1):
            apart = 100 * (values[:, judge] - means["Z (default)"][:, judge])
            error = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else 0.0
            cells += [f"{100 * values[:, judge].mean():.1f}", f"{apart.mean():+.1f} ± {error:.1f}"]
        lines.append(f"| {rule} | {' | '.join(cells)} | {values[:, 2].mean():.1f} |")
    if "noise" in results:
        lines += [
            *("", f"Columns kept of 20 columns of noise, 200 rows, {NOISE_TABLES} tables:", ""),
            *("| criterion | mean | least | most |", "| --- | ---: | ---: | ---: |"),
        ]
        lines += [
            f"| {rule} | {np.mean(kept):.1f} | {min(kept)} | {max(kept)} |"
            for rule, kept in results["noise"].items()
        ]
    return "\n".join(lines) + "\n"


def main():
    """Measure what is left and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", nargs="*", default=datasets.names(paper="fs2boost"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    store = FOLDER / "fs2boost_learners.json"
    results = json.loads(store.read_text()) if store.exists() else {"sets": {}}
    if "noise" not in results:
        results["noise"] = noise()
    for name in available(given.sets)[0]:
        if name not in results["sets"]:
            results["sets"][name] = measured(name)
            store.write_text(json.dumps(results) + "\n")
            (FOLDER / "fs2boost_learners.md").write_text(page(results), encoding="utf-8")
            print(name, flush=True)


if __name__ == "__main__":
    main()
