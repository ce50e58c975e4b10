"""From whatever a caller gives to the parts of a table, to be read by this process or by the workers of a Dask cluster.

Dask is imported only when it is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_regressor

from tamis._threads import threads
from tamis.table.parts.parted import PartedTable, is_dask

__all__ = ["LocalPieces", "Pieces", "kind_of_parts", "opened_parts"]


class Pieces(Protocol):
    """The parts of a table before they are coded, wherever they are."""

    table: PartedTable

    def labels(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(part, *arguments)`` of every part, where the function uses only labels and weights."""

    def each(
        self, function: Callable[..., Any], own: Sequence[tuple[Any, ...]], *arguments: Any
    ) -> list[Any]:
        """``function(part, *own, *arguments)`` of every part, with its entry of `own`."""


@dataclass
class LocalPieces:
    """Parts that this process reads, a few at a time."""

    table: PartedTable
    n_threads: int = 1

    def labels(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """As in `Pieces`."""
        return self.each(function, [()] * len(self.table.parts), *arguments)

    def each(
        self, function: Callable[..., Any], own: Sequence[tuple[Any, ...]], *arguments: Any
    ) -> list[Any]:
        """As in `Pieces`."""
        pairs = zip(self.table.parts, own)
        if self.n_threads == 1:
            return [function(part, *each, *arguments) for part, each in pairs]
        with ThreadPoolExecutor(self.n_threads) as pool:
            waiting = [pool.submit(function, part, *each, *arguments) for part, each in pairs]
            try:
                return [future.result() for future in waiting]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def opened_parts(estimator: Any, X: Any, y: Any, sample_weight: Any, n_jobs: int | None = None) -> Pieces:
    """The parts of a table, to be read by this process, or by the workers of a Dask cluster if there is a client.

    Parameters
    ----------
    estimator : estimator
        The estimator that asks; its class name appears in error messages.
    X : str, path-like, PartedTable or Dask collection
        A folder of Parquet files, a pattern of file names, or a file; or a Dask array or frame.
    y : str or Dask collection
        The column of labels in the files (the last one if None); or the labels.
    sample_weight : str, Dask collection or None
        The column of weights in the files; or the weights.
    n_jobs : int, optional
        The number of threads that read.

    Returns
    -------
    Pieces
        The parts, not yet read.
    """
    who = type(estimator).__name__
    if is_dask(X):
        from tamis.table.parts.dask_collections import parted

        table = parted(who, X, y, sample_weight)
    elif isinstance(X, PartedTable):
        table = X
    else:
        if not isinstance(y, str | None) or not isinstance(sample_weight, str | None):
            raise TypeError(
                f"{who}: X names files, so y and sample_weight must name columns of them, as texts, or be None."
            )
        from tamis.table.parts.parquet import parquet_table

        table = parquet_table(X, y, weight=sample_weight)
    if table.opened is not None:
        opened: Pieces = table.opened
        return opened
    on_cluster = _on_cluster_of(estimator, table)
    pieces = LocalPieces(table, threads(n_jobs)) if on_cluster is None else on_cluster
    if table.source is not None:
        _judge_files(estimator, pieces)
    return pieces


def _on_cluster_of(estimator: Any, table: PartedTable) -> Pieces | None:
    """The parts on the estimator's cluster, or on that of the current Dask client; None if there is neither."""
    client = getattr(estimator, "client", None)
    if client is None:
        found: Pieces | None = cluster_pieces(table)
        return found
    from tamis.table.parts.cluster import ClusterPieces

    return ClusterPieces(client, table)


def kind_of_parts(estimator: Any, pieces: Pieces) -> str:
    """What the target of a table in parts holds, "classes" or "numbers": what the estimator was told, or a look at it."""
    from tamis.table.parts.passes import Reading, look_at_kind, merged_kind

    told: str = estimator.target_kind
    if told != "auto":
        return told
    return merged_kind(
        pieces.labels(look_at_kind, Reading(estimator, np.zeros(pieces.table.n_columns, dtype=bool)))
    )


def cluster_pieces(table: PartedTable) -> Any:
    """The parts of a table on the workers of the current Dask client; None if there is no client."""
    if "distributed" not in sys.modules:
        return None
    from tamis.table.parts.cluster import ClusterPieces, client_in_use

    client = client_in_use()
    return None if client is None else ClusterPieces(client, table)


def _judge_files(estimator: Any, pieces: Pieces) -> None:
    """Give the errors and notes that the same table in one file would give."""
    from tamis.table.parts.parquet_part import judged_parts, part_facts

    table = pieces.table
    named = getattr(estimator, "categorical_features", None)
    nominal = (
        frozenset() if isinstance(named, str | None) else frozenset(map(str, np.asarray(named).tolist()))
    )
    facts = pieces.each(part_facts, [()] * len(table.parts))
    kind = getattr(estimator, "target_kind", "numbers" if is_regressor(estimator) else "classes")
    table.notes[:] = judged_parts(facts, table.parts[0].rules, nominal, kind)
