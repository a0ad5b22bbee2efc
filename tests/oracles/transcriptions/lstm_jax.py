"""Both LSTMs in JAX, in float64: scans written from their equations.

Truncation is ``stop_gradient``, applied within the scan to what gates, cells and hidden units read of the step before
and to every state that a gate sees.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from throughtime.textbook.lstm1997 import LSTM1997

jax.config.update("jax_enable_x64", True)

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "tanh_half": lambda z: jnp.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * jnp.tanh(z / 2),
}


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


@cache
def compiled(model, cut):
    """Loss and gradient by reverse mode, and the gradient by forward mode."""
    loss_of = partial(loss_1997 if isinstance(model, LSTM1997) else loss_2002, model, cut)
    return jax.jit(jax.value_and_grad(loss_of)), jax.jit(jax.jacfwd(loss_of))


def gradients(model, cut, *given):
    """The loss, and the gradient by both modes."""
    reverse, forward = compiled(model, cut)
    loss, gradient = reverse(*given)
    return {"loss": loss, "reverse": gradient, "forward": forward(*given)}
