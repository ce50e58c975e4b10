"""The race: tamis and every peer that does the same job, on the same tables, one thread each.

    python benchmarks/race.py [--quick] [--only JOB ...] [--limit SECONDS] [--again] [--page]

Every contender has a process of its own for each job, in which it first does the job on a small table, untimed, and then
on one table after the other, each several times. Processor seconds are counted, so that other work on the machine counts
less. What is judged is judged off the clock. Peak memory is what the process took at most beyond what it held before the
work, its table included. A contender whose next table would take longer than the limit, going by the last ones, is not
run on it: its time is drawn on from those and marked so. A real table on which it takes five times the limit is left out.

Results go to results/race.json (results/race_quick.json) after each contender; a run that was interrupted goes on where it
was. ``--page`` writes docs/benchmarks.md and its pictures from what there is.
"""

import argparse
import importlib
import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import jobs
from jobs.tables import data_of

HERE = Path(__file__).parent
FEWEST, MOST = 3, 15  # repeats, as long as they fit into a quarter of the limit
GIVEN_UP = 5  # times the limit in processor seconds: then a table is left out
COMPILING = 400  # processor seconds that the first run on a machine may take for its kernels
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small tables only: some minutes")
    parser.add_argument("--only", nargs="+", metavar="JOB", choices=jobs.NAMES, default=jobs.NAMES)
    parser.add_argument("--limit", type=float, help="seconds that one piece of work may take")
    parser.add_argument("--again", action="store_true", help="also what has been run before")
    parser.add_argument("--page", action="store_true", help="write the page from what there is, run nothing")
    parser.add_argument("--said", default="", help="how the race was taken, for the page")
    parser.add_argument("--one", nargs=2, metavar=("JOB", "WHO"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    limit = options.limit or (0.8 if options.quick else 60)
    if options.one:
        contend(*options.one, options.quick, limit)
        return
    path = HERE / "results" / ("race_quick.json" if options.quick else "race.json")
    found = json.loads(path.read_text()) if path.exists() else {}
    for name in () if options.page else options.only:
        job = importlib.import_module(f"jobs.{name}")
        for who in job.CONTENDERS:
            if options.quick and who in getattr(job, "NOT_QUICK", ()):
                continue
            if options.again or not found.get(name, {}).get(who):
                found.setdefault(name, {})[who] = contended(name, who, options.quick, limit)
                path.write_text(json.dumps(found, indent=1) + "\n")
    import race_page

    race_page.show(found)
    if options.page:
        race_page.write(found, options.quick, limit, options.said)


def contended(name, who, quick, limit):
    """What a contender did, from a process of its own."""
    command = [sys.executable, __file__, "--one", name, who, "--limit", str(limit), *["--quick"] * quick]
    given = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    print(f"{name}: {who}", file=sys.stderr, flush=True)
    process = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    if process.returncode and not lines:
        print(
            f"  failed: {(process.stderr.strip() or str(process.returncode)).splitlines()[-1]}",
            file=sys.stderr,
        )
    return lines


def contend(name, who, quick, limit):
    """Run one contender on the tables of a job, and print a line of JSON for each."""
    warnings.simplefilter("ignore")
    most = int(40 * limit + COMPILING)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # what it has printed by then counts
    job = importlib.import_module(f"jobs.{name}")
    prepared = getattr(job, "prepared", lambda data: data)
    try:
        work = job.CONTENDERS[who]()
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    cases = [case for case in job.CASES if not quick or case.name in job.QUICK]
    if name != "start":
        warm_up(lambda data: work(prepared(data)), cases, twice=who.startswith("tamis"))
    past = {}
    signal.signal(signal.SIGPROF, too_long)
    for case in cases:
        expected = drawn_on(past.get(case.series, []), case)
        if expected is not None and expected > limit:
            print(json.dumps({**case._asdict(), "cpu": expected, "drawn_on": True}), flush=True)
            continue
        signal.setitimer(signal.ITIMER_PROF, GIVEN_UP * limit)
        try:
            line = measured(work, prepared, job.judged, data_of(case), limit)
        except TooLongError:
            continue
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        past.setdefault(case.series, []).append((case.rows or 1, case.columns or 1, line["cpu"]))
        print(json.dumps({**case._asdict(), **line}), flush=True)


class TooLongError(Exception):
    """A piece of work that was not drawn on from a smaller one takes many times the limit."""


def too_long(*_):
    raise TooLongError


def warm_up(work, cases, twice):
    """Do the work once on a small table and, `twice`, on a larger one if there is one: our kernels differ there."""
    grown = [case for case in cases if case.series == "rows"]
    larger = [case for case in grown if 8_000 <= case.rows < 20_000]
    for case in (grown[0], *larger[: int(twice)]):
        data = data_of(case)
        few = slice(0, 300 if case.rows < 8_000 else case.rows)
        work(data._replace(X=data.X[few], y=data.y[few]))


def drawn_on(past, case):
    """The seconds that the next table of a series would take, by the growth over the last two; None without any."""
    if case.series == "real" or not past:
        return None
    rows, columns, seconds = past[-1]
    growth = 1.0 if len(past) == 1 else exponent([(r * c, s) for r, c, s in past[-2:]])
    return seconds * (case.rows * case.columns / (rows * columns)) ** max(growth, 0.0)


def exponent(points):
    """The slope of log seconds over log size, by least squares."""
    sizes, seconds = [[math.log(max(value, 1e-9)) for value in part] for part in zip(*points)]
    middle, height = statistics.fmean(sizes), statistics.fmean(seconds)
    spread = sum((size - middle) ** 2 for size in sizes)
    return sum((s - middle) * (t - height) for s, t in zip(sizes, seconds)) / spread


def measured(work, prepared, judged, data, limit):
    """Processor seconds of some calls (median, least, most), seconds by the clock, peak memory, and the judgement."""
    given = prepared(data)
    held = memory("VmRSS", reset=True)
    busy, clock = [], []
    while not busy or (len(busy) < MOST and sum(clock) < limit / (1 if len(busy) < FEWEST else 4)):
        start, start_busy = time.perf_counter(), cpu_seconds()
        answer = work(given)
        busy.append(cpu_seconds() - start_busy)
        clock.append(time.perf_counter() - start)
    return {
        "cpu": statistics.median(busy),
        "least": min(busy),
        "most": max(busy),
        "seconds": statistics.median(clock),
        "repeats": len(busy),
        "megabytes": max(0.0, memory("VmHWM") - held),
        **judged(data, answer),
    }


def cpu_seconds():
    """Processor seconds of this process and of those that it waited for."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def memory(key, reset=False):
    """Megabytes by /proc/self/status; with `reset` the peak begins anew."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
