"""Hostile tables for every estimator, and hostile files for every reader.

Run it from the repository: ``python tools/fuzz.py --seconds 600``. Every case is made from one number, in a process
that is watched from outside, so that a crash of the interpreter or a case that never ends is found too; ``--case N``
runs one again and shows the whole error; ``--damaged`` changes bytes of binary and compressed files only. A finding is

- any error but a sentence (ValueError, TypeError, MemoryError and the readers' TableError), and one that is empty;
- a warning of NumPy's, a score that is not finite, a ranking that is no permutation, a kept row that does not exist;
- another answer for the same values in another memory order, from a read-only or a mapped array;
- an input that was written to;
- more than a minute of the processor, compiling aside, a quarter of an hour by the clock, or the end of the process.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import json
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROOT = Path(__file__).parents[1]
SLOWEST = 60.0  # processor seconds a case
DEADLOCK = 900.0  # seconds by the clock
BATCH = 200
# Their work grows with classes times rows: 10,000 of each are minutes to hours, and they get a tenth of that.
SQUARE = (
    "EFR", "FS2Boost", "NeighborAdaBoost", "PSBoost", "PSBoostClassifier", "ROGER", "ReliefF", "SBSMF", "SampledEFR",
    "StumpAdaBoost",
)  # fmt: skip
NAMES = (
    "a",
    "",
    " ",
    "a b",
    "é",
    "\u202egnp",
    "<script>",
    "x\n",
    "\t",
    "'; --",
    "\x07",
    "🂡",
    "a" * 500,
    "0",
    "nan",
    "../x",
)
HUGE = (1e308, -1e308, 1e-310, -5e-324, 0.0, -0.0, 2.0**53, 2.0**53 + 2, 1e16, -1e-300)


def column(random: np.random.Generator, n: int) -> np.ndarray:
    """One column of numbers of some unkind sort."""
    kind = random.integers(9)
    if kind == 0:
        return np.full(n, random.choice(HUGE))
    if kind == 1:
        return random.choice(HUGE, n)
    if kind == 2:
        return random.integers(-2, 3, n).astype(float)
    if kind == 3:
        return random.normal(size=n) * 10.0 ** random.integers(-300, 300)
    if kind == 4:
        return np.where(random.random(n) < 0.5, np.nan, random.normal(size=n))
    if kind == 5:
        return np.full(n, np.nan)
    if kind == 6:
        return random.choice([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0], n).astype(float)
    if kind == 7:
        return 1e15 + random.normal(size=n)
    return random.normal(size=n)


def labels(random: np.random.Generator, n: int) -> np.ndarray:
    """Classes: two, one of them with one row; as many as rows; few; text."""
    kind = random.integers(5)
    if kind == 0:
        return (np.arange(n) == random.integers(n)).astype(int)
    if kind == 1:
        return random.permutation(n)
    if kind == 2:
        return random.choice(["yes", "no", "", "é", "<b>"], n)
    if kind == 3:
        return random.integers(-1, 2, n) * 2**62
    return random.integers(0, 2, n).astype(bool)


def frame(random: np.random.Generator, X: np.ndarray) -> Any:
    """The numbers as a frame of pandas or polars, some columns as text, categories or flags, with strange names."""
    import pandas as pd

    names = list(random.choice(NAMES, X.shape[1], replace=X.shape[1] > len(NAMES)))
    if len(set(names)) < len(names):
        names = [f"{name}{j}" for j, name in enumerate(names)]
    columns: dict[str, Any] = {}
    for name, values in zip(names, X.T):
        kind = random.integers(5)
        if kind == 0:
            columns[str(name)] = [None if v != v else random.choice(NAMES) for v in values]
        elif kind == 1:
            columns[str(name)] = [None if v != v else bool(v > 0) for v in values]
        else:
            columns[str(name)] = [float(v) for v in values]
    if random.random() < 0.5:
        table = pl.DataFrame(columns, strict=False)
        return table.with_columns(pl.col(pl.String).cast(pl.Categorical)) if random.random() < 0.5 else table
    made = pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})
    return made.astype(dict.fromkeys(made.select_dtypes("object").columns, "category"))


def whole_numbers(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A small table of integers or flags as such, the extremes of their kind among them."""
    kind = np.dtype(random.choice(["int64", "uint64", "int8", "int32", "bool"]))
    n, d = int(random.choice([2, 7, 60])), int(random.choice([1, 3, 6]))
    extremes = [0, 1] if kind == np.dtype(bool) else [np.iinfo(kind).min, np.iinfo(kind).max, 0, 1]
    X = random.choice(np.array(extremes, dtype=kind), (n, d))
    return X, labels(random, n)


