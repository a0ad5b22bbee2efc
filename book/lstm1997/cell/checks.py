"""Checks of a forward pass whose indices may leave their range, and of the functions of the experiments.

Units are numbered from 1 within their kind. The note cuts the sum over all columns into one for each kind, and lets
the number of the column serve as that of the unit too; and it leaves one index out. The engine refuses an index that
leaves its range; here such a formula may be written down, and is judged by what it reads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import throughtime as tt
from book.lstm1997 import example
from book.lstm1997.bench import FUNCTIONS, forward, make_bench
from book.shared.reading import NoSuchElement, SourceNotation, equals
from book.shared.samples import Samples
from sympy import Basic, Contains, Equality, Expr, Function, Integer, Interval, Rational, Symbol, exp, limit, oo, tanh
from throughtime.arrays.activations import logistic, tanh_half, twice_tanh_half
from throughtime.derivation import Evaluator
from throughtime.derivation.evaluating.evaluate import Key
from throughtime.evidence.trace import ModelTrace
from throughtime.systems import lstm1997 as s

t = Symbol("t", integer=True, nonnegative=True)
column = Symbol("j", integer=True)
state = tt.variable("s_all", s.CELL, latex="s")
"""The state of a memory cell of the note as a whole: a vector of d_cell entries."""


@dataclass
class _Reading(SourceNotation):
    """Another witness that refuses an index out of range; of whole states the element `entry` is taken.

    With a dictionary ``missing``, what does not exist counts as 0 and is noted there.
    """

    entry: int = 1
    missing: dict[Key, None] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._within = cache(lambda quantity: [over.elements(self.sizes) for over in quantity.domains])

    def element(self, key: Key) -> Any:
        quantity, *places = key
        if any(place not in within for place, within in zip(places, self._within(quantity), strict=False)):
            if self.missing is None:
                raise NoSuchElement(f"{quantity.name}: no element {places}")
            self.missing[key] = None
            return 0.0
        if quantity == state:
            return self.of.element((s.s, places[0], self.entry, places[1]))
        return self.of.element(key)


_bench = cache(make_bench)


@cache
def _witnesses() -> tuple[Evaluator, ...]:
    """Small networks in rational numbers, one of them with all sizes different that a slip could confuse."""
    sizes = {s.d_in: 3, s.d_hid: 2, s.d_cell: 2, s.n_cell: 3, s.d_out: 2}
    return (tt.ExactInstance(s.build(), sizes, 2, seed=36), *_bench().witnesses)


def _holds_on(witness: Evaluator, equation: Equality) -> bool:
    """Whether an equation holds at every time, for every entry of a state, with every index in its range."""
    entries = int(witness.sizes[s.d_cell]) if state in equation.atoms(tt.Quantity) else 1
    return all(_Reading(witness, entry=entry).holds(equation) for entry in range(1, entries + 1))


@cache
def holds_exactly(equation: Equality) -> bool:
    """Whether a forward equation holds of small networks in rational numbers."""
    return all(_holds_on(witness, equation) for witness in _witnesses())


@cache
def holds_in_library(equation: Equality) -> bool:
    """Whether a forward equation holds of the library's forward pass."""
    return _holds_on(_bench().model, equation)


def holds(equation: Basic) -> bool:
    """Whether a forward equation holds, of the library's net and of the small ones."""
    return holds_in_library(equation) and holds_exactly(equation)


def kinds(gates: bool, k: Expr) -> list[tuple[tt.Quantity, Expr, Expr]]:
    """Each kind of source: quantity, number of columns before it, number of its units; for cells, of cell k."""
    before_cells = s.d_in + s.d_hid + (1 + k if gates else k - 1) * s.d_cell
    found = [(s.y_hid, s.d_in, s.d_hid)]
    if gates:
        found += [(s.y_ig, s.d_in + s.d_hid, s.d_cell), (s.y_og, s.d_in + s.d_hid + s.d_cell, s.d_cell)]
    return [*found, (s.y_cell, before_cells, s.d_cell)]


# ---- why the corrected form is right


def proof(bench: tt.Bench, net: tt.Ref, row: Callable[[Expr], Expr], letter: tt.Index) -> list[tt.Step]:
    """From the definition of a net input, a sum over all columns, to the sum kind by kind."""
    gates = letter == s.q
    read = s.r if gates else s.o
    parts = letter.domain.leaves()
    whole, *parts_of_it = (tt.sum_over(at, row(at) * read[at, s.t]) for at in (letter, *map(letter.within, parts)))
    apart = sum(parts_of_it, Integer(0))
    columns = (f"& {tt.to_latex(over.lower)}, \\dots, {tt.to_latex(over.upper)}" for over in parts[1:])
    lines = r" \\ ".join(columns)
    return [
        tt.derived("A net input is a sum over all columns.", bench, (net, whole)),
        tt.Step(
            "It falls into a sum for each kind of what is read:",
            equals(net, apart),
            lambda: tt.equal(whole, apart),
            exact=True,
        ),
        tt.Step(
            "The unit $j$ of a kind stands in the column that is $j$ behind the last one of the kinds before. These "
            "columns are those of the kind, each of them once:",
            rf"\begin{{aligned}}{lines}\end{{aligned}}",
            lambda: _columns_fit(gates),
            exact=True,
        ),
    ]


