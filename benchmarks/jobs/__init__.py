"""The jobs of the race, one a file; `benchmarks/race.py` runs them.

A job has a TITLE, a note QUALITY on what its last column means, CASES (`jobs.tables.Case`, for each series in ascending
order of size), QUICK (the cases of the short run; NOT_QUICK names contenders that it leaves out), and CONTENDERS: by name, functions of no arguments that import what they
need and return the work, a function of one `Data` that returns how good its answer is and, if it likes, how much it kept.
The first contender is tamis, the last one does nothing.
"""

NAMES = (
    "ranking",
    "stumps",
    "forward",
    "weighting",
    "condensing",
    "editing",
    "evolution",
    "reading",
    "start",
)
