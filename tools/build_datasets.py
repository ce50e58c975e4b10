"""Rebuild the folder of data sets that ships with the package.

    python tools/build_datasets.py FOLDER [--to FOLDER]

FOLDER holds one `name.csv` or `name.csv.gz` for each table of `datasets.toml` beside this script: a header, gaps as
empty fields, the class in the last column, which is called `target`. The script counts rows, columns, classes and
gaps, takes the sha256 of the CSV text, and writes `index.json`, `README.md` (source and licence of each set) and one
`name.csv.gz` for each set that ships. A set that does not ship may be absent from FOLDER if the present index knows
it. The same input gives the same bytes (the date inside gzip is 0).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DEFAULT = HERE.parent / "src" / "tamis" / "datasets" / "data"

README = """# The data sets in this folder

Each set is one CSV file, compressed with gzip; `index.json` says what is in it. This page is written by
`tools/build_datasets.py`.

The data are not part of tamis and do not stand under its licence: each set keeps its own, named below.
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) is the licence that the
[UCI Machine Learning Repository](https://archive.ics.uci.edu) gives for the set. Changes made to all of them: written
as CSV with a header, the class (or the numeric target) last and called `target`, gaps as empty fields, and the codes of nominal columns that
look like numbers prefixed with `v`. Further changes are named with the set.

| name | title | rows | columns | source | copy taken from | licence |
| --- | --- | --- | --- | --- | --- | --- |
"""


def main() -> int:
    """Read the arguments, build the folder, and say what it weighs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder with the CSV files")
    parser.add_argument("--to", type=Path, default=DEFAULT, help="folder to write (default: the package's)")
    arguments = parser.parse_args()
    facts = tomllib.loads((HERE / "datasets.toml").read_text(encoding="utf-8"))
    index_file = arguments.to / "index.json"
    known = json.loads(index_file.read_text(encoding="utf-8")) if index_file.exists() else {}
    index: dict[str, dict[str, Any]] = {}
    files: dict[str, bytes] = {}
    try:
        for name in sorted(facts):
            fact = facts[name]
            content = csv_bytes(arguments.folder, fact.get("view_of", name))
            if content is not None and "view_of" in fact:
                content = viewed(content, fact["target"])
            if content is None and (fact.get("shipped", True) or name not in known):
                raise ValueError(f"no {name}.csv or {name}.csv.gz in {arguments.folder}")
            index[name] = entry(name, fact, content, known)
            if content is not None and index[name]["shipped"]:
                files[f"{name}.csv.gz"] = packed(content)
    except (OSError, ValueError) as error:
        print(f"build_datasets: {error}", file=sys.stderr)
        return 2
    arguments.to.mkdir(parents=True, exist_ok=True)
    for stale in arguments.to.glob("*.csv.gz"):
        if stale.name not in files:
            stale.unlink()
    for filename, blob in files.items():
        (arguments.to / filename).write_bytes(blob)
    index_file.write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (arguments.to / "README.md").write_text(readme(index), encoding="utf-8")
    print(f"{len(files)} sets, {sum(map(len, files.values())):,} bytes compressed")
    return 0


def csv_bytes(folder: Path, name: str) -> bytes | None:
    """Return the CSV text of a set as bytes, or None if the folder has no file for it."""
    plain, zipped = folder / f"{name}.csv", folder / f"{name}.csv.gz"
    if plain.exists():
        return plain.read_bytes()
    return gzip.decompress(zipped.read_bytes()) if zipped.exists() else None


def viewed(content: bytes, target: str) -> bytes:
    """Return a CSV text with another column as the target, without the one that was; rows that lack it are left out."""
    header, *rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    place = header.index(target)
    buffer = io.StringIO()
    lines = csv.writer(buffer, lineterminator="\n")
    for row in (header, *rows):
        if row[place]:
            last = "target" if row is header else row[place]
            lines.writerow([*row[:place], *row[place + 1 : -1], last])
    return buffer.getvalue().encode("utf-8")


def packed(content: bytes) -> bytes:
    """Return the bytes compressed with gzip, without a date and without a file name."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()


def entry(name: str, fact: dict[str, Any], content: bytes | None, known: dict[str, Any]) -> dict[str, Any]:
    """Return the index entry of one set: what was counted, then what was written by hand."""
    if content is None:
        counted = {
            key: known[name][key] for key in ("rows", "features", "classes", "nominal", "missing", "sha256")
        }
    else:
        counted = count(name, fact, content)
    written = {
        "informative": fact.get("informative", []),
        "shipped": fact.get("shipped", True),
        "target_kind": "numbers" if "view_of" in fact else "classes",
        "title": fact["title"],
        "about": fact["about"],
        "source": fact["source"],
        "copy": fact.get("copy", ""),
        "licence": fact["licence"],
        "papers": fact.get("papers", {}),
        "notes": fact.get("notes", []),
        "openml": fact.get("openml"),
    }
    return counted | written


def count(name: str, fact: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Count rows, columns, classes and gaps of a CSV text, and check it against what was written by hand."""
    header, *rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    columns = header[:-1]
    nominal = columns if fact.get("nominal") == ["*"] else fact.get("nominal", [])
    if header[-1] != "target":
        raise ValueError(f"{name}: the last column is {header[-1]!r}, it must be called 'target'")
    if len(set(header)) < len(header) or any(len(row) != len(header) for row in rows):
        raise ValueError(f"{name}: a column name occurs twice, or a row has not {len(header)} fields")
    strangers = set(nominal) | set(fact.get("informative", []))
    if not strangers <= set(columns):
        raise ValueError(f"{name}: no columns {sorted(strangers - set(columns))}")
    if any(row[-1] == "" for row in rows):
        raise ValueError(f"{name}: a row has no label")
    for position, column in enumerate(columns):
        if column not in nominal:
            for row in rows:
                if row[position]:
                    float(row[position])  # raises ValueError with the text in it
    numbers = "view_of" in fact
    if numbers:
        for row in rows:
            float(row[-1])
    return {
        "rows": len(rows),
        "features": len(columns),
        "classes": {} if numbers else dict(sorted(Counter(row[-1] for row in rows).items())),
        "nominal": nominal,
        "missing": sum(field == "" for row in rows for field in row[:-1]),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def readme(index: dict[str, dict[str, Any]]) -> str:
    """Return the page of sources and licences."""
    lines, remarks = [], []
    for name, one in index.items():
        if one["shipped"]:
            cells = (
                name,
                one["title"],
                one["rows"],
                one["features"],
                one["source"],
                one["copy"],
                one["licence"],
            )
            lines.append("| " + " | ".join(map(str, cells)) + " |\n")
            remarks += [f"- {name}: {note}\n" for note in one["notes"]]
    return README + "".join(lines) + "\n## Remarks\n" + "".join(remarks)


if __name__ == "__main__":
    sys.exit(main())
