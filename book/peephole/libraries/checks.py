"""The states that gates of libraries' cells depend on, and the weights of these cells as ``PeepholeLSTM`` has them.

A library's LSTM is the LSTM of 2000 with one cell in each block, gates that read inputs and cell outputs, both
squashing functions tanh, no peepholes and no outputs: the output of a layer is y_cell. PyTorch stacks its gates
in the order input, forget, cell, output, and adds two biases of which one would do. Nothing is imported from it:
arrays come in and go out, under the names of ``torch.nn.LSTM.state_dict()``.
"""

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from book.shared.records import FOLDER, read
from sympy import Basic, Expr, Integer, Symbol
from throughtime.arrays.activations import identity, logistic, tanh
from throughtime.derivation import Delta, Index, Reducer, Truncated, cut
from throughtime.systems import lstm_family as s
from throughtime.systems.lstm_family import LIBRARY, Member
from throughtime.textbook.peephole import PeepholeLSTM

RECORD = FOLDER / "library_lstms.csv"
ROUNDING = 1e-12

k, l, c = s.k, s.l, s.c


def _held(cell: str) -> Symbol:
    net = r"\partial \mathrm{net}^{\mathrm{gate}}_k"
    return Symbol(rf"\left. \frac{{{net}}}{{\partial {cell}}} \right|_{{h(t-1)}}", real=True)


OWN, OTHER = _held("c_k"), _held(r"c_l")


def held_outputs(gate: str, block: Index, member: Member) -> Truncated:
    """The derivative of a gate's net_k with respect to a state of ``block``, earlier cell outputs held constant."""
    when = s.t if gate == "og" else s.t - 1
    return Truncated(s.net[gate][k, s.t], s.s[block, c, when], cut(s.y_cell[l, c, s.t - 1], into=s.source))


@cache
def sees(member: Member) -> tuple[bool, bool]:
    """Whether gates depend on states of their own block, and on those of others: exactly, by the engine.

    ValueError for a member whose gates see states in another way, through other gates say.
    """
    reducer = Reducer(member.build())

    def all_gates(weight: Callable[[str], Expr]) -> bool:
        return all(reducer.equal(held_outputs(gate, l, member), weight(gate)) for gate in s.GATES)

    if all_gates(lambda gate: Integer(0)):
        return False, False
    if all_gates(lambda gate: Delta(k, l) * s.u[gate][k, c]):
        return True, False
    raise ValueError(f"member: expected gates that see no state or that of their block, got {member.name}")


def is_true(formula: Basic, member: Member = LIBRARY) -> bool:
    """Whether a formula in ``OWN`` and ``OTHER`` is true of a member; a state that is seen has some weight u."""
    weight = Symbol("u", nonzero=True)
    values = {symbol: weight if seen else Integer(0) for symbol, seen in zip((OWN, OTHER), sees(member), strict=True)}
    return formula.subs(values) == True  # noqa: E712 - a formula that stays open is not true


def record() -> list[dict[str, str]]:
    """The lines of the record."""
    return read(RECORD)


def recorded(check: str) -> dict[str, str]:
    """The results of one check by library and cell."""
    return {f"{row['library']} {row['cell']}": row["result"] for row in record() if row["check"] == check}


def confirmed(check: str) -> bool:
    """Whether the record has such a check, and every cell passed it to rounding."""
    errors = [float(result) for result in recorded(check).values()]
    return bool(errors) and max(errors) <= ROUNDING


def counts(n_in: int, units: int) -> dict[str, int]:
    """How many parameters a layer has with no peepholes, with those of 2002 and with all states to all gates."""
    none = 4 * units * (n_in + units) + 8 * units
    return {"none": none, "own": none + 3 * units, "all": none + 3 * units**2}


# ---- weights of a layer, under the names of ``torch.nn.LSTM.state_dict()``

ORDER = ("ig", "fg", "cell", "og")  # of the stacked gates: PyTorch's i, f, g, o


def library_lstm(n_in: int, units: int, n_out: int = 1) -> PeepholeLSTM:
    """The model whose y_cell is the output of a library's layer of ``units``; its own outputs are linear.

    >>> library_lstm(3, 4).layout.shapes["w_ig"]
    (4, 7)
    """
    kinds = {"feedback": "cells", "direct": False, "peepholes": False, "bias": ("fg", "ig", "og", "cell")}
    return PeepholeLSTM(n_in, units, 1, n_out, **kinds, f=logistic, g=tanh, h=tanh, f_out=identity)


def to_library(model: PeepholeLSTM, theta: np.ndarray) -> dict[str, np.ndarray]:
    """Weights of ``model``, or a gradient by them, as a library's layer of H units holds them.

    ``weight_ih_l0`` (4 H, n_in), ``weight_hh_l0`` (4 H, H), ``bias_ih_l0`` (4 H,); ``bias_hh_l0`` is zero.
    ``model`` is that of ``library_lstm``; ``w_out`` has no counterpart.
    """
    parts = model.layout.views(theta)
    units = model.blocks
    rows = np.concatenate([parts[f"w_{kind}"].reshape(units, -1) for kind in ORDER])
    bias = np.concatenate([parts[f"b_{kind}"].ravel() for kind in ORDER])
    read = model.sources
    weights = {"weight_ih_l0": rows[:, read["x"]], "weight_hh_l0": rows[:, read["y_cell"]]}
    return weights | {"bias_ih_l0": bias, "bias_hh_l0": np.zeros_like(bias)}


def from_library(model: PeepholeLSTM, arrays: Mapping[str, np.ndarray], w_out: np.ndarray) -> np.ndarray:
    """The parameters of ``model`` that make its y_cell the layer's output; the two biases are added.

    ``model`` is that of ``library_lstm``, ``arrays`` has the four names of ``to_library``; ``w_out``, of shape
    (n_out, H), are the weights of the outputs.
    """
    rows = np.split(np.hstack([arrays["weight_ih_l0"], arrays["weight_hh_l0"]]), 4)
    biases = np.split(arrays["bias_ih_l0"] + arrays["bias_hh_l0"], 4)
    by_kind = {"w_out": np.asarray(w_out)}
    for kind, row, bias in zip(ORDER, rows, biases, strict=True):
        by_kind[f"w_{kind}"] = row[:, None] if kind == "cell" else row
        by_kind[f"b_{kind}"] = bias[:, None] if kind == "cell" else bias
    return model.layout.flatten(by_kind)
