"""From ``--method`` and ``--set`` to an estimator; mistakes are reported before a file is read."""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tamis._methods import Method, Sifts, methods
from tamis.cli._sentences import UserError, said
from tamis.table._names import did_you_mean, listed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


DEFAULT = "sieve"  # the method for columns
DECOYS = "decoys"  # the method of --fdr
SIZE = {"columns": "n_features_to_select", "rows": "n_prototypes"}
_COMMANDS = {"columns": "tamis rank or tamis select", "rows": "tamis condense"}


def chosen_estimator(
    name: str | None,
    sifts: Sifts,
    settings: Iterable[str] | None,
    *,
    keep: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    fdr: float | None = None,
) -> tuple[Method, Any]:
    """The method and its estimator as the options ask for them.

    Parameters
    ----------
    name : str or None
        What ``--method`` gave.
    sifts : "columns" or "rows"
        What the command sifts.
    settings : iterable of str or None
        What each ``--set`` gave.
    keep : str or None
        What ``--keep`` gave.
    seed, jobs : int or None
        What ``--seed`` and ``--jobs`` gave.
    fdr : float or None
        What ``--fdr`` gave: `Decoys` at this rate, with the named method as its judge.

    Returns
    -------
    Method, estimator
        The estimator is not yet fitted.
    """
    method = find_method(name, sifts) if fdr is None or name is not None else find_method(DECOYS, sifts)
    size = parsed_size(keep, sifts)
    given = parsed_settings(settings or ())
    if fdr is None:
        return method, make_estimator(method, given, keep=size, seed=seed, jobs=jobs)
    checked_rate(fdr, keep)
    if method.name == DECOYS:
        if "fdr" in given:
            raise UserError("--fdr and --set fdr say the same thing twice. Give one of them.")
        return method, make_estimator(method, {**given, "fdr": fdr}, seed=seed, jobs=jobs)
    judge = make_estimator(method, given)
    decoys = find_method(DECOYS, sifts)
    return decoys, make_estimator(decoys, {"selector": judge, "fdr": fdr}, seed=seed, jobs=jobs)


def checked_rate(fdr: float | None, keep: str | None) -> None:
    """Refuse a rate that is none, or one beside a number of columns."""
    if fdr is None:
        return
    if keep is not None:
        raise UserError("--fdr and --keep both say how many columns are kept. Give one of them.")
    if not 0 < fdr < 1:
        raise UserError(f"--fdr {fdr:g}, but it must be above 0 and below 1. Use, say, --fdr 0.1.")


def told_kind(estimator: BaseEstimator, table: Any) -> Any:
    """The estimator, with `target_kind` set to the kind of the table's target, unless the user set it."""
    kind = getattr(table, "target_kind", "classes")
    if estimator.get_params(deep=False).get("target_kind") == "auto":
        estimator.set_params(target_kind=kind)
    return estimator


def find_method(name: str | None, sifts: Sifts) -> Method:
    """The method of that name, which must sift what the command sifts.

    Parameters
    ----------
    name : str or None
        What the user typed; None means sieve for columns, and is an error for rows.
    sifts : "columns" or "rows"
        What the command sifts.

    Returns
    -------
    Method
        The method's entry in the registry.
    """
    fitting = [method.name for method in methods(sifts)]
    if name is None and sifts == "columns":
        name = DEFAULT
    if name is None:
        raise UserError(f"no method was named. Add --method with one of: {', '.join(fitting)}.")
    known = {method.name: method for method in methods()}
    if name not in known:
        raise UserError(
            f"no method {name!r}.{did_you_mean(name, known)} Methods for {sifts}: {', '.join(fitting)}."
        )
    if known[name].sifts != sifts:
        raise UserError(
            f"{name} keeps {known[name].sifts}, not {sifts}. Use it with {_COMMANDS[known[name].sifts]}, "
            f"or name one of: {', '.join(fitting)}."
        )
    return known[name]


