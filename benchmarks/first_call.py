"""The first answer on a machine where nothing is compiled, beside the same answer when it is: seconds, and processor seconds.

Each method ranks the columns or keeps rows of ionosphere on the command line, in an empty folder for compiled code and then again in it.
Run it from the repository on a machine that does nothing else: ``python benchmarks/first_call.py`` (some 8 minutes), or with names of
methods (``default`` is `tamis rank` without one). Results are added to results/first_call.json beside this file, and the page
results/first_call.md shows them all.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tamis._methods import methods

TABLE, WARM_RUNS = "ionosphere", 3
RESULTS = Path(__file__).parent / "results" / "first_call.json"


def commands():
    """What is typed, by the name of the method."""
    asked = {"default": ["rank", TABLE], "sift": ["sift", TABLE], "condense": ["condense", TABLE]}
    for method in methods():
        verb = "rank" if method.sifts == "columns" else "condense"
        asked[method.name] = [verb, TABLE, "--method", method.name]
    return asked


def seconds_of(command, folder):
    """Seconds by the clock, and of processor time with that of child processes, that a command takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tamis", *command],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": f"{folder}/compiled"},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(command):
    """The first run and the median of those after it."""
    with TemporaryDirectory() as folder:
        cold = seconds_of(command, folder)
        warm = [seconds_of(command, folder) for _ in range(WARM_RUNS)]
    clock, busy = (statistics.median(one) for one in zip(*warm))
    return {"cold": cold[0], "warm": clock, "cold_processor": cold[1], "warm_processor": busy}


def page(found):
    """The results as a page."""
    lines = [
        "# The first answer",
        "",
        f"`tamis rank` and `tamis condense` on {TABLE}: seconds where nothing is compiled, and later (median of {WARM_RUNS} runs).",
        f"By `python benchmarks/first_call.py` on {found['processors']} processors.",
        "",
        "| method | first | later | more | processor, first | processor, later | more |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in found["methods"].items():
        pairs = (("cold", "warm"), ("cold_processor", "warm_processor"))
        cells = [f"{value:.1f}" for c, w in pairs for value in (one[c], one[w], one[c] - one[w])]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(names):
    asked = commands()
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"methods": {}}
    found["processors"] = os.cpu_count()
    for name in names or asked:
        one = {key: round(value, 2) for key, value in measured(asked[name]).items()}
        print(name, one, flush=True)
        found["methods"][name] = one
    found["methods"] = {name: found["methods"][name] for name in asked if name in found["methods"]}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    RESULTS.with_suffix(".md").write_text(page(found))


if __name__ == "__main__":
    main(sys.argv[1:])
