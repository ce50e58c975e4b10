"""Text that identifies what a result depends on: estimator, parameters, data, code and library versions.

The text is the same in every process, and differs wherever the result might differ. Everything stored on disk to be
resumed (parts of a fit, folds of a comparison, results of a study or a paper) is stored under such a text.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._version import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "polars")
NOT_DECIDING = ("n_jobs", "verbose")
"""Parameters that never change a result."""

_TOLD_BY_CODE = ("tamis", "numpy", "scipy", "sklearn")  # whose versions `code` has
_outer: ContextVar[tuple[int, ...]] = ContextVar("outer", default=())  # what is being described
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))


def description(value: Any) -> str:
    """Describe an estimator with all its parameters, or a parameter; arrays and functions by their content.

    Parameters
    ----------
    value : object
        Anything that may be a parameter.

    Returns
    -------
    str
        One line. What cannot be described is given by its address, which no other process shares.
    """
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value))
    if isinstance(value, _PLAIN):
        return repr(value)
    outer = _outer.get()
    if id(value) in outer:  # a cycle: a list that holds itself, a method that refers to its class
        return f"{type(value).__name__} above"
    token = _outer.set((*outer, id(value)))
    try:
        return _described(value)
    finally:
        _outer.reset(token)


def _described(value: Any) -> str:
    """Containers, estimators, functions, and everything else that is not plain."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{description(key)}: {description(one)}" for key, one in value.items())
        return f"{type(value).__name__}({{{inner}}})"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(description, value))})"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}({', '.join(sorted(map(description, value)))})"
    if isinstance(value, type):
        return _class(value)
    if hasattr(value, "get_params"):
        given = sorted(value.get_params(deep=False).items())
        inner = ", ".join(f"{name}={description(one)}" for name, one in given if name not in NOT_DECIDING)
        return f"{_class(type(value))}({inner})"
    if isinstance(value, np.random.RandomState):
        return f"RandomState({description(value.get_state(legacy=True))})"
    if isinstance(value, partial):
        return f"partial({description((value.func, value.args, value.keywords))})"
    if isinstance(value, FunctionType | BuiltinFunctionType | MethodType | ModuleType):
        return _function(value)
    return _other(value)


def digest(*arrays: NDArray[Any]) -> str:
    """The sha256 of some arrays, their dtypes and shapes."""
    made = hashlib.sha256()
    for array in arrays:
        made.update(f"{array.dtype.str}{array.shape}".encode())
        if array.dtype.hasobject:
            made.update(description(array.tolist()).encode("utf-8", "surrogatepass"))
        else:
            made.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return made.hexdigest()


def differences(about: Mapping[str, Any], other: Any) -> list[str]:
    """The names, sorted, whose values differ between two runs; all of them if `other` is not a mapping."""
    if not isinstance(other, Mapping):
        return sorted(about)
    return sorted(name for name in {**about, **other} if about.get(name) != other.get(name))


@cache
def code() -> dict[str, str]:
    """The version of tamis, the digest of its sources, and the versions of the libraries below it."""
    return {"tamis": __version__, "sources": source_digest(), **libraries()}


def libraries() -> dict[str, str]:
    """The versions of the libraries that answers rest on."""
    return {name: version(name) for name in LIBRARIES}


@cache
def source_digest() -> str:
    """The start of the sha256 of all Python files of the package, command line and reports aside."""
    root = Path(str(files("tamis")))
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in ("cli", "report"):
            total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def _array(array: NDArray[Any]) -> str:
    if array.ndim == 0 and not array.dtype.hasobject:
        return f"{array.dtype.str}({array.item()!r})"
    return f"array({array.dtype.str}, {array.shape}, {digest(array)})"


def _class(kind: type) -> str:
    """A class by its name and its package's version; by the code of its methods if the package has no version."""
    name, package = f"{kind.__module__}.{kind.__qualname__}", kind.__module__.partition(".")[0]
    if package in _TOLD_BY_CODE or package in sys.stdlib_module_names:
        return name
    number = getattr(sys.modules.get(package), "__version__", None)
    if number is not None:
        return f"{name} {number}"
    own = [base for base in kind.__mro__ if base.__module__.partition(".")[0] == package]
    members = [(one, member) for base in own for one, member in sorted(vars(base).items())]
    methods = [f"{one} {_function(member)}" for one, member in members if isinstance(member, FunctionType)]
    return f"{name} {_short(methods)}"


def _function(function: Any) -> str:
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function.__name__)}"
    if isinstance(function, MethodType):
        return f"{name} of {description(function.__self__)}"
    if not isinstance(function, FunctionType):
        return name
    held = [cell.cell_contents for cell in function.__closure__ or () if cell != CellType()]
    given = description((function.__defaults__, function.__kwdefaults__, held))
    return f"{name} {_short([_code(function.__code__), given])}"


def _code(code: CodeType) -> str:
    """The instructions of a function, without lines and files."""
    inner = [_code(one) if isinstance(one, CodeType) else description(one) for one in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {inner}"


def _other(value: Any) -> str:
    """Anything else, by its pickle; by its address if it cannot be pickled."""
    try:
        return f"{_class(type(value))} {_short([pickle.dumps(value, protocol=4).hex()])}"
    except Exception:  # whatever pickling an object of somebody else raises
        return f"{_class(type(value))} at {id(value)}"


def _short(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
