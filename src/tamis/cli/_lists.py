"""``tamis datasets`` and ``tamis methods``: what there is."""

from __future__ import annotations

from tamis.cli._sentences import guarded


@guarded
def datasets() -> None:
    """List the data sets that can stand in place of a file."""
    from tamis import datasets as room
    from tamis.cli._screen import show_table

    show_table(
        ("name", "rows", "columns", "classes", "kinds", "gaps", "where", "what"),
        (
            (one.name, one.rows, one.columns, len(one.classes), one.kinds, one.missing, one.where, one.title)
            for one in room.describe()
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
    )
