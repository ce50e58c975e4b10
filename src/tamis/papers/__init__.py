"""The four papers behind tamis: their tables as data, and the runs that rebuild them.

======================  ================================================================================
question                answer
======================  ================================================================================
what is a paper here?   `Paper`, `Task`, `Size` (``_paper.py``)
which are there?        `NAMES`, `paper` (here); one module each: fs2boost, psboost, sbsmf, efr
what did it print?      ``data/NAME.csv``, typed from the paper (``_printed.py``)
who runs it?            `rebuild` (``_rebuild.py``), with `Store` (``_store.py``) so that a run can be resumed
where do pages come     ``_report.py``: blocks, written as Markdown and HTML by ``report/_blocks.py``
from?
======================  ================================================================================
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tamis.papers._paper import Paper

#: The papers, by year.
NAMES = ("fs2boost", "psboost", "efr", "sbsmf")


def paper(name: str) -> Paper:
    """Return a paper by its name.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Examples
    --------
    >>> from tamis.papers import paper
    >>> paper("psboost").title
    'A boosting-based prototype weighting and selection scheme'
    """
    if name not in NAMES:
        raise ValueError(f"paper: name={name!r}. Use one of {', '.join(NAMES)}.")
    return cast("Paper", import_module(f"tamis.papers.{name}").PAPER)
