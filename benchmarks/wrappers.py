"""FS2Boost (T = 50, k = 5) beside sequential selection of scikit-learn and mlxtend on 5-fold 5-nearest-neighbours.

All select the same number of columns, the one at which FS2Boost's stop rule stops (spambase: five), or half of them, on one thread, warm.
Then two jobs beside one, how time grows with rows, columns and rounds, the memory that 20,000 x 30 takes, and what a
search on a sample of the rows costs and loses on 50,000 x 100. Ratios are from processor time unless it says seconds.

Run it from the repository: ``python benchmarks/wrappers.py`` (some 20 minutes), or with ``--only`` and names of parts.
Every run is added to results/wrappers.json beside this file, none is taken out, and the page results/wrappers.md shows
their medians, with the range where there are several.
Without mlxtend (``pip install mlxtend``) its column is left out.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import threadpoolctl
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from tamis import FS2Boost, datasets

try:
    from mlxtend.feature_selection import SequentialFeatureSelector as OtherSelector
except ImportError:
    OtherSelector = None

GOALS = {"ionosphere": 40, "house_votes": 40, "credit_crx": 40, "german": 40, "vehicle": 20, "spambase": 15}
TWO_JOBS = ("spambase", "vehicle")
SAMPLES = (1000, 2000, 4000, 8000)
FOLDER = Path(__file__).parent / "results"


def table(name):
    """A data set as numbers with gaps, which of its columns are nominal, and its labels."""
    data = datasets.load(name, frame="pandas")
    nominal = [str(dtype) == "category" for dtype in data.X.dtypes]
    columns = [
        data.X[column].cat.codes.replace(-1, np.nan) if is_nominal else data.X[column]
        for column, is_nominal in zip(data.X, nominal)
    ]
    values = np.column_stack([column.astype(float).to_numpy(na_value=np.nan) for column in columns])
    return values, np.flatnonzero(nominal), np.unique(data.y, return_inverse=True)[1]


def timed(work, repeats=1):
    """Median seconds and processor seconds of some calls."""
    seconds, busy = [], []
    for _ in range(repeats):
        start, start_busy = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - start)
        busy.append(time.process_time() - start_busy)
    return statistics.median(seconds), statistics.median(busy)


def beside_others(name, n_kept=None):
    """How many times the processor time of FS2Boost the others take; n_kept: None is by the stop rule."""
    values, nominal, y = table(name)
    filled = np.nan_to_num(values, nan=-1.0)
    large = len(values) > 2000
    selector = FS2Boost(n_kept, n_neighbors=5, categorical_features=nominal, n_jobs=1)
    size = selector.fit(values, y).n_features_
    selector.set_params(n_features_to_select=size)
    _, ours = timed(lambda: selector.fit(values, y), repeats=3 if large else 15)
    model = KNeighborsClassifier(5)
    others = {"scikit-learn": SequentialFeatureSelector(model, n_features_to_select=size, cv=5, n_jobs=1)}
    if OtherSelector is not None:
        others["mlxtend"] = OtherSelector(model, k_features=size, cv=5, n_jobs=1)
    found = {
        "rows": len(values),
        "columns": values.shape[1],
        "kept": size,
        "goal": GOALS[name],
        "tamis": ours,
    }
    for other, peer in others.items():
        found[other] = timed(lambda peer=peer: peer.fit(filled, y), repeats=1 if large else 3)[1] / ours
    return found


def two_jobs(name):
    """How many times as fast as one job two jobs are, in seconds, on a machine with two free processors."""
    values, nominal, y = table(name)
    one, two = (FS2Boost(5, n_neighbors=5, categorical_features=nominal, n_jobs=jobs) for jobs in (1, 2))
    two.fit(values, y)
    pairs = [(timed(lambda: one.fit(values, y))[0], timed(lambda: two.fit(values, y))[0]) for _ in range(5)]
    return statistics.median(a / b for a, b in pairs)


def made_up(n_rows, n_columns, seed=0):
    """A table of normal columns of which the first half say something, each less than the one before."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_columns))
    worth = 1 / np.arange(1, n_columns // 2 + 1)
    return values, (values[:, : len(worth)] @ worth + 0.5 * rng.normal(size=n_rows) > 0).astype(int)


def growth():
    """The exponents with which processor time grows, four columns being chosen."""
    base = {"n_rows": 1000, "n_columns": 16, "n_rounds": 50}
    found = {}
    for what in base:
        sizes = [base[what], 2 * base[what], 4 * base[what]]
        busy = []
        for size in sizes:
            given = {**base, what: size}
            values, y = made_up(given["n_rows"], given["n_columns"])
            selector = FS2Boost(4, n_neighbors=5, n_rounds=given["n_rounds"], n_jobs=1)
            selector.fit(values, y)
            busy.append(timed(lambda s=selector, v=values, t=y: s.fit(v, t), repeats=3)[1])
        exponent = float(np.polyfit(np.log(sizes), np.log(busy), 1)[0])
        found[what] = {"sizes": sizes, "exponent": exponent}
    return found


def in_a_process(n_rows, n_columns, n_kept, max_rows=None):
    """Seconds, peak memory and columns of a search on a made-up table, in a process of its own."""
    words = [sys.executable, __file__, "--alone", *map(str, (n_rows, n_columns, n_kept, max_rows or 0))]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def alone(n_rows, n_columns, n_kept, max_rows):
    """What `in_a_process` runs; the small search before is for the compiler and for the memory that libraries take."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        FS2Boost(2, n_neighbors=5, n_jobs=2).fit(*made_up(500, 5))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        values, y = made_up(n_rows, n_columns)
        selector = FS2Boost(n_kept, n_neighbors=5, max_rows=max_rows or None, random_state=0, n_jobs=2)
        seconds, busy = timed(lambda: selector.fit(values, y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {
        "seconds": seconds,
        "processor seconds": busy,
        "megabytes": peak // 1024,
        "before": before // 1024,
    }
    order = np.argsort(selector.ranking_)[:n_kept].tolist()
    print(json.dumps({**found, "order": order, "z": selector.criterion_}))


def parts():
    """What there is to run, by name."""
    return {
        **{name: lambda name=name: beside_others(name, 5 if name == "spambase" else None) for name in GOALS},
        **{
            f"{name}, half": lambda name=name: beside_others(name, 0.5)
            for name in GOALS
            if name != "spambase"
        },
        **{f"two jobs, {name}": lambda name=name: two_jobs(name) for name in TWO_JOBS},
        "growth": growth,
        "20,000 x 30": lambda: in_a_process(20_000, 30, 2),
        **{f"sample {n}": lambda n=n: in_a_process(50_000, 100, 10, n) for n in SAMPLES},
    }


def middle(values, form):
    """The median of all runs, and their range where there are several."""
    told = format(statistics.median(values), form)
    if len(values) == 1:
        return told
    return f"{told} ({len(values)} runs, {min(values):{form}} to {max(values):{form}})"


def page(found):
    """The results as text; found is {part: list of runs}."""
    lines = [
        "# The wrappers beside their peers",
        "",
        "How many times the processor time of FS2Boost (T = 50, k = 5, one thread) the sequential selectors take that",
        "choose as many columns by 5-fold accuracy of 5-nearest-neighbours. Medians of all runs made.",
        "",
        "| data set | rows x columns | kept | FS2Boost, seconds | scikit-learn | mlxtend | goal |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in parts():
        runs = found.get(name, [])
        if runs and isinstance(runs[0], dict) and "goal" in runs[0]:
            at = runs[0]
            ours, first, other = (
                middle([run[what] for run in runs if what in run] or [float("nan")], form)
                for what, form in (("tamis", ".4f"), ("scikit-learn", ".0f"), ("mlxtend", ".0f"))
            )
            shape = f"{at['rows']:,} x {at['columns']}"
            lines.append(f"| {name} | {shape} | {at['kept']} | {ours} | {first} | {other} | {at['goal']} |")
    lines.append("")
    for name in TWO_JOBS:
        runs = found.get(f"two jobs, {name}", [])
        if runs:
            lines.append(f"- Two jobs on {name} are {middle(runs, '.2f')} times as fast as one (goal 1.6).")
    for what, at in found.get("growth", [{}])[-1].items():
        low, *_, high = at["sizes"]
        lines.append(f"- Time grows with {what} ({low} to {high}) by the power {at['exponent']:.2f}.")
    lines += [
        f"- 20,000 x 30, two columns, two jobs: {at['seconds']:.0f} s, peak {at['megabytes']} MB "
        f"({at['before']} MB before)."
        for at in found.get("20,000 x 30", [])
    ]
    lines += [
        "",
        "Two jobs are timed in seconds, which other work on the machine spoils: these runs shared their two processors",
        "with it, so that a low ratio may say more about that than about the search.",
    ]
    sampled = [n for n in SAMPLES if f"sample {n}" in found]
    if sampled:
        lines += ["", "Ten of 100 columns of 50,000 rows by a search on a sample (`max_rows`), two jobs:", ""]
        lines += [
            "| rows looked at | seconds | megabytes | columns in order of entry |",
            "| ---: | ---: | ---: | --- |",
        ]
        for n in sampled:
            at = found[f"sample {n}"][-1]
            order = ", ".join(map(str, at["order"]))
            lines.append(f"| {n:,} | {at['seconds']:.0f} | {at['megabytes']} | {order} |")
        lines += ["", "Column 0 says most, each next one less, those from 50 on nothing."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="*", default=list(parts()), choices=list(parts()), help="parts to run"
    )
    parser.add_argument("--alone", nargs=4, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        alone(*given.alone)
        return
    store = FOLDER / "wrappers.json"
    found = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    for name in given.only:
        with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.setdefault(name, []).append(parts()[name]())
        print(name, found[name][-1], flush=True)
        store.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        (FOLDER / "wrappers.md").write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
