"""The result of reading a table: a `Dataset`, or a `TableError` that says why it cannot be used.

No library is loaded here, so that the command line can raise a `TableError` at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl


class TableError(ValueError):
    """A table cannot be used as it is; the message says what was found and what to do.

    Parameters
    ----------
    message : str
        One or two sentences. They begin with ``tamis: ``, which is added where it is missing.
    """

    def __init__(self, message: str) -> None:
        prefix = "" if message.startswith("tamis: ") else "tamis: "
        super().__init__(prefix + message)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of features with the labels of its rows.

    Attributes
    ----------
    name : str
        The file's name without its endings, or the name of a shipped data set.
    X : polars.DataFrame
        The features. Numeric columns are integers or floats; categorical columns are Categorical, Enum, String
        or Boolean. A missing value is a null in every kind of column, never a NaN.
    y : numpy.ndarray of shape (n_rows,)
        The labels: strings for text, and numbers or booleans as they are. Floats for a numeric target.
    target : str
        The name of the column that `y` comes from.
    notes : tuple of str
        Sentences for the user about what was found and how it was read.
    description : str
        What the data are and where they come from, where that is known.
    informative : tuple of str
        The columns known to decide the labels, where that is known.
    target_kind : {"classes", "numbers"}
        What `y` holds.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> Dataset("coins", pl.DataFrame({"weight": [2.5, 5.0]}), np.array(["dime", "nickel"]), "coin", ())
    <Dataset 'coins': 2 rows x 1 columns, target 'coin', 2 classes>
    """

    name: str
    X: pl.DataFrame
    y: npt.NDArray[Any]
    target: str
    notes: tuple[str, ...] = ()
    description: str = ""
    informative: tuple[str, ...] = ()
    target_kind: str = "classes"

    def __repr__(self) -> str:
        import numpy as np

        different = f"{len(np.unique(self.y))} classes" if self.target_kind == "classes" else "numbers"
        return (
            f"<Dataset {self.name!r}: {self.X.shape[0]} rows x {self.X.shape[1]} columns, "
            f"target {self.target!r}, {different}>"
        )
