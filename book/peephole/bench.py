"""Bench of the chapters on forget gates and peepholes: systems, small instances, the numeric model.

The library's truncated gradient gives the truncated derivative of the error of any time and, with a linear output of
one cell alone, that of any cell output and state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from book.shared.reference_network import ReferenceNetwork, in_floats
from book.shared.statements import SOURCES
from sympy import Expr
from throughtime.arrays.activations import identity, logistic, tanh_half, twice_tanh_half
from throughtime.derivation import Bench, DerivativeSymbol, Env, Ref, Truncated, Unreadable, d, partial
from throughtime.evidence.trace import Arrays, ModelTrace, by_units
from throughtime.systems import lstm_family as system
from throughtime.systems.lstm_family import LSTM2002, Member
from throughtime.textbook.peephole import PeepholeLSTM

SEED = 2002
LENGTH = 4
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: no derivative flows into them.",
    r"All activations and states are 0 at time 0.",
)


SLOPES = {"g": twice_tanh_half.derivative, "h": tanh_half.derivative, "f_out": logistic.derivative}
SLOPES |= {f"f_{name}": logistic.derivative for name in system.GATES}


class Model(ReferenceNetwork):
    """A net with two blocks of two cells, with what one member of the family has."""

    def __init__(self, member: Member) -> None:
        draw = np.random.default_rng(SEED)
        self.member = member
        self.net = PeepholeLSTM(
            n_in=1, blocks=2, cells=2, n_out=2, peepholes=member.peepholes,
            **({"h": tanh_half} if member.squash else {}),
        )  # fmt: skip
        self.theta = self.net.init(draw, scale=1.5)
        self.x = draw.normal(size=(LENGTH, 1))
        self.targets = draw.uniform(size=(LENGTH, 2))
        self.truncated, self.truncated_cell = cache(self._truncated), cache(self._truncated_cell)

    def wiring(self) -> Arrays:
        """Which source is which: the note's column vector, each row with a single 1."""
        eye = np.eye(self.net.layout.shapes["w_fg"][1])
        columns = {name: eye[:, part] for name, part in self.net.sources.items()}
        cells = columns["y_cell"].reshape(len(eye), self.net.blocks, self.net.cells)
        gates = {f"S_{name}": columns[f"y_{name}"] for name in system.GATES}
        return {"S_x": columns["x"], "S_block": cells, **gates}

    def inputs(self) -> Arrays:
        """The given sequences and constants by name."""
        return super().inputs() | self.wiring()

    def parameters(self) -> Arrays:
        """The parameters by name."""
        views = dict(self.net.layout.views(self.theta))
        views["w_block"], out = views.pop("w_cell"), views.pop("w_out")
        split = {"w_out_x": out[:, : self.net.n_in], "w_out": self._by_cell(out[:, self.net.n_in :])}
        return {name: view.copy() for name, view in {**views, **split}.items()}

    def _by_cell(self, columns: np.ndarray) -> np.ndarray:
        return columns.reshape(-1, self.net.blocks, self.net.cells)

    def forward(self, parameters: Arrays, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """The library's forward pass, the stacked sources, and the errors of each output and time."""
        parts = dict(parameters)
        cells = parts.pop("w_out").reshape(self.net.n_out, -1)
        parts |= {"w_cell": parts.pop("w_block"), "w_out": np.hstack([parts.pop("w_out_x"), cells])}
        theta = self.net.layout.flatten(parts)
        trace = dict(self.net.forward(theta, inputs["x"]).items())
        trace["r"] = self._sources(trace, inputs)
        unit_cost = self.unit_costs(theta, inputs["x"], inputs["d"].real)
        return trace | {"E_unit": unit_cost, "E": unit_cost.sum(axis=1)}

    def _sources(self, trace: Mapping[str, np.ndarray], inputs: Arrays) -> np.ndarray:
        """The note's column vector, shape (T + 1, sources): inputs of this time, activations of the step before."""
        read = np.einsum("qm,tm->tq", inputs["S_x"], trace["x"])
        read[1:] += np.einsum("qlc,tlc->tq", inputs["S_block"], trace["y_cell"][:-1])
        for name in system.GATES:
            read[1:] += np.einsum("ql,tl->tq", inputs[f"S_{name}"], trace[f"y_{name}"][:-1])
        return read

    def position(self, name: str, place: tuple[int, ...]) -> int:
        """The index of a parameter of the system in the flat vector of the library."""
        if name == "w_out_x":
            return self.net.layout.index("w_out", *place)
        if name == "w_out":
            output, block, cell = place
            return self.net.layout.index("w_out", output, self.net.n_in + block * self.net.cells + cell)
        return self.net.layout.index("w_cell" if name == "w_block" else name, *place)

    def _truncated(self, t: int) -> np.ndarray:
        """The library's truncated gradient of the error of one time."""
        mask = np.eye(1, LENGTH, t - 1)[0]
        return self.net.gradient(self.theta, self.x, self.targets, mask, method="truncated").gradient

    def _truncated_cell(self, block: int, cell: int, t: int) -> np.ndarray:
        """The truncated derivatives of one cell output, as those of a linear output of it alone with error signal 1."""
        shown = replace(self.net, n_out=1, f_out=identity, direct=False)
        parts = {name: view for name, view in self.net.layout.views(self.theta).items() if name != "w_out"}
        chosen = np.zeros((self.net.blocks, self.net.cells))
        chosen[block, cell] = 1.0
        theta = shown.layout.flatten({**parts, "w_out": chosen.reshape(1, -1)})
        goal, only = shown.forward(theta, self.x).y[1:] - 1.0, np.eye(1, LENGTH, t - 1)[0]
        found = shown.layout.views(shown.gradient(theta, self.x, goal, only, method="truncated").gradient)
        none = {"w_out": np.zeros(self.net.layout.shapes["w_out"])}
        return self.net.layout.flatten({name: found[name] for name in parts} | none)


@dataclass
class _Witness(ModelTrace):
    """A trace with truncated derivatives, from the library's truncated gradient."""

    model: Model | None = None

    @cached_property
    def _cuts(self) -> tuple:
        return self.model.member.cuts()

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Truncated derivatives of errors, cell outputs and states; total ones by the complex step."""
        if not isinstance(node, Truncated):
            return super().derivative(node, env)
        if node.args[2:] != self._cuts or not isinstance(node.target, Ref):
            raise Unreadable(f"{node}: the library truncates quantities of the net, at the cuts of the paper only")
        target, wrt = self.key(node.target, env), self.key(node.wrt, env)
        at, t = self.model.position(wrt[0].name, self.place(wrt)), target[-1]
        if t < 1:
            return 0.0
        if target[0] == system.cost:
            return float(self.model.truncated(t)[at])
        if target[0] not in (system.s, system.y_cell):
            raise Unreadable(f"{node}: the library tells truncated derivatives of errors, cell outputs and states")
        block, cell = target[1] - 1, target[2] - 1
        by_output = float(self.model.truncated_cell(block, cell, t)[at])
        if target[0] == system.y_cell:
            return by_output
        if wrt[0] in (system.w["og"], system.u["og"]) or self.model.member.squash:
            raise Unreadable(f"{node}: a state is seen through its output gate, unsquashed")
        return by_output / self.element((system.gate["og"], target[1], t)).real


def _read() -> dict[str, Callable]:
    kinds = {name: name for name in ("r", "y", "net_out", "E_unit")}
    kinds |= {f"{part}_{name}": f"{part}_{name}" for part in ("net", "y") for name in system.GATES}
    cells = {"net_block": "net_cell", "s": "s", "y_block": "y_cell"}
    return {name: by_units(array) for name, array in {**kinds, **cells, "E": "E"}.items()}


def d_tr(member: Member, target: Expr, wrt: Ref) -> Truncated:
    """The truncated derivative, as a symbol."""
    return Truncated(target, wrt, *member.cuts())


# ---- the factors of the note's chains, for output i, cell j of block k and time t

_k, _j, _i, _t = system.k, system.j, system.i, system.t
error = system.y[_i, _t] - system.target[_i, _t]
out_slope = system.f_out.prime(system.net_out[_i, _t], _i)
by_output = d(system.cost[_t], system.y[_i, _t]) * partial(system.y[_i, _t], system.net_out[_i, _t])
to_state = partial(system.net_out[_i, _t], system.y_cell[_k, _j, _t])
to_state *= partial(system.y_cell[_k, _j, _t], system.s[_k, _j, _t])


def slope(name: str, when: Expr = _t) -> Expr:
    """f' of a gate at its net input."""
    return system.f[name].prime(system.net[name][_k, when], _k)


def by_gate(name: str, weight: Ref) -> Expr:
    """From a gate's activation to a weight of that gate, both immediate."""
    net = system.net[name][_k, _t]
    return partial(system.gate[name][_k, _t], net) * partial(net, weight)


# ---- settings


def make_bench(member: Member = LSTM2002) -> Bench:
    """The bench of one member, whose outputs depend on the cells of the same time; every call makes a new one."""
    s, model = system, Model(member)
    sources = model.net.layout.shapes["w_fg"][1]
    sizes = {s.d_in: 1, s.n_blk: 2, s.d_blk: 2, s.d_out: 2, s.n_src: sources}
    witness = model.witness(sizes, _read(), SLOPES, _Witness, step_cost=s.cost[s.t], model=model)
    small = {s.d_in: 1, s.n_blk: 2, s.d_blk: 2, s.n_src: 2, s.d_out: 2}
    return Bench(
        member.build(), [small], length=4, model=witness, activations=in_floats(SLOPES), assumptions=GIVEN,
        sources=SOURCES,
    )  # fmt: skip
