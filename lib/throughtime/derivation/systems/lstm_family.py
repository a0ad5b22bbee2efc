"""The LSTM and its descendants as systems of recurrences: 1997, forget gates (2000), peepholes (2002), and the cell of
today's libraries. The equations of 2000 and 2002 are peephole-1 to peephole-6, peephole-13 and peephole-14.

The note stacks what the gates and cells read into one column vector, of which `sources` is an element. Which entry of
that vector is which, the given matrices S say: in the note each of their rows has a single 1. Nothing that is derived
here needs to know which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from sympy import Add, Expr, Integer

from ..domains import Dimension, domain, indices
from ..forward import Cut, cut
from ..nodes import INPUT, PARAMETER, Activation, Quantity, parameter, refs, sequence, sum_over, time, variable
from ..system import LENGTH, Definition, System

t = time("t")
T = LENGTH
d_in, d_out = Dimension("d_in", r"d_{\mathrm{in}}"), Dimension("d_out", r"d_{\mathrm{out}}")
n_blk, d_blk = Dimension("n_blk", r"n_{\mathrm{block}}"), Dimension("d_blk", r"d_{\mathrm{block}}")
n_src = Dimension("n_src", r"n_{\mathrm{src}}")
X, O, B, C, R = (
    domain(name, size) for name, size in (("X", d_in), ("O", d_out), ("B", n_blk), ("C", d_blk), ("R", n_src))
)
m, i, q = indices("m", X), indices("i", O), indices("q", R)
k, l = indices("k l", B)
j, p, c = indices("j p c", C)

GATES = ("fg", "ig", "og")


def _roman(letter: str, name: str) -> str:
    return rf"{letter}^{{\mathrm{{{name}}}}}"


def _given(name: str, *domains) -> Quantity:
    return Quantity(f"S_{name}", R, *domains, timed=False, role=INPUT, latex=_roman("S", name))


x, target = sequence("x", X), sequence("d", O, latex=r"\hat y")
select_x, select_cell = _given("x", X), _given("block", B, C)
select = {name: _given(name, B) for name in GATES}

w = {name: parameter(f"w_{name}", B, R, latex=_roman("w", name)) for name in GATES}
u = {name: parameter(f"u_{name}", B, C, latex=_roman("u", name)) for name in GATES}
b = {name: parameter(f"b_{name}", B, latex=_roman("b", name)) for name in GATES}
b_cell, b_out = parameter("b_block", B, C, latex=_roman("b", "block")), parameter("b_out", O, latex=_roman("b", "out"))
w_cell = parameter("w_block", B, C, R, latex=_roman("w", "block"))
w_out_x = parameter("w_out_x", O, X, latex=_roman("w", "out"))
w_out = parameter("w_out", O, B, C, latex=_roman("w", "out"))

source = variable("r", R)
net = {name: variable(f"net_{name}", B, latex=_roman(r"\mathrm{net}", name)) for name in GATES}
gate = {name: variable(f"y_{name}", B, latex=_roman("y", name)) for name in GATES}
f = {name: Activation(f"f_{name}", B, latex=_roman("f", name)) for name in GATES}
net_cell = variable("net_block", B, C, latex=_roman(r"\mathrm{net}", "block"))
g, h = Activation("g", B, C), Activation("h", B, C)
s = variable("s", B, C, latex=_roman("s", "block"))
y_cell = variable("y_block", B, C, latex=_roman("y", "block"))
net_out = variable("net_out", O, latex=_roman(r"\mathrm{net}", "out"))
f_out = Activation("f_out", O, latex=_roman("f", "out"))
y = variable("y", O)
unit_cost, cost = variable("E_unit", O, latex="E"), variable("E", latex="E")


@dataclass(frozen=True)
class Member:
    """One member of the family. `reads` names the gates whose activations are among the sources; `squash` is how a
    cell is squashed on its way out; `output_lag` is how many steps old the cell outputs are that the outputs read;
    `direct` says whether the outputs read the inputs too. Without `outputs` the cell outputs are the net's. The notes
    write no biases; the net of the experiments has them at every unit.
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
        for name in self.gates:
            system[net[name][k, t]] = (
                sum_over(q, w[name][k, q] * source[q, t]) + self._peeps(name) + self._bias(b[name][k])
            )
            system[gate[name][k, t]] = f[name][k](net[name][k, t])
        system[net_cell[k, j, t]] = sum_over(q, w_cell[k, j, q] * source[q, t]) + self._bias(b_cell[k, j])
        kept = gate["fg"][k, t] * s[k, j, t - 1] if self.forget else s[k, j, t - 1]
        system[s[k, j, t]] = kept + gate["ig"][k, t] * g[k, j](net_cell[k, j, t])
        system[y_cell[k, j, t]] = gate["og"][k, t] * (h[k, j](s[k, j, t]) if self.squash else s[k, j, t])
        if self.outputs:
            self._outputs(system)
        return system

    def _peeps(self, name: str) -> Expr:
        """The input and forget gates look at the state before this step, the output gate at the new one."""
        when = t if name == "og" else t - 1
        return sum_over(c, u[name][k, c] * s[k, c, when]) if self.peepholes else Integer(0)

    def _bias(self, bias: Expr) -> Expr:
        return bias if self.bias else Integer(0)

    def _outputs(self, system: System) -> None:
        read = sum_over(k, j, w_out[i, k, j] * y_cell[k, j, t - self.output_lag])
        direct = sum_over(m, w_out_x[i, m] * x[m, t]) if self.direct else Integer(0)
        system[net_out[i, t]] = read + direct + self._bias(b_out[i])
        system[y[i, t]] = f_out[i](net_out[i, t])
        system[unit_cost[i, t]] = (y[i, t] - target[i, t]) ** 2 / 2
        system[cost[t]] = sum_over(i, unit_cost[i, t])

    def cuts(self) -> tuple[Cut, ...]:
        """What the truncated derivative holds constant: every activation of the step before where it is read by a
        gate or a cell, and every state where a peephole reads it.
        """
        held = [cut(gate[name][l, t - 1], into=source) for name in self.gates if name in self.reads]
        held.append(cut(y_cell[l, c, t - 1], into=source))
        if self.peepholes:
            held += [cut(s[k, c, t if name == "og" else t - 1], into=net[name]) for name in self.gates]
        return tuple(held)


