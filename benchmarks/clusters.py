"""The same ranking of a folder of Parquet files without a cluster, on one and two Dask workers, and with slow messages.

    python benchmarks/clusters.py FOLDER --rows 4000000 --columns 30 --rounds 30

FOLDER is made if it is not there. Every process has one thread, those of polars too. With slow messages every message
between client, scheduler and workers, in either direction, leaves 5 milliseconds later. What is compiled is compiled before.
Seconds are the better of two runs; processor seconds are those of all processes together, on which other work has less
influence. Writes benchmarks/results/clusters.json.
"""

import argparse
import asyncio
import json
import os
import time
from functools import partial
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "1"

import distributed
import numpy as np
import polars as pl

from tamis import SBSMF
from tamis.table.parts import cluster

RESULTS = Path(__file__).parent / "results" / "clusters.json"
N_FILES = 8
LATE = 0.005  # seconds
said = {"messages": 0, "bytes_sent": 0, "bytes_received": 0}


def make(folder, n_rows, n_columns):
    """Normal numbers, of which three decide the class with noise."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    for number in range(N_FILES):
        rng = np.random.default_rng(number)
        X = rng.standard_normal((n_rows // N_FILES, n_columns), dtype=np.float32)
        y = X[:, 0] + 0.7 * X[:, 3] - 0.5 * X[:, 5] + rng.normal(size=len(X)) > 0
        frame = pl.DataFrame(X, schema=[f"c{j}" for j in range(n_columns)]).with_columns(label=y.astype(int))
        frame.write_parquet(folder / f"{number}.parquet", compression="lz4")


def same(first, second):
    return (
        np.array_equal(first.ranking_, second.ranking_)
        and np.array_equal(first.scores_, second.scores_)
        and all(np.array_equal(first.history_[key], second.history_[key]) for key in first.history_)
    )


def counting(ask):
    """The same way to ask a worker, with what is said counted."""

    async def asked(client, address, request):
        reply = await ask(client, address, request)
        said["messages"] += 1
        said["bytes_sent"] += len(request["function"]) + len(request["args"])
        said["bytes_received"] += np.asarray(reply["result"]).nbytes
        return reply

    return asked


def slow_messages():
    """Let every message that this process sends leave later."""
    from distributed.comm import tcp

    write = tcp.TCP.write

    async def late(self, *arguments, **named):
        await asyncio.sleep(LATE)
        return await write(self, *arguments, **named)

    tcp.TCP.write = late


def processor_seconds(client):
    return time.process_time() + (0 if client is None else sum(client.run(time.process_time).values()))


def measured(folder, n_rounds, client=None, n_runs=2):
    """The better of some runs."""
    runs = []
    for _ in range(n_runs):
        said.update(dict.fromkeys(said, 0))
        start, busy = time.perf_counter(), processor_seconds(client)
        selector = SBSMF(n_rounds=n_rounds).fit(folder, "label")
        seconds = time.perf_counter() - start
        entry = {"seconds": round(seconds, 2)}
        entry["processor_seconds"] = round(processor_seconds(client) - busy, 2)
        runs.append((seconds, selector, entry | said | {"load": round(os.getloadavg()[0], 1)}))
    _, selector, entry = min(runs, key=lambda run: run[0])
    return selector, entry


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=30)
    given = parser.parse_args()
    small = given.folder.with_name(given.folder.name + "-small")
    make(given.folder, given.rows, given.columns)
    make(small, 16_000, given.columns)
    cluster._straight = counting(cluster._straight)
    run = partial(measured, given.folder, given.rounds)
    measured(small, given.rounds, n_runs=1)
    expected, here = run()
    found = {"rows": given.rows, "columns": given.columns, "rounds": given.rounds, "files": N_FILES}
    found |= {"models": int(expected.history_["n_fits"][-1]), "processors": os.cpu_count(), "runs": []}

    def add(what, selector, entry):
        entry = {"what": what} | entry | {"same_bits": same(selector, expected)}
        for name in ("seconds", "processor_seconds"):
            entry["times_" + name] = round(entry[name] / here[name], 2)
        found["runs"].append(entry)
        print(entry, flush=True)

    add("without a cluster", expected, here)
    for n_workers in (1, 2):
        with (
            distributed.LocalCluster(
                n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
            ) as workers,
            distributed.Client(workers) as client,
        ):
            measured(small, given.rounds, client, n_runs=1)
            add(f"{n_workers} workers of one thread", *run(client))
            if n_workers == 1:
                client.run(slow_messages)
                write = distributed.comm.tcp.TCP.write
                slow_messages()
                add("1 worker, every message 5 ms late", *run(client))
                distributed.comm.tcp.TCP.write = write
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
