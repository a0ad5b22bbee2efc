"""How fast a network forgets: rate, gain and the window of inputs that is left, and checks of the bound by runs.

For every input sequence |dy_i(t)/dx_k(t-q)| <= gain * rate^q with rate = max(|u|, |v| M) over the units and M the
largest slope of the activation. A network with rate < 1 forgets.
"""

import math

import numpy as np
from throughtime.arrays.activations import tanh_half
from throughtime.checks import STEP
from throughtime.textbook.lfmn import LFMN

KINDS = ("net", "act")


def unit(kind: str) -> LFMN:
    """The smallest network with memory: one input, one recurrent output, "net"-input or "act"ivation feedback."""
    return LFMN(n_in=1, hidden=(0, 0, 0), output=(0, 1, 0) if kind == "net" else (0, 0, 1))


def unit_parameters(kind: str, weight: float, input_weight: float = 1.0) -> np.ndarray:
    """The flat parameter vector of `unit(kind)` with that self weight."""
    named = {name: np.zeros(shape) for name, shape in unit(kind).layout.shapes.items()}
    named["W_out"][:] = input_weight
    named["u_out" if kind == "net" else "v_out"][:] = weight
    return unit(kind).layout.flatten(named)


def sensitivities(net: LFMN, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """|dy_i(T)/dx_k(T-q)| for the lags q = 0, ..., T-1, shape (T, d_out, n_in), by the complex step.

    One batch, in which each sequence has another of its inputs moved; x (T, n_in).
    """
    moved = x + 1j * STEP * np.eye(x.size).reshape(x.size, *x.shape)
    slopes = net.forward(theta, moved).y[:, -1].imag / STEP
    return np.abs(slopes.reshape(*x.shape, net.n_out)[::-1].transpose(0, 2, 1))


def rate(net: LFMN, theta: np.ndarray) -> float:
    """max(|u|, |v| M) over all recurrent units that feed an output; 0 if there is none.

    Hidden units count only if some output is static: nothing else reads them.
    """
    weights = net.layout.views(theta)
    layers = ("out", "hid") if net.output.static else ("out",)
    factors = {"u": 1.0, "v": net.activation.max_slope}
    each = [np.abs(weights[f"{kind}_{layer}"]) * factors[kind] for kind in factors for layer in layers]
    return float(np.max(np.concatenate(each), initial=0.0))


def gain(net: LFMN, theta: np.ndarray) -> float:
    """The factor in front of rate^q, summed over the inputs, for the output that has the largest.

    M^2 sum_jk |w_out_ij w_hid_jk| for a static output i (lfmn-22), M sum_k |W_out_ik| for a recurrent one.
    """
    weights = {name: np.abs(values) for name, values in net.layout.views(theta).items()}
    slope = net.activation.max_slope
    static = slope**2 * (weights["w_out"] @ weights["w_hid"]).sum(axis=1)
    recurrent = slope * weights["W_out"].sum(axis=1)
    return float(np.max(np.concatenate([static, recurrent])))


def window(net: LFMN, theta: np.ndarray, tolerance: float, spread: float) -> int:
    """The number of latest inputs that fix every output to within `tolerance`; needs a rate between 0 and 1.

    Two input sequences that agree on them, and elsewhere differ by at most `spread` in each component, give outputs
    that differ by at most gain * spread * rate^W / (1 - rate) <= tolerance. At least 1.
    """
    slowest = rate(net, theta)
    worst = gain(net, theta) * spread / (1 - slowest)
    return max(1, math.ceil(math.log(tolerance / worst) / math.log(slowest)))


def bound_holds_in_the_library() -> bool:
    """Random networks within the condition: every sensitivity of the numeric model is at most gain * rate^lag."""
    for seed in range(12):
        draw = np.random.default_rng(seed)
        net = LFMN(n_in=2, hidden=(1, 2, 2), output=(2, 1, 1))
        theta = net.init(draw, scale=0.99)
        found = sensitivities(net, theta, draw.normal(size=(24, 2))).sum(axis=2).max(axis=1)
        bound = gain(net, theta) * rate(net, theta) ** np.arange(24)
        if not (rate(net, theta) < 1 and np.all(found[1:] <= bound[1:] * (1 + 1e-12))):
            return False
    return True


def contracts() -> bool:
    """0 <= f(a) - f(b) <= (a - b)/2 for a >= b on a fine grid, and no factor below 1/2 would do near 0."""
    points = np.linspace(-6, 6, 601)
    gap, rise = (values[:, None] - values for values in (points, tanh_half(points)))
    share = rise[gap > 0] / gap[gap > 0]
    return bool(np.all(share > 0) and np.all(share <= 0.5) and share.max() > 0.499)


def late_loss_is_bounded(last: int = 25, seed: int = 3) -> bool:
    """Random forgetting units, two sequences that differ in the first input, targets 1/2 and -1/2 at time T only.

    The two outputs differ by at most gain * |x(1) - x'(1)| * rate^(T-1), and the losses keep above what that leaves.
    """
    draw = np.random.default_rng(seed)
    for kind, border in zip(KINDS, (1, 2), strict=True):
        for weight in draw.uniform(0.1, 0.9, size=20) * border:
            net, theta = unit(kind), unit_parameters(kind, weight)
            one = draw.normal(size=(last, 1))
            other = np.vstack([-one[:1], one[1:]])
            a, b = (net.forward(theta, x).y[-1, 0] for x in (one, other))
            most = gain(net, theta) * abs(one[0, 0] - other[0, 0]) * rate(net, theta) ** (last - 1)
            least = max(0.0, 1.0 - most) ** 2 / 2
            if abs(a - b) > most * (1 + 1e-9) + 1e-15 or (a - 0.5) ** 2 + (b + 0.5) ** 2 < least * (1 - 1e-12):
                return False
    return True
