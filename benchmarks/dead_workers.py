"""Rankings on Dask clusters of 1, 2 and 4 processes, and clusters whose workers are killed in the middle.

    python benchmarks/dead_workers.py --kills 12

Every ranking is compared with the one made without a cluster, to the bit. Workers are killed with SIGKILL at random moments
of a run; the cluster starts new ones. Writes benchmarks/results/dead_workers.json.
"""

import argparse
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import distributed
import numpy as np

from tamis import SBSMF

RESULTS = Path(__file__).parent / "results" / "dead_workers.json"


def table(n_rows, n_columns):
    """A Dask array in chunks that its tasks can make again, and its labels."""
    X = da.random.default_rng(0).normal(size=(n_rows, n_columns), chunks=(n_rows // 8, n_columns))
    noise = da.random.default_rng(1).normal(size=n_rows, chunks=n_rows // 8)
    y = (X[:, 0] + 0.7 * X[:, 3] - 0.5 * X[:, 5] + noise > 0).astype(np.int64)
    return X, y


def same(first, second):
    return (
        np.array_equal(first.ranking_, second.ranking_)
        and np.array_equal(first.scores_, second.scores_)
        and all(np.array_equal(first.history_[key], second.history_[key]) for key in first.history_)
    )


def cluster_of(n_workers):
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
    )


def fitted(X, y, n_rounds):
    start = time.perf_counter()
    selector = SBSMF(n_rounds=n_rounds).fit(X, y)
    return selector, time.perf_counter() - start


def with_kills(client, X, y, n_rounds, usual, n_kills, moments):
    """Fit while workers are killed; how many were."""
    done = threading.Event()
    killed = []

    def kill():
        for wait in sorted(moments.uniform(0.05, 0.9) * usual for _ in range(n_kills)):
            if done.wait(max(0.0, wait - (time.perf_counter() - start))):
                return
            workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
            if workers:
                victim = moments.choice(workers)["name"]
                try:
                    (pid,) = [pid for name, pid in client.run(named_process).values() if name == victim]
                    os.kill(pid, signal.SIGKILL)
                    killed.append(round(time.perf_counter() - start, 2))
                except (OSError, ValueError, distributed.comm.CommClosedError):
                    continue

    start = time.perf_counter()
    killer = threading.Thread(target=kill)
    killer.start()
    failure = None
    try:
        selector = fitted(X, y, n_rounds)[0]
    except RuntimeError as error:
        selector, failure = None, str(error)
    took = time.perf_counter() - start
    done.set()
    killer.join()
    return selector, failure, killed, took


def named_process(dask_worker):
    return dask_worker.name, os.getpid()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--kills", type=int, default=12)
    given = parser.parse_args()
    dask.config.set(
        {"distributed.deploy.lost-worker-timeout": "120s"}
    )  # a busy machine starts workers slowly
    X, y = table(given.rows, given.columns)
    expected, here = fitted(X, y, given.rounds)
    found = {"rows": given.rows, "columns": given.columns, "rounds": given.rounds, "parts": 8}
    found |= {"seconds_without_cluster": round(here, 2), "clusters": [], "kills": []}
    for n_workers in (1, 2, 4):
        with cluster_of(n_workers) as cluster, distributed.Client(cluster):
            first = fitted(X, y, given.rounds)[0]  # compiled now
            selector, seconds = fitted(X, y, given.rounds)
            entry = {"workers": n_workers, "seconds": round(seconds, 2)}
            entry["same_bits"] = same(first, expected) and same(selector, expected)
            found["clusters"].append(entry)
            print(entry, flush=True)
    moments = random.Random(0)  # noqa: S311 - moments, not secrets
    n_killed = 0
    while n_killed < given.kills:
        with cluster_of(2) as cluster, distributed.Client(cluster) as client:
            usual = fitted(X, y, given.rounds)[1]
            for n_kills in (1, 2):
                client.wait_for_workers(2, timeout=120)
                selector, failure, killed, took = with_kills(
                    client, X, y, given.rounds, usual, n_kills, moments
                )
                n_killed += len(killed)
                entry = {"usual_seconds": round(usual, 2), "killed_after": killed, "seconds": round(took, 2)}
                entry |= {"failure": failure, "same_bits": selector is not None and same(selector, expected)}
                found["kills"].append(entry)
                print(entry, flush=True)
    runs = [entry for entry in found["kills"] if entry["killed_after"]]
    found["workers_killed"] = sum(len(entry["killed_after"]) for entry in runs)
    found["runs_with_kills"] = len(runs)
    found["runs_completed_with_the_same_bits"] = sum(entry["same_bits"] for entry in runs)
    print(json.dumps({key: found[key] for key in list(found)[-3:]}))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
