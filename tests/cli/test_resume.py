"""Writing to a file, being interrupted and going on never change an answer: every method, whatever its parameters."""

import warnings
from contextlib import contextmanager
from numbers import Integral

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils._param_validation import Interval, StrOptions, make_constraint

from tamis._memory import Memory
from tamis._methods import methods
from tamis.cli._estimator import chosen_estimator
from tamis.cli._fitting import kept_columns, kept_rows, ranked_columns
from tamis.prototypes.in_parts import condense_parts
from tamis.stumps import elimination
from tamis.table.parts.parquet import parquet_table
from tamis.table.reading.read import read
from tests.command_line import ok, run
from tests.settings import NIGHTLY

METHODS = {method.name: method for method in methods()}
ROWS = [name for name, method in METHODS.items() if method.sifts == "rows"]
IN_PARTS = [name for name, method in METHODS.items() if method.reads_parts]
CLASSES = ("ash", "beech", "cedar")
COLUMNS = ("a", "b", "c", "d", "e")

# What is drawn for a parameter whose limits alone say too little, or would take too long.
DRAWN = {
    "betas": st.lists(st.sampled_from([2, 4, 8.0, 16]), min_size=1, max_size=4),
    "class_weight": st.sampled_from([None, "balanced", {"ash": 2}, {"beech": 0.5, "cedar": 3.0}]),
    "class_quota": st.sampled_from([None, "proportional", {"ash": 2, "beech": 1, "cedar": 1}]),
    "categorical_features": st.sampled_from(["from_dtype", None, ["a"], [0, 3], ["a", "d"]]),
    "fixed_features": st.sampled_from([None, ["b"], [1, 2]]),
    "excluded_features": st.sampled_from([None, ["e"], [4]]),
    "feature_groups": st.sampled_from([None, [["a", "c"]], [[0, 2]]]),
    "n_evaluations": st.integers(20, 60),
    "max_rows": st.sampled_from([None, 12, 20]),
    "n_prototypes": st.sampled_from([0.2, 0.5, 3, 8]),
    "n_sweeps": st.integers(2, 6),
    "n_burn_in": st.integers(0, 1),
    "n_chains": st.integers(0, 2),
    "n_additive_chains": st.integers(0, 2),
    "max_passes": st.integers(0, 3),
    "graph": st.just("exact"),  # the other is somebody else's
    "n_features_to_select": st.sampled_from([None, 1, 2, 0.5]),
    "n_estimators": st.integers(2, 5),
    "max_features": st.sampled_from([2, 3, 1.0, 0.7]),
    "random_state": st.integers(0, 3),
}
LEFT = ("n_jobs", "verbose", "estimator", "importance_getter")


def values_of(constraints):
    """A few values that fit the limits of a parameter."""
    found = []
    for constraint in map(make_constraint, constraints):
        if isinstance(constraint, StrOptions):
            found.append(st.sampled_from(sorted(constraint.options)))
        elif isinstance(constraint, Interval) and constraint.type is Integral:
            found.append(st.integers(constraint.left, constraint.left + 4))
        elif isinstance(constraint, Interval):
            most = 4.0 if constraint.right in (None, np.inf) else float(constraint.right)
            steps = np.linspace(float(constraint.left), most, 5)[1:-1]
            found.append(st.sampled_from([round(float(step), 3) for step in steps]))
        elif str(constraint) == "None":
            found.append(st.none())
        elif "boolean" in str(constraint) or "bool" in str(constraint):
            found.append(st.booleans())
    return st.one_of(found)


def settings_of(method):
    """Some parameters of a method, as ``--set`` takes them."""
    return _settings_of(method, method.estimator_class()._parameter_constraints)


@st.composite
def _settings_of(draw, method, known):
    free = sorted(set(known) - set(method.settings) - set(LEFT))
    chosen = draw(st.lists(st.sampled_from(free), unique=True, max_size=5))
    texts = {}
    for name in chosen:
        texts[name] = draw(DRAWN[name] if name in DRAWN else values_of(known[name]))
    if method.estimator == "Decoys":
        texts.setdefault("n_sets", 2)
        texts.setdefault("n_decoys", 2)
    if method.estimator == "StabilitySelection":
        texts.setdefault("n_pairs", 2)
    if method.estimator == "EFR":
        texts.setdefault("n_estimators", 3)
    if method.estimator == "SampledEFR":
        texts.setdefault("n_sweeps", 4)
        texts.setdefault("n_burn_in", 1)
    if method.estimator == "ROGER":
        texts.setdefault("n_evaluations", 40)
    return tuple(f"{name}={value!r}" for name, value in texts.items())


def table(seed):
    """A table with ties, gaps, a nominal column, a copy and a constant."""
    random = np.random.default_rng(seed)
    n = 36
    a = random.integers(0, 4, n)
    b = random.normal(size=n).round(1)
    labels = np.array(CLASSES)[(a + (b > 0) + (random.random(n) < 0.2)) % (2 + seed % 2)]
    labels[:2], labels[2:4] = CLASSES[0], CLASSES[1]
    gaps = np.where(random.random(n) < 0.1, None, random.normal(size=n).round(1))
    return pl.DataFrame(
        {
            "a": a,
            "b": b,
            "c": pl.Series(gaps.tolist(), dtype=pl.Float64),
            "d": random.choice(["x", "y", "z"], n),
            "e": b if seed % 3 else np.ones(n),
            "kind": labels,
        }
    )


