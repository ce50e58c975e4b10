"""Niches in ROGER: what it gains and loses that all parents of a run vote, and each child competes with its nearest parent.

    python benchmarks/niching.py FOLDER [--datasets N] [--show]

The concepts linear, ball and two balls, 100 columns of which 10 are relevant, 50 and 100 rows, clean and with 10 % wrong labels and noise of .1
on the values: area under ROC-FS of ensembles of as many hypotheses with niches and without, and of EFR's default. FOLDER keeps what was
found, one line a fit: a run that was stopped goes on where it was. Also the cost of the paper's ensemble: 20 data sets, 15 runs each.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from tamis import EFR, ROGER
from tamis.datasets import make_problem
from tamis.study.roc_fs import roc_fs

PAGE = Path(__file__).parent / "results" / "niching.md"
CELLS = [(z, n, c) for z in (0.0, 0.1) for n in (50, 100) for c in ("linear", "ball", "two")]
COSTS = {(50, 100): 6, (100, 100): 12, (50, 500): 23}  # minutes in the paper, at most


def _some(seed, niching):
    return EFR(
        ROGER(n_evaluations=5000, niching=niching), n_estimators=60, max_features=0.2, random_state=seed
    )


def _all(seed, niching):
    return EFR(ROGER(n_evaluations=20_000, niching=niching), n_estimators=15, random_state=seed)


RANKERS = {
    "60 runs of 5,000 on a fifth of the columns": lambda seed: _some(seed, False),
    "the same with niches": lambda seed: _some(seed, True),
    "15 runs of 20,000 on all columns": lambda seed: _all(seed, False),
    "the same, with niches": lambda seed: _all(seed, True),
    "EFR's default": lambda seed: EFR(random_state=seed),
}


def run(file, n_datasets):
    """All fits that were not done."""
    known = {json.dumps(one["at"]) for one in found(file)}
    for n, d in COSTS:
        enter(file, known, ["cost", n, d], _cost, n, d)
    for seed in range(n_datasets):
        for z, n, concept in CELLS:
            for name in RANKERS:
                enter(file, known, ["area", z, n, concept, seed, name], _area, z, n, concept, seed, name)


def enter(file, known, at, fit, *given):
    if json.dumps(at) not in known:
        with file.open("a") as out:
            out.write(json.dumps({"at": at, **fit(*given)}) + "\n")


def found(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _area(z, n, concept, seed, name):
    data = make_problem(n, 100, 10, concept, False, z, z, random_state=500 + seed)
    start = time.process_time()
    ranked = RANKERS[name](seed).fit(data.X.to_numpy(), data.y)
    seconds = time.process_time() - start
    relevant = np.isin(data.X.columns, data.informative)
    return {
        "auc": round(float(roc_fs(relevant, ranking=ranked.ranking_).auc), 4),
        "seconds": round(seconds, 2),
    }


def _cost(n, d):
    """The paper's ensemble on 20 data sets of its non-linear concept; the first fit, which compiles, is not counted."""
    problems = [make_problem(n, d, d // 10, "ball", random_state=seed) for seed in range(20)]
    EFR(ROGER(n_evaluations=420), n_estimators=2, random_state=0).fit(problems[0].X.to_numpy(), problems[0].y)
    start = time.process_time()
    for seed, data in enumerate(problems):
        EFR(preset="paper", random_state=seed).fit(data.X.to_numpy(), data.y)
    seconds = time.process_time() - start
    used = [
        ROGER(random_state=seed).fit(data.X.to_numpy(), data.y).history_["n_evaluations"][-1]
        for seed, data in enumerate(problems)
    ]
    return {"seconds": round(seconds, 2), "evaluations": int(np.mean(used))}


def page(entries):
    """What was found, in Markdown."""
    areas, seconds = {}, {}
    for one in entries:
        if one["at"][0] == "area":
            _, z, n, concept, _, name = one["at"]
            areas.setdefault((z, n, concept, name), []).append(one["auc"])
            seconds.setdefault(name, []).append(one["seconds"])
    names = [name for name in RANKERS if name in seconds]
    lines = [
        "# Niches, and what the paper's ensemble costs",
        "",
        "Made by `python benchmarks/niching.py`, which says how.",
        "",
        "## Area under ROC-FS (1 is perfect, .5 chance); niches over the same without, with the standard error",
        "",
        f"| noise, rows, concept | data sets | {' | '.join(names)} | a fifth of the columns | all columns |",
        "| --- " * (len(names) + 4) + "|",
    ]
    for z, n, concept in CELLS:
        here = [areas.get((z, n, concept, name), []) for name in names]
        if not all(here):
            continue
        size = min(map(len, here))
        gains = [np.array(here[k + 1][:size]) - np.array(here[k][:size]) for k in (0, 2)]
        told = [f"{g.mean():+.3f} ({g.std(ddof=1) / np.sqrt(size):.3f})" if size > 1 else "" for g in gains]
        cells = " | ".join(f"{np.mean(some):.3f}" for some in here)
        lines.append(f"| {z:g}, {n}, {concept} | {size} | {cells} | {' | '.join(told)} |")
    lines += ["", *(f"- {name}: {np.mean(seconds[name]):.2f} processor seconds a fit." for name in names), ""]
    lines += [
        "## The paper's cost: 20 data sets, 15 runs each, the non-linear concept without noise",
        "",
        "Processor seconds on one thread of today; a run ends when its area is 1, after so many hypotheses in the mean (50,000 at most).",
        "",
        "| rows x columns | the paper, Pentium IV | here | hypotheses a run |",
        "| --- | --- | --- | --- |",
    ]
    for one in entries:
        if one["at"][0] == "cost":
            _, n, d = one["at"]
            lines.append(
                f"| {n} x {d} | less than {COSTS[n, d]} min | {one['seconds']:.1f} s | {one['evaluations']} |"
            )
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--datasets", type=int, default=10)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    file = given.folder / "niching.jsonl"
    if not given.show:
        run(file, given.datasets)
    PAGE.write_text(page(found(file)))


if __name__ == "__main__":
    main()
