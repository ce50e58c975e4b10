"""Try to read a file with suspicious metadata in a process of its own: ``python -P trial.py FILE FORM``.

It imports nothing of tamis, so that it starts quickly, and prints why the file cannot be read.
"""

import sys

import polars as pl

if __name__ == "__main__":
    _, file, form = sys.argv
    try:
        if form == "Parquet":
            pl.read_parquet(file, glob=False, hive_partitioning=False)
        else:
            with open(file, "rb") as stream:
                whole = stream.read(6) == b"ARROW1"
            pl.read_ipc(file) if whole else pl.read_ipc_stream(file)
    except (Exception, pl.exceptions.PanicException) as error:
        print(str(error).strip().partition("\n")[0] or type(error).__name__)
        sys.exit(1)
