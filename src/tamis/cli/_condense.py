"""``tamis condense``: the table with the kept rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.study._kept_accuracy import KeptAccuracy
    from tamis.table._dataset import Dataset

DEFAULT = "margin-prototypes"
"""The method used without ``--method``."""

MADE = "moved-prototypes"
"""The method that ``--made`` stands for."""

SAMPLED_FROM = 10_000
"""Above this number of rows, the default method tries `N_CANDIDATES` rows per pass."""

MANY_ROWS = 20_000
"""Above this number of rows, a sample of this size is condensed, unless the user said how many rows to keep."""

N_CANDIDATES, N_KEPT = 2000, 2000

RARE = 0.1
"""A class with less than this fraction of an even share of the rows is rare: its rows count more, where nobody said what they count."""


@guarded
@option.reads_tables
def condense(
    file: option.Files,
    target: option.Target = None,
    method: option.MethodName = None,
    made: option.Made = False,
    keep: option.Keep = None,
    groups: option.GroupColumn = None,
    weights: option.WeightColumn = None,
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

    Without --method it is margin-prototypes, with 2,000 candidates a pass above 10,000 rows, and rows of rare classes count
    more. Of more than 20,000 rows, where none of --keep, --sample and --groups is given, 20,000 are drawn at random, and 2,000 of
    them kept. With --groups, rows of equal values are kept together or not at all, and the method does not see that column. With
    --weights, no class counts more by itself, and rows of weight 0 are left out; made rows have no weights.
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
    from tamis.cli._reading import Request, dataset_to_compare
    from tamis.cli._remarks import remark_columns, remark_rare_classes
    from tamis.cli._report import checked_report, write_rows_page
    from tamis.cli._resume import already_done, check_beginning, kept_until_written, run_of
    from tamis.cli._sample import parsed_sample, sampled
    from tamis.cli._screen import answer, note, say
    from tamis.cli._weights import check_weights, weighed, with_weight
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
    if weights is not None and parts is not None:
        raise UserError(
            "--parts condenses parts of the rows, which have no --weights. Leave one of them out."
        )
    check_weights(weights, target, (groups,), who=chosen.name, estimator=estimator, parts=in_parts(file))
    wanted = parsed_sample(sample)
    if groups is not None:
        check_groups(chosen, in_parts=parts is not None or in_parts(file), sampled=wanted is not None)
    table = opened_table(file, request, chosen)
    if not isinstance(table, PartedTable):
        all_default = method is None and keep is None and parts is None and groups is None and not settings
        at_most = MANY_ROWS if all_default else None
        n_rows = table.X.height
        table = with_weight(sampled(table, wanted, at_most, chosen.name, seed), weights)
        changes, remark = fitting_default(n_rows, table.X.height, method, settings or ())
        for_rare, about_rare = dict[str, Any](), ""
        if weights is None:  # nobody said what rows count
            for_rare, about_rare = weight_for_rare(table.y, method, settings or ())
        estimator.set_params(**changes, **for_rare)
        for text in filter(None, (remark, about_rare)):
            note(text)
    told = {"parts": parts, "groups": groups, "weights": weights}
    about = run_of("condense", chosen, estimator, table, raw_names=raw_names, **told)
    if already_done(path, about, resume=resume, force=force, page=page):
        return
    with kept_until_written(path, about, resume=resume, force=force):
        with on_cluster(cluster):
            if isinstance(table, PartedTable):
                kept = condensed_files(estimator, chosen, table)
                _told_of_method(chosen, estimator, kept.height)
                give_table(kept, path, force=force or resume, raw_names=raw_names)
                return
            seen, together = grouped(table, groups)
            seen, counted = weighed(seen, weights)
            seen = dataset_to_compare(seen, request)
            remark_columns(seen)
            if parts is None:
                selector = fitted_as(chosen.name, estimator, seen, together, counted)
            else:
                selector = condensed_parts(estimator, chosen, seen, parts, jobs, seed)
        kept = kept_rows(selector, table)
        counts = class_counts(kept_labels(selector, table))
        does = f"makes {kept.height} rows of" if chosen.makes else f"keeps {kept.height} of"
        say(f"{chosen.name} {does} {table.X.height} rows ({counts})")
        rows = selector.start_indices_ if chosen.makes else selector.sample_indices_
        judged = said_worth(seen, selector, together, counted) if parts is None else None
        if weights is None:
            remark_rare_classes(table.y, rows, estimator)
        _told_of_rows(chosen, estimator, table, selector, judged)
        if not chosen.makes and table.X.height == n_rows:
            answer("kept", (rows + 1).tolist())
        give_table(kept, path, force=force or resume, raw_names=raw_names)
        if page is not None:
            write_rows_page(page, seen, chosen, selector, judged, force=force or resume, weights=counted)


def _told_of_method(method: Method, estimator: BaseEstimator, n_kept: int) -> None:
    """What ``--json`` has of every table: the method, its settings, and how many rows are kept."""
    from tamis.cli._screen import answer

    told = estimator.get_params(deep=False)
    answer("method", method.name)
    answer("settings", {name: told[name] for name in told if name not in ("n_jobs", "verbose")})
    answer("n_kept", n_kept)


def _told_of_rows(
    method: Method, estimator: BaseEstimator, table: Dataset, selector: Any, judged: KeptAccuracy | None
) -> None:
    """What ``--json`` has of one table besides: rows kept of each class, and what they are worth."""
    from dataclasses import asdict

    import numpy as np

    from tamis.cli._fitting import kept_labels
    from tamis.cli._screen import answer

    labels = kept_labels(selector, table)
    _told_of_method(method, estimator, len(labels))
    answer("rows", len(table.y))
    worth = None if judged is None else asdict(judged)
    right = {} if worth is None else worth.pop("by_class")
    answer(
        "by_class",
        [
            {
                "class": one,
                "rows": int((table.y == one).sum()),
                "kept": int((labels == one).sum()),
                "accuracy": right.get(one),
            }
            for one in np.unique(table.y).tolist()
        ],
    )
    answer("accuracy", worth)


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


def said_worth(
    table: Dataset, selector: BaseEstimator, groups: NDArray[Any] | None, weights: NDArray[Any] | None = None
) -> KeptAccuracy | None:
    """Say what the same choice is worth on rows that had no part in it; return it for the page."""
    from tamis.cli._screen import say, working
    from tamis.study._kept_accuracy import kept_accuracy

    with working("what the rows are worth"):
        judged = kept_accuracy(selector, table.X, table.y, groups, weights)
    if judged is not None:
        say(f"Worth: {judged.sentence}")
    return judged


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


def weight_for_rare(
    labels: NDArray[Any], method: str | None, settings: Iterable[str]
) -> tuple[dict[str, Any], str]:
    """The class weights of the default method for a table with rare classes, and a remark about them.

    Counted alike, 40 rows among 20,000 are given up: what they get wrong is a five-hundredth of the loss.

    Parameters
    ----------
    labels : ndarray
        The class of every row.
    method : str or None
        What ``--method`` gave.
    settings : iterable of str
        What each ``--set`` gave.

    Returns
    -------
    dict, str
        Parameters to set, and the remark; both are empty if no class is rare, or the user has chosen.
    """
    import numpy as np

    from tamis.table._names import listed

    given = [text.partition("=")[0].strip() for text in settings]
    if method is not None or "class_weight" in given:
        return {}, ""
    classes, counts = np.unique(labels, return_counts=True)
    rare = np.flatnonzero(counts * len(classes) < RARE * len(labels))
    if not len(rare):
        return {}, ""
    told = listed([f"{counts[k]:,} rows of {classes[k].item()!r}" for k in rare], 3)
    remark = f"rare: {told}. They count more (class_weight=balanced), so that some are kept; --set class_weight=none counts all rows alike."
    return {"class_weight": "balanced"}, remark
