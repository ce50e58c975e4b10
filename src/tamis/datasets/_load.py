"""`load`, and the list of what it can load; libraries are loaded for a data set, not for the list."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from tamis.datasets._index import find, index

if TYPE_CHECKING:
    from tamis.datasets._entry import Entry
    from tamis.table._dataset import Dataset


def load(
    name: str, frame: Literal["polars", "pandas"] = "polars", *, download_if_missing: bool = True
) -> Dataset:
    """Return a data set by its name.

    Most data sets ship with the package or are generated. The others are looked for in the folder given by the environment
    variable TAMIS_DATA (name.csv, name.csv.gz or name.parquet, with the class in the last column), and then on OpenML,
    from which scikit-learn downloads them once. Nothing else ever uses the network.

    Parameters
    ----------
    name : str
        One of `names()`.
    frame : {"polars", "pandas"}, default="polars"
        The library of the frame `X`. "pandas" needs pandas, but not pyarrow.
    download_if_missing : bool, default=True
        Whether a data set that is neither in the package nor in the folder may be downloaded.

    Returns
    -------
    Dataset
        `X` has categorical columns as Enum (pandas: category), numbers as Int64 or Float64 and missing values as nulls. `y`
        holds the labels, integers or strings as in the source, or floats if the target is numeric. `description` gives source and licence. `notes` say what was
        changed, and how a file from outside differs from the data set known by this name.

    Notes
    -----
    The text of a shipped data set is checked by its sha256. A generated data set is made with the seed 0.

    Examples
    --------
    >>> from tamis import datasets
    >>> glass = datasets.load("glass2")
    >>> glass
    <Dataset 'glass2': 163 rows x 9 columns, target 'target', 2 classes>
    >>> glass.X.columns[:3]
    ['RI', 'Na', 'Mg']
    """
    entry = find(name)
    if frame not in ("polars", "pandas"):
        raise ValueError(f"load: frame={frame!r}. Use 'polars' or 'pandas'.")
    if frame == "pandas" and find_spec("pandas") is None:
        raise ImportError(
            "load: frame='pandas', but pandas is not installed. Install it, or use frame='polars'."
        )
    if entry.origin == "shipped":
        from tamis.datasets._files import shipped_dataset

        dataset = shipped_dataset(entry)
    elif entry.origin == "generated":
        from tamis.datasets._generated import makers

        dataset = replace(makers()[entry.name](), notes=entry.notes)
    else:
        dataset = _outside(entry, download_if_missing)
    if frame == "pandas":
        from tamis.datasets._frames import pandas_frame

        dataset = replace(dataset, X=pandas_frame(dataset.X))
    return dataset


def names(paper: str | None = None) -> tuple[str, ...]:
    """Return the names that `load` takes, in alphabetical order.

    Parameters
    ----------
    paper : {"fs2boost", "psboost", "sbsmf"} or None, default=None
        Only the data sets of one paper.

    Returns
    -------
    tuple of str
        All of them, or those of the paper.

    Examples
    --------
    >>> from tamis import datasets
    >>> datasets.names("sbsmf")
    ('dlbcl_shipp', 'ionosphere', 'kr_vs_kp', 'mushroom', 'musk1', 'spambase')
    """
    entries = index().values()
    papers = sorted({key for entry in entries for key in entry.papers})
    if paper is not None and paper not in papers:
        raise ValueError(
            f"names: paper={paper!r}. Use one of {', '.join(map(repr, papers))}, or None for all sets."
        )
    return tuple(entry.name for entry in entries if paper is None or paper in entry.papers)


def describe() -> tuple[Entry, ...]:
    """Return what is known about each data set without opening it, in alphabetical order.

    Returns
    -------
    tuple of Entry
        One for each name that `load` takes.

    Examples
    --------
    >>> from tamis import datasets
    >>> entry = datasets.describe()[3]
    >>> entry.name, entry.rows, entry.columns, len(entry.classes), entry.kinds, entry.missing, entry.where
    ('breast_w', 699, 9, 2, 'numeric', 16, 'in the package')
    """
    return tuple(index().values())


def _outside(entry: Entry, download_if_missing: bool) -> Dataset:
    from tamis.datasets._files import local_dataset, local_file

    path = local_file(entry)
    if path is not None:
        return local_dataset(entry, path)
    if entry.openml is None:
        raise _absent(entry, "OpenML is not known to have it")
    if not download_if_missing:
        raise _absent(entry, f"download_if_missing=False keeps OpenML {entry.openml['data_id']} out")
    from tamis.datasets._openml import openml_dataset

    try:
        return openml_dataset(entry)
    except ConnectionError as error:
        raise _absent(entry, f"OpenML {entry.openml['data_id']} cannot be downloaded ({error})") from None


def _absent(entry: Entry, reason: str) -> Exception:
    from tamis.datasets._files import ENDINGS, VARIABLE
    from tamis.table._dataset import TableError

    folder = os.environ.get(VARIABLE)
    if not folder:
        looked = f"{VARIABLE} is not set"
    elif not os.path.isdir(folder):
        looked = f"{VARIABLE}={folder} is not a folder"
    else:
        looked = (
            f"the folder {VARIABLE}={folder} has no {' or '.join(entry.name + ending for ending in ENDINGS)}"
        )
    return TableError(
        f"the data set {entry.name!r} does not ship with tamis, {looked}, and {reason}. "
        f"Get it ({entry.source}), write it as {entry.name}.csv with a header and the class in the last column, "
        f"and set {VARIABLE} to its folder."
    )
