"""Elman and Jordan networks against JAX, in float64: both modes of a scan; the truncation is ``stop_gradient``."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from throughtime.checks import relative_error
from throughtime.models.activations import logistic, tanh
from throughtime.models.simple_recurrent import Elman, Jordan

jax.config.update("jax_enable_x64", True)

TOLERANCE = 1e-12
FUNCTIONS = {"logistic": jax.nn.sigmoid, "tanh": jnp.tanh}

MODELS = [
    *(cls(1, 1, 1, start=0.5) for cls in (Elman, Jordan)),
    *(cls(2, 4, 3, tanh, logistic) for cls in (Elman, Jordan)),
    *(cls(0, 3, 2, logistic, tanh) for cls in (Elman, Jordan)),
]
ids = [f"{type(m).__name__}-{m.n_in}-{m.hidden}-{m.n_out}" for m in MODELS]


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


@pytest.mark.parametrize("model", MODELS, ids=ids)
@pytest.mark.parametrize("length", [9])
def test_gradients_are_those_of_jax(model, length):
    exact, truncated = partial(loss_of, model, False), partial(loss_of, model, True)
    by_reverse, by_forward = jax.jit(jax.value_and_grad(exact)), jax.jit(jax.jacfwd(exact))
    by_stopping = jax.jit(jax.grad(truncated))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        theta, x = model.init(rng, 0.9), rng.normal(size=(3, length, model.n_in))
        targets = rng.normal(size=(3, length, model.n_out))
        given = theta, x, targets, rng.integers(0, 2, targets.shape).astype(float)
        loss, gradient = by_reverse(*given)
        assert gradient.dtype == np.float64
        for method in ("bptt", "rtrl"):
            result = model.gradient(*given, method=method)
            assert relative_error(result.loss, float(loss)) <= TOLERANCE
            assert relative_error(result.gradient, gradient) <= TOLERANCE
            assert relative_error(result.gradient, by_forward(*given)) <= TOLERANCE
        cut = model.gradient(*given, method="truncated")
        assert relative_error(cut.gradient, by_stopping(*given)) <= TOLERANCE
