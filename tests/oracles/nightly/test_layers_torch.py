"""The layers that compiled cells make for PyTorch, beside its automatic differentiation of the same cells."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import cells
import numpy as np
import pytest
import throughtime as tt
import torch
from cell_systems import CELLS, SIZES, M, N, T, compiled, k, t
from throughtime.programs import build
from transcriptions.cells_torch import Weights, gate, gru_before, leaves, logistic, outputs, run, tanh


@pytest.fixture(scope="module", autouse=True)
def plain():
    """Programs as plain Python: what is asked is what they compute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "COMPILED", False)
        patch.setattr(build, "CACHE", None)
        yield


def weights(net: tt.CompiledNetwork, theta: np.ndarray) -> Weights:
    return leaves(net.layout.views(theta))


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
    net, random = compiled(CELLS[name]), np.random.default_rng(4)
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
    net, random = compiled(CELLS["gru_before"]), np.random.default_rng(5)
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
    net = tt.compile(made.system, cells.loss, SIZES, activations={"f": "tanh"}, cuts=cuts)
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
    made = layer(compiled(CELLS["mgu"]), "rtrl", tmp_path).Layer()
    x = torch.zeros((T, M), dtype=torch.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="x: rtrl gives no derivatives by inputs; expected them detached"):
        made(x).sum().backward()
