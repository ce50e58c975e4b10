"""Where a report is written, and what it says about how it was made."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis._files import expanded
from tamis.cli._sentences import UserError, said

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.table._dataset import Dataset


def checked_report(text: str | None, *, force: bool) -> Path | None:
    """The path of the HTML file to write, checked as far as is possible without writing."""
    if text is None:
        return None
    from tamis.table._dataset import TableError
    from tamis.table._write import check_writable

    if not text.lower().endswith((".html", ".htm")) or "\0" in text:
        raise UserError(f"--report {text!r}, but a report is an HTML file. Let its name end in .html.")
    path = expanded(text)
    try:
        check_writable(path, force)
    except TableError as error:
        raise UserError(said(error)) from error
    except OSError as error:
        raise UserError(f"cannot write to {text!r}: {error.strerror}.") from error
    return path


def write_report(text: str, path: Path, *, force: bool) -> None:
    """Write a page under a temporary name, then rename it; overwrite an existing file only with `force`."""
    from tamis.cli._screen import say
    from tamis.table._dataset import TableError
    from tamis.table._write import write_text

    try:
        write_text(text, path, force)
    except TableError as error:
        raise UserError(said(error)) from error
    say(f"Report written to {path}: {len(text.encode('utf-8')) / 1000:.0f} kB")


def write_ranking_page(
    path: Path,
    dataset: Dataset,
    method: Method,
    selector: BaseEstimator,
    *,
    kept: bool,
    force: bool,
    judged: BaseEstimator | None = None,
    weights: NDArray[Any] | None = None,
) -> None:
    """Write the page that shows a ranking; the outline of a table in parts has no rows, and no histograms."""
    from tamis.cli._screen import settings
    from tamis.report._ranking_page import ranking_page

    null = null_of_columns(selector, dataset, kept=kept, weights=weights) if dataset.X.height else None
    text = ranking_page(
        dataset.name,
        method.name,
        dataset.X.columns,
        selector,
        kept=kept,
        data=dataset if dataset.X.height else None,
        notes=settings.notes,
        made=made_by(),
        null=null,
        judged=judged,
    )
    write_report(text, path, force=force)


def null_of_columns(
    selector: BaseEstimator, dataset: Dataset, *, kept: bool, weights: NDArray[Any] | None = None
) -> Any:
    """What the method finds with the target shuffled: how many columns it keeps, where decoys decide, or else its scores."""
    from sklearn.base import clone

    from tamis.cli._screen import working
    from tamis.study._shuffled import MOST_COLUMNS, against_shuffled, kept_when_shuffled

    n_kept = int(selector.n_features_)
    with working("the same with the target shuffled"):
        if hasattr(selector, "verdicts_"):
            decoys = getattr(selector, "decoys_", selector)
            plain = {"categorical_features": "from_dtype", "feature_groups": None, "fixed_features": None}
            judge = clone(decoys).set_params(**(plain if decoys is not selector else {}))
            return kept_when_shuffled(judge, dataset.X, dataset.y)
        size = max(1, n_kept if kept else min(n_kept, MOST_COLUMNS))
        return against_shuffled(
            *(selector, "columns", size, dataset.X, dataset.y),
            target_kind=dataset.target_kind,
            weights=weights,
        )


def write_rows_page(
    path: Path,
    dataset: Dataset,
    method: Method,
    selector: BaseEstimator,
    judged: Any,
    *,
    force: bool,
    weights: NDArray[Any] | None = None,
) -> None:
    """Write the page that shows the rows that a method keeps or makes, and what they are worth."""
    import numpy as np
    import polars as pl

    from tamis.cli._screen import settings, working
    from tamis.report._rows_page import rows_page
    from tamis.study._projection import projection
    from tamis.study._shuffled import against_shuffled

    rows, labels = dataset.X, dataset.y
    if not method.makes:
        kept = selector.sample_indices_
    else:  # rows that were made come after those of the table
        rows = pl.concat([rows, selector.prototypes_], how="vertical_relaxed")
        labels = np.concatenate([labels, selector.labels_])
        kept = np.arange(dataset.X.height, rows.height)
    with working("the page"):
        points, shown = projection(rows)
        share = len(kept) / dataset.X.height
        known = "n_prototypes" in selector.get_params(deep=False)
        null = None
        if not method.makes:
            size = share if known else None
            null = against_shuffled(selector, "rows", size, dataset.X, dataset.y, weights=weights)
    text = rows_page(
        dataset.name,
        method.name,
        kept.tolist(),
        labels.tolist(),
        points,
        shown,
        rows=rows,
        judged=judged,
        notes=settings.notes,
        made=made_by(),
        n_made=len(kept) * method.makes,
        null=null,
    )
    write_report(text, path, force=force)


def made_by() -> dict[str, str]:
    """The command, the versions of the libraries, and the time, for the foot of a report."""
    import platform
    from datetime import datetime
    from importlib.metadata import version

    from tamis._version import __version__

    versions = ", ".join(f"{name} {version(name)}" for name in ("scikit-learn", "numpy", "polars"))
    return {
        "Command": shlex.join(["tamis", *sys.argv[1:]]),
        "Versions": f"tamis {__version__}, Python {platform.python_version()}, {versions}",
        "Made": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
    }
