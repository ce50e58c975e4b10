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

_FOLDS = 5
_SOON_COLUMNS = 60  # a table of no more columns is sifted again without those that may leak
_RANKING_SHARE = 0.25  # the share of the budget that one ranking may take
_TRIAL_ROWS = 300
_GROWTH = 1.5  # a ranking takes time in proportion to the number of rows to this power


@guarded
@option.reads_tables
def sift(
    file: option.File,
    target: option.Target = None,
    target_kind: option.TargetKind = "auto",
    keep: option.KeepColumns = None,
    fdr: option.FalseDiscoveryRate = None,
    groups: option.GroupColumn = None,
    time_column: option.TimeColumn = None,
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
    from tamis.cli._folds import check_folds, row_folds
    from tamis.cli._output import checked_output, write_answer
    from tamis.cli._reading import Request, read_dataset
    from tamis.cli._remarks import remark_columns
    from tamis.cli._report import checked_report, made_by, null_of_columns, write_report
    from tamis.cli._screen import say, settings
    from tamis.cli._time import with_time_as_text

    seconds = parsed_budget(budget)
    path = checked_output(output, force=force)
    page = checked_report(report, force=force)
    size = parsed_size(keep, "columns")
    checked_rate(fdr, keep)
    check_folds(groups, time_column, resampled=size is None and fdr is None)
    asked = with_time_as_text(asked, time_column, file)
    request = Request(file, target, **asked, target_kind=target_kind)
    dataset = read_dataset(request, without_codes=True, keep=groups or time_column)
    dataset, folds = row_folds(dataset, groups, time_column, _FOLDS)
    leaks = remark_columns(dataset, leaks_noted=False)
    left = None if seconds is None else max(1.0, seconds - (time.monotonic() - start))
    sieve, answer = sieved(dataset, size, seed or 0, jobs, left, fdr, folds)
    if leaks:
        resampled = size is None and fdr is None and budget is None
        answer = _doubted(answer, leaks, dataset, sieve if resampled else None)
    for line in answer.lines:
        say(line)
    if path is not None:
        kept = kept_columns(sieve, dataset)
        write_answer(kept, path, force=force, raw_names=raw_names)
        say(f"Written to {path}: {kept.height} rows x {kept.width} columns")
    if page is not None:
        from tamis.report._sift_page import sift_page

        null = null_of_columns(sieve, dataset, kept=True) if budget is None else None
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


def _doubted(answer: Sifted, leaks: dict[str, str], dataset: Dataset, sieve: Any) -> Sifted:
    """The answer with a caution before it and, of a table that is sifted soon, what is kept without the doubtful columns."""
    from dataclasses import replace

    without = None
    rest = replace(dataset, X=dataset.X.drop(list(leaks)))
    if sieve is not None and 0 < rest.X.width <= _SOON_COLUMNS:
        without = sieved(rest, None, sieve.random_state, sieve.n_jobs, None, None, sieve.cv)[1]
    return answer.doubted(leaks, without)


def sieved(
    dataset: Dataset,
    size: int | float | None,
    seed: int,
    jobs: int | None,
    seconds: float | None,
    fdr: float | None = None,
    folds: Any = _FOLDS,
) -> tuple[Any, Any]:
    """The fitted sieve and its answer in words; a table that it refuses becomes a `UserError`."""
    from tamis import Sieve
    from tamis.cli._screen import progress_bar, warnings_as_notes
    from tamis.cli._warm import compile_members_ahead
    from tamis.study._sifted import sifted

    sieve = Sieve(size, fdr=fdr, cv=folds, target_kind=dataset.target_kind, random_state=seed, n_jobs=jobs)
    compile_members_ahead(dataset)
    name = f"Sifting {dataset.X.height} rows x {dataset.X.width} columns"
    try:
        with warnings_as_notes(), progress_bar(name) as show:
            if seconds is not None:
                _hasten(sieve, dataset, seconds)
            sieve._tell = show
            sieve.fit(dataset.X, dataset.y)
    except ValueError as error:
        raise UserError(said(error)) from error
    sieve._tell = None
    return sieve, sifted(sieve, dataset.X.columns, dataset.y)


def _hasten(sieve: BaseEstimator, dataset: Dataset, seconds: float) -> None:
    """Let the sieve use fewer rows if a ranking would take too much of the time, judged by a trial on a few rows."""
    from sklearn.base import clone

    from tamis.cli._screen import note

    start = time.monotonic()
    trial = clone(sieve).set_params(max_rows=_TRIAL_ROWS)
    trial._rank_only = True
    trial.fit(dataset.X, dataset.y)  # not timed: the first fit on a machine also compiles
    compiled = time.monotonic()
    trial.fit(dataset.X, dataset.y)
    took, left = time.monotonic() - compiled, max(1.0, seconds - (time.monotonic() - start))
    n_rows = min(sieve.max_rows, dataset.X.height)
    while n_rows > _TRIAL_ROWS and took * (n_rows / _TRIAL_ROWS) ** _GROWTH > left * _RANKING_SHARE:
        n_rows = max(_TRIAL_ROWS, n_rows // 2)
    if n_rows < min(sieve.max_rows, dataset.X.height):
        note(f"{n_rows} of the {dataset.X.height} rows are looked at, to end in time (--budget).")
    sieve.set_params(max_rows=max(2, n_rows))
    sieve._seconds = left * (1 - 2 * _RANKING_SHARE)
