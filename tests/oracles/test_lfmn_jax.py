"""The LFMN's loss and gradients against JAX, in float64: both modes of a scan written for it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from throughtime.checks import relative_error
from throughtime.models.activations import ACTIVATIONS, tanh_half
from throughtime.models.lfmn import LFMN, METHODS

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
    ((1, (1, 0, 0), (1, 0, 0)), tanh_half, 3),
    ((1, (0, 1, 0), (1, 0, 0)), tanh_half, 8),
    ((1, (0, 0, 1), (1, 0, 0)), tanh_half, 8),
    ((2, (0, 0, 0), (0, 1, 1)), tanh_half, 1),
    *(((2, (3, 2, 1), (1, 2, 3)), activation, 12) for activation in ACTIVATIONS.values()),
    ((4, (0, 5, 4), (3, 2, 2)), tanh_half, 40),
]


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


@pytest.mark.parametrize(
    ("architecture", "activation", "length"), PROBLEMS, ids=lambda value: getattr(value, "name", str(value))
)
def test_gradients_are_those_of_jax(architecture, activation, length):
    model = LFMN(*architecture, activation)
    reverse = jax.jit(jax.value_and_grad(lambda *arguments: loss_of(model, *arguments)))
    forward = jax.jit(jax.jacfwd(lambda *arguments: loss_of(model, *arguments)))
    for seed in range(5):
        rng = np.random.default_rng(seed)
        theta, x = model.init(rng, 1.2), rng.normal(size=(length, model.n_in))
        targets = rng.normal(size=(length, model.output.total))
        mask = rng.integers(0, 2, length).astype(float)
        mask[-1] = 1.0
        loss, by_reverse = reverse(theta, x, targets, mask)
        by_forward = forward(theta, x, targets, mask)
        assert by_reverse.dtype == np.float64
        for method in METHODS:
            result = model.gradient(theta, x, targets, mask, method=method)
            assert relative_error(result.loss, float(loss)) <= TOLERANCE
            assert relative_error(result.gradient, by_reverse) <= TOLERANCE
            assert relative_error(result.gradient, by_forward) <= TOLERANCE
