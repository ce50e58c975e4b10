"""Names in messages: which one was probably meant."""

from difflib import SequenceMatcher

import numpy as np
import pytest

from tamis.table import _names
from tamis.table._names import did_you_mean

LETTERS = "abcdefghijklmnopqrstuvwxyz_0123456789"


def drawn(seed: int, n_names: int, length: int) -> list[str]:
    letters = np.random.default_rng(seed).choice(list(LETTERS), size=(n_names, length))
    return ["".join(row) for row in letters]


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("targte", ["age", "target"], "target"),
        ("TARGET", ["age", "target"], "target"),
        ("sepal lenght", ["sepal_length", "sepal_width", "petal_length"], "sepal_length"),
        ("zebra", ["age", "target"], None),
        ("age", [], None),
        ("", ["age"], None),
        ("\ud800ge", ["age"], "age"),
    ],
)
def test_the_nearest_name_is_told(name: str, names: list[str], meant: str | None) -> None:
    """A name with most letters in common, in their order, was meant; where there is none, nothing is said."""
    assert did_you_mean(name, names) == ("" if meant is None else f" Did you mean {meant!r}?")


def test_a_name_is_not_offered_as_itself() -> None:
    """What was typed is no advice."""
    assert did_you_mean("target", ["target"]) == ""
    assert did_you_mean("target", ["target", "targets"]) == " Did you mean 'targets'?"


@pytest.mark.parametrize("length", [20, 199, 250, 3000])
@pytest.mark.parametrize("change", ["replaced", "left out", "swapped", "added"])
def test_one_slip_in_a_long_name_among_many_is_seen(length: int, change: str) -> None:
    """Of hundreds of names, the one with a slip at its end, its beginning or within is found, whatever its length."""
    names = drawn(length, 700, length)
    for number, place in ((3, 0), (50, length // 2), (699, length - 2)):
        head, one, other, tail = (
            names[number][:place],
            *names[number][place : place + 2],
            names[number][place + 2 :],
        )
        slips = {
            "replaced": "#" + other,
            "left out": other,
            "swapped": other + one,
            "added": one + "#" + other,
        }
        slip = head + slips[change] + tail
        assert slip == names[number] or did_you_mean(slip, names) == f" Did you mean {names[number]!r}?"


@pytest.mark.parametrize("seed", range(20))
def test_few_names_are_compared_as_difflib_does(seed: int) -> None:
    """What has too few letters in common for difflib is left out before, and nothing else."""
    random = np.random.default_rng(seed)
    wanted, *names = ("".join(random.choice(list("abcd"), size=random.integers(1, 10))) for _ in range(60))
    near = {name for name in names if name != wanted and SequenceMatcher(None, name, wanted).ratio() >= 0.6}
    assert near <= set(_names._alike(wanted, names))


def test_difflib_is_asked_about_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among thousands of names that all look alike, it compares a hundred."""
    asked = []
    close = _names.get_close_matches
    monkeypatch.setattr(
        _names,
        "get_close_matches",
        lambda name, few, **how: asked.append(len(few)) or close(name, few, **how),
    )
    names = [f"the temperature of sensor {number:05d}" for number in range(5000)]
    assert did_you_mean("the temperature of sensor 0123x", names).startswith(
        " Did you mean 'the temperature of sensor 01"
    )
    assert asked == [100]


def test_a_name_cut_at_its_comma_is_shown_as_a_shell_takes_it():
    """Who names a column with a comma is told how to write it; other names need no such advice."""
    told = did_you_mean("score", ["score,final", "age"])
    assert told == """ Did you mean 'score,final'? A comma ends a name: write '"score,final"'."""
    assert did_you_mean("score,finale", ["score,final"]) == " Did you mean 'score,final'?"
