"""The options that several commands share, each defined once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from tamis.cli._sentences import extended

R = TypeVar("R")


def _refuse_no_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 processors do no work. Use 1 or more, or -1 for all.")
    return jobs


def _existing(files: str | list[str]) -> str | list[str]:
    """Refuse a single FILE that does not exist, before any heavy library is loaded."""
    from tamis.cli._reading import check_exists
    from tamis.table.parts.stores import is_in_store

    if isinstance(files, list) and is_in_store(files[0]):
        return files  # asked when it is opened
    if isinstance(files, str) or len(files) == 1:
        check_exists(files if isinstance(files, str) else files[0])
    return files


File = Annotated[
    str,
    typer.Argument(
        callback=_existing,
        metavar="FILE",
        help="A table (.csv .xlsx .parquet .json .db::TABLE ..., - for stdin), or the name of a data set.",
        show_default=False,
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(
        callback=_existing,
        metavar="FILE",
        help="A table (.csv .xlsx .parquet .json .db::TABLE ..., - for stdin), or the name of a data set; "
        "or a folder, a pattern or a list of .parquet files, here or in a store (s3://bucket/folder), read in parts.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="NAME",
        help="The column to predict; the last one if left out.",
    ),
]
TargetKind = Annotated[
    str,
    typer.Option(
        "--target-kind",
        metavar="KIND",
        help="What the target holds: classes, numbers, or auto: numbers if more than 20 differ.",
    ),
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal",
        metavar="A,B",
        help="Columns that are categorical, though they hold numbers.",
        rich_help_panel="The table",
    ),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(
        "--numeric",
        metavar="A,B",
        help="Columns of numbers, though they look categorical.",
        rich_help_panel="The table",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="A,B", help="Columns to leave out.", rich_help_panel="The table"),
]
MissingValues = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-values",
        metavar="A,B",
        help='More texts that stand for missing values, such as "?,-9".',
        rich_help_panel="The table",
    ),
]
DropUnlabelled = Annotated[
    bool,
    typer.Option(
        "--drop-unlabelled", help="Leave out the rows whose class is missing.", rich_help_panel="The table"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of a text file that is not UTF-8, such as cp1252.",
        rich_help_panel="The table",
    ),
]
MaxUnpacked = Annotated[
    str | None,
    typer.Option(
        "--max-unpacked",
        metavar="SIZE",
        help="The most that a compressed file may unpack to, such as 8GB; 2GB if left out, or 50 times the file's size.",
        rich_help_panel="The table",
    ),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        metavar="METHOD",
        help="The method; `tamis methods` lists them.",
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the method; may be given several times.",
        rich_help_panel="How it is done",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with what an interrupted run left beside its output.",
        rich_help_panel="How it is done",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        max=2**32 - 1,
        metavar="N",
        help="Decides everything random; 0 if left out, so that a command repeats itself.",
        rich_help_panel="How it is done",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        callback=_refuse_no_jobs,
        help="How many processors to use; -1 for all.",
        rich_help_panel="How it is done",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Dask cluster: its address, or local:N for N processes of this machine.",
        rich_help_panel="How it is done",
    ),
]
Parts = Annotated[
    int | None,
    typer.Option(
        "--parts",
        min=1,
        metavar="N",
        help="Condense N parts of the rows one by one, and what they keep again: faster, less exact.",
        rich_help_panel="How it is done",
    ),
]
Made = Annotated[
    bool,
    typer.Option(
        "--made", help="Make new rows instead of keeping some: the same as --method moved-prototypes."
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        "-k",
        metavar="K",
        help="How many to keep: a number, or a fraction such as 0.2.",
    ),
]
KeepColumns = Annotated[
    str | None,
    typer.Option(
        "--keep",
        "-k",
        metavar="K",
        help="How many to keep: a number, a fraction such as 0.2, or auto: the fewest that do as well, by resampling.",
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option("--groups", metavar="NAME", help="A column whose equal values stay together."),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="NAME",
        help="A column of dates or numbers: methods learn from earlier rows and are judged on later ones.",
    ),
]
WeightColumn = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="NAME",
        help="A column of numbers, 0 or more: what each row counts. It is not judged itself.",
    ),
]
FalseDiscoveryRate = Annotated[
    float | None,
    typer.Option(
        "--fdr",
        metavar="Q",
        min=0.0,
        max=1.0,
        help="Keep the columns that beat decoys of themselves, so that a share Q of the kept is expected by chance.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Write to this file (.csv .parquet .json ...), or - for CSV on stdout.",
    ),
]
RawNames = Annotated[
    bool,
    typer.Option(
        "--raw-names",
        help="Leave names in CSV as they are, though a spreadsheet may run them as formulas (=...).",
        rich_help_panel="What is written",
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Write over a file that exists.", rich_help_panel="What is written"),
]
Report = Annotated[
    str | None,
    typer.Option("--report", metavar="HTML", help="Write a page to look at (one .html file)."),
]
Sample = Annotated[
    str | None,
    typer.Option(
        "--sample",
        "--sample-rows",
        metavar="N",
        help="Use N rows drawn at random, by class, or all; a sample is the default where all would take long, or where a method "
        "reads no table in parts.",
        rich_help_panel="How it is done",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The file has no line of column names: they are column_1, column_2, ...",
        rich_help_panel="The table",
    ),
]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="The file has a column per row: genes in rows, samples in columns.",
        rich_help_panel="The table",
    ),
]
DropUnusable = Annotated[
    bool,
    typer.Option(
        "--drop-unusable",
        help="Leave out also columns that are numbers but for a few texts or infinite values, instead of an error.",
        rich_help_panel="The table",
    ),
]

TABLE: dict[str, Any] = {
    "nominal": Nominal,
    "numeric": Numeric,
    "drop": Drop,
    "drop_unusable": DropUnusable,
    "missing_values": MissingValues,
    "drop_unlabelled": DropUnlabelled,
    "no_header": NoHeader,
    "transpose": Transpose,
    "encoding": Encoding,
    "max_unpacked": MaxUnpacked,
}
"""The options of every command that reads a table."""

Asked = dict[str, Any]
"""What the user asked for with the options of `TABLE`, by their names."""


def reads_tables(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options of `TABLE` to a command, which receives their values in one dict, `asked`."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> R:
        asked = {name: kwargs.pop(name, None) for name in TABLE}
        return command(*args, asked=asked, **kwargs)

    return extended(run, command, TABLE, without="asked")
