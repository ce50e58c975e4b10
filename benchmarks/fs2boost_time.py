"""What the FS2Boost paper says about running time, and what its plan saves: processor seconds, one thread, warm, best of some.

Three parts, on the paper's 19 data sets and on larger tables of few values:

- rounds: iFS2Boost beside FS2Boost, each at the number of rounds from which its columns stay the same (the paper's T_Z' and T_Z), and
  both at T = 50. The paper: "The experimental gain represents on average more than 20 % of the running time."
- bound: ``bounded=True`` beside the full search, by neighbours and by boosted stumps (T = 10): candidates measured, seconds, same columns.
- few: Z after 1, 2, 5 and 10 rounds in the place of 50: seconds, same columns.

Run it from the repository: ``python benchmarks/fs2boost_time.py`` (some minutes), or with ``--only rounds``. It writes
results/fs2boost_time.md and .json beside this file. Data sets that do not ship with the package are looked for in the folder
TAMIS_DATA and otherwise left out.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from tamis import FS2Boost, datasets, stabilised_rounds
from tamis.papers._fs2boost_page import SETS
from tamis.papers.fs2boost import MAKERS
from tamis.table import TableError

FOLDER = Path(__file__).parent / "results"
K = 9
MANY_ROWS = {
    "led24, 20,000 rows": lambda: datasets.make_led(20_000, irrelevant=17, random_state=0),
    "xd6, 20,000 rows": lambda: datasets.make_xd6(20_000, random_state=0),
}
LARGE = ("kr_vs_kp", "mushroom", "tic_tac_toe", "german", "ionosphere", "spambase", *MANY_ROWS)
BY_STUMPS = (
    "monks1_test",
    "monks3_test",
    "led",
    "led24",
    "xd6",
    "house_votes",
    "credit_crx",
    "heart_cleveland",
    "kr_vs_kp",
)
FEW = (1, 2, 5, 10)


def table(name):
    """A data set, drawn with the seed 0 if it is generated; None where it is not there."""
    if name in MANY_ROWS:
        return MANY_ROWS[name]()
    try:
        return MAKERS[name](0) if name in MAKERS else datasets.load(name, download_if_missing=False)
    except TableError:
        return None


def seconds(data, repeats, **settings):
    """The fitted selector, and the least processor seconds of some fits."""
    least = np.inf
    for _ in range(repeats):
        selector = FS2Boost(n_neighbors=K, n_jobs=1, **settings)
        start = time.process_time()
        selector.fit(data.X, data.y)
        least = min(least, time.process_time() - start)
    return selector, least


def n_measured(selector):
    """How many candidates were measured in all steps."""
    return int(np.isfinite(selector.history_["candidates"]).sum())


def rounds(name, data, repeats):
    """T_Z and T_Z', and the seconds of both searches there and at T = 50."""
    told = {"set": name}
    for criterion in ("z", "z_prime", "z_prime_minimised", "z_prime_literal"):
        selector = FS2Boost(criterion=criterion, preset="paper", n_neighbors=K)
        stable = stabilised_rounds(data.X, data.y, 100, selector=selector).n_rounds
        settings = {"criterion": criterion, "preset": "paper"}
        told[criterion] = {
            "rounds": stable,
            "seconds": seconds(data, repeats, n_rounds=stable, **settings)[1],
            "seconds at 50": seconds(data, repeats, **settings)[1],
        }
    return told


def bound(name, data, repeats, **settings):
    """The full and the bounded search."""
    full, whole = seconds(data, repeats, **settings)
    bounded, part = seconds(data, repeats, bounded=True, **settings)
    assert np.array_equal(full.support_, bounded.support_), name
    assert np.array_equal(full.history_["feature"], bounded.history_["feature"]), name
    counts = [n_measured(full), n_measured(bounded)]
    return {
        "set": name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "measured": counts,
        "seconds": [whole, part],
    }


def few(name, data, repeats):
    """Fewer rounds: the seconds, and whether the columns are those of T = 50."""
    full, whole = seconds(data, repeats)
    told = {"set": name, "50": {"seconds": whole, "same": True}}
    for n_rounds in FEW:
        fewer, least = seconds(data, repeats, n_rounds=n_rounds)
        told[str(n_rounds)] = {"seconds": least, "same": bool(np.array_equal(full.support_, fewer.support_))}
    return told


def mean_error(values):
    """Mean and standard error over the sets."""
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}"


