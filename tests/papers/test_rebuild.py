"""A paper is rebuilt once: the same bytes for any number of jobs, stopped or not."""

import signal
import subprocess
import sys
from pathlib import Path

import joblib
import polars as pl
import pytest

from tamis.papers import _rebuild
from tamis.papers._paper import Size
from tamis.papers._rebuild import rebuild
from tests.papers.toy import TOY

ROOT = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from dataclasses import replace
sys.path.insert(0, {root!r})
from tamis.papers import _rebuild
from tests.papers.toy import TOY, measured
count = 0
def dying(task, seed):
    global count
    count += 1
    if count == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return measured(task, seed)
_rebuild.paper_named = lambda name: replace(TOY, measured=dying)
_rebuild.rebuild("psboost", {folder!r})
"""


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """Put the toy in the place of every paper."""
    monkeypatch.setattr(_rebuild, "paper_named", lambda name: TOY)


def content(folder):
    """All files of a folder but the seconds."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "seconds.parquet"}


def test_the_folder_holds_pages_measurements_and_what_was_run(tmp_path):
    """One row a measurement in the order of the plan, without seconds, which stand in a file of their own."""
    rebuilt = rebuild("psboost", tmp_path, seed=3)
    assert set(content(tmp_path)) == {"page.md", "page.html", "results.parquet", "run.json"}
    frame = pl.read_parquet(tmp_path / "results.parquet")
    assert frame.columns == [
        *["table", "protocol", "data_set", "repeat", "fold", "method", "setting", "figure", "value"]
    ]
    assert frame["data_set"].to_list() == ["made"] * 4 + ["other"] * 4
    assert pl.read_parquet(tmp_path / "seconds.parquet").height == frame.height
    assert rebuilt.view.mean("1", "paper", "made", "method") == pytest.approx(frame["value"][:4].mean())


@pytest.mark.parametrize(
    "content", ["", "null", "[]", "{}", '{"paper": "psboost", "data": null}', "[" * 100_000]
)
def test_a_run_that_nobody_wrote_is_refused(tmp_path, content):
    """A ``run.json`` that says nothing of a run is named, and stays."""
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match=r"run\.json' was not written by a run"):
        rebuild("psboost", tmp_path)
    assert (tmp_path / "run.json").read_text() == content


def test_jobs_do_not_change_a_byte(tmp_path):
    """Two jobs give the bytes of one."""
    rebuild("psboost", tmp_path / "one")
    with joblib.parallel_config(backend="threading"):
        rebuild("psboost", tmp_path / "two", n_jobs=2)
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path):
    """A run killed in its fourth task keeps the three before it, and ends with the bytes of an unbroken one."""
    code = KILLED.format(root=str(ROOT), folder=str(tmp_path / "killed"))
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == -signal.SIGKILL
    assert len(_rebuild.Store(tmp_path / "killed").done()) == 3
    counts = []
    rebuild("psboost", tmp_path / "killed", progress=lambda done, total: counts.append((done, total)))
    assert counts[0] == (3, 8)
    rebuild("psboost", tmp_path / "whole")
    assert content(tmp_path / "killed") == content(tmp_path / "whole")


def test_a_finished_run_is_not_run_again(tmp_path, monkeypatch):
    """The second call measures nothing and writes the same bytes."""
    rebuild("psboost", tmp_path)
    before = content(tmp_path)
    monkeypatch.setattr(_rebuild, "_done", None)
    rebuild("psboost", tmp_path)
    assert content(tmp_path) == before


def test_other_seeds_give_other_figures(tmp_path):
    """The seed decides."""
    first, second = (rebuild("psboost", tmp_path / str(seed), seed=seed).view for seed in (0, 1))
    key = ("1", "paper", "made", "method")
    assert first.mean(*key) != second.mean(*key)


def test_a_run_may_grow(tmp_path):
    """A quick run made full measures only what is new, and ends with the bytes of a full one."""
    rebuild("psboost", tmp_path / "grown")
    counts = []
    full = Size("full")
    rebuild(
        "psboost", tmp_path / "grown", size=full, progress=lambda done, total: counts.append((done, total))
    )
    assert counts[0] == (8, 16)
    rebuild("psboost", tmp_path / "whole", size=full)
    assert content(tmp_path / "grown") == content(tmp_path / "whole")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": 1}, "seed=0, not 1. Give another folder"),
        ({"size": Size("quick", 2)}, "4 tasks that this one lacks, such as 1 paper made 2 -1. Ask for"),
    ],
)
def test_a_folder_with_another_or_a_larger_run_is_refused(tmp_path, given, words):
    """The message says what the folder holds and what to do; nothing is written."""
    rebuild("psboost", tmp_path)
    before = content(tmp_path)
    with pytest.raises(ValueError, match=words):
        rebuild("psboost", tmp_path, **given)
    assert content(tmp_path) == before


def test_bad_arguments_are_refused_before_any_work(tmp_path):
    """An unknown table, a negative seed, no repeats, and a file in place of a folder."""
    file = tmp_path / "file"
    file.touch()
    for folder, given in (
        (tmp_path / "new", {"table": "7"}),
        (tmp_path / "new", {"seed": -1}),
        (tmp_path / "new", {"size": Size("quick", 0)}),
        (file, {}),
    ):
        with pytest.raises(ValueError, match=r"rebuild: "):
            rebuild("psboost", folder, **given)
    assert list(tmp_path.iterdir()) == [file]


def test_texts_are_escaped_in_both_pages(tmp_path):
    """Signs that HTML or Markdown would read are written out."""
    rebuild("psboost", tmp_path)
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>A toy &amp; its &lt;title&gt;</title>" in html
    assert "It is &lt;b&gt;so&lt;/b&gt;." in html
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert r"It is \<b\>so\</b\>." in text
    assert r"why \| not" in text


def test_measurements_of_another_version_are_not_added_to(tmp_path, monkeypatch):
    """A folder grows by the version that made it alone; its pages can be made again by any."""
    rebuild("psboost", tmp_path, size=Size("quick", 1))
    monkeypatch.setattr(_rebuild, "__version__", "9.9")
    rebuild("psboost", tmp_path, size=Size("quick", 1))
    with pytest.raises(ValueError, match=r"holds measurements of tamis .* and this is 9.9"):
        rebuild("psboost", tmp_path, size=Size("quick", 2))


def test_measurements_by_other_sources_are_told(tmp_path, monkeypatch):
    """A folder that grows by other sources of the same version says so, on the spot and on its page."""
    rebuild("psboost", tmp_path, size=Size("quick", 1))
    monkeypatch.setattr(_rebuild, "source_digest", lambda: "0123456789abcdef")
    with pytest.warns(UserWarning, match="by other sources"):
        rebuild("psboost", tmp_path, size=Size("quick", 2))
    assert "0123456789abcdef" in (tmp_path / "page.md").read_text()
