"""Figures in scikit-learn's manner, and the one-file HTML page.

Matplotlib is loaded when something is drawn, and not before.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.report._column_displays import PathDisplay, RankingDisplay, RocFsDisplay
    from tamis.report._row_displays import MarginDisplay, PrototypeDisplay
    from tamis.report._study_displays import CriticalDifferenceDisplay, SizeCurveDisplay, StabilityDisplay

_HOME = {
    "CriticalDifferenceDisplay": "tamis.report._study_displays",
    "MarginDisplay": "tamis.report._row_displays",
    "PathDisplay": "tamis.report._column_displays",
    "PrototypeDisplay": "tamis.report._row_displays",
    "RankingDisplay": "tamis.report._column_displays",
    "RocFsDisplay": "tamis.report._column_displays",
    "SizeCurveDisplay": "tamis.report._study_displays",
    "StabilityDisplay": "tamis.report._study_displays",
}

__all__ = [
    "CriticalDifferenceDisplay",
    "MarginDisplay",
    "PathDisplay",
    "PrototypeDisplay",
    "RankingDisplay",
    "RocFsDisplay",
    "SizeCurveDisplay",
    "StabilityDisplay",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis.report' has no attribute {name!r}")