def page(results):
    """The results as Markdown."""
    lines = [
        "# FS2Boost: running time",
        "",
        "Made by `python benchmarks/fs2boost_time.py`, whose first lines say what is measured. Processor milliseconds, one thread.",
    ]
    if results.get("rounds"):
        lines += ["", "## iFS2Boost beside FS2Boost, the paper's stop", ""]
        lines += [
            "| set | T_Z | T_Z' | FS2Boost at T_Z | iFS2Boost at T_Z' | both at T = 50 |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        for one in results["rounds"]:
            z, prime = one["z"], one["z_prime"]
            lines.append(
                f"| {one['set']} | {z['rounds']} | {prime['rounds']} | {1000 * z['seconds']:.1f} | {1000 * prime['seconds']:.1f} | "
                f"{1000 * z['seconds at 50']:.1f}, {1000 * prime['seconds at 50']:.1f} |"
            )
        lines += [
            "",
            "Gain in running time, (FS2Boost - iFS2Boost) / iFS2Boost in percent, mean over the sets ± standard error:",
            "",
        ]
        lines += [
            "| reading of iFS2Boost | each at its own rounds | both at T = 50 |",
            "| --- | ---: | ---: |",
        ]
        for criterion in ("z_prime", "z_prime_minimised", "z_prime_literal"):
            gains = [
                [100 * (one["z"][key] / one[criterion][key] - 1) for one in results["rounds"]]
                for key in ("seconds", "seconds at 50")
            ]
            lines.append(f"| {criterion} | {mean_error(gains[0])} | {mean_error(gains[1])} |")
        lines += ["", "The paper: more than 20."]
    for key, words in (("bound", "neighbours, T = 50"), ("bound by stumps", "boosted stumps, T = 10")):
        if results.get(key):
            lines += ["", f"## Candidates left out by the bound: {words}", ""]
            lines += ["The columns are the same on every set.", ""]
            lines += [
                "| set | rows x columns | candidates measured | full | bounded | times as fast |",
                "| --- | ---: | ---: | ---: | ---: | ---: |",
            ]
            for one in results[key]:
                whole, part = one["seconds"]
                lines.append(
                    f"| {one['set']} | {one['rows']:,} x {one['columns']} | {one['measured'][1]} of {one['measured'][0]} | "
                    f"{1000 * whole:.1f} | {1000 * part:.1f} | {whole / part:.2f} |"
                )
    if results.get("few"):
        lines += ["", "## Fewer rounds", "", "Z after a few rounds instead of 50, patience 4.", ""]
        lines += ["| rounds | same columns as T = 50 | time, share of T = 50 |", "| ---: | ---: | ---: |"]
        for n_rounds in FEW:
            told = [one[str(n_rounds)] for one in results["few"]]
            shares = [one[str(n_rounds)]["seconds"] / one["50"]["seconds"] for one in results["few"]]
            lines.append(
                f"| {n_rounds} | {sum(one['same'] for one in told)} of {len(told)} | {np.mean(shares):.2f} |"
            )
    return "\n".join(lines) + "\n"


def main():
    """Measure what is asked for and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", choices=["rounds", "bound", "stumps", "few"])
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    wanted = given.only or ["rounds", "bound", "stumps", "few"]
    warnings.simplefilter("ignore")
    store = FOLDER / "fs2boost_time.json"
    results = json.loads(store.read_text()) if store.exists() else {}
    jobs = {
        "rounds": ("rounds", SETS, lambda name, data: rounds(name, data, given.repeats)),
        "bound": (
            "bound",
            (*SETS, *LARGE),
            lambda name, data: bound(name, data, 1 if name == "spambase" else given.repeats),
        ),
        "stumps": (
            "bound by stumps",
            BY_STUMPS,
            lambda name, data: bound(name, data, 1, estimator="stump", n_rounds=10, max_features=5),
        ),
        "few": ("few", SETS, lambda name, data: few(name, data, given.repeats)),
    }
    for part in wanted:
        key, names, measure = jobs[part]
        results[key] = []
        for name in names:
            data = table(name)
            if data is None:
                continue
            FS2Boost(n_rounds=2, max_features=1).fit(data.X, data.y)  # compiles
            results[key].append(measure(name, data))
            store.write_text(json.dumps(results, indent=1) + "\n")
            print(part, name, flush=True)
        (FOLDER / "fs2boost_time.md").write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
