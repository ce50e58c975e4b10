"""The command line: options -> table -> method -> answer. No mathematics; heavy imports wait until they are needed."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

from tamis._interrupt import hear_ctrl_c
from tamis._version import __version__
from tamis.cli._compare import compare
from tamis.cli._condense import condense
from tamis.cli._demo import demo
from tamis.cli._help import Command, Group
from tamis.cli._limited import watched
from tamis.cli._lists import datasets, methods
from tamis.cli._rank import rank
from tamis.cli._rank_rows import rank_rows
from tamis.cli._reproduce import reproduce
from tamis.cli._select import select
from tamis.cli._sift import sift
from tamis.cli._study import study
from tamis.cli._warm import warm

app = typer.Typer(
    name="tamis",
    no_args_is_help=True,
    cls=Group,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich would take longer to draw it than all the rest takes
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (sift, compare, rank, rank_rows, select, condense, datasets, methods, warm, demo, reproduce):
    app.command(cls=Command)(command)
app.add_typer(study, name="study", cls=Group)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tamis {__version__}")
        raise typer.Exit


@app.callback()
def tamis(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Sift a table: keep the columns and the rows that matter."""


def _collect_more_often(phase: str, info: dict[str, int]) -> None:
    """Lower the threshold of the garbage collector once it has run for the first time."""
    gc.callbacks.remove(_collect_more_often)
    gc.set_threshold(50_000)


# Defaults that keep code in the current folder from being loaded.
_ENVIRONMENT = {
    "PYTHONSAFEPATH": "1",  # processes of joblib and Dask import nothing from the current folder
    "NUMBA_CACHE_DIR": "",  # Numba ignores a cache folder named in a .numba_config.yaml of the current folder
}


def main() -> None:
    """Run the command line."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    # Loading the libraries makes about half as many objects, none of them garbage: collecting would waste time.
    gc.set_threshold(1_000_000)
    if _collect_more_often not in gc.callbacks:
        gc.callbacks.append(_collect_more_often)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal cannot show must not crash the program
            stream.reconfigure(errors="backslashreplace")
    watched()
    hear_ctrl_c()  # again, because `watched` may have moved us to a child process
    try:
        app()
    except SystemExit as ended:  # typer exits silently on Ctrl-C while it parses the arguments
        if isinstance(getattr(ended.__context__, "__cause__", None), KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
