"""Neighbour search on 20,000 x 30 rows, k = 10: time and memory, beside scikit-learn and the plain version.

Run it from the repository: ``python benchmarks/neighbors.py``.
"""

import sys
import threading
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

from tamis.neighbors import MixedSpace, nearest_groups, nearest_rows, pair_distances

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracles import neighbors as oracle

N_ROWS, N_COLUMNS, K = 20_000, 30, 10


def mixed_table(rng):
    """15 numeric columns (5 with gaps), 5 on a grid, and 10 nominal ones of 2 to 11 values."""
    nominal = np.arange(N_COLUMNS) >= 20
    values = rng.normal(size=(N_ROWS, N_COLUMNS))
    values[:, 15:20] = rng.integers(0, 11, (N_ROWS, 5)) * 0.1
    values[:, nominal] = [rng.integers(0, 2 + np.arange(10)) for _ in range(N_ROWS)]
    values[:, 10:15][rng.random((N_ROWS, 5)) < 0.1] = np.nan
    return values, nominal


def resident():
    """Bytes of memory in use now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def measured(work, *arguments, **settings):
    """Return seconds, processor seconds of all threads, peak bytes of memory, and the result of `work`."""
    peak, done = [resident()], threading.Event()

    def watch():
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start, busy = time.perf_counter(), time.process_time()
    result = work(*arguments, **settings)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    done.set()
    watcher.join()
    return seconds, busy, peak[0], result


def mixed(values, nominal, metric):
    """Print time and memory of both searches on the mixed table, and equality with the plain version."""
    few = values[:300]
    space, small_space = MixedSpace.fit(values, nominal, metric), MixedSpace.fit(few, nominal, metric)
    for search in (nearest_rows, nearest_groups):
        search(small_space, few, K)  # compiles
        before = resident()
        seconds, busy, peak, _ = measured(search, space, values, K, n_jobs=2)
        each = busy / N_ROWS**2 / N_COLUMNS * 1e9
        print(
            f"mixed {metric}, {search.__name__}: {seconds:.2f} s, {busy:.2f} s of processor time "
            f"({each:.2f} ns a pair and column), {(peak - before) / 1e6:.0f} MB above the table"
        )
    plain_seconds, _, _, plain = measured(oracle.all_distances, few, few, nominal, metric)
    expected = [[row for _, row in oracle.nearest_lowest(line, i, K)] for i, line in enumerate(plain)]
    seconds, _, _, (rows, _) = measured(nearest_rows, small_space, few, K)
    equal = rows.tolist() == expected and pair_distances(small_space, few, few).tolist() == plain
    print(
        f"mixed {metric}, 300 rows: equal to the plain version: {equal}; {plain_seconds / seconds:,.0f} times faster"
    )


def numeric(values, metric, peer):
    """Print the time of the search on a numeric table as a ratio to scikit-learn's brute force."""
    space = MixedSpace.fit(values, np.zeros(N_COLUMNS, dtype=bool), metric)
    scaled = (values - space.lowest) / space.spread
    brute_force = NearestNeighbors(n_neighbors=K, algorithm="brute", metric=peer).fit(scaled)
    brute_force.kneighbors(scaled[:512])
    peer_seconds, peer_busy, _, _ = measured(brute_force.kneighbors)
    seconds, busy, _, _ = measured(nearest_rows, space, values, K, n_jobs=2)
    print(
        f"numeric {metric}: {seconds:.2f} s; to scikit-learn's brute force: {seconds / peer_seconds:.2f} of the time, "
        f"{busy / peer_busy:.2f} of the processor time"
    )


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    table, nominal_columns = mixed_table(rng)
    print(f"{N_ROWS:,} x {N_COLUMNS} rows, k = {K}, 2 threads")
    mixed(table, nominal_columns, "l1")
    mixed(table, nominal_columns, "l2")
    numeric(rng.normal(size=(N_ROWS, N_COLUMNS)), "l2", "sqeuclidean")
    numeric(rng.normal(size=(N_ROWS, N_COLUMNS)), "l1", "manhattan")
