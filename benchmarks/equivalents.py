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
from throughtime.textbook.lfmn import LFMN
from throughtime.textbook.recurrent import FullyRecurrent
from throughtime.textbook.simple_recurrent import Elman, Jordan

TORCH, LAYER, JAX = "PyTorch", "torch.nn", "JAX"
FORWARD = ("rtrl",)  # methods whose counterpart is forward mode
CUT = ("truncated", "cuts")  # methods that hold something constant
STEMS = {LFMN: "lfmn", Elman: "elman_jordan", Jordan: "elman_jordan", LSTM1997: "lstm", PeepholeLSTM: "lstm"}

Gradient = Callable[[], np.ndarray]


def oracle(model: object, framework: str):
    """The transcription with this model's forward pass."""
    folder = str(Path(__file__).parents[1] / "tests" / "oracles")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(f"transcriptions.{STEMS[type(model)]}_{framework}")


def others(model: object, method: str, window: int, given: tuple[np.ndarray, ...]) -> Iterator[tuple[str, Gradient]]:
    """Name and function of each equivalent; ``given`` is theta and what else the loss takes."""
    import jax
    import torch

    jax.config.update("jax_enable_x64", True)
    torch_loss, jax_loss = by_torch(model, method, window), by_jax(model, method, window)
    if method == "batch":
        axes = (None, 0, 0, None)
        torch_loss, jax_loss = _summed(torch.func.vmap(torch_loss, axes)), _summed(jax.vmap(jax_loss, axes))
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


def _summed(losses: Callable) -> Callable:
    return lambda *given: losses(*given).sum()


# ---------------------------------------------------------------- losses, by theta and what else they take


def by_torch(model: object, method: str, window: int) -> Callable:
    """The loss in PyTorch."""
    import torch

    if isinstance(model, FullyRecurrent):

        def states(theta, x):
            w_in, w = theta.reshape(model.n_out, -1).split([model.n_in, model.n_out], dim=1)
            y, rows = torch.zeros(model.n_out, dtype=theta.dtype), []
            for current in x @ w_in.T:
                y = torch.tanh(current + w @ y)
                rows.append(y)
            return torch.stack(rows)

        def exact(theta, x, targets, mask):
            return (mask * (states(theta, x) - targets) ** 2).sum() / 2

        def windows(theta, x, targets, mask):
            with torch.no_grad():
                y = torch.cat([x.new_zeros(window + 1, model.n_out), states(theta, x)])[: len(x)]
            weights, read = theta.reshape(model.n_out, -1), torch.cat([x.new_zeros(window, model.n_in), x])
            for lag in range(window + 1):
                y = torch.tanh(torch.cat([read[lag : lag + len(x)], y], dim=1) @ weights.T)
            return (mask * (y - targets) ** 2).sum() / 2

        return windows if method == "truncated" else exact
    written = oracle(model, "torch")
    if isinstance(model, LFMN):
        return partial(written.loss_of, model)
    if isinstance(model, Elman | Jordan):
        return lambda *given: written.loss_of(model, *given, method in CUT)
    run = written.run_1997 if isinstance(model, LSTM1997) else written.run_2002
    return lambda *given: run(model, *given, method in CUT)[0]


def by_jax(model: object, method: str, window: int) -> Callable:
    """The same in JAX."""
    import jax
    import jax.numpy as jnp

    if isinstance(model, FullyRecurrent):

        def states(theta, x):
            def step(y, x_t):
                y = jnp.tanh(theta.reshape(model.n_out, -1) @ jnp.concatenate([x_t, y]))
                return y, y

            return jax.lax.scan(step, jnp.zeros(model.n_out), x)[1]

        def exact(theta, x, targets, mask):
            return jnp.sum(mask * (states(theta, x) - targets) ** 2) / 2

        def windows(theta, x, targets, mask):
            """Zeros stand for the time before 0: a net at rest that reads nothing stays at rest."""
            y = jnp.concatenate([jnp.zeros((window + 1, model.n_out)), jax.lax.stop_gradient(states(theta, x))])
            y, read = y[: len(x)], jnp.concatenate([jnp.zeros((window, model.n_in)), x])
            for lag in range(window + 1):
                y = jnp.tanh(jnp.concatenate([read[lag : lag + len(x)], y], axis=1) @ theta.reshape(model.n_out, -1).T)
            return jnp.sum(mask * (y - targets) ** 2) / 2

        return windows if method == "truncated" else exact
    written = oracle(model, "jax")
    if isinstance(model, LSTM1997 | PeepholeLSTM):
        loss = written.loss_1997 if isinstance(model, LSTM1997) else written.loss_2002
    else:
        loss = written.loss_of
    return partial(loss, model) if isinstance(model, LFMN) else partial(loss, model, method in CUT)


# ---------------------------------------------------------------- layers that come with PyTorch


def layer(model: object, theta: np.ndarray, *given: np.ndarray) -> Gradient | None:
    """The exact gradient by torch.nn.RNN or torch.nn.LSTM, if one of them is the model's recurrent part."""
    import torch

    x, targets, mask = (torch.tensor(array) for array in given) if len(given) == 3 else (None,) * 3
    views = model.layout.views(theta)
    if isinstance(model, FullyRecurrent):
        net = torch.nn.RNN(model.n_in, model.n_out, bias=False, dtype=torch.float64)
        weights = dict(zip(("weight_ih_l0", "weight_hh_l0"), np.split(views["W"], [model.n_in], axis=1), strict=True))
        read = torch.nn.Identity()

        def flat() -> np.ndarray:
            return torch.cat([net.weight_ih_l0.grad, net.weight_hh_l0.grad], dim=1).numpy().ravel()

    elif isinstance(model, Elman):
        net = torch.nn.RNN(model.n_in, model.hidden, batch_first=True, dtype=torch.float64)
        linear = torch.nn.Linear(model.hidden, model.n_out, dtype=torch.float64)
        v, w, ends = views["v"].T, views["w"].T, [1, 1 + model.n_in]
        bias, by_input, by_context = np.split(v, ends, axis=1)
        weights = {"weight_ih_l0": by_input, "weight_hh_l0": by_context}
        weights |= {"bias_ih_l0": bias[:, 0], "bias_hh_l0": np.zeros(model.hidden)}
        linear.load_state_dict({"weight": torch.tensor(w[:, 1:]), "bias": torch.tensor(w[:, 0])})
        read = torch.nn.Sequential(linear, torch.nn.Sigmoid())

        def flat() -> np.ndarray:
            by_v = torch.cat([net.bias_ih_l0.grad[None], net.weight_ih_l0.grad.T, net.weight_hh_l0.grad.T])
            by_w = torch.cat([linear.bias.grad[None], linear.weight.grad.T])
            return torch.cat([by_v.ravel(), by_w.ravel()]).numpy()

    elif isinstance(model, PeepholeLSTM) and model == library_lstm(model.n_in, model.blocks, model.n_out):
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
