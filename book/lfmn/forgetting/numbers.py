"""How fast a local feedback network forgets: rate, gain, and the window of inputs that is left.

The bound behind all three (lfmn-17, lfmn-22): for every input sequence, |dy_i(t)/dx_k(t-q)| <= gain * rate^q with
rate = max(|u|, |v| M) over the units and M the largest slope of the activation. A network with rate < 1 forgets.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from throughtime.models import validate
from throughtime.models.activations import tanh_half
from throughtime.models.lfmn import LFMN

Floats = np.ndarray
KINDS = ("net", "act")
STEP = 1e-30  # of the complex step


def unit(kind: str) -> LFMN:
    """The smallest network with memory: one input, one recurrent output, "net"-input or "act"ivation feedback."""
    validate.one_of("kind", kind, KINDS)
    return LFMN(n_in=1, hidden=(0, 0, 0), output=(0, 1, 0) if kind == "net" else (0, 0, 1))


def unit_parameters(kind: str, weight: float, input_weight: float = 1.0) -> Floats:
    """The flat parameter vector of `unit(kind)` with that self weight."""
    named = {name: np.zeros(shape) for name, shape in unit(kind).layout.shapes.items()}
    named["W_out"][:] = validate.number("input_weight", input_weight)
    named["u_out" if kind == "net" else "v_out"][:] = validate.number("weight", weight)
    return unit(kind).layout.flatten(named)


def sensitivities(net: LFMN, theta: ArrayLike, x: ArrayLike) -> Floats:
    """|dy_i(T)/dx_k(T-q)| for the lags q = 0, ..., T-1, shape (T, d_out, n_in), by the complex step.

    One batch, in which each sequence has another of its inputs moved. Errors as for `LFMN.forward`.
    """
    _weights(net, theta)
    x = validate.array("x", x, ("T", net.n_in))
    moved = x + 1j * STEP * np.eye(x.size).reshape(x.size, *x.shape)
    slopes = net.forward(theta, moved).y[:, -1].imag / STEP
    return np.abs(slopes.reshape(*x.shape, net.n_out)[::-1].transpose(0, 2, 1))


def rate(net: LFMN, theta: ArrayLike) -> float:
    """max(|u|, |v| M) over all recurrent units that feed an output; 0 if there is none.

    Hidden units count only if some output is static: nothing else reads them.
    """
    weights = _weights(net, theta)
    layers = ("out", "hid") if net.output.static else ("out",)
    each = [np.abs(weights[f"u_{layer}"]) for layer in layers]
    each += [np.abs(weights[f"v_{layer}"]) * net.activation.max_slope for layer in layers]
    return float(np.max(np.concatenate(each), initial=0.0))


def gain(net: LFMN, theta: ArrayLike) -> float:
    """The factor in front of rate^q, summed over the inputs, for the output that has the largest.

    M^2 sum_jk |w_out_ij w_hid_jk| for a static output i (lfmn-22), M sum_k |W_out_ik| for a recurrent one.
    """
    weights = {name: np.abs(values) for name, values in _weights(net, theta).items()}
    slope = net.activation.max_slope
    static = slope**2 * (weights["w_out"] @ weights["w_hid"]).sum(axis=1)
    recurrent = slope * weights["W_out"].sum(axis=1)
    return float(np.max(np.concatenate([static, recurrent])))


def window(net: LFMN, theta: ArrayLike, tolerance: float, spread: float) -> int:
    """The number of latest inputs that fix every output to within `tolerance`.

    Two input sequences that agree on them, and elsewhere differ by at most `spread` in each component, give outputs
    that differ by at most gain * spread * rate^W / (1 - rate) <= tolerance. At least 1.

    ValueError for a tolerance or spread that is not positive, or a network with rate >= 1, which has no such window.
    """
    tolerance = validate.number("tolerance", tolerance, "(0, inf)")
    spread = validate.number("spread", spread, "(0, inf)")
    slowest = rate(net, theta)
    if slowest >= 1.0:
        raise ValueError(f"theta: max(|u|, |v| M) is {slowest:.6g}, expected less than 1 for a network that forgets")
    worst = gain(net, theta) * spread / (1.0 - slowest)
    if not math.isfinite(worst):
        raise ValueError(f"spread: gain * spread / (1 - rate) overflows float64, got {spread}")
    if slowest == 0.0 or worst <= tolerance:
        return 1
    share = tolerance / worst
    logarithm = math.log(share) if share > 1e-300 else math.log(tolerance) - math.log(worst)
    return max(1, math.ceil(logarithm / math.log(slowest)))


def unforced_decay(kind: str, weight: ArrayLike, currents: ArrayLike) -> Floats:
    """log |d net(T) / d current(1)| of single units with these self weights, step by step through the recursion.

    `currents` (T,) drive every unit alike. In logarithms, so that long lags neither overflow nor underflow.
    """
    validate.one_of("kind", kind, KINDS)
    weight, currents = validate.real("weight", weight), validate.array("currents", currents, ("T",))
    state, size = np.zeros_like(weight), np.zeros_like(weight)
    with np.errstate(divide="ignore", over="ignore"):
        for place, current in enumerate(currents):
            if place:
                size = size + np.log(np.abs(weight * (1.0 if kind == "net" else tanh_half.derivative(state))))
            state = weight * (state if kind == "net" else tanh_half(state)) + current
            if kind == "net":
                state = np.clip(state, -1e9, 1e9)  # beyond, the slope of the recursion is the weight all the same
    return size


def _weights(net: LFMN, theta: ArrayLike) -> dict[str, Floats]:
    """The named arrays of a network; TypeError or ValueError if one of the two is none."""
    if not isinstance(net, LFMN):
        raise TypeError(f"net: expected an LFMN, got {type(net).__name__}")
    return net.layout.views(validate.array("theta", theta, (net.layout.size,)))
