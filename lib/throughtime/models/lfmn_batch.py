"""Many sequences of one length through an LFMN in one compiled call, for training by full batches.

``LFMN.gradient`` checks and traces one sequence; on short sequences that costs more than the arithmetic.
"""

from typing import Any

import numpy as np

from . import _lfmn_kernels as kernels
from . import validate
from ._jit import kernel
from .lfmn import LFMN
from .parameters import LossGradient


def batch_gradient(model: LFMN, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> LossGradient:
    """The sum over sequences of ``model.gradient(theta, x[n], targets[n], mask)``, by BPTT.

    x           (N, T, n_in)
    targets     (N, T, d_out)
    mask        T zeros and ones, the same for all sequences; None for all ones

    TypeError or ValueError for what does not fit, FloatingPointError on overflow.
    """
    theta = validate.flat_vector("theta", theta, model.layout.size)
    x = validate.array("x", x, ("N", "T", model.n_in))
    count, length, _ = x.shape
    targets = validate.array("targets", targets, (count, length, model.output.total))
    mask = validate.binary("mask", mask, (length,))
    gradient = np.zeros(model.layout.size)
    states = model._states(length + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        loss = _sum_gradients(
            model.activation.code,
            model._weights(theta),
            _with_row_zero(x),
            _with_row_zero(targets),
            np.concatenate([[0.0], mask]),
            states,
            model._weights(gradient),
        )
    validate.refuse_overflow(gradient=gradient)
    return LossGradient(float(loss), gradient, "bptt")


def batch_outputs(model: LFMN, theta: np.ndarray, x: Any) -> np.ndarray:
    """The outputs y(T) at the end of each sequence, shape (N, d_out); x has shape (N, T, n_in)."""
    theta = validate.flat_vector("theta", theta, model.layout.size)
    x = validate.array("x", x, ("N", "T", model.n_in))
    last = np.zeros((len(x), model.output.total))
    states = model._states(x.shape[1] + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        _last_outputs(model.activation.code, model._weights(theta), _with_row_zero(x), states, last)
    validate.refuse_overflow(y=last)
    return last


def _with_row_zero(rows: np.ndarray) -> np.ndarray:
    """Sequences with the row of time 0 before time 1, as the kernels have them."""
    return np.concatenate([np.zeros_like(rows[:, :1]), rows], axis=1)


@kernel
def _sum_gradients(code, weights, x, targets, mask, states, gradient):
    loss = 0.0
    error = np.zeros(targets.shape[1:])
    for n in range(len(x)):
        kernels.forward(code, weights, x[n], states)
        for t in range(1, len(mask)):
            for i in range(error.shape[1]):
                difference = states.y[t, i] - targets[n, t, i]
                error[t, i] = 2.0 * mask[t] * difference
                loss += mask[t] * difference * difference
        kernels.backward(code, weights, x[n], states, error, gradient)
    return loss


@kernel
def _last_outputs(code, weights, x, states, last):
    for n in range(len(x)):
        kernels.forward(code, weights, x[n], states)
        last[n] = states.y[-1]
