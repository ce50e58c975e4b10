"""What lies in the current folder is data: nothing of it is run, by the command line or by processes that it starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tamis

HOME = Path(tamis.__file__).parent.parent
LIBRARIES = (
    "tamis",
    "joblib",
    "cloudpickle",
    "numpy",
    "sklearn",
    "polars",
    "numba",
    "dask",
    "distributed",
    "tornado",
)
TABLE = "x,y,z,kind\n" + "".join(f"{i % 7},{i % 5},{i * i % 11},{'ab'[i % 2]}\n" for i in range(60))
QUICK = ["-m", "univariate-auc", "-c", "1-nn", "--folds", "2", "--repeats", "1"]
COMMANDS = {
    "folds against the clock": ["compare", "t.csv", *QUICK, "--budget", "60s", "-j", "1"],
    "folds by joblib": ["compare", "t.csv", *QUICK, "-j", "2"],
    "parts by joblib": ["condense", "t.csv", "-m", "edited-nn", "--parts", "2", "-j", "2"],
    "a cluster": ["rank", "t.csv", "-m", "univariate-auc", "--cluster", "local:1"],
}


@pytest.fixture
def trap(tmp_path):
    """A folder with a table, and modules of well-known names that leave a file when they are run."""
    folder = tmp_path / "trap"
    folder.mkdir()
    (folder / "t.csv").write_text(TABLE)
    names = [name for name in sys.stdlib_module_names if not name.startswith("_")]
    for name in (*names, *LIBRARIES):
        (folder / f"{name}.py").write_text(f"import sys\nopen('ran-{name}', 'w').close()\n")
    return folder


def started(folder, *words, module=False):
    """The command as a user starts it: by the script that an installer makes, or by ``python -m``."""
    script = folder.parent / "tamis-script.py"
    script.write_text(
        "import sys\nfrom tamis.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
    )
    how = ["-m", "tamis"] if module else [str(script)]
    own = {**os.environ, "PYTHONPATH": str(HOME), "TMPDIR": str(folder.parent)}
    own.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(
        [sys.executable, *how, *words], cwd=folder, env=own, capture_output=True, text=True, timeout=300
    )
    return done, sorted(path.name for path in folder.glob("ran-*"))


@pytest.mark.parametrize("name", COMMANDS)
def test_no_process_runs_what_lies_here(trap, name):
    """Modules of the current folder stand in for none of Python's or ours, in workers of any kind."""
    if "cluster" in name:
        pytest.importorskip("distributed")
    done, ran = started(trap, *COMMANDS[name])
    assert ran == []
    assert done.returncode == 0, done.stderr


def test_python_m_runs_no_other_module(trap):
    """``python -m tamis`` leaves the current folder out of the search path before it loads anything."""
    for path in trap.glob("*.py"):  # python -m itself needs tamis and some modules, to find what it runs
        if path.stem not in ("inspect", "typing", "pickle", "struct", "json", *LIBRARIES[1:]):
            path.unlink()
    done, ran = started(trap, *COMMANDS["folds against the clock"], module=True)
    assert ran == []
    assert done.returncode == 0, done.stderr


def test_numba_loads_no_code_from_a_folder_that_is_named_here(trap):
    """A .numba_config.yaml of the current folder does not say where compiled code is loaded from."""
    pytest.importorskip("yaml")
    (trap / ".numba_config.yaml").write_text("cache_dir: elsewhere\n")
    done, ran = started(trap, "rank", "t.csv", "-m", "sbs-mf", "--set", "n_rounds=2")
    assert done.returncode == 0, done.stderr
    assert ran == []
    assert not (trap / "elsewhere").exists()
