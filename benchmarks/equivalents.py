"""The gradients of the library's models by PyTorch and JAX: the same networks, the same losses, the same cuts.

Forward passes come from tests/oracles/transcriptions, except where those are written for other ends than speed: here
the fully recurrent network has one activation, and the windows of its truncated gradient run side by side. The others'
cuts are ``detach`` and ``stop_gradient``; RTRL's counterpart is forward mode, that of everything else reverse mode.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from book.peephole.libraries.checks import from_library, library_lstm, to_library
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import PeepholeLSTM

TORCH, LAYER, JAX = "PyTorch", "torch.nn", "JAX"
FORWARD = ("rtrl",)  # methods whose counterpart is forward mode
CUT = ("truncated", "cuts")  # methods that hold something constant

Gradient = Callable[[], np.ndarray]


def oracle(framework: str):
    """The transcription with the forward passes of LSTMs."""
    folder = str(Path(__file__).parents[1] / "tests" / "oracles")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(f"transcriptions.lstm_{framework}")


def others(model: object, method: str, given: tuple[np.ndarray, ...]) -> Iterator[tuple[str, Gradient]]:
    """Name and function of each equivalent; ``given`` is theta and what else the loss takes."""
    import jax
    import torch

    jax.config.update("jax_enable_x64", True)
    torch_loss, jax_loss = by_torch(model, method), by_jax(model, method)
    tensors = [torch.tensor(array) for array in given]
    tangents = torch.func.jacfwd(torch_loss)

    def backward() -> np.ndarray:
        leaf = tensors[0].clone().requires_grad_()
        torch_loss(leaf, *tensors[1:]).backward()
        return leaf.grad.numpy()

    mode = jax.jacfwd if method in FORWARD else jax.grad
    compiled = jax.jit(mode(jax_loss))
    yield TORCH, (lambda: tangents(*tensors).numpy()) if method in FORWARD else backward
    yield JAX, lambda: np.asarray(compiled(*given))
    if method == "bptt" and (by_layer := layer(model, *given)):
        yield LAYER, by_layer


# ---------------------------------------------------------------- losses, by theta and what else they take


def by_torch(model: object, method: str) -> Callable:
    """The loss in PyTorch."""
    written = oracle("torch")
    run = written.run_1997 if isinstance(model, LSTM1997) else written.run_2002
    return lambda *given: run(model, *given, method in CUT)[0]


def by_jax(model: object, method: str) -> Callable:
    """The same in JAX."""
    written = oracle("jax")
    loss = written.loss_1997 if isinstance(model, LSTM1997) else written.loss_2002
    return partial(loss, model, method in CUT)


# ---------------------------------------------------------------- layers that come with PyTorch


def layer(model: object, theta: np.ndarray, *given: np.ndarray) -> Gradient | None:
    """The exact gradient by torch.nn.LSTM, if it is the model's recurrent part."""
    import torch

    x, targets, mask = (torch.tensor(array) for array in given) if len(given) == 3 else (None,) * 3
    views = model.layout.views(theta)
    if isinstance(model, PeepholeLSTM) and model == library_lstm(model.n_in, model.blocks, model.n_out):
        net = torch.nn.LSTM(model.n_in, model.blocks, dtype=torch.float64)
        weights = to_library(model, theta)
        read = torch.nn.Linear(model.blocks, model.n_out, bias=False, dtype=torch.float64)
        read.load_state_dict({"weight": torch.tensor(views["w_out"])})

        def flat() -> np.ndarray:
            grads = {name: value.grad.numpy() for name, value in net.named_parameters()}
            grads["bias_hh_l0"] = np.zeros_like(grads["bias_hh_l0"])  # by either bias it is the same, and counts once
            return from_library(model, grads, read.weight.grad.numpy())

    else:
        return None
    net.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})

    def gradient() -> np.ndarray:
        net.zero_grad()
        read.zero_grad()
        loss = (mask * (read(net(x)[0]) - targets) ** 2).sum() / 2
        loss.backward()
        return flat()

    return gradient