def parsed_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Parameters from texts such as ``name=value``; a value that is not a Python literal stays a string."""
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UserError(
                f"--set {text!r} is not of the form name=value. Write, say, --set random_state=0."
            )
        if name in settings:
            raise UserError(f"--set gives {name} twice. Give it once.")
        settings[name] = parsed_value(value)
    return settings


def parsed_value(text: str) -> Any:
    """A Python literal (3, 0.5, True, None, 'a', [1, 2], {'a': 1}), true, false or none, or else the text itself."""
    word = text.strip().capitalize()
    if word in ("True", "False", "None"):
        text = word
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            value = ast.literal_eval(text.strip())
            repr(value)  # fails for a hexadecimal number too long for Python to print
            return value
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return text


def parsed_size(text: str | None, sifts: Sifts) -> int | float | None:
    """What ``--keep`` asks for: a number of columns or rows, or a fraction of them; None for ``auto``, of columns only."""
    from tamis.cli._auto import is_auto

    if text is None or (sifts == "columns" and is_auto(text)):
        return None
    size = parsed_value(text)
    if isinstance(size, int) and not isinstance(size, bool) and size >= 1:
        return size
    if isinstance(size, float) and 0 < size <= 1:
        return size
    raise UserError(
        f"--keep {text}, but it must be a number of {sifts} from 1 up (10) or a fraction above 0 and up to 1 (0.2)"
        f"{', or auto' * (sifts == 'columns')}."
    )


def parameter_names(method: Method) -> list[str]:
    """The names of the parameters that the method's class takes."""
    return [name for name in inspect.signature(method.estimator_class()).parameters if name != "self"]


def sieve_jobs(jobs: int | None) -> int:
    """The number of processors for a sieve, which starts other processes only where its folds take long: all, unless said."""
    return -1 if jobs is None else jobs


def make_estimator(
    method: Method,
    settings: dict[str, Any],
    *,
    keep: int | float | None = None,
    seed: int | None = None,
    jobs: int | None = None,
) -> Any:
    """The estimator, with the names and values of its parameters checked.

    Parameters
    ----------
    method : Method
        The class to use, and the parameters that the method presets.
    settings : dict
        What ``--set`` gave.
    keep, seed, jobs : int, float or None
        What ``--keep``, ``--seed`` and ``--jobs`` gave. Without a seed, a method that draws at random gets 0.

    Returns
    -------
    estimator
        Not yet fitted.
    """
    known = parameter_names(method)
    chosen: dict[str, Any] = dict(method.settings)
    for name, value in settings.items():
        if name not in known:
            raise UserError(
                f"{method.name} has no parameter {name!r}.{did_you_mean(name, known)} "
                f"Parameters: {listed(known, 30)}."
            )
        if name in method.settings:
            raise UserError(
                f"{method.name} is {method.estimator} with {name}={method.settings[name]!r}, which --set cannot "
                f"change. Leave it out, or name another method (`tamis methods` lists them)."
            )
        chosen[name] = value
    for option, parameter, given in (
        ("--keep", SIZE[method.sifts], keep),
        ("--seed", "random_state", seed),
        ("--jobs", "n_jobs", jobs),
    ):
        if given is None:
            continue
        if parameter not in known:
            raise UserError(
                f"{method.name} has no parameter {parameter}, so {option} means nothing. Leave it out."
            )
        if parameter in chosen:
            raise UserError(f"{option} and --set {parameter} say the same thing twice. Give one of them.")
        chosen[parameter] = given
    if "random_state" in known:
        chosen.setdefault("random_state", 0)
    if method.estimator == "Sieve":
        chosen.setdefault("n_jobs", sieve_jobs(jobs))
    estimator = method.estimator_class()(**chosen)
    try:
        estimator._validate_params()
    except ValueError as error:
        raise UserError(f"{method.name}: {said(error)}") from error
    return estimator
