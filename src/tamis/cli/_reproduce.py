"""``tamis reproduce``: the papers' tables, rebuilt beside the printed ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis._files import expanded
from tamis._interrupt import promising
from tamis.cli import _options as option
from tamis.cli._sentences import UserError, guarded, said

if TYPE_CHECKING:
    from tamis.papers._paper import Size
    from tamis.papers._rebuild import Rebuilt


@guarded
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="fs2boost, psboost, efr, sbsmf, or all.", show_default=False),
    ],
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="N", help="One table or figure of the paper only."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Every row and column with few repeats, in minutes; the default.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="The paper's repeats or more; this may take hours.")
    ] = False,
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", min=1, metavar="R", help="So many repeats in place of the usual number."),
    ] = None,
    seed: option.Seed = None,
    jobs: option.Jobs = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write to.")
    ] = "tamis-papers",
) -> None:
    """Rebuild a paper's tables and figures, and say which of its claims hold.

    A run that was stopped continues where it stopped. Each paper gets a folder with page.html, page.md, pictures, and
    results.parquet, which holds every measurement.
    """
    from tamis.papers import NAMES
    from tamis.papers import paper as paper_named
    from tamis.papers._paper import Size

    if quick and full:
        raise UserError("--quick and --full are both given. Give one of them.")
    if paper != "all" and paper not in NAMES:
        raise UserError(f"no paper {paper!r}. Use one of {', '.join(NAMES)}, or all.")
    if paper == "all" and table is not None:
        raise UserError("--table goes with one paper, not with all of them. Name the paper.")
    names = NAMES if paper == "all" else (paper,)
    if table is not None and table not in (known := paper_named(paper).tables):
        raise UserError(f"no table {table!r} in {paper}. Use one of {', '.join(known)}.")
    size = Size("full" if full else "quick", repeats)
    for name in names:
        _tell(_rebuilt(name, expanded(output) / name, size, table, seed or 0, jobs))


def _rebuilt(name: str, folder: Path, size: Size, table: str | None, seed: int, jobs: int | None) -> Rebuilt:
    from tamis.cli._screen import progress_bar, warnings_as_notes
    from tamis.papers._rebuild import rebuild

    stored = f"what was done is in {folder}, and the same command goes on from there."
    try:
        with (
            promising(lambda: stored if folder.is_dir() else ""),
            warnings_as_notes(),
            progress_bar(name, lines=True) as progress,
        ):
            return rebuild(name, folder, size=size, table=table, seed=seed, n_jobs=jobs, progress=progress)
    except ValueError as error:
        raise UserError(said(error).removeprefix("rebuild: ")) from error
    except OSError as error:
        raise UserError(f"cannot write to {str(folder)!r}: {error.strerror}.") from error


def _tell(rebuilt: Rebuilt) -> None:
    """Print the claims with their verdicts, how many cells differ, and which files were written."""
    from tamis.cli._screen import note, say, show_table

    view = rebuilt.view
    say(f"{view.paper.title} ({view.paper.reference})")
    if view.left_out:
        note(
            f"left out, since neither in the package nor in the folder TAMIS_DATA: {', '.join(view.left_out)}"
        )
    claims = view.paper.claims(view)
    if claims:
        show_table(
            ("claim", "paper", "ours", "verdict"),
            [(one.name, one.paper, one.ours, one.verdict) for one in claims],
            left=(0, 1, 2, 3),
        )
    ran = [one for one in view.compared if one.estimate is not None]
    if ran:
        say(f"Cells that do not reproduce: {sum(one.differs for one in ran)} of {len(ran)}.")
    say(
        f"Written to {rebuilt.folder}: {', '.join(rebuilt.files)}, results.parquet, seconds.parquet, run.json"
    )
    say()
