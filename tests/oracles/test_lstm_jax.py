"""Both LSTMs against JAX, in float64: both modes of scans written for them.

Truncation is ``stop_gradient``, applied within the scan to what gates, cells and hidden units read of the step before
and to every state that a gate sees.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from throughtime.checks import relative_error
from throughtime.models.activations import identity, logistic, tanh, tanh_half, twice_tanh_half
from throughtime.models.lstm import METHODS
from throughtime.models.lstm1997 import LSTM1997, TIMINGS
from throughtime.models.peephole import PeepholeLSTM

jax.config.update("jax_enable_x64", True)

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "tanh_half": lambda z: jnp.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * jnp.tanh(z / 2),
}

PROBLEMS = [(LSTM1997(1, 1, 1, 1, timing=timing), length) for timing, length in zip(TIMINGS, (2, 1), strict=True)]
PROBLEMS += [(LSTM1997(2, 2, 2, 2, 2, timing=timing, bias=True), 25) for timing in TIMINGS]
PROBLEMS += [(LSTM1997(0, 2, 1, 2, 1, timing="same", bias=["ig", "og"]), 8)]
OTHERS = {"g": tanh, "h": identity, "f_hid": tanh_half, "f_out": identity}
MORE = {"f": tanh_half, "g": identity, "h": logistic, "f_hid": twice_tanh_half, "f_out": tanh}
PROBLEMS += [(LSTM1997(3, 2, 3, 2, 1, timing="previous", bias=["cell"], **OTHERS), 10)]
PROBLEMS += [(LSTM1997(1, 2, 2, 1, 1, timing="same", bias=["hid", "out"], **MORE), 10)]

OWN = {"f": tanh_half, "g": tanh, "h": logistic, "f_out": identity}
PROBLEMS += [
    (PeepholeLSTM(1, 1, 1, 1), 2),
    (PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity), 20),
    (PeepholeLSTM(2, 2, 2, 2, bias=True), 25),
    (PeepholeLSTM(2, 2, 2, 2, peepholes=False, bias=True), 25),
    (PeepholeLSTM(0, 2, 1, 2, peepholes=["og"], bias=["ig", "og"]), 8),
    (PeepholeLSTM(3, 2, 3, 2, feedback="cells", peepholes=["fg", "ig"], bias=["cell"], **OWN), 10),
]
every_problem = pytest.mark.parametrize(("model", "length"), PROBLEMS, ids=range(len(PROBLEMS)))


def named(model, theta):
    """The parameters by name."""
    p, start = {}, 0
    for name, shape in model.layout.shapes.items():
        size = int(np.prod(shape))
        p[name], start = theta[start : start + size].reshape(shape), start + size
    return p


def loss_1997(model, cut, theta, x, targets, mask):
    p = named(model, theta)
    f, g, h, f_hid, f_out = (FUNCTIONS[a.name] for a in (model.f, model.g, model.h, model.f_hid, model.f_out))

    def net(kind, read):
        return p[f"w_{kind}"] @ read + p.get(f"b_{kind}", 0.0)

    def step(state, at):
        hid, ig, og, cell, s = state
        x_t, target, m = at
        act = jnp.concatenate([hid, ig, og, cell.ravel()])
        read = jnp.concatenate([x_t, jax.lax.stop_gradient(act) if cut else act])
        seen = hid, cell
        hid, ig, og = f_hid(net("hid", read)), f(net("ig", read)), f(net("og", read))
        s = s + ig * g(net("cell", read))
        cell = og * h(s)
        if model.timing == "same":
            seen = hid, cell
        y = f_out(net("out", jnp.concatenate([x_t, seen[0], seen[1].ravel()])))
        return (hid, ig, og, cell, s), jnp.sum(m * (y - target) ** 2) / 2

    shapes = (model.hidden,), (model.blocks,), (model.blocks,), *[(model.cells, model.blocks)] * 2
    return jax.lax.scan(step, tuple(map(jnp.zeros, shapes)), (x, targets, mask))[1].sum()


def loss_2002(model, cut, theta, x, targets, mask):
    p = named(model, theta)
    f, g, h, f_out = (FUNCTIONS[a.name] for a in (model.f, model.g, model.h, model.f_out))

    def past(values):
        return jax.lax.stop_gradient(values) if cut else values

    def net(kind, read, s=None):
        total = p[f"w_{kind}"] @ read + p.get(f"b_{kind}", 0.0)
        return total + (p[f"u_{kind}"] * past(s)).sum(axis=1) if f"u_{kind}" in p else total

    def step(state, at):
        fg, ig, og, cell, s = state
        x_t, target, m = at
        gates = [fg, ig, og] if model.feedback == "all" else []
        read = jnp.concatenate([x_t, past(jnp.concatenate([*gates, cell.ravel()]))])
        fg, ig = f(net("fg", read, s)), f(net("ig", read, s))
        s = fg[:, None] * s + ig[:, None] * g(net("cell", read))
        og = f(net("og", read, s))
        cell = og[:, None] * h(s)
        y = f_out(net("out", jnp.concatenate([x_t, cell.ravel()]) if model.direct else cell.ravel()))
        return (fg, ig, og, cell, s), jnp.sum(m * (y - target) ** 2) / 2

    shapes = *[(model.blocks,)] * 3, *[(model.blocks, model.cells)] * 2
    return jax.lax.scan(step, tuple(map(jnp.zeros, shapes)), (x, targets, mask))[1].sum()


@every_problem
@pytest.mark.parametrize("cut", [False, True], ids=["exact", "truncated"])
def test_gradients_are_those_of_jax(model, length, cut):
    loss_of = loss_1997 if isinstance(model, LSTM1997) else loss_2002
    reverse = jax.jit(jax.value_and_grad(partial(loss_of, model, cut)))
    forward = jax.jit(jax.jacfwd(partial(loss_of, model, cut)))
    for seed in range(5):
        rng = np.random.default_rng(seed)
        theta, x = model.layout.uniform(rng, 0.9), rng.normal(size=(length, model.n_in))
        targets = rng.normal(size=(length, model.n_out))
        mask = rng.integers(0, 2, (length, model.n_out)).astype(float)
        mask[-1, 0] = 1.0
        loss, by_reverse = reverse(theta, x, targets, mask)
        by_forward = forward(theta, x, targets, mask)
        assert by_reverse.dtype == np.float64
        for method in METHODS:
            if (method == "truncated") == cut:
                result = model.gradient(theta, x, targets, mask, method=method)
                assert relative_error(result.loss, float(loss)) <= TOLERANCE
                assert relative_error(result.gradient, by_reverse) <= TOLERANCE
                assert relative_error(result.gradient, by_forward) <= TOLERANCE
