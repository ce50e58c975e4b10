"""What every format's reader gives to `read`, before columns and labels are checked."""

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
        The different texts of those columns of text where reading has shown them.
    decimal_comma : bool or None
        Whether ``1,234`` is rather 1.234 than 1234 in this file; None in files whose columns have kinds of their own.
    """

    frame: pl.DataFrame
    targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    description: str = ""
    different: Mapping[str, list[str]] = field(default_factory=dict)
    decimal_comma: bool | None = None
