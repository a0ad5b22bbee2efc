"""Counting the arithmetic of a gradient: the library's own loops, run in Python on numbers that count.

``counting`` replaces the kernels of a model for a while by their plain Python source, on numbers that note every
operation on them. The results are those of the compiled loops, so what is counted is what the library does.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from throughtime import models

FUNCTIONS = ("activate", "slope")  # an activation or its derivative is one operation


@dataclass
class Operations:
    """How often each operation was carried out so far."""

    multiplications: int = 0
    additions: int = 0
    functions: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.multiplications + self.additions + self.functions


class Number:
    """A real number that counts in ``tally``; subtractions count as additions."""

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Operations) -> None:
        self.value, self.tally = float(value), tally

    def __add__(self, other: Any) -> Number:
        self.tally.additions += 1
        return Number(self.value + float(other), self.tally)

    def __sub__(self, other: Any) -> Number:
        self.tally.additions += 1
        return Number(self.value - float(other), self.tally)

    def __rsub__(self, other: Any) -> Number:
        return Number(other, self.tally) - self

    def __mul__(self, other: Any) -> Number:
        self.tally.multiplications += 1
        return Number(self.value * float(other), self.tally)

    __radd__, __rmul__ = __add__, __mul__

    def __float__(self) -> float:
        return self.value

    def __bool__(self) -> bool:
        return self.value != 0.0

    def __eq__(self, other: object) -> bool:
        return self.value == float(other)

    __hash__ = None


def counted(values: np.ndarray, tally: Operations) -> np.ndarray:
    """The same array, of numbers that count in ``tally``."""
    found = np.empty(values.shape, object)
    for place in np.ndindex(values.shape):
        found[place] = Number(values[place], tally)
    return found


class _Arrays:
    """What the kernels use of NumPy, with arrays of numbers that count."""

    def __init__(self, tally: Operations) -> None:
        self.tally = tally

    def zeros(self, shape: Any) -> np.ndarray:
        return counted(np.zeros(shape), self.tally)

    def zeros_like(self, array: np.ndarray) -> np.ndarray:
        return self.zeros(array.shape)


@contextmanager
def counting(kernels: types.ModuleType) -> Iterator[Operations]:
    """Count the operations of all kernels of the module that are called inside: in loops, on real numbers.

    kernels     a module of loops, as ``throughtime.models.lstm_kernels``. What a model computes outside of
                them, by NumPy, is not counted: errors of the outputs and the loss in ``method="bptt"``.

    >>> from throughtime.models import _recurrent_kernels as kernels
    >>> from throughtime.models.recurrent import FullyRecurrent
    >>> net = FullyRecurrent(n_in=1, n_out=2)
    >>> with counting(kernels) as tally:
    ...     trace = net.forward(net.init(0), np.ones((5, 1)))
    >>> tally
    Operations(multiplications=30, additions=30, functions=10)
    """
    tally = Operations()
    compiled = {name: value for name, value in vars(kernels).items() if _is_kernel(value)}
    stand_ins = {name: _stand_in(function, tally) for name, function in compiled.items()}
    try:
        for name, function in stand_ins.items():
            setattr(kernels, name, function)
        yield tally
    finally:
        for name, function in compiled.items():
            setattr(kernels, name, function)


def _source(function: Any) -> Any:
    return getattr(function, "py_func", function)


def _is_kernel(value: Any) -> bool:
    source = _source(value)
    return isinstance(source, types.FunctionType) and source.__module__.startswith(models.__name__)


def _stand_in(function: Callable, tally: Operations) -> Callable:
    """The function on copies that count; the arrays that it was given receive what it has written."""
    plain = _plain(function, tally)

    def run(*arguments: Any) -> Any:
        copies = tuple(_counting(argument, tally) for argument in arguments)
        result = plain(*copies)
        for argument, copy in zip(arguments, copies, strict=True):
            _write_back(argument, copy)
        return float(result) if isinstance(result, Number) else result

    return run


def _plain(function: Callable, tally: Operations) -> Callable:
    """The Python source of a kernel and of all that it calls, with counted functions and arrays."""
    source = _source(function)
    if source.__name__ in FUNCTIONS:
        return _counted_function(function, tally)
    used = {name: value for name, value in source.__globals__.items() if name in source.__code__.co_names}
    for name, value in used.items():
        if _is_kernel(value):
            used[name] = _plain(value, tally)
    return types.FunctionType(source.__code__, source.__globals__ | used | {"np": _Arrays(tally)})


def _counted_function(function: Callable, tally: Operations) -> Callable:
    def value(code: int, at: Any) -> Number:
        tally.functions += 1
        return Number(function(code, float(at)), tally)

    return value


def _counting(argument: Any, tally: Operations) -> Any:
    if isinstance(argument, tuple):
        return type(argument)(*(_counting(part, tally) for part in argument))
    is_numbers = isinstance(argument, np.ndarray) and argument.dtype == np.float64
    return counted(argument, tally) if is_numbers else argument  # a size, a switch, numbers of activations


def _write_back(argument: Any, copy: Any) -> None:
    if isinstance(argument, tuple):
        for parts in zip(argument, copy, strict=True):
            _write_back(*parts)
    elif copy is not argument and argument.flags.writeable:
        argument[...] = copy.astype(float)
