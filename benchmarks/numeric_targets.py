"""Which columns for a numeric target? Rankers on Friedman's functions among noise, and on real tables.

    TAMIS_DATA=folder python benchmarks/numeric_targets.py [--draws 5] [--first 0] [--path numeric_targets.jsonl] [--rankers A B] [--summary]

Truth known: Friedman's three functions with 100 and 1,000 columns of noise, n = 100 and 500, and a target with normal noise, with heavy
tails (Student's t of 1.5 degrees), or after a monotone transform (an exponential). The figure is the area under the ROC curve
of the ranking, relevant columns against noise. (Of Friedman's second and third function only two of four columns tell much: the others
are found by luck.) Real tables: r2 on held-out rows of 5 nearest neighbours, ridge regression
and a forest on the first 2, 4, 8 and 16 columns, three times as many columns of noise added; the ranker sees the
training rows (600 at most). What was done is kept in --path and is not done again; --summary writes benchmarks/results/numeric_targets.md.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import r2_score, roc_auc_score

RESULT = Path(__file__).parent / "results" / "numeric_targets.md"
TABLES = (
    "bodyfat",
    "cpu_small",
    "houses",
    "machine_cpu",
    "no2",
    "pm10",
    "puma8NH",
    "tecator",
    "wind",
    "house_8L",
)
SIZES = (2, 4, 8, 16)
N_NOISE = (100, 1000)


def _ours(name, **settings):
    def rank(X, y):
        import tamis

        return np.argsort(getattr(tamis, name)(**settings).fit(X, y).ranking_)

    return rank


def _importances(made):
    return lambda X, y: np.argsort(-np.abs(made().fit(X, y).feature_importances_), kind="stable")


def _forest():
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, random_state=0)


def _extra_trees():
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(100, random_state=0)


def _lightgbm():
    import lightgbm

    return lightgbm.LGBMRegressor(verbose=-1, importance_type="gain", n_jobs=1)


def _f_regression(X, y):
    from sklearn.feature_selection import f_regression

    return np.argsort(-f_regression(X, y)[0], kind="stable")


def _mutual_information(X, y):
    from sklearn.feature_selection import mutual_info_regression

    return np.argsort(-mutual_info_regression(X, y, random_state=0), kind="stable")


def _lasso(X, y):
    """The order in which columns enter the path."""
    from sklearn.linear_model import lasso_path

    Z = (X - X.mean(0)) / X.std(0)
    _, path, _ = lasso_path(Z, (y - y.mean()) / y.std())
    first = np.where((path != 0).any(axis=1), (path != 0).argmax(axis=1), path.shape[1])
    return np.lexsort((-np.abs(path[:, -1]), first))


RANKERS = {
    "Sieve": _ours("Sieve", n_features_to_select=1, explain=False, random_state=0),
    "SBSMF": _ours("SBSMF"),
    "SBSMF, ranks": _ours("SBSMF", loss="ranks"),
    "BDSFS": _ours("BDSFS"),
    "UnivariateAUC": _ours("UnivariateAUC"),
    "GramSchmidt": _ours("GramSchmidt"),
    "ReliefF": _ours("ReliefF"),
    "ROGER": _ours("ROGER", random_state=0),
    "EFR": _ours("EFR", random_state=0),
    "FS2Boost, accuracy": _ours("FS2Boost", criterion="accuracy", patience=1),
    "PairScan": _ours("PairScan"),
    "SampledEFR": _ours("SampledEFR", random_state=0),
    "forest": _importances(_forest),
    "extra trees": _importances(_extra_trees),
    "LightGBM gain": _importances(_lightgbm),
    "F test": _f_regression,
    "mutual information": _mutual_information,
    "lasso path": _lasso,
}
PEERS = ("forest", "extra trees", "LightGBM gain", "F test", "mutual information", "lasso path")


def friedman(function, n_noise, n, kind, seed):
    """A table, its target, and which columns are relevant."""
    from sklearn import datasets

    rng = np.random.default_rng([function, n, seed])
    made = getattr(datasets, f"make_friedman{function}")
    X, y = made(n, noise=0, random_state=seed) if function > 1 else made(n, 5, noise=0, random_state=seed)
    noise = rng.standard_t(1.5, size=n) if kind == "heavy tails" else rng.normal(size=n)
    y = y + y.std() / 3 * noise
    if kind == "transformed":
        y = np.exp(3 * (y - y.mean()) / y.std())
    order = rng.permutation(
        X.shape[1] + n_noise
    )  # of equal scores the lower column comes first: by luck, then
    return np.hstack([X, rng.random((n, n_noise))])[:, order], y, order < X.shape[1]


def real(name, seed):
    """A table with columns of noise, in training and held-out rows."""
    path = Path(os.environ["TAMIS_DATA"]) / f"{name}.csv.gz"
    with gzip.open(path, "rt", newline="") as file:
        _, *rows = csv.reader(file)
    values = np.array([[float(value) if value else np.nan for value in row] for row in rows])
    values = values[~np.isnan(values).any(axis=1)]
    rng = np.random.default_rng([seed, len(values)])
    rows = rng.permutation(len(values))
    n_train = min(600, 3 * len(values) // 5)
    X, y = values[:, :-1], values[:, -1]
    source = X[:, rng.integers(0, X.shape[1], 3 * X.shape[1])]
    X = np.hstack([X, rng.permuted(source, axis=0)])
    X = X[:, rng.permutation(X.shape[1])]
    return X, y, rows[:n_train], rows[n_train : n_train + 2000]


def truth_known(ranker, function, n_noise, n, kind, seed):
    X, y, relevant = friedman(function, n_noise, n, kind, seed)
    start = time.process_time()
    order = RANKERS[ranker](X, y)
    seconds = time.process_time() - start
    score = np.empty(len(order))
    score[order] = np.arange(len(order))[::-1]
    return {"score": roc_auc_score(relevant, score), "seconds": seconds}


def real_scores(ranker, name, seed):
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.preprocessing import StandardScaler

    X, y, train, test = real(name, seed)
    start = time.process_time()
    order = RANKERS[ranker](X[train], y[train])
    seconds = time.process_time() - start
    Z = StandardScaler().fit(X[train]).transform(X)
    scores = []
    for size in SIZES:
        for model in (
            KNeighborsRegressor(5),
            RidgeCV(),
            RandomForestRegressor(30, min_samples_leaf=3, random_state=0),
        ):
            told = model.fit(Z[train][:, order[:size]], y[train]).predict(Z[test][:, order[:size]])
            scores.append(max(-1.0, r2_score(y[test], told)))
    return {"score": float(np.mean(scores)), "seconds": seconds}


def jobs(draws, first=0):
    for seed in range(first, draws):
        for n_noise in N_NOISE:
            for function in (1, 2, 3):
                for n in (100, 500):
                    for kind in ("normal", "heavy tails", "transformed"):
                        yield ("known", function, n_noise, n, kind, seed)
        if seed < 3:
            for name in TABLES:
                yield ("real", name, seed)


def run(draws, path, rankers, first=0):
    done = {tuple(entry["at"]) for entry in entries(path)}
    with path.open("a") as file:
        for job in jobs(draws, first):
            for ranker in rankers:
                at = (*job, ranker)
                if at in done:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    judge = truth_known if job[0] == "known" else real_scores
                    entry = judge(ranker, *job[1:])
                file.write(json.dumps({"at": at, **entry}) + "\n")
                file.flush()


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def whole_draws(found):
    """The entries of tables on which every peer was tried, and the sieve: what was interrupted is left out."""
    tried = {}
    for entry in found:
        tried.setdefault(tuple(entry["at"][:-1]), set()).add(entry["at"][-1])
    return [entry for entry in found if {*PEERS, "Sieve"} <= tried[tuple(entry["at"][:-1])]]


def means(found):
    """Scores by kind of table, cell and ranker, and processor seconds by ranker."""
    known, tables, seconds = {}, {}, {}
    for entry in whole_draws(found):
        kind, *where, ranker = entry["at"]
        cells = known if kind == "known" else tables
        cell = tuple(where[:4]) if kind == "known" else (where[0],)
        cells.setdefault(cell, {}).setdefault(ranker, []).append(entry["score"])
        seconds.setdefault(ranker, []).append(entry["seconds"])
    return dict(sorted(known.items(), key=lambda item: item[0][1])), tables, seconds


def goal_lines(known):
    """The best of ours beside the best peer, in every cell, over the draws that both have."""
    lines = [
        "## Best of ours and best peer, truth known",
        "",
        "| | ours | area (error) | peer | area (error) | ahead |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    ahead = []
    for cell, scores in known.items():
        ours = max((name for name in scores if name not in PEERS), key=lambda name: np.mean(scores[name]))
        peer = max((name for name in scores if name in PEERS), key=lambda name: np.mean(scores[name]))
        ahead.append(np.mean(scores[ours]) - np.mean(scores[peer]))
        lines.append(
            f"| {title(cell)} | {ours} | {told(scores[ours])} | {peer} | {told(scores[peer])} | {ahead[-1]:+.3f} |"
        )
    n_good = sum(one >= -0.02 for one in ahead)
    return [
        *lines,
        "",
        f"Ahead, or within .02: {n_good} of {len(ahead)} lines; mean {np.mean(ahead):+.3f}.",
        "",
    ]


def draws_told(cells):
    """The number of draws of the tables, or the least and the largest."""
    counts = sorted({max(map(len, scores.values())) for scores in cells.values()})
    return "-".join(map(str, dict.fromkeys((counts[0], counts[-1])))) if counts else "0"


def told(scores):
    """The mean, and its standard error in brackets."""
    error = f" ({np.std(scores, ddof=1) / np.sqrt(len(scores)):.3f})" if len(scores) > 1 else ""
    return f"{np.mean(scores):.3f}{error}"


def title(cell):
    """A cell in words."""
    if len(cell) == 1:
        return str(cell[0])
    return f"Friedman {cell[0]}, {cell[1]:,} of noise, n = {cell[2]}, {cell[3]}"


def page(found):
    """All tables as Markdown."""
    known, tables, seconds = means(found)
    lines = [
        "# Columns for a numeric target",
        "",
        "Written by benchmarks/numeric_targets.py, which says what is measured. Means over the draws; where a ranker is slow, its number of draws",
        "stands in brackets if it is less than that of the others, and a cell is empty where it was not tried.",
        "",
        f"Draws of a table: {draws_told(known)} (truth known), {draws_told(tables)} (real). With one draw an area differs by some .05 to .1 from that of another draw, and the",
        "best of many rankers on one draw is the best by luck too: more of ours than of peers take part.",
        "Columns stand in random order, so that equal scores (LightGBM, the lasso path and stumps leave many columns at 0) are settled by luck.",
        "",
        *goal_lines(known),
    ]
    for heading, cells in (
        ("Area under the ROC curve, truth known", known),
        ("Mean r2, real tables with noise added", tables),
    ):
        names = [name for name in RANKERS if any(name in cell for cell in cells.values())]
        whole = [name for name in names if all(name in cell for cell in cells.values())]
        lines += [f"## {heading}", "", f"| | {' | '.join(names)} |", "| --- |" + " --- |" * len(names)]
        for cell, scores in cells.items():
            most = max(map(len, scores.values()))
            few = {name: f" ({len(scores[name])})" for name in scores if len(scores[name]) < most}
            words = [
                f"{np.mean(scores[name]):.3f}{few.get(name, '')}" if name in scores else "" for name in names
            ]
            lines.append(f"| {title(cell)} | {' | '.join(words)} |")
        mean = {name: np.mean([np.mean(cell[name]) for cell in cells.values()]) for name in whole}
        lines.append(
            f"| **mean** | {' | '.join(f'{mean[name]:.3f}' if name in mean else '' for name in names)} |"
        )
        own = np.array([np.mean(cell["SBSMF"]) for cell in cells.values()])
        words = []
        for name in names:
            if name not in whole:
                words.append("")
                continue
            ahead = own - np.array([np.mean(cell[name]) for cell in cells.values()])
            words.append(f"{ahead.mean():+.3f} ({ahead.std(ddof=1) / np.sqrt(len(ahead)):.3f})")
        lines += [f"| SBSMF ahead by (error over lines) | {' | '.join(words)} |", ""]
    lines += ["## Processor seconds of a ranking, mean", "", "| ranker | seconds |", "| --- | --- |"]
    lines += [f"| {name} | {np.mean(seconds[name]):.3f} |" for name in RANKERS if name in seconds]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the number of the first draw")
    parser.add_argument("--path", type=Path, default=Path("numeric_targets.jsonl"))
    parser.add_argument("--rankers", nargs="+", choices=list(RANKERS), default=list(RANKERS))
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    if not asked.summary:
        run(asked.draws, asked.path, asked.rankers, asked.first)
    RESULT.write_text(page(entries(asked.path)))


if __name__ == "__main__":
    main()
