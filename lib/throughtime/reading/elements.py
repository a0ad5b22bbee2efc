"""Formulas in matrix notation, and in index notation, as elements at given letters.

`of` walks down a formula and joins the sets of its letters on the way; what it returns makes the element in index
notation, and is called when all equations have been seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from sympy import Add, Expr, Integer, Mul, Rational

from throughtime.derivation import (
    LENGTH,
    Activation,
    Delta,
    Index,
    Quantity,
    Sigma,
    product_over,
    sum_over,
    time,
    variable,
)
from throughtime.derivation import Total as Derivative
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.formulas.nodes import Immediate, Paths
from throughtime.derivation.formulas.rewrite import contract, free, rename_bound, substitute
from throughtime.reading.known import ACTIVATIONS, COMBINED, KNOWN
from throughtime.reading.printed import is_chain
from throughtime.reading.ranks import ROW, Ranks, kind
from throughtime.reading.sets import Axis, IndexLetter, Sets, summed_time
from throughtime.reading.source import SourceText
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import WHOLE, Equality, Name, Tree, is_kronecker, names_in

Element = Callable[[], Expr]
Letters = tuple[IndexLetter, ...]
COUNTS = ("no index", "one index", "two indices")
EACH = "an equation has indices at all its letters, as p_{i,t} = ..., or at none"


class Elements:
    """Makes elements of the formulas of one text; `axes` are those of each quantity, `sized` those of each size.

    `quantities` are filled from outside, `functions` and `nets`, by what they are inputs of, on the way.
    """

    def __init__(
        self, source: SourceText, ranks: Ranks, axes: dict[str, tuple[Axis, ...]], sized: dict[str, Axis], sets: Sets
    ):
        self.source, self.ranks, self.axes, self.sized, self.sets = source, ranks, axes, sized, sets
        self.quantities: dict[str, Quantity] = {}
        self.functions: dict[str, Activation] = {}
        self.nets: dict[Tree, tuple[Quantity, Expr, Expr]] = {}
        self.letters: frozenset[str] = frozenset()
        self.scope: dict[str, IndexLetter] = {}
        self.open: list[IndexLetter] = []
        self.left: tuple[str, Expr] | None = None
        self.closed = False  # the recurrence is read, and what is judged may have none but its functions
        self.immediate, self.held = False, {"d", "∂"}  # the signs of a formula in which ∂ is ∂^+
        self.symbols: dict[str, Expr] = {}  # the times of what is judged, by letter

    def sides(self, equation: Equality) -> list[Element]:
        """Both sides of an equation, or all of them, at the same letters. NotationError where they do not fit."""
        left, start = equation.left, getattr(equation.left, "time", None) == ("", 0)
        self._check_names(equation)
        signs = {one.value for side in (left, *equation.rights) for one in side.all() if one.op == "slope"}
        self.immediate = signs == self.held
        self.ranks.check(equation, start)
        self.letters, self.left, self.open = equation.letters, None, []
        written = {letter for part in left.all() if isinstance(part, Name) for letter in part.indices(self.letters)}
        self.scope = {letter: self.new(letter) for letter in sorted(written)}
        at = tuple(self.new() for _ in range(abs(self.ranks.found(left))))
        made = self.of(left, at)
        if isinstance(left, Name) and left.time and not start:
            self.left = left.key(self.letters), *self.when(left)
        return [made, *(self.part(right, at) for right in equation.rights)]

    def _check_names(self, equation: Equality) -> None:
        """NotationError for a name that is none of the recurrence, or lacks its time, or has one too many."""
        for name in names_in(equation.left, *equation.rights):
            key, named = name.key(equation.letters), ", ".join(self.axes)
            if "delta" not in self.axes and is_kronecker(name, equation.letters):
                continue
            if key not in self.axes and (name.time or key not in {*self.sized, "T", "I"}):
                expected = f"expected a letter of the recurrence: {named}"
                raise self.source.fault(name.at, f"found {key}", expected)
            made = self.quantities.get(key)
            if made and made.timed != (name.time is not None):
                has = f"expected {key}_t or {key}_{{t-1}}" if made.timed else "expected none: it has no time"
                raise self.source.fault(name.at, f"found {key} with{'out' * made.timed} a time", has)

    def new(self, written: str = "") -> IndexLetter:
        """A letter that is open from here on."""
        self.open.append(IndexLetter(Axis(), tuple(self.open), written))
        return self.open[-1]

    def of(self, tree: Tree, letters: Letters = ()) -> Element:
        """The element of a formula at a letter for each of its indices."""
        return getattr(self, f"_{tree.op}")(tree, letters)

    def part(self, tree: Tree, letters: Letters) -> Element:
        """The same of what may be a number beside vectors."""
        return self.of(tree, letters[len(letters) - many :] if (many := abs(self.ranks.of(tree) or 0)) else ())

    def join(self, tree: Tree, one: Axis, other: Axis) -> None:
        """Let two sets be one; NotationError where they are known to differ."""
        if not one.join(other):
            raise self.source.fault(tree.at, f"found a size {other}", f"expected {one}")

    def when(self, tree: Name) -> tuple[Expr, ...]:
        """The time of a name as an expression; nothing if it has none."""
        if tree.time is None:
            return ()
        return (self.clock(tree.time[0]) + tree.time[1],)

    def clock(self, text: str) -> Expr:
        """A time that is written as letters and numbers, as t-l+1."""
        found: Expr = Integer(0)
        for sign, part in re.findall(r"([+-]?)(\w+)", text):
            known = {"T": LENGTH, **self.symbols}
            value = Integer(int(part)) if part.isdigit() else known[part] if part in known else time(part)
            found += -value if sign == "-" else value
        return found

    # ---- leaves

    def _number(self, tree: Tree, letters: Letters) -> Element:
        return lambda: Rational(tree.value)

    def _name(self, tree: Name, letters: Letters) -> Element:
        key, when = tree.key(self.letters), self.when(tree)
        if key == "T" and not when:
            return lambda: LENGTH
        if key in self.sized and not when:
            return lambda: self.sets.of(self.sized[key]).upper
        if self.letters:
            letters = self._written(tree, key)
            if key not in self.axes:  # of Kronecker
                self.join(tree, *(letter.axis for letter in letters))
                return lambda: Delta(*map(self.sets.index, letters))
        elif key == "I" and key not in self.axes:
            self.join(tree, *(letter.axis for letter in letters))
            return lambda: Delta(*map(self.sets.index, letters))
        for letter, axis in zip(letters, self.axes[key], strict=True):
            self.join(tree, letter.axis, axis)
        return lambda: self.quantities[key][(*map(self.sets.index, letters), *when)]

    def _written(self, tree: Name, key: str) -> Letters:
        """The letters of a name in index notation. NotationError if they are not as many as its indices."""
        indices, many = tree.indices(self.letters), len(self.axes.get(key, ()))
        stray = [mark for mark in tree.marks if len(mark) == 1 and mark in {*"ijklmnpq"} - self.letters]
        if stray := [*stray, *(letter for letter in indices if letter not in self.scope)]:
            expected = "expected one of the left side or under a sum"
            raise self.source.fault(tree.at, f"found the index {stray[0]}", expected)
        if key in self.axes and len(indices) != many:
            given, wanted = ((*COUNTS, f"{number} indices")[min(number, 3)] for number in (len(indices), many))
            expected = f"expected {wanted}: it is {kind(many)}"
            raise self.source.fault(tree.at, f"found {key} with {given}", expected, EACH)
        return tuple(self.scope[letter] for letter in indices)

    # ---- sums and products

    def _same(self, tree: Tree, letters: Letters) -> Element:
        return lambda: Delta(*map(self.clock, tree.value))

    def _sum(self, tree: Tree, letters: Letters) -> Element:
        parts = [self.part(part, letters) for part in tree.parts]
        return lambda: COMBINED[tree.op](*(part() for part in parts))

    _elementwise = _quotient = _max = _min = _sum

    def _power(self, tree: Tree, letters: Letters) -> Element:
        steps = self.clock(tree.value) if isinstance(tree.value, str) else Integer(tree.value)
        if self.ranks.of(tree.parts[0]) == 2:
            count = summed_time((*self.symbols, *self.axes))
            return self._repeated(tree.parts[0], letters, lambda: (steps, {}, count))
        base = self.of(tree.parts[0], letters)
        return lambda: base() ** steps

    def _product(self, tree: Tree, letters: Letters) -> Element:
        ranks = {factor: self.ranks.of(factor) for factor in tree.parts}
        numbers = [self.of(factor) for factor, rank in ranks.items() if not rank]
        others = self._chain([factor for factor in tree.parts if ranks[factor]], letters)
        return lambda: Mul(*(number() for number in numbers), others())

    def _chain(self, factors: Sequence[Tree], letters: Letters) -> Element:
        """Matrices, vectors and rows, one after the other."""
        if len(factors) < 2:
            return self.of(factors[0], letters) if factors else lambda: Integer(1)
        first, *rest = factors
        ranks = [self.ranks.found(factor) for factor in factors]
        after = self.ranks.of_factors(rest, ranks[1:])
        if after == 0 or (ranks[0] == 1 and after == ROW):  # u (v^T h), u v^T
            column, row = self.of(first, letters[: abs(ranks[0])]), self._chain(rest, letters[abs(ranks[0]) :])
            return lambda: column() * row()
        own, many = self.new(), abs(ranks[0]) - 1
        left, right = self.of(first, (*letters[:many], own)), self._chain(rest, (own, *letters[many:]))
        self.open.pop()
        return lambda: contract(sum_over(self.sets.index(own), left() * right()))

    def _transposed(self, tree: Tree, letters: Letters) -> Element:
        return self.of(tree.parts[0], letters[::-1])

    def _total(self, tree: Tree, letters: Letters) -> Element:
        letter, limits = tree.value
        if len(limits) == 2:
            inner, now = self.part(tree.parts[0], letters), time(letter)
            over = (self._own(letter), *(self._limit(tree, limit) for limit in limits))
            once = {*over[: letter not in {one.value[0] for one in tree.parts[0].all() if one.op == "total"}]}
            return lambda: sum_over(over, substitute(rename_bound(inner(), once), {now: over[0]}))
        around, own = self.scope, self.new(letter)
        self.scope = {**around, letter: own}
        if limits:
            known = {one.name: one for one in self.sets.domains}
            if limits[0] not in {*self.sized, *known}:
                sizes = f"expected a size of the recurrence: {', '.join(known)}"
                raise self.source.fault(tree.at, f"found a sum to {limits[0]}", sizes)
            size = self.sized.get(limits[0]) or Axis()
            size.domain = size.domain or known.get(limits[0])
            self.join(tree, size, own.axis)
        inner = self.of(tree.parts[0])
        self.scope, _ = around, self.open.pop()
        return lambda: sum_over(self.sets.index(own), inner())

    def _multiplied(self, tree: Tree, letters: Letters) -> Element:
        """A product over times, of numbers or element by element; of matrices the latest one stands first."""
        letter, limits, turned = tree.value
        (part,), (first, last) = tree.parts, (self._limit(tree, limit) for limit in limits)
        if part.value == ("diag", 0):  # of a product of numbers, in whatever order
            return self._diag(Tree("call", tree.at, (Tree("multiplied", tree.at, part.parts, tree.value),)), letters)
        if abs(self.ranks.found(part)) < 2:
            inner, own = self.part(part, letters), self._own(letter)
            return lambda: product_over((own, first, last), substitute(inner(), {time(letter): own}))
        back = any(f"-{letter}" in name.time[0] for name in names_in(part) if name.time)  # as h_{t-i}
        late, early = limits if back else limits[::-1]
        if turned == back and not is_chain(part, letter):
            latest = f"prod_{{{letter}={late}}}^{{{early}}} {self.source.words(part.at)} for the latest first"
            earliest = "the transpose of that of the transposed for the earliest first"
            raise self.source.two_readings(tree.at, f"a product of matrices from {early} on", latest, earliest)
        count = summed_time((letter, *self.symbols, *self.axes))
        here = first + count - 1 if back else last - count + 1
        return self._repeated(part, letters, lambda: (last - first + 1, {time(letter): here}, count))

    def _repeated(self, part: Tree, letters: Letters, how: Callable[[], Any]) -> Element:
        """The product of matrices, the first of which is on the left."""
        self.join(part, *(letter.axis for letter in letters))
        before, after = self.new(), self.new()
        self.join(part, before.axis, letters[0].axis)
        inner = self.of(part, (before, after))
        del self.open[-2:]

        def element() -> Expr:
            steps, values, count = how()
            units, ends = map(self.sets.index, (before, after)), map(self.sets.index, letters)
            return contract(Paths(substitute(inner(), values), *units, count, *ends, steps))

        return element

    # ---- functions

    def _call(self, tree: Tree, letters: Letters) -> Element:
        (part,), (function, order) = tree.parts, tree.value
        if function in WHOLE:
            return self._diag(tree, letters) if function == "diag" else self._over_all(part, function == "mean")
        if self.closed and function not in {*KNOWN, *ACTIVATIONS, *NAMED, *self.functions}:
            expected = f"expected one of the recurrence: {', '.join([*self.functions, *KNOWN])}"
            raise self.source.fault(tree.at, f"found the function {function}", expected)
        made, inner = KNOWN.get(function) or self.activation(function), self.named(tree, part, letters)
        return lambda: made(inner()).derivative(order) if order else made(inner())

    def _diag(self, tree: Tree, letters: Letters) -> Element:
        self.join(tree, *(letter.axis for letter in letters))
        inner = self.of(tree.parts[0], letters[1:])
        return lambda: Delta(*map(self.sets.index, letters)) * inner()

    def _over_all(self, tree: Tree, mean: bool) -> Element:
        """The sum over all elements of a formula, or their mean."""
        own = tuple(self.new() for _ in range(abs(self.ranks.found(tree))))
        inner = self.of(tree, own)
        del self.open[len(self.open) - len(own) :]

        def element() -> Expr:
            at = [*map(self.sets.index, own)]
            return sum_over(*at, inner()) / (Mul(*(letter.domain.upper for letter in at)) if mean else 1)

        return element

    def activation(self, name: str) -> Activation:
        """The activation of a name; one for each name."""
        if name in ACTIVATIONS:
            return self.functions.setdefault(name, ACTIVATIONS[name])
        base, *labels = name.split("_")
        script = base.removeprefix("cal") if base[-1].isupper() else ""
        symbol = rf"\{base}" if base in (*GREEK, "tanh") else base if len(base) == 1 else rf"\operatorname{{{base}}}"
        symbol = rf"\mathcal{{{script}}}" if len(script) == 1 else symbol
        latex = f"{symbol}_{{{''.join(labels)}}}" if labels else symbol
        return self.functions.setdefault(name, Activation(name, latex=latex))

    def named(self, tree: Tree, inner: Tree, letters: Letters) -> Element:
        """The argument of a function; if it is a sum it gets a name, as the net input of what the equation computes."""
        made, left, scope = self.part(inner, letters), None if self.closed else self.left, self.scope

        def element() -> Expr:
            argument, at = made(), {self.sets.index(letter): letter.axis for letter in letters}
            added = isinstance(argument, Add) and tree.value[0] not in KNOWN
            if left is None or not (added or argument.has(Sigma)):
                return argument
            further = (one for one in free(argument) if isinstance(one, Index) and one not in at)
            at |= {one: scope[one.name].axis for one in sorted(further, key=str)}
            if tree not in self.nets:  # as W_1 and W_2 of one place in a sum over lags are two
                self._name_net(tree, left, at, argument)
            return self.nets[tree][0][(*at, left[1])]

        return element

    def _name_net(self, tree: Tree, left: tuple[str, Expr], at: dict[Index, Axis], argument: Expr) -> None:
        of, taken = self.quantities[left[0]], {net.name for net, *_ in self.nets.values()}
        taken |= {f"net_{key}" for key in self.axes if key != of.name}
        more = next(more for more in ("", *map("_{}".format, range(2, 99))) if f"net_{of.name}{more}" not in taken)
        latex = rf"\mathrm{{net}}^{{{of.latex}{more}}}"
        net = variable(f"net_{of.name}{more}", *(letter.domain for letter in at), latex=latex)
        self.nets[tree] = net, net[(*at, left[1])], argument
        self.quantities[net.name], self.axes[net.name] = net, tuple(at.values())
        self.ranks.known[net.name] = len(at)

    # ---- derivatives

    def _slope(self, tree: Tree, letters: Letters) -> Element:
        target, wrt = tree.parts
        many = self.ranks.of(target)
        top, bottom = self.of(target, letters[:many]), self.of(wrt, letters[many:])
        sign = Immediate if tree.value == "∂+" or (self.immediate and tree.value == "∂") else Derivative
        return lambda: sign(top(), bottom())

    def _own(self, letter: str) -> Expr:
        """The time that a sum binds: the letter itself, unless it is that of the recurrence."""
        taken = (letter, *self.symbols, *self.axes)
        return self.symbols[letter] if letter in [*self.symbols][1:] else summed_time(taken)

    def _limit(self, tree: Tree, text: str) -> Expr:
        """A limit of a sum over time."""
        if {*re.findall("[A-Za-z]+", text)} <= {"T", *self.symbols}:
            return self.clock(text)
        hint = f"the times of the formula are {', '.join([*self.symbols, 'T'])}"
        expected = "expected a number, T, or a letter at a quantity, as in t-1"
        raise self.source.fault(tree.at, f"found the limit {text} of a sum over time", expected, hint)
