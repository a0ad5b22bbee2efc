"""The forward pass of the LSTM of 1997 as the note indexes it: lstm97-36, -37, -39, -40, -42 and -43.

Units are numbered from 1 within their kind. The note cuts the sum over all columns into one for each kind, and lets
the number of the column serve as that of the unit too; and it leaves one index out. The engine refuses an index that
leaves its range; here such a formula may be written down, and is judged by what it reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Equality, Expr, Integer, Symbol
from sympy.core.basic import Basic
from throughtime.derivation import (
    Key,
    OutOfRange,
    Quantity,
    Setting,
    Sigma,
    Step,
    Unrolled,
    Witness,
    derived,
    equal,
    sum_over,
    to_latex,
    variable,
)
from throughtime.systems import lstm1997 as s
from throughtime_book.lstm1997.cell import by_hand
from throughtime_book.lstm1997.setting import setting
from throughtime_book.shared.reading import NoSuchElement, Reading, equals

t = Symbol("t", integer=True, nonnegative=True)
column = Symbol("j", integer=True)
state = variable("s_all", s.CELL, latex="s")
"""The state of a memory cell of the note as a whole: a vector of d_cell entries."""


@dataclass
class _Reading(Reading):
    """Another witness that refuses an index out of range; of whole states the element `entry` is taken."""

    entry: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._within = cache(lambda quantity: [over.elements(self.sizes) for over in quantity.domains])

    def element(self, key: Key) -> Any:
        quantity, *places = key
        if self._lacks(key):
            raise NoSuchElement(f"{quantity.name}: no element {places}")
        if quantity == state:
            return self.of.element((s.s, places[0], self.entry, places[1]))
        return self.of.element(key)

    def _lacks(self, key: Key) -> bool:
        """Whether an index of the element is none of those that its quantity has."""
        return any(place not in within for place, within in zip(key[1:], self._within(key[0]), strict=False))


@cache
def _setting() -> Setting:
    return setting()


@cache
def _witnesses() -> tuple[Witness, ...]:
    """Small networks in rational numbers, one of them with all sizes different that a slip could confuse."""
    sizes = {s.d_in: 3, s.d_hid: 2, s.d_cell: 2, s.n_cell: 3, s.d_out: 2}
    return (Unrolled(s.build(), sizes, 2, seed=36), *_setting().witnesses)


def _holds_on(witness: Witness, equation: Equality) -> bool:
    """Whether an equation holds at every time, for every entry of a state, with every index in its range."""
    entries = int(witness.sizes[s.d_cell]) if state in equation.atoms(Quantity) else 1
    return all(_Reading(witness, entry=entry).holds(equation) for entry in range(1, entries + 1))


@cache
def holds_exactly(equation: Equality) -> bool:
    """Whether a forward equation holds of small networks in rational numbers."""
    return all(_holds_on(witness, equation) for witness in _witnesses())


@cache
def holds_in_library(equation: Equality) -> bool:
    """Whether a forward equation holds of the library's forward pass."""
    return _holds_on(_setting().model, equation)


def forward_equation(equation: Basic) -> bool:
    """Whether a forward equation holds, of the library's net and of the small ones."""
    return holds_in_library(equation) and holds_exactly(equation)


# ---- what the note prints


def _kinds(gates: bool, k: Expr) -> list[tuple[Quantity, Expr, Expr]]:
    """Each kind of input: quantity, number of columns before it, number of its units; for cells, of cell k."""
    before_cells = s.d_in + s.d_hid + (1 + k if gates else k - 1) * s.d_cell
    kinds = [(s.y_hid, s.d_in, s.d_hid)]
    if gates:
        kinds += [(s.y_ig, s.d_in + s.d_hid, s.d_cell), (s.y_og, s.d_in + s.d_hid + s.d_cell, s.d_cell)]
    return [*kinds, (s.y_cell, before_cells, s.d_cell)]


def _by_columns(row, *, gates: bool, k: Expr, shifted: bool) -> Expr:
    """The sum over all columns, kind by kind; `row(j)` is a weight. `shifted` gives each unit its own number."""
    total = Sigma(row(column) * s.x[column, t], column, Integer(1), s.d_in)
    for quantity, before, size in _kinds(gates, k):
        unit = column - before.expand() if shifted else column
        cells = quantity == s.y_cell
        read = quantity[k, unit, t] if cells else quantity[unit, t]
        part = Sigma(row(column) * read, column, before + 1, before + size)
        total += sum_over(k, part) if cells else part
    return total


