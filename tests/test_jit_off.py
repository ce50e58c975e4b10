"""The kernels as plain Python: what they compute does not hang on the compiler, and bounds are checked by NumPy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Where kernels are tested; tests that compare with an oracle or a plain loop, for the first seeds only.
FOLDERS = [
    "tests/neighbors",
    "tests/stumps",
    "tests/votes",
    "tests/evolution",
    "tests/chains",
    "tests/pairs",
    "tests/features",
    "tests/prototypes",
]
CHOSEN = "(oracle or plain_loops or same_loss) and ([0 or [5 or [7)"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A fresh Python in which Numba compiles nothing."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TAMIS_"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**kept, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_switch_leaves_kernels_uncompiled() -> None:
    """With NUMBA_DISABLE_JIT a kernel is the function that was written."""
    answer = run("-c", "from tamis._jit import kernel\nplain = lambda x: x\nprint(kernel(plain) is plain)")
    assert answer.stdout.strip() == "True", answer.stderr


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="the whole run is without the compiler"
)
def test_kernels_pass_their_tests_without_the_compiler() -> None:
    """The first problems of every comparison with an oracle pass in plain Python."""
    folders = [folder for folder in FOLDERS if (ROOT / folder).is_dir()]
    answer = run("-m", "pytest", "-p", "no:xdist", "-k", CHOSEN, "--durations=5", *folders)
    assert answer.returncode == 0, answer.stdout[-4000:] + answer.stderr[-2000:]
    passed = re.search(r"(\d+) passed", answer.stdout)
    assert passed is not None
    assert int(passed[1]) >= len(folders), answer.stdout[-4000:]
