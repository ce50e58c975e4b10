"""Long runs tell how far they have come, if asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tamis import CondensedNN, PSBoost, ReducedNN
from tests.prototypes.problems import needs_compiler


def table() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(900, 2))
    return X, (X[:, 0] > X[:, 1] ** 2).astype(int)


@needs_compiler
@pytest.mark.parametrize(
    ("cls", "first"),
    [
        (CondensedNN, r"CondensedNN: pass 1: "),
        (ReducedNN, r"ReducedNN: pass 1: "),
        (PSBoost, r"PSBoost: neighbours: "),
    ],
)
def test_lines_are_printed_when_asked_for(cls: Any, first: str, capsys: pytest.CaptureFixture[str]) -> None:
    """verbose=1 prints lines that end at all rows and changes nothing else; by default nothing is printed."""
    X, y = table()
    quiet = cls().fit(X, y)
    assert capsys.readouterr().out == ""
    loud = cls(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(first)
    assert "900 of 900 rows" in lines[-1]
    assert len(lines) == len(set(lines))
    np.testing.assert_array_equal(quiet.sample_indices_, loud.sample_indices_)
