"""The maintainers' script that writes the shipped folder."""

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tamis.datasets as module

DATA = Path(module.__file__).parent / "data"
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "build_datasets.py"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the maintainers' tools are not in this copy")


@pytest.fixture
def texts(tmp_path):
    """A folder of plain CSV files, as the script wants it."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for path in DATA.glob("*.csv.gz"):
        (folder / path.name.removesuffix(".gz")).write_bytes(gzip.decompress(path.read_bytes()))
    return folder


def build(texts, to):
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(texts), "--to", str(to)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_script_rebuilds_the_shipped_folder(texts, tmp_path):
    """From the CSV texts it writes the same index, licence page and files; files of dropped sets go."""
    to = tmp_path / "to"
    to.mkdir()
    shutil.copy(DATA / "index.json", to)  # knows the sets that do not ship
    (to / "dropped.csv.gz").write_bytes(b"")
    done = build(texts, to)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in to.iterdir()) == sorted(path.name for path in DATA.iterdir())
    for name in ("index.json", "README.md"):
        assert (to / name).read_bytes() == (DATA / name).read_bytes()
    index = json.loads((to / "index.json").read_text(encoding="utf-8"))
    for path in to.glob("*.csv.gz"):
        assert path.read_bytes()[4:8] == bytes(4)  # the date inside gzip
        text = gzip.decompress(path.read_bytes())
        assert hashlib.sha256(text).hexdigest() == index[path.name.removesuffix(".csv.gz")]["sha256"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("glass2", None, "no glass2.csv or glass2.csv.gz"),
        ("glass2", "a,class\n1,x\n", "the last column is 'class', it must be called 'target'"),
        ("glass2", "a,target\n1,\n", "a row has no label"),
        ("glass2", "a,target\n1\n", "a row has not 2 fields"),
        ("german", "a,target\n1,x\n", "german: no columns"),
    ],
)
def test_the_script_refuses_bad_texts_before_it_writes(texts, tmp_path, name, text, message):
    """A missing or malformed text is named, the exit code is 2, and the folder is left alone."""
    path = texts / f"{name}.csv"
    path.unlink()
    if text is not None:
        path.write_text(text)
    to = tmp_path / "to"
    to.mkdir()
    shutil.copy(DATA / "index.json", to)
    done = build(texts, to)
    assert done.returncode == 2
    assert message in done.stderr
    assert [entry.name for entry in to.iterdir()] == ["index.json"]