@contextmanager
def interrupted_after(n_parts):
    """Press Ctrl-C when so many parts of the work are kept."""
    keep, done = Memory.keep, []

    def stopped(self, part, arrays):
        if len(done) == n_parts and self.folder is not None:
            raise KeyboardInterrupt
        keep(self, part, arrays)
        done.append(part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "keep", stopped)
        yield


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty folder to work in, and eliminations that keep what they have at every moment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(elimination, "SECONDS", 0.0)
    return tmp_path


def emptied(folder):
    """Remove what an earlier example has written."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def plain_answer(command, name, texts, source):
    """What a method answers without any file; None where it refuses."""
    _, estimator = chosen_estimator(name, METHODS[name].sifts, texts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if source == "parts" and command == "condense":
                found = condense_parts(estimator, parquet_table(source, "kind"), None)
                return found.X_.with_columns(pl.Series("kind", found.y_))
            if source == "parts":
                estimator.fit(parquet_table(source, "kind"), None)
                dataset = read("parts/0.parquet", "kind")
            else:
                dataset = read(source, "kind")
                estimator.fit(dataset.X, dataset.y)
        except ValueError:
            return None
    if command == "rank":
        return ranked_columns(estimator, dataset, kept=False)
    if command == "condense":
        return kept_rows(estimator, dataset)
    kept = kept_columns(estimator, dataset)
    return pl.read_parquet("parts").select(kept.columns) if source == "parts" else kept


def check(command, name, texts, source, n_parts, place):
    """The answer is the plain one: written at once, interrupted and gone on with, and gone on with when finished."""
    expected = plain_answer(command, name, texts, source)
    words = [command, source, "-t", "kind", "-m", name]
    words += [word for text in texts for word in ("--set", text)]
    first = run(*words, "-o", "once.parquet")
    if expected is None:
        assert first.exit_code == 2, first.output
        return
    assert first.exit_code == 0, first.output
    with interrupted_after(n_parts):
        stopped = run(*words, "-o", "again.parquet")
    assert stopped.exit_code in (0, 130), stopped.output
    went_on = ok(*words, "-o", "again.parquet", "--resume")
    for written in ("once.parquet", "again.parquet"):
        answer = pl.read_parquet(written)
        same = answer.select(pl.all().cast(pl.String)).equals(expected.select(pl.all().cast(pl.String)))
        assert same, (written, texts, went_on.output)
    ok(*words, "-o", "again.parquet", "--resume")
    assert {path.name for path in place.iterdir()} == {"once.parquet", "again.parquet", source}


FEW = settings(max_examples=100 if NIGHTLY else 8)


@pytest.mark.parametrize("name", METHODS)
def test_a_file_and_an_interruption_change_no_answer(name, place):
    """With -o, interrupted after any part and resumed, a method answers as it does without, for any parameters."""
    method = METHODS[name]
    commands = ["condense"] if method.sifts == "rows" else ["rank", "select"]

    @FEW
    @given(st.integers(0, 5), st.sampled_from(commands), settings_of(method), st.integers(0, 6))
    def holds(seed, command, texts, n_parts):
        emptied(place)
        table(seed).write_csv("t.csv")
        check(command, name, texts, "t.csv", n_parts, place)

    holds()


@pytest.mark.parametrize("source", ["t.csv", "parts"])
@pytest.mark.parametrize("name", [name for name in IN_PARTS if METHODS[name].estimator == "SBSMF"])
def test_the_same_with_a_numeric_target(name, source, place):
    """Of one file and of a folder, for numbers that a column and a text decide."""
    random = np.random.default_rng(0)
    frame = table(0).drop("kind")  # without a copy, for which a table in parts is not searched
    numbers = (
        frame["b"] + (frame["d"] == "x").cast(float) + pl.Series(random.normal(size=frame.height).round(2))
    )
    frame = frame.with_columns(kind=numbers)
    (place / "parts").mkdir()
    frame[:20].write_parquet("parts/0.parquet")
    frame[20:].write_parquet("parts/1.parquet")
    frame.write_csv("t.csv")
    words = [source, "-t", "kind", "-m", name, "--set", "n_rounds=20"]
    ranked = ok("rank", "t.csv", *words[1:], "-o", "plain.parquet")
    assert "taken as a numeric target" in ranked.stderr
    for n_parts in (0, 2, 5):
        with interrupted_after(n_parts):
            stopped = run("rank", *words, "-o", f"{n_parts}.parquet")
        assert stopped.exit_code == 130, stopped.output
        ok("rank", *words, "-o", f"{n_parts}.parquet", "--resume")
        assert pl.read_parquet(f"{n_parts}.parquet").equals(pl.read_parquet("plain.parquet"))
    ok("select", *words, "-k", 2, "-o", "two.parquet")
    assert pl.read_parquet("two.parquet").height == frame.height


@pytest.mark.parametrize("name", [*IN_PARTS, *(name for name in ROWS if not METHODS[name].makes)])
def test_the_same_of_a_table_in_parts(name, place):
    """The same holds of a folder of Parquet files."""
    method = METHODS[name]
    commands = ["condense"] if method.sifts == "rows" else ["rank", "select"]

    @settings(FEW, max_examples=FEW.max_examples // 2)
    @given(st.integers(0, 5), st.sampled_from(commands), settings_of(method), st.integers(0, 6))
    def holds(seed, command, texts, n_parts):
        emptied(place)
        frame = table(seed)
        (place / "parts").mkdir()
        frame[:20].write_parquet("parts/0.parquet")
        frame[20:].write_parquet("parts/1.parquet")
        check(command, name, texts, "parts", n_parts, place)

    holds()
