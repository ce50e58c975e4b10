"""Work that was interrupted goes on where it was, and ends with the same answer."""

from contextlib import suppress

import numpy as np
import polars as pl
import pytest

from tamis import EFR, ROGER, FS2Boost, MarginPrototypes, PSBoost, SampledEFR
from tamis._files import WRITING
from tamis._memory import ENDING, Memory, forget, remembering
from tamis.stumps import elimination
from tests.command_line import ok, refused, run

LONG = {
    "EFR": EFR(ROGER(n_evaluations=200), n_estimators=4, random_state=0),
    "SampledEFR": SampledEFR(n_chains=2, n_additive_chains=1, n_sweeps=8, n_burn_in=2, random_state=0),
    "FS2Boost": FS2Boost(n_rounds=3, random_state=0),
    "MarginPrototypes": MarginPrototypes(0.2, betas=(4, 8), random_state=0),
    "PSBoost": PSBoost(0.2, random_state=0),
}


def problem(seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 5)).round(1)
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def answer(estimator, X, y):
    estimator.fit(X, y)
    names = ("ranking_", "scores_", "support_", "sample_indices_", "prototype_weights_")
    found = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
    return found | {f"history {name}": values for name, values in getattr(estimator, "history_", {}).items()}


def same(one, other):
    return one.keys() == other.keys() and all(
        np.array_equal(one[key], other[key], equal_nan=True) for key in one
    )


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("parts", [0, 1, 2])
def test_interrupted_and_gone_on_with_is_the_same(name, parts, tmp_path, monkeypatch):
    """Stopped after any part, the work ends with the answer of an undisturbed run, and repeats no part."""
    X, y = problem()
    plain = answer(LONG[name], X, y)
    keep, done = Memory.keep, []

    def stopped(self, part, arrays):
        if len(done) == parts:
            raise KeyboardInterrupt
        keep(self, part, arrays)
        done.append(part)

    folder = tmp_path / "kept"
    with monkeypatch.context() as patch, remembering(folder), suppress(KeyboardInterrupt):
        patch.setattr(Memory, "keep", stopped)
        answer(LONG[name], X, y)  # interrupted, unless it has fewer parts
    first = list(done)
    done.clear()
    monkeypatch.setattr(
        Memory, "keep", lambda self, part, arrays: done.append(part) or keep(self, part, arrays)
    )
    with remembering(folder):
        assert same(answer(LONG[name], X, y), plain)
    assert not set(first) & set(done)
    done.clear()
    with remembering(folder):
        assert same(answer(LONG[name], X, y), plain)
    assert done == []


def test_what_was_kept_is_found_by_the_same_work_alone(tmp_path):
    """Another seed, setting, table or class finds nothing; nor does a seed that is none."""
    X, y = problem()
    folder = tmp_path / "kept"
    efr = LONG["EFR"]
    changed = X.copy()
    changed[0, 0] += 1
    with remembering(folder):
        efr.fit(X, y)
        kept = len(list(folder.glob(f"*{ENDING}")))
        assert kept == 4
        for estimator, table, classes in (
            (EFR(ROGER(n_evaluations=200), n_estimators=4, random_state=1), X, y),
            (EFR(ROGER(n_evaluations=300), n_estimators=4, random_state=0), X, y),
            (efr, changed, y),
            (efr, X, 1 - y),
        ):
            estimator.fit(table, classes)
            more = len(list(folder.glob(f"*{ENDING}")))
            assert more == kept + 4
            kept = more
        EFR(ROGER(n_evaluations=200), n_estimators=4).fit(X, y)
        assert len(list(folder.glob(f"*{ENDING}"))) == kept
    forget(folder)
    assert not folder.exists()


