"""tamis sifts a table: it keeps the columns and the rows that matter.

Every public name is loaded when it is first used, so that ``import tamis`` is immediate.
"""

from importlib import import_module

from tamis._version import __version__

TYPE_CHECKING = False  # type checkers know the name; importing typing would take as long as all the rest

if TYPE_CHECKING:
    from tamis.boosting.neighbor_adaboost import NeighborAdaBoost
    from tamis.boosting.stump_adaboost import StumpAdaBoost
    from tamis.features.bdsfs import BDSFS
    from tamis.features.efr import EFR
    from tamis.features.fs2boost import FS2Boost, stabilised_rounds
    from tamis.features.gram_schmidt import GramSchmidt
    from tamis.features.relieff import ReliefF
    from tamis.features.roger import ROGER
    from tamis.features.sampled_efr import SampledEFR
    from tamis.features.sbsmf import SBSMF
    from tamis.features.simba import Simba
    from tamis.features.univariate import UnivariateAUC
    from tamis.prototypes.chance import RandomPrototypes
    from tamis.prototypes.classifiers import PrototypeClassifier
    from tamis.prototypes.condensed import CondensedNN
    from tamis.prototypes.drop3 import DROP3
    from tamis.prototypes.edited import EditedNN
    from tamis.prototypes.margin import MarginPrototypes
    from tamis.prototypes.psboost import PSBoost
    from tamis.prototypes.psboost_classifier import PSBoostClassifier
    from tamis.prototypes.reduced import ReducedNN
    from tamis.prototypes.skalak import HillClimbingPrototypes, MonteCarloPrototypes
    from tamis.study.selector_cv import SelectorCV

_HOME = {
    "BDSFS": "tamis.features.bdsfs",
    "CondensedNN": "tamis.prototypes.condensed",
    "DROP3": "tamis.prototypes.drop3",
    "EFR": "tamis.features.efr",
    "EditedNN": "tamis.prototypes.edited",
    "FS2Boost": "tamis.features.fs2boost",
    "GramSchmidt": "tamis.features.gram_schmidt",
    "HillClimbingPrototypes": "tamis.prototypes.skalak",
    "MarginPrototypes": "tamis.prototypes.margin",
    "MonteCarloPrototypes": "tamis.prototypes.skalak",
    "NeighborAdaBoost": "tamis.boosting.neighbor_adaboost",
    "PSBoost": "tamis.prototypes.psboost",
    "PSBoostClassifier": "tamis.prototypes.psboost_classifier",
    "PrototypeClassifier": "tamis.prototypes.classifiers",
    "ROGER": "tamis.features.roger",
    "RandomPrototypes": "tamis.prototypes.chance",
    "ReducedNN": "tamis.prototypes.reduced",
    "ReliefF": "tamis.features.relieff",
    "SBSMF": "tamis.features.sbsmf",
    "SampledEFR": "tamis.features.sampled_efr",
    "SelectorCV": "tamis.study.selector_cv",
    "Simba": "tamis.features.simba",
    "StumpAdaBoost": "tamis.boosting.stump_adaboost",
    "UnivariateAUC": "tamis.features.univariate",
    "stabilised_rounds": "tamis.features.fs2boost",
}

__all__ = [
    "BDSFS",
    "CondensedNN",
    "DROP3",
    "EFR",
    "EditedNN",
    "FS2Boost",
    "GramSchmidt",
    "HillClimbingPrototypes",
    "MarginPrototypes",
    "MonteCarloPrototypes",
    "NeighborAdaBoost",
    "PSBoost",
    "PSBoostClassifier",
    "PrototypeClassifier",
    "ROGER",
    "RandomPrototypes",
    "ReducedNN",
    "ReliefF",
    "SBSMF",
    "SampledEFR",
    "SelectorCV",
    "Simba",
    "StumpAdaBoost",
    "UnivariateAUC",
    "__version__",
    "stabilised_rounds",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
