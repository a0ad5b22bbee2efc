"""The mean error of the linear bit counter over all sequences of T bits, its gradient, its Hessian at the minimum.

The error of the answer is the sum over k of c_k x(T-k) with c_k = v_x v_f^k - 1. For independent bits with mean 1/2 the
mean of half its square is (sum c_k^2 + (sum c_k)^2) / 8.
"""

from __future__ import annotations

from itertools import accumulate, repeat
from operator import mul
from typing import Any

import numpy as np
from throughtime.models import validate


def misses(v_x: Any, v_f: Any, length: int) -> list[Any]:
    """c_0, ..., c_{T-1}: the error of the count from a bit 1 that comes k steps before the end; T = ``length``.

    ``v_x`` and ``v_f`` are numbers, arrays or SymPy expressions. TypeError or ValueError unless ``length`` is an
    integer of at least 1.
    """
    return [v_x * power - 1 for power in _powers(v_f, length)]


def mean_error(v_x: Any, v_f: Any, length: int) -> Any:
    """The mean of (yhat - y)^2 / 2 over all sequences of `length` bits. Arguments and errors as for `misses`."""
    return mean_error_and_gradient(v_x, v_f, length)[0]


def mean_error_and_gradient(v_x: Any, v_f: Any, length: int) -> tuple[Any, tuple[Any, Any]]:
    """The mean error and its derivatives with respect to (v_x, v_f), by single operations in a fixed order.

    Gradient descent is chaotic from some starts, and the last bits of NumPy's sums and powers depend on the processor.
    Arguments and errors as for `misses`.
    """
    total = squares = by_v_x = by_v_f = sum_x = sum_f = 0
    slope = 0  # the derivative of v_f^k
    for power, c in zip(_powers(v_f, length), misses(v_x, v_f, length), strict=True):
        d = v_x * slope
        squares, by_v_x, by_v_f = squares + c * c, by_v_x + c * power, by_v_f + c * d
        total, sum_x, sum_f = total + c, sum_x + power, sum_f + d
        slope = slope * v_f + power
    error = (squares + total * total) / 8
    return error, ((by_v_x + total * sum_x) / 4, (by_v_f + total * sum_f) / 4)


def curvature(length: int) -> np.ndarray:
    """The Hessian of the mean error with respect to (v_x, v_f) at the minimum (1, 1), shape (2, 2)."""
    rows = np.array([np.ones(length), np.arange(length)])
    total = rows.sum(axis=1)
    return (rows @ rows.T + np.outer(total, total)) / 4


def _powers(v_f: Any, length: int) -> list[Any]:
    return list(accumulate(repeat(v_f, validate.count("length", length, 1) - 1), mul, initial=1))
