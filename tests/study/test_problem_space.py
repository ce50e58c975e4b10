"""Rankers over the problem space: the rows, the seeds, and runs that were stopped."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from tamis import UnivariateAUC
from tamis._journal import Journal
from tamis.datasets import make_problem
from tamis.features.roger import ROGER
from tamis.study.problem_space import problem_space, summary
from tamis.study.roc_fs import roc_fs


def point(**changed):
    base = {
        "n": 30,
        "d": 12,
        "r": 3,
        "concept": "linear",
        "redundant": False,
        "label_noise": 0.0,
        "feature_noise": 0.0,
    }
    return {**base, **changed}


POINTS = [point(), point(concept="ball"), point(label_noise=0.1, redundant=True)]
CHEAP = ROGER(n_evaluations=220)


def timeless(frame):
    return frame.drop("seconds")


def test_a_row_holds_the_figures_of_its_data_set():
    """Making the data set from the seed of a row, ranking and judging it gives the row's figures."""
    frame = problem_space(UnivariateAUC(), POINTS, n_datasets=2)
    assert frame.height == 6
    for row in frame.to_dicts():
        arguments = {name: row[name] for name in point()}
        data = make_problem(**arguments, random_state=row["seed"])
        ranking = UnivariateAUC().fit(data.X, data.y).ranking_
        judged = roc_fs(np.isin(data.X.columns, data.informative), ranking=ranking)
        assert (row["auc"], row["p_b"], row["p_w"]) == (judged.auc, judged.p_b, judged.p_w)


def test_rows_do_not_hang_on_jobs_or_on_the_other_points():
    """Two jobs give the rows of one, and a single point the rows that it has among others."""
    whole = timeless(problem_space(CHEAP, POINTS, n_datasets=3))
    assert timeless(problem_space(CHEAP, POINTS, n_datasets=3, n_jobs=2)).equals(whole)
    alone = timeless(problem_space(CHEAP, POINTS[1:2], n_datasets=2))
    assert whole.filter(concept="ball").head(2).equals(alone)


def test_all_rankers_see_the_same_data_sets_and_every_data_set_differs():
    """Seeds are those of the point, the number of the data set and random_state, of nothing else."""
    ours = problem_space(UnivariateAUC(), POINTS, n_datasets=3)
    theirs = problem_space(LogisticRegression(), POINTS, n_datasets=3)
    assert ours["seed"].equals(theirs["seed"])
    assert ours["seed"].n_unique() == 9
    other = problem_space(UnivariateAUC(), POINTS, n_datasets=3, random_state=1)
    assert not set(other["seed"]) & set(ours["seed"])


def test_what_is_on_disk_is_not_run_again(tmp_path):
    """A second call returns the same rows without a fit, and more data sets a point only add the new ones."""
    calls = []
    first = problem_space(CHEAP, POINTS, n_datasets=2, path=tmp_path)
    again = problem_space(CHEAP, POINTS, n_datasets=2, path=tmp_path, progress=lambda *at: calls.append(at))
    assert again.equals(first)
    assert calls == [(6, 6)]
    calls.clear()
    more = problem_space(CHEAP, POINTS, n_datasets=3, path=tmp_path, progress=lambda *at: calls.append(at))
    assert calls == [(6, 9), (7, 9), (8, 9), (9, 9)]
    assert timeless(more).equals(timeless(problem_space(CHEAP, POINTS, n_datasets=3)))
    assert [path.name for path in tmp_path.iterdir()] == ["results.parquet"]


def test_an_interrupted_run_keeps_its_rows_and_goes_on(tmp_path):
    """An exception in the middle loses nothing that was done; resumed equals uninterrupted."""

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        problem_space(CHEAP, POINTS, n_datasets=3, path=tmp_path, progress=stop)
    assert pl.read_parquet(tmp_path / "results.parquet").height == 4
    resumed = problem_space(CHEAP, POINTS, n_datasets=3, path=tmp_path)
    assert timeless(resumed).equals(timeless(problem_space(CHEAP, POINTS, n_datasets=3)))


KILLED = """
import os, signal, sys
from tamis import UnivariateAUC
from tamis.study.problem_space import problem_space

point = dict(n=30, d=12, r=3, concept="linear", redundant=False, label_noise=0.0, feature_noise=0.0)

def die(done, total):
    if done == 5:
        os.kill(os.getpid(), signal.SIGKILL)

problem_space(UnivariateAUC(), [point], n_datasets=8, path=sys.argv[1], progress=die)
"""


