"""What a command does not need is not loaded: told by the modules of its process, not by time."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "polars", "narwhals", "sklearn", "scipy", "numba", "joblib", "pandas"}
SCRIPT = """
import sys
from tamis.cli import main

for line in sys.argv[1].splitlines():
    sys.argv = ["tamis", *line.split()]
    try:
        main()
    except SystemExit as ended:
        print("ENDED", ended.code, file=sys.stderr)
print("MODULES", *sys.modules)
"""


def loaded(lines, folder):
    """The modules that commands load, one command after the other, and what they say on stderr."""
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT, lines], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(answer.stdout.rpartition("MODULES")[2].split()), answer.stderr


def test_help_and_lists_load_no_library(tmp_path):
    """The lists of methods and data sets, and the help of a command, are words."""
    modules, said = loaded("methods\ndatasets\ndatasets ionosphere\nrank --help\n--help", tmp_path)
    assert said.count("ENDED 0") == 5
    assert not HEAVY & modules


def test_a_file_that_does_not_exist_is_reported_before_any_library_is_loaded(tmp_path):
    """Whatever the command and the method, with the name that was probably meant."""
    (tmp_path / "own.csv").write_text("a,kind\n1,x\n2,y\n")
    commands = ("rank", "select", "condense", "sift", "rank-rows", "compare own.csv")
    lines = [f"{command} owm.csv" for command in commands] + ["rank ionospher -m sbs-mf", "sift none/own.csv"]
    modules, said = loaded("\n".join(lines), tmp_path)
    assert said.count("tamis: no file owm.csv in this folder. Did you mean 'own.csv'?\nENDED 2") == len(
        commands
    )
    assert "no file and no data set 'ionospher'. Did you mean 'ionosphere'?" in said
    assert "no folder none, so no file own.csv in it." in said
    assert not HEAVY & modules


@pytest.mark.parametrize(
    ("method", "absent"),
    [
        ("univariate-auc", {"numba", "tamis.stumps", "tamis.neighbors", "tamis.study", "tamis.report"}),
        (
            "sbs-mf",
            {"tamis.pairs", "tamis.features.relieff", "tamis.neighbors", "tamis.study"},
        ),
    ],
)
def test_a_method_loads_its_own_engine_only(tmp_path, method, absent):
    """Ranking a file with one method loads neither the other engines nor reports and studies."""
    rows = "".join(f"{row % 7},{row * row % 11},{'xy'[row % 2]}\n" for row in range(40))
    (tmp_path / "own.csv").write_text(f"a,b,kind\n{rows}")
    modules, said = loaded(f"rank own.csv -m {method}", tmp_path)
    assert "ENDED 0" in said
    assert not absent & modules
