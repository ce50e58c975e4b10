"""Nested accuracy of the wrappers on the 19 data sets of the FS2Boost paper.

The columns are selected on nine tenths of the rows, the other tenth is classified by its nearest neighbours over the
columns kept (k = 9, the selectors' distance, all ties), ten times a seed. Unlike the paper's leave-one-out accuracy,
which is measured on the rows that chose the columns, this says what a user may expect.

Three ways to cut the path by Z honestly stand beside the stop rules: `SelectorCV` (the search repeated in five folds of
the training rows, the size of the best mean accuracy, or the smallest within one standard error of it), and the
leave-one-out error along one path, which costs next to nothing.

Run it from the repository: ``python benchmarks/fs2boost_nested.py`` (four seeds, some 20 minutes on one processor), or
with ``--quick``. It writes results/fs2boost_nested.md and .json beside this file, and goes on where the .json ends;
``--fresh`` starts anew, ``--page`` only makes the page of what the .json holds so far. Data sets that do not ship with the package are looked for in the folder TAMIS_DATA and
otherwise left out, which the table says.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from tamis import FS2Boost, SelectorCV, datasets
from tamis.features._curves import columns_of
from tamis.neighbors import MixedSpace, nearest_groups
from tamis.table import TableError
from tamis.table._encode import encode, encode_like

K = 9
FOLDS = 10
RULES = {
    "SFS, paper's stop": {"criterion": "accuracy", "patience": 1},
    "SFS, patience 4": {"criterion": "accuracy"},
    "FS2Boost, paper's stop": {"patience": 1},
    "FS2Boost, patience 4": {},
    "iFS2Boost, paper's stop": {"criterion": "z_prime", "patience": 1},
    "iFS2Boost, patience 4": {"criterion": "z_prime"},
}
BEST, SMALL, ALONG = (
    "FS2Boost, SelectorCV best",
    "FS2Boost, SelectorCV 1 s.e.",
    "FS2Boost, LOO along the path",
)
METHODS = [*RULES, BEST, SMALL, ALONG, "all columns"]
REFERENCES = ("FS2Boost, patience 4", BEST, SMALL, ALONG)
QUICK = ("monks1_test", "glass2", "heart_cleveland", "led", "house_votes", "xd6")
FOLDER = Path(__file__).parent / "results"


class PlainVote(ClassifierMixin, BaseEstimator):
    """The plain vote of the k nearest rows, all ties, on mixed columns with gaps; tied votes to the larger class."""

    def fit(self, X, y):
        table = encode(self, X)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        self.schema_, self.rows_ = table.schema, table.values
        self.space_ = MixedSpace.fit(table.values, table.nominal, "l1")
        return self

    def predict(self, X):
        queries = encode_like(self, X, self.schema_).values
        near = nearest_groups(self.space_, self.rows_, min(K, len(self.rows_)), queries)
        sizes = np.bincount(self.codes_)
        votes = np.stack([near.sums(self.codes_ == code) for code in range(len(sizes))], axis=1)
        return self.classes_[(votes + sizes / sizes.sum() / 2).argmax(axis=1)]


def kept_columns(X, y, seed):
    """Positions of the columns that every method keeps."""
    kept = {
        name: np.flatnonzero(FS2Boost(**rule, n_neighbors=K).fit(X, y).support_)
        for name, rule in RULES.items()
    }
    path = FS2Boost(1.0, n_neighbors=K)
    inner = StratifiedKFold(5, shuffle=True, random_state=seed)
    search = SelectorCV(path, PlainVote(), cv=inner, rule="best").fit(X, y)
    order = np.argsort(search.ranking_)
    results = search.cv_results_
    best = int(np.argmax(results["mean_test_score"]))
    enough = results["mean_test_score"][best] - results["standard_error"][best]
    small = int(np.flatnonzero(results["mean_test_score"] >= enough)[0])
    kept[BEST], kept[SMALL] = order[: best + 1], order[: small + 1]
    order = np.argsort(path.fit(X, y).ranking_)
    errors = []
    for size in range(1, len(order) + 1):
        measured = FS2Boost(size, criterion="accuracy", fixed_features=order[:size], n_neighbors=K)
        errors.append(measured.fit(X, y).criterion_)
    kept[ALONG] = order[: int(np.argmin(errors)) + 1]
    kept["all columns"] = order
    return {name: np.sort(columns) for name, columns in kept.items()}


def seed_results(name, seed):
    """Accuracy and number of columns of every method on every fold: {method: [[accuracy, columns], ...]}."""
    data = datasets.load(name)
    y = np.asarray(data.y)
    results = {method: [] for method in METHODS}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y):
        X_train, X_test = data.X[train], data.X[test]
        for method, columns in kept_columns(X_train, y[train], seed).items():
            model = PlainVote().fit(columns_of(X_train, columns), y[train])
            right = model.predict(columns_of(X_test, columns)) == y[test]
            results[method].append([float(right.mean()), len(columns)])
    return results


def available(names):
    """The names that can be loaded, and those that cannot."""
    here, missing = [], []
    for name in names:
        try:
            datasets.load(name, download_if_missing=False)
            here.append(name)
        except TableError:
            missing.append(name)
    return here, missing


def standard_error(differences):
    """Of the mean of differences over repeated folds, which share training rows (Nadeau and Bengio's correction)."""
    return float(np.sqrt(np.var(differences, ddof=1) * (1 / len(differences) + 1 / (FOLDS - 1))))


def against(reference, accuracy):
    """The lines of a table: wins, ties and losses of one method against all others."""
    lines = [
        f"## {reference} against the others",
        "",
        "| against | wins | ties | losses | by rounded percentage | mean difference (points) | standard error |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for method in METHODS:
        if method == reference:
            continue
        sure, plain, gaps = [0, 0, 0], [0, 0, 0], []
        for by_method in accuracy.values():
            differences = 100 * (by_method[reference] - by_method[method])
            gap, error = differences.mean(), standard_error(differences)
            sure[1 if abs(gap) <= 2 * error else 0 if gap > 0 else 2] += 1
            rounded = round(100 * by_method[reference].mean(), 1) - round(100 * by_method[method].mean(), 1)
            plain[1 if abs(rounded) < 0.05 else 0 if rounded > 0 else 2] += 1
            gaps.append(gap)
        spread = np.std(gaps, ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        counts = "/".join(map(str, plain))
        lines.append(
            f"| {method} | {sure[0]} | {sure[1]} | {sure[2]} | {counts} | {np.mean(gaps):+.2f} | {spread:.2f} |"
        )
    return [*lines, ""]


def report(found, missing, pending):
    """The results as a page of text; found is {data set: {seed: what `seed_results` returns}}."""
    accuracy, size = {}, {}
    for name, by_seed in found.items():
        folds = {method: np.concatenate([seed[method] for seed in by_seed.values()]) for method in METHODS}
        accuracy[name] = {method: both[:, 0] for method, both in folds.items()}
        size[name] = {method: both[:, 1].mean() for method, both in folds.items()}
    seeds = sorted({len(by_seed) for by_seed in found.values()})
    lines = [
        f"# Nested accuracy, {FOLDS} folds, seeds: {' or '.join(map(str, seeds))}, k = {K}",
        "",
        "Percent of held-out rows classified rightly, and in brackets the mean number of columns kept.",
        "",
        "| data set | " + " | ".join(METHODS) + " |",
        "| --- |" + " ---: |" * len(METHODS),
    ]
    for name in found:
        cells = [f"{100 * accuracy[name][m].mean():.1f} ({size[name][m]:.1f})" for m in METHODS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    means = [100 * np.mean([by_method[m].mean() for by_method in accuracy.values()]) for m in METHODS]
    columns = [np.mean([by_method[m] for by_method in size.values()]) for m in METHODS]
    cells = [f"{mean:.1f} ({kept:.1f})" for mean, kept in zip(means, columns)]
    lines += ["| mean | " + " | ".join(cells) + " |", ""]
    lines += [
        "Below, wins, ties and losses over data sets: beyond two standard errors of the paired difference, and by the",
        "rounded percentage as the paper counts. The standard error of the mean difference is that over data sets.",
        "",
    ]
    for reference in REFERENCES:
        lines += against(reference, accuracy)
    if missing:
        lines.append(f"Left out, since neither in the package nor in TAMIS_DATA: {', '.join(missing)}.")
    if pending:
        lines.append(f"Not run yet: {', '.join(pending)}.")
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed and six data sets; writes no files")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--page", action="store_true", help="run nothing, write the page of what is there")
    parser.add_argument("--fresh", action="store_true", help="forget what the .json holds")
    given = parser.parse_args()
    names, missing = available(QUICK if given.quick else datasets.names(paper="fs2boost"))
    store = FOLDER / "fs2boost_nested.json"
    found = {}
    if store.exists() and not (given.fresh or given.quick):
        found = json.loads(store.read_text(encoding="utf-8"))
    n_seeds = 0 if given.page else 1 if given.quick else given.seeds
    for seed in range(n_seeds):
        for name in names:
            by_seed = found.setdefault(name, {})
            if str(seed) not in by_seed:
                by_seed[str(seed)] = seed_results(name, seed)
                print(seed, name, flush=True)
                if not given.quick:
                    FOLDER.mkdir(exist_ok=True)
                    store.write_text(json.dumps(found) + "\n", encoding="utf-8")
    pending = [name for name in names if name not in found]
    page = report({name: found[name] for name in names if name in found}, missing, pending)
    print(page)
    if not given.quick:
        (FOLDER / "fs2boost_nested.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
