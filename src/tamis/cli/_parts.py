"""Tables in several Parquet files, which are read in parts, and Dask clusters."""

from __future__ import annotations

import contextlib
import glob
import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tamis._files import outlet, written
from tamis.cli._fitting import fitted_as
from tamis.cli._part_columns import left_out_of_files
from tamis.cli._reading import Request, read_dataset, split_names
from tamis.cli._screen import note, say, working
from tamis.cli._sentences import UserError, said
from tamis.table.parts.stores import is_in_store

if TYPE_CHECKING:
    import polars as pl
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.table._dataset import Dataset
    from tamis.table.parts.parted import PartedTable

HERE = "127.0.0.1"  # a local cluster cannot be reached from other machines
WORKER = "distributed.nanny.pre-spawn-environ."
CLUSTER = {
    "distributed.deploy.lost-worker-timeout": "120s",  # a busy machine restarts a worker slowly
    # Dask lets workers return memory at once; they ask for as much again with the next column.
    WORKER + "MALLOC_TRIM_THRESHOLD_": 1 << 30,
    WORKER + "MALLOC_MMAP_THRESHOLD_": 1 << 30,
}


def in_parts(files: list[str]) -> bool:
    """Whether FILE is a folder, a pattern of names, several files, or something in an object store."""
    (first, *others) = files
    if others or is_in_store(first):
        return True
    return os.path.isdir(first) or (glob.has_magic(first) and not os.path.lexists(first))


def parted_table(files: list[str], request: Request, *, columns: bool) -> PartedTable:
    """The table that the files make up, not yet read, for a method that sifts `columns`; options that need one file are refused."""
    from tamis.table._dataset import TableError
    from tamis.table.parts.parquet import parquet_files, parquet_table

    if request.encoding:
        raise UserError("Parquet files have no --encoding. Leave it out.")
    for option in ("drop_unusable", "no_header", "transpose"):
        if getattr(request, option):
            raise UserError(
                f"a table in parts has no --{option.replace('_', '-')}. Leave it out, or name one file."
            )
    try:
        paths = parquet_files(files[0]) if len(files) == 1 else files
        for file in paths:
            if not file.lower().endswith(".parquet"):
                raise UserError(
                    f"{Path(file).name} is not a Parquet file. Tables in several files must be Parquet."
                )
        nominal, numeric = split_names(request.nominal), split_names(request.numeric)
        dropped = split_names(request.drop)
        opened = partial(
            parquet_table,
            paths,
            nominal=nominal,
            numeric=numeric,
            missing_values=split_names(request.missing_values),
            drop_unlabelled=request.drop_unlabelled,
            max_unpacked=request.max_unpacked,
        )
        table = opened(target=request.target, drop=dropped)
        read = partial(_feature_columns, table)
        left_out = left_out_of_files(dict(table.example.schema), read, {*nominal, *numeric}, codes=columns)
        if left_out:
            table = opened(target=table.target, drop=[*dropped, *left_out])
    except TableError as error:
        raise UserError(said(error)) from error
    table = replace(table, target_kind=_kind_of_target(table, request))
    if request.target is None:
        note(f"took the last column, {table.target!r}, as the target; --target names another.")
    return table


def _kind_of_target(table: PartedTable, request: Request) -> str:
    """What the target of the files holds, "classes" or "numbers", by the rules of one file; a note says so."""
    from tamis.table._dataset import TableError
    from tamis.table._kinds import TARGET_KINDS
    from tamis.table.reading.labels import numbers_of

    kind, target = request.target_kind, str(table.target)
    if kind is not None and kind not in TARGET_KINDS:
        raise UserError(f"the kind of the target is {kind!r}. Use one of {', '.join(TARGET_KINDS)}.")
    if kind in (None, "classes") or (kind == "auto" and target in split_names(request.nominal)):
        return "classes"
    labels = _feature_columns(table, []).collect()[target].drop_nulls()
    try:
        numbers, notes = numbers_of(labels, str(table.source), str(kind))
    except TableError as error:
        raise UserError(said(error)) from error
    for sentence in notes:
        note(sentence)
    return "classes" if numbers is None else "numbers"


