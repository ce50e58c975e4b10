"""scikit-learn's estimator checks over every public estimator, at its default and at edge settings."""

from __future__ import annotations

from collections.abc import Callable
from unittest import SkipTest

import pytest

from tests.estimators import EDGES, REQUIRED, checks, may_be_skipped, public_estimators, settings

CHECKS = [
    pytest.param(label, call, id=f"{name}-{why}-{label}")
    for name, why, estimator in settings()
    for label, call in checks(estimator)
]


@pytest.mark.parametrize(("label", "call"), CHECKS)
def test_scikit_learn_accepts_the_estimator(label: str, call: Callable[[], None]) -> None:
    """The check passes; it is skipped only where its name and the reason are listed."""
    try:
        call()
    except SkipTest:
        reason = may_be_skipped(label)
        if reason is None:
            raise AssertionError(f"{label} was skipped") from None
        pytest.skip(reason)


def test_every_estimator_is_checked() -> None:
    """Edge settings and required parameters name public estimators; every public estimator has checks."""
    assert set(EDGES) | set(REQUIRED) <= set(public_estimators())
    assert {name for name, _, _ in settings()} == set(public_estimators())
