"""On-line gradient descent for the LSTM of 1997: one update after each sequence, in one compiled loop.

The paper trains like this: the contributions of all steps are summed, and the weights move at the end of the
sequence. The gradient is that of ``LSTM1997.gradient``, from the same loops; here it costs no call per sequence.
"""

from math import nan
from typing import Any, NamedTuple

import numpy as np
from throughtime.arrays import validate
from throughtime.arrays.online import goal
from throughtime.models import lstm_kernels as kernels
from throughtime.models._jit import kernel
from throughtime.models._linalg import finite, output_error
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.models.lstm_online import memory
from throughtime.models.lstm_online_kernels import run

DESCENTS = ("truncated", "bptt")


class Descent(NamedTuple):
    """What a run of descent leaves. Losses and outputs are those before the update of their sequence."""

    theta: np.ndarray
    losses: np.ndarray  # (N,)
    outputs: np.ndarray  # (N, n_out), at the last step


def descend(
    model: LSTM1997,
    theta: Any,
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
    theta = validate.array("theta", theta, (model.layout.size,))
    x = validate.array("x", x, ("N", "T", model.n_in))
    count, longest, _ = x.shape
    shape = count, longest, model.n_out
    targets, mask = goal(targets, validate.binary("mask", mask, shape), shape)
    whole = isinstance(lengths, np.ndarray) and lengths.dtype.kind in "iu"
    if not whole or lengths.shape != (count,) or not np.all((lengths >= 1) & (lengths <= longest)):
        raise ValueError(f"lengths: expected an array of {count} integers from 1 to {longest}, got {lengths!r}")
    rate = validate.number("rate", rate, "[0, inf)")
    weights = model.unpack(theta)
    trained = model.unpack(np.ones_like(theta))  # zero in the last column where a kind has no bias
    losses, outputs = np.zeros(count), np.zeros((count, model.n_out))
    start = memory(model.architecture, model.n_out, exact=False)
    problem = x, lengths, targets, mask
    with np.errstate(over="ignore", invalid="ignore"):
        _descend(model.architecture, method == "bptt", weights, trained, *problem, rate, start, losses, outputs)
    validate.check_overflow(losses=losses, weights=weights[0], out_weights=weights[1])
    return Descent(model.pack(weights), losses, outputs)


@kernel
def _swept(lstm, weights, out_weights, x, targets, mask, last, gradient, out_gradient):
    """Add the exact gradient of one sequence, set ``last`` to its last outputs, return its loss, NaN on overflow."""
    rows, units, cells = len(x) + 1, lstm.units, lstm.blocks * lstm.cells
    row, read = np.zeros((rows, lstm.n_in + units + 1)), np.zeros((rows, out_weights.shape[1]))
    net, s, net_out = np.zeros((rows, units)), np.zeros((rows, cells)), np.zeros((rows, len(last)))
    y, error = np.zeros_like(net_out), np.zeros_like(net_out)
    by_net, by_s, by_net_out = np.zeros_like(net), np.zeros_like(s), np.zeros_like(net_out)
    row[:, -1] = 1.0
    row[: len(x), : lstm.n_in] = x
    kernels.forward(lstm, weights, out_weights, row, net, s, read, net_out, y)
    last[:] = y[len(x)]
    loss = 0.0
    for t in range(1, rows):
        if not (finite(net[t]) and finite(s[t]) and finite(net_out[t])):
            return nan
        loss += output_error(y[t], targets[t - 1], mask[t - 1], error[t])
    kernels.error_signals(lstm, weights, out_weights, row, net, s, net_out, error, by_net, by_s, by_net_out)
    kernels.add_weight_gradient(lstm, by_net, row, s, by_net_out, read, gradient, out_gradient)
    return loss


@kernel
def _descend(lstm, exact, weights, trained, x, lengths, targets, mask, rate, start, losses, outputs):
    gradients = np.zeros_like(weights[0]), np.zeros_like(weights[1])
    row, source, net, s, _, p_act, p_s = start
    for n in range(len(x)):
        end = lengths[n]
        sequence = x[n, :end], targets[n, :end], mask[n, :end]
        if exact:
            losses[n] = _swept(lstm, *weights, *sequence, outputs[n], *gradients)
        else:
            fresh = row.copy(), source.copy(), net.copy(), s.copy(), outputs[n], p_act, p_s.copy()
            losses[n] = run(lstm, *weights, *sequence, *fresh, *gradients)
        for weight, on, gradient in zip(weights, trained, gradients):  # noqa: B905, Numba knows no strict
            weight -= rate * on * gradient
            gradient[:] = 0.0
