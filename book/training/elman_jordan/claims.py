"""Setting of the chapter on Elman's and Jordan's nets: both systems, small nets, the library's two models.

The matrices of the source are read off the library's run over a whole batch; its vectors x^(i), f^(i) and so on off
runs over one sequence at a time. A matrix formula is true if its shapes fit for all sizes and both readings agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from itertools import product

import numpy as np
from sympy import Function, Integer, Symbol
from sympy.logic.boolalg import Boolean
from throughtime.derivation import Setting
from throughtime.evidence.trace import Arrays
from throughtime.models.activations import logistic
from throughtime.models.simple_recurrent import Elman, Jordan, SimpleTrace
from throughtime.systems import elman_jordan as system
from throughtime_book.shared.reference_network import ReferenceNetwork, in_floats
from throughtime_book.training.elman_jordan.matrices import Shape, conforms, holds_in, sequences

SEED = 1990
SIZES = {"I": 3, "N": 2, "K": 4, "J": 2}
LENGTH = 4
GIVEN = (
    r"Inputs and targets are given: no derivative flows into them.",
    r"The first context is 0.",
)


class Model(ReferenceNetwork):
    """An Elman or Jordan net on a random batch; the system counts time before sequences."""

    def __init__(self, *, jordan: bool) -> None:
        draw = np.random.default_rng(SEED)
        kind = Jordan if jordan else Elman
        self.net = kind(n_in=SIZES["N"], hidden=SIZES["K"], n_out=SIZES["J"])
        self.context = "v_g" if jordan else "v_f"
        self.theta = self.net.init(draw, scale=2.0)
        self.x = draw.normal(size=(SIZES["I"], LENGTH, SIZES["N"]))
        self.targets = draw.uniform(size=(SIZES["I"], LENGTH, SIZES["J"]))

    def inputs(self) -> Arrays:
        """The given sequences by name, of shape (T, I, units)."""
        return {name: array.swapaxes(0, 1) for name, array in super().inputs().items()}

    def parameters(self) -> Arrays:
        """The blocks of both weight matrices by the names of the system."""
        views, n = self.net.layout.views(self.theta), SIZES["N"]
        v, w = views["v"].copy(), views["w"].copy()
        return {"v_0": v[0], "v_x": v[1 : 1 + n], self.context: v[1 + n :], "w_0": w[0], "w": w[1:]}

    def forward(self, blocks: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, and the error of each time, which it only sums."""
        v = np.vstack([blocks["v_0"][None], blocks["v_x"], blocks[self.context]])
        theta = self.net.layout.flatten({"v": v, "w": np.vstack([blocks["w_0"][None], blocks["w"]])})
        x, targets = inputs["x"].swapaxes(0, 1), inputs["d"].real.swapaxes(0, 1)
        costs = {"cost": self.step_costs(theta, x, targets), "loss": np.array(self.net.loss(theta, x, targets))}
        return dict(self.net.forward(theta, x).items()) | costs

    def position(self, name: str, place: tuple[int, ...]) -> int:
        """Both matrices of the library begin with the row of the biases."""
        first = {"v_0": 0, "v_x": 1, self.context: 1 + SIZES["N"], "w_0": 0, "w": 1}[name]
        row, column = (0, *place) if len(place) == 1 else place
        return self.net.layout.index(name[0], first + row, column)


def setting(*, jordan: bool) -> Setting:
    """The setting of one of the two nets; every call makes a new one."""
    model, s = Model(jordan=jordan), system

    def entry(name: str, shift: int = 0):
        return lambda trace, place, t: trace[name][place[0] - 1, t, place[1] - 1 + shift]

    read = {
        "xx": entry("net_f"), "f": entry("extended_f", 1), "ff": entry("net_g"), "g": entry("g"),
        "E": lambda trace, place, t: trace["cost"][t], "L": lambda trace, place, t: trace["loss"],
    }  # fmt: skip
    sizes, functions = (
        {s.I: SIZES["I"], s.N: SIZES["N"], s.K: SIZES["K"], s.J: SIZES["J"]},
        {"sigma": logistic.derivative},
    )
    return Setting(
        s.build(jordan=jordan), [{s.I: 2, s.N: 1, s.K: 2, s.J: 1}, {s.I: 1, s.N: 1, s.K: 2, s.J: 2}], length=4,
        model=model.witness(sizes, read, functions, step_cost=s.cost[s.t]), activations=in_floats(functions),
        assumptions=GIVEN,
    )  # fmt: skip