def test_a_killed_run_goes_on(tmp_path):
    """Killed without warning, the rows written stand, half-written files are ignored, and the rest is run."""
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, check=False)
    assert ended.returncode == -9, ended.stderr
    journal = (tmp_path / "unfinished.jsonl").read_text(encoding="utf-8")
    assert journal.count("\n") == 1 + 5
    (tmp_path / "unfinished.jsonl").write_text(journal + '{"n": 30, "d": 1', encoding="utf-8")
    (tmp_path / ".results.parquet.77.writing").write_bytes(b"half a file")
    calls = []
    resumed = problem_space(
        UnivariateAUC(), [point()], n_datasets=8, path=tmp_path, progress=lambda *at: calls.append(at)
    )
    assert calls[0] == (5, 8)
    assert [path.name for path in tmp_path.iterdir()] == ["results.parquet"]
    assert timeless(resumed).equals(timeless(problem_space(UnivariateAUC(), [point()], n_datasets=8)))


def test_results_of_other_code_or_parameters_are_not_gone_on_with(tmp_path, monkeypatch):
    """A folder holds results of one code and one ranker; a long parameter counts in full."""
    problem_space(CHEAP, [point()], n_datasets=1, path=tmp_path / "code")
    monkeypatch.setattr("tamis.study.problem_space.code", lambda: {"tamis": "another"})
    with pytest.raises(ValueError, match="holds results of code="):
        problem_space(CHEAP, [point()], n_datasets=2, path=tmp_path / "code")
    monkeypatch.undo()
    long = np.arange(12) >= 0
    masked = [
        UnivariateAUC(categorical_features=None if long is None else mask)
        for mask in (~long, ~long | (np.arange(12) == 6))
    ]
    problem_space(masked[0], [point()], n_datasets=1, path=tmp_path / "mask")
    with pytest.raises(ValueError, match="holds results of ranker"):
        problem_space(masked[1], [point()], n_datasets=2, path=tmp_path / "mask")


def test_rows_in_two_files_count_once(tmp_path, monkeypatch):
    """Killed between merging and clearing up, a row may be on disk twice; it is read once."""
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "remove", Journal.close)
        problem_space(UnivariateAUC(), [point()], n_datasets=3, path=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    again = problem_space(UnivariateAUC(), [point()], n_datasets=4, path=tmp_path)
    assert again.height == 4
    assert pl.read_parquet(tmp_path / "results.parquet").height == 4


def test_a_folder_of_another_run_is_refused(tmp_path):
    """Results of another ranker, other settings or another seed are not mixed, and the error names both."""
    problem_space(UnivariateAUC(), [point()], n_datasets=1, path=tmp_path)
    with pytest.raises(ValueError, match=r"holds results of ranker='UnivariateAUC\(\)'"):
        problem_space(UnivariateAUC(folded=True), [point()], n_datasets=1, path=tmp_path)
    with pytest.raises(ValueError, match="holds results of random_state=0, not of 1"):
        problem_space(UnivariateAUC(), [point()], n_datasets=1, path=tmp_path, random_state=1)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ValueError, match="is a file"):
        problem_space(UnivariateAUC(), [point()], path=file)


def test_points_that_are_none_are_refused():
    """Wrong keys, concepts and numbers, and the same point twice, are named errors before any work."""
    with pytest.raises(ValueError, match="wrong or missing keys: rows"):
        problem_space(UnivariateAUC(), [{**point(), "rows": 3}])
    with pytest.raises(ValueError, match="concept='cube'"):
        problem_space(UnivariateAUC(), [point(concept="cube")])
    with pytest.raises(ValueError, match="n_datasets=0"):
        problem_space(UnivariateAUC(), [point()], n_datasets=0)
    with pytest.raises(ValueError, match="more than once"):
        problem_space(UnivariateAUC(), [point(), point()])


def test_summary_gives_the_papers_figures():
    """p_b is a mean, p_w and the area are medians, one row a ranker and point, with standard errors of the means."""
    results = pl.concat([problem_space(one, POINTS, n_datasets=5) for one in (UnivariateAUC(), CHEAP)])
    table = summary(results)
    assert table.height == 6
    mine = results.filter(pl.col("ranker") == "UnivariateAUC()", pl.col("concept") == "ball")
    row = table.filter(pl.col("ranker") == "UnivariateAUC()", pl.col("concept") == "ball").to_dicts()[0]
    assert row["n_datasets"] == 5
    assert row["p_b"] == mine["p_b"].mean()
    assert row["auc"] == mine["auc"].median()
    assert row["auc_error"] == pytest.approx(np.std(mine["auc"].to_numpy(), ddof=1) / np.sqrt(5))
