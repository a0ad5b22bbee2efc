"""The fully recurrent network against JAX, in float64: both modes of a scan written for it.

Truncation is ``stop_gradient`` within the scan, applied to the state that the window of a step begins from.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from throughtime.checks import relative_error
from throughtime.models.activations import ACTIVATIONS, logistic, tanh
from throughtime.models.recurrent import FullyRecurrent

jax.config.update("jax_enable_x64", True)

TOLERANCE = 1e-12

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "tanh_half": lambda z: jnp.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * jnp.tanh(z / 2),
}

PROBLEMS = [
    (FullyRecurrent(1, 1, tanh), 1),
    (FullyRecurrent(1, 1, logistic), 8),
    (FullyRecurrent(0, 3, logistic), 8),
    *((FullyRecurrent(2, 3, f), 12) for f in ACTIVATIONS.values()),
    (FullyRecurrent(3, 5, list(ACTIVATIONS.values())), 25),
]
ids = [f"{m.n_in}-{m.n_out}-{'-'.join(dict.fromkeys(f.name for f in m.activation))}-{T}" for m, T in PROBLEMS]
every_problem = pytest.mark.parametrize(("model", "length"), PROBLEMS, ids=ids)


def problems(model, length):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        theta, x = model.init(rng, 0.9), rng.normal(size=(length, model.n_in))
        mask = rng.integers(0, 2, (length, model.n_out)).astype(float)
        mask[-1, 0] = 1.0
        yield theta, x, rng.normal(size=(length, model.n_out)), mask


def next_state(model, theta, x_t, y):
    z = theta.reshape(model.n_out, model.n_in + model.n_out) @ jnp.concatenate([x_t, y])
    return jnp.stack([FUNCTIONS[f.name](z[i]) for i, f in enumerate(model.activation)])


def loss_of(model, theta, x, targets, mask):
    def step(y, at):
        x_t, target, m = at
        y = next_state(model, theta, x_t, y)
        return y, jnp.sum(m * (y - target) ** 2) / 2

    return jax.lax.scan(step, jnp.zeros(model.n_out), (x, targets, mask))[1].sum()


def truncated_loss_of(model, window, theta, x, targets, mask):
    """The same loss. The state at t is carried in window + 1 copies of equal value.

    Copy c depends on the weights through its last c + 1 steps alone: it continues copy c - 1 of the step before,
    and copy 0 a state that is cut off. The loss reads the last copy.
    """

    def step(copies, at):
        x_t, target, m = at
        cut = jnp.concatenate([jax.lax.stop_gradient(copies[:1]), copies])[: window + 1]
        copies = jax.vmap(lambda y: next_state(model, theta, x_t, y))(cut)
        return copies, jnp.sum(m * (copies[-1] - target) ** 2) / 2

    start = jnp.zeros((window + 1, model.n_out))
    return jax.lax.scan(step, start, (x, targets, mask))[1].sum()


@every_problem
def test_exact_gradients_are_those_of_jax(model, length):
    reverse = jax.jit(jax.value_and_grad(partial(loss_of, model)))
    forward = jax.jit(jax.jacfwd(partial(loss_of, model)))
    for theta, x, targets, mask in problems(model, length):
        loss, by_reverse = reverse(theta, x, targets, mask)
        by_forward = forward(theta, x, targets, mask)
        assert by_reverse.dtype == np.float64
        for method in ("bptt", "rtrl"):
            result = model.gradient(theta, x, targets, mask, method=method)
            assert relative_error(result.loss, float(loss)) <= TOLERANCE
            assert relative_error(result.gradient, by_reverse) <= TOLERANCE
            assert relative_error(result.gradient, by_forward) <= TOLERANCE


@every_problem
@pytest.mark.parametrize("window", [0, 1, 4, 30])
def test_truncated_gradient_is_that_under_stop_gradient(model, length, window):
    reverse = jax.jit(jax.value_and_grad(partial(truncated_loss_of, model, window)))
    for theta, x, targets, mask in problems(model, length):
        loss, expected = reverse(theta, x, targets, mask)
        result = model.gradient(theta, x, targets, mask, method="truncated", window=window)
        assert relative_error(result.loss, float(loss)) <= TOLERANCE
        assert relative_error(result.gradient, expected) <= TOLERANCE


def test_error_signals_are_gradients_by_perturbations_of_net_inputs():
    """dL/dz(t) is the gradient by a number added to z(t); one added to y(t) likewise."""
    model = FullyRecurrent(3, 5, list(ACTIVATIONS.values()))

    def loss(by_net, by_act, theta, x, targets, mask):
        def step(y, at):
            x_t, target, m, dz, dy = at
            z = theta.reshape(5, 8) @ jnp.concatenate([x_t, y]) + dz
            y = jnp.stack([FUNCTIONS[f.name](z[i]) for i, f in enumerate(model.activation)]) + dy
            return y, jnp.sum(m * (y - target) ** 2) / 2

        return jax.lax.scan(step, by_act[0], (x, targets, mask, by_net[1:], by_act[1:]))[1].sum()

    gradient = jax.jit(jax.grad(loss, argnums=(0, 1)))
    for theta, x, targets, mask in problems(model, 10):
        signals = model.error_signals(theta, x, targets, mask)
        by_net, by_act = gradient(jnp.zeros((11, 5)), jnp.zeros((11, 5)), theta, x, targets, mask)
        assert relative_error(signals.z, by_net) <= TOLERANCE
        assert relative_error(signals.y, by_act) <= TOLERANCE
