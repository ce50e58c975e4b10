"""ReliefF beside scikit-rebate's, Simba beside its plain version: same answers, ratios of time, memory.

Run it from the repository: ``python benchmarks/relief.py``. Without scikit-rebate (``pip install skrebate``) that part
is left out. ``python benchmarks/relief.py --fixture`` writes what the tests hold against scikit-rebate.

Where the definitions agree: numeric columns only, or nominal columns only; no gaps, no constant column; two classes, or
several of one size; no two rows tied for the last place among the neighbours. They part where
- numeric and nominal columns meet: scikit-rebate multiplies the share of unequal nominal values by the number of all
  columns in its distance, and counts a numeric difference above one standard deviation as 1 in its weights;
- values are missing: scikit-rebate leaves the column out of the distance and of the row's update;
- classes differ in size and are three or more: scikit-rebate counts each class of misses alike, Kononenko by its share;
- a class has no more rows than neighbours are asked for: scikit-rebate then takes the row itself for one of its hits;
- rows tie: scikit-rebate takes what an unstable sort gives.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

from tamis import datasets
from tamis.features.relieff import ReliefF
from tamis.features.simba import Simba

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracles import simba as oracle

try:
    from skrebate import ReliefF as Peer
except ImportError:
    Peer = None

FIXTURES = Path(__file__).parents[1] / "tests" / "features" / "fixtures"
K = 10


def seconds(work, repeats=3, clock=time.process_time):
    """Median seconds of `repeats` runs (of processor time, which other work disturbs less), and the last result."""
    times = []
    for _ in range(repeats):
        start = clock()
        result = work()
        times.append(clock() - start)
    return statistics.median(times), result


def made(n_rows, n_columns):
    """Numeric columns, of which the sum of the first two decides the class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def real(name):
    """A numeric data set without its constant columns and repeated rows."""
    data = datasets.load(name)
    X = data.X.to_numpy().astype(float)
    X = X[:, np.ptp(X, axis=0) > 0]
    _, rows = np.unique(X, axis=0, return_index=True)
    rows.sort()
    return X[rows], np.unique(np.asarray(data.y)[rows], return_inverse=True)[1]


def n_tied(X, y):
    """How often two rows of a class tie for the last place among the neighbours of a row."""
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    found = 0
    for row in range(len(X)):
        distances = np.abs(scaled - scaled[row]).sum(axis=1)
        for label in np.unique(y):
            ranked = np.sort(distances[(y == label) & (np.arange(len(X)) != row)])
            found += ranked[K] - ranked[K - 1] < 1e-9
    return found


def beside_the_peer(name, X, y):
    """Print the largest difference of the weights and the ratio of processor time, one job each."""
    ReliefF(n_jobs=1).fit(X, y)
    own, fitted = seconds(lambda: ReliefF(n_neighbors=K, n_jobs=1).fit(X, y))
    theirs, peer = seconds(lambda: Peer(n_neighbors=K, categorical_features=[]).fit(X, y), repeats=1)
    apart = np.abs(fitted.scores_ - peer.feature_importances_).max()
    print(
        f"ReliefF, {name} {X.shape[0]:,} x {X.shape[1]}: {own:.3f} s, scikit-rebate {theirs:.1f} s, "
        f"{theirs / own:,.0f} times faster; {n_tied(X, y)} ties, weights differ by {apart:.1e} at most"
    )


def beside_the_plain_version(X, y):
    """Print whether Simba equals its plain version, and how much faster it is."""
    Simba(n_starts=1, random_state=0).fit(X, y)
    own, fitted = seconds(lambda: Simba(n_starts=1, random_state=0).fit(X, y))

    def plain():
        first, order = next(oracle.draws(*X.shape, 1, 1, 0))
        return oracle.start(oracle.differences(X, np.zeros(X.shape[1], dtype=bool)), y, first, order)

    theirs, (scores, _, _) = seconds(plain, repeats=1)
    apart = np.abs(fitted.scores_ - scores).max()
    print(
        f"Simba, {X.shape[0]} x {X.shape[1]}: {theirs / own:,.0f} times faster than the plain version; {apart:.1e} apart"
    )


def growth(estimator, sizes, n_columns):
    """Print the time for each number of rows with one job, and what two jobs gain at the last."""
    estimator.fit(*made(100, n_columns))
    for n_rows in sizes:
        X, y = made(n_rows, n_columns)
        one, _ = seconds(lambda: estimator.set_params(n_jobs=1).fit(X, y), repeats=1, clock=time.perf_counter)  # noqa: B023
        print(f"{type(estimator).__name__}, {n_rows:,} x {n_columns}: {one:.2f} s with one job")
    two, _ = seconds(lambda: estimator.set_params(n_jobs=2).fit(X, y), repeats=1, clock=time.perf_counter)
    print(f"{type(estimator).__name__}: two jobs are {one / two:.2f} times as fast as one")


def tied(X, y, k):
    """Whether two nominal rows of a class tie for the k-th place of some row."""
    for row in range(len(X)):
        unequal = (X[row] != X).sum(axis=1)
        for label in np.unique(y):
            ranked = np.sort(unequal[(y == label) & (np.arange(len(X)) != row)])
            if ranked[k - 1] == ranked[k]:
                return True
    return False


def small_problem(rng, number):
    """Two classes, three of one size, or nominal columns; X, y and the number of neighbours."""
    if number % 4 == 3:
        while True:
            X, y, k = rng.integers(0, 3, (10, 12)) * 1.0, rng.permutation(np.arange(10) % 2), 2
            if not tied(X, y, k):
                return X, y, k
    y = rng.permutation(np.arange(24) % 3 if number % 4 == 2 else (np.arange(24) < 9) * 1)
    return (rng.normal(size=(24, 12)) + y[:, None]).round(3), y, (1, 3, 7)[number % 3]


def write_fixture():
    """Write small problems, and scikit-rebate's weights for them."""
    rng = np.random.default_rng(0)
    problems, answers = [], []
    for number in range(12):
        X, y, k = small_problem(rng, number)
        nominal = number % 4 == 3
        peer = Peer(n_neighbors=k, categorical_features=list(range(12)) if nominal else []).fit(X, y)
        problems += [[number, *row, label] for row, label in zip(X, y)]
        answers.append([number, k, nominal, *peer.feature_importances_])
    columns = range(12)
    FIXTURES.mkdir(exist_ok=True)
    for name, head, table in (
        ("skrebate_problems.csv", f"problem,{','.join(f'x{j}' for j in columns)},label", problems),
        (
            "skrebate_weights.csv",
            f"problem,n_neighbors,nominal,{','.join(f'w{j}' for j in columns)}",
            answers,
        ),
    ):
        np.savetxt(FIXTURES / name, table, fmt="%.10g", delimiter=",", header=head, comments="")


if __name__ == "__main__":
    if "--fixture" in sys.argv:
        write_fixture()
        sys.exit()
    if Peer is None:
        print("scikit-rebate is not installed: pip install skrebate")
    else:
        beside_the_peer("made", *made(1000, 30))
        for data_set in ("ionosphere", "musk1", "pima"):
            beside_the_peer(data_set, *real(data_set))
    beside_the_plain_version(*made(120, 10))
    growth(ReliefF(), (5_000, 10_000, 20_000), 30)
    growth(Simba(random_state=0), (1_000, 2_000, 4_000), 30)
