"""Kills the long commands at random moments and lets them go on: every output must have the bytes of an undisturbed run.

Run it from the repository: ``python tools/kill.py [--kills 60]``. The moments are drawn uniformly over the time that a
command has left; a command is killed (SIGKILL) until it comes through, then the next one is begun.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

PARTS = "PARTS"  # stands for the folder of Parquet files, which is made at the start
IN_PARTS = ["rank", PARTS, "--target", "label", "--method", "sbs-mf", "-o", "out.csv"]
JOBS = {
    "rank in parts": (IN_PARTS, ["out.csv"]),
    "rank in parts on a cluster": (
        [*IN_PARTS, "--set", "n_rounds=20", "--cluster", "local:2"],
        ["out.csv"],
    ),
    "select in parts": (
        ["select", PARTS, "--target", "label", "--method", "adaboost-cr", "-o", "out.parquet"],
        ["out.parquet"],
    ),
    "rank efr": (["rank", "ionosphere", "--method", "efr", "-o", "out.csv"], ["out.csv"]),
    "rank sampled-efr": (
        ["rank", "ionosphere", "--method", "sampled-efr", "--set", "n_sweeps=150", "-o", "out.csv"],
        ["out.csv"],
    ),
    "rank fs2boost": (["rank", "credit_crx", "--method", "fs2boost", "-o", "out.csv"], ["out.csv"]),
    "select ifs2boost": (
        ["select", "vehicle", "--method", "ifs2boost", "-o", "out.parquet"],
        ["out.parquet"],
    ),
    "condense": (["condense", "vehicle", "--keep", "0.1", "-o", "out.csv"], ["out.csv"]),
    "compare": (
        [
            "compare",
            "heart_cleveland",
            "-m",
            "univariate-auc,sbs-mf,relieff,random",
            "-c",
            "1-nn,linear",
            "--repeats",
            "1",
            "-o",
            "out",
        ],
        ["out/selections.parquet"],
    ),
    "reproduce": (
        ["reproduce", "psboost", "--quick", "--repeats", "1", "--table", "1", "-o", "out"],
        ["out/psboost/results.parquet", "out/psboost/page.md"],
    ),
}


def command(words: list[str], *, resume: bool) -> list[str]:
    """What is run; `reproduce` goes on by itself."""
    more = ["--resume"] if resume and words[0] != "reproduce" else []
    return [sys.executable, "-m", "tamis", *words, *more]


def make_parts(folder: Path) -> None:
    """Four files, of 400,000 rows and 30 columns together."""
    import numpy as np
    import polars as pl

    for number in range(4):
        random = np.random.default_rng(number)
        X = random.normal(size=(100_000, 30)).astype(np.float32)
        score = X[:, :12] @ np.linspace(1, 0.2, 12) + 2 * random.normal(size=len(X))
        frame = pl.DataFrame(X).with_columns(label=pl.Series(np.where(score > 0, "yes", "no")))
        frame.write_parquet(folder / f"{number}.parquet")


def outputs(folder: Path, names: list[str]) -> list[bytes]:
    """The bytes of the outputs."""
    return [(folder / name).read_bytes() for name in names]


def main() -> None:
    """Print one line a command, and end with 1 where any output differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=JOBS, action="append", help="this command only; may be repeated")
    given = parser.parse_args()
    draw = random.Random(given.seed)  # noqa: S311 - moments, not secrets
    killed = equal = tried = 0
    plain: dict[str, tuple[list[bytes], float]] = {}
    parts = TemporaryDirectory()
    make_parts(Path(parts.name))
    chosen = [name for name in JOBS if not given.only or name in given.only]
    while killed < given.kills:
        for name in chosen:
            words, names = JOBS[name]
            words = [parts.name if word == PARTS else word for word in words]
            with TemporaryDirectory() as folder:
                if name not in plain:
                    start = time.monotonic()
                    subprocess.run(command(words, resume=False), cwd=folder, check=True, capture_output=True)  # noqa: S603
                    plain[name] = outputs(Path(folder), names), time.monotonic() - start
                    for path in Path(folder).iterdir():
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                whole, seconds = plain[name]
                kills = 0
                while kills < 3:
                    process = subprocess.Popen(  # noqa: S603
                        command(words, resume=kills > 0),
                        cwd=folder,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE,
                    )
                    try:
                        process.wait(timeout=draw.uniform(0.1, 1.0) * seconds)
                        break
                    except subprocess.TimeoutExpired:
                        process.kill()
                        process.wait()
                        kills += 1
                last = subprocess.run(command(words, resume=True), cwd=folder, capture_output=True, text=True)  # noqa: S603
                same = last.returncode == 0 and outputs(Path(folder), names) == whole
            killed, tried, equal = killed + kills, tried + 1, equal + same
            told = "same bytes" if same else f"DIFFERENT ({last.returncode}: {last.stderr.strip()[-200:]})"
            print(
                f"{name} ({seconds:.0f} s): killed {kills} times, {told}; {killed} kills, {equal} of {tried} equal",
                flush=True,
            )
            if killed >= given.kills:
                break
    sys.exit(equal < tried)


if __name__ == "__main__":
    main()
