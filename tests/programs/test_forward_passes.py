"""Compiled cells beside forward passes in plain NumPy, written here from the equations of the papers.

Neither engine nor generated code computes what is expected: these passes and the complex step do.
"""

from __future__ import annotations

import cells
import numpy as np
import pytest
import throughtime as tt
from throughtime.programs.plan import Plan

n, m, T = 3, 2, 5
Weights = dict[str, np.ndarray]


def logistic(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def larger(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The maximum, of complex numbers by their real parts."""
    return np.where(left.real > right.real, left, right)


def layer_norm(w: Weights, x: np.ndarray) -> list[np.ndarray]:
    """Ba et al. 2016, with 1 for the small number under the root."""
    h, outputs = np.zeros(n), []
    for now in x:
        a = w["Wh"] @ now + w["Uh"] @ h
        centred = a - a.mean()
        h = np.tanh(w["g"] * centred / np.sqrt((centred**2).mean() + 1) + w["bh"])
        outputs.append(h)
    return outputs


def slstm_stable(w: Weights, x: np.ndarray) -> list[np.ndarray]:
    """Beck et al. 2024."""
    h, c, norm, top, outputs = np.zeros(n), w["c0"], w["n0"], np.zeros(n), []
    for now in x:
        z, i, f, o = (w[f"W{gate}"] @ now + w[f"U{gate}"] @ h + w[f"b{gate}"] for gate in "zifo")
        new_top = larger(f + top, i)
        kept, new = np.exp(f + top - new_top), np.exp(i - new_top)
        c, norm, top = kept * c + new * np.tanh(z), kept * norm + new, new_top
        h = logistic(o) * c / norm
        outputs.append(h)
    return outputs


def narx(w: Weights, x: np.ndarray) -> list[np.ndarray]:
    """Lin et al. 1996: inputs and outputs of the two steps before."""
    h = [np.zeros(n), np.zeros(n)]
    for t, now in enumerate(x):
        before = x[t - 1] if t else np.zeros(m)
        inputs = w["Wh"] @ now + w["W1"] @ before
        h.append(np.tanh(inputs + w["Uh"] @ h[-1] + w["U1"] @ h[-2] + w["bh"]))
    return h[2:]


def mlstm(w: Weights, x: np.ndarray) -> list[np.ndarray]:
    """Beck et al. 2024: a matrix of memories, written by keys and read by queries; keys not divided by sqrt(n)."""
    C, norm, outputs = np.zeros((n, n)), np.zeros(n), []
    for now in x:
        q, v, o, key = (w[f"W{name}"] @ now + w[f"b{name}"] for name in "qvok")
        kept, new = logistic(w["wf"] @ now + w["bf"]), np.exp(w["wi"] @ now + w["bi"])
        C, norm = kept * C + new * np.outer(v, key), kept * norm + new * key
        read = norm @ q
        outputs.append(logistic(o) * (C @ q) / larger(read if read.real > 0 else -read, np.array(1.0)))
    return outputs


def mlstm_system() -> tt.System:
    """The same in the engine's notation."""
    i, k, j, t, x, h = cells.i, cells.k, cells.j, cells.t, cells.x, cells.h
    system = tt.System("mLSTM", t)

    def weighted(name: str) -> tt.Quantity:
        a, b = tt.variable(name, cells.U), tt.parameter(f"b{name}", cells.U)
        W = tt.parameter(f"W{name}", cells.U, cells.X)
        system[a[i, t]] = tt.sum_over(j, W[i, j] * x[j, t]) + b[i]
        return a

    def gate(name: str) -> tt.Quantity:
        a, W, b = tt.variable(name), tt.parameter(f"w{name}", cells.X), tt.parameter(f"b{name}")
        system[a[t]] = tt.sum_over(j, W[j] * x[j, t]) + b[()]
        return a

    q, v, o, key, kept, new = *map(weighted, "qvok"), *map(gate, "fi")
    memory, norm, read = tt.variable("C", cells.U, cells.U), tt.variable("N", cells.U), tt.variable("r")
    keep, write = cells.sigma(kept[t]), tt.exp(new[t])
    system[memory[i, k, t]] = keep * memory[i, k, t - 1] + write * v[i, t] * key[k, t]
    system[norm[i, t]] = keep * norm[i, t - 1] + write * key[i, t]
    system[read[t]] = tt.sum_over(k, norm[k, t] * q[k, t])
    size = tt.maximum(tt.relu(read[t]) + tt.relu(-read[t]), 1)
    system[h[i, t]] = cells.sigma(o[i, t]) * tt.sum_over(k, memory[i, k, t] * q[k, t]) / size
    system[cells.loss[()]] = tt.sum_over((cells.s, 1, tt.LENGTH), i, (h[i, cells.s] - cells.d[i, cells.s]) ** 2) / 2
    return system


PASSES = {
    "layer norm": (layer_norm, lambda: cells.layer_norm().system),
    "sLSTM, stabilized": (slstm_stable, lambda: cells.slstm_stable().system),
    "NARX": (narx, lambda: cells.narx().system),
    "mLSTM": (mlstm, mlstm_system),
}


@pytest.mark.parametrize("name", PASSES)
def test_losses_and_gradients_are_those_of_a_forward_pass_by_hand(name: str) -> None:
    forward, make = PASSES[name]
    system, sizes = make(), {cells.n: n, cells.m: m}
    used = {one.name for one in Plan(system, cells.loss, sizes).activations()}
    functions = {one: rule for one, rule in (("sigma", "logistic"), ("f", "tanh")) if one in used}
    net = tt.compile(system, cells.loss, sizes, activations=functions)
    random = np.random.default_rng(11)
    theta, x, d = random.normal(size=net.layout.size), random.normal(size=(T, m)), random.normal(size=(T, n))
    for start in {"n0"} & {*net.layout.names}:
        net.layout.views(theta)[start][...] = [1.0, 1.5, 2.0]  # a normalizer is positive

    def loss(point: np.ndarray) -> complex:
        outputs = np.array(forward(dict(net.layout.views(point)), x))
        return ((outputs - d) ** 2).sum() / 2

    assert net.loss(theta, x, d) == pytest.approx(loss(theta), rel=1e-13)
    true = tt.complex_step(loss, theta)
    assert np.abs(true).max() > 1e-2
    for method in net.METHODS:
        found = net.gradient(theta, x, d, method=method).gradient
        np.testing.assert_allclose(found, true, rtol=1e-12, atol=1e-12 * np.abs(true).max())
