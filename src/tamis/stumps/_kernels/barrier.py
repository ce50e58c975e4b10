"""A meeting point inside a kernel that several threads run together, without the interpreter.

`meeting` is an int64 array (3,): how many have arrived, how often all have met, and 1 once somebody gave up.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="misc, no-redef"

from __future__ import annotations

import sys
import threading
import time

import numpy as np
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from tamis._jit import kernel

ARRIVED, MET, GIVEN_UP = 0, 1, 2
PATIENCE = 4000  # looks at the array before the processor is offered to others
WORD = 8  # bytes


@intrinsic
def _add_one(typing_context, meeting, i):
    """meeting[i] += 1, at once for all threads; returns what it was."""

    def build(context, builder, signature, arguments):
        one = context.get_constant(types.int64, 1)
        return builder.atomic_rmw("add", _place(context, builder, signature, arguments), one, "seq_cst")

    return types.int64(meeting, i), build


@intrinsic
def _look(typing_context, meeting, i):
    """meeting[i] as it is now in memory."""

    def build(context, builder, signature, arguments):
        return builder.load_atomic(_place(context, builder, signature, arguments), "seq_cst", WORD)

    return types.int64(meeting, i), build


@intrinsic
def _put(typing_context, meeting, i, value):
    """meeting[i] = value, after everything written before."""

    def build(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _place(context, builder, signature, arguments), "seq_cst", WORD)
        return context.get_dummy_value()

    return types.void(meeting, i, types.int64), build


def _place(context, builder, signature, arguments):
    """The address of meeting[i]."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.get_item_pointer(
        context, builder, signature.args[0], array, [arguments[1]], wraparound=False
    )


if config.DISABLE_JIT:  # plain Python: the interpreter lock makes each of these one step

    def _add_one(meeting, i):
        with _lock:
            meeting[i] += 1
            return meeting[i] - 1

    def _look(meeting, i):
        time.sleep(0)
        return meeting[i]

    def _put(meeting, i, value):
        meeting[i] = value

    _lock = threading.Lock()

if sys.platform == "win32" or config.DISABLE_JIT:

    @kernel
    def _offer():
        """Nothing to offer."""
else:
    _offer = types.ExternalFunction("sched_yield", types.int32())


@kernel
def meet(meeting, n_parts):
    """Wait until all threads are here; False if one of them gave up."""
    if n_parts == 1:
        return True
    met = _look(meeting, MET)
    if _add_one(meeting, ARRIVED) == n_parts - 1:
        _put(meeting, ARRIVED, np.int64(0))
        _put(meeting, MET, met + 1)
        return _look(meeting, GIVEN_UP) == 0
    looks = 0
    while _look(meeting, MET) == met:
        looks += 1
        if looks > PATIENCE:
            if _look(meeting, GIVEN_UP) != 0:
                return False
            _offer()
    return _look(meeting, GIVEN_UP) == 0