def _net_input(net, row, letter, source) -> tuple[Equality, Equality, Equality]:
    """The sum as printed, the sum over all columns, and the sum with each index in its range."""
    gates, k = letter == s.q, s.k_star if net.quantity == s.net_cell else s.k
    sums = (_by_columns(row, gates=gates, k=k, shifted=shifted) for shifted in (False, True))
    printed, right = (equals(net, total) for total in sums)
    return printed, equals(net, sum_over(letter, row(letter) * source[letter, t + 1])), right


def _pair(net, row, letter, source, *more: Equality) -> tuple[tuple[Equality, ...], tuple[Equality, ...]]:
    printed, whole, right = _net_input(net, row, letter, source)
    return (printed, whole, *more), (right, whole, *more)


def _unit(y, f, net, index) -> Equality:
    return equals(y[index, t + 1], f[index](net[index, t + 1]))


_i, _k, _o, _n = s.i, s.k, s.i_out, s.i_hid
_new = s.y_ig[_i, t + 1] * s.g[_k, _i](s.net_cell[_k, _i, t + 1])

PRINTS = {
    "lstm97-36": _pair(
        s.net_ig[_i, t + 1], lambda j: s.w_ig[_i, j], s.q, s.r, _unit(s.y_ig, s.f_ig, s.net_ig, _i)
    ),
    "lstm97-37": _pair(s.net_cell[_k, _i, t + 1], lambda j: s.w_cell[_k, _i, j], s.q, s.r),
    "lstm97-39": (
        (equals(state[_k, t + 1], state[_k, t] + _new),),
        (equals(s.s[_k, _i, t + 1], s.s[_k, _i, t] + _new),),
    ),
    "lstm97-40": _pair(
        s.net_og[_i, t + 1], lambda j: s.w_og[_i, j], s.q, s.r, _unit(s.y_og, s.f_og, s.net_og, _i)
    ),
    "lstm97-42": _pair(
        s.net_out[_o, t + 1], lambda j: s.w_out[_o, j], s.q_out, s.o, _unit(s.y, s.f_out, s.net_out, _o)
    ),
    "lstm97-43": _pair(
        s.net_hid[_n, t + 1], lambda j: s.w_hid[_n, j], s.q, s.r, _unit(s.y_hid, s.f_hid, s.net_hid, _n)
    ),
}  # fmt: skip
"""For each statement what is printed, and what is right."""


# ---- why the corrected form is right

_LAYERS = {
    "lstm97-36": (s.net_ig[_i, s.t], lambda j: s.w_ig[_i, j], s.q),
    "lstm97-37": (s.net_cell[_k, _i, s.t], lambda j: s.w_cell[_k, _i, j], s.q),
    "lstm97-40": (s.net_og[_i, s.t], lambda j: s.w_og[_i, j], s.q),
    "lstm97-42": (s.net_out[_o, s.t], lambda j: s.w_out[_o, j], s.q_out),
    "lstm97-43": (s.net_hid[_n, s.t], lambda j: s.w_hid[_n, j], s.q),
}


def proof(setting: Setting, id: str) -> list[Step]:
    """From the definition of a net input, a sum over all columns, to the sum kind by kind; or the new state."""
    if id == "lstm97-39":
        state_of_one = (s.s[_k, _i, s.t], s.s[_k, _i, s.t - 1] + s.y_ig[_i, s.t] * s.g[_k, _i](s.net_cell[_k, _i, s.t]))
        return [derived("Each state has the indices of its cell:", setting, state_of_one)]
    net, row, letter = _LAYERS[id]
    gates = letter == s.q
    read = s.r if gates else s.o
    parts = letter.domain.leaves()
    whole, apart = sum_over(letter, row(letter) * read[letter, s.t]), _over_parts(row, read, letter)
    return [
        derived("A net input is a sum over all columns.", setting, (net, whole)),
        Step(
            "It falls into a sum for each kind of what is read:",
            equals(net, apart),
            lambda: equal(whole, apart),
            exact=True,
        ),
        Step(
            "The unit $j$ of a kind stands in the column that is $j$ behind the last one of the kinds before. These "
            "columns are those of the kind, each of them once:",
            _listed(parts[1:]),
            lambda: _columns_fit(gates),
            exact=True,
        ),
    ]


