"""Methods on a table in parts, beside the same table in memory: seconds, memory, and whether the answers agree.

    python benchmarks/part_methods.py --rows 1000000 --columns 30 --parts 10 [METHOD ...]

The columns: two thirds of continuous numbers (one in five with gaps), the others of few whole numbers, and one of names. Every fit
is a process of its own, so that its peak memory is its own; a small table is fitted first, so that nothing is compiled
while the clock runs. Seconds are the processor's. "the same" means every bit of `scores_` and `ranking_`.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from tamis import BDSFS, GramSchmidt, PairScan, Sieve, UnivariateAUC

RESULTS = Path(__file__).parent / "results" / "part_methods.json"
METHODS = {
    "Sieve": lambda: Sieve(random_state=0),
    "UnivariateAUC": UnivariateAUC,
    "GramSchmidt": GramSchmidt,
    "BDSFS": BDSFS,
    "PairScan": PairScan,
}


def table(seed, n, n_columns):
    """Some rows."""
    rng = np.random.default_rng(seed)
    columns = {}
    score = rng.standard_normal(n)
    for j in range(n_columns - 1):
        x = rng.standard_normal(n) if j % 3 else rng.integers(0, 3 + 4 * j, n).astype(float)
        score += x / x.std() / (1 + j) if j % 4 == 0 else 0.0
        if j % 5 == 2:
            x[rng.random(n) < 0.1] = np.nan
        columns[f"x{j}"] = x
    columns["name"] = np.array(["amber", "beryl", "coral", "jade"])[rng.integers(0, 4, n)]
    columns["sold"] = np.where(score > 0, "yes", "no")
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def fit(name, folder, *, whole):
    """Seconds of the processor, megabytes above what the libraries take, and the answer."""
    small = table(0, 300, 8)
    METHODS[name]().fit(small.drop("sold"), small["sold"].to_numpy())
    frame = pl.concat([pl.read_parquet(file) for file in sorted(folder.glob("*.parquet"))]) if whole else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    if frame is None:
        found = METHODS[name]().fit(str(folder), "sold")
    else:
        found = METHODS[name]().fit(frame.drop("sold"), frame["sold"].to_numpy())
    return {
        "processor_seconds": round(time.process_time() - start, 2),
        "megabytes": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024),
        "answer": [found.scores_.tolist(), found.ranking_.tolist()],
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="*", default=list(METHODS))
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--parts", type=int, default=10)
    parser.add_argument("--one", nargs=2, metavar=("FOLDER", "WHERE"), help="fit once, here")
    asked = parser.parse_args()
    if asked.one:
        folder, where = asked.one
        print(json.dumps(fit(asked.methods[0], Path(folder), whole=where == "memory")))
        return
    told = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    told |= {
        "rows": asked.rows,
        "columns": asked.columns,
        "parts": asked.parts,
        "machine": platform.machine(),
    }
    with tempfile.TemporaryDirectory() as folder:
        for part in range(asked.parts):
            table(part, asked.rows // asked.parts, asked.columns).write_parquet(f"{folder}/{part:02}.parquet")
        for name in asked.methods:
            found = {}
            for where in ("parts", "memory"):
                words = [sys.executable, __file__, name, "--one", folder, where]
                found[where] = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
            same = found["parts"].pop("answer") == found["memory"].pop("answer")
            told.setdefault("methods", {})[name] = {**found, "the_same": same}
            print(name, told["methods"][name], flush=True)
            RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
