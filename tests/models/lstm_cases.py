"""Both LSTMs written from the notes, and problems for them: what the tests of their loops have in common."""

import numpy as np
import pytest
from hypothesis import strategies as st
from throughtime.arrays.activations import ACTIVATIONS
from throughtime.checks import STEP
from throughtime.models import lstm1997, peephole
from throughtime.models.lstm1997 import HIDDEN_KINDS, LSTM1997, TIMINGS
from throughtime.models.peephole import FEEDBACK, GATES, PeepholeLSTM

TOLERANCE = 1e-12
EXACT = ("bptt", "rtrl")
ONLINE = ("truncated", "rtrl")

# One of middling size for each way in which the loops differ.
NETS = {f"1997-{timing}": LSTM1997(2, 2, 2, 2, 1, timing=timing, bias=True) for timing in TIMINGS}
NETS |= {f"2002-{feedback}": PeepholeLSTM(2, 2, 2, 2, feedback=feedback, bias=True) for feedback in FEEDBACK}
every_net = pytest.mark.parametrize("model", NETS.values(), ids=NETS)


def problem(model, length, seed, scale=1.0):
    """Random parameters, inputs, targets and a mask by output."""
    rng = np.random.default_rng(seed)
    theta, x = model.layout.uniform(rng, scale), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    return theta, x, targets, rng.integers(0, 2, (length, model.n_out))


def some(kinds):
    return st.booleans() | st.lists(st.sampled_from(kinds), unique=True)


@st.composite
def nets_1997(draw):
    sizes = [draw(st.integers(least, 2)) for least in (0, 1, 1, 1, 0)]
    return LSTM1997(
        *sizes,
        timing=draw(st.sampled_from(TIMINGS)),
        bias=draw(some(lstm1997.KINDS)),
        **draw(activations("f", "g", "h", "f_hid", "f_out")),
    )


@st.composite
def nets_2002(draw):
    sizes = [draw(st.integers(least, 2)) for least in (0, 1, 1, 1)]
    return PeepholeLSTM(
        *sizes,
        peepholes=draw(some(GATES)),
        feedback=draw(st.sampled_from(FEEDBACK)),
        direct=draw(st.booleans()),
        bias=draw(some(peephole.KINDS)),
        **draw(activations("f", "g", "h", "f_out")),
    )


def activations(*names):
    own = st.fixed_dictionaries(dict.fromkeys(names, st.sampled_from(list(ACTIVATIONS.values()))))
    return st.just({}) | own


@st.composite
def problems(draw, nets):
    model, length = draw(nets), draw(st.integers(1, 6))
    theta, x, targets, by_output = problem(model, length, draw(st.integers(0, 2**32 - 1)))
    return model, theta, x, targets, draw(st.sampled_from([None, by_output, by_output[:, 0]]))


KINDS_OF_NET = {"1997": problems(nets_1997()), "2002": problems(nets_2002())}
every_kind = pytest.mark.parametrize("problems", KINDS_OF_NET.values(), ids=KINDS_OF_NET)


def by_output(mask, targets):
    """The mask as numbers for each step and output."""
    mask = np.ones(targets.shape) if mask is None else np.asarray(mask, float)
    return mask if mask.ndim == 2 else np.repeat(mask[:, None], targets.shape[1], axis=1)


def reference_1997(model, thetas, x, cuts=(), bumps=None):
    """The note's eqs. 36 to 43 for each row of ``thetas``: arrays (T+1, rows, ...) by name.

    Where a path is cut, a net input reads the activations of the first row, without their imaginary parts.
    ``bumps`` are numbers, of the same shapes, added to net inputs and states.
    """
    rows, bumps = len(thetas), bumps or {}
    shapes = {"hid": (model.hidden,), "ig": (model.blocks,), "og": (model.blocks,)}
    shapes |= {"cell": (model.cells, model.blocks), "out": (model.n_out,)}
    p = {name: thetas[:, model.layout.slice(name)].reshape(rows, *shape) for name, shape in model.layout.shapes.items()}

    def zeros(kind):
        return np.zeros((len(x) + 1, rows, *shapes[kind]), complex)

    q = {f"{symbol}_{kind}": zeros(kind) for kind in lstm1997.KINDS for symbol in ("net", "y")} | {"s": zeros("cell")}
    if "s" in bumps:
        q["s"][0] += bumps["s"][0]

    def net(kind, t, sources, at):
        """The net input at t+1 from x(t) and the sources at the time ``at``."""
        w, first = p[f"w_{kind}"], model.n_in
        total = np.einsum("n...j,j->n...", w[..., :first], x[t]) + p.get(f"b_{kind}", 0.0)
        for source in sources:
            act = q[f"y_{source}"][at].reshape(rows, -1)
            if (f"net_{kind}", f"y_{source}") in cuts:
                act = np.repeat(act[:1].real, rows, axis=0)
            total = total + np.einsum("n...j,nj->n...", w[..., first : first + act.shape[1]], act)
            first += act.shape[1]
        assert first == w.shape[-1]
        q[f"net_{kind}"][t + 1] = total + (bumps[f"net_{kind}"][t + 1] if f"net_{kind}" in bumps else 0.0)
        return q[f"net_{kind}"][t + 1]

    for t in range(len(x)):
        q["y_hid"][t + 1] = model.f_hid(net("hid", t, HIDDEN_KINDS, t))
        q["y_ig"][t + 1] = model.f(net("ig", t, HIDDEN_KINDS, t))
        q["y_og"][t + 1] = model.f(net("og", t, HIDDEN_KINDS, t))
        q["s"][t + 1] = q["s"][t] + q["y_ig"][t + 1][:, None] * model.g(net("cell", t, HIDDEN_KINDS, t))
        q["s"][t + 1] += bumps["s"][t + 1] if "s" in bumps else 0.0
        q["y_cell"][t + 1] = q["y_og"][t + 1][:, None] * model.h(q["s"][t + 1])
        at = {"previous": t, "same": t + 1}[model.timing]
        q["y_out"][t + 1] = model.f_out(net("out", t, ("hid", "cell"), at))
    return q | {"y": q.pop("y_out")}


