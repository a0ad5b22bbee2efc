"""Compare the LSTMs of PyTorch, JAX and ONNX, as installed, with the peephole LSTM of this library.

    python tools/library_lstms.py      writes book/data/library_lstms.csv

The package does not depend on these libraries: the book shows the record, and tests/oracles compares it with the
installed versions. A result is exact (shapes, counts, words) or the largest relative error over arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from book.peephole.libraries.checks import from_library, library_lstm, to_library
from book.shared.records import Records
from throughtime.arrays.activations import identity, tanh
from throughtime.checks import relative_error
from throughtime.textbook.peephole import GATES, PeepholeLSTM

RECORD = Records("library_lstms.csv", ("library", "cell", "check"))
N_IN, UNITS, LENGTH = 2, 3, 30
ERROR = "error"


class Check(NamedTuple):
    """One line of the record."""

    library: str
    version: str
    cell: str
    check: str
    kind: str  # "value", or "error" for a relative error that has to be at rounding
    result: str


def problem() -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
    """Weights of a layer under PyTorch's names, inputs (LENGTH, N_IN), and h and c (UNITS,) before a step."""
    random = np.random.default_rng(2002)
    shapes = {"weight_ih_l0": (4 * UNITS, N_IN), "weight_hh_l0": (4 * UNITS, UNITS)}
    shapes |= {"bias_ih_l0": (4 * UNITS,), "bias_hh_l0": (4 * UNITS,)}
    weights = {name: random.normal(scale=0.7, size=shape) for name, shape in shapes.items()}
    return weights, random.normal(size=(LENGTH, N_IN)), random.normal(size=UNITS), random.normal(size=UNITS)


def logistic(z: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-z)), the activation of the gates."""
    return 1.0 / (1.0 + np.exp(-z))


def without_peepholes(weights: dict[str, np.ndarray], x: np.ndarray, h: np.ndarray, c: np.ndarray) -> np.ndarray:
    """d(c, h)(t) / dc(t-1) with h(t-1) constant and no peepholes: two diagonal blocks, shape (2 UNITS, UNITS)."""
    net = weights["weight_ih_l0"] @ x + weights["weight_hh_l0"] @ h + weights["bias_ih_l0"] + weights["bias_hh_l0"]
    i, f, g, o = np.split(net, 4)
    new = logistic(f) * c + logistic(i) * np.tanh(g)
    return np.vstack([np.diag(logistic(f)), np.diag(logistic(o) * (1 - np.tanh(new) ** 2) * logistic(f))])


def ours(weights: dict[str, np.ndarray], x: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Cell outputs, states, and the gradient of half the sum of the squared outputs, under the library's names."""
    model = library_lstm(N_IN, UNITS, n_out=UNITS)
    theta = from_library(model, weights, np.eye(UNITS))
    trace = model.forward(theta, x)
    gradient = model.gradient(theta, x, np.zeros((LENGTH, UNITS)), method="bptt").gradient
    return trace.y_cell[1:, :, 0], trace.s[1:, :, 0], to_library(model, gradient)


