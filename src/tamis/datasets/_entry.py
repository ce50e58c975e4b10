"""What is known about a data set without opening it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Origin = Literal["shipped", "generated", "elsewhere"]


@dataclass(frozen=True)
class Entry:
    """One line of the list of data sets.

    Attributes
    ----------
    name : str
        The name that `load` takes.
    origin : {"shipped", "generated", "elsewhere"}
        Whether the set is inside the package, made by a generator, or has to be found outside.
    rows, columns : int
        Size of the table, the labels not counted.
    classes : tuple of str
        The labels; empty if the target is numeric.
    nominal, informative : tuple of str
        The categorical columns; the columns known to decide the class, where that is known.
    missing : int
        Number of missing values.
    title, about, source, licence : str
        What the data are, and where they come from.
    papers : mapping of str to str
        The papers that use the set (fs2boost, psboost, sbsmf), and their names for it.
    notes : tuple of str
        What a user should know.
    class_counts : tuple of int
        Rows of each class; empty for a generated set, and if the target is numeric.
    sha256 : str
        Of the CSV text; empty for a generated set.
    openml : mapping or None
        Where OpenML has the set: data_id, name, version, and how its columns differ.
    target_kind : {"classes", "numbers"}
        What the target holds.
    """

    name: str
    origin: Origin
    rows: int
    columns: int
    classes: tuple[str, ...]
    title: str
    nominal: tuple[str, ...] = ()
    informative: tuple[str, ...] = ()
    missing: int = 0
    about: str = ""
    source: str = ""
    licence: str = ""
    papers: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    class_counts: tuple[int, ...] = ()
    sha256: str = ""
    openml: Mapping[str, Any] | None = None
    target_kind: Literal["classes", "numbers"] = "classes"

    @property
    def kinds(self) -> str:
        """The kinds of columns in words: numeric, categorical or mixed."""
        if not self.nominal:
            return "numeric"
        return "categorical" if len(self.nominal) == self.columns else "mixed"

    @property
    def where(self) -> str:
        """Where `load` finds the set, in words."""
        if self.origin == "shipped":
            return "in the package"
        if self.origin == "generated":
            return "generated"
        return "TAMIS_DATA" if self.openml is None else f"TAMIS_DATA or OpenML {self.openml['data_id']}"

    @property
    def description(self) -> str:
        """What the data are, their source and their licence."""
        parts = [f"{self.title}. {self.about}"]
        if self.source:
            parts.append(f"Source: {self.source}. Licence: {self.licence}.")
        return " ".join(parts)