def many_classes(random: np.random.Generator, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """So many classes of a row or two each."""
    n = int(n_classes * random.choice([1.0, 1.5]))
    return random.normal(size=(n, 2)).round(2), random.permutation(n) % n_classes


def table(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A small table, once in a while with an infinity, copies of columns or copies of rows."""
    n, d = int(random.choice([1, 2, 3, 4, 7, 20, 60])), int(random.choice([1, 2, 3, 6, 12]))
    X = np.column_stack([column(random, n) for _ in range(d)])
    if random.random() < 0.3:
        X[:, random.integers(d)] = X[:, random.integers(d)]
    if random.random() < 0.3:
        X[random.integers(n, size=n // 2)] = X[random.integers(n)]
    if random.random() < 0.1:
        X[random.integers(n), random.integers(d)] = random.choice([np.inf, -np.inf])
    return X, labels(random, n)


class Finding(Exception):  # noqa: N818 - it is one
    """Something that must not be."""


def must(holds: Any, what: str) -> None:
    """Raise a finding unless something holds."""
    if not holds:
        raise Finding(what)


def answer(estimator: Any, X: Any, y: np.ndarray) -> dict[str, np.ndarray]:
    """Fit, check what must hold, and return what was found."""
    estimator.fit(X, y)
    n, d = np.shape(X)
    found: dict[str, np.ndarray] = {}
    if (ranking := getattr(estimator, "ranking_", None)) is not None:
        found["ranking"] = np.asarray(ranking)
        must(sorted(found["ranking"]) == list(range(1, d + 1)), f"ranking_ {ranking}")
        estimator.transform(X)
    if (scores := getattr(estimator, "scores_", None)) is not None:
        found["scores"] = np.asarray(scores)
        must(np.isfinite(found["scores"]).all(), f"scores_ {scores}")
    if (kept := getattr(estimator, "sample_indices_", None)) is not None:
        found["kept"] = np.asarray(kept)
        must((np.diff(found["kept"]) > 0).all(), f"sample_indices_ {kept}")
        must(len(kept) > 0 and found["kept"][0] >= 0 and found["kept"][-1] < n, f"sample_indices_ {kept}")
    if hasattr(estimator, "predict"):
        found["predicted"] = np.asarray(estimator.predict(X))
        must(np.isin(found["predicted"], y).all(), "predicts a class that is not there")
    if hasattr(estimator, "predict_proba"):
        chances = estimator.predict_proba(X)
        must(np.isfinite(chances).all(), "predict_proba is not finite")
        must(np.allclose(chances.sum(axis=1), 1), "predict_proba does not add up to 1")
    return found


def outcome(estimator: Any, X: Any, y: np.ndarray) -> dict[str, np.ndarray] | str:
    """What was found, or the sentence that refused; a warning of NumPy's is an error, but not inside scikit-learn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        warnings.filterwarnings("ignore", message="PSBoost: kept", category=RuntimeWarning)
        try:
            return answer(estimator, X, y)
        except RuntimeWarning as warning:
            if "sklearn" not in place_of(warning):
                raise
            warnings.simplefilter("ignore")
            return outcome_unwarned(estimator, X, y)
        except (ValueError, TypeError, MemoryError) as error:
            return sentence(error)


def outcome_unwarned(estimator: Any, X: Any, y: np.ndarray) -> dict[str, np.ndarray] | str:
    """The same where scikit-learn has warned already."""
    try:
        return answer(estimator, X, y)
    except (ValueError, TypeError, MemoryError) as error:
        return sentence(error)


def sentence(error: Exception) -> str:
    """What an error says, which must be something."""
    said = str(error).strip()
    must(said, f"{type(error).__name__} says nothing")
    return said


def place_of(error: BaseException) -> str:
    """The innermost line of ours or of scikit-learn's."""
    lines = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if "tamis" in one.filename or "sklearn" in one.filename
    ]
    return f"{'/'.join(Path(lines[-1].filename).parts[-3:])}:{lines[-1].lineno}" if lines else "?"


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, or both refusals."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def mapped(X: np.ndarray, folder: Path) -> np.ndarray:
    """The values in a file, mapped and not to be written to."""
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r")


def estimator_case(random: np.random.Generator, folder: Path) -> str:
    """One estimator on one table in several guises; returns what came of it."""
    from sklearn.utils._testing import set_random_state
    from tests.estimators import EDGES, QUICK, default, public_estimators

    name = str(random.choice(list(public_estimators())))
    settings = dict(QUICK.get(name, {}))
    if random.random() < 0.4 and name in EDGES:
        settings |= EDGES[name][str(random.choice(list(EDGES[name])))]
    draw = random.random()
    if draw < 0.01:
        X, y = many_classes(random, 1000 if name in SQUARE else 10_000)
    else:
        X, y = whole_numbers(random) if draw < 0.15 else table(random)

    def made() -> Any:
        estimator = default(name, **settings)
        set_random_state(estimator, 0)
        return estimator

    kept = X.copy()
    first = outcome(made(), X, y)
    must(np.array_equal(X, kept, equal_nan=True), f"{name} wrote to X")
    locked = X.copy(order="F")
    locked.flags.writeable = False
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    guises = (
        ("F", locked),
        ("stepped", wide),
        ("backward", X[::-1].copy()[::-1]),
        ("mapped", mapped(X, folder)),
    )
    for guise, other in guises if len(X) < 1000 else guises[:1]:
        must(same(first, outcome(made(), other, y)), f"{name}: another answer for the {guise} order")
    if len(X) < 1000:
        outcome(made(), frame(random, X), y)
    return "refused" if isinstance(first, str) else "fitted"


def parts_case(random: np.random.Generator, folder: Path) -> str:
    """A table as a folder of Parquet files, cut in two ways: the same answer, or a sentence for both."""
    from tests.estimators import default

    X, y = whole_numbers(random) if random.random() < 0.3 else table(random)
    as_they_are = X.dtype != np.float64 and random.random() < 0.5
    rows = pl.DataFrame(X) if as_they_are else frame(random, X)
    rows = rows if isinstance(rows, pl.DataFrame) else pl.from_pandas(rows)
    while (target := f"{random.choice(NAMES)}!") in rows.columns:
        continue
    rows = rows.with_columns(pl.Series(target, y))
    name = str(random.choice(["SBSMF", "StumpAdaBoost"]))
    settings: dict[str, Any] = {"n_rounds": int(random.integers(1, 12))}
    if random.random() < 0.3:
        settings["class_weight"] = "balanced"
    found = []
    for number in range(2):
        place = folder / f"cut {number}"
        place.mkdir()
        ends = np.sort(random.integers(0, len(rows) + 1, int(random.integers(0, 4))))
        for part, (first, last) in enumerate(itertools.pairwise([0, *ends, len(rows)])):
            rows[int(first) : int(last)].write_parquet(place / f"{part}.parquet")
        estimator = default(name, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            try:
                estimator.fit(place, target)
            except (ValueError, TypeError) as error:
                found.append(sentence(error))
                continue
        if name == "SBSMF":
            scores = np.asarray(estimator.scores_)
            must(np.isfinite(scores).all(), f"scores_ {scores}")
            found.append({"ranking": np.asarray(estimator.ranking_), "scores": scores})
        else:
            found.append(
                {
                    f"{at} {one}": np.asarray(getattr(stumps, one))
                    for at, stumps in enumerate(estimator.stumps_)
                    for one in ("column", "threshold", "alpha", "u", "edge")
                }
            )
    must(same(*found), f"{name}: another answer for other files: {found}")
    return "refused" if isinstance(found[0], str) else "fitted"


SEEDS = {
    ".csv": b'a,b,class\n1,2,x\n3,?,y\n-1.5e3,"q""r",x\n',
    ".arff": b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,y}\n@attribute class {p,q}\n@data\n1,x,p\n?,y,q\n{0 3, 2 q}\n",
    ".dat": b"@relation r\n@attribute a real [0,1]\n@attribute c {p,q}\n@inputs a\n@outputs c\n@data\n0.5,p\n1,q\n",
}
PIECES = (
    b"\x00",
    b"\xff\xfe",
    b"\n",
    b"\r",
    b",",
    b"'",
    b'"',
    b"{",
    b"}",
    b"@data",
    b"%",
    b"?",
    b"1e999",
    b"NaN",
    b"\xe2\x80\xae",
    b"@attribute",
    b";",
    b"\t" * 50,
    b"9" * 400,
)


def reader_case(random: np.random.Generator, folder: Path) -> str:
    """A small file with bytes changed, cut, doubled or put in."""
    from tamis.table import TableError, read

    ending = str(random.choice(list(SEEDS)))
    content = bytearray(SEEDS[ending])
    for _ in range(random.integers(1, 8)):
        place = int(random.integers(len(content) + 1))
        kind = random.integers(4)
        if kind == 0:
            content[place:place] = PIECES[random.integers(len(PIECES))]
        elif kind == 1:
            del content[place : place + int(random.integers(1, 10))]
        elif kind == 2:
            content[place : place + 1] = random.bytes(1)
        else:
            content[place:place] = content[place : place + int(random.integers(1, 30))]
    path = folder / f"table{ending}"
    path.write_bytes(bytes(content))
    try:
        read(path)
    except TableError as error:
        must(str(error).strip(), "TableError says nothing")
        return "refused"
    return "read"


WRITERS: dict[str, Any] = {
    "zstd.parquet": lambda rows, path: rows.write_parquet(path, row_group_size=20),
    "plain.parquet": lambda rows, path: rows.write_parquet(path, compression="uncompressed"),
    "snappy.parquet": lambda rows, path: rows.write_parquet(path, compression="snappy"),
    "arrow.parquet": lambda rows, path: rows.write_parquet(path, use_pyarrow=True),
    "plain.feather": lambda rows, path: rows.write_ipc(path),
    "zstd.feather": lambda rows, path: rows.write_ipc(path, compression="zstd"),
    "lz4.feather": lambda rows, path: rows.write_ipc(path, compression="lz4"),
    "stream.arrow": lambda rows, path: rows.write_ipc_stream(path),
    "text.csv.gz": lambda rows, path: rows.write_csv(path, compression="gzip"),
    "text.csv.zst": lambda rows, path: rows.write_csv(path, compression="zstd"),
    "text.arff": lambda rows, path: path.write_bytes(SEEDS[".arff"]),
}


def damaged_case(random: np.random.Generator, folder: Path) -> str:
    """A good file with one to three bytes changed, alone or, if it is Parquet, between two others in a folder."""
    from tamis import StumpAdaBoost
    from tamis.table import TableError, read

    n = int(random.integers(4, 60))
    rows = pl.DataFrame(
        {
            "a": random.integers(0, 9, n),
            "b": random.normal(size=n),
            "c": random.choice(["u", "v", "w"], n),
            "d": np.where(random.random(n) < 0.5, np.nan, 1.5),
            "kind": random.choice(["x", "y"], n),
        }
    ).with_columns(pl.col("d").fill_nan(None))
    name = str(random.choice(list(WRITERS)))
    path = folder / name
    WRITERS[name](rows, path)
    content = bytearray(path.read_bytes())
    for _ in range(random.integers(1, 4)):
        content[int(random.integers(len(content)))] = int(random.integers(256))
    path.write_bytes(bytes(content))
    in_parts = name.endswith(".parquet") and random.random() < 0.4
    if in_parts:
        for number in range(2):
            rows.write_parquet(folder / f"{number}.parquet")
    try:
        if in_parts:
            StumpAdaBoost(n_rounds=2).fit(folder, "kind")
        else:
            read(path)
    except TableError as error:
        must(str(error).strip() and "\n" not in str(error), f"TableError says {str(error)!r}")
        return "refused"
    except ValueError as error:
        must(in_parts and str(error).strip(), f"{type(error).__name__}: {error}")
        return "refused"
    return "read"


def run_case(number: int, damaged: bool) -> str:
    """One case by its number, of damaged files alone if that is wanted; returns what came of it."""
    random = np.random.default_rng([number, 20_261_116])
    with tempfile.TemporaryDirectory() as folder:
        kinds = (reader_case, estimator_case, parts_case, estimator_case)
        kind = damaged_case if damaged else kinds[number % 4]
        return kind(random, Path(folder))


def without_compiling() -> None:
    """Let the time of a case stand still while kernels are compiled."""
    from tamis._jit import compiling

    left = [0.0]

    def told(begun: bool) -> None:
        if begun:
            left[0], _ = signal.setitimer(signal.ITIMER_PROF, 0)
        elif left[0] > 0:
            signal.setitimer(signal.ITIMER_PROF, left[0])

    compiling.told = told


def work(first: int, last: int, damaged: bool) -> None:
    """Cases first, ..., last - 1; a line of JSON each."""
    faulthandler.register(signal.SIGPROF, chain=True)  # and then it ends the process
    without_compiling()
    for number in range(first, last):
        print(json.dumps({"begun": number}), flush=True)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        faulthandler.dump_traceback_later(DEADLOCK, exit=True)
        try:
            told = {"case": number, "came": run_case(number, damaged)}
        except Exception as error:
            told = {
                "case": number,
                "found": f"{type(error).__name__} at {place_of(error)}: {' '.join(str(error).split())[:300]}",
            }
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(told), flush=True)


