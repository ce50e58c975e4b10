"""Work that was interrupted goes on where it was, and ends with the same answer."""

from contextlib import suppress

import numpy as np
import polars as pl
import pytest

from tamis import EFR, ROGER, FS2Boost, MarginPrototypes, PSBoost, SampledEFR
from tamis._files import WRITING
from tamis._memory import ENDING, Memory, forget, remembering
from tamis.boosting import elimination_runs
from tests.command_line import run

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
    monkeypatch.setattr(elimination_runs, "SECONDS", 0.0)
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
