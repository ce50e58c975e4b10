"""``tamis datasets`` and ``tamis methods``: lists of what tamis offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli._sentences import guarded

if TYPE_CHECKING:
    from tamis.datasets import Entry

_WIDE_ENOUGH = 120  # characters per line that `tamis datasets` needs to show the titles as well


@guarded
def datasets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Tell more about this data set.", show_default=False),
    ] = None,
) -> None:
    """List the data sets that can stand in place of a file, or tell about one of them."""
    from tamis import datasets as registry
    from tamis.cli._screen import console, show_table

    if name is not None:
        _describe(name)
        return
    wide = console().width >= _WIDE_ENOUGH
    show_table(
        ("name", "rows", "columns", "target", "kinds", "missing", "from", *(["title"] if wide else [])),
        (
            (
                *(one.name, one.rows, one.columns, _target(one), one.kinds, one.missing, one.origin),
                *([one.title] if wide else []),
            )
            for one in registry.describe()
        ),
        left=(0, 4, 6, 7),
    )


@guarded
def methods() -> None:
    """List the methods, what each sifts, and the class behind it."""
    from tamis._methods import methods as known
    from tamis.cli._screen import show_table

    show_table(
        ("method", "sifts", "class", "what it does"),
        ((one.name, one.sifts, one.estimator, one.summary) for one in known()),
        left=range(4),
        folded=(3,),
    )


def _target(one: Entry) -> str:
    """What the target holds: so many classes, or numbers."""
    return "numbers" if one.target_kind == "numbers" else f"{len(one.classes)} classes"


def _describe(name: str) -> None:
    from tamis import datasets as registry
    from tamis.cli._screen import say
    from tamis.cli._sentences import UserError
    from tamis.table._names import did_you_mean

    known = {one.name: one for one in registry.describe()}
    if name not in known:
        raise UserError(f"no data set {name!r}.{did_you_mean(name, known)} `tamis datasets` lists them.")
    one = known[name]
    say(f"{name}: {one.rows} rows, {one.columns} columns ({one.kinds}), {one.missing} missing values")
    say("target: numbers" if one.target_kind == "numbers" else f"classes: {', '.join(one.classes)}")
    say(f"found: {one.where}")
    say(one.description)
    for note in one.notes:
        say(note)
