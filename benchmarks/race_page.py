"""The race as tables: on the screen, and as docs/benchmarks.md with pictures."""

import math
import statistics
from pathlib import Path

import jobs

DOCS = Path(__file__).parents[1] / "docs"


def show(found):
    """Print for each job how many times the seconds of tamis the others take."""
    for name, contenders in found.items():
        job = _job(name)
        ours = next(iter(job.CONTENDERS))
        print(f"\n{job.TITLE}: times the processor seconds of {ours} (~ drawn on)")
        names = [case.name for case in job.CASES]
        seen = [name for name in names if any(_line(contenders, who, name) for who in contenders)]
        print(f"  {'':36}" + "".join(f"{name:>15}" for name in seen))
        for who in job.CONTENDERS:
            cells = [_ratio(contenders, ours, who, name) for name in seen]
            print(f"  {who:36}" + "".join(f"{cell:>15}" for cell in cells))


def write(found, quick, limit, said):
    """Write the page and its pictures."""
    parts = [
        HEAD,
        _verdict(found),
        HOW,
        QUICK if quick else FULL.format(limit=limit),
        *([said + "\n"] if said else []),
    ]
    for name in jobs.NAMES:
        if any(found.get(name, {}).values()):
            parts.append(_section(name, found[name]))
            _picture(name, found[name])
    parts.append(_lowest(found))
    _verdict_picture(found)
    (DOCS / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")


HEAD = """# The race

How long tamis and its peers take for the same work on the same tables, and how good their answers are. `make bench` runs all
of it again (hours; it goes on where it was), `make bench-quick` a part in some minutes. This page is written by the run:
`benchmarks/race.py` says how time is taken, and `benchmarks/jobs` holds one file a job.
"""
HOW = """## How it was taken

Processor seconds on one thread, the median of up to fifteen runs after one that does not count. "~" marks times that were
not run but drawn on from smaller tables. A ratio is the peer's time over that of tamis: above 1, tamis is faster. The
exponents are the slopes of log time over log rows and log columns, where there are two sizes or more of 1 ms or more.
"Nothing" is what an answer without any work is worth.
"""
QUICK = "The tables below are of the short run. On tables as small as these, exponents still hold much that does not grow.\n"
FULL = (
    "The tables below are of the long run; what would have taken more than {limit:g} seconds is drawn on.\n"
)
REASONS = {
    "reading": "tamis reads with polars, whose types it suggests after a look at some lines. What is left is that look, a check for "
    "codes (numbers with leading zeros), missing values and text told apart, and the labels: about two milliseconds a file and a part of each "
    "column's own time.",
    "start": "tamis imports all that this line imports, then reads, ranks and prints. What is left over is Numba's own start "
    "and the command line's libraries.",
    "weighting": "mutual information looks at each column alone and never at neighbours: other work, and another answer.",
    "editing": "edited nearest neighbours is one search for neighbours. Ours multiplies matrices for a bound, as imbalanced-learn's "
    "does for the distances, then looks again at what the bound leaves: ties are told exactly. Wide tables "
    "have each product looked at from both of its rows (benchmarks/results/neighbor_graphs.md). k-means and Tomek links do less: means "
    "of rows that are not in the table, and single pairs.",
}


def _job(name):
    import importlib

    return importlib.import_module(f"jobs.{name}")


def _line(contenders, who, name):
    return next((line for line in contenders.get(who, []) if line.get("name") == name), None)


def _ratio(contenders, ours, who, name):
    mine, theirs = _line(contenders, ours, name), _line(contenders, who, name)
    if not mine or not theirs:
        return ""
    if who == ours:
        return f"{theirs['cpu']:.3g} s"
    mark = "~" if theirs.get("drawn_on") or mine.get("drawn_on") else ""
    return f"{mark}{theirs['cpu'] / max(mine['cpu'], 1e-6):.3g}"


def _seconds(line):
    if line is None:
        return ""
    if line.get("drawn_on"):
        return f"~{line['cpu']:.3g}"
    return f"{line['cpu']:.3g} ({line['least']:.3g} to {line['most']:.3g})"


def _growth(contenders, who, series):
    """The slope of log seconds over log size; from 1 ms up, where the clock and the call do not count."""
    from race import exponent

    lines = [
        line for line in contenders.get(who, []) if line.get("series") == series and not line.get("drawn_on")
    ]
    points = [(line[series], line["cpu"]) for line in lines if line["cpu"] > 1e-3]
    return f"{exponent(points):.2f}" if len(points) > 1 else ""


def _section(name, contenders):
    job = _job(name)
    ours = next(iter(job.CONTENDERS))
    cases = [case for case in job.CASES if any(_line(contenders, who, case.name) for who in contenders)]
    text = [f"\n## {job.TITLE}\n"]
    text += [f"Quality is {job.QUALITY}.\n"]
    grows = any(case.series != "real" for case in cases)
    if grows:
        text += [f"![Time against size](pictures/race_{name}.png)\n"]
    text += [
        "| | table | seconds (least to most) | ratio | quality | kept | MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for who in job.CONTENDERS:
        for case in cases:
            line = _line(contenders, who, case.name)
            if line is None:
                continue
            ratio = "" if who in (ours, "nothing") else _ratio(contenders, ours, who, case.name)
            quality = f"{line['quality']:.3f}" if "quality" in line else ""
            size = f"{line['megabytes']:.0f}" if "megabytes" in line else ""
            text += [
                f"| {who} | {case.name} | {_seconds(line)} | {ratio} | {quality} | {line.get('kept', '')} | {size} |"
            ]
    if grows:
        text += ["", "| grows with | rows to the power of | columns to the power of |", "|---|---|---|"]
        for who in job.CONTENDERS:
            if who != "nothing":
                text += [
                    f"| {who} | {_growth(contenders, who, 'rows')} | {_growth(contenders, who, 'columns')} |"
                ]
    missing = [who for who in job.CONTENDERS if contenders.get(who) and "missing" in contenders[who][0]]
    if missing:
        text += ["", f"Not installed in this run: {', '.join(missing)}."]
    return "\n".join(text) + "\n"


def _picture(name, contenders):
    """Seconds against rows and against columns, on logarithmic scales."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    job = _job(name)
    if not any(line.get("series") in ("rows", "columns") for lines in contenders.values() for line in lines):
        return
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), sharey=True, layout="constrained")
    styles = ["o-", "s--", "^-.", "D:", "v--", "P-.", "X:", "<--"]
    for part, series in zip(axes, ("rows", "columns")):
        for style, who in zip(styles, [who for who in job.CONTENDERS if who != "nothing"]):
            lines = [line for line in contenders.get(who, []) if line.get("series") == series]
            if not lines:
                continue
            width = 2.4 if who.startswith("tamis") else 1.2
            (drawn,) = part.plot(
                [line[series] for line in lines],
                [line["cpu"] for line in lines],
                style,
                lw=width,
                ms=4,
                label=who,
            )
            guessed = [line for line in lines if line.get("drawn_on")]
            part.plot(
                [line[series] for line in guessed], [line["cpu"] for line in guessed], "o",
                color="white", mec=drawn.get_color(), ms=8,
            )  # fmt: skip
        part.set(xscale="log", yscale="log", xlabel=series)
        part.grid(alpha=0.3)
    axes[0].set_ylabel("processor seconds")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    figure.suptitle(f"{job.TITLE} (open circles: drawn on)", fontsize=10)
    figure.savefig(DOCS / "pictures" / f"race_{name}.png", dpi=110)
    plt.close(figure)


def _pairs(found):
    """What was run, not drawn on, of tamis and a peer on the same table: (job, peer, ratio, quality ahead or None)."""
    for name, contenders in found.items():
        ours = next(iter(_job(name).CONTENDERS))
        for who in contenders:
            if who == "nothing" or who.startswith("tamis"):
                continue
            for line in contenders[who]:
                mine = _line(contenders, ours, line.get("name"))
                if not mine or "cpu" not in line or line.get("drawn_on") or mine.get("drawn_on"):
                    continue
                judged = "quality" in line and "quality" in mine
                ahead = mine["quality"] - line["quality"] if judged else None
                yield name, who, line["cpu"] / max(mine["cpu"], 1e-6), ahead


def _verdict(found):
    """Five lines: how often tamis is faster, where most, where not, at what quality, and what this does not say."""
    pairs = list(_pairs(found))
    ratios = [ratio for _, _, ratio, _ in pairs]
    middle = {
        name: statistics.median(ratio for job, _, ratio, _ in pairs if job == name)
        for name in dict.fromkeys(name for name, *_ in pairs)
    }

    def told(names):
        return "; ".join(f"{_job(name).TITLE} {_rounded(middle[name])}" for name in names) or "none"

    fast = sorted((name for name in middle if middle[name] >= 3), key=lambda name: -middle[name])
    slow = sorted((name for name in middle if middle[name] < 3), key=lambda name: middle[name])
    judged = [(name, ahead) for name, _, _, ahead in pairs if ahead is not None]
    better, worse = (sum(sign * ahead > 0.005 for _, ahead in judged) for sign in (1, -1))
    differences = {
        name: statistics.mean(ahead for job, ahead in judged if job == name) for name in dict(judged)
    }
    quality = "; ".join(f"{_job(name).TITLE} {ahead:+.3f}" for name, ahead in differences.items() if ahead)
    return f"""## The verdict

![How many times the seconds of tamis each peer takes, by job](pictures/race_verdict.png)

- **Speed**: on {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} pairs of a peer and a table tamis takes less time, on {sum(ratio >= 3 for ratio in ratios)} a third of it or less.
- **Far ahead** (times the seconds of tamis, the median over peers and tables): {told(fast)}.
- **Near or behind**: {told(slow)}.
- **Quality**: where both answers were judged ({len(judged)} pairs), that of tamis is better by more than 0.005 on {better}, worse on {worse}; in the mean {quality}.
- **Not said here**: other machines, several threads, and your table; what was too long to run is left out of these lines.
"""


def _rounded(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _verdict_picture(found):
    """A dot for every peer and table, a row for every job, on a logarithmic scale."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    pairs = list(_pairs(found))
    names = list(dict.fromkeys(name for name, *_ in pairs))[::-1]
    figure, axes = plt.subplots(figsize=(9.6, 0.5 * len(names) + 1.2), layout="constrained")
    for place, name in enumerate(names):
        ratios = [ratio for job, _, ratio, _ in pairs if job == name]
        axes.plot(ratios, [place] * len(ratios), "o", color="tab:blue", alpha=0.25, ms=5)
        axes.plot(statistics.median(ratios), place, "|", color="black", ms=16, mew=2)
    axes.axvline(1, color="tab:red", lw=1)
    axes.set(
        xscale="log",
        xlabel="times the seconds of tamis (right of the red line tamis is faster; | is the median)",
    )
    axes.set_yticks(range(len(names)), [_job(name).TITLE for name in names])
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(DOCS / "pictures" / "race_verdict.png", dpi=110)
    plt.close(figure)


def _lowest(found):
    """Where tamis is less than three times as fast, and why."""
    low = worst(found)
    if not low:
        return ""
    text = [
        "## Where tamis is not three times as fast\n",
        "| job | peer | table | ratio |",
        "|---|---|---|---|",
    ]
    text += [f"| {_job(name).TITLE} | {who} | {table} | {ratio:.2f} |" for ratio, name, who, table in low]
    named = dict.fromkeys(name for _, name, _, _ in low if name in REASONS)
    return "\n".join([*text, "", *[f"- {_job(name).TITLE}: {REASONS[name]}" for name in named]]) + "\n"


def worst(found, below=3.0):
    """Ratios below a bound, as (ratio, job, contender, table), the smallest first; what is drawn on is left out."""
    low = []
    for name, contenders in found.items():
        ours = next(iter(_job(name).CONTENDERS))
        for who in contenders:
            for line in contenders[who]:
                mine = _line(contenders, ours, line.get("name"))
                if who in (ours, "nothing") or who.startswith("tamis") or not mine or line.get("drawn_on"):
                    continue
                ratio = line["cpu"] / max(mine["cpu"], 1e-6)
                if ratio < below and math.isfinite(ratio):
                    low.append((ratio, name, who, line["name"]))
    return sorted(low)
