"""Shares of the classes among the kept rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tamis.prototypes._quota import class_quotas
from tamis.table._table import Target

COUNTS = [counts for size in (2, 3, 4) for counts in product((1, 2, 3, 5, 9), repeat=size)]


def target(counts: tuple[int, ...], labels: Any = None) -> Target:
    codes = np.repeat(np.arange(len(counts)), counts)
    return Target(codes, np.arange(len(counts)) if labels is None else np.asarray(labels))


def quotas(counts: tuple[int, ...], n_prototypes: int) -> list[int]:
    return class_quotas("Somebody", target(counts), n_prototypes, "proportional").tolist()


def largest_remainder(counts: tuple[int, ...], n_prototypes: int) -> list[int]:
    """Whole shares first; what is left goes to the largest remainders, the earlier class on ties."""
    exact = [Fraction(n_prototypes * count, sum(counts)) for count in counts]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda c: (shares[c] - exact[c], c))
    for c in by_remainder[: n_prototypes - sum(shares)]:
        shares[c] += 1
    return shares


def test_shares_by_largest_remainder() -> None:
    """Where that leaves no class empty, or there are fewer rows than classes, it is the whole rule."""
    for counts in COUNTS:
        for n_prototypes in range(1, sum(counts) + 1):
            expected = largest_remainder(counts, n_prototypes)
            if n_prototypes < len(counts) or min(expected) > 0:
                assert quotas(counts, n_prototypes) == expected, (counts, n_prototypes)


def test_the_sum_is_right_and_no_class_is_overdrawn_or_forgotten() -> None:
    """All rows are given out, none twice; every class keeps one where that is possible."""
    for counts in COUNTS:
        for n_prototypes in range(1, sum(counts) + 1):
            found = quotas(counts, n_prototypes)
            assert sum(found) == n_prototypes
            assert all(0 <= quota <= count for quota, count in zip(found, counts))
            assert n_prototypes < len(counts) or min(found) >= 1, (counts, n_prototypes)


def test_a_larger_class_never_keeps_less() -> None:
    """Shares rise with the classes' sizes."""
    for counts in COUNTS:
        for n_prototypes in range(1, sum(counts) + 1):
            found = quotas(counts, n_prototypes)
            for a, b in product(range(len(counts)), repeat=2):
                assert counts[a] <= counts[b] or found[a] >= found[b], (counts, n_prototypes)


@pytest.mark.parametrize(
    ("counts", "n_prototypes", "expected"),
    [
        ((4, 1, 1), 2, [2, 0, 0]),  # shares 4/3, 1/3, 1/3: equal remainders, the earlier class
        ((1, 1, 4), 2, [1, 0, 1]),
        ((4, 2), 3, [2, 1]),
        ((98, 1, 1), 3, [1, 1, 1]),  # one row a class at least
        ((98, 1, 1), 2, [2, 0, 0]),  # not possible
        ((2, 2, 2), 6, [2, 2, 2]),
    ],
)
def test_shares_by_hand(counts: tuple[int, ...], n_prototypes: int, expected: list[int]) -> None:
    """Small cases worked out on paper; equal remainders are equal, not a float apart."""
    assert quotas(counts, n_prototypes) == expected


def test_rows_by_label() -> None:
    """A dict says how many of each class; a class not named keeps none; n_prototypes is not looked at."""
    labels = target((3, 2, 4), ["a", "b", "c"])
    assert class_quotas("Somebody", labels, 1, {"c": 4, "a": 1}).tolist() == [1, 0, 4]
    assert class_quotas("Somebody", labels, 1, {"b": np.int64(2)}).tolist() == [0, 2, 0]


@pytest.mark.parametrize(
    ("quota", "message"),
    [
        ({"d": 1}, r"^Somebody: class_quota names 'd', which is no class of y\. Classes: \['a', 'b'\]"),
        ({0: 1}, "names 0, which is no class of y"),
        ({"a": 4}, r"^Somebody: class_quota asks for 4 rows of 'a', which has 3\. Use 0 to 3"),
        ({"a": -1}, "asks for -1 rows of 'a', which has 3"),
        ({"a": 1.5}, "asks for 1.5 rows of 'a'"),
        ({"a": "2"}, "asks for '2' rows of 'a'"),
        ({"a": None}, "asks for None rows of 'a'"),
        ({"a": True}, "asks for True rows of 'a'"),
        ({"a": float("nan")}, "asks for nan rows of 'a'"),
        ({"a": 0, "b": 0}, "Somebody: class_quota keeps no row"),
        ({}, "Somebody: class_quota keeps no row"),
    ],
)
def test_what_no_class_can_give_is_refused(quota: Any, message: str) -> None:
    """Unknown labels, numbers that are none, too many rows and no row at all are named."""
    with pytest.raises(ValueError, match=message):
        class_quotas("Somebody", target((3, 2), ["a", "b"]), 1, quota)
