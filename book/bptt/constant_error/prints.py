"""Net inputs over one matrix as the notes print them: judges for bptt-26, bptt-27, lstm97-34 and lstm97-35.

The notes write one letter for the number of a unit and for its position in a concatenation. Each meaning is a quantity
of its own here, which prints as the note has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Equality
from throughtime.derivation import (
    Activation,
    Applied,
    Index,
    Key,
    OutOfRange,
    Statement,
    Step,
    Unrolled,
    Witness,
    chain,
    chains_tex,
    claim,
    derived,
    domain,
    equal,
    parameter,
    sum_over,
    union,
    variable,
)
from throughtime.systems import recurrent as s
from throughtime_book.bptt.constant_error.claims import Alone
from throughtime_book.bptt.forward import prints as p
from throughtime_book.bptt.setting import Model, setting, witness

BEHIND = p.COLUMNS_OF_Y
OUTPUTS_FIRST = union("columns of [y; x]", s.U, domain("columns of x", s.d_in, after=s.U))

own = parameter("W", s.U, s.U, latex="w")
"""The weight to a unit from a unit, both by their numbers, as in w_{j,j}."""
columns = parameter("W", *p.W.domains, latex="w")
"""An entry of the matrix over [x; y]."""
outputs_first = parameter("W", s.U, OUTPUTS_FIRST, latex="w")
"""An entry of the matrix over [y; x]."""
net = variable("z", s.U, latex=r"\operatorname{net}")
net_at, f_at = variable("z", BEHIND, latex=r"\operatorname{net}"), Activation("f", BEHIND)
"""The net input and the activation of the unit whose output stands at a position in [x; y]."""

j, t = s.j, p.t
i_x, i_u, i_y = (Index("i", over) for over in (s.X, s.U, BEHIND))


@dataclass
class ByMeaning(p.ByColumn):
    """The same reading for the quantities of this chapter. There is no net input before time 1."""

    def element(self, key: Key) -> Any:
        """The element that is meant; OutOfRange for a net input before time 1."""
        quantity, *places = key
        inputs, units = (int(self.sizes[size]) for size in (s.d_in, s.d_out))
        if quantity == own:
            places[1] = self._column(places[1], units, first=inputs)
        elif quantity == outputs_first:
            own_column = places[1] <= units
            places[1] = places[1] + inputs if own_column else self._column(places[1] - units, inputs)
        elif quantity == net_at:
            quantity, places[0] = net, places[0] - inputs
        if quantity.name == "z" and places[-1] < 1:
            raise OutOfRange(str(key))
        return super().element((p.W if quantity.name == "W" else quantity, *places))

    @staticmethod
    def _column(number: int, size: int, first: int = 0) -> int:
        """The column of an input or a unit; NoSuchElement where there is none of that number."""
        if not 1 <= number <= size:
            raise p.NoSuchElement(f"W: no column for the number {number}")
        return first + number

    def function(self, applied: Applied, places: tuple[int, ...]) -> Any:
        """The activation of a unit, by its number or by its position."""
        if applied.function == f_at:
            places = (places[0] - int(self.sizes[s.d_in]),)
            if places[0] < 1:
                raise p.NoSuchElement(f"{applied}: no unit stands there")
        return super().function(applied, places)


def _exact(seed: int, inputs: int, units: int, *, alone: bool) -> Unrolled:
    numbers = range(1, units + 1)
    zeros = {("w", a, b): Fraction(0) for a in numbers for b in numbers if alone and a != b}
    return Unrolled(s.build(masked=False), {s.d_in: inputs, s.d_out: units}, 4, seed=seed, values=zeros)


@cache
def _witnesses(alone: bool) -> tuple[Witness, ...]:
    return tuple(_exact(seed, *size, alone=alone) for seed, size in enumerate(((2, 2), (1, 3), (1, 1))))


@cache
def _library(alone: bool) -> Witness:
    return witness(Alone(with_inputs=True) if alone else Model(masked=False))


@cache
def forward(equation: Equality, *, alone: bool, exact: bool = True, library: bool = True) -> bool:
    """Whether a forward equation holds of small nets and of the library's; `alone`: without weights between units."""
    witnesses = (*(_witnesses(alone) if exact else ()), *((_library(alone),) if library else ()))
    return all(ByMeaning(witness).holds(equation) for witness in witnesses)


# ---- the equations as the notes have them

_inputs = sum_over(i_x, columns[j, i_x] * p.x[i_x, t - 1])


def _net(*terms) -> Equality:
    return p.equals(net[j, t], sum(terms))


with_input = _net(own[j, j] * p.y[j, t - 1], _inputs)
many_outputs_first = _net(
    sum_over(i_u, own[j, i_u] * p.y[i_u, t - 1]), sum_over(i_x, outputs_first[j, s.d_out + i_x] * p.x[i_x, t - 1])
)
many = _net(_inputs, sum_over(i_y, columns[j, i_y] * p.at_position[i_y, t - 1]))
many_activated = _net(_inputs, sum_over(i_y, columns[j, i_y] * f_at[i_y](net_at[i_y, t - 1])))

FROM_UNIT = (
    r"$w_{j,j}$ is the weight from unit $j$, and $w_{j,i}$, $i \le d_{\mathrm{in}}$, that from input $i$: a unit goes "
    r"by its own number, and stands at position $d_{\mathrm{in}} + j$ of $[x; y]$."
)
SELF_ONLY = r"Unit $j$ reads the inputs and itself: all other recurrent weights are 0."
ORDER = r"The matrix of this equation has the columns of the outputs first: it is one over $[y; x]$."
AT_POSITION = (
    r"$i$ is the position in $[x; y]$; $y_i$, $f_i$ and $\operatorname{net}_i$ with $i > d_{\mathrm{in}}$ belong to "
    r"the unit whose output stands there."
)
FROM_TWO = r"The second line needs $t \ge 2$: $y(0)$ is a constant and no activation of a net input."


def judge(id: str, *printed: Equality, alone: bool, assumptions: tuple[str, ...], also: str = "") -> Statement:
    """Net inputs as a note prints them; `alone`: of units that read no other unit."""
    whole = sum_over(p.j, p.W[p.i, p.j] * p.source[p.j, t - 1])
    cut = sum_over(p.j_x, p.W[p.i, p.j_x] * p.source[p.j_x, t - 1])
    cut += sum_over(p.j_y, p.W[p.i, p.j_y] * p.source[p.j_y, t - 1])
    inputs = sum_over(s.q, s.w_in[s.i, s.q] * s.x[s.q, s.t - 1])
    blocks = chain(s.net[s.i, s.t], inputs + sum_over(s.k, s.w[s.i, s.k] * s.y[s.k, s.t - 1]))
    where_inputs_end = Step(
        r"Cut the sum over all positions of $[x; y]$ where the inputs end: from $d_{\mathrm{in}} + 1$ on stand "
        r"$y_1, y_2, \dots$",
        chains_tex([chain(whole, cut)], None),
        lambda: equal(whole, cut),
        exact=True,
    )
    return claim(
        id,
        printed,
        also=also,
        decide=lambda equation: forward(equation, alone=alone),
        verdict="holds",
        proof=[
            *(() if printed == (many_outputs_first,) else (where_inputs_end,)),
            derived("In two blocks, which is the network of this part:", setting(masked=False), blocks),
        ],
        instance=lambda: all(forward(line, alone=alone, library=False) for line in printed),
        numeric=lambda: all(forward(line, alone=alone, exact=False) for line in printed),
        assumptions=assumptions,
    )