LSTM1997 = Member("LSTM, 1997", forget=False, output_lag=1)
LSTM2000 = Member("LSTM with forget gates, 2000")
UNSQUASHED = replace(LSTM2000, name="without output squashing", squash=False)
LSTM2002 = replace(UNSQUASHED, name="LSTM with peepholes, 2002", peepholes=True)
EXPERIMENTS = replace(LSTM2002, name="the net of the experiments, 2002", reads=(), direct=False, bias=True)
LIBRARY = replace(LSTM2000, name="the cell of today's libraries", reads=(), outputs=False, bias=True)


@dataclass(frozen=True)
class Change:
    """One equation at a branch of the family: before, after, or None where there is none."""

    before: Definition | None
    after: Definition | None


def changes(parent: Member, child: Member) -> list[Change]:
    """The equations that `child` has otherwise than `parent`, in the order in which a step is computed."""
    old, new = ({item.left: item for item in member.build().check().order()} for member in (parent, child))
    lefts = dict.fromkeys([*new, *old])
    return [Change(old.get(left), new.get(left)) for left in lefts if _right(old, left) != _right(new, left)]


def _right(definitions: dict, left: Expr) -> Expr | None:
    return definitions[left].right if left in definitions else None


def parameters(system: System) -> list[Quantity]:
    """The learnt quantities of a system, in the order in which its definitions first read them."""
    found: dict[Quantity, None] = {}
    for definition in system.all_definitions():
        found.update(dict.fromkeys(ref.quantity for ref in refs(definition.right) if ref.quantity.role == PARAMETER))
    return list(found)


def size_of(quantity: Quantity, sizes: dict[Dimension, int]) -> int:
    """How many elements a quantity has at one time, once every dimension has a size."""
    return prod(len(over.elements(sizes)) for over in quantity.domains)
