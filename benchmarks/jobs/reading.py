"""Read a file of numbers, words and classes."""

import tempfile
from pathlib import Path

import numpy as np

from jobs.tables import growing_columns, growing_rows

TITLE = "Read a CSV file"
QUALITY = "share of the cells that came out"
CASES = [
    *growing_rows((1_000, 10_000, 100_000, 1_000_000), 20),
    *growing_columns(1_000, (10, 100, 1_000)),
]
QUICK = ["1000 x 20", "10000 x 20", "100000 x 20", "1000 x 10", "1000 x 100"]


def prepared(data):
    """The path of a file with the table in it: a quarter of the columns hold words; not timed."""
    import polars as pl

    words = np.array(["alpha", "beta", "gamma", "Never-married", "Some-college-degree"])
    columns = {}
    for j, column in enumerate(data.X.T):
        columns[f"column{j}"] = words[np.digitize(column, (-1, 0, 1, 2))] if j % 4 == 3 else column
    columns["target"] = np.array(["no", "yes"])[data.y]
    path = Path(tempfile.mkdtemp(prefix="tamis-race-"), "table.csv")
    pl.DataFrame(columns).write_csv(path)
    return path


def judged(data, shape):
    return {"quality": shape[0] * shape[1] / (len(data.y) * (data.X.shape[1] + 1))}


def tamis():
    from tamis.table.reading.read import read

    def work(path):
        found = read(path, "target")
        return found.X.height, found.X.width + 1

    return work


def polars():
    import polars as pl

    return lambda path: pl.read_csv(path).shape


def pandas():
    import pandas as pd

    return lambda path: pd.read_csv(path).shape


def pyarrow():
    from pyarrow import csv

    return lambda path: csv.read_csv(path, read_options=csv.ReadOptions(use_threads=False)).shape


def nothing():
    return lambda path: (0, len(path.read_bytes()))


CONTENDERS = {"tamis read": tamis, "polars": polars, "pandas": pandas, "pyarrow": pyarrow, "nothing": nothing}
