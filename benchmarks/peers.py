"""Peers of compiled programs. The net of the experiments of 2002 that learns on line, 17 weights: in JAX, and in C.

Both are by hand, in the order of the weights that peephole.c names, and compute the truncated gradient and momentum at
every step. And BPTT of the fully recurrent network, by JAX's own derivative.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RATE, MOMENTUM = 0.1, 0.9
FLAGS = ("-O3", "-march=native")
SOURCE = Path(__file__).with_suffix("").parent / "peephole.c"

Learn = Callable[[], np.ndarray]


def in_order(views: dict[str, np.ndarray]) -> np.ndarray:
    """The weights of a compiled net in the order of peephole.c."""
    gates = [np.concatenate([views[f"{kind}_{gate}"].ravel() for kind in "wub"]) for gate in ("fg", "ig", "og")]
    cell = [views["w_block"].ravel(), views["b_block"].ravel(), views["w_out"].ravel(), views["b_out"].ravel()]
    return np.concatenate([*gates, *cell])


def by_c(theta: np.ndarray, x: np.ndarray, targets: np.ndarray) -> Learn:
    """One net in C."""
    folder = Path(tempfile.mkdtemp())
    subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", "-o", folder / "net.so", SOURCE, "-lm"], check=True)
    learn, pointer = ctypes.CDLL(str(folder / "net.so")).learn, ctypes.POINTER(ctypes.c_double)
    learn.restype = ctypes.c_double
    learn.argtypes = [ctypes.c_long, *[pointer] * 4, ctypes.c_double, ctypes.c_double]
    x, targets = (np.ascontiguousarray(array.ravel()) for array in (x, targets))

    def run() -> np.ndarray:
        w, v = theta.copy(), np.zeros_like(theta)
        learn(len(x), *(array.ctypes.data_as(pointer) for array in (x, targets, w, v)), RATE, MOMENTUM)
        return w

    return run


def by_jax(theta: np.ndarray, x: np.ndarray, targets: np.ndarray) -> Learn:
    """One net, theta (17,), by `scan`; several, (nets, 17), by `scan` over `vmap` of the step."""
    import jax
    import jax.numpy as jnp

    def step(carry: tuple, given: tuple) -> tuple[tuple, Any]:
        w, v, s, y, ef, ei, ec = carry
        now, target = given
        r = jnp.stack([now, y, s, 1.0])
        f, i = jax.nn.sigmoid(w[0:4] @ r), jax.nn.sigmoid(w[4:8] @ r)
        rc = jnp.stack([now, y, 1.0])
        z = w[12:15] @ rc
        state = f * s + i * z
        ro = jnp.stack([now, y, state, 1.0])
        o = jax.nn.sigmoid(w[8:12] @ ro)
        out = o * state
        p = jax.nn.sigmoid(w[15] * out + w[16])
        by_net = p * (1 - p) * (p - target)
        by_out = w[15] * by_net
        ef = f * ef + f * (1 - f) * s * r
        ei = f * ei + i * (1 - i) * z * r
        ec = f * ec + i * rc
        by_s = o * by_out
        by_o = o * (1 - o) * state * by_out
        slopes = jnp.concatenate([by_s * ef, by_s * ei, by_o * ro, by_s * ec, jnp.stack([by_net * out, by_net])])
        v = MOMENTUM * v - RATE * slopes
        return (w + v, v, state, out, ef, ei, ec), None

    one = step if theta.ndim == 1 else jax.vmap(step)
    lead = theta.shape[:-1]
    rows = [np.ascontiguousarray(np.moveaxis(array[..., 0], -1, 0)) for array in (x, targets)]

    @jax.jit
    def learn(w: Any, *given: Any) -> Any:
        shapes = ((17,), (), (), (4,), (4,), (3,))
        start = (w, *(jnp.zeros((*lead, *shape)) for shape in shapes))
        return jax.lax.scan(one, start, given)[0][0]

    return lambda: np.asarray(learn(theta, *rows))


def bptt_by_jax(weights: np.ndarray, x: np.ndarray, targets: np.ndarray) -> Learn:
    """The gradient of a batch: weights (n, n_in + n), x (B, T, n_in), targets (B, T, n)."""
    import jax
    import jax.numpy as jnp

    def loss(w: Any, x: Any, targets: Any) -> Any:
        def step(y: Any, given: tuple) -> tuple[Any, Any]:
            now, target = given
            y = jax.nn.sigmoid(jnp.concatenate([now, y], axis=1) @ w.T)
            return y, 0.5 * jnp.sum((y - target) ** 2)

        return jnp.sum(jax.lax.scan(step, jnp.zeros_like(targets[0]), (x, targets))[1])

    slope = jax.jit(jax.grad(loss))
    by_time = [np.ascontiguousarray(np.swapaxes(array, 0, 1)) for array in (x, targets)]
    return lambda: np.asarray(slope(weights, *by_time))
