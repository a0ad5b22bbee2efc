"""Formulas as the text of a program: sums become loops, quantities arrays, sizes of dimensions names.

The writer is one more style of the printer that sets the formulas of a page, so both have their terms and factors in
one order. Letters of indices count from 0 through their whole domain; an array that belongs to a part of it begins at
the first unit of that part.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from sympy import Expr, Integer, Mul, Symbol

from throughtime.derivation.formulas.domains import LENGTH, Dimension, Index
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import Applied, Bound, Constant, Delta, DerivativeSymbol, Ref, Sigma, every
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.printing.printer import Text

RESERVED = {*keyword.kwlist, "np", "T", "t", "back", "range", "abs", "len"}
ORDERS = ("", "_prime", "_second")
TOGETHER = 4  # terms that are added at a time: what collects them is read and written a quarter as often


class Identifiers:
    """An identifier for each thing of a program: close to the name that it prints with, and no two alike."""

    def __init__(self) -> None:
        self._of: dict[object, str] = {}
        self._taken = set(RESERVED)

    def __call__(self, thing: object, wanted: str) -> str:
        """The identifier of a thing, made of the wanted name when it is first asked for."""
        if thing not in self._of:
            plain = re.sub(r"\W", "_", wanted.replace("'", "1").replace("~", "_net").replace("-", "_act"))
            plain = plain if plain.isidentifier() else f"n{plain}"
            while plain in self._taken:
                plain += "_"
            self._taken.add(plain)
            self._of[thing] = plain
        return self._of[thing]


class Writer(Text):
    """Lines of one function.

    `element(node)` is the text of an element of a quantity or of a derivative; `first` the row of time 0 in the arrays
    of states.
    """

    power, quotient, value = "%s ** %s", "%s / %s", "%s(%s)"
    times = " * "
    open_ended: Any = ()

    def __init__(self, names: Identifiers, sizes: Iterable[Dimension], element: Callable[[Expr], str], first: int = 0):
        super().__init__()
        self.names, self.sizes = names, {dim: Symbol(names(dim, dim.name)) for dim in sizes} | {LENGTH: Symbol("T")}
        self.element, self.first = element, first
        self.lines: list[str] = []
        self.depth, self._made = 1, 0
        self._held: dict[Expr, str] = {}  # activations already computed, by formula
        self._at: dict[tuple, str] = {}  # places as text: each is asked for many times
        self.clock: dict[Expr, Expr] = {}  # letters of time in terms of the program's variables
        self.value_of: Callable[[Applied], str | None] = lambda node: None  # the text of an activation kept in an array

    # lines

    def line(self, text: str) -> None:
        """One line at the present depth."""
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines within a loop or a condition."""
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    def loop(self, index: Index) -> str:
        """The head of a loop over the domain of an index."""
        start, stop = (self.plain(bound) for bound in (index.domain.lower - 1, index.domain.upper))
        return f"for {self.letter(index)} in range({stop if start == '0' else f'{start}, {stop}'}):"

    def assign(self, letters: Sequence[Index], left: Callable[[], str], right: Expr, sign: str = "=") -> None:
        """`left sign right` for all values of some letters: one loop for each, activations as far out as they go."""
        self._nest([*letters], right, set(), lambda: self.line(f"{left()} {sign} {self.doprint(right)}"))

    def collect(
        self, outer: Sequence[Index], inner: Sequence[Index], left: Callable[[], str], sigma: Sigma, count: int = 0
    ) -> None:
        """`left += sum` with the sum outside the inner letters, and what does not depend on these computed once.

        Of a sum of known `count` several terms are added at a time, if its letter stands in places of arrays alone.
        """
        factors = Mul.make_args(sigma.body)
        within = [one for one in factors if free(one) & {*inner}]
        other, inside = Mul(*(one for one in factors if one not in within)), Mul(*within)
        letter, stop = self.letter(sigma.index), self.plain(sigma.index.domain.upper)

        def add(together: int = 1) -> None:
            names, texts = [self._variable("c") for _ in range(together)], [self.doprint(other), self.doprint(inside)]
            for more, name in enumerate(names):
                self.line(f"{name} = {_moved(texts[0], letter, more)}")
            for one in inner:
                self.line(self.loop(one))
                self.depth += 1
            terms = (f"{name} * {_moved(texts[1], letter, more)}" for more, name in enumerate(names))
            self.line(f"{left()} += {' + '.join(terms)}")
            self.depth -= len(inner)

        bare = not outer and all(isinstance(one, Ref | DerivativeSymbol) and one.has(sigma.index) for one in factors)
        if count < 2 * TOGETHER or not bare or self.loop(sigma.index) != f"for {letter} in range({stop}):":
            self._nest([*outer, sigma.index], other, set(), add)
            return
        rest = count % TOGETHER
        with self.block(f"for {letter} in range(0, {stop}{f' - {rest}' if rest else ''}, {TOGETHER}):"):
            add(TOGETHER)
        if rest:
            with self.block(f"for {letter} in range({stop} - {rest}, {stop}):"):
                add()

    def _variable(self, kind: str) -> str:
        self._made += 1
        return self.names(("made", kind, self._made), f"{kind}{self._made}")

    def _nest(self, letters: list[Index], right: Expr, opened: set[Expr], innermost: Callable[[], None]) -> None:
        before = dict(self._held)
        self._hold(right, opened, bool(letters))
        if letters:
            with self.block(self.loop(letters[0])):
                self._nest(letters[1:], right, opened | {letters[0]}, innermost)
        else:
            innermost()
        self._held = before

    def _hold(self, right: Expr, opened: set[Expr], loops_follow: bool) -> None:
        """Compute the activations and sums that depend on no further letter, if loops or a second use follow."""
        found = [*every(Applied | Bound, right)]
        for node in reversed(list(dict.fromkeys(found))):
            letters = {letter for letter in free(node) if isinstance(letter, Index)}
            if node not in self._held and letters <= opened and (loops_follow or found.count(node) > 1):
                text = self.doprint(node)
                self._held[node] = text if isinstance(node, Bound) else self._variable("c")
                if text != self._held[node]:
                    self.line(f"{self._held[node]} = {text}")

    # letters, places, times

    def letter(self, index: Expr) -> str:
        """The variable of an index or of a time."""
        return self.names(("letter", str(index)), str(index))

    def at(self, place: Expr, lowest: Expr) -> str:
        """A place counted from 0, where `lowest` is the first of its axis; both count from 1, as the formulas do."""
        asked = place, lowest, *self.clock.items()
        if asked not in self._at:
            letters = {index: Symbol(self.letter(index)) + 1 for index in free(place) if isinstance(index, Index)}
            counted = place.xreplace(letters | self.clock) - lowest
            self._at[asked] = str(counted.xreplace(self.sizes).expand())
        return self._at[asked]

    def when(self, time: Expr, row: int) -> str:
        """The row of a time in an array in which time 0 has the given row."""
        return self.at(time + row, Integer(0))

    # formulas

    def _print(self, expr: Expr, **how) -> str:
        return self._held[expr] if expr in self._held else super()._print(expr, **how)

    def plain(self, expr: Expr) -> str:
        """A whole number or a formula of numbers, sizes and times."""
        return str(expr.xreplace(self.clock).xreplace(self.sizes))

    _print_Symbol = _print_Dimension = plain

    def _print_Constant(self, expr: Constant) -> str:
        return repr(float(expr.value))

    def _print_AsNumber(self, expr: Expr) -> str:
        return self.at(expr.args[0], Integer(0))

    _print_Index = lambda self, expr: self.at(expr, Integer(0))  # noqa: E731

    def _print_Ref(self, node: Expr) -> str:
        return self.element(node)

    _print_DerivativeSymbol = _print_Ref

    def _print_Applied(self, expr: Applied) -> str:
        if kept := self.value_of(expr):
            return kept
        name = self.names((expr.function.name, expr.order), expr.function.name + ORDERS[expr.order])
        return f"{name}({self._print(expr.argument)})"

    def _print_Modulus(self, expr: Expr) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_Delta(self, expr: Delta) -> str:
        return f"(1.0 if {self._equal(expr)} else 0.0)"

    def _equal(self, delta: Delta) -> str:
        return f"{self.at(delta.args[0], Integer(1))} == {self.at(delta.args[1], Integer(1))}"

    def _print_Bound(self, node: Bound) -> str:
        """Loops before the present line, and the variable in which they collect."""
        start, sign = ("0.0", "+=") if isinstance(node, Sigma) else ("1.0", "*=")
        name, before = self._variable("s"), dict(self._held)
        self.line(f"{name} = {start}")
        with self.block(self._over_times(node) if node.limits else self.loop(node.index)):
            factors = Mul.make_args(node.body)
            deltas = [one for one in factors if isinstance(one, Delta) and isinstance(node, Sigma)]
            head = f"if {' and '.join(map(self._equal, deltas))}:"
            with self.block(head) if deltas else nullcontext():
                self.line(f"{name} {sign} {self._print(Mul(*(one for one in factors if one not in deltas)))}")
        self._held = before
        return name

    _print_Product = _print_Bound

    def _over_times(self, expr: Bound) -> str:
        """A loop over rows of the arrays of states."""
        lower, upper = (self.when(limit, self.first + more) for more, limit in enumerate(expr.limits))
        self.clock[expr.index] = Symbol(self.letter(expr.index)) - self.first
        return f"for {self.letter(expr.index)} in range({lower}, {upper}):"

    def _print_Paths(self, expr: Expr) -> str:
        raise DerivationError(f"no program for a sum over paths: {expr}")


def _moved(text: str, letter: str, more: int) -> str:
    """A text with the places of a letter further on."""
    return re.sub(rf"(?<=[\[ ]){letter}(?=[],])", f"{letter} + {more}", text) if more else text
