"""Write the problems on which R's class::reduce.nn bears witness for ReducedNN.

Run from the root of the repository: ``python tools/reduce_nn.py``, and then ``Rscript tools/reduce_nn.R`` (Debian's
r-cran-class), which writes what R keeps. Both files are fixtures of tests/prototypes/test_reduced.py.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.oracles.neighbors import all_distances
from tests.oracles.prototypes import condensed

FOLDER = Path("tests/prototypes/fixtures")
N_PROBLEMS, N_ROWS, N_COLUMNS = 12, 80, 3


def main() -> None:
    """Draw rows whose columns span 0 to 1, so that scaling leaves them alone; number the stored rows from 1."""
    random = np.random.default_rng(0)
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / "reduce_nn_problems.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["problem", *(f"x{j}" for j in range(N_COLUMNS)), "label", "stored"])
        for problem in range(N_PROBLEMS):
            X = random.random((N_ROWS, N_COLUMNS)).round(6)
            X[random.integers(0, N_ROWS // 2, N_COLUMNS), np.arange(N_COLUMNS)] = 0.0
            X[random.integers(N_ROWS // 2, N_ROWS, N_COLUMNS), np.arange(N_COLUMNS)] = 1.0
            y = np.floor(3 * X[:, 0]).clip(0, 2).astype(int)
            noisy = random.random(N_ROWS) < 0.15
            y[noisy] = random.integers(0, 3, noisy.sum())
            store, _ = condensed(all_distances(X, X, [False] * N_COLUMNS, "l2"), y)
            stored = np.zeros(N_ROWS, dtype=int)
            stored[store] = np.arange(1, len(store) + 1)
            for row in range(N_ROWS):
                out.writerow([problem, *X[row].tolist(), y[row], stored[row]])


if __name__ == "__main__":
    main()