def opened_table(
    files: list[str], request: Request, method: Method, *, keep: Iterable[str | None] = ()
) -> Dataset | PartedTable:
    """The table that FILE names: read if it is one file, otherwise a `PartedTable` that is read later."""
    columns = method.sifts == "columns"
    if in_parts(files):
        return parted_table(files, request, columns=columns)
    return read_dataset(request, without_codes=columns, keep=keep)


def fitted_table(
    estimator: BaseEstimator,
    method: Method,
    table: Dataset | PartedTable,
    groups: Any = None,
    weights: Any = None,
) -> Any:
    """The estimator, fitted, with the groups of the rows if it takes them, and their weights; a table that it refuses becomes a `UserError`."""
    from sklearn.utils.validation import has_fit_parameter

    from tamis.table.parts.parted import PartedTable

    if not isinstance(table, PartedTable):
        together = groups if has_fit_parameter(estimator, "groups") else None
        return fitted_as(method.name, estimator, table, together, weights)
    n_rows = sum(part.n_rows for part in table.parts)
    with in_files(f"{method.name} on {n_rows} rows x {table.n_columns} columns, in parts", table):
        return estimator.fit(table, None)


@contextlib.contextmanager
def in_files(what: str, table: PartedTable) -> Iterator[None]:
    """Run the block on a table in parts: a refusal or lost workers become a `UserError`; notes are printed."""
    try:
        with working(what):
            yield
    except (ValueError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and type(error).__name__ != "LostWorkersError":
            raise
        raise UserError(said(error)) from error
    for sentence in table.notes:
        note(sentence)


def outline(files: list[str], table: Dataset | PartedTable, selector: BaseEstimator) -> Dataset:
    """The table; for a table in parts, a data set without rows that has its columns and classes."""
    import numpy as np

    from tamis.table._dataset import Dataset

    if isinstance(table, Dataset):
        return table
    first = Path(files[0])
    whole = is_in_store(files[0]) or first.is_dir()
    name = first.name if len(files) == 1 and whole else first.resolve().parent.name
    labels = getattr(selector, "classes_", np.empty(0))
    return Dataset(name, table.example, labels, str(table.target), target_kind=table.target_kind)


def condensed_parts(
    estimator: BaseEstimator,
    method: Method,
    dataset: Dataset,
    n_parts: int,
    jobs: int | None,
    seed: int | None,
) -> Any:
    """The rows that the method keeps when the table is cut into `n_parts` parts, as `CondensedParts`."""
    from tamis.prototypes.in_parts import condense_parts

    try:
        with working(f"{method.name} on {n_parts} parts of {dataset.X.height} rows"):
            return condense_parts(
                estimator, dataset.X, dataset.y, n_parts=n_parts, n_jobs=jobs, random_state=seed or 0
            )
    except ValueError as error:
        raise UserError(said(error)) from error


def check_no_parts(parts: int | None, page: Path | None) -> None:
    """Refuse ``--parts`` and ``--report``, which do not work on a table in several files."""
    if parts is not None or page is not None:
        option = "--parts" if page is None else "--report"
        raise UserError(f"a table in files already lies in parts, and has no {option}. Leave it out.")


def condensed_files(estimator: BaseEstimator, method: Method, table: PartedTable) -> pl.DataFrame:
    """The rows that the method keeps of a table in several files, with the target."""
    import polars as pl

    from tamis.prototypes.in_parts import condense_parts

    with in_files(f"{method.name} on {len(table.parts)} parts", table):
        condensed = condense_parts(estimator, table, None)
    say(f"{method.name} keeps {len(condensed.y_)} of {condensed.n_rows_} rows")
    rows: pl.DataFrame = condensed.X_.with_columns(pl.Series(str(table.target), condensed.y_))
    return rows


def check_streamed_output(path: Path | None) -> None:
    """Refuse an output that the columns of a table in parts cannot be written to, before any work starts."""
    if path is None:
        raise UserError("the kept columns of a table in parts go to a file. Name one with --output.")
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise UserError("a table in parts is written as .parquet or .csv. Name such a file with --output.")


def write_columns(
    table: PartedTable, names: list[str], path: Path | None, *, force: bool, raw_names: bool
) -> None:
    """Write some columns of a table in parts, and its target, to one file without holding them all in memory."""
    import polars as pl

    from tamis.cli._output import note_formulas
    from tamis.table._names import as_text
    from tamis.table._write import writes_text

    assert path is not None  # noqa: S101 - `check_streamed_output` refuses None
    files = list(dict.fromkeys(part.file for part in table.parts))
    columns = [*names, str(table.target)]
    frame = _columns_of_files(table, files, columns)
    if writes_text(path) and not raw_names:
        frame = frame.rename({name: as_text(name) for name in columns if as_text(name) != name})
    try:
        with written(path.resolve(), replace=force) as stream:
            _sink(frame, stream, path)
    except (OSError, pl.exceptions.PolarsError) as error:
        missing = [Path(file).name for file in files if not is_in_store(file) and not os.path.exists(file)]
        if missing:
            raise UserError(
                f"{missing[0]} is gone. Put it back, and run again with --resume; nothing was written."
            ) from error
        raise UserError(f"cannot write to {str(path)!r}: {said(error)}") from error
    if not raw_names:
        note_formulas(columns, path)


def _feature_columns(table: PartedTable, names: list[str]) -> pl.LazyFrame:
    """Some features of a table in files, not yet read."""
    files = list(dict.fromkeys(part.file for part in table.parts))
    return _columns_of_files(table, files, [*names, str(table.target)])


def _columns_of_files(table: PartedTable, files: list[str], names: list[str]) -> pl.LazyFrame:
    """Some columns of the files, read by the rules that the table was opened with."""
    import polars as pl

    from tamis.table.parts.stores import here
    from tamis.table.reading.labels import labelled_rows

    rules, target = table.parts[0].rules, str(table.target)

    def as_read(frame: pl.DataFrame) -> pl.DataFrame:
        frame = rules.applied(frame)
        return labelled_rows(frame, target) if rules.drop_unlabelled else frame

    parts = []
    for file in files:
        lazy = pl.scan_parquet(here(file), glob=False, hive_partitioning=False).select(names)
        schema = as_read(lazy.head(0).collect()).schema
        parts.append(lazy.map_batches(as_read, schema=schema, streamable=True))
    return pl.concat(parts)


def _sink(frame: pl.LazyFrame, stream: IO[bytes], path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        frame.sink_parquet(stream)
    else:
        with outlet(stream) as passed:
            frame.sink_csv(passed)


@contextlib.contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Run the block on the Dask cluster at an address, or on N processes of this machine (``local:N``)."""
    if address is None:
        yield
        return
    try:
        import dask
        import distributed
    except ImportError:
        raise UserError("--cluster needs Dask. Install it: pip install 'tamis[dask]'.") from None
    import joblib

    from tamis._processes import deaf_children

    kind, _, number = address.partition(":")
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(CLUSTER))
        if kind == "local":
            most = max(16, 4 * joblib.cpu_count())
            if not number.isdecimal() or len(number) > 9 or not 1 <= int(number) <= most:
                raise UserError(
                    f"--cluster {address}, but it must be local:N with N from 1 to {most}, such as local:4."
                )
            with deaf_children():
                cluster: Any = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=int(number),
                        threads_per_worker=1,
                        processes=True,
                        host=HERE,
                        dashboard_address=f"{HERE}:0",
                        worker_dashboard_address=f"{HERE}:0",
                        silence_logs=logging.CRITICAL,
                    )
                )
        else:
            cluster = address
        try:
            stack.enter_context(distributed.Client(cluster, timeout=10))
        except Exception as error:  # the kind of error depends on the protocol of the address
            raise UserError(
                f"no Dask scheduler answers at {address!r} ({said(error)}). Give an address such as tcp://10.0.0.1:8786, "
                "or local:N."
            ) from error
        stack.enter_context(joblib.parallel_config(backend="dask"))
        yield
