"""Compiled kernels on disk never outlive the files that they were made of."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tamis import _jit
from tamis._jit import compiling, kernel

CALLER = """
from tamis._jit import kernel
from other_kernels import give

@kernel
def ask():
    return give()
"""
CALLED = """
from tamis._jit import kernel

@kernel
def give():
    return {}
"""


@pytest.fixture(autouse=True)
def beside_the_source(monkeypatch):
    """Compiled code is kept beside its source, whatever folder the test run was given."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def answer(folder):
    """What the kernel says in a process of its own."""
    code = "import caller_kernels as c; print(c.ask())"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def test_an_edit_of_a_kernel_reaches_the_kernels_that_call_it(tmp_path):
    """A kernel is compiled anew when a kernel file that it imports has changed, though times and sizes have not."""
    (tmp_path / "caller_kernels.py").write_text(CALLER)
    other = tmp_path / "other_kernels.py"
    other.write_text(CALLED.format(1))
    made = other.stat()
    assert answer(tmp_path) == "1"
    assert answer(tmp_path) == "1"
    other.write_text(CALLED.format(2))
    os.utime(other, ns=(made.st_atime_ns, made.st_mtime_ns))
    assert answer(tmp_path) == "2"


def n_compiled(folder):
    """How many kernels a process of its own compiles when it calls `ask` and `alone`, and what they say."""
    code = """
import caller_kernels, alone_kernels
kernels = caller_kernels.ask, alone_kernels.alone
print(*(each() for each in kernels), sum(sum(each.stats.cache_misses.values()) for each in kernels))
"""
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return told.stdout.split()


def test_an_edit_of_a_kernel_compiles_only_what_imports_it(tmp_path):
    """Of two kernels in one folder, the one that imports the edited file through another is compiled anew, alone."""
    through = "from tamis._jit import kernel\nimport last_kernels as last\n\n@kernel\ndef give():\n    return last.give()\n"
    (tmp_path / "caller_kernels.py").write_text(CALLER)
    (tmp_path / "other_kernels.py").write_text(through)
    (tmp_path / "last_kernels.py").write_text(CALLED.format(1))
    (tmp_path / "alone_kernels.py").write_text(CALLED.format(7).replace("give", "alone"))
    assert n_compiled(tmp_path) == ["1", "7", "2"]
    assert n_compiled(tmp_path) == ["1", "7", "0"]
    (tmp_path / "last_kernels.py").write_text(CALLED.format(2))
    assert n_compiled(tmp_path) == ["2", "7", "1"]


def test_an_edit_of_the_votes_leaves_the_stumps_compiled():
    """No kernel file of the stumps imports one of the votes, so that none of them counts for their cache."""
    rooms = Path(_jit.__file__).parent
    stumps, votes = (set((rooms / room / "_kernels").glob("*.py")) for room in ("stumps", "votes"))
    assert len(_jit.kernel_files(rooms / "stumps" / "_kernels" / "rounds.py")) > 3
    assert votes
    assert not any(votes & _jit.kernel_files(file) for file in stumps)


def test_processes_that_compile_at_once_never_share_a_file(tmp_path):
    """Two that save code for different types, neither seeing the other's, give it different names."""
    (tmp_path / "twice_kernels.py").write_text(
        "from tamis._jit import kernel\n\n@kernel\ndef twice(x):\n    return x + x\n"
    )
    code = """
import twice_kernels
index = twice_kernels.twice._cache._cache_file
index._load_index = dict
twice_kernels.twice(1)
twice_kernels.twice(1.0)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert len(list(tmp_path.rglob("*.nbc"))) == 2


def test_kernels_are_kept_where_the_package_cannot_be_written_to(tmp_path):
    """Installed where nobody may write, kernels are compiled once and kept in the user's own folder."""
    package, home = tmp_path / "package", tmp_path / "home"
    package.mkdir()
    (package / "only_kernels.py").write_text(
        "from tamis._jit import kernel\n\n@kernel\ndef twice(x):\n    return x + x\n"
    )
    (package / "__pycache__").touch()  # a file: no folder can be made there, whoever asks
    code = """
import only_kernels
only_kernels.twice(1)
print(sum(only_kernels.twice.stats.cache_hits.values()))
"""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    given = {**kept, "HOME": str(home), "XDG_CACHE_HOME": str(home), "LOCALAPPDATA": str(home)}
    for hits in ("0", "1"):
        told = subprocess.run(
            [sys.executable, "-c", code], cwd=package, env=given, capture_output=True, text=True, check=True
        )
        assert told.stdout.strip() == hits
    assert list(home.rglob("*.nbc"))


