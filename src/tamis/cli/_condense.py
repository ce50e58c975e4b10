"""``tamis condense``: the table with the kept rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded

if TYPE_CHECKING:
    from tamis._methods import Method

DEFAULT = "margin-prototypes"
"""The method used without ``--method``."""

MADE = "moved-prototypes"
"""The method that ``--made`` stands for."""

SAMPLED_FROM = 10_000
"""Above this number of rows, the default method tries `N_CANDIDATES` rows per pass."""

MANY_ROWS = 20_000
"""Above this number of rows, a sample of this size is condensed, unless the user said how many rows to keep."""

N_CANDIDATES, N_KEPT = 2000, 2000


@guarded
@option.reads_tables
def condense(
    file: option.Files,
    target: option.Target = None,
    method: option.MethodName = None,
    made: option.Made = False,
    keep: option.Keep = None,
    groups: option.GroupColumn = None,
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
    parts: option.Parts = None,
    *,
    asked: option.Asked,
) -> None:
    """Write the table with the rows that a method keeps, in their order; with --made, with rows that are made.

    Without --method it is margin-prototypes, with 2,000 candidates a pass above 10,000 rows. Of more than 20,000 rows, where
    none of --keep, --sample and --groups is given, 20,000 are drawn at random, and 2,000 of them kept. With --groups, rows of
    equal values are kept together or not at all, and the method does not see that column.
    """
    from tamis.cli._estimator import chosen_estimator
    from tamis.cli._fitting import class_counts, fitted_as, kept_labels, kept_rows
    from tamis.cli._folds import grouped
    from tamis.cli._output import checked_output, give_table
    from tamis.cli._parts import (
        check_no_parts,
        condensed_files,
        condensed_parts,
        in_parts,
        on_cluster,
        opened_table,
    )
    from tamis.cli._reading import Request
    from tamis.cli._remarks import remark_rare_classes
    from tamis.cli._report import checked_report, write_rows_page
    from tamis.cli._resume import already_done, check_beginning, kept_until_written, run_of
    from tamis.cli._sample import parsed_sample, sampled
    from tamis.cli._screen import note, say
    from tamis.table.parts.parted import PartedTable

    if made and method not in (None, MADE):
        raise UserError(f"--made asks for {MADE}, but --method names {method}. Leave one of them out.")
    method = MADE if made else method
    check_beginning(output, resume=resume, force=force)
    path = checked_output(output, force=force or resume)
    page = checked_report(report, force=force or resume)
    chosen, estimator = chosen_estimator(method or DEFAULT, "rows", settings, keep=keep, seed=seed, jobs=jobs)
    request = Request(file[0], target, **asked)
    if chosen.makes and (parts is not None or in_parts(file)):
        raise UserError(
            f"{chosen.name} makes rows of a whole table, not of parts. Use another method, or one file."
        )
    if in_parts(file):
        check_no_parts(parts, page)
    wanted = parsed_sample(sample)
    if groups is not None:
        check_groups(chosen, in_parts=parts is not None or in_parts(file), sampled=wanted is not None)
    table = opened_table(file, request, chosen, any_method=True)
    if not isinstance(table, PartedTable):
        all_default = method is None and keep is None and parts is None and groups is None and not settings
        at_most = MANY_ROWS if all_default else None
        n_rows = table.X.height
        table = sampled(table, wanted, at_most, chosen.name, seed)
        changes, remark = fitting_default(n_rows, table.X.height, method, settings or ())
        estimator.set_params(**changes)
        if remark:
            note(remark)
    about = run_of("condense", chosen, estimator, table, parts=parts, groups=groups, raw_names=raw_names)
    if already_done(path, about, resume=resume, force=force, page=page):
        return
    with kept_until_written(path, about, resume=resume, force=force):
        with on_cluster(cluster):
            if isinstance(table, PartedTable):
                kept = condensed_files(estimator, chosen, table)
                give_table(kept, path, force=force or resume, raw_names=raw_names)
                return
            seen, together = grouped(table, groups)
            if parts is None:
                selector = fitted_as(chosen.name, estimator, seen, together)
            else:
                selector = condensed_parts(estimator, chosen, table, parts, jobs, seed)
        kept = kept_rows(selector, table)
        counts = class_counts(kept_labels(selector, table))
        does = f"makes {kept.height} rows of" if chosen.makes else f"keeps {kept.height} of"
        say(f"{chosen.name} {does} {table.X.height} rows ({counts})")
        rows = selector.start_indices_ if chosen.makes else selector.sample_indices_
        remark_rare_classes(table.y, rows, estimator)
        give_table(kept, path, force=force or resume, raw_names=raw_names)
        if page is not None:
            write_rows_page(page, seen, chosen, selector, force=force or resume)


def check_groups(chosen: Method, *, in_parts: bool, sampled: bool) -> None:
    """Refuse --groups where whole groups cannot be kept."""
    if chosen.makes:
        raise UserError(
            f"{chosen.name} makes rows, which are of no group. Leave --groups out, or use another method."
        )
    if in_parts:
        raise UserError(
            "--groups keeps rows of a whole table together, not of parts. Give one file, or leave it out."
        )
    if sampled:
        raise UserError(
            "--sample draws single rows, and --groups keeps rows together. Leave one of them out."
        )


def fitting_default(
    n_rows: int, n_used: int, method: str | None, settings: Iterable[str]
) -> tuple[dict[str, Any], str]:
    """The parameters of the default method for a table of this size, and a remark about them.

    Parameters
    ----------
    n_rows, n_used : int
        The number of rows of the table, and how many of them are used.
    method : str or None
        What ``--method`` gave.
    settings : iterable of str
        What each ``--set`` gave.

    Returns
    -------
    dict, str
        Parameters to set, and the remark; both are empty if the defaults of the method stay.
    """
    given = [text.partition("=")[0].strip() for text in settings]
    if method is not None or "n_candidates" in given or n_used <= SAMPLED_FROM:
        return {}, ""
    if n_used < n_rows:
        kept = min(N_KEPT, n_used // 2)
        return {
            "n_candidates": N_CANDIDATES,
            "n_prototypes": kept,
        }, f"{kept:,} rows are kept; --keep K asks for more or fewer."
    remark = (
        f"{DEFAULT} tries {N_CANDIDATES} of the {n_rows} rows a pass, not all of them. "
        f"Change it with --set n_candidates=NUMBER (none: all of them)."
    )
    return {"n_candidates": N_CANDIDATES}, remark
