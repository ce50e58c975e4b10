"""The options that several commands share, each said once."""

from __future__ import annotations

from typing import Annotated

import typer


def _refuse_no_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 processors do no work. Use 1 or more, or -1 for all.")
    return jobs


def _existing(files: str | list[str]) -> str | list[str]:
    """Refuse a single FILE that does not exist before any library is loaded."""
    from tamis.cli._reading import check_exists

    if isinstance(files, str) or len(files) == 1:
        check_exists(files if isinstance(files, str) else files[0])
    return files


File = Annotated[
    str,
    typer.Argument(
        callback=_existing,
        metavar="FILE",
        help="A table (.csv .tsv .parquet .feather .arff .dat, also .gz or .zst), or the name of a data set.",
        show_default=False,
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(
        callback=_existing,
        metavar="FILE...",
        help="A table (.csv .tsv .parquet .feather .arff .dat, also .gz or .zst), or the name of a data set; "
        "or a folder, a pattern or a list of .parquet files, read in parts.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="NAME",
        help="The column of classes; the last one if left out.",
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
        help="Columns of names or codes, though they hold numbers.",
    ),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(
        "--numeric",
        metavar="A,B",
        help="Columns of numbers, though they look like names.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="A,B", help="Columns to leave out."),
]
MissingValues = Annotated[
    list[str] | None,
    typer.Option("--missing-values", metavar="A,B", help='More marks of a missing value, such as "?,-9".'),
]
DropUnlabelled = Annotated[
    bool,
    typer.Option("--drop-unlabelled", help="Leave out the rows whose class is missing."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of a text file that is not UTF-8, such as cp1252.",
    ),
]
MaxUnpacked = Annotated[
    str | None,
    typer.Option(
        "--max-unpacked",
        metavar="SIZE",
        help="The most that a compressed file may unpack to, such as 8GB; 2GB if left out, or 50 times the file's size.",
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
    ),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with what an interrupted run left beside its output."),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        max=2**32 - 1,
        metavar="N",
        help="Decides everything random; 0 if left out, so that a command repeats itself.",
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
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Dask cluster: its address, or local:N for N processes of this machine.",
    ),
]
Parts = Annotated[
    int | None,
    typer.Option(
        "--parts",
        min=1,
        metavar="N",
        help="Condense N parts of the rows one by one, and what they keep again: faster, less exact.",
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
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Write to this file (.csv .parquet .json).",
    ),
]
RawNames = Annotated[
    bool,
    typer.Option(
        "--raw-names",
        help="Leave names in CSV as they are, though a spreadsheet may run them as formulas (=...).",
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Write over a file that exists."),
]
Report = Annotated[
    str | None,
    typer.Option("--report", metavar="HTML", help="Write a page to look at (one .html file)."),
]
