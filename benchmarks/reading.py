"""Rows per second and peak memory of reading a 1,000,000 x 20 table: tamis, polars, pandas and pyarrow in one run.

    python benchmarks/reading.py [--rows 1000000] [--repeats 3]

Each reading runs in a process of its own: one small file first as warm-up, then the clock. The best of the repeats
counts; CPU seconds are the sum over all cores. "nothing" is a process without a reader. What tamis does beyond reading is part of its time: it checks labels and columns.
"""

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

READERS = ["nothing", "tamis", "polars", "pandas", "pyarrow"]


def reader_of(name: str) -> Callable[[Path], Any]:
    """The function that reads a CSV or Parquet file; imports happen here, before the clock starts."""
    if name == "tamis":
        from tamis.table.reading.read import read

        return read
    if name == "polars":
        import polars as pl

        return lambda path: pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
    if name == "pandas":
        import pandas as pd

        return lambda path: pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    if name == "pyarrow":
        from pyarrow import csv, parquet

        return lambda path: parquet.read_table(path) if path.suffix == ".parquet" else csv.read_csv(path)
    return lambda path: path


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def child(name: str, path: Path) -> None:
    """Read once and print what it took, as JSON."""
    read = reader_of(name)
    read(path.with_name("small" + path.suffix))
    start, cpu = time.perf_counter(), cpu_seconds()
    table = read(path)
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "held": table is not None}))


def make_tables(folder: Path, n_rows: int) -> None:
    """Twelve normal columns, four of whole numbers, three nominal, and two classes; the same seed always."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    words = np.array(["alpha", "beta", "gamma", "Never-married", "Some-college-degree"])
    for name, rows in (("small", 1000), ("table", n_rows)):
        columns: dict[str, Any] = {f"float{i}": rng.standard_normal(rows) for i in range(12)}
        columns |= {f"whole{i}": rng.integers(0, 10 ** (i + 1), rows) for i in range(4)}
        columns |= {f"nominal{i}": words[rng.integers(0, 5, rows)] for i in range(3)}
        columns["target"] = np.array(["yes", "no"])[rng.integers(0, 2, rows)]
        frame = pl.DataFrame(columns)
        frame.write_csv(folder / f"{name}.csv")
        frame.write_parquet(folder / f"{name}.parquet")


def measured(name: str, path: Path, repeats: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", name, str(path)]
    runs = [json.loads(subprocess.check_output(command)) for _ in range(repeats)]
    return {key: min(run[key] for run in runs) for key in ("seconds", "cpu", "peak")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--make", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--child", nargs=2, metavar=("READER", "PATH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make_tables(Path(options.make), options.rows)
        return
    if options.child:
        child(options.child[0], Path(options.child[1]))
        return
    present = [name for name in READERS if name in ("nothing", "tamis") or importlib.util.find_spec(name)]
    with tempfile.TemporaryDirectory() as folder:
        # Not here: a child's peak memory begins at its parent's.
        subprocess.check_call([sys.executable, __file__, "--rows", str(options.rows), "--make", folder])
        for path in (Path(folder, "table.csv"), Path(folder, "table.parquet")):
            size = path.stat().st_size / 2**20
            print(f"\n{options.rows:,} x 20 {path.suffix[1:]}, {size:.0f} MB, best of {options.repeats}")
            print(f"{'reader':10}{'rows/s':>12}{'seconds':>9}{'to polars':>11}{'cpu s':>8}{'peak MB':>9}")
            results = {name: measured(name, path, options.repeats) for name in present}
            base = results["polars"]["seconds"]
            for name, run in results.items():
                speed, ratio = f"{options.rows / run['seconds']:,.0f}", f"{run['seconds'] / base:.2f}x"
                if name == "nothing":
                    speed = ratio = ""
                print(
                    f"{name:10}{speed:>12}{run['seconds']:>9.2f}{ratio:>11}{run['cpu']:>8.2f}{run['peak']:>9.0f}"
                )


if __name__ == "__main__":
    main()
