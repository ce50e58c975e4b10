"""Small random tables with everything that makes neighbours hard: ties, duplicates, gaps, constants, new values."""

import numpy as np


def mixed_table(seed, n_max=70, d_max=24):
    """Return fitted values, new values, and which columns are nominal."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(2, n_max)), int(rng.integers(1, d_max))
    n_new = int(rng.integers(1, 20))
    nominal = rng.random(n_columns) < rng.choice([0.0, 0.4, 1.0], p=[0.3, 0.5, 0.2])
    gap_rate = rng.choice([0.0, 0.2])
    columns = []
    for is_nominal in nominal:
        size = n_rows + n_new
        kind = rng.choice(["grid", "binary", "real", "constant", "missing"], p=[0.35, 0.2, 0.35, 0.05, 0.05])
        if is_nominal:
            column = rng.integers(0, rng.integers(1, 6), size).astype(float)
            column[n_rows:][rng.random(n_new) < 0.2] = column[:n_rows].max() + 1  # a value never seen in fit
        elif kind == "grid":
            column = rng.integers(0, 11, size) * 0.1
        elif kind == "binary":
            column = rng.integers(0, 2, size) * 1.0
        elif kind == "real":
            column = rng.normal(size=size) * 10.0 ** rng.integers(-6, 7)
            column[n_rows:] *= 3.0  # new values outside the range of fit
        else:
            column = np.full(size, 7.0 if kind == "constant" else np.nan)
            column[n_rows:] = rng.normal(size=n_new)
        if rng.random() < 0.5:
            column[rng.random(size) < gap_rate] = np.nan
        columns.append(column)
    table = np.column_stack(columns)
    table = (
        table[np.concatenate([rng.integers(0, n_rows, n_rows), np.arange(n_rows, n_rows + n_new)])]
        if rng.random() < 0.5
        else table
    )
    return table[:n_rows], table[n_rows:], nominal
