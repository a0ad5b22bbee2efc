"""The LSTM and its descendants as systems of recurrences: 1997, forget gates (2000), peepholes (2002), and the cell of
today's libraries. The equations of 2000 and 2002 are peephole-1 to peephole-6, peephole-13 and peephole-14.

The note stacks what the gates and cells read into one column vector, of which `sources` is an element. Which entry of
that vector is which, the given matrices S say: in the note each of their rows has a single 1. Nothing that is derived
here needs to know which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from sympy import Add, Expr

from throughtime.derivation import Dimension, Quantity, System, domain, indices
from throughtime.derivation.deriving.forward import Cut, cut
from throughtime.derivation.formulas.nodes import INPUT, Activation, parameter, scalar, sequence, sum_over, variable
from throughtime.systems.letters import T, roman, t, tau

d_in, d_out = Dimension("d_in", r"d_{\mathrm{in}}"), Dimension("d_out", r"d_{\mathrm{out}}")
n_blk, d_blk = Dimension("n_blk", r"n_{\mathrm{block}}", count=True), Dimension("d_blk", r"d_{\mathrm{block}}")
n_src = Dimension("n_src", r"n_{\mathrm{src}}", count=True)
X, O, R = domain("X", d_in), domain("O", d_out), domain("R", n_src)
B, C = domain("B", n_blk), domain("C", d_blk)
m, i, q = indices("m", X), indices("i", O), indices("q", R)
k, l = indices("k l", B)
j, p, c = indices("j p c", C)

GATES = ("fg", "ig", "og")


def _given(name: str, *domains) -> Quantity:
    return Quantity(f"S_{name}", R, *domains, timed=False, role=INPUT, latex=roman("S", name))


x, target = sequence("x", X), sequence("d", O, latex=r"\hat y")
mask = sequence("sigma", latex=r"\sigma", mask=True)
select_x, select_cell = _given("x", X), _given("block", B, C)
select = {name: _given(name, B) for name in GATES}

w = {name: parameter(f"w_{name}", B, R, latex=roman("w", name)) for name in GATES}
u = {name: parameter(f"u_{name}", B, C, latex=roman("u", name)) for name in GATES}
b = {name: parameter(f"b_{name}", B, latex=roman("b", name)) for name in GATES}
b_cell, b_out = parameter("b_block", B, C, latex=roman("b", "block")), parameter("b_out", O, latex=roman("b", "out"))
w_cell = parameter("w_block", B, C, R, latex=roman("w", "block"))
w_out_x = parameter("w_out_x", O, X, latex=roman("w", "out"))
w_out = parameter("w_out", O, B, C, latex=roman("w", "out"))

source = variable("r", R)
net = {name: variable(f"net_{name}", B, latex=roman(r"\mathrm{net}", name)) for name in GATES}
gate = {name: variable(f"y_{name}", B, latex=roman("y", name)) for name in GATES}
f = {name: Activation(f"f_{name}", B, latex=roman("f", name)) for name in GATES}
net_cell = variable("net_block", B, C, latex=roman(r"\mathrm{net}", "block"))
g, h = Activation("g", B, C), Activation("h", B, C)
s = variable("s", B, C, latex=roman("s", "block"))
y_cell = variable("y_block", B, C, latex=roman("y", "block"))
net_out = variable("net_out", O, latex=roman(r"\mathrm{net}", "out"))
f_out = Activation("f_out", O, latex=roman("f", "out"))
y = variable("y", O)
unit_cost, cost = variable("E_unit", O, latex="E"), variable("E", latex="E")
loss = scalar("L", latex=r"\mathcal{L}")


@dataclass(frozen=True)
class Member:
    """One member of the family.

    `reads` names the gates whose activations are among the sources; `squash` says whether a state is squashed into
    the cell output; outputs read the cell outputs of `output_lag` steps before, and the inputs if `direct`. Without
    `outputs` the cell outputs are the net's. The notes write no biases; the net of the experiments has them at every
    unit.
    """

    name: str
    forget: bool = True
    peepholes: bool = False
    squash: bool = True
    reads: tuple[str, ...] = GATES
    output_lag: int = 0
    direct: bool = True
    outputs: bool = True
    bias: bool = False

    @property
    def gates(self) -> tuple[str, ...]:
        """The gates that this member has."""
        return GATES if self.forget else GATES[1:]

    def build(self) -> System:
        """The system; every call returns a new one over the same quantities."""
        system = System(self.name, t)
        parts = [sum_over(m, select_x[q, m] * x[m, t])]
        parts += [sum_over(l, select[name][q, l] * gate[name][l, t - 1]) for name in self.gates if name in self.reads]
        system[source[q, t]] = Add(*parts, sum_over(l, c, select_cell[q, l, c] * y_cell[l, c, t - 1]))
        bias, peepholes = int(self.bias), int(self.peepholes)
        for name in self.gates:
            peeps = sum_over(c, u[name][k, c] * s[k, c, _seen_by(name)])
            read = sum_over(q, w[name][k, q] * source[q, t])
            system[net[name][k, t]] = read + peepholes * peeps + bias * b[name][k]
            system[gate[name][k, t]] = f[name][k](net[name][k, t])
        system[net_cell[k, j, t]] = sum_over(q, w_cell[k, j, q] * source[q, t]) + bias * b_cell[k, j]
        kept = gate["fg"][k, t] * s[k, j, t - 1] if self.forget else s[k, j, t - 1]
        system[s[k, j, t]] = kept + gate["ig"][k, t] * g[k, j](net_cell[k, j, t])
        system[y_cell[k, j, t]] = gate["og"][k, t] * (h[k, j](s[k, j, t]) if self.squash else s[k, j, t])
        if self.outputs:
            self._outputs(system)
        return system

    def trained(self) -> System:
        """The system with its loss, the squared error of the steps that a mask counts."""
        system = self.build()
        system[loss[()]] = sum_over((tau, 1, T), mask[tau] * cost[tau])
        return system

    def _outputs(self, system: System) -> None:
        read = sum_over(k, j, w_out[i, k, j] * y_cell[k, j, t - self.output_lag])
        direct = sum_over(m, w_out_x[i, m] * x[m, t])
        system[net_out[i, t]] = read + int(self.direct) * direct + int(self.bias) * b_out[i]
        system[y[i, t]] = f_out[i](net_out[i, t])
        system[unit_cost[i, t]] = (y[i, t] - target[i, t]) ** 2 / 2
        system[cost[t]] = sum_over(i, unit_cost[i, t])

    def cuts(self) -> tuple[Cut, ...]:
        """What the truncated derivative holds constant: every activation of the previous step where it is read by a
        gate or a cell, and every state where a peephole reads it.
        """
        held = [cut(gate[name][l, t - 1], into=source) for name in self.gates if name in self.reads]
        held.append(cut(y_cell[l, c, t - 1], into=source))
        if self.peepholes:
            held += [cut(s[k, c, _seen_by(name)], into=net[name]) for name in self.gates]
        return tuple(held)


def _seen_by(name: str) -> Expr:
    """When a gate reads the state through its peepholes: the output gate that of t, the others that of t - 1."""
    return t if name == "og" else t - 1


LSTM1997 = Member("LSTM, 1997", forget=False, output_lag=1)
LSTM2000 = Member("LSTM with forget gates, 2000")
UNSQUASHED = replace(LSTM2000, name="without output squashing", squash=False)
LSTM2002 = replace(UNSQUASHED, name="LSTM with peepholes, 2002", peepholes=True)
EXPERIMENTS = replace(LSTM2002, name="the net of the experiments, 2002", reads=(), direct=False, bias=True)
LIBRARY = replace(LSTM2000, name="the cell of today's libraries", reads=(), outputs=False, bias=True)


def parameters(system: System) -> list[Quantity]:
    """The learnt quantities of a system, in the order in which its definitions first read them."""
    return list(dict.fromkeys(ref.quantity for _, ref in system.reads if ref.quantity.is_parameter))


def size_of(quantity: Quantity, sizes: dict[Dimension, int]) -> int:
    """How many elements a quantity has at one time, once every dimension has a size."""
    return prod(len(over.elements(sizes)) for over in quantity.domains)
