"""What the reader of every format returns, before columns and labels are checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl


@dataclass(frozen=True)
class RawTable:
    """Columns with their dtypes, and what the file itself says about them.

    Attributes
    ----------
    frame : polars.DataFrame
        All columns of the file.
    targets : tuple of str
        The columns that the file itself names as outputs.
    notes : tuple of str
        Sentences for the user.
    dates : frozenset of str
        Columns that the file declares as dates.
    description : str
        What the file says about its data.
    different : mapping of str to list of str
        The distinct texts of text columns, where reading has already found them.
    decimal_comma : bool or None
        Whether ``1,234`` means 1.234 rather than 1234 in this file; None if the format declares the kinds of its columns.
    """

    frame: pl.DataFrame
    targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    description: str = ""
    different: Mapping[str, list[str]] = field(default_factory=dict)
    decimal_comma: bool | None = None
