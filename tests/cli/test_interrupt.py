"""Ctrl-C ends every command with one sentence and the exit code 130, wherever it comes."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from joblib import delayed

import tamis.__main__
import tamis.cli
from tamis._processes import in_parallel
from tamis.cli._interrupt import interrupted
from tests.command_line import run

TABLE = "a,b,kind\n" + "".join(f"{i % 7},{i * i % 5},{'xy'[i % 2]}\n" for i in range(40))
STAGES = {
    "rank, reading": ("tamis.table.reading.read.read", ["rank", "t.csv", "-m", "univariate-auc"]),
    "rank": ("tamis.UnivariateAUC.fit", ["rank", "t.csv", "-m", "univariate-auc"]),
    "rank, writing": ("tamis.table._write.write", ["rank", "t.csv", "-m", "univariate-auc", "-o", "o.csv"]),
    "select": ("tamis.UnivariateAUC.fit", ["select", "t.csv", "-m", "univariate-auc", "-o", "o.csv"]),
    "condense": ("tamis.EditedNN.fit", ["condense", "t.csv", "-m", "edited-nn", "-o", "o.csv"]),
    "condense, parts": ("tamis.EditedNN.fit", ["condense", "t.csv", "-m", "edited-nn", "--parts", "2"]),
    "compare": ("tamis.study.compare", ["compare", "t.csv", "-o", "out"]),
    "compare, writing": (
        "tamis.study._summary.summary",
        [
            "compare",
            "t.csv",
            "-m",
            "univariate-auc",
            "-c",
            "1-nn",
            "--folds",
            "2",
            "--repeats",
            "1",
            "-o",
            "out",
        ],
    ),
    "study": ("tamis.study.problem_space._judged", ["study", "problem-space", "-m", "bdsfs", "--rows", "50"]),
    "study, kept": (
        "tamis.study.problem_space._judged",
        ["study", "problem-space", "-m", "bdsfs", "--rows", "50", "-o", "out"],
    ),
    "reproduce": ("tamis.papers._rebuild.digests", ["reproduce", "psboost", "-o", "out"]),
    "demo": ("tamis.cli._fitting.fitted", ["demo"]),
    "datasets": ("tamis.datasets.describe", ["datasets"]),
    "methods": ("tamis.cli._screen.show_table", ["methods"]),
}


def pressed(*_, **__):
    raise KeyboardInterrupt


def failed(*_, **__):
    """As a library may that is interrupted."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise SystemError("returned a result with an exception set") from error


@pytest.mark.parametrize("how", [pressed, failed])
@pytest.mark.parametrize("name", STAGES)
def test_every_command_ends_with_130(tmp_path, monkeypatch, name, how):
    """Whatever is being done, Ctrl-C is one sentence on stderr, and what a library makes of it counts as the same."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    target, words = STAGES[name]
    monkeypatch.setattr(target, how)
    answer = run(*words)
    assert answer.exit_code == 130, answer.output
    lines = [line for line in answer.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1
    assert lines[0].startswith("tamis: interrupted; ")


def test_what_came_of_an_interruption_is_told_from_other_errors():
    """An error counts as Ctrl-C if that is among its causes."""
    with pytest.raises(SystemError) as caught:
        failed()
    assert interrupted(caught.value)
    assert interrupted(KeyboardInterrupt())
    assert not interrupted(ValueError("no"))
    assert not interrupted(None)


def test_the_first_moments_count(monkeypatch, capsys):
    """While the libraries load, and while the words are read, it is the same."""
    monkeypatch.setattr(tamis.cli, "main", pressed)
    with pytest.raises(SystemExit) as ended:
        tamis.__main__.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.startswith("tamis: interrupted; ")


BETWEEN_LINES = """
import os, signal, sys, threading
import numpy as np
from tamis import ROGER
from tamis.cli._interrupt import hear_ctrl_c

X = np.random.default_rng(0).normal(size=(300, 20))
y = X[:, 0] > 0
ROGER(n_evaluations=40, random_state=0).fit(X, y)  # is compiled
hear_ctrl_c()
started = threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
started.start()
try:
    while True:
        ROGER(n_evaluations=200_000, random_state=0).fit(X, y)
except KeyboardInterrupt:
    print("heard")
"""

DROPPED = """
import os, signal, time, weakref
from tamis.cli._interrupt import hear_ctrl_c

class Thing:
    pass

thing = Thing()
kept = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT) or time.sleep(5))
hear_ctrl_c()
try:
    del thing  # its callback is interrupted, and Python drops the error
    time.sleep(30)
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.parametrize(
    "script", [BETWEEN_LINES, DROPPED], ids=["in a compiled loop", "where errors are dropped"]
)
def test_it_is_heard_where_python_or_numba_would_fail(script, tmp_path):
    """Ctrl-C during a compiled loop ends neither in a crash nor in another error; one that was dropped comes again."""
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "heard\n"), done.stderr


def _hears_ctrl_c():
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no masks")
def test_workers_do_not_hear_it():
    """Processes that do work for this one leave Ctrl-C to it, which hears it as before."""
    assert list(in_parallel((delayed(_hears_ctrl_c)() for _ in range(4)), 2)) == [False] * 4
    assert _hears_ctrl_c()


def test_one_job_is_no_process():
    """Without other processes the calls are made here, in their order."""
    found = list(in_parallel((delayed(os.getpid)() for _ in range(2)), 1, ordered=True))
    assert found == [os.getpid()] * 2
    assert threading.current_thread() is threading.main_thread()
    assert np.array_equal(list(in_parallel((delayed(abs)(-k) for k in range(3)), None)), [0, 1, 2])
