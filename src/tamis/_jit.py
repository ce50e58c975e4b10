"""The one decorator that compiles our kernels.

A kernel is compiled on its first call, never at import, releases the interpreter lock, and is cached on disk
where a cache folder can be written. Where none can, Numba would raise at import; here the kernel is compiled
anew in every process instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable[..., Any] | None = None, /, *, parallel: bool = False) -> Any:
    """Compile a function lazily with Numba: ``@kernel`` or ``@kernel(parallel=True)``.

    Parameters
    ----------
    function : callable
        The plain-Python loop.
    parallel : bool, default=False
        Whether `numba.prange` loops run on several threads.

    Returns
    -------
    callable
        The compiled function, or, for ``@kernel(parallel=...)``, the decorator.
    """
    if function is None:
        return lambda target: kernel(target, parallel=parallel)
    try:
        return numba.njit(cache=True, nogil=True, parallel=parallel)(function)
    except RuntimeError:  # no folder to write the cache to
        return numba.njit(nogil=True, parallel=parallel)(function)
