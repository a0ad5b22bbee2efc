"""On-line gradient descent for the LSTM of 1997: one update after each sequence, in one compiled loop.

The paper trains like this: the contributions of all steps are summed, and the weights move at the end of the
sequence. The gradient is that of ``LSTM1997.gradient``, from the same loops; here it costs no call per sequence.
"""

from typing import Any, NamedTuple

import numpy as np

from . import lstm_kernels as kernels
from . import validate
from ._jit import kernel
from ._recurrent_kernels import output_error
from .lstm1997 import LSTM1997
from .lstm_online import OnlineGradient
from .lstm_online_kernels import run_truncated

DESCENTS = ("truncated", "bptt")


class Descent(NamedTuple):
    """What a run of descent leaves. Losses and outputs are those before the update of their sequence."""

    theta: np.ndarray
    losses: np.ndarray  # (N,)
    outputs: np.ndarray  # (N, n_out), at the last step


def descend(
    model: LSTM1997,
    theta: np.ndarray,
    x: Any,
    lengths: Any,
    targets: Any,
    mask: Any,
    rate: float,
    *,
    method: str = "truncated",
) -> Descent:
    """Take the sequences one after another, theta -= rate gradient after each, from a copy of ``theta``.

    x           (N, T, n_in); of sequence n the first lengths[n] rows count
    lengths     (N,), an array of integers from 1 to T
    targets     (N, T, n_out)
    mask        (N, T, n_out), zeros and ones
    rate        learning rate, at least 0
    method      ``"truncated"``, the paper's, or ``"bptt"``, exact

    Raises TypeError or ValueError naming the argument that does not fit, FloatingPointError on overflow.
    """
    if not isinstance(model, LSTM1997):
        raise TypeError(f"model: expected an LSTM1997, got {type(model).__name__}")
    validate.one_of("method", method, DESCENTS)
    theta = validate.flat_vector("theta", theta, model.layout.size)
    x = validate.array("x", x, ("N", "T", model.n_in))
    count, longest = x.shape[:2]
    targets = validate.array("targets", targets, (count, longest, model.n_out))
    mask = validate.binary("mask", mask, targets.shape)
    whole = isinstance(lengths, np.ndarray) and lengths.dtype.kind in "iu"
    if not whole or lengths.shape != (count,) or not np.all((lengths >= 1) & (lengths <= longest)):
        raise ValueError(f"lengths: expected an array of {count} integers from 1 to {longest}, got {lengths!r}")
    rate = validate.number("rate", rate, "[0, inf)")
    weights = model._weights(theta)
    trained = model._weights(np.ones_like(theta))  # zero in the last column where a kind has no bias
    losses, outputs = np.zeros(count), np.zeros((count, model.n_out))
    if method == "truncated":
        loop, kept = _descend_truncated, OnlineGradient(model, theta)._states
    else:
        loop, kept = _descend_exactly, model._states(longest + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        loop(model._net, *weights, *trained, x, lengths, targets, mask, rate, *kept, losses, outputs)
    validate.refuse_overflow(losses=losses, weights=weights[0], out_weights=weights[1])
    return Descent(model._flat(*weights), losses, outputs)


@kernel
def _update(weights, gradient, trained, rate):
    for r in range(weights.shape[0]):
        for c in range(weights.shape[1]):
            weights[r, c] -= rate * trained[r, c] * gradient[r, c]
    gradient[:] = 0.0


@kernel
def _descend_truncated(
    lstm, weights, out_weights, trained, out_trained, x, lengths, targets, mask, rate, row, source, net, s, y, p_fg,
    p_ig, p_cell, losses, outputs,
):  # fmt: skip
    gradient, out_gradient = np.zeros_like(weights), np.zeros_like(out_weights)
    for n in range(len(x)):
        for kept in (row, source, net, s, y):
            kept[:] = 0.0
        for kept in (p_fg, p_ig, p_cell):
            kept[:] = 0.0
        row[-1] = 1.0
        end = lengths[n]
        losses[n] = run_truncated(
            lstm, weights, out_weights, x[n, :end], targets[n, :end], mask[n, :end], row, source, net, s, y, p_fg,
            p_ig, p_cell, gradient, out_gradient,
        )  # fmt: skip
        outputs[n] = y
        _update(weights, gradient, trained, rate)
        _update(out_weights, out_gradient, out_trained, rate)


@kernel
def _descend_exactly(
    lstm, weights, out_weights, trained, out_trained, x, lengths, targets, mask, rate, row, net, s, read, net_out, y,
    losses, outputs,
):  # fmt: skip
    error = np.zeros_like(y)
    by_net, by_s, by_net_out = np.zeros_like(net), np.zeros_like(s), np.zeros_like(net_out)
    gradient, out_gradient = np.zeros_like(weights), np.zeros_like(out_weights)
    for n in range(len(x)):
        end = lengths[n] + 1
        row[: end - 1, : lstm.n_in] = x[n, : end - 1]
        kernels.forward(lstm, weights, out_weights, row[:end], net[:end], s[:end], read[:end], net_out[:end], y[:end])
        for t in range(1, end):
            losses[n] += output_error(y[t], targets[n, t - 1], mask[n, t - 1], error[t])
        outputs[n] = y[end - 1]
        for signals in (by_net, by_s, by_net_out):
            signals[:] = 0.0
        kernels.error_signals(
            lstm, weights, out_weights, row[:end], net[:end], s[:end], net_out[:end], error[:end],
            by_net[:end], by_s[:end], by_net_out[:end],
        )  # fmt: skip
        kernels.add_weight_gradient(
            lstm, by_net[:end], row[:end], s[:end], by_net_out[:end], read[:end], gradient, out_gradient
        )  # fmt: skip
        _update(weights, gradient, trained, rate)
        _update(out_weights, out_gradient, out_trained, rate)
