"""Every data set by its name: those in index.json and the generated ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from tamis.datasets._entry import Entry
from tamis.datasets._generated import GENERATED


@lru_cache(maxsize=1)
def index() -> Mapping[str, Entry]:
    """Return every data set by its name, in the order of the names."""
    text = (files("tamis.datasets") / "data" / "index.json").read_text(encoding="utf-8")
    entries = [_entry(name, one) for name, one in json.loads(text).items()]
    return MappingProxyType(
        {entry.name: entry for entry in sorted([*entries, *GENERATED], key=lambda e: e.name)}
    )


def _entry(name: str, one: Mapping[str, Any]) -> Entry:
    return Entry(
        name=name,
        origin="shipped" if one["shipped"] else "elsewhere",
        rows=one["rows"],
        columns=one["features"],
        classes=tuple(one["classes"]),
        title=one["title"],
        nominal=tuple(one["nominal"]),
        informative=tuple(one["informative"]),
        missing=one["missing"],
        about=one["about"],
        source=one["source"],
        licence=one["licence"],
        papers=MappingProxyType(one["papers"]),
        notes=tuple(one["notes"]),
        class_counts=tuple(one["classes"].values()),
        sha256=one["sha256"],
        openml=one["openml"],
        target_kind=one["target_kind"],
    )


def find(name: object) -> Entry:
    """Return the entry of the name, or raise a `TableError` with the name that was probably meant."""
    known = index()
    if isinstance(name, str) and name in known:
        return known[name]
    from tamis.table._dataset import TableError
    from tamis.table._names import did_you_mean, listed

    if not isinstance(name, str):
        raise TypeError(
            f"load: name is of type {type(name).__name__}, not a string. Use one of datasets.names()."
        )
    raise TableError(
        f"no data set {name[:80]!r}.{did_you_mean(name[:80], known)} Data sets: {listed(list(known), len(known))}."
    )
