"""Runs the long commands on disks that are full, read-only, or lose their files: one sentence each, and nothing half.

Run it from the repository, as root on Linux: ``python tools/bad_disks.py``. Every command runs in a mount of its own, a
file system in memory of so many kilobytes, or one that cannot be written to. A finding is a traceback, an end with 0
where nothing was written, an end without a sentence on stderr, and a file under a final name that is not whole.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
SETTINGS = ["--set", "n_estimators=2"]
COMMANDS = {
    "rank": ["rank", "IN/wide.csv", "-m", "univariate-auc", "-o", "out.csv"],
    "rank, with parts kept": ["rank", "ionosphere", "-m", "efr", *SETTINGS, "-o", "out.json"],
    "rank, with a report": ["rank", "ionosphere", "-m", "relieff", "--report", "page.html"],
    "rank in parts": ["rank", "IN/parts", "-m", "sbs-mf", "-o", "out.parquet"],
    "select": ["select", "ionosphere", "-m", "univariate-auc", "-o", "out.parquet"],
    "select to zipped CSV": ["select", "ionosphere", "-m", "univariate-auc", "-o", "out.csv.gz"],
    "select to feather": ["select", "ionosphere", "-m", "univariate-auc", "-o", "out.feather"],
    "select in parts": ["select", "IN/parts", "-m", "sbs-mf", "-o", "out.csv"],
    "select in parts to Parquet": ["select", "IN/parts", "-m", "sbs-mf", "-o", "out.parquet"],
    "condense": ["condense", "ionosphere", "-m", "edited-nn", "-o", "out.csv"],
    "condense, with a report": ["condense", "ionosphere", "-m", "edited-nn", "--report", "page.html"],
    "compare": ["compare", "ionosphere", "-m", "univariate-auc", "-c", "1-nn", "--repeats", "1", "-o", "out"],
    "compare, with a report": [
        *("compare", "ionosphere", "-m", "univariate-auc", "-c", "1-nn", "--repeats", "1"),
        *("--report", "page.html"),
    ],
    "reproduce": ["reproduce", "psboost", "--quick", "--repeats", "1", "--table", "1", "-o", "out"],
    "study": [
        *("study", "problem-space", "-m", "univariate-auc", "--columns", "100", "--rows", "50"),
        *("--relevant", "5", "--concept", "linear", "--datasets", "1", "-o", "out"),
    ],
    "study, with a picture": [
        *("study", "problem-space", "-m", "univariate-auc", "--columns", "100", "--rows", "50"),
        *("--relevant", "5", "--concept", "linear", "--datasets", "1", "--map", "map.png"),
    ],
}  # fmt: skip
DISKS = ("0k", "16k", "ro")


def make_inputs(folder: Path) -> None:
    """A wide table, and a folder of Parquet files."""
    import numpy as np

    random = np.random.default_rng(0)
    X = random.normal(size=(40, 4000)).round(2)
    pl.DataFrame(X).with_columns(label=X[:, 0] > 0).write_csv(folder / "wide.csv")
    (folder / "parts").mkdir()
    for number in range(2):
        X = random.normal(size=(4000, 6)).round(4)
        pl.DataFrame(X).with_columns(label=X[:, 0] > 0).write_parquet(folder / "parts" / f"{number}.parquet")


def ended(words: list[str], disk: str, inputs: Path) -> tuple[int, str, dict[str, bytes]]:
    """The exit code, what was said on stderr, and the files on the disk afterwards."""
    with tempfile.TemporaryDirectory() as place:
        options = "ro,size=64k" if disk == "ro" else f"size={'8k' if disk == '0k' else disk}"
        fill = f"head -c 100000 /dev/zero > {place}/full 2> /dev/null; " if disk == "0k" else ""
        command = [sys.executable, "-m", "tamis", *(word.replace("IN/", f"{inputs}/") for word in words)]
        code = (
            f"mount -t tmpfs -o {options} tmpfs {place} && {fill} cd {place} && "
            f'"$@"; code=$?; rm -f {place}/full; tar cf {place}.tar -C {place} . ; exit $code'
        )
        told = subprocess.run(  # noqa: S603
            ["unshare", "-m", "bash", "-c", code, "bash", *command],  # noqa: S607
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            check=False,
        )
        files: dict[str, bytes] = {}
        with tempfile.TemporaryDirectory() as unpacked:
            subprocess.run(["tar", "xf", f"{place}.tar", "-C", unpacked], check=True)  # noqa: S603, S607
            for path in sorted(Path(unpacked).rglob("*")):
                if path.is_file():
                    files[path.relative_to(unpacked).as_posix()] = path.read_bytes()
        Path(f"{place}.tar").unlink()
    return told.returncode, told.stderr, files


def whole(name: str, content: bytes) -> bool:
    """Whether a file can be read to its end."""
    import gzip
    import io

    try:
        if name.endswith(".parquet"):
            pl.read_parquet(io.BytesIO(content))
        elif name.endswith(".feather"):
            pl.read_ipc(io.BytesIO(content))
        elif name.endswith(".gz"):
            gzip.decompress(content)
        elif name.endswith(".html"):
            return content.rstrip().endswith(b"</html>")
        elif name.endswith(".png"):
            return content.endswith(b"IEND\xaeB`\x82")
        else:
            return content.endswith(b"\n")
    except Exception:
        return False
    return True


def findings(code: int, said: str, files: dict[str, bytes], plain: dict[str, bytes]) -> list[str]:
    """What must not be."""
    found = []
    lines = [line for line in said.splitlines() if not line.startswith("note: ")]
    if "Traceback" in said:
        found.append("a traceback: " + said.strip().splitlines()[-1][:200])
    sentences = [line for line in lines if line.startswith("tamis: ")]
    if code != 0 and len(sentences) != 1:
        found.append(f"{len(sentences)} sentences with code {code}: {said[-300:]!r}")
    if code == 0 and (missing := plain.keys() - files.keys()):
        found.append(f"ends with 0 without {sorted(missing)}")
    for name, content in files.items():
        if name in plain and not whole(name, content) and not name.endswith(".jsonl"):
            found.append(f"{name} is not whole: {len(content)} of {len(plain[name])} bytes")
        if name not in plain and not name.startswith(("out.json.unfinished/", "out/")):
            found.append(f"{name} was left")
    return found


def main() -> None:
    """Print one line a command and disk, and end with 1 if anything was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=COMMANDS)
    given = parser.parse_args()
    n_found = n_runs = 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        make_inputs(inputs)
        for name, words in COMMANDS.items():
            if given.only and name not in given.only:
                continue
            code, said, plain = ended(words, "64m", inputs)
            if code != 0:
                print(f"{name}: ends with {code} on a good disk: {said[-300:]}", flush=True)
                n_found += 1
                continue
            for disk in DISKS:
                code, said, files = ended(words, disk, inputs)
                found = findings(code, said, files, plain)
                n_runs, n_found = n_runs + 1, n_found + len(found)
                last = said.strip().splitlines()[-1:] or [""]
                print(f"{name}, {disk}: {code}, {last[0][:160]}", flush=True)
                for what in found:
                    print(f"    FOUND: {what}", flush=True)
    print(f"{n_runs} runs, {n_found} findings")
    sys.exit(n_found > 0)


if __name__ == "__main__":
    main()
