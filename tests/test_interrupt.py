"""Ctrl-C ends every command with one sentence and the exit code 130, wherever it comes."""

import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import delayed

import tamis.__main__
import tamis.cli
from tamis._interrupt import interrupted
from tamis._jit import compiling
from tamis._processes import in_parallel
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
    lines = [line for line in answer.stderr.splitlines() if not line.startswith(("note: ", "comparing on"))]
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


def test_ctrl_c_dropped_in_a_callback_is_raised_when_compiling_ends():
    """Where Python can only drop it; what else is dropped is told as ever, and the error that came of it gives way."""

    def started():
        return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=started)})

    told = []
    before, sys.unraisablehook = sys.unraisablehook, told.append
    try:
        for raised, expected in ((KeyboardInterrupt, KeyboardInterrupt), (ZeroDivisionError, None)):

            def callback(error=raised):
                raise error

            compiling.on_start(started())
            ctypes.CFUNCTYPE(None)(callback)()
            with pytest.raises(expected) if expected else nullcontext():
                compiling.on_end(started())
            assert sys.unraisablehook == told.append
    finally:
        sys.unraisablehook = before
    assert [one.exc_type for one in told] == [ZeroDivisionError]


def test_the_first_moments_count(monkeypatch, capsys):
    """While the libraries load, and while the words are read, it is the same."""
    monkeypatch.setattr(tamis._interrupt, "hear_ctrl_c", lambda: None)
    monkeypatch.setattr(tamis.cli, "main", pressed)
    with pytest.raises(SystemExit) as ended:
        tamis.__main__.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.startswith("tamis: interrupted; ")


IN_A_LOOP = """
import os, signal, threading
import numpy as np
from tamis import ROGER
from tamis._interrupt import hear_ctrl_c, promising

X = np.random.default_rng(0).normal(size=(300, 20))
y = X[:, 0] > 0
ROGER(n_evaluations=40, random_state=0).fit(X, y)  # is compiled
hear_ctrl_c()
print("printed before")
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
with promising(lambda: "again."), promising(lambda: ""):
    while True:
        ROGER(n_evaluations=200_000, random_state=0).fit(X, y)
"""

DROPPED = """
import os, signal, time, weakref
from tamis._interrupt import hear_ctrl_c, promising

class Thing:
    pass

thing = Thing()
kept = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT) or time.sleep(5))
hear_ctrl_c()
print("printed before")
with promising(lambda: "again."):
    del thing  # Python would drop an error that its callback raises
    time.sleep(30)
"""

WITH_OTHERS = """
import os, pathlib, signal, sys, threading, time
from joblib import delayed
from tamis._files import written
from tamis._interrupt import hear_ctrl_c, promising
from tamis._interrupt import interrupted
from tamis._processes import in_parallel

def long(k):
    pathlib.Path(sys.argv[1], f"{k}.pid").write_text(str(os.getpid()))
    time.sleep(60)

def press():
    while sum(bool(file.read_text()) for file in pathlib.Path(sys.argv[1]).glob("*.pid")) < 2:
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

hear_ctrl_c()
print("printed before")
threading.Thread(target=press, daemon=True).start()
with promising(lambda: "again."), written(pathlib.Path(sys.argv[1], "whole.txt")):
    list(in_parallel((delayed(long)(k) for k in range(2)), 2))
"""


@pytest.mark.parametrize("script", [IN_A_LOOP, DROPPED, WITH_OTHERS], ids=["loop", "dropped", "processes"])
def test_it_ends_the_process_wherever_it_comes(script, tmp_path):
    """In a compiled loop, where Python drops errors, and with other processes at work: one sentence, 130, nothing left."""
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (130, "printed before\n"), done.stderr
    assert done.stderr == "tamis: interrupted; again.\n"
    assert not list(tmp_path.glob(".*"))
    for file in tmp_path.glob("*.pid"):
        assert _is_gone(int(file.read_text()))


def _is_gone(pid):
    """Whether a process ends soon."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if (
            pathlib.Path(f"/proc/{pid}/stat").exists()
            and " Z " in pathlib.Path(f"/proc/{pid}/stat").read_text()
        ):
            return True
        time.sleep(0.05)
    return False


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
