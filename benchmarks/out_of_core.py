"""A full sbs-mf ranking of a folder of Parquet files larger than memory should hold as numbers.

    python benchmarks/out_of_core.py make FOLDER --rows 10000000
    python benchmarks/out_of_core.py rank FOLDER --rounds 100

`make` writes 100 columns: 70 of continuous numbers (32-bit, five of them with gaps), 20 of few whole numbers, 10 of names.
Twenty of them decide the class, with noise. `rank` prints and stores minutes, peak memory and the rate over all rounds.
"""

import argparse
import json
import platform
import resource
import time
from pathlib import Path

import numpy as np
import polars as pl

RESULTS = Path(__file__).parent / "results" / "out_of_core.json"
ROWS_A_FILE = 500_000
NAMES = np.array(["amber", "beryl", "coral", "flint", "garnet", "jade", "onyx", "opal", "pearl", "topaz"])


def rows(seed, n):
    """Some rows of the table."""
    rng = np.random.default_rng(seed)
    columns = {}
    hidden = rng.standard_normal((n, 5), dtype=np.float32)
    score = rng.standard_normal(n, dtype=np.float32) * 2
    for j in range(70):
        x = rng.standard_normal(n, dtype=np.float32) + hidden[:, j % 5] * np.float32(0.5)
        if j % 7 == 0:
            score += np.float32(1.2 / (1 + j / 14)) * np.tanh(x) * (1 if j % 2 else -1)
        if j % 14 == 3:
            x[rng.random(n) < 0.1] = np.nan
        columns[f"number_{j}"] = x
    for j in range(20):
        x = rng.integers(0, 3 + 4 * j, n, dtype=np.int16)
        if j % 4 == 0:
            score += np.float32(0.6) * (x > (3 + 4 * j) // 2)
        columns[f"count_{j}"] = x
    for j in range(10):
        x = rng.integers(0, len(NAMES), n)
        if j % 2 == 0:
            score += np.float32(0.5) * (x == j)
        columns[f"name_{j}"] = NAMES[x]
    columns["label"] = np.where(score > 1.0, "yes", "no")
    return pl.DataFrame(columns, nan_to_null=True)


def make(folder, n_rows):
    folder.mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, n_rows, ROWS_A_FILE)):
        frame = rows(number, min(ROWS_A_FILE, n_rows - first))
        frame.write_parquet(folder / f"part_{number:04}.parquet", compression="lz4", row_group_size=125_000)
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    print(f"{n_rows} rows, {size / 1e9:.2f} GB")


def rank(folder, n_rounds, n_jobs):
    from tamis import SBSMF
    from tamis.stumps import part_fit

    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    moments = [time.perf_counter()]
    prepare = part_fit.prepared_parts

    def timed(*arguments, **named):
        found = prepare(*arguments, **named)
        moments.append(time.perf_counter())
        return found

    part_fit.prepared_parts = timed
    selector = SBSMF(n_rounds=n_rounds, n_jobs=n_jobs).fit(folder, "label")
    moments.append(time.perf_counter())
    n_rows = int(pl.scan_parquet(folder / "*.parquet").select(pl.len()).collect().item())
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "rows": n_rows,
        "columns": len(selector.ranking_),
        "rounds": n_rounds,
        "threads": n_jobs,
        "files_gigabytes": round(size / 1e9, 2),
        "bins_and_codes_minutes": round((moments[1] - moments[0]) / 60, 2),
        "ranking_minutes": round((moments[2] - moments[1]) / 60, 2),
        "minutes": round((moments[2] - moments[0]) / 60, 2),
        "processor_minutes": round((used.ru_utime + used.ru_stime) / 60, 2),
        "read_gigabytes_a_second": round(2 * size / 1e9 / (moments[1] - moments[0]), 3),
        "models": int(selector.history_["n_fits"][-1]),
        "peak_gigabytes": round(used.ru_maxrss / 1e6, 2),
        "before_gigabytes": round(before / 1e6, 2),
        "best_columns": [str(selector.feature_names_in_[j]) for j in np.argsort(selector.ranking_)[:20]],
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }
    print(json.dumps(found, indent=1))
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    known = [entry for entry in known if (entry["rows"], entry["rounds"]) != (n_rows, n_rounds)]
    RESULTS.write_text(json.dumps([*known, found], indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["make", "rank"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.rows)
    else:
        rank(given.folder, given.rounds, given.jobs)


if __name__ == "__main__":
    main()