@pytest.mark.parametrize("home", [True, False])
def test_an_image_that_was_compiled_ahead_is_read_where_it_cannot_be_written(tmp_path, home):
    """What was compiled beside its source is used by who cannot write there; other types are kept elsewhere, if anywhere."""
    package, user = tmp_path / "package", tmp_path / "home"
    package.mkdir()
    if home:
        user.mkdir()
    else:
        user.touch()  # a file: no folder can be made there
    (package / "only_kernels.py").write_text(
        "from tamis._jit import kernel\n\n@kernel\ndef twice(x):\n    return x + x\n"
    )
    code = """
import pathlib, sys, tempfile
written = tempfile.TemporaryFile
def refused(*words, dir=None, **options):
    if pathlib.Path(dir).is_relative_to(pathlib.Path.cwd()):
        raise PermissionError
    return written(*words, dir=dir, **options)
if sys.argv[1:]:
    tempfile.TemporaryFile = refused
import only_kernels
from tamis._jit import is_compiled, keeps_compiled_code
known = is_compiled(only_kernels.twice)
only_kernels.twice(1)
only_kernels.twice(1.0) if sys.argv[1:] else None
print(known, sum(only_kernels.twice.stats.cache_hits.values()))
"""
    given = {**os.environ, "HOME": str(user), "XDG_CACHE_HOME": str(user), "LOCALAPPDATA": str(user)}

    def told(*words):
        command = [sys.executable, "-c", code, *words]
        return subprocess.run(
            command, cwd=package, env=given, capture_output=True, text=True, check=True
        ).stdout

    assert told() == "False 0\n"
    ahead = sorted(package.rglob("*.nb*"))
    assert told("elsewhere") == "True 1\n"
    assert told("elsewhere") == ("True 2\n" if home else "True 1\n")
    assert sorted(package.rglob("*.nb*")) == ahead
    assert len(list(user.rglob("*.nbc"))) == home


def test_a_full_disk_does_not_end_a_kernel(tmp_path):
    """Where compiled code cannot be kept, the kernel runs all the same."""
    pytest.importorskip("resource")
    (tmp_path / "only_kernels.py").write_text(
        "from tamis._jit import kernel\n\n@kernel\ndef twice(x):\n    return x + x\n"
    )
    code = """
import resource, only_kernels
resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
print(only_kernels.twice(1))
"""
    told = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "2"
    assert not list(tmp_path.rglob("*.nbc"))


def test_checked_bounds_are_never_taken_from_code_without(tmp_path):
    """Code that was kept without checks is compiled anew where bounds are checked, and the other way round."""
    (tmp_path / "only_kernels.py").write_text(
        "from tamis._jit import kernel\n\n@kernel\ndef third(x):\n    return x[3]\n"
    )
    code = "import numpy, only_kernels; only_kernels.third(numpy.zeros(9)[:2])"
    for checked in ("0", "1", "0"):
        told = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_BOUNDSCHECK": checked},
            capture_output=True,
            text=True,
        )
        assert ("IndexError" in told.stderr) == (checked == "1")


def test_what_compiling_costs_is_counted():
    """Seconds grow when a kernel is compiled, those of kernels inside it once, and not when it is called again."""

    @kernel
    def inner(x):
        return x + 1

    @kernel
    def outer(x):
        return inner(x) * 2

    told = []
    before, start = compiling.seconds, time.perf_counter()
    compiling.told = told.append
    try:
        outer(1)
        outer(2)
    finally:
        compiling.told = None
    assert told == [True, False]
    assert 0 < compiling.seconds - before <= time.perf_counter() - start
