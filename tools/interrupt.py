"""Presses Ctrl-C at random moments over all commands: each must end within a second, with one sentence and 130.

Run it from the repository: ``python tools/interrupt.py [--tries 40]``. Every command runs in a session of its own, and the whole
session gets the signal, as from a terminal. Afterwards no process of the session, and no half-written file, may be left. A
command that ends before its moment is tried again, earlier.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

TABLE = "TABLE"  # stands for a file of 30,000 rows and 20 columns
EARLIEST, LATEST = 0.1, 12.0  # seconds; before that, Python itself is starting
COMMANDS = (
    ["sift", "credit_crx"],
    ["sift", TABLE],
    ["compare", "credit_crx"],
    ["compare", "heart_cleveland", "--jobs", "2", "-o", "out"],
    ["compare", "heart_cleveland", "--budget", "60s"],
    ["rank", TABLE],
    ["rank", TABLE, "-m", "relieff", "-o", "out.csv"],
    ["rank", TABLE, "-m", "fs2boost"],
    ["rank", "ionosphere", "-m", "sampled-efr", "-o", "out.csv"],
    ["rank", TABLE, "-m", "sbs-mf", "--cluster", "local:2"],
    ["rank-rows", TABLE],
    ["select", TABLE, "-m", "efr", "-o", "out.csv"],
    ["condense", TABLE, "-m", "psboost", "-o", "out.parquet"],
    ["condense", TABLE, "--parts", "4", "--jobs", "2"],
    ["condense", "vehicle", "-m", "drop3"],
    ["demo"],
    ["reproduce", "psboost"],
    ["reproduce", "efr", "--jobs", "2"],
    ["study", "problem-space", "-m", "roger", "--jobs", "2"],
    ["datasets"],
    ["methods"],
)


def make_table(file: Path) -> None:
    """A table that keeps the compiled loops busy."""
    import numpy as np
    import polars as pl

    draw = np.random.default_rng(0)
    X = draw.normal(size=(30_000, 20))
    score = X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] + draw.normal(size=len(X))
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(20)])
    frame.with_columns(label=pl.Series(np.where(score > 0, "yes", "no"))).write_csv(file)


def left_over(session: int) -> list[str]:
    """The commands of a session's processes that are still there a second later."""
    there: list[str] = []
    for _ in range(10):
        there = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session and fields[0] != "Z":
                    there.append((folder / "cmdline").read_text().replace("\0", " ")[:100])
            except (OSError, ValueError):
                continue
        if not there:
            break
        time.sleep(0.1)
    return there


def pressed(words: list[str], moment: float) -> tuple[float, list[str]] | None:
    """Seconds from Ctrl-C to the end, and what is wrong; None where the command was done before."""
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "tamis", *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            process.wait(timeout=moment)
            return None
        except subprocess.TimeoutExpired:
            pass
        begun = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        seconds = time.monotonic() - begun
        remaining = left_over(process.pid)
        said = process.communicate()[1].splitlines()
        last = [line for line in said if line.startswith("tamis: ")]
        if process.returncode == 0 and not last:
            return None  # it was done in the very moment
        wrong = [f"after {seconds:.1f} s"] * (seconds > 1)
        wrong += [f"exit code {process.returncode}"] * (process.returncode != 130)
        wrong += ["more than a sentence: " + " | ".join(said[-3:])] * (
            last[-1:] != said[-1:] or len(last) != 1
        )
        wrong += [f"left: {remaining}"] * bool(remaining)
        wrong += ["half-written files"] * bool(list(Path(folder).rglob("*.writing")))
        return seconds, wrong


def main() -> None:
    """Print one line a try, and end with 1 where any was not as it must be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)  # noqa: S311 - moments, not secrets
    good, longest = 0, 0.0
    with TemporaryDirectory() as folder:
        make_table(Path(folder, "table.csv"))
        for number in range(given.tries):
            words = [
                str(Path(folder, "table.csv")) if word == TABLE else word
                for word in COMMANDS[number % len(COMMANDS)]
            ]
            latest, found = LATEST, None
            while found is None:
                moment = draw.uniform(EARLIEST, latest)
                found = pressed(words, moment)
                latest = max(moment / 2, 2 * EARLIEST)
            seconds, wrong = found
            good, longest = good + (not wrong), max(longest, seconds)
            told = "; ".join(wrong) or "130, one sentence"
            shown = " ".join(COMMANDS[number % len(COMMANDS)])
            print(f"{shown} at {moment:.2f} s: ended after {seconds:.2f} s; {told}", flush=True)
    print(
        f"{good} of {given.tries} within a second, with 130 and one sentence; the longest took {longest:.2f} s"
    )
    sys.exit(good < given.tries)


if __name__ == "__main__":
    main()
