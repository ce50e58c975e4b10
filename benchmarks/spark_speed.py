"""What a fit costs on Spark: seconds and jobs beside the engine of one machine, on the same Parquet file, with the same bits.

``python benchmarks/spark_speed.py`` needs the extra ``spark`` and Java; it writes ``benchmarks/results/spark_speed.json``. Sizes may be
given, as in ``python benchmarks/spark_speed.py 1000000 30 10 0.5``: rows, columns, rounds, step.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

ROOT = Path(__file__).parent
RESULTS = ROOT / "results" / "spark_speed.json"


def write_table(file: Path, n_rows: int, n_columns: int) -> list[str]:
    """Rows whose class depends on three of the columns; every third column has some 50 values, the others many.

    One file, since Spark takes several in the order of their sizes, and the bins follow the order of the rows.
    """
    rng = np.random.default_rng(0)
    names = [f"c{j}" for j in range(n_columns)]
    X = rng.normal(size=(n_rows, n_columns))
    X[:, ::3] = np.round(X[:, ::3] * 8).clip(-25, 24)
    y = X[:, 1] + X[:, 2] + X[:, 3] / 8 + rng.normal(size=n_rows) > 0
    frame = pl.DataFrame(X, schema=names).with_columns(sold=pl.Series(y.astype(int)))
    frame.write_parquet(file, row_group_size=1 << 16)
    return names


def counted(sizes: list[tuple[float, int, int]]) -> None:
    """Let every request to the coded parts note its seconds, the bytes asked and the bytes answered."""
    from tamis.spark.pieces import SparkParts

    total = SparkParts.total

    def noted(parts, function, *arguments):
        start = time.perf_counter()
        answer = total(parts, function, *arguments)
        sizes.append(
            (time.perf_counter() - start, len(pickle.dumps((function, arguments))), len(pickle.dumps(answer)))
        )
        return answer

    SparkParts.total = noted


def main(n_rows: int = 1_000_000, n_columns: int = 30, n_rounds: int = 30, step: float = 1) -> None:
    """Fit on one machine and on local[2], with everything compiled by a fit before."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from tamis import SBSMF
    from tamis.spark import SBSMFSelector

    sizes: list[tuple[float, int, int]] = []
    counted(sizes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(folder / "few.parquet", 20_000, n_columns)
        names = write_table(folder / "all.parquet", n_rows, n_columns)
        here = SBSMF(n_rounds=n_rounds, step=int(step) if step >= 1 else step)
        here.fit(str(folder / "few.parquet"), "sold")
        start, used = time.perf_counter(), time.process_time()
        here.fit(str(folder / "all.parquet"), "sold")
        seconds = {"one machine": round(time.perf_counter() - start, 1)}
        seconds["one machine, processor"] = round(time.process_time() - used, 1)
        settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        start = time.perf_counter()
        spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
        session = time.perf_counter() - start
        spark.sparkContext.setLogLevel("OFF")
        frame = spark.read.parquet(str(folder / "all.parquet"))
        selector = SBSMFSelector(inputCols=names, labelCol="sold", numRounds=n_rounds, step=step)
        selector.fit(spark.read.parquet(str(folder / "few.parquet")))
        sizes.clear()
        start = time.perf_counter()
        model = selector.fit(frame)
        seconds["spark"] = round(time.perf_counter() - start, 1)
        seconds["spark, requests"] = round(sum(each[0] for each in sizes), 1)
        spark.stop()
    answer = {
        "rows": n_rows,
        "columns": n_columns,
        "rounds": n_rounds,
        "step": step,
        "load": os.getloadavg()[0],
        "seconds": seconds,
        "session seconds": round(session, 1),
        "same ranking": model.ranking == here.ranking_.tolist(),
        "same scores": model.scores == here.scores_.tolist(),
        "requests": len(sizes),
        "median seconds of a request": round(float(np.median([each[0] for each in sizes])), 3),
        "largest request, bytes": max(each[1] for each in sizes),
        "largest answer, bytes": max(each[2] for each in sizes),
    }
    RESULTS.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(answer, indent=1))


if __name__ == "__main__":
    given = [float(each) for each in sys.argv[1:]]
    main(*(int(each) for each in given[:3]), *given[3:])
