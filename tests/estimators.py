"""Every public estimator, at its default and at edge settings, and scikit-learn's checks for it.

A new public estimator is found by itself, and each of the usual sizes (one column, all rows, ...) with it. What only
its own parameters can bring about is one line in `EDGES`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import sklearn.utils.estimator_checks as sklearn_checks
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

import tamis
from tamis.features.roger import ROGER

# Parameters that have no default (a model that takes gaps, as the selectors do), and those that save time.
REQUIRED: dict[str, dict[str, Any]] = {
    "Decoys": {"selector": tamis.UnivariateAUC(), "n_sets": 2, "n_decoys": 3, "n_features_to_select": 0.5},
    "EFR": {"n_estimators": 3},  # of 300
    "SampledEFR": {"n_sweeps": 60, "n_burn_in": 20},  # of 400: seconds instead of a minute
    "PrototypeClassifier": {"selector": tamis.MonteCarloPrototypes(0.8, n_samples=3, random_state=0)},
    "Sieve": {  # few members, and no forest for each size; all of it takes weights
        "members": [("auc", tamis.UnivariateAUC()), ("cosine", tamis.GramSchmidt())],
        "search": False,
        "estimator": DecisionTreeClassifier(max_depth=2, random_state=0),
        "cv": 2,
    },
    "StabilitySelection": {"selector": tamis.UnivariateAUC(), "n_pairs": 3, "n_features_to_select": 0.5},
    "SelectorCV": {
        "selector": tamis.UnivariateAUC(),
        "estimator": DecisionTreeClassifier(max_depth=2, random_state=0),
        "cv": 2,
    },
}

# Sizes at which things break, for whoever has the parameter: why -> value.
SIZES: dict[str, dict[str, Any]] = {
    "n_features_to_select": {"one column": 1, "every column": 1.0},
    "n_prototypes": {"one row": 1, "every row": 1.0},
}

# Edge settings of one estimator: why -> parameters.
EDGES: dict[str, dict[str, dict[str, Any]]] = {
    "CondensedNN": {"drawn order": {"order": "random"}},
    "Decoys": {
        "one set of equal distances": {"n_sets": 1, "distance": "equicorrelated"},
        "two jobs": {"n_jobs": 2, "n_sets": 3},
    },
    "FS2Boost": {
        "stumps, bounded": {"estimator": "stump", "n_rounds": 3, "bounded": True},
        "the paper's search": {"preset": "paper", "criterion": "z_prime_minimised"},
        "backward and floating": {"direction": "backward", "floating": True},
        "the paper's stop, exactly k": {
            "criterion": "z_prime",
            "patience": 1,
            "ties": "lowest",
            "vote": "sign",
        },
    },
    "GramSchmidt": {"as in the paper": {"centered": False, "signed": True}},
    "LinearWeights": {"three samples, no elimination": {"step": None, "n_bags": 3}},
    "HillClimbingPrototypes": {"as many as Hart's": {"n_prototypes": "condensed"}},
    "MarginPrototypes": {
        "as many as Hart's": {"n_prototypes": "condensed"},
        "few candidates, balanced": {"n_candidates": 0.3, "class_weight": "balanced", "self_credit": 0.0},
    },
    "NeighborAdaBoost": {"one round, exactly k": {"n_rounds": 1, "ties": "lowest", "vote": "sign"}},
    "PairScan": {"one partner, two threads": {"n_partners": 1, "n_jobs": 2}},
    "PermutationRanking": {"elimination, two at a time": {"step": 2, "n_repeats": 1, "cv": 2}},
    "PSBoost": {
        "as in the paper": {"preset": "paper"},
        "as many as Hart's": {"n_prototypes": "condensed"},
    },
    "PSBoostClassifier": {"every row votes": {"voting": "weighted", "all_rows": True}},
    "ROGER": {"linear": {"hypothesis": "linear"}, "niches": {"niching": True, "n_evaluations": 1020}},
    "RandomPrototypes": {"a quota a class": {"class_quota": "proportional"}},
    "ReliefF": {"one neighbour": {"n_neighbors": 1, "metric": "l2"}, "half of the rows": {"n_samples": 0.5}},
    "Simba": {"two starts and passes": {"n_starts": 2, "n_passes": 2, "n_jobs": 2}},
    "SBSMF": {
        "one round": {"n_rounds": 1},
        "contribution ratio, halving": {"criterion": "contribution_ratio", "step": 0.5, "step_until": 2},
        "capped and balanced": {"weight_cap": 2.0, "class_weight": "balanced"},
        "shared credit": {"share_above": 0.9},
        "pairs": {"interactions": 3},
        "small steps": {"learning_rate": 0.1},
        "trees": {"max_leaves": 4, "n_rounds": 10},
    },
    "SelectorCV": {
        "best size": {"rule": "best"},
        "rows": {"selector": tamis.RandomPrototypes(random_state=0), "sizes": [0.5, 1.0]},
    },
    "StabilitySelection": {"worst case, two jobs": {"bound": "worst_case", "n_jobs": 2}},
    "StumpAdaBoost": {
        "one round": {"n_rounds": 1},
        "capped and balanced": {"weight_cap": 3.0, "class_weight": "balanced"},
        "pairs": {"interactions": 3, "n_rounds": 20},
        "trees": {"max_leaves": 4, "n_rounds": 20},
    },
    "UnivariateAUC": {"two views": {"folded": True}},
}

# How many rows of each class a selector needs, where one is not enough.
CLASS_ROWS: dict[str, int] = {}

# Parameters that keep a selector quick in the property tests.
QUICK: dict[str, dict[str, Any]] = {
    "EFR": {"estimator": ROGER(n_evaluations=300), "n_estimators": 2},
    "PermutationRanking": {"cv": 2, "n_repeats": 1},
    "ROGER": {"n_evaluations": 300},
    "Sieve": {
        "n_features_to_select": 0.5,
        "explain": False,
        "estimator": None,
        "members": None,
        "search": True,
    },
    "SampledEFR": {"n_chains": 1, "n_additive_chains": 1, "n_sweeps": 6, "n_burn_in": 2},
}

# Selectors whose search meets ties of its own, settled by position: where columns or classes change places, only
# their scores are compared. Selector -> which ties.
TIES: dict[str, str] = {
    "BDSFS": "two columns of equal gain at a later step; two classes of equal weight in a leaf",
}

# Properties (names of functions in test_properties.py) that a selector does not have: property -> selector -> why.
_FOREST = "its forest draws columns by their positions, and settles equal votes by the order of the classes"
_DRAWS = "draws its hypotheses gene by gene: columns or classes in another order meet other draws"
_COPIES = "copies of a row may be in different folds, or learnt in one part and judged in the other"
EXCUSED: dict[str, dict[str, str]] = {
    "test_the_names_of_the_classes_do_not_matter": {
        "EFR": _DRAWS,
        "PermutationRanking": _FOREST,
        "SampledEFR": _DRAWS,
        "MarginPrototypes": "of equal remainders of a quota the earlier class takes the row",
        "PSBoost": "of equal remainders of a quota the earlier class takes the row",
        "ROGER": _DRAWS,
        "Sieve": "its member BDSFS settles two classes of equal weight in a leaf by position; see TIES",
    },
    "test_the_number_of_rows_asked_for_is_kept": {
        "PSBoost": "keeps fewer, with a warning, where fewer have an alpha of 0 or more",
    },
    "test_a_row_of_weight_k_is_a_row_given_k_times": {
        "FS2Boost": "copies are each other's neighbours unless groups say otherwise; see tests/features/test_fs2boost_rows.py",
        "PermutationRanking": _COPIES,
        "ReliefF": "copies are each other's neighbours unless groups say otherwise; see tests/features/test_relieff.py",
        "Sieve": "with weights the head is not searched, and copies are Simba's neighbours; see tests/features/test_sieve.py",
        "Simba": "copies are each other's neighbours unless groups say otherwise; see tests/features/test_simba.py",
    },
    "test_permuting_columns_permutes_the_answer": {
        "Decoys": "columns in another order have other decoys",
        "EFR": _DRAWS,
        "PermutationRanking": _FOREST,
        "ROGER": _DRAWS,
        "SampledEFR": _DRAWS,
        "StabilitySelection": "columns are put in an order that is drawn by position",
        "Sieve": "one of its members does not, see the next",
        "SBSMF": "two stumps of equal edge, common on a few rows, go by position; see tests/stumps/test_sorted_run.py",
    },
}

# Selectors that may find nothing worth keeping in a small table, and say so: by an error, or by a warning.
REFUSES: dict[str, str] = {
    "DROP3": "none would be kept",
    "EditedNN": "none would be kept",
    "PSBoost": "none would be kept",
}
WARNS: dict[str, str] = {"PSBoost": "PSBoost: kept .* rows of the"}

# Checks that may be skipped, and why.
SKIPPED = {
    "check_array_api_input": "needs the environment variable SCIPY_ARRAY_API, which has to be set before SciPy loads",
}

# Checks that an estimator fails by design: estimator (or estimator: setting) -> check -> why. One that passes after all fails the test.
_NO_WEIGHTS = "the selector of this setting takes no weights, which SelectorCV refuses by a TypeError"
_NEIGHBOURS = "copies of a row are each other's neighbours unless groups say otherwise"
_KEPT = (
    "a weight is what a row counts when rows are chosen; copies are rows to keep, and each other's neighbours"
)
FAILS: dict[str, dict[str, str]] = {
    **{
        f"ReliefF: {why}": {"check_sample_weight_equivalence_on_dense_data": _NEIGHBOURS}
        for why in ("default", "one neighbour", "half of the rows")
    },
    **{
        f"FS2Boost: {why}": {"check_sample_weight_equivalence_on_dense_data": _NEIGHBOURS}
        for why in (
            "default",
            "one column",
            "the paper's search",
            "backward and floating",
            "the paper's stop, exactly k",
        )
    },
    **{
        f"PermutationRanking: {why}": {"check_sample_weight_equivalence_on_dense_data": _COPIES}
        for why in ("default", "one column", "elimination, two at a time")
    },
    **{
        f"Simba: {why}": {"check_sample_weight_equivalence_on_dense_data": _NEIGHBOURS}
        for why in ("default", "one column", "two starts and passes")
    },
    "SelectorCV: rows": dict.fromkeys(
        (
            "check_sample_weights_pandas_series",
            "check_sample_weights_not_an_array",
            "check_sample_weights_list",
            "check_all_zero_sample_weights_error",
            "check_sample_weights_shape",
            "check_sample_weights_not_overwritten",
            "check_sample_weight_equivalence_on_dense_data",
            "check_classifiers_one_label_sample_weights",
        ),
        _NO_WEIGHTS,
    ),
    **{
        name: {"check_sample_weight_equivalence_on_dense_data": _KEPT}
        for name in ("PrototypeClassifier", "PSBoostClassifier")
    },
    "StumpAdaBoost": {
        "check_class_weight_classifiers": (
            "class_weight sets the start weights, as in the paper; a hundred rounds that get every row right have by "
            "then forgotten a ratio of 10^7 between two classes"
        ),
    },
}

_LEFT_OUT = ("check_dataframe_column_names_consistency", "check_param_validation")
_LEFT_OUT_TRANSFORM = (
    "check_get_feature_names_out_error",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
)


def public_estimators() -> dict[str, type[Any]]:
    """The public classes that scikit-learn would call estimators, by name."""
    found = {name: getattr(tamis, name) for name in tamis.__all__}
    return {
        name: cls for name, cls in found.items() if inspect.isclass(cls) and issubclass(cls, BaseEstimator)
    }


def default(name: str, **parameters: Any) -> Any:
    """A new estimator of the class called `name`, with what it needs and `parameters`."""
    return public_estimators()[name](**{**REQUIRED.get(name, {}), **parameters})


def settings() -> Iterator[tuple[str, str, Any]]:
    """Name, reason and instance of every estimator at every setting."""
    for name in public_estimators():
        yield name, "default", default(name)
        for parameter, values in SIZES.items():
            for why, value in values.items():
                # One row is no classifier: sizes of rows are tried where rows are the answer.
                fits = parameter != "n_prototypes" or hasattr(default(name), "fit_resample")
                if fits and parameter in default(name).get_params(deep=False):
                    yield name, why, default(name, **{parameter: value})
        for why, parameters in EDGES.get(name, {}).items():
            yield name, why, default(name, **parameters)


def checks(estimator: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and call of each of scikit-learn's checks, those that check_estimator leaves out at the end."""
    for instance, check in sklearn_checks.estimator_checks_generator(estimator):
        yield _label(check), partial(_quietly, check, instance)
    left_out = _LEFT_OUT + (_LEFT_OUT_TRANSFORM if hasattr(estimator, "transform") else ())
    for name in left_out:
        yield name, partial(_alone, getattr(sklearn_checks, name), estimator)


def may_be_skipped(label: str) -> str | None:
    """The reason why the check called `label` may be skipped, or None where it may not."""
    return SKIPPED.get(label.partition("(")[0])


def fails_by_design(name: str, why: str, label: str) -> str | None:
    """The reason why an estimator is expected to fail a check at a setting, or None."""
    check = label.partition("(")[0]
    return FAILS.get(f"{name}: {why}", {}).get(check) or FAILS.get(name, {}).get(check)


def _quietly(check: Any, instance: Any) -> None:
    """One check, without PSBoost's warning that there are no more rows worth keeping: it is what "every row" asks for."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PSBoost.*: kept .* rows of the")
        check(instance)


def _alone(check: Any, estimator: Any) -> None:
    """One check by itself; those of set_output mix frames and arrays, of which scikit-learn rightly warns."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PSBoost.*: kept .* rows of the")
        if "output" in check.__name__:
            warnings.filterwarnings("ignore", message="X (does not have valid|has) feature names")
        check(type(estimator).__name__, estimator)


def _label(check: Any) -> str:
    """The check's name, with the arguments that tell two uses of one check apart."""
    given = ",".join(f"{key}={value}" for key, value in check.keywords.items())
    return f"{check.func.__name__}({given})" if given else str(check.func.__name__)
