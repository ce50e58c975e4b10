"""``tamis rank``: the columns from best to worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import _options as option
from tamis.cli._sentences import guarded

if TYPE_CHECKING:
    from tamis.table._dataset import Dataset


@guarded
@option.reads_tables
def rank(
    file: option.Files,
    target: option.Target = None,
    target_kind: option.TargetKind = "auto",
    method: option.MethodName = None,
    keep: option.KeepColumns = None,
    fdr: option.FalseDiscoveryRate = None,
    groups: option.GroupColumn = None,
    time_column: option.TimeColumn = None,
    weights: option.WeightColumn = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=1, metavar="K", help="Show the best K columns only."),
    ] = None,
    output: option.Output = None,
    report: option.Report = None,
    raw_names: option.RawNames = False,
    force: option.Force = False,
    resume: option.Resume = False,
    settings: option.Settings = None,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    sample: option.Sample = None,
    cluster: option.Cluster = None,
    *,
    asked: option.Asked,
) -> None:
    """Rank the columns of a table from best to worst; with --keep, say which of them are kept.

    Without --method, --keep, --fdr, --groups and --weights, verdicts of decoys at a rate of 10 % stand beside, for up to 300 columns.
    """
    from tamis.cli._auto import check_auto, is_auto, note_size, with_auto_size
    from tamis.cli._estimator import chosen_estimator, told_kind
    from tamis.cli._fitting import ranked_columns
    from tamis.cli._folds import check_folds, groups_of, takes_groups, without
    from tamis.cli._output import STDOUT, checked_output, write_answer
    from tamis.cli._part_sample import sample_of_parts
    from tamis.cli._parts import fitted_table, in_parts, on_cluster, opened_table, outline
    from tamis.cli._rate import note_rate, verdicts_unasked
    from tamis.cli._reading import Request
    from tamis.cli._remarks import remark_columns
    from tamis.cli._report import checked_report, write_ranking_page
    from tamis.cli._resume import already_done, check_beginning, kept_until_written, run_of
    from tamis.cli._sample import parsed_sample, sampled
    from tamis.cli._screen import say, show_frame
    from tamis.cli._time import with_time_as_text
    from tamis.cli._weights import check_weights, weighed
    from tamis.table.parts.parted import PartedTable

    check_beginning(output, resume=resume, force=force)
    path = checked_output(output, force=force or resume)
    page = checked_report(report, force=force or resume)
    chosen, estimator = chosen_estimator(
        method, "columns", settings, keep=keep, seed=seed, jobs=jobs, fdr=fdr
    )
    auto = is_auto(keep)
    check_folds(groups, time_column, resampled=auto, handed=takes_groups(estimator), parts=in_parts(file))
    others, parts = (groups, time_column), in_parts(file)
    check_weights(weights, target, others, who=chosen.name, estimator=estimator, fdr=fdr, parts=parts)
    asked = with_time_as_text(asked, time_column, file[0])
    request = Request(file[0], target, **asked, target_kind=target_kind)
    if auto:
        check_auto(estimator)
    rows = parsed_sample(sample)
    table = opened_table(file, request, chosen, keep=(groups, time_column, weights))
    estimator = told_kind(estimator, table)
    if isinstance(table, PartedTable):
        table = sample_of_parts(file, table, chosen, estimator, rows, seed)
    else:
        table = sampled(table, rows, chosen.many_rows, chosen.name, seed)
    table, counts = weighed(table, weights)
    together = groups_of(table, groups)
    if auto:
        estimator = with_auto_size(estimator, chosen, table, seed, jobs, groups, time_column, counts)
    about = run_of(
        "rank", chosen, estimator, table, groups=groups, top=top, raw_names=raw_names, weights=counts
    )
    table = without(table, groups or time_column)
    if already_done(path, about, resume=resume, force=force, page=page):
        return
    with kept_until_written(path, about, resume=resume, force=force):
        with on_cluster(cluster):
            selector = fitted_table(estimator, chosen, table, together, counts)
        if auto:
            note_size(selector)
        dataset = outline(file, table, selector)
        remark_columns(dataset)
        judged = selector
        if all(
            option is None for option in (method, keep, fdr, weights, groups)
        ):  # decoys take no weights, no groups
            judged = verdicts_unasked(_some_of(file, table, dataset, selector, seed), seed, jobs)
        note_rate(judged)
        answer = ranked_columns(selector, dataset, kept=keep is not None, judged=judged)
        shown = answer if top is None else answer.head(min(top, answer.height))
        if path is not None:
            write_answer(shown, path, force=force or resume, raw_names=raw_names, names="column")
        if path != STDOUT:
            show_frame(shown, even=True)
        if path not in (None, STDOUT):
            say(f"Written to {path}: {shown.height} of {answer.height} columns")
        if page is not None:
            write_ranking_page(
                page,
                dataset,
                chosen,
                selector,
                kept=keep is not None,
                force=force or resume,
                judged=judged,
                weights=counts,
            )


def _some_of(files: list[str], table: Any, dataset: Dataset, selector: Any, seed: int | None) -> Dataset:
    """The data set, whose rows are looked at for verdicts; of a table in parts so many rows."""
    from tamis.cli._part_sample import rows_of_files
    from tamis.cli._rate import MOST_COLUMNS, MOST_ROWS

    if dataset is table or dataset.X.width > MOST_COLUMNS:
        return dataset
    return rows_of_files(files, table, selector, MOST_ROWS, seed)