def _listed(parts) -> str:
    lines = r" \\ ".join(f"& {to_latex(over.lower)}, \\dots, {to_latex(over.upper)}" for over in parts)
    return rf"\begin{{aligned}}{lines}\end{{aligned}}"


def _over_parts(row, read: Quantity, letter) -> Expr:
    total = Integer(0)
    for part in letter.domain.leaves():
        at = letter.within(part)
        total += sum_over(at, row(at) * read[at, s.t])
    return total


def _columns_fit(gates: bool) -> bool:
    """Whether the columns of the corrected form run through the parts of r, or of o, without gap or overlap."""
    parts = (s.C if gates else s.C_out).leaves()[1:]
    *single, (_, before, size) = _kinds(gates, s.k)
    ends = [(before + 1, before + size) for _, before, size in single]
    first, last = before.subs(s.k, 1) + 1, before.subs(s.k, s.n_cell) + size
    gapless = before.subs(s.k, s.k + 1) - (before + size)
    ends.append((first, last))
    pairs = zip(parts, ends, strict=True)
    gaps = [
        gapless,
        *(bound - end for part, pair in pairs for bound, end in zip((part.lower, part.upper), pair, strict=True)),
    ]
    return all(gap.expand() == 0 for gap in gaps)


# ---- counterexamples, in the worked example


class _ByHand(Witness):
    """The worked example: one input, one hidden unit, one block of two cells, one output."""

    def __init__(self) -> None:
        self.sizes = dict.fromkeys((s.d_in, s.d_hid, s.d_cell, s.d_out), Integer(1)) | {s.n_cell: Integer(2)}
        self.length = len(by_hand.X)
        self.trace = by_hand.trace()
        self.weights = by_hand.NET.layout.views(by_hand.THETA)

    def number(self, value):
        return float(value)

    def element(self, key: Key) -> float:
        quantity, *places = key
        if quantity.name in self.weights:
            return float(self.weights[quantity.name][tuple(place - 1 for place in places)])
        rows = self.trace.x if quantity == s.x else getattr(self.trace, quantity.name)
        if not 0 <= places[-1] < len(rows):
            raise OutOfRange(str(key))
        return float(rows[places[-1]][tuple(place - 1 for place in places[:-1])])


@dataclass
class _Noting(_Reading):
    """A reading in which what does not exist counts as 0, and is noted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.missing: dict[Key, None] = {}

    def element(self, key: Key) -> Any:
        if self._lacks(key):
            self.missing[key] = None
            return 0.0
        return super().element(key)


def misreading(id: str) -> str:
    """Numbers at which what the note prints is false: of the worked example, or of a block's state."""
    return _two_entries() if id == "lstm97-39" else _columns_as_units(PRINTS[id][0][0])


def _columns_as_units(printed: Equality) -> str:
    reading = _Noting(_ByHand())
    env = next(env for env in reading.environments(*printed.args) if env[t] == 2)
    left, right = (reading.value(side, env) for side in printed.args)
    missing = sorted(reading.missing, key=lambda key: (key[0].rank, *key[1:]))
    names = ", ".join(f"${to_latex(quantity[tuple(map(Integer, places))])}$" for quantity, *places in missing)
    if abs(left - right) < 0.01 or not missing:
        raise ValueError(f"printed: {printed} holds in the worked example, expected one that fails")
    return (
        f"In the example on this page every kind has one unit, and each of the two cells has one entry. At $t = 2$ the "
        f"sums read {names}, which do not exist. The left side is {left:.4g}; the right side is {right:.4g} if what "
        f"does not exist counts as 0."
    )


def _two_entries() -> str:
    (printed,), model = PRINTS["lstm97-39"][0], _setting().model
    place, values = {_k: Integer(1), _i: Integer(1), t: Integer(1)}, []
    for entry in (1, 2):
        reading = _Reading(model, entry=entry)
        values.append([float(reading.value(side, place)) for side in printed.args])
    (first, _), (left, right) = values
    return (
        f"Take a net with $d_{{\\mathrm{{cell}}}} = 2$, at $k = 1$ and $t = 1$. On the left is a vector, "
        f"$({first:.4g}, {left:.4g})$. On the right a number that depends on $i$ is added to a vector. If that means "
        f"to every entry, then for $i = 1$ the second entry would be {right:.4g} instead of {left:.4g}."
    )
