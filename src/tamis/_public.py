"""Public names, listed once: in the stub ``__init__.pyi`` of a package, one line each.

Type checkers read the stub. At run time it says which module a name is imported from when it is first used, so importing
a package imports none of its modules.
"""

from __future__ import annotations

import sys
from os.path import dirname, join

TYPE_CHECKING = (
    False  # type checkers know this name; importing typing would take longer than everything else here
)

if TYPE_CHECKING:
    from collections.abc import Callable


def public_names(package: str) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """The ``__all__``, ``__getattr__`` and ``__dir__`` of a package whose stub lists its names.

    Parameters
    ----------
    package : str
        Its ``__name__``.

    Returns
    -------
    list of str, callable, callable
        To be assigned to these names in the package's ``__init__.py``.
    """
    homes = _homes(package)

    def load(name: str) -> object:
        if name in homes:
            from importlib import import_module

            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes} - {"public_names"})

    return sorted(homes), load, names


def _homes(package: str) -> dict[str, str]:
    """The module of each name, from the lines ``from module import name as name`` of the stub."""
    spec = sys.modules[package].__spec__
    text = spec.loader.get_data(join(dirname(spec.origin), "__init__.pyi")).decode()  # type: ignore[union-attr, arg-type]
    lines = [line.split() for line in text.splitlines() if line.startswith("from ")]
    return {words[3]: words[1] for words in lines}