def reference_2002(model, thetas, x, cuts=(), bumps=None):
    """The note's eqs. 1 to 5, 13, 14 for each row of ``thetas``: arrays (T+1, rows, ...) by name.

    Where a path is cut, a net input reads activations and states of the first row, without their imaginary
    parts. ``bumps`` are numbers, of the same shapes, added to net inputs and states.
    """
    rows, bumps = len(thetas), bumps or {}
    shapes = dict.fromkeys(GATES, (model.blocks,)) | {"cell": (model.blocks, model.cells), "out": (model.n_out,)}
    p = {name: thetas[:, model.layout.slice(name)].reshape(rows, *shape) for name, shape in model.layout.shapes.items()}

    def zeros(kind):
        return np.zeros((len(x) + 1, rows, *shapes[kind]), complex)

    q = {f"{symbol}_{kind}": zeros(kind) for kind in peephole.KINDS for symbol in ("net", "y")} | {"s": zeros("cell")}
    if "s" in bumps:
        q["s"][0] += bumps["s"][0]
    inner = (*GATES, "cell") if model.feedback == "all" else ("cell",)

    def held(values):
        return np.repeat(values[:1].real, rows, axis=0)

    def net(kind, t, sources, at, inputs=True, seen=None):
        """The net input at t, from x(t), the sources at the time ``at`` and the states at ``seen``."""
        w, first = p[f"w_{kind}"], model.n_in if inputs else 0
        total = np.einsum("n...j,j->n...", w[..., :first], x[t - 1][:first]) + p.get(f"b_{kind}", 0.0)
        for source in sources:
            act = q[f"y_{source}"][at].reshape(rows, -1)
            if peephole.Cut(f"net_{kind}", f"y_{source}") in cuts:
                act = held(act)
            total = total + np.einsum("n...j,nj->n...", w[..., first : first + act.shape[1]], act)
            first += act.shape[1]
        assert first == w.shape[-1]
        if f"u_{kind}" in p:
            s = q["s"][seen]
            s = held(s) if peephole.Cut(f"net_{kind}", "s", t - seen) in cuts else s
            total = total + (p[f"u_{kind}"] * s).sum(axis=-1)
        q[f"net_{kind}"][t] = total + (bumps[f"net_{kind}"][t] if f"net_{kind}" in bumps else 0.0)
        return q[f"net_{kind}"][t]

    for t in range(1, len(x) + 1):
        q["y_fg"][t] = model.f(net("fg", t, inner, t - 1, seen=t - 1))
        q["y_ig"][t] = model.f(net("ig", t, inner, t - 1, seen=t - 1))
        kept = q["y_fg"][t][..., None] * q["s"][t - 1]
        q["s"][t] = kept + q["y_ig"][t][..., None] * model.g(net("cell", t, inner, t - 1))
        q["s"][t] += bumps["s"][t] if "s" in bumps else 0.0
        q["y_og"][t] = model.f(net("og", t, inner, t - 1, seen=t))
        q["y_cell"][t] = q["y_og"][t][..., None] * model.h(q["s"][t])
        q["y_out"][t] = model.f_out(net("out", t, ("cell",), t, inputs=model.direct))
    return q | {"y": q.pop("y_out")}


def reference(model):
    """The one for this model."""
    return reference_1997 if isinstance(model, LSTM1997) else reference_2002


def by_step(loss):
    """Derivatives in all directions but that of row 0; below the step there is but its own error, of order h^2."""
    derivative = loss[1:].imag / STEP
    return np.where(np.abs(derivative) < STEP, 0.0, derivative)


def losses(q, targets, mask):
    """The loss of each row."""
    return (by_output(mask, targets)[:, None] * (q["y"][1:] - targets[:, None]) ** 2 / 2).sum(axis=(0, 2))


def gradient_with(cuts, model, theta, x, targets, mask):
    """By the complex step on the reference, all directions at once; row 0 is without a step."""
    steps = np.vstack([np.zeros_like(theta), np.eye(theta.size)])
    q = reference(model)(model, theta + 1j * STEP * steps, x, cuts)
    return by_step(losses(q, targets, mask))
