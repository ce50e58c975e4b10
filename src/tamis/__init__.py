"""tamis sifts a table: it keeps the columns and the rows that matter.

Every public name is loaded when it is first used, so that ``import tamis`` is immediate.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tamis._version import __version__

if TYPE_CHECKING:
    from tamis.boosting.stump_adaboost import StumpAdaBoost
    from tamis.features.bdsfs import BDSFS
    from tamis.features.sbsmf import SBSMF
    from tamis.features.univariate import UnivariateAUC
    from tamis.prototypes.chance import RandomPrototypes
    from tamis.study.selector_cv import SelectorCV

_HOME = {
    "BDSFS": "tamis.features.bdsfs",
    "RandomPrototypes": "tamis.prototypes.chance",
    "SBSMF": "tamis.features.sbsmf",
    "SelectorCV": "tamis.study.selector_cv",
    "StumpAdaBoost": "tamis.boosting.stump_adaboost",
    "UnivariateAUC": "tamis.features.univariate",
}

__all__ = [
    "BDSFS",
    "RandomPrototypes",
    "SBSMF",
    "SelectorCV",
    "StumpAdaBoost",
    "UnivariateAUC",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
