"""SampledEFR on real data: madelon's known columns, and accuracy on few columns of UCI sets.

Run it from the repository with the folder of madelon.csv.gz in TAMIS_DATA: ``python benchmarks/efr_real.py`` (some
minutes; LightGBM-RFE is left out where LightGBM is not installed). It goes on where results/efr_real.json ends.

``madelon``: 2,000 training rows, 500 columns, of which 20 are known to be relevant; how many of them are among the
first 20, and the area under ROC-FS. ``nested``: five folds; the columns are ranked on four of them, a random forest of 200
trees is fitted on the best 2, 4, 8 and 16, and the fifth is classified.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.model_selection import StratifiedKFold

import tamis
from tamis import datasets
from tamis.study.roc_fs import roc_fs
from tamis.table._encode import encode

PLACE = Path(__file__).parent / "results" / "efr_real.json"
SETS = ("ionosphere", "heart_cleveland", "pima", "breast_w", "vehicle", "german", "musk1")
SIZES = (2, 4, 8, 16)
RELEVANT = (29, 49, 65, 106, 129, 154, 242, 282, 319, 337, 339, 379, 434, 443, 452, 454, 456, 473, 476, 494)


def rankers():
    """The rankers by name, each made anew; LightGBM only where it is installed."""
    found = {
        "SampledEFR": lambda: tamis.SampledEFR(random_state=0),
        "SBSMF": lambda: tamis.SBSMF(),
        "random forest": lambda: RandomForestClassifier(500, random_state=0),
        "folded univariate": lambda: tamis.UnivariateAUC(folded=True),
    }
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return found
    model = LGBMClassifier(n_estimators=100, verbose=-1, n_jobs=1, random_state=0)
    found["LightGBM-RFE"] = lambda: RFE(model, n_features_to_select=1, step=0.1)
    return found


def order_of(ranker, X, y):
    """The columns from best to worst."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranker.fit(X, y)
    if hasattr(ranker, "ranking_"):
        return np.argsort(ranker.ranking_, kind="stable")
    return np.argsort(-ranker.feature_importances_, kind="stable")


def madelon(make):
    """How many of the known columns are found."""
    table = pl.read_csv(Path(os.environ["TAMIS_DATA"]) / "madelon.csv.gz", n_rows=2000)
    columns = [f"x{j}" for j in range(1, 501)]
    target = next(column for column in table.columns if column not in columns)
    X, y = table.select(columns).to_numpy().astype(float), table[target].to_numpy()
    relevant = np.isin(np.arange(1, 501), RELEVANT)
    start = time.perf_counter()
    order = order_of(make(), X, y)
    ranking = np.empty(500)
    ranking[order] = np.arange(1, 501)
    return {
        "found": int(relevant[order[:20]].sum()),
        "first_wrong": int(np.flatnonzero(~relevant[order])[0] + 1),
        "auc": round(roc_fs(relevant, ranking=ranking).auc, 4),
        "seconds": round(time.perf_counter() - start, 1),
    }


def nested(set_name, make):
    """Accuracy at each size, the ranking repeated in every fold."""
    data = datasets.load(set_name)
    table = encode(BaseEstimator(), data.X)
    values = np.nan_to_num(table.values, nan=-1.0)  # what trees see: codes, and gaps as a value of their own
    y = np.asarray(data.y)
    scores = {size: [] for size in SIZES if size < values.shape[1]}
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(values, y):
        ranker = make()
        ours = type(ranker).__module__.startswith("tamis.")
        order = order_of(ranker, data.X[train.tolist()] if ours else values[train], y[train])
        for size in scores:
            kept = order[:size]
            model = RandomForestClassifier(200, random_state=0).fit(values[train][:, kept], y[train])
            scores[size].append(float(model.score(values[test][:, kept], y[test])))
    return {
        str(size): [round(float(np.mean(s)), 4), round(float(np.std(s) / 5**0.5), 4)]
        for size, s in scores.items()
    }


def lines(results):
    """The page."""
    yield "# SampledEFR on real data"
    yield ""
    yield "Madelon: 2,000 rows, 500 columns, 20 of them relevant."
    yield ""
    yield "| ranker | relevant among the first 20 | rank of the first wrong one | area | seconds |"
    yield "| --- | --- | --- | --- | --- |"
    names = list(dict.fromkeys(key.split("/")[1] for key in results))
    for name in names:
        row = results.get(f"madelon/{name}")
        if row:
            yield f"| {name} | {row['found']} | {row['first_wrong']} | {row['auc']:.3f} | {row['seconds']} |"
    for size in map(str, SIZES):
        yield ""
        yield f"Accuracy of a random forest on the best {size} columns (mean of five folds, standard error):"
        yield ""
        yield "| set | " + " | ".join(names) + " |"
        yield "| --- " * (len(names) + 1) + "|"
        for set_name in SETS:
            cells = []
            for name in names:
                found = results.get(f"{set_name}/{name}", {}).get(size)
                cells.append(f"{found[0]:.3f} ({found[1]:.3f})" if found else "")
            if any(cells):
                yield f"| {set_name} | " + " | ".join(cells) + " |"


def main():
    """Run what is not there yet, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fresh", action="store_true", help="start anew")
    given = parser.parse_args()
    results = json.loads(PLACE.read_text()) if PLACE.exists() and not given.fresh else {}
    for set_name in (*SETS, "madelon"):
        if set_name == "madelon" and "TAMIS_DATA" not in os.environ:
            print("madelon is left out: TAMIS_DATA does not name the folder of madelon.csv.gz")
            continue
        for name, make in rankers().items():
            if f"{set_name}/{name}" not in results:
                work = madelon if set_name == "madelon" else nested
                arguments = (make,) if set_name == "madelon" else (set_name, make)
                results[f"{set_name}/{name}"] = work(*arguments)
                PLACE.write_text(json.dumps(results, indent=1) + "\n")
                print(set_name, name, results[f"{set_name}/{name}"], flush=True)
    page = "\n".join(lines(results)) + "\n"
    PLACE.with_suffix(".md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
