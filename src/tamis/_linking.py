"""Compile what kernels call once, not once for every level of calls.

Numba optimises a function with copies of all that it calls, makes machine code of the whole, and does the same for every function
that calls it, with a copy of all of that: of a kernel four calls deep LLVM sees each line five times. But only what Python calls needs
machine code. Here what a kernel calls is linked into it as it is, and optimised there, once.

A kernel that Python and other kernels call may be two functions to Numba: the one with a wrapper for Python, which is cached on disk, and
the one that is linked into others, where the first is not there yet. Where Numba lacks what this rests on, it compiles as it always does.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numba


def called_by_kernels(compiled: Any, function: Callable[..., Any]) -> None:
    """Let other kernels that call this one have a function of their own, without a wrapper for Python.

    Parameters
    ----------
    compiled : Dispatcher
        The kernel that Python calls.
    function : callable
        The loop it was made of.
    """
    if not hasattr(compiled, "get_call_template"):  # not compiled at all
        return
    compiled.links_kernels = True
    called = cache(lambda: numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))
    of_python = compiled.get_call_template, compiled.get_overload

    def get_call_template(types: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if types in compiled.overloads and not keywords:
            return of_python[0](types, keywords)
        return called().get_call_template(types, keywords)

    def get_overload(signature: Any) -> Any:
        try:
            return called().get_overload(signature)
        except KeyError:
            return of_python[1](signature)

    compiled.get_call_template, compiled.get_overload = get_call_template, get_overload


def begin_linking(compiled: Any) -> None:
    """From here on Numba makes machine code where it is asked for, and nowhere else, if `compiled` is a kernel of ours."""
    if not hasattr(compiled, "links_kernels"):
        return
    with suppress(AttributeError, ImportError):
        codegen = _codegen()
        codegen.set_env, codegen._library_class = _set_where_defined(codegen), _library_class()


def end_linking() -> None:
    """Numba compiles as it always does."""
    with suppress(AttributeError, ImportError):
        codegen = _codegen()
        del codegen._library_class, codegen.set_env


def _codegen() -> Any:
    from numba.core.registry import cpu_target

    return cpu_target.target_context.codegen()


def _set_where_defined(codegen: Any) -> Callable[..., None]:
    """Numba's way to tell a function its environment, left out where the function has no machine code."""
    original = type(codegen).set_env

    def set_env(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            original(codegen, name, environment)

    return set_env


@cache
def _library_class() -> Any:
    """Numba's library of compiled functions, with machine code made when a function's address is asked for."""
    from numba.core.codegen import JITCodeLibrary

    class Linked(JITCodeLibrary):  # type: ignore[misc]
        _emitted = False

        def _optimize_final_module(self) -> None:
            if self._emitted:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if self._emitted or self._shared_module is not None:  # from the disk
                self._emitted = True
                super()._finalize_final_module()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            if not self._emitted:
                if not _defines(self._final_module, name):
                    return 0
                self._emitted = True
                self._optimize_final_module()
                self._final_module.verify()
                self._finalize_final_module()
            address: int = super().get_pointer_to_function(name)
            return address

    return Linked


def _defines(module: Any, name: str) -> bool:
    try:
        return not module.get_function(name).is_declaration
    except NameError:
        return False