def torch_checks() -> Iterator[Check]:
    """torch.nn.LSTM and torch.nn.LSTMCell."""
    import torch

    weights, x, h, c = problem()

    def line(cell: str, check: str, result: object) -> Check:
        kind = ERROR if isinstance(result, float) else "value"
        return Check("torch", version("torch").split("+")[0], cell, check, kind, str(result))

    def filled(module: torch.nn.Module) -> torch.nn.Module:
        with torch.no_grad():
            for name, weight in module.named_parameters():
                weight.copy_(torch.tensor(weights[name.removesuffix("_l0") + "_l0"]))
        return module

    layer = filled(torch.nn.LSTM(N_IN, UNITS, dtype=torch.float64))
    cell = filled(torch.nn.LSTMCell(N_IN, UNITS, dtype=torch.float64))
    projected = torch.nn.LSTM(N_IN, UNITS, proj_size=2)
    for kind, module in {"LSTM": layer, "LSTMCell": cell, "LSTM with proj_size 2": projected}.items():
        shapes = (f"{name} {tuple(weight.shape)}" for name, weight in module.named_parameters())
        yield line(kind, "parameters", "; ".join(shapes))
        yield line(kind, "number of parameters", sum(weight.numel() for weight in module.parameters()))

    outputs, (_, last) = layer(torch.tensor(x))
    (outputs**2).sum().div(2).backward()
    mine, states, gradient = ours(weights, x)
    yield line("LSTM", "outputs", relative_error(mine, outputs.detach().numpy()))
    yield line("LSTM", "last state", relative_error(states[-1], last[0].detach().numpy()))
    theirs = {name: weight.grad.numpy() for name, weight in layer.named_parameters()}
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0"):
        yield line("LSTM", f"gradient by {name}", relative_error(gradient[name], theirs[name]))
    both = relative_error(theirs["bias_ih_l0"], theirs["bias_hh_l0"])
    yield line("LSTM", "gradients by the two biases agree", both)

    def step(state: torch.Tensor, module: torch.nn.Module) -> torch.Tensor:
        if module is cell:
            new_h, new_c = cell(torch.tensor(x[0]), (torch.tensor(h), state))
        else:
            _, (new_h, new_c) = layer(torch.tensor(x[:1]), (torch.tensor(h)[None], state[None]))
        return torch.cat([new_c.flatten(), new_h.flatten()])

    for kind, module in {"LSTM": layer, "LSTMCell": cell}.items():
        found = torch.autograd.functional.jacobian(lambda s, module=module: step(s, module), torch.tensor(c))
        expected = without_peepholes(weights, x[0], h, c)
        yield line(kind, "no gate sees a state", relative_error(found.numpy(), expected))


def jax_checks() -> Iterator[Check]:
    """The cuDNN wrapper jax.experimental.rnn, by its reference implementation; jax.nn has no recurrent layer."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    from jax.experimental import rnn

    weights, x, h, c = problem()

    def line(cell: str, check: str, result: object) -> Check:
        return Check("jax", version("jax"), cell, check, ERROR if isinstance(result, float) else "value", str(result))

    named = [name for name in dir(jax.nn) if any(word in name.lower() for word in ("lstm", "rnn", "gru"))]
    yield line("jax.nn", "recurrent layers", " ".join(named) or "none")
    yield line("experimental.rnn", "number of parameters", int(rnn.get_num_params_in_lstm(N_IN, UNITS, 1, False)))
    order = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")

    def run(parts: tuple, inputs: jax.Array, start_h: jax.Array, start_c: jax.Array) -> tuple:
        lengths = jnp.array([len(inputs)], dtype=jnp.int32)
        first = (inputs[None], start_h[None, None], start_c[None, None], *({0: part} for part in parts))
        return rnn.lstm_ref(*first, lengths, N_IN, UNITS, 1, 0.0, False)

    def loss(parts: tuple) -> jax.Array:
        return (run(parts, jnp.array(x), jnp.zeros(UNITS), jnp.zeros(UNITS))[0] ** 2).sum() / 2

    parts = tuple(jnp.array(weights[name]) for name in order)
    outputs, _, last = run(parts, jnp.array(x), jnp.zeros(UNITS), jnp.zeros(UNITS))
    mine, states, gradient = ours(weights, x)
    yield line("experimental.rnn", "outputs", relative_error(mine, np.asarray(outputs[0])))
    yield line("experimental.rnn", "last state", relative_error(states[-1], np.asarray(last[0, 0])))
    for name, theirs in zip(order[:3], jax.grad(loss)(parts), strict=False):
        yield line("experimental.rnn", f"gradient by {name}", relative_error(gradient[name], np.asarray(theirs)))

    def step(state: jax.Array) -> jax.Array:
        _, new_h, new_c = run(parts, jnp.array(x[:1]), jnp.array(h), state)
        return jnp.concatenate([new_c.ravel(), new_h.ravel()])

    found = np.asarray(jax.jacobian(step)(jnp.array(c)))
    yield line(
        "experimental.rnn", "no gate sees a state", relative_error(found, without_peepholes(weights, x[0], h, c))
    )


ONNX_ORDER = ("ig", "og", "fg", "cell")  # of the stacked gates; P has the first three


def with_peepholes(gates: tuple[str, ...]) -> tuple[PeepholeLSTM, np.ndarray]:
    """A layer like that of ``problem``, some of its gates with peepholes, and its parameters."""
    kinds = {"feedback": "cells", "direct": False, "bias": ("fg", "ig", "og", "cell"), "peepholes": gates}
    model = PeepholeLSTM(N_IN, UNITS, 1, 1, **kinds, g=tanh, h=tanh, f_out=identity)
    return model, model.init(np.random.default_rng(2002), scale=0.8, gate_biases={})


def onnx_inputs(model: PeepholeLSTM, theta: np.ndarray) -> dict[str, np.ndarray]:
    """W, R, B and P of ONNX's operator; P is zero for gates without a peephole."""
    parts = model.layout.views(theta)
    rows = np.concatenate([parts[f"w_{kind}"].reshape(UNITS, -1) for kind in ONNX_ORDER])
    bias = np.concatenate([parts[f"b_{kind}"].ravel() for kind in ONNX_ORDER])
    seen = [parts[f"u_{gate}"].ravel() if gate in model.peepholes else np.zeros(UNITS) for gate in ONNX_ORDER[:3]]
    found = {"W": rows[:, :N_IN], "R": rows[:, N_IN:], "B": np.append(bias, np.zeros_like(bias))}
    return {name: array[None] for name, array in (found | {"P": np.concatenate(seen)}).items()}


