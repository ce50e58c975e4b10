"""FS2Boost (T = 50, k = 5) beside scikit-learn's SequentialFeatureSelector on 5-fold 5-nearest-neighbours.

Both select the same number of columns, the one at which FS2Boost's stop rule stops, on one thread, warm. Then two jobs
beside one, how time grows with rows, columns and rounds, and the memory that 20,000 x 30 takes. Figures are ratios
within this run, from processor time unless it says seconds.

Run it from the repository: ``python benchmarks/wrappers.py`` (some minutes), or with ``--quick``.
"""

import argparse
import resource
import statistics
import time
import warnings

import numpy as np
import threadpoolctl
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from tamis import datasets
from tamis.features.fs2boost import FS2Boost

try:
    from mlxtend.feature_selection import SequentialFeatureSelector as OtherSelector
except ImportError:
    OtherSelector = None

GOALS = {"ionosphere": 40, "house_votes": 40, "credit_crx": 40, "german": 40, "vehicle": 20, "spambase": 15}


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


def beside_others(name, quick):
    """Print how many times less processor time than the others FS2Boost takes."""
    values, nominal, y = table(name)
    filled = np.nan_to_num(values, nan=-1.0)
    selector = FS2Boost(n_neighbors=5, categorical_features=nominal, n_jobs=1)
    size = selector.fit(values, y).n_features_
    if quick and name == "spambase":
        size = min(size, 3)
    _, stopping = timed(lambda: selector.fit(values, y))
    selector.set_params(n_features_to_select=size)
    _, ours = timed(lambda: selector.fit(values, y), repeats=5)
    model = KNeighborsClassifier(5)
    others = {
        "scikit-learn": SequentialFeatureSelector(model, n_features_to_select=size, cv=5, n_jobs=1),
    }
    if OtherSelector is not None:
        others["mlxtend"] = OtherSelector(model, k_features=size, cv=5, n_jobs=1)
    for other, peer in others.items():
        _, busy = timed(lambda peer=peer: peer.fit(filled, y))
        print(
            f"{name} {values.shape}, {size} columns: {ours:.3f} s of processor time (with the stop rule {stopping:.3f} s); "
            f"{other} {busy / ours:.0f} times that (goal {GOALS[name]})",
            flush=True,
        )


def two_jobs(name):
    """Print how much faster two jobs are than one, in seconds, on a machine with two free processors."""
    values, nominal, y = table(name)
    one = FS2Boost(3, n_neighbors=5, categorical_features=nominal, n_jobs=1)
    two = FS2Boost(3, n_neighbors=5, categorical_features=nominal, n_jobs=2)
    two.fit(values, y)
    pairs = [(timed(lambda: one.fit(values, y))[0], timed(lambda: two.fit(values, y))[0]) for _ in range(5)]
    print(f"{name}: two jobs are {statistics.median(a / b for a, b in pairs):.2f} times as fast as one")


def made_up(n_rows, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_columns))
    return values, (values[:, : n_columns // 2].sum(axis=1) + rng.normal(size=n_rows) > 0).astype(int)


def growth(quick):
    """Print the exponents with which processor time grows."""
    base = {"n_rows": 1000 if quick else 2000, "n_columns": 16, "n_rounds": 50}
    for what in base:
        sizes = [base[what], 2 * base[what], 4 * base[what]]
        busy = []
        for size in sizes:
            given = {**base, what: size}
            values, y = made_up(given["n_rows"], given["n_columns"])
            selector = FS2Boost(4, n_neighbors=5, n_rounds=given["n_rounds"], tol=0.0, n_jobs=1)
            busy.append(timed(lambda s=selector, v=values, t=y: s.fit(v, t))[1])
        exponent = np.polyfit(np.log(sizes), np.log(busy), 1)[0]
        print(f"growth with {what} ({sizes[0]} to {sizes[-1]}, four steps): exponent {exponent:.2f}")


def memory(n_rows, n_columns):
    """Print seconds and peak memory of a search on a larger table (this process has peaked before: run it last)."""
    values, y = made_up(n_rows, n_columns)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    selector = FS2Boost(2, n_neighbors=5, n_jobs=2)
    seconds, busy = timed(lambda: selector.fit(values, y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{n_rows:,} x {n_columns}, two steps, two jobs: {seconds:.1f} s, {busy:.1f} s of processor time, "
        f"peak {peak / 1024:.0f} MB ({before / 1024:.0f} MB before)"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, a minute or two")
    parser.add_argument("--only", nargs="*", default=list(GOALS), help="data sets")
    quick = parser.parse_args().quick
    with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in parser.parse_args().only:
            beside_others(name, quick)
        two_jobs("spambase")
        growth(quick)
        memory(20_000 if not quick else 8_000, 30)
