"""What every format's reader gives to `read`, before columns and labels are checked."""

from dataclasses import dataclass

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
    """

    frame: pl.DataFrame
    targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()
    description: str = ""
