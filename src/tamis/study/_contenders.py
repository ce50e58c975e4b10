"""The methods of a comparison: from names and estimators to unfitted selectors."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator

from tamis._methods import Method, of_class
from tamis._methods import methods as listed_methods
from tamis.study._peers import peer, peers
from tamis.table._names import did_you_mean

BASELINE = {"columns": "all columns", "rows": "all rows"}
QUICK = ("univariate-auc", "sbs-mf", "gram-schmidt", "relieff", "margin-prototypes", "random")
"""What `tamis compare` takes where no method is named: each done in seconds on a table of some thousand rows."""

CLASSES_ONLY = "for classes only, and the target is numeric."
_SEARCHES_ELSEWHERE = frozenset(("BorutaPy", "RFE", "RFECV", "SelectorCV", "SequentialFeatureSelector"))


def contenders(
    methods: Any, random_state: int, target_kind: str = "classes"
) -> tuple[dict[str, Any], dict[str, str]]:
    """Selectors by name, and those that cannot take the target.

    Parameters
    ----------
    methods : None, iterable of str and estimators, or mapping of str to estimator
        None is every method of this library; "quick", "columns", "rows" and "peers" are those of a kind.
    random_state : int
        For the methods given by name.
    target_kind : {"classes", "numbers"}, default="classes"
        What the target holds.

    Returns
    -------
    dict of str to estimator
        Unfitted selectors.
    dict of str to str
        The methods given by name that do not take such a target, each with the reason.
    """
    if methods is None:
        methods = ["columns", "rows"]
    if isinstance(methods, str) or hasattr(methods, "fit"):
        methods = [methods]
    selectors: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    if isinstance(methods, Mapping):
        pairs = [(str(name), selector) for name, selector in methods.items()]
    else:
        pairs = [pair for given in methods for pair in _named(given, random_state, target_kind)]
    for name, selector in pairs:
        if selector is None:
            left_out[name] = CLASSES_ONLY
            continue
        label = name
        for number in range(2, len(pairs) + 2):
            if label not in selectors:
                break
            label = f"{name} {number}"
        if label in BASELINE.values():
            raise ValueError(
                f"compare: a method is named {label!r}, which is the name of keeping everything. Rename it."
            )
        refuse_fitted(label, selector)
        selectors[label] = _told_kind(selector, target_kind)
    if left_out and not selectors:
        fit = [method.name for method in listed_methods() if method.takes_numbers]
        raise ValueError(
            f"compare: the target is numeric, and {', '.join(left_out)} take classes only. Use some of {', '.join(fit)}."
        )
    if not selectors:
        raise ValueError("compare: no methods were given. Name at least one, or None for all.")
    return selectors, left_out


def _told_kind(selector: Any, target_kind: str) -> Any:
    """A selector that would guess what the target holds is told that it holds numbers."""
    if target_kind == "classes" or selector.get_params(deep=False).get("target_kind") != "auto":
        return selector
    return clone(selector).set_params(target_kind=target_kind)


def sifts(selector: BaseEstimator) -> str:
    """What a selector keeps: "columns" or "rows"."""
    return "rows" if hasattr(selector, "fit_resample") else "columns"


def searches(selector: BaseEstimator) -> bool:
    """Whether a selector tries many sets of columns, by the name of its class: such selectors take long on wide tables."""
    name, part = type(selector).__name__, getattr(selector, "selector", None)
    method = of_class(name)
    if method is not None:
        return method.searches
    # `Coded` wraps a selector of another library.
    return name in _SEARCHES_ELSEWHERE or (part is not None and searches(part))


def compiles_long(selector: BaseEstimator) -> bool:
    """Whether the first fit on a machine compiles for ten seconds or more, by the name of the class."""
    method = of_class(type(selector).__name__)
    return method is not None and method.compiles_long


def makes_rows(selector: BaseEstimator | None) -> bool:
    """Whether the rows of a selector are made, by the name of its class: they are in no table."""
    method = None if selector is None else of_class(type(selector).__name__)
    return method is not None and method.makes


def refuse_fitted(name: str, selector: BaseEstimator) -> None:
    """Guard against leakage: a fitted selector has seen the rows that are held out."""
    if isinstance(selector, type) or not hasattr(selector, "fit") or not hasattr(selector, "get_params"):
        raise TypeError(
            f"compare: the method {name!r} is {selector!r}, which is not an estimator. Give an instance with fit, or a name."
        )
    for part in [selector, *selector.get_params(deep=True).values()]:
        if getattr(part, "prefit", None) is True or isinstance(part, FrozenEstimator):
            raise ValueError(
                f"compare: the method {name!r} holds a {type(part).__name__} of a fitted model, which has seen rows that "
                "are held out in the folds. Give it unfitted."
            )
        learned = [key for key in vars(part) if _is_learned(key)] if isinstance(part, BaseEstimator) else []
        if learned:
            raise ValueError(
                f"compare: the method {name!r} holds a fitted {type(part).__name__} ({learned[0]}), which has seen rows "
                "that are held out in the folds. Give it unfitted, as sklearn.base.clone returns it."
            )


def _is_learned(attribute: str) -> bool:
    return attribute.endswith("_") and not attribute.startswith("_")


def _named(given: Any, random_state: int, target_kind: str) -> Iterable[tuple[str, Any]]:
    """Pairs of a name and a selector; None in its place if it does not take such a target."""
    if not isinstance(given, str):
        yield type(given).__name__, given
        return
    known = {method.name: method for method in listed_methods()}
    others = peers(target_kind)
    groups = {
        "quick": QUICK,
        "columns": [name for name, method in known.items() if method.sifts == "columns"],
        "rows": [name for name, method in known.items() if method.sifts == "rows"],
        "peers": others,
    }
    for name in groups.get(given, (given,)):
        if name in known:
            fits = target_kind == "classes" or known[name].takes_numbers
            yield name, _made(known[name], random_state) if fits else None
        elif name in others:
            yield name, peer(name, random_state, target_kind)
        else:
            every = [*known, *others, *groups]
            raise ValueError(
                f"compare: no method {name!r}.{did_you_mean(name, every)} Methods: {', '.join(every)}."
            )


def _made(method: Method, random_state: int) -> Any:
    """The selector of a registered method, with the seed if it takes one."""
    kind = method.estimator_class()
    seed = {"random_state": random_state} if "random_state" in inspect.signature(kind).parameters else {}
    return kind(**method.settings, **seed)
