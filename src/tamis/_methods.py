"""The registry of methods: the names that the command line knows, and everything it needs to know about each of them.

A new method is one entry here. Nothing heavy is loaded: an entry names its class, which is imported when it is needed.
Entries of the same class must agree about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Sifts = Literal["columns", "rows"]


@dataclass(frozen=True)
class Method:
    """One method under the name that a user types.

    Parameters
    ----------
    name : str
        What follows ``--method``.
    estimator : str
        The name of the public class in `tamis`.
    sifts : "columns" or "rows"
        What it keeps.
    summary : str
        One sentence for ``tamis methods``.
    settings : mapping
        The parameters with which the class is this method.
    searches : bool
        Whether the class tries many sets of columns, which takes long on wide tables.
    compiles_long : bool
        Whether its first fit on a machine compiles for ten seconds or more.
    reads_parts : bool
        Whether it fits a table in parts, such as a folder of Parquet files.
    makes : bool
        Whether its rows are made, not kept: they are in no table.
    takes_numbers : bool
        Whether its target may be numeric; entries of the same class may differ in it.
    many_rows : int or None
        Above so many rows it takes more than a minute or two on some dozen columns, and the command line draws a sample of as
        many; None where it does not.
    """

    name: str
    estimator: str
    sifts: Sifts
    summary: str
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    searches: bool = False
    compiles_long: bool = False
    reads_parts: bool = False
    makes: bool = False
    takes_numbers: bool = False
    many_rows: int | None = None

    def estimator_class(self) -> Any:
        """The class; this imports it."""
        import tamis

        return getattr(tamis, self.estimator)


METHODS: tuple[Method, ...] = (
    Method(
        "sieve",
        "Sieve",
        "columns",
        "Six rankings together, the head searched, the number chosen by resampling: the default.",
        reads_parts=True,
        takes_numbers=True,
        searches=True,
        compiles_long=True,
    ),
    Method(
        "univariate-auc",
        "UnivariateAUC",
        "columns",
        "Each column alone, by the area under its ROC curve.",
        reads_parts=True,
        takes_numbers=True,
    ),
    Method(
        "permutation",
        "PermutationRanking",
        "columns",
        "What a model of any kind loses on held-out rows when a column is shuffled.",
        searches=True,
        takes_numbers=True,
        many_rows=20_000,
    ),
    Method(
        "pair-scan",
        "PairScan",
        "columns",
        "Each column by its best evidence, alone or in a pair: all pairs are looked at.",
        reads_parts=True,
        takes_numbers=True,
        many_rows=100_000,
    ),
    Method(
        "sbs-mf",
        "SBSMF",
        "columns",
        "Backward elimination by each column's part in the boosted margins.",
        compiles_long=True,
        reads_parts=True,
        takes_numbers=True,
    ),
    Method(
        "adaboost-cr",
        "SBSMF",
        "columns",
        "Backward elimination by each column's part in the weights of boosted stumps.",
        MappingProxyType({"criterion": "contribution_ratio"}),
        compiles_long=True,
        reads_parts=True,
        takes_numbers=True,
    ),
    Method(
        "bdsfs",
        "BDSFS",
        "columns",
        "Columns in the order in which boosted stumps ask for them, each once.",
        reads_parts=True,
        takes_numbers=True,
        searches=True,
        compiles_long=True,
    ),
    Method(
        "fs2boost",
        "FS2Boost",
        "columns",
        "Forward search that minimises AdaBoost's Z over nearest-neighbour votes.",
        searches=True,
        compiles_long=True,
        many_rows=8_000,
    ),
    Method(
        "ifs2boost",
        "FS2Boost",
        "columns",
        "The same, where rows of one description and several classes do not count.",
        MappingProxyType({"criterion": "z_prime"}),
        searches=True,
        compiles_long=True,
        many_rows=8_000,
    ),
    Method(
        "sfs",
        "FS2Boost",
        "columns",
        "The same search, by the accuracy of the nearest neighbours.",
        MappingProxyType({"criterion": "accuracy"}),
        takes_numbers=True,
        searches=True,
        compiles_long=True,
        many_rows=8_000,
    ),
    Method(
        "simba",
        "Simba",
        "columns",
        "Weights that widen the margins of the nearest neighbour, by gradient ascent.",
        compiles_long=True,
        many_rows=20_000,
    ),
    Method(
        "relieff",
        "ReliefF",
        "columns",
        "Columns that differ on near misses and agree on near hits.",
        takes_numbers=True,
        many_rows=50_000,
    ),
    Method(
        "roger",
        "ROGER",
        "columns",
        "The weights of one evolved hypothesis of largest area under the ROC curve.",
        compiles_long=True,
        takes_numbers=True,
        many_rows=50_000,
    ),
    Method(
        "efr",
        "EFR",
        "columns",
        "The ranking that the majority of an ensemble of evolved hypotheses agree on.",
        takes_numbers=True,
        searches=True,
        compiles_long=True,
        many_rows=5_000,
    ),
    Method(
        "sampled-efr",
        "SampledEFR",
        "columns",
        "The share of sampled sparse hypotheses, linear or not, that need the column.",
        takes_numbers=True,
        searches=True,
        compiles_long=True,
        many_rows=2_000,
    ),
    Method(
        "gram-schmidt",
        "GramSchmidt",
        "columns",
        "The cosine with the classes, each column off those before it.",
        reads_parts=True,
        takes_numbers=True,
    ),
    Method(
        "svm-rfe",
        "LinearWeights",
        "columns",
        "Backward elimination by the weights of a linear support vector machine.",
        searches=True,
        many_rows=20_000,
    ),
    Method(
        "bagged-svm",
        "LinearWeights",
        "columns",
        "Weights of linear support vector machines, averaged over samples of the rows.",
        settings=MappingProxyType({"step": None, "n_bags": 50}),
        searches=True,
        many_rows=20_000,
    ),
    Method(
        "decoys",
        "Decoys",
        "columns",
        "Columns that beat decoys of themselves, at a stated false discovery rate.",
        searches=True,
        compiles_long=True,
        takes_numbers=True,
        many_rows=20_000,
    ),
    Method(
        "stability",
        "StabilitySelection",
        "columns",
        "Columns chosen again and again on halves of the rows, few of them by chance.",
        searches=True,
        compiles_long=True,
        takes_numbers=True,
        many_rows=20_000,
    ),
    Method(
        "margin-prototypes",
        "MarginPrototypes",
        "rows",
        "Rows whose own nearest-neighbour rule has the widest margins, by swaps: for small sets of rows.",
        compiles_long=True,
    ),
    Method(
        "moved-prototypes",
        "MovedPrototypes",
        "rows",
        "Made rows that move to where their nearest-neighbour rule has wide margins: for very few rows.",
        compiles_long=True,
        makes=True,
    ),
    Method("psboost", "PSBoost", "rows", "Rows that boosting would ask to vote for their neighbours."),
    Method("condensed-nn", "CondensedNN", "rows", "Hart: rows that the rows kept so far get wrong."),
    Method("reduced-nn", "ReducedNN", "rows", "Gates: Hart's rows, less those that can go without harm."),
    Method("edited-nn", "EditedNN", "rows", "Wilson: rows that their neighbours agree with."),
    Method(
        "drop3", "DROP3", "rows", "Wilson and Martinez: edited, then thinned from the inside of the classes."
    ),
    Method("monte-carlo", "MonteCarloPrototypes", "rows", "Skalak: the best of many random sets of rows."),
    Method(
        "hill-climbing",
        "HillClimbingPrototypes",
        "rows",
        "Skalak: a random set of rows, improved one by one.",
    ),
    Method("random", "RandomPrototypes", "rows", "Rows drawn by chance: what any row selector must beat."),
)


def methods(sifts: Sifts | None = None) -> list[Method]:
    """The methods that sift columns, or rows, or (None) all of them."""
    return [method for method in METHODS if sifts in (None, method.sifts)]


def of_class(estimator: str) -> Method | None:
    """The first method of the class of that name; None if the class is not a method."""
    return next((method for method in METHODS if method.estimator == estimator), None)
