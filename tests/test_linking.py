"""What kernels call is compiled once, inside of them, and answers as it does alone."""

import numpy as np
import pytest
from numba import njit
from numba.core.registry import cpu_target

from tamis._jit import kernel


@kernel
def total(values):
    found = 0.0
    for value in values:
        if value < 0:
            raise ValueError("a negative value")
        found += value
    return found


@kernel
def mean(values):
    return total(values) / len(values)


@kernel
def spread(values):
    squares = np.empty(len(values))
    for i in range(len(values)):
        squares[i] = (values[i] - mean(values)) ** 2
    return np.sqrt(mean(squares)), total(values)


VALUES = np.array([1.0, 2.0, 4.0, 8.0])


def test_called_kernels_answer_as_the_loops_do():
    """Two levels of calls give the bits of the plain loops, and so does each kernel alone, before or after."""
    expected = getattr(spread, "py_func", spread)(VALUES)
    assert spread(VALUES) == expected
    assert mean(VALUES) == 3.75
    assert total(VALUES) == expected[1]
    assert spread(VALUES.astype(np.float32).astype(np.float64)) == expected


def test_a_called_kernel_is_not_compiled_for_python():
    """A kernel has no code of its own until Python calls it."""

    @kernel
    def inner(x):
        return x + 1

    @kernel
    def outer(x):
        return 2 * inner(x)

    assert outer(3) == 8
    assert getattr(inner, "signatures", []) == []
    assert inner(3) == 4


def test_a_kernel_that_python_called_first_can_be_called():
    """Kernels compiled for Python are linked as they are."""

    @kernel
    def inner(x):
        return x + 1

    @kernel
    def outer(x, y=5):
        return 2 * inner(x=x) + inner(y)

    assert inner(3) == 4
    assert outer(3) == 14


def test_an_error_of_a_called_kernel_is_raised():
    """The caller of the caller sees the error that the innermost kernel raises."""
    with pytest.raises(ValueError, match="a negative value"):
        spread(np.array([1.0, -1.0]))


def test_numba_is_left_as_it_was():
    """Functions of other people are compiled as ever, also if they call our kernels, and after an error in one of them."""

    @kernel
    def wrong(x):
        return x.no_such_name

    ours = spread(VALUES)
    if hasattr(wrong, "py_func"):
        with pytest.raises(Exception, match="no_such_name"):
            wrong(1)
    codegen = cpu_target.target_context.codegen()
    assert not {"_library_class", "set_env"} & set(vars(codegen))

    @njit
    def theirs(values):
        return spread(values)

    assert theirs(VALUES) == ours
