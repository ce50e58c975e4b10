"""``tamis condense``: the table with the kept rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded

DEFAULT = "margin-prototypes"
"""The method where none is named."""

MADE = "moved-prototypes"
"""The method of ``--made``."""

SAMPLED_FROM = 10_000
BOOSTED_FROM = 100_000
"""Above so many rows the default tries fewer candidates, and above so many it gives way to another method."""

N_CANDIDATES = 2000
LARGE = "psboost"


@guarded
def condense(
    file: option.Files,
    target: option.Target = None,
    method: option.MethodName = None,
    made: option.Made = False,
    keep: option.Keep = None,
    output: option.Output = None,
    report: option.Report = None,
    raw_names: option.RawNames = False,
    force: option.Force = False,
    resume: option.Resume = False,
    settings: option.Settings = None,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    cluster: option.Cluster = None,
    parts: option.Parts = None,
    nominal: option.Nominal = None,
    numeric: option.Numeric = None,
    drop: option.Drop = None,
    missing_values: option.MissingValues = None,
    drop_unlabelled: option.DropUnlabelled = False,
    encoding: option.Encoding = None,
    max_unpacked: option.MaxUnpacked = None,
) -> None:
    """Write the table with the rows that a method keeps, in their order; with --made, with rows that are made.

    Without --method it is margin-prototypes: with 2,000 candidates a pass above 10,000 rows; psboost above 100,000.
    """
    from tamis.cli._estimator import chosen_estimator
    from tamis.cli._fitting import class_counts, fitted, kept_labels, kept_rows
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
    from tamis.cli._screen import note, say
    from tamis.table.parts.parted import PartedTable

    if made and method not in (None, MADE):
        raise UserError(f"--made asks for {MADE}, but --method names {method}. Leave one of them out.")
    method = MADE if made else method
    check_beginning(output, resume=resume, force=force)
    path = checked_output(output, force=force or resume)
    page = checked_report(report, force=force or resume)
    chosen, estimator = chosen_estimator(method or DEFAULT, "rows", settings, keep=keep, seed=seed, jobs=jobs)
    asked = (nominal, numeric, drop, missing_values, drop_unlabelled, encoding, max_unpacked)
    request = Request(file[0], target, *asked)
    if chosen.makes and (parts is not None or in_parts(file)):
        raise UserError(
            f"{chosen.name} makes rows of a whole table, not of parts. Use another method, or one file."
        )
    if in_parts(file):
        check_no_parts(parts, page)
    table = opened_table(file, request, chosen, any_method=True)
    if method is None and not isinstance(table, PartedTable):
        name, changes, remark = fitting_default(table.X.height, settings or ())
        if name != DEFAULT:
            chosen, estimator = chosen_estimator(name, "rows", settings, keep=keep, seed=seed, jobs=jobs)
        estimator.set_params(**changes)
        if remark:
            note(remark)
    about = run_of("condense", chosen, estimator, table, parts=parts, raw_names=raw_names)
    if already_done(path, about, resume=resume, force=force, page=page):
        return
    with kept_until_written(path, about, resume=resume, force=force):
        with on_cluster(cluster):
            if isinstance(table, PartedTable):
                kept = condensed_files(estimator, chosen, table)
                give_table(kept, path, force=force or resume, raw_names=raw_names)
                return
            if parts is None:
                selector = fitted(estimator, chosen, table)
            else:
                selector = condensed_parts(estimator, chosen, table, parts, jobs, seed)
        kept = kept_rows(selector, table)
        counts = class_counts(kept_labels(selector, table))
        said = f"makes {kept.height} rows of" if chosen.makes else f"keeps {kept.height} of"
        say(f"{chosen.name} {said} {table.X.height} rows ({counts})")
        rows = selector.start_indices_ if chosen.makes else selector.sample_indices_
        remark_rare_classes(table.y, rows, estimator)
        give_table(kept, path, force=force or resume, raw_names=raw_names)
        if page is not None:
            write_rows_page(page, table, chosen, selector, force=force or resume)


def fitting_default(n_rows: int, settings: Iterable[str]) -> tuple[str, dict[str, Any], str]:
    """The default method for a table of so many rows: its name, parameters to set, and what to say of it.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    settings : iterable of str
        What each ``--set`` gave: meant for the default method, so with any of them it stays.

    Returns
    -------
    str, dict, str
        The remark is empty where the default does all it can.
    """
    given = [text.partition("=")[0].strip() for text in settings]
    if n_rows > BOOSTED_FROM and not given:
        remark = f"{n_rows} rows are many for {DEFAULT}: {LARGE} is used. Name a method with --method."
        return LARGE, {}, remark
    if n_rows > SAMPLED_FROM and "n_candidates" not in given:
        remark = (
            f"{DEFAULT} tries {N_CANDIDATES} of the {n_rows} rows a pass, not all of them. "
            f"Change it with --set n_candidates=NUMBER (none: all of them)."
        )
        return DEFAULT, {"n_candidates": N_CANDIDATES}, remark
    return DEFAULT, {}, ""
