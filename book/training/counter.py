"""The bit counter (rnn-15 to rnn-26): an Elman net with one linear unit of each kind, as a system and in numbers.

    f_t = v_f f_{t-1} + v_x x_t, f_0 = 0; the answer is f_T, and v_x = v_f = 1 counts

The note omits the index i of the sequence at some states; here every state has it.
"""

from functools import cache
from itertools import accumulate, repeat
from operator import mul
from typing import Any

import numpy as np
import throughtime as tt
from throughtime.arrays.activations import identity
from throughtime.textbook.simple_recurrent import Elman

t, s = tt.time("t"), tt.time("s")
T = tt.LENGTH
batch = tt.Dimension("I")
B = tt.domain("batch", batch)
i, k = tt.indices("i k", B)

x = tt.sequence("x", B)
v_x = tt.parameter("v_x")
v_f = tt.parameter("v_f")
f = tt.variable("f", B)
answer = tt.Quantity("yhat", B, timed=False, role=tt.DEFINED, latex=r"\hat y")
count = tt.Quantity("y", B, timed=False, role=tt.DEFINED)
error = tt.scalar("E")


def build() -> tt.System:
    """States f_i(t) from f_i(0) = 0, the answer f_i(T) of each sequence, and half the squared error of the batch."""
    system = tt.System("bit counter", t)
    system[f[i, t]] = f[i, t - 1] * v_f[()] + x[i, t] * v_x[()]
    system[answer[i]] = f[i, T]
    system[count[i]] = tt.sum_over((s, 1, T), x[i, s])
    system[error[()]] = tt.sum_over(i, (answer[i] - count[i]) ** 2) / 2
    return system


# ---- the library's net: the two weights are entries of its parameters, biases are 0 and the output weight is 1

NET = Elman(n_in=1, hidden=1, n_out=1, f_hid=identity, f_out=identity)
WEIGHTS = [NET.layout.index("v", 1, 0), NET.layout.index("v", 2, 0)]
_compiled = cache(NET.compile)  # by the recursions that the engine derives


def parameters(v_x: complex, v_f: complex) -> np.ndarray:
    """The library's parameters for the two weights."""
    theta = np.zeros(NET.layout.size, np.result_type(float, v_x, v_f))
    theta[WEIGHTS] = v_x, v_f
    theta[NET.layout.index("w", 1, 0)] = 1.0
    return theta


def answers(v_x: complex, v_f: complex, bits: np.ndarray) -> np.ndarray:
    """f_T of each sequence, shape (I,), for bits of shape (I, T) (rnn-16).

    >>> answers(1.0, 1.0, np.array([[1.0, 0.0, 1.0, 1.0]])).tolist()
    [3.0]
    """
    return NET.forward(parameters(v_x, v_f), bits[:, :, None]).g[:, -1, 0]


def loss(v_x: complex, v_f: complex, bits: np.ndarray) -> complex:
    """E for bits of shape (I, T) (rnn-17)."""
    return NET.loss(parameters(v_x, v_f), bits[:, :, None], *_goal(bits))


def gradient(v_x: float, v_f: float, bits: np.ndarray, method: str = "bptt") -> np.ndarray:
    """(dE/dv_x, dE/dv_f), by "bptt" of the library's net or by "rtrl" of its compiled one."""
    net = _compiled() if method == "rtrl" else NET
    found = net.gradient(parameters(v_x, v_f), bits[:, :, None], *_goal(bits), method=method)
    return found.gradient[WEIGHTS]


def _goal(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of ones as targets, and the mask: the last step alone counts."""
    targets = np.zeros((*bits.shape, 1))
    targets[:, -1, 0] = bits.sum(axis=1).real
    return targets, np.eye(1, bits.shape[1], bits.shape[1] - 1)[0]


# ---- the mean error over all sequences of T bits
#
# The error of the answer is the sum over k of c_k x(T-k) with c_k = v_x v_f^k - 1. For independent bits with mean 1/2
# the mean of half its square is (sum c_k^2 + (sum c_k)^2) / 8.


def misses(v_x: Any, v_f: Any, length: int) -> list[Any]:
    """c_0, ..., c_{T-1}, T = ``length``: the error of the count from a bit 1 that comes k steps before the end.

    Here and below ``v_x`` and ``v_f`` are numbers, arrays or SymPy expressions.
    """
    return [v_x * power - 1 for power in _powers(v_f, length)]


def mean_error(v_x: Any, v_f: Any, length: int) -> Any:
    """The mean of (yhat - y)^2 / 2 over all sequences of `length` bits."""
    return mean_error_and_gradient(v_x, v_f, length)[0]


def mean_error_and_gradient(v_x: Any, v_f: Any, length: int) -> tuple[Any, tuple[Any, Any]]:
    """The mean error and its derivatives with respect to (v_x, v_f), by single operations in a fixed order.

    Gradient descent is chaotic from some starts, and the last bits of NumPy's sums and powers depend on the processor.
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
    return list(accumulate(repeat(v_f, length - 1), mul, initial=1))
