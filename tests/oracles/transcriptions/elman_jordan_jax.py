"""Elman and Jordan networks in JAX, in float64: a scan whose truncation is ``stop_gradient``."""

from functools import cache, partial

import jax
import jax.numpy as jnp
from throughtime.textbook.simple_recurrent import Jordan

jax.config.update("jax_enable_x64", True)

FUNCTIONS = {"logistic": jax.nn.sigmoid, "tanh": jnp.tanh}


def loss_of(model, truncated, theta, x, targets, mask):
    v = theta[model.layout.slice("v")].reshape(model.layout.shapes["v"])
    w = theta[model.layout.slice("w")].reshape(model.layout.shapes["w"])
    one = jnp.ones((x.shape[0], 1))

    def step(context, at):
        x_t, target, m = at
        if truncated:
            context = jax.lax.stop_gradient(context)
        f = FUNCTIONS[model.f_hid.name](jnp.hstack([one, x_t, context]) @ v)
        g = FUNCTIONS[model.f_out.name](jnp.hstack([one, f]) @ w)
        return g if isinstance(model, Jordan) else f, jnp.sum(m * (g - target) ** 2) / 2

    start = jnp.full((x.shape[0], model.n_context), model.start)
    return jax.lax.scan(step, start, [jnp.swapaxes(a, 0, 1) for a in (x, targets, mask)])[1].sum()


@cache
def compiled(model):
    """Loss and gradient by reverse mode, the gradient by forward mode, and the truncated gradient."""
    exact, truncated = partial(loss_of, model, False), partial(loss_of, model, True)
    return jax.jit(jax.value_and_grad(exact)), jax.jit(jax.jacfwd(exact)), jax.jit(jax.grad(truncated))


def gradients(model, *given):
    """The loss, the gradient by both modes, and the truncated gradient."""
    reverse, forward, stopped = compiled(model)
    loss, gradient = reverse(*given)
    return {"loss": loss, "reverse": gradient, "forward": forward(*given), "truncated": stopped(*given)}
