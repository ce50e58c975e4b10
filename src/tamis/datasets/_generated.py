"""The generated data sets that `load` knows by name: what they hold, and how they are made.

``load("led24")`` is ``make_led(irrelevant=17, random_state=0)``: the papers do not give their seeds; here it is always 0.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tamis.datasets._entry import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from tamis.table._dataset import Dataset

#: The seed of every generated data set that is loaded by name.
SEED = 0

_MONKS = ("a", "b", "c", "d", "e", "f")
_SEGMENTS = tuple(f"s{i + 1}" for i in range(7))
_X = tuple(f"x{i + 1}" for i in range(9))
_FRIEDMAN = {1: _X[:5], 2: _X[:4], 3: _X[:4]}


def _generated(
    name: str, rows: int, columns: int, title: str, classes: tuple[str, ...], **more: Any
) -> Entry:
    return Entry(name, "generated", rows, columns, classes, title, **more)


GENERATED = (
    _generated(
        *("artificial", 500, 10, "Two normal classes that three columns of ten tell apart", ("0", "1")),
        informative=_X[:3],
        papers={"fs2boost": "Artificial"},
        notes=("The FS2Boost paper does not define its set Artificial; this definition is ours.",),
    ),
    *(
        _generated(
            *(
                f"friedman{function}",
                500,
                25,
                f"Friedman's function {function} with noise, and irrelevant columns",
                (),
            ),
            informative=_FRIEDMAN[function],
            target_kind="numbers",
        )
        for function in (1, 2, 3)
    ),
    _generated(
        *("hard", 500, 10, "The exclusive or of five columns of ten, with noise", ("0", "1")),
        informative=_X[:5],
        papers={"fs2boost": "Hard", "psboost": "H2"},
    ),
    _generated(
        *("led", 500, 7, "A display of seven segments, with noise", ("even", "odd")),
        informative=_SEGMENTS,
        papers={"fs2boost": "LED", "psboost": "LED"},
    ),
    _generated(
        *("led24", 500, 24, "A display of seven segments and 17 irrelevant columns", ("even", "odd")),
        informative=_SEGMENTS,
        papers={"fs2boost": "LED24", "psboost": "LED24"},
    ),
    _generated(
        *("monks1", 432, 6, "MONK's problem 1, all descriptions", ("0", "1")),
        nominal=_MONKS,
        informative=("a", "b", "e"),
    ),
    _generated(
        *("monks2", 432, 6, "MONK's problem 2, all descriptions", ("0", "1")),
        nominal=_MONKS,
        informative=_MONKS,
    ),
    _generated(
        *("monks3", 432, 6, "MONK's problem 3, all descriptions", ("0", "1")),
        nominal=_MONKS,
        informative=("b", "d", "e"),
    ),
    _generated(
        *("xd6", 600, 10, "Three conjunctions of three columns, with class noise", ("0", "1")),
        informative=_X[:9],
        papers={"fs2boost": "Xd6", "psboost": "Xd6"},
    ),
)


def makers() -> dict[str, Callable[[], Dataset]]:
    """What makes each of them; NumPy is loaded here, not for a list of names."""
    from tamis.datasets._concepts import make_artificial, make_hard, make_led, make_xd6
    from tamis.datasets._enumerated import make_monks
    from tamis.datasets._friedman import make_friedman

    return {
        "artificial": partial(make_artificial, random_state=SEED),
        **{
            f"friedman{function}": partial(
                make_friedman, function, irrelevant=25 - len(_FRIEDMAN[function]), random_state=SEED
            )
            for function in (1, 2, 3)
        },
        "hard": partial(make_hard, random_state=SEED),
        "led": partial(make_led, random_state=SEED),
        "led24": partial(make_led, irrelevant=17, random_state=SEED),
        "monks1": partial(make_monks, 1),
        "monks2": partial(make_monks, 2),
        "monks3": partial(make_monks, 3),
        "xd6": partial(make_xd6, random_state=SEED),
    }