def onnx_outputs(x: np.ndarray, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """h(1), ..., h(T) of ONNX's reference implementation in double precision; without "P" there are no peepholes."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    start = np.zeros((1, 1, UNITS))
    given = {"X": x[:, None], **inputs, "h0": start, "c0": start}
    names = ["X", "W", "R", "B", "", "h0", "c0", "P" if "P" in given else ""]
    node = helper.make_node("LSTM", names, ["Y"], hidden_size=UNITS)
    values = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in (*given, "Y")]
    graph = helper.make_graph([node], "layer", values[:-1], values[-1:])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])
    return ReferenceEvaluator(whole).run(["Y"], given)[0].reshape(len(x), UNITS)


def onnx_checks() -> Iterator[Check]:
    """ONNX's operator LSTM, by the reference implementation that comes with it: the only one here with peepholes."""
    from onnx import defs

    _, x, _, _ = problem()

    def line(check: str, result: object) -> Check:
        kind = ERROR if isinstance(result, float) else "value"
        return Check("onnx", version("onnx"), "reference LSTM", check, kind, str(result))

    model, theta = with_peepholes(GATES)
    inputs = onnx_inputs(model, theta)
    yield line("inputs", " ".join(item.name for item in defs.get_schema("LSTM", 22).inputs))
    yield line("parameters", "; ".join(f"{name} {array.shape}" for name, array in inputs.items()))
    yield line("number of parameters", sum(array.size for array in inputs.values()))
    for gates in (GATES, *((gate,) for gate in GATES)):
        model, theta = with_peepholes(gates)
        mine = model.forward(theta, x).y_cell[1:, :, 0]
        words = f"peepholes of {' '.join(gates)}"
        yield line(f"outputs, {words}", relative_error(mine, onnx_outputs(x, onnx_inputs(model, theta))))
    model, theta = with_peepholes(())
    inputs = {name: array for name, array in onnx_inputs(model, theta).items() if name != "P"}
    yield line("outputs without P", relative_error(model.forward(theta, x).y_cell[1:, :, 0], onnx_outputs(x, inputs)))


LIBRARIES = {"torch": torch_checks, "jax": jax_checks, "onnx": onnx_checks}


def main() -> None:
    """Write the record anew."""
    RECORD.clear()
    for checks in LIBRARIES.values():
        RECORD.add(check._asdict() for check in checks())


if __name__ == "__main__":
    main()
