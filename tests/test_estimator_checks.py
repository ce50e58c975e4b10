"""scikit-learn's estimator checks over every public estimator, at its default and at edge settings."""

from __future__ import annotations

from collections.abc import Callable
from unittest import SkipTest

import pytest

from tests.estimators import (
    EDGES,
    FAILS,
    REQUIRED,
    checks,
    fails_by_design,
    may_be_skipped,
    public_estimators,
    settings,
)

CHECKS = [
    pytest.param(name, why, label, call, id=f"{name}-{why}-{label}")
    for name, why, estimator in settings()
    for label, call in checks(estimator)
]


@pytest.mark.parametrize(("name", "why", "label", "call"), CHECKS)
def test_scikit_learn_accepts_the_estimator(
    name: str, why: str, label: str, call: Callable[[], None]
) -> None:
    """The check passes; it is skipped, or fails by design, only where its name and the reason are listed."""
    if fails_by_design(name, why, label):
        with pytest.raises((AssertionError, TypeError)):
            call()
        return
    try:
        call()
    except SkipTest:
        reason = may_be_skipped(label)
        if reason is None:
            raise AssertionError(f"{label} was skipped") from None
        pytest.skip(reason)


def test_every_estimator_is_checked() -> None:
    """Edge settings and required parameters name public estimators; every public estimator has checks."""
    assert set(EDGES) | set(REQUIRED) | {name.partition(":")[0] for name in FAILS} <= set(public_estimators())
    assert {name for name, _, _ in settings()} == set(public_estimators())
