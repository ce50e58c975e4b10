"""``tamis study problem-space``: a ranker over a part of the space, on the command line."""

import polars as pl
import pytest

from tamis.study import problem_space
from tests import command_line
from tests.command_line import ok, refused, shell

PART = ("--rows", "50", "--columns", "100", "--relevant", "5", "--no-redundant", "--feature-noise", "0")
QUICK = ("--method", "univariate-auc", *PART, "--label-noise", "0", "--datasets", "2")


def run(*words):
    return ok("study", "problem-space", *words)


def test_a_part_of_the_space_is_run_and_printed():
    """Options choose points; each is one line, for both concepts of the paper if none is named."""
    lines = run(*QUICK).stdout.splitlines()
    assert len(lines) == 3
    assert lines[0].split()[:4] == ["n", "d", "r", "concept"]
    assert [line.split()[3] for line in lines[1:]] == ["linear", "ball"]


def test_results_are_kept_and_resumed(tmp_path):
    """The folder holds one row a data set; the same command again runs nothing, more data sets are added."""
    folder = tmp_path / "runs"
    first = run(*QUICK, "--output", folder).stdout
    kept = pl.read_parquet(folder / "results.parquet")
    assert kept.height == 4
    assert kept["ranks"].list.len().to_list() == [5] * 4
    assert run(*QUICK, "--output", folder).stdout == first
    run(*QUICK[:-1], "3", "--output", folder)
    more = pl.read_parquet(folder / "results.parquet")
    assert more.height == 6
    assert (
        more.filter(pl.col("dataset") < 2)
        .sort("concept", "dataset")["auc"]
        .equals(kept.sort("concept", "dataset")["auc"])
    )


def test_concepts_beyond_the_paper_are_run_when_named():
    """two stands at the round concept's points."""
    lines = run(*QUICK, "--concept", "two").stdout.splitlines()
    assert [line.split()[3] for line in lines[1:]] == ["two"]


def test_pictures_are_drawn(tmp_path):
    """Curves and map are written where they are asked for."""
    said = run(*QUICK, "--curves", tmp_path / "curves.png", "--map", tmp_path / "map.svg").stdout
    assert (tmp_path / "curves.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert said.count("Drawn: ") == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--rows", "77"), "no point of the space has n of 77"),
        (("--concept", "cube"), "--concept cube: use one of linear, ball, two, xor"),
        (("--curves", "curves.txt"), "End its name with .png"),
        (("--map", "nowhere/map.png"), "there is no folder 'nowhere'"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(words, sentence, tmp_path, monkeypatch):
    """Points that are not in the space and pictures that cannot be drawn are one sentence."""
    monkeypatch.chdir(tmp_path)
    assert sentence in refused("study", "problem-space", "--method", "univariate-auc", *words)


def test_a_folder_of_another_run_is_refused(tmp_path):
    """Results of other settings are not mixed."""
    run(*QUICK, "--output", tmp_path)
    assert "holds results of ranker" in refused(
        "study", "problem-space", *QUICK, "--set", "folded=True", "--output", tmp_path
    )


def test_an_interrupted_run_says_where_it_goes_on(tmp_path, monkeypatch):
    """Ctrl-C ends with 130 and tells the folder; the same command then finishes."""

    def stop(*_arguments, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(problem_space, "_judged", stop)
        answer = command_line.run("study", "problem-space", *QUICK, "--output", tmp_path)
    assert answer.exit_code == 130
    assert "goes on from there" in answer.stderr
    run(*QUICK, "--output", tmp_path)
    assert pl.read_parquet(tmp_path / "results.parquet").height == 4


def test_matplotlib_is_loaded_only_when_drawing(tmp_path):
    """Without a picture nothing of matplotlib is imported."""
    script = "import sys\nfrom tests.command_line import run\nrun('study', 'problem-space', *sys.argv[1:])\nprint('matplotlib' in sys.modules)"
    import subprocess
    import sys

    answer = subprocess.run(
        [sys.executable, "-c", script, *QUICK], capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines()[-1] == "False"
    assert "problem-space" in shell("study", "--help").stdout
