"""``tamis select``: the table with the kept columns."""

from __future__ import annotations

from tamis.cli import _options as option
from tamis.cli._sentences import guarded


@guarded
@option.reads_tables
def select(
    file: option.Files,
    target: option.Target = None,
    target_kind: option.TargetKind = "auto",
    method: option.MethodName = None,
    keep: option.KeepColumns = None,
    fdr: option.FalseDiscoveryRate = None,
    groups: option.GroupColumn = None,
    time_column: option.TimeColumn = None,
    weights: option.WeightColumn = None,
    output: option.Output = None,
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
    """Write the table with the columns that a method keeps, and the target; with --weights, that column as well."""
    from tamis.cli._auto import check_auto, is_auto, note_size, with_auto_size
    from tamis.cli._estimator import chosen_estimator, told_kind
    from tamis.cli._fitting import kept_columns
    from tamis.cli._folds import check_folds, groups_of, takes_groups, without
    from tamis.cli._output import checked_output, give_table
    from tamis.cli._part_sample import sample_of_parts
    from tamis.cli._parts import (
        check_streamed_output,
        fitted_table,
        in_parts,
        on_cluster,
        opened_table,
        outline,
        write_columns,
    )
    from tamis.cli._rate import note_rate
    from tamis.cli._reading import Request
    from tamis.cli._remarks import remark_columns
    from tamis.cli._resume import already_done, check_beginning, kept_until_written, run_of
    from tamis.cli._sample import parsed_sample, sampled
    from tamis.cli._screen import answer, say
    from tamis.cli._time import with_time_as_text
    from tamis.cli._weights import check_weights, weighed
    from tamis.table._names import as_cell, listed
    from tamis.table.parts.parted import PartedTable

    check_beginning(output, resume=resume, force=force)
    path = checked_output(output, force=force or resume)
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
    if in_parts(file):
        check_streamed_output(path)
    rows = parsed_sample(sample)
    table = opened_table(file, request, chosen, keep=(groups, time_column, weights))
    estimator = told_kind(estimator, table)
    if isinstance(table, PartedTable):
        few = sample_of_parts(file, table, chosen, estimator, rows, seed)
    else:
        few = sampled(table, rows, chosen.many_rows, chosen.name, seed)
    few, counts = weighed(few, weights)
    column = None if weights is None or isinstance(table, PartedTable) else table.X[weights]
    table = without(table, weights)
    together = groups_of(few, groups)
    if auto:
        estimator = with_auto_size(estimator, chosen, few, seed, jobs, groups, time_column, counts)
    about = run_of(
        "select", chosen, estimator, table, groups=groups, raw_names=raw_names, sample=sample, weights=counts
    )
    few, table = without(few, groups or time_column), without(table, groups or time_column)
    if already_done(path, about, resume=resume, force=force):
        return
    with kept_until_written(path, about, resume=resume, force=force):
        with on_cluster(cluster):
            selector = fitted_table(estimator, chosen, few, together, counts)
        if auto:
            note_size(selector)
        dataset = outline(file, table, selector)
        remark_columns(dataset)
        note_rate(selector)
        columns = dataset.X.columns
        names = [name for name, is_kept in zip(columns, selector.support_) if is_kept]
        sentence = (
            f"{chosen.name} keeps {len(names)} of {len(columns)} columns"
            + f": {listed([as_cell(name) for name in names], 20)}" * bool(names)
        )
        answer("kept", names)
        if isinstance(table, PartedTable):
            write_columns(table, names, path, force=force or resume, raw_names=raw_names)
            say(sentence)
            say(f"Written to {path}")
        else:
            say(sentence)
            give_table(
                kept_columns(selector, table, column), path, force=force or resume, raw_names=raw_names
            )