def test_a_damaged_part_is_done_again(tmp_path):
    """A file that was cut short or holds something else counts as missing."""
    X, y = problem()
    plain = answer(LONG["EFR"], X, y)
    with remembering(tmp_path / "kept"):
        answer(LONG["EFR"], X, y)
        files = sorted((tmp_path / "kept").iterdir())
        files[0].write_bytes(files[0].read_bytes()[:50])
        files[1].write_bytes(b"")
        files[2].write_bytes(b"nothing of ours")
        assert same(answer(LONG["EFR"], X, y), plain)


def test_a_full_disk_does_not_end_the_work(tmp_path):
    """Where nothing can be kept, a warning says so and the answer comes all the same."""
    (tmp_path / "kept").write_text("a file, where a folder should be")
    X, y = problem()
    with remembering(tmp_path / "kept"), pytest.warns(UserWarning, match="would begin anew"):
        LONG["EFR"].fit(X, y)


def test_the_command_line_goes_on(tmp_path, monkeypatch):
    """Interrupted, it says how to go on; going on gives the same bytes, and leaves nothing but the answer."""
    monkeypatch.chdir(tmp_path)
    words = ["rank", "monks1_train", "--method", "efr", "--set", "n_estimators=3", "--output"]
    assert run(*words, "plain.csv").exit_code == 0
    keep = Memory.keep

    def stopped(self, part, arrays):
        keep(self, part, arrays)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "keep", stopped)
        ended = run(*words, "again.csv")
    assert ended.exit_code != 0
    assert "--resume" in ended.stderr
    assert not (tmp_path / "again.csv").exists()
    assert (tmp_path / "again.csv.unfinished").is_dir()
    refused = run(*words, "again.csv")
    assert refused.exit_code == 2
    assert "--resume" in refused.stderr
    assert run(*words, "again.csv", "--resume").exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.csv", "plain.csv"]
    assert run(*words, "again.csv", "--resume").exit_code == 0  # nothing is left to do
    assert run(*words[:-1], "--resume").exit_code == 2  # and nowhere to look for it


