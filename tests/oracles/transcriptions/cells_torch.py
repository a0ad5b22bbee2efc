"""Gated cells, second-order units and softmax in PyTorch, written from their formulas: outputs at the times 1 to T."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

UNITS = 3
logistic, tanh = torch.sigmoid, torch.tanh
Weights = dict[str, torch.Tensor]


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
    h, found = torch.zeros(UNITS, dtype=torch.float64), []
    for x_t in x:
        found.append(h := cell(w, x_t, h))
    return torch.stack(found)


def slstm(w: Weights, x: torch.Tensor) -> torch.Tensor:
    """Beck et al. 2024, from the carried states c(0), n(0)."""
    h, c, n = torch.zeros(UNITS, dtype=torch.float64), w["c0"], w["n0"]
    found = []
    for x_t in x:
        nets = {name: gate(w, name, x_t, h) for name in "zifo"}
        enter, keep = torch.exp(nets["i"]), torch.exp(nets["f"])
        c, n = keep * c + enter * tanh(nets["z"]), keep * n + enter
        found.append(h := logistic(nets["o"]) * c / n)
    return torch.stack(found)


CELLS = {
    "gru_before": gru_before,
    "gru_after": gru_after,
    "mgu": mgu,
    "second_order": second_order,
    "softmax": softmax,
}


def outputs(name: str, w: Weights, x: torch.Tensor) -> torch.Tensor:
    """h(1), ..., h(T) of a cell."""
    return slstm(w, x) if name == "slstm" else run(CELLS[name], w, x)


def leaves(views: dict[str, np.ndarray]) -> Weights:
    """Weights by name as tensors that get gradients."""
    return {name: torch.tensor(view, requires_grad=True) for name, view in views.items()}


def gradients(name: str, views: dict[str, np.ndarray], x: np.ndarray, d: np.ndarray) -> dict[str, np.ndarray | float]:
    """The loss, and the gradient by name of the weight."""
    w = leaves(views)
    loss = 0.5 * ((outputs(name, w, torch.tensor(x)) - torch.tensor(d)) ** 2).sum()
    loss.backward()
    return {"loss": loss.item()} | {of: one.grad.numpy() for of, one in w.items()}
