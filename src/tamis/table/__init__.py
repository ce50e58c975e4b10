"""Any table (array, pandas, polars, pyarrow frame, file) in one validated form.

The only room that knows file formats and dtypes. Names are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.table._dataset import Dataset, TableError
    from tamis.table._table import Table
    from tamis.table._write import write
    from tamis.table.reading.read import read

_HOME = {
    "Dataset": "tamis.table._dataset",
    "Table": "tamis.table._table",
    "TableError": "tamis.table._dataset",
    "read": "tamis.table.reading.read",
    "write": "tamis.table._write",
}

__all__ = ["Dataset", "Table", "TableError", "read", "write"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis.table' has no attribute {name!r}")