def test_a_file_that_was_being_written_does_not_stay(tmp_path):
    """What a killed run was just writing is removed with the rest."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / f"half{WRITING}").write_bytes(b"PK")
    forget(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("command", ["rank", "select"])
def test_a_table_in_parts_goes_on(command, tmp_path, monkeypatch):
    """A ranking of a folder that was interrupted goes on, to the same bytes, and leaves nothing but the answer."""
    monkeypatch.chdir(tmp_path)
    X, y = problem()
    (tmp_path / "parts").mkdir()
    for number, rows in enumerate((slice(0, 25), slice(25, 60))):
        pl.DataFrame(X[rows]).with_columns(kind=y[rows]).write_parquet(f"parts/{number}.parquet")
    words = [command, "parts", "-t", "kind", "--method", "sbs-mf", "--output"]
    assert run(*words, "plain.csv").exit_code == 0
    monkeypatch.setattr(elimination, "SECONDS", 0.0)
    keep, done = Memory.keep, []

    def stopped(self, part, arrays):
        keep(self, part, arrays)
        done.append(part)
        if len(done) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "keep", stopped)
        ended = run(*words, "again.csv")
    assert ended.exit_code != 0
    assert "--resume" in ended.stderr
    assert len(list((tmp_path / "again.csv.unfinished").iterdir())) == 1
    assert run(*words, "again.csv", "--resume").exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.csv", "parts", "plain.csv"]


def files_after(folder, estimator, X, y):
    with remembering(folder):
        estimator.fit(X, y)
    return {path.name for path in folder.glob(f"*{ENDING}")}


@pytest.mark.parametrize(
    "estimator",
    [
        MarginPrototypes(0.2, class_weight={"b": 9}, random_state=0),
        FS2Boost(n_rounds=2, class_weight={"b": 9}, random_state=0),
    ],
    ids=["MarginPrototypes", "FS2Boost"],
)
def test_other_labels_find_nothing(estimator, tmp_path):
    """Classes of other names, in the same rows and order, are another problem: weights are given by name."""
    X, y = problem()
    first, second = np.array(["a", "b"])[y], np.array(["b", "c"])[y]
    plain = answer(estimator, X, second)
    with remembering(tmp_path / "kept"):
        answer(estimator, X, first)
        assert same(answer(estimator, X, second), plain)
    assert not files_after(tmp_path / "one", estimator, X, first) & files_after(
        tmp_path / "two", estimator, X, second
    )


def test_other_kinds_names_and_categories_find_nothing(tmp_path):
    """The kinds of columns, their names and the texts behind codes are part of what a table is."""
    X, y = problem()
    codes = (X[:, 0] > 0).astype(int)
    frames = {
        "numbers": pl.DataFrame({"a": codes, "b": X[:, 1]}),
        "nominal": pl.DataFrame({"a": pl.Series(codes).cast(pl.String).cast(pl.Categorical), "b": X[:, 1]}),
        "other texts": pl.DataFrame({"a": np.array(["p", "q"])[codes], "b": X[:, 1]}),
        "other names": pl.DataFrame({"c": codes, "b": X[:, 1]}),
    }
    seen = set()
    for name, frame in frames.items():
        found = files_after(tmp_path / name, LONG["PSBoost"], frame, y)
        assert len(found) == 1
        assert not found & seen, name
        seen |= found


def test_other_code_finds_nothing(tmp_path, monkeypatch):
    """What other sources or libraries have found is not gone on with."""
    X, y = problem()
    first = files_after(tmp_path / "kept", LONG["PSBoost"], X, y)
    assert files_after(tmp_path / "kept", LONG["PSBoost"], X, y) == first
    monkeypatch.setattr("tamis._memory.code", lambda: {"tamis": "another"})
    assert len(files_after(tmp_path / "kept", LONG["PSBoost"], X, y)) == 2


TABLE = "a,b,c,kind\n" + "".join(f"{i % 7},{i * i % 5},{i % 3},{'xy'[i % 2]}\n" for i in range(40))
RANK = ("rank", "t.csv", "-t", "kind")
EFR_SETTINGS = ("-m", "efr", "--set", "n_estimators=3")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working folder with a table t.csv."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


OTHER_RUNS = {
    "another method": ("rank", "t.csv", "-t", "kind", "-m", "bdsfs"),
    "other settings": ("rank", "t.csv", "-t", "kind", "-m", "efr", "--set", "n_estimators=4"),
    "another seed": (*RANK, *EFR_SETTINGS, "--seed", "5"),
    "another table": ("rank", "u.csv", "-t", "kind", *EFR_SETTINGS),
    "another target": ("rank", "t.csv", "-t", "c", *EFR_SETTINGS),
    "other kinds": (*RANK, *EFR_SETTINGS, "--nominal", "a"),
    "fewer columns": (*RANK, *EFR_SETTINGS, "--drop", "b"),
    "the best alone": (*RANK, *EFR_SETTINGS, "--top", "1"),
    "another command": ("select", "t.csv", "-t", "kind", *EFR_SETTINGS),
}


@pytest.mark.parametrize("name", OTHER_RUNS)
def test_a_finished_file_of_another_run_is_refused(place, name):
    """--resume on a file that another command has written is one sentence and exit code 2, and the file stays."""
    (place / "u.csv").write_text(TABLE.replace("6,", "5,"))
    ok(*RANK, *EFR_SETTINGS, "-o", "out.csv")
    before = (place / "out.csv").read_bytes()
    sentence = refused(*OTHER_RUNS[name], "-o", "out.csv", "--resume")
    assert "out.csv is there" in sentence
    assert "--force" in sentence
    assert (place / "out.csv").read_bytes() == before
    ok(*OTHER_RUNS[name], "-o", "plain.csv")
    ok(*OTHER_RUNS[name], "-o", "out.csv", "--resume", "--force")
    assert (place / "out.csv").read_bytes() == (place / "plain.csv").read_bytes()


def test_a_finished_file_of_the_same_run_is_left_alone(place):
    """The same command finds nothing to do, whatever the number of jobs; so does one on a copy of the table."""
    ok(*RANK, *EFR_SETTINGS, "-o", "out.csv")
    (place / "copy.csv").write_text(TABLE)
    for words in (
        (*RANK, *EFR_SETTINGS),
        (*RANK, *EFR_SETTINGS, "-j", "2"),
        ("rank", "copy.csv", "-t", "kind", *EFR_SETTINGS),
    ):
        assert "nothing is left to do" in ok(*words, "-o", "out.csv", "--resume").stdout


def test_a_finished_file_that_was_changed_is_refused(place):
    """A file that somebody has edited is not taken for the answer; nor is one that tamis has not written."""
    ok(*RANK, *EFR_SETTINGS, "-o", "out.csv")
    (place / "out.csv").write_text("mine")
    assert "not known to be the answer" in refused(*RANK, *EFR_SETTINGS, "-o", "out.csv", "--resume")
    (place / "other.csv").write_text("mine")
    refused(*RANK, *EFR_SETTINGS, "-o", "other.csv", "--resume")
    assert (place / "other.csv").read_text() == "mine"


def test_a_report_that_is_not_there_is_made(place):
    """A finished answer does not keep its report from being written."""
    ok(*RANK, *EFR_SETTINGS, "-o", "out.csv")
    before = (place / "out.csv").read_bytes()
    ok(*RANK, *EFR_SETTINGS, "-o", "out.csv", "--report", "out.html", "--resume")
    assert (place / "out.html").is_file()
    assert (place / "out.csv").read_bytes() == before


@pytest.mark.parametrize("name", OTHER_RUNS)
def test_unfinished_work_of_another_run_is_refused(place, name, monkeypatch):
    """What an interrupted run has left is gone on with by the same run alone, and another does not remove it."""
    (place / "u.csv").write_text(TABLE.replace("6,", "5,"))
    keep = Memory.keep

    def stopped(self, part, arrays):
        keep(self, part, arrays)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "keep", stopped)
        assert run(*RANK, *EFR_SETTINGS, "-o", "out.csv").exit_code == 130
    kept = sorted((place / "out.csv.unfinished").iterdir())
    assert kept
    sentence = refused(*OTHER_RUNS[name], "-o", "out.csv", "--resume")
    assert "another run has found, of other" in sentence
    assert sorted((place / "out.csv.unfinished").iterdir()) == kept
    ok(*RANK, *EFR_SETTINGS, "-o", "out.csv", "--resume")
    assert not (place / "out.csv.unfinished").exists()


def test_files_that_changed_are_another_table_in_parts(place):
    """A folder whose files were written anew is not the folder of a finished file."""
    (place / "parts").mkdir()
    frame = pl.read_csv("t.csv")
    frame.write_parquet("parts/0.parquet")
    words = ("rank", "parts", "-t", "kind", "-m", "sbs-mf", "--set", "n_rounds=3", "-o", "out.csv")
    ok(*words)
    assert "nothing is left to do" in ok(*words, "--resume").stdout
    swapped = frame.with_row_index().with_columns(pl.col("index").replace({3: 5, 5: 3})).sort("index")
    swapped.drop("index").write_parquet("parts/0.parquet")  # the same size and ranges
    assert "out.csv is there" in refused(*words, "--resume")


@pytest.mark.parametrize(
    "more", [("--nominal", "a"), ("--missing-values", "3"), ("--drop", "b"), ("--raw-names",)], ids=" ".join
)
def test_what_was_said_of_a_table_in_parts_counts(place, more):
    """A finished file of a folder that was read in another way is another run's."""
    (place / "parts").mkdir()
    pl.read_csv("t.csv").write_parquet("parts/0.parquet")
    words = ("rank", "parts", "-t", "kind", "-m", "sbs-mf", "--set", "n_rounds=3", "-o", "out.csv")
    ok(*words)
    assert "out.csv is there" in refused(*words, *more, "--resume")
