"""`tamis compare` with every method: wall time, what is advised, and the size of the report.

Usage: python benchmarks/compare.py [NAME ...]   (default: all; each is written to benchmarks/results/compare.json)
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

RESULTS = Path(__file__).parent / "results" / "compare.json"
COMMON = ["-m", "columns,rows,peers", "-j", "2", "--repeats", "1"]
RUNS = {
    "ionosphere": ["ionosphere", *COMMON],
    "credit_crx": ["credit_crx", *COMMON],
    "vehicle": ["vehicle", *COMMON],
    "dlbcl-like 77 x 7129": ["wide.csv", "--target", "class", *COMMON, "--budget", "10m"],
    "budget 60 s, dlbcl-like": ["wide.csv", "--target", "class", *COMMON, "--budget", "60s"],
    "budget 60 s, ionosphere, nothing compiled yet": ["ionosphere", *COMMON, "--budget", "60s"],
}


def wide(path: Path) -> None:
    """77 rows of 7,129 columns, 40 of which differ between 58 rows of one class and 19 of the other."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    y = np.repeat([0, 1], [58, 19])
    X = random.normal(size=(77, 7129))
    X[:, :40] += np.outer(y, random.uniform(0.5, 1.5, 40))
    frame = pl.DataFrame({f"g{j}": X[:, j].round(4) for j in range(X.shape[1])})
    frame.with_columns(pl.Series("class", np.where(y == 0, "DLBCL", "FL"))).write_csv(path)


def main(names: list[str]) -> None:
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names or RUNS:
        with TemporaryDirectory() as folder:
            if "wide.csv" in RUNS[name]:
                wide(Path(folder) / "wide.csv")
            cold = {"NUMBA_CACHE_DIR": f"{folder}/kernels"} if "nothing compiled" in name else {}
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "tamis", "compare", *RUNS[name], "--report", "r.html", "-o", "out"],
                cwd=folder,
                env={**os.environ, **cold},
                check=True,
            )
            seconds = time.perf_counter() - start
            told = json.loads((Path(folder) / "out" / "summary.json").read_text())
            advice = {
                kind: {key: one["chosen"][key] for key in ("method", "model", "n_kept", "mean", "error")}
                for kind, one in told["advice"].items()
            }
            found[name] = {
                "seconds": round(seconds, 1),
                "folds_done": told["folds_done"],
                "splits": told["splits"],
                "left_out": told["left_out"],
                "report_kB": round((Path(folder) / "r.html").stat().st_size / 1000),
                "advice": advice,
            }
            print(name, json.dumps(found[name], indent=1))
            RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
