"""The fully recurrent network in JAX, in float64: scans written from its equations."""

from functools import cache, partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "tanh_half": lambda z: jnp.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * jnp.tanh(z / 2),
}


def next_state(model, theta, x_t, y):
    z = theta.reshape(model.n_out, model.n_in + model.n_out) @ jnp.concatenate([x_t, y])
    return jnp.stack([FUNCTIONS[f.name](z[i]) for i, f in enumerate(model.activation)])


def loss_of(model, theta, x, targets, mask):
    def step(y, at):
        x_t, target, m = at
        y = next_state(model, theta, x_t, y)
        return y, jnp.sum(m * (y - target) ** 2) / 2

    return jax.lax.scan(step, jnp.zeros(model.n_out), (x, targets, mask))[1].sum()


@cache
def compiled(model):
    """Loss and gradient by reverse mode, and the gradient by forward mode."""
    loss = partial(loss_of, model)
    return jax.jit(jax.value_and_grad(loss)), jax.jit(jax.jacfwd(loss))


def exact(model, *given):
    """The loss, and the gradient by both modes."""
    reverse, forward = compiled(model)
    loss, gradient = reverse(*given)
    return {"loss": loss, "reverse": gradient, "forward": forward(*given)}


@cache
def perturbed(model):
    """The gradient by numbers added to z(t), and by others added to y(t)."""

    def loss(by_net, by_act, theta, x, targets, mask):
        def step(y, at):
            x_t, target, m, dz, dy = at
            z = theta.reshape(model.n_out, -1) @ jnp.concatenate([x_t, y]) + dz
            y = jnp.stack([FUNCTIONS[f.name](z[i]) for i, f in enumerate(model.activation)]) + dy
            return y, jnp.sum(m * (y - target) ** 2) / 2

        return jax.lax.scan(step, by_act[0], (x, targets, mask, by_net[1:], by_act[1:]))[1].sum()

    return jax.jit(jax.grad(loss, argnums=(0, 1)))


def error_signals(model, theta, x, targets, mask):
    """dL/dz and dL/dy of all times from 0 on."""
    none = jnp.zeros((len(x) + 1, model.n_out))
    by_net, by_act = perturbed(model)(none, none, theta, x, targets, mask)
    return {"z": by_net, "y": by_act}
