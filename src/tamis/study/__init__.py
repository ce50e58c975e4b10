"""Honest comparison: resampling with the selection inside every fold, stability, statistics."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.study._chance import Chance, ChanceTest
    from tamis.study._compare import compare
    from tamis.study._comparison import Comparison, Curve
    from tamis.study._recommend import Candidate, Recommendation, recommend
    from tamis.study._stability import Stability, stability
    from tamis.study._statistics import RankTest, TTest, corrected_t_test, friedman_nemenyi

_HOME = {
    "Candidate": "tamis.study._recommend",
    "Chance": "tamis.study._chance",
    "ChanceTest": "tamis.study._chance",
    "Comparison": "tamis.study._comparison",
    "Curve": "tamis.study._comparison",
    "RankTest": "tamis.study._statistics",
    "Recommendation": "tamis.study._recommend",
    "Stability": "tamis.study._stability",
    "TTest": "tamis.study._statistics",
    "compare": "tamis.study._compare",
    "corrected_t_test": "tamis.study._statistics",
    "friedman_nemenyi": "tamis.study._statistics",
    "recommend": "tamis.study._recommend",
    "stability": "tamis.study._stability",
}

__all__ = [
    "Candidate",
    "Chance",
    "ChanceTest",
    "Comparison",
    "Curve",
    "RankTest",
    "Recommendation",
    "Stability",
    "TTest",
    "compare",
    "corrected_t_test",
    "friedman_nemenyi",
    "recommend",
    "stability",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis.study' has no attribute {name!r}")
