"""Help in plain text: commands and options in groups, summaries in full, examples."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

GROUPS = {
    "Start here": ("sift", "compare", "demo"),
    "Columns": ("rank", "select"),
    "Rows": ("condense", "rank-rows"),
    "What there is": ("datasets", "methods"),
    "On a new machine": ("warm",),
    "For researchers": ("reproduce", "study"),
}

EXAMPLES = {
    "sift": (
        "tamis sift sales.csv --target churned",
        "tamis sift sales.xlsx --target churned --report sift.html",
    ),
    "compare": (
        "tamis compare sales.csv --target churned --report report.html",
        "tamis compare sales.csv --target churned --methods columns --budget 10m --output results",
    ),
    "rank": (
        "tamis rank sales.csv --target churned --top 10",
        "tamis rank sales.csv --target churned --method relieff --output ranking.csv",
    ),
    "rank-rows": (
        "tamis rank-rows sales.csv --target churned --top 20",
        "tamis rank-rows sales.csv --target churned --output rows.csv --report rows.html",
    ),
    "select": (
        "tamis select sales.csv --target churned --keep 10 --output smaller.csv",
        "tamis select sales.parquet --target churned --method sbs-mf --output - | head",
    ),
    "condense": (
        "tamis condense sales.csv --target churned --keep 0.1 --output fewer.parquet",
        "tamis condense sales.csv --target churned --made --output made.csv",
    ),
    "datasets": ("tamis datasets", "tamis datasets credit_crx"),
    "methods": ("tamis methods", "tamis methods --json"),
    "warm": ("tamis warm", "tamis warm sieve margin-prototypes"),
    "demo": ("tamis demo", "tamis demo --output my-folder"),
    "reproduce": ("tamis reproduce psboost", "tamis reproduce all --full --jobs -1"),
    "problem-space": (
        "tamis study problem-space --method relieff --rows 100 --columns 100",
        "tamis study problem-space --method efr --output space --jobs -1",
    ),
}


class Command(TyperCommand):
    """A command whose help lists the options in groups, with examples below."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options group by group; groups come in the order of their first option."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            panel = getattr(parameter, "rich_help_panel", None)
            default = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panels.setdefault(panel or default, []).append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        examples = EXAMPLES.get(self.name or "", ())
        if examples:
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class Group(TyperGroup):
    """A list of commands in groups, each with the first paragraph of its help in full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands group by group, and last those of no group."""
        known = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        grouped = {name for names in GROUPS.values() for name in names}
        others = tuple(name for name in known if name not in grouped)
        for heading, names in {**GROUPS, "Commands": others}.items():
            rows = [(name, summary(command)) for name in names if (command := known.get(name)) is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def summary(command: Any) -> str:
    """The first paragraph of a command's help, on one line."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text.rstrip(".")