def _columns_fit(gates: bool) -> bool:
    """Whether the columns of the corrected form run through the parts of r, or of o, without gap or overlap."""
    parts = (s.C if gates else s.C_out).leaves()[1:]
    *single, (_, before, size) = kinds(gates, s.k)
    ends = [(first + 1, first + many) for _, first, many in single]
    ends.append((before.subs(s.k, 1) + 1, before.subs(s.k, s.n_cell) + size))
    gaps = [before.subs(s.k, s.k + 1) - (before + size)]
    for part, (lower, upper) in zip(parts, ends, strict=True):
        gaps += [part.lower - lower, part.upper - upper]
    return all(gap.expand() == 0 for gap in gaps)


# ---- counterexamples, in the worked example


def _example() -> ModelTrace:
    """The worked example: one input, one hidden unit, one block of two cells, one output."""
    sizes = {**dict.fromkeys((s.d_in, s.d_hid, s.d_cell, s.d_out), 1), s.n_cell: 2}
    given = {"x": example.X, **example.WEIGHTS}
    return ModelTrace.drawn(s.build(), sizes, len(example.X), forward, FUNCTIONS, 0, **given)


def columns_as_units(printed: Equality) -> str:
    """Numbers of the worked example at which a sum that numbers units by their columns is false."""
    reading = _Reading(_example(), missing={})
    env = next(env for env in reading.environments(*printed.args) if env[t] == 2)
    left, right = (reading.value(side, env) for side in printed.args)
    missing = sorted(reading.missing, key=lambda key: (key[0].rank, *key[1:]))
    names = ", ".join(f"${one.latex}_{{{', '.join(map(str, below))}}}({when})$" for one, *below, when in missing)
    if abs(left - right) < 0.01 or not missing:
        raise ValueError(f"printed: {printed} holds in the worked example, expected one that fails")
    return (
        f"In the worked example of the chapter on the cell every kind has one unit, and each of the two cells has one "
        f"entry. At $t = 2$ the sums read {names}, which do not exist. The left side is {left:.4g}; the right side is "
        f"{right:.4g} if what does not exist counts as 0."
    )


def two_entries(printed: Equality) -> str:
    """Numbers of a block's state at which one number for a whole state is false."""
    model = _bench().model
    place, values = {s.k: Integer(1), s.i: Integer(1), t: Integer(1)}, []
    for entry in (1, 2):
        reading = _Reading(model, entry=entry)
        values.append([float(reading.value(side, place)) for side in printed.args])
    (first, _), (left, right) = values
    return (
        f"Take a net with $d_{{\\mathrm{{cell}}}} = 2$, at $k = 1$ and $t = 1$. On the left is a vector, "
        f"$({first:.4g}, {left:.4g})$. On the right a number that depends on $i$ is added to a vector. If that means "
        f"to every entry, then for $i = 1$ the second entry would be {right:.4g} instead of {left:.4g}."
    )


# ---- g, h and the initial weights of the experiments of 1997 (lstm97-squashing)

x = Symbol("x", real=True)
number = Symbol("n", integer=True, positive=True)  # of an experiment
sigma, g, h, scale = (Function(name) for name in ("sigma", "g", "h", "w_max"))
LIBRARY = {"sigma": logistic, "g": twice_tanh_half, "h": tanh_half}

INITIAL_WEIGHTS = {1: Rational(1, 5), 2: Rational(1, 5), **dict.fromkeys((3, 4, 5, 6), Rational(1, 10))}
"""Largest modulus of an initial weight in each experiment of the paper (Hochreiter and Schmidhuber 1997, section 5)."""

POINTS = np.linspace(-6.0, 6.0, 24)  # 0 is not among them: some slips have a pole there
CURVES = Samples(
    (x, *(Function(name)(x) for name in LIBRARY)),
    np.column_stack([POINTS, *(curve(POINTS) for curve in LIBRARY.values())]),
    rounding=(0.0, 1e-14),
)
EXPERIMENTS = Samples((number, scale(number)), INITIAL_WEIGHTS.items())


def is_of_experiments(formula: Basic) -> bool:
    """Whether an equation holds of the library's functions, a range is their smallest, or weights start as in print."""
    if isinstance(formula, Contains):
        name, interval = formula.args[0].func.__name__, formula.args[1]
        return isinstance(interval, Interval) and (float(interval.inf), float(interval.sup)) == LIBRARY[name].bounds
    return (EXPERIMENTS if formula.has(scale) else CURVES).holds(formula)


def proof_of_ranges() -> list[tt.Step]:
    """Both functions are hyperbolic tangents of half the net input, which gives their ranges."""
    logistic_of_x = 1 / (1 + exp(-x))
    return [
        tt.identity(
            "$h$ is a hyperbolic tangent of half its argument, and lies between $-1$ and $1$.",
            2 * logistic_of_x - 1,
            tanh(x / 2),
        ),
        tt.identity("$g$ is twice $h$, between $-2$ and $2$.", 4 * logistic_of_x - 2, 2 * tanh(x / 2)),
        tt.Step(
            "Both ends are approached and never reached.",
            None,
            lambda: [limit(c * tanh(x / 2), x, end) for c in (1, 2) for end in (-oo, oo)] == [-1, 1, -2, 2],
            exact=True,
        ),
    ]
