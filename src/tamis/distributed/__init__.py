"""Tables in parts on a Dask cluster. Nothing of Dask is loaded before it is needed."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["cluster_pieces", "dask_table"]


def cluster_pieces(table: Any) -> Any:
    """The parts of a table as the workers of the Dask client in use hold them; None if there is no client."""
    if "distributed" not in sys.modules:
        return None
    from tamis.distributed._dask import ClusterPieces, client_in_use

    client = client_in_use()
    return None if client is None else ClusterPieces(client, table)


def dask_table(who: str, X: Any, y: Any, sample_weight: Any) -> Any:
    """A Dask array or frame as a table in parts."""
    from tamis.distributed._collections import parted

    return parted(who, X, y, sample_weight)
