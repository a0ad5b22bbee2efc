"""The LFMN in JAX, in float64: a scan written from its equations."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "tanh_half": lambda z: jnp.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * jnp.tanh(z / 2),
}


def feedback(units, u, v):
    """Whole-layer feedback weights, zero where a unit has none: (from the net input, from the activation)."""
    zeros = jnp.zeros(units.total)
    from_net = zeros.at[units.static : units.static + units.net].set(u)
    return from_net, zeros.at[units.static + units.net :].set(v)


def loss_of(model, theta, x, targets, mask):
    f = FUNCTIONS[model.activation.name]
    p, start = {}, 0
    for name, shape in model.layout.shapes.items():
        size = int(np.prod(shape))
        p[name], start = theta[start : start + size].reshape(shape), start + size
    u_hid, v_hid = feedback(model.hidden, p["u_hid"], p["v_hid"])
    u_out, v_out = feedback(model.output, p["u_out"], p["v_out"])

    def step(state, at):
        net_h, h, net_y, y = state
        x_t, target, sigma = at
        net_h = p["w_hid"] @ x_t + u_hid * net_h + v_hid * h
        h = f(net_h)
        net_y = jnp.concatenate([p["w_out"] @ h, p["W_out"] @ x_t]) + u_out * net_y + v_out * y
        y = f(net_y)
        return (net_h, h, net_y, y), sigma * jnp.sum((y - target) ** 2)

    zeros = (jnp.zeros(model.hidden.total),) * 2 + (jnp.zeros(model.output.total),) * 2
    return jax.lax.scan(step, zeros, (x, targets, mask))[1].sum()


@cache
def compiled(model):
    """Loss and gradient by reverse mode, and the gradient by forward mode."""
    loss = partial(loss_of, model)
    return jax.jit(jax.value_and_grad(loss)), jax.jit(jax.jacfwd(loss))


def gradients(model, *given):
    """The loss, and the gradient by both modes."""
    reverse, forward = compiled(model)
    loss, gradient = reverse(*given)
    return {"loss": loss, "reverse": gradient, "forward": forward(*given)}
