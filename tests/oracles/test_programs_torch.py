"""Compiled cells beside PyTorch's automatic differentiation, and the layers that they make for it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import cells
import numpy as np
import pytest
import throughtime as tt
import torch
from throughtime.programs import build

N, M, T = 3, 2, 5
SIZES = {cells.n: N, cells.m: M}
i, j, k, t = cells.i, cells.j, cells.k, cells.t
logistic, tanh = torch.sigmoid, torch.tanh
Weights = dict[str, torch.Tensor]


@pytest.fixture(scope="module", autouse=True)
def plain():
    """Programs as plain Python: what is asked is what they compute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "COMPILED", False)
        patch.setattr(build, "CACHE", None)
        yield


# ---- the cells in PyTorch, written from their formulas: outputs at the times 1 to T


def gate(w: Weights, name: str, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    return w[f"W{name}"] @ x + w[f"U{name}"] @ h + w[f"b{name}"]


def gru_before(w: Weights, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    z, r = logistic(gate(w, "z", x, h)), logistic(gate(w, "r", x, h))
    return z * h + (1 - z) * tanh(gate(w, "h", x, r * h))


def gru_after(w: Weights, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    z, r = logistic(gate(w, "z", x, h)), logistic(gate(w, "r", x, h))
    return z * h + (1 - z) * tanh(w["Wh"] @ x + r * (w["Uh"] @ h) + w["bh"])


def mgu(w: Weights, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    f = logistic(gate(w, "f", x, h))
    return (1 - f) * h + f * tanh(gate(w, "h", x, f * h))


def second_order(w: Weights, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    return logistic(torch.einsum("ikj,k,j->i", w["W"], h, x) + w["b"])


def softmax(w: Weights, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    return torch.softmax(w["W"] @ x + w["U"] @ h, dim=0)


def run(cell: Callable, w: Weights, x: torch.Tensor) -> torch.Tensor:
    h, found = torch.zeros(N, dtype=torch.float64), []
    for x_t in x:
        found.append(h := cell(w, x_t, h))
    return torch.stack(found)


def slstm(w: Weights, x: torch.Tensor) -> torch.Tensor:
    """Beck et al. 2024, from the carried states c(0), n(0)."""
    h, c, n = torch.zeros(N, dtype=torch.float64), w["c0"], w["n0"]
    found = []
    for x_t in x:
        nets = {name: gate(w, name, x_t, h) for name in "zifo"}
        enter, keep = torch.exp(nets["i"]), torch.exp(nets["f"])
        c, n = keep * c + enter * tanh(nets["z"]), keep * n + enter
        found.append(h := logistic(nets["o"]) * c / n)
    return torch.stack(found)


# ---- the same as systems


def second_order_system() -> tt.System:
    a, W, b = tt.variable("a", cells.U), tt.parameter("W", cells.U, cells.U, cells.X), tt.parameter("b", cells.U)
    system = tt.System("second order", t)
    products = tt.sum_over(k, j, W[i, k, j] * cells.h[k, t - 1] * cells.x[j, t])
    system[a[i, t]] = products + b[i]
    system[cells.h[i, t]] = cells.sigma(a[i, t])
    return closed(system)


def softmax_system() -> tt.System:
    a, total = tt.variable("a", cells.U), tt.variable("total")
    W, U = tt.parameter("W", cells.U, cells.X), tt.parameter("U", cells.U, cells.U)
    system = tt.System("softmax", t)
    system[a[i, t]] = tt.sum_over(j, W[i, j] * cells.x[j, t]) + tt.sum_over(k, U[i, k] * cells.h[k, t - 1])
    system[total[t]] = tt.sum_over(k, tt.exp(a[k, t]))
    system[cells.h[i, t]] = tt.exp(a[i, t]) / total[t]
    return closed(system)


def closed(system: tt.System) -> tt.System:
    s = cells.s
    system[cells.loss[()]] = tt.sum_over((s, 1, tt.LENGTH), i, (cells.h[i, s] - cells.d[i, s]) ** 2) / 2
    return system


CELLS = {
    "gru_before": (cells.gru_before, gru_before),
    "gru_after": (cells.gru_after, gru_after),
    "mgu": (cells.mgu, mgu),
    "slstm": (cells.slstm, None),
    "second_order": (second_order_system, second_order),
    "softmax": (softmax_system, softmax),
}


def compiled(name: str) -> tt.CompiledNetwork:
    made = CELLS[name][0]()
    system = getattr(made, "system", made)
    wanted = {one.name for one in tt.programs.plan.Plan(system, cells.loss, SIZES).activations()}
    functions = {of: rule for of, rule in {"sigma": "logistic", "f": "tanh"}.items() if of in wanted}
    return tt.compile(system, cells.loss, SIZES, activations=functions)


def outputs(name: str, w: Weights, x: torch.Tensor) -> torch.Tensor:
    return slstm(w, x) if name == "slstm" else run(CELLS[name][1], w, x)


def weights(net: tt.CompiledNetwork, theta: np.ndarray) -> Weights:
    return {name: torch.tensor(view, requires_grad=True) for name, view in net.layout.views(theta).items()}


@pytest.mark.parametrize("name", CELLS)
def test_gradients_are_those_of_automatic_differentiation(name: str) -> None:
    net, random = compiled(name), np.random.default_rng(3)
    theta = net.init(random, 0.8) + 1.0 * (name == "slstm")  # a normalizer that starts above 0
    x, d = random.normal(size=(T, net.n_in)), random.normal(size=(T, net.n_out))
    w = weights(net, theta)
    loss = 0.5 * ((outputs(name, w, torch.tensor(x)) - torch.tensor(d)) ** 2).sum()
    loss.backward()
    wanted = net.layout.flatten({of: one.grad.numpy() for of, one in w.items()})
    for method in net.METHODS:
        found = net.gradient(theta, x, d, method=method)
        assert found.loss == pytest.approx(loss.item(), rel=1e-12)
        np.testing.assert_allclose(found.gradient, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


# ---- layers


def layer(net: tt.CompiledNetwork, method: str, folder: Path) -> ModuleType:
    path = folder / f"layer_{method}.py"
    path.write_text(net.source(method, "torch", cells.h).replace("from numba import njit", "from nothing import njit"))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("name", ["gru_before", "slstm", "second_order"])
@pytest.mark.parametrize("method", ["bptt", "rtrl"])
def test_a_layer_trains_under_any_loss(name: str, method: str, tmp_path: Path) -> None:
    net, random = compiled(name), np.random.default_rng(4)
    theta = net.init(random, 0.8) + 1.0 * (name == "slstm")
    x = torch.tensor(random.normal(size=(2, T, M)), requires_grad=method == "bptt")
    made = layer(net, method, tmp_path).Layer()
    for of, view in net.layout.views(theta).items():
        getattr(made, of).data = torch.tensor(view)
    w, x_own = weights(net, theta), x.detach().clone().requires_grad_()
    readout = torch.tensor(random.normal(size=(1, N)))

    def loss(h: torch.Tensor) -> torch.Tensor:
        return torch.log(torch.cosh(h @ readout.T)).sum() * h[:, -1].square().mean()

    ours, theirs = loss(made(x)), loss(torch.stack([outputs(name, w, one) for one in x_own]))
    ours.backward(), theirs.backward()
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-12)
    for of, one in w.items():
        torch.testing.assert_close(getattr(made, of).grad, one.grad, rtol=1e-11, atol=1e-13)
    if method == "bptt":
        torch.testing.assert_close(x.grad, x_own.grad, rtol=1e-11, atol=1e-13)


def test_a_layer_takes_steps_and_carries_its_derivatives(tmp_path: Path) -> None:
    net, random = compiled("gru_before"), np.random.default_rng(5)
    theta, x = net.init(random, 0.8), torch.tensor(random.normal(size=(T, M)))
    made = layer(net, "rtrl", tmp_path).Layer()
    for of, view in net.layout.views(theta).items():
        getattr(made, of).data = torch.tensor(view)
    made.begin()
    for x_t in x:
        made.step(x_t).square().sum().backward()
    w = weights(net, theta)
    run(gru_before, w, x).square().sum().backward()
    for of, one in w.items():
        torch.testing.assert_close(getattr(made, of).grad, one.grad, rtol=1e-11, atol=1e-13)


def test_a_layer_with_cuts_has_the_cut_gradient(tmp_path: Path) -> None:
    """h(t-1) held constant where the update gate reads it, as `detach` says it in PyTorch."""
    made = cells.gru_before()
    az = next(case.left.quantity for case in made.system.all_definitions() if case.left.quantity.name == "az")
    cuts = {"held": [tt.cut(cells.h[k, t - 1], into=az)]}
    net = tt.compile(made.system, cells.loss, SIZES, activations={"sigma": "logistic", "f": "tanh"}, cuts=cuts)
    random = np.random.default_rng(6)
    theta, x = net.init(random, 0.8), torch.tensor(random.normal(size=(T, M)))

    def cell(w: Weights, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        z, r = logistic(gate(w, "z", x, h.detach())), logistic(gate(w, "r", x, h))
        return z * h + (1 - z) * tanh(gate(w, "h", x, r * h))

    found = layer(net, "held", tmp_path).Layer()
    for of, view in net.layout.views(theta).items():
        getattr(found, of).data = torch.tensor(view)
    w = weights(net, theta)
    found(x).square().sum().backward(), run(cell, w, x).square().sum().backward()
    for of, one in w.items():
        torch.testing.assert_close(getattr(found, of).grad, one.grad, rtol=1e-11, atol=1e-13)


def test_a_layer_that_gives_no_derivatives_by_inputs_says_so(tmp_path: Path) -> None:
    made = layer(compiled("mgu"), "rtrl", tmp_path).Layer()
    x = torch.zeros((T, M), dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="x: rtrl gives no derivatives by inputs; expected them detached"):
        made(x).sum().backward()