def watched(first: int, last: int, damaged: bool) -> tuple[Counter, dict[int, str], int]:
    """Run cases in a process of their own; what came of them, the findings, and the next case."""
    command = [sys.executable, __file__, "--work", str(first), str(last), *["--damaged"] * damaged]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    came: Counter = Counter()
    found: dict[int, str] = {}
    begun = first - 1
    for line in ended.stdout.splitlines():
        told = json.loads(line)
        begun = told.get("begun", begun)
        if "came" in told:
            came[told["came"]] += 1
        elif "found" in told:
            found[told["case"]] = told["found"]
    if ended.returncode != 0:
        found[begun] = f"the process ended with {ended.returncode}: {ended.stderr.strip()[-300:]}"
    return came, found, begun + 1


def main() -> None:
    """Run cases until the time is over."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--first", type=int, default=0, help="the first case")
    parser.add_argument("--case", type=int, help="run this case only, and show its error")
    parser.add_argument(
        "--damaged", action="store_true", help="binary and compressed files with changed bytes only"
    )
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.work:
        work(*options.work, options.damaged)
        return
    if options.case is not None:
        print(run_case(options.case, options.damaged))
        return
    end, number = time.monotonic() + options.seconds, options.first
    came: Counter = Counter()
    found: dict[int, str] = {}
    while time.monotonic() < end:
        counted, more, number = watched(number, number + BATCH, options.damaged)
        came += counted
        found |= more
        for case, what in more.items():
            print(f"case {case}: {what}", flush=True)
        print(f"{number - options.first} cases, {dict(came)}, {len(found)} findings", flush=True)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
