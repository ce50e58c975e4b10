"""``tamis sift``: which columns to keep, in about five lines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded, said

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.study._sifted import Sifted
    from tamis.table._dataset import Dataset
    from tamis.table.parts.parted import PartedTable

_FOLDS = 5
_FEW_ROWS = 100
_SOON_COLUMNS = 60  # a table of no more columns is sifted again without those that may leak
_RANKING_SHARE = 0.25  # the share of the budget that one ranking may take
_TRIAL_ROWS = 300
_TRIALS = 4  # a trial is repeated if the time left is more than so many of it
_GROWTH = 1.5  # a ranking takes time in proportion to the number of rows to this power


@guarded
@option.reads_tables
def sift(
    file: option.Files,
    target: option.Target = None,
    target_kind: option.TargetKind = "auto",
    keep: option.KeepColumns = None,
    fdr: option.FalseDiscoveryRate = None,
    groups: option.GroupColumn = None,
    time_column: option.TimeColumn = None,
    weights: option.WeightColumn = None,
    output: option.Output = None,
    report: option.Report = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="TIME", help="Take about 30s, 10m or 2h: fewer rows and folds."),
    ] = None,
    raw_names: option.RawNames = False,
    force: option.Force = False,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    *,
    asked: option.Asked,
) -> None:
    """Say which columns of a table to keep: how many, how sure that is, what less would cost, and what was noticed."""
    start = time.monotonic()
    from tamis.cli._compare import parsed_budget
    from tamis.cli._estimator import checked_rate, parsed_size
    from tamis.cli._fitting import kept_columns
    from tamis.cli._folds import check_folds, groups_of, row_folds
    from tamis.cli._output import checked_output, write_answer
    from tamis.cli._part_sample import even_rows_of_files
    from tamis.cli._parts import check_streamed_output, in_parts, outline, parted_table, write_columns
    from tamis.cli._reading import Request, read_dataset
    from tamis.cli._remarks import remark_columns
    from tamis.cli._report import checked_report, made_by, null_of_columns, write_report
    from tamis.cli._screen import answer as in_json
    from tamis.cli._screen import note, say, settings
    from tamis.cli._time import with_time_as_text
    from tamis.cli._weights import check_weights, weighed
    from tamis.table.parts.parted import PartedTable

    seconds = parsed_budget(budget)
    path = checked_output(output, force=force)
    page = checked_report(report, force=force)
    size = parsed_size(keep, "columns")
    checked_rate(fdr, keep)
    check_folds(
        groups, time_column, resampled=size is None and fdr is None, handed=fdr is None, parts=in_parts(file)
    )
    check_weights(weights, target, (groups, time_column), fdr=fdr, parts=in_parts(file))
    asked = with_time_as_text(asked, time_column, file[0])
    request = Request(file[0], target, **asked, target_kind=target_kind)
    table: Dataset | PartedTable
    counts, column = None, None
    if in_parts(file):
        if path is not None or output is not None:
            check_streamed_output(path)
        table, folds, together = parted_table(file, request, columns=True), _FOLDS, None
    else:
        whole = read_dataset(request, without_codes=True, keep=(groups, time_column, weights))
        alone, counts = weighed(whole, weights)
        column = None if weights is None else whole.X[weights]
        together = groups_of(alone, groups)
        table, folds = row_folds(alone, groups, time_column, _FOLDS)
        leaks = remark_columns(table, leaks_noted=False)
        if table.X.height < _FEW_ROWS:
            note(
                f"{table.X.height} rows are few: with other rows the answer may be another; a few hundred or more settle it."
            )
    left = None if seconds is None else max(1.0, seconds - (time.monotonic() - start))
    sieve, answer = sieved(table, size, seed or 0, jobs, left, fdr, folds, together, counts)
    dataset = outline(file, table, sieve)
    if isinstance(table, PartedTable):
        leaks = remark_columns(even_rows_of_files(file, table, sieve), leaks_noted=False)
    if leaks:
        resampled = size is None and fdr is None and budget is None and dataset is table
        answer = _doubted(answer, leaks, dataset, sieve if resampled else None, together, counts)
    for line in answer.lines:
        say(line)
    in_json("table", _told_of_columns(sieve, dataset.X.columns))
    in_json("kept", [dataset.X.columns[j] for j in sieve.ranking_.argsort() if sieve.support_[j]])
    if path is not None and isinstance(table, PartedTable):
        names = [name for name, is_kept in zip(dataset.X.columns, sieve.support_) if is_kept]
        write_columns(table, names, path, force=force, raw_names=raw_names)
        say(f"Written to {path}")
    elif path is not None:
        kept = kept_columns(sieve, dataset, column)
        write_answer(kept, path, force=force, raw_names=raw_names)
        say(f"Written to {path}: {kept.height} rows x {kept.width} columns")
    if page is not None:
        from tamis.report._sift_page import sift_page

        null = None
        if budget is None and dataset is table:
            null = null_of_columns(sieve, dataset, kept=True, weights=counts)
        text = sift_page(
            dataset.name,
            dataset.X.columns,
            sieve,
            answer,
            notes=settings.notes,
            made=made_by(),
            null=null,
        )
        write_report(text, page, force=force)


def _told_of_columns(sieve: Any, names: list[str]) -> list[dict[str, Any]]:
    """The columns from best to worst, as ``--json`` has them."""
    return [
        {
            "rank": sieve.ranking_[j],
            "column": names[j],
            "score": sieve.scores_[j],
            "kept": sieve.support_[j],
            "reason": sieve.reasons_[j],
        }
        for j in sieve.ranking_.argsort()
    ]


def _doubted(
    answer: Sifted, leaks: dict[str, str], dataset: Dataset, sieve: Any, groups: Any, weights: Any
) -> Sifted:
    """The answer with a caution before it and, of a table that is sifted soon, what is kept without the doubtful columns."""
    from dataclasses import replace

    without = None
    rest = replace(dataset, X=dataset.X.drop(list(leaks)))
    if sieve is not None and 0 < rest.X.width <= _SOON_COLUMNS:
        without = sieved(rest, None, sieve.random_state, sieve.n_jobs, None, None, sieve.cv, groups, weights)[
            1
        ]
    return answer.doubted(leaks, without)


def sieved(
    table: Dataset | PartedTable,
    size: int | float | None,
    seed: int,
    jobs: int | None,
    seconds: float | None,
    fdr: float | None = None,
    folds: Any = _FOLDS,
    groups: Any = None,
    weights: Any = None,
) -> tuple[Any, Any]:
    """The fitted sieve and its answer in words; a table that it refuses becomes a `UserError`."""
    from tamis import Sieve
    from tamis.cli._estimator import sieve_jobs
    from tamis.cli._part_sample import labels_of_parts
    from tamis.cli._screen import note, progress_bar, warnings_as_notes
    from tamis.cli._warm import compile_members_ahead
    from tamis.study._sifted import sifted
    from tamis.table._dataset import Dataset

    at_once = sieve_jobs(jobs)
    sieve = Sieve(size, fdr=fdr, cv=folds, target_kind=table.target_kind, random_state=seed, n_jobs=at_once)
    if isinstance(table, Dataset):
        compile_members_ahead(table)
    n_rows, n_columns = _shape(table)
    name = f"Sifting {n_rows} rows x {n_columns} columns"
    try:
        with warnings_as_notes(), progress_bar(name) as show:
            if seconds is not None:
                _hasten(sieve, table, seconds, weights)
            sieve._tell = show
            _fit(sieve, table, groups, weights)
    except ValueError as error:
        raise UserError(said(error)) from error
    sieve._tell = None
    if isinstance(table, Dataset):
        return sieve, sifted(sieve, table.X.columns, table.y, weights)
    for sentence in table.notes:
        note(sentence)
    return sieve, sifted(sieve, table.names or [], labels_of_parts(table, sieve))


def _shape(table: Dataset | PartedTable) -> tuple[int, int]:
    """Rows and columns."""
    from tamis.table._dataset import Dataset

    if isinstance(table, Dataset):
        return table.X.height, table.X.width
    return sum(part.n_rows for part in table.parts), table.n_columns


def _fit(sieve: Any, table: Dataset | PartedTable, groups: Any = None, weights: Any = None) -> None:
    from tamis.table._dataset import Dataset

    if isinstance(table, Dataset):
        sieve.fit(table.X, table.y, weights, groups=groups)
    else:
        sieve.fit(table, None)


def _hasten(sieve: BaseEstimator, table: Dataset | PartedTable, seconds: float, weights: Any = None) -> None:
    """Let the sieve use fewer rows if a ranking would take too much of the time, judged by a trial on a few rows."""
    from sklearn.base import clone

    from tamis.cli._screen import note

    start = time.monotonic()
    trial = clone(sieve).set_params(max_rows=_TRIAL_ROWS)
    trial._rank_only = True
    _fit(trial, table, None, weights)
    took = time.monotonic() - start
    if seconds - took > _TRIALS * took:  # again, if there is time: the first fit on a machine also compiles
        again = time.monotonic()
        _fit(trial, table, None, weights)
        took = time.monotonic() - again
    left = max(1.0, seconds - (time.monotonic() - start))
    n_all = _shape(table)[0]
    n_rows = min(sieve.max_rows, n_all)
    while n_rows > _TRIAL_ROWS and took * (n_rows / _TRIAL_ROWS) ** _GROWTH > left * _RANKING_SHARE:
        n_rows = max(_TRIAL_ROWS, n_rows // 2)
    if n_rows < min(sieve.max_rows, n_all):
        note(f"{n_rows} of the {n_all} rows are looked at, to end in time (--budget).")
    sieve.set_params(max_rows=max(2, n_rows))
    sieve._seconds = left * (1 - 2 * _RANKING_SHARE)