# ---- the matrices of the source

N, K, J = (Symbol(name, integer=True, positive=True) for name in "NKJ")
ONES, X, X_BAR, X_BARS = r"\mathcal{I}", "X", r"\overline{X}", r"\overline{\overline{X}}"
F, F_BAR, F_BARS, G, V, W = "F", r"\overline{F}", r"\overline{\overline{F}}", "G", "v", r"\omega"
ROWS = {"x": X, r"\overline{x}": X_BAR, "f": F, r"\overline{f}": F_BAR, "g": G}
"""The vector of one sequence, and the matrix whose row it is."""


def shapes(*, jordan: bool) -> dict[str, Shape]:
    """Rows and columns of every matrix and every vector, for all sizes."""
    I, width = sequences, N + 1 + (J if jordan else K)
    found = {
        ONES: (I, Integer(1)), X: (I, N), X_BAR: (I, width), X_BARS: (I, K), F: (I, K), F_BAR: (I, K + 1),
        F_BARS: (I, J), G: (I, J), V: (width, K), W: (K + 1, J),
    }  # fmt: skip
    return found | {vector: (found[matrix][1], Integer(1)) for vector, matrix in ROWS.items()}


class InLibrary:
    """The library's net as a world of matrices: a batch for the matrices, single sequences for the vectors."""

    length = LENGTH

    def __init__(self, *, jordan: bool) -> None:
        self.model = Model(jordan=jordan)
        self.sizes = {sequences: SIZES["I"], N: SIZES["N"], K: SIZES["K"], J: SIZES["J"]}
        self.weights = self.model.net.layout.views(self.model.theta)

    @cached_property
    def runs(self) -> list[SimpleTrace]:
        """The whole batch, then each sequence alone."""
        x = self.model.x
        return [self.model.net.forward(self.model.theta, part) for part in (x, *(row[None] for row in x))]

    def matrix(self, name: str, when: int) -> np.ndarray:
        """A matrix of the source, rows being sequences."""
        if name in (V, W):
            return self.weights["v" if name == V else "w"]
        if name == ONES:
            return self.runs[0].extended_x[:, 1, :1]
        return self._at(self.runs[0], name, when)

    def vector(self, name: str, sequence: int, when: int) -> np.ndarray:
        """A column of one sequence."""
        return self._at(self.runs[sequence], ROWS[name], when).T

    @staticmethod
    def _at(trace: SimpleTrace, name: str, when: int) -> np.ndarray:
        read = {
            X_BAR: trace.extended_x, X_BARS: trace.net_f, F: trace.f, F_BAR: trace.extended_f,
            F_BARS: trace.net_g, G: trace.g, X: trace.extended_x[:, :, 1 : 1 + SIZES["N"]],
        }  # fmt: skip
        return read[name][:, when]


@cache
def _library(jordan: bool) -> InLibrary:
    return InLibrary(jordan=jordan)


def in_library(formula: Boolean, *, jordan: bool) -> bool:
    """Whether a matrix formula holds of the library's net, value by value."""
    return holds_in(formula, _library(jordan))


def matrix_formula(formula: Boolean, *, jordan: bool) -> bool:
    """Whether the shapes of a matrix formula fit for all sizes, and its values in the library."""
    return conforms(formula, shapes(jordan=jordan)) and in_library(formula, jordan=jordan)


# ---- the temporal XOR sequence


INPUTS = tuple(product((0, 1), repeat=2))


class bits(Function):
    """Bits in a row."""

    def _latex(self, printer, exp=None) -> str:
        return r"\;".join(printer._print(bit) for bit in self.args)


class table(Function):
    """A truth table of two inputs: the output bit for 00, 01, 10, 11."""

    nargs = 4

    def _latex(self, printer, exp=None) -> str:
        rows = [rf"{a} & {b} & {printer._print(out)} \\" for (a, b), out in zip(INPUTS, self.args, strict=True)]
        return rf"\begin{{array}}{{cc|c}} {' '.join(rows)} \end{{array}}"


def is_temporal_xor(formula: Boolean) -> bool:
    """Whether the table is that of exclusive or, and the bits are its rows one after the other."""
    outputs, row = formula.args
    words = [[a, b, (a + b) % 2] for a, b in INPUTS]
    right_table = [int(bit) for bit in outputs.args] == [word[2] for word in words]
    return right_table and [int(bit) for bit in row.args] == [bit for word in words for bit in word]
