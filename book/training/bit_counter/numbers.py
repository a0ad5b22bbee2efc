"""The bit counter in numbers (rnn-15 to rnn-26): the library's Elman net with one linear unit of each kind.

    f_t = v_f f_{t-1} + v_x x_t, f_0 = 0; the answer is f_T, and v_x = v_f = 1 counts

Its two weights are entries of the library's parameters; biases are 0 and the output weight is 1.
"""

import numpy as np
from throughtime.models.activations import identity
from throughtime.models.simple_recurrent import Elman

NET = Elman(n_in=1, hidden=1, n_out=1, f_hid=identity, f_out=identity)
WEIGHTS = [NET.layout.index("v", 1, 0), NET.layout.index("v", 2, 0)]


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


def loss(v_x: complex, v_f: complex, bits: np.ndarray, count: np.ndarray | None = None) -> complex:
    """E for bits of shape (I, T) (rnn-17); ``count``, shape (I,), are the targets, else the numbers of ones."""
    return NET.loss(parameters(v_x, v_f), bits[:, :, None], *_goal(bits, count))


def gradient(v_x: float, v_f: float, bits: np.ndarray, method: str = "bptt") -> np.ndarray:
    """(dE/dv_x, dE/dv_f) by a method of the library."""
    found = NET.gradient(parameters(v_x, v_f), bits[:, :, None], *_goal(bits, None), method=method)
    return found.gradient[WEIGHTS]


def _goal(bits: np.ndarray, count: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Targets and mask: the last step alone counts."""
    targets = np.zeros((*bits.shape, 1))
    targets[:, -1, 0] = bits.sum(axis=1).real if count is None else count
    return targets, np.eye(1, bits.shape[1], bits.shape[1] - 1)[0]
