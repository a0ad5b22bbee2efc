"""What the statements of the part are checked against: the library's Elman and Jordan nets, and the bit counter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from book.shared.reference_network import ReferenceNetwork, in_floats
from book.shared.statements import SOURCES
from book.training import counter
from book.training.counter import NET, loss, parameters
from sympy.core.basic import Basic
from throughtime.arrays.activations import logistic
from throughtime.checks import STEP
from throughtime.derivation import DEFINED, Bench, DerivativeSymbol, Env, OutOfRange, Total, Unreadable
from throughtime.evidence.trace import Arrays, ModelTrace
from throughtime.systems import elman_jordan as system
from throughtime.textbook.simple_recurrent import Elman, Jordan

# ---- Elman's and Jordan's nets

SEED = 1990
SIZES = {"I": 3, "N": 2, "K": 4, "J": 2}
LENGTH = 4
GIVEN_SEQUENCES = (
    r"Inputs and targets are given: no derivative flows into them.",
    r"The first context is 0.",
)


class SimpleNet(ReferenceNetwork):
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


def elman_jordan(*, jordan: bool) -> Bench:
    """The bench of one of the two nets; every call makes a new one."""
    model, s = SimpleNet(jordan=jordan), system

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
    return Bench(
        s.build(jordan=jordan), [{s.I: 2, s.N: 1, s.K: 2, s.J: 1}, {s.I: 1, s.N: 1, s.K: 2, s.J: 2}], length=4,
        model=model.witness(sizes, read, functions, step_cost=s.cost[s.t]), activations=in_floats(functions),
        assumptions=GIVEN_SEQUENCES, sources=SOURCES,
    )  # fmt: skip


# ---- the bit counter

BITS, BATCH = 5, 3
WEIGHTS = {"v_x": np.array(0.75), "v_f": np.array(-1.25)}
GIVEN_BITS = (
    r"The bits are given: no derivative flows into them.",
    r"Every state starts from $f_i(0) = 0$.",
)


class _Witness(ModelTrace):
    """A trace with derivatives with respect to a state: f(t) + h is x(t) + h / v_x, the target held constant."""

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Derivatives with respect to a state by the complex step in the input of that time, others as in a trace."""
        wrt = self.key(node.wrt, env)
        if wrt[0].role != DEFINED or not isinstance(node, Total):
            return super().derivative(node, env)
        if wrt[0] != counter.f or node.target not in (counter.error[()], *self._states(node)):
            raise Unreadable(f"{node}: the library tells derivatives by a state only")
        unit, when = wrt[1] - 1, wrt[2]
        if not 1 <= when <= self.length:
            raise OutOfRange(str(wrt))
        bits = self.inputs["x"].T.astype(complex)
        count = bits.sum(axis=1).real
        bits[unit, when - 1] += 1j * STEP / self.parameters["v_x"]
        if node.target == counter.error[()]:
            return loss(*self._weights(), bits, count).imag / STEP
        target = self.key(node.target, env)
        if not 0 <= target[2] <= self.length:
            raise OutOfRange(str(target))
        trace = NET.forward(parameters(*self._weights()), bits[:, :, None])
        return float(trace.f[target[1] - 1, target[2], 0].imag / STEP)

    @staticmethod
    def _states(node: DerivativeSymbol) -> tuple[Basic, ...]:
        return (node.target,) if getattr(node.target, "quantity", None) == counter.f else ()

    def _weights(self) -> tuple[float, float]:
        return float(self.parameters["v_x"]), float(self.parameters["v_f"])


def _forward(weights: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
    """The library's forward pass, counts and error. Counts are real: no derivative with respect to a bit."""
    bits = inputs["x"].T
    if np.any(bits.imag):
        raise Unreadable("the library tells no derivative by a bit: the count would move with it")
    v_x, v_f = weights["v_x"].item(), weights["v_f"].item()
    trace = dict(NET.forward(parameters(v_x, v_f), bits[:, :, None]).items())
    trace["count"], trace["error"] = bits.sum(axis=1), np.array(loss(v_x, v_f, bits))
    return trace


def bit_counter() -> Bench:
    """The bench of the chapter; every call makes a new one."""
    s = counter
    bits = np.random.default_rng(2020).integers(0, 2, (BITS, BATCH)).astype(float)
    read = {
        "f": lambda trace, indices, t: trace["extended_f"][indices[0] - 1, t, 1],
        "yhat": lambda trace, indices, t: trace["g"][indices[0] - 1, -1, 0],
        "y": lambda trace, indices, t: trace["count"][indices[0] - 1],
        "E": lambda trace, indices, t: trace["error"],
    }
    model = _Witness({s.batch: BATCH}, BITS, WEIGHTS, {"x": bits}, _forward, read, {})
    sizes = [{s.batch: 2}, {s.batch: 3}]
    return Bench(s.build(), sizes, length=4, model=model, assumptions=GIVEN_BITS, sources=SOURCES)
