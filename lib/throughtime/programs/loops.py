"""The functions of a program as text: forward pass, adjoint sweep, and derivatives carried forward.

States of all times are rows of arrays, time 0 in row `depth - 1`. What is carried forward has no rows: an array for the
present step and one for each step before it that is read, as `h`, `h_1`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Add, Expr, Integer, Mul, Symbol

from throughtime.derivation.deriving.definition import Definition
from throughtime.derivation.formulas.domains import LENGTH, Index
from throughtime.derivation.formulas.nodes import DEFINED, INPUT, DerivativeSymbol, Quantity, Ref, Sigma
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.printing.printer import to_text
from throughtime.programs.plan import Plan, leaves
from throughtime.programs.writer import Names, Writer

Axes = dict[str, tuple[Any, ...]]  # lengths by name of the array; T and the rows before time 1 come first


@dataclass
class Function:
    """One function: its name, the arrays that it works on beside given sequences and weights, and its lines."""

    name: str
    arrays: Axes
    lines: list[str]
    result: str = ""

    @classmethod
    def of(cls, parts: dict[str, Any]) -> Function:
        """The function of which these are the parts by name, lengths as lists."""
        return cls(**parts | {"arrays": {name: tuple(axes) for name, axes in parts["arrays"].items()}})

    def sized(self, plan: Plan) -> Function:
        """With lengths that are numbers, for the sizes of a plan; None is T with the rows before it."""
        rows = LENGTH + plan.depth
        sizes = {
            name: tuple(None if axis == rows else int(axis.xreplace(plan.sizes)) for axis in axes)
            for name, axes in self.arrays.items()
        }
        return replace(self, arrays=sizes)

    def text(self, shared: Sequence[str]) -> str:
        """The function in Python."""
        end = [f"    return {self.result}"] if self.result else []
        return "\n".join([signature(self.name, ["T", *shared, *self.arrays]), *self.lines, *end])


def signature(name: str, arguments: Sequence[str], width: int = 100) -> str:
    """The first line or lines of a function."""
    return wrapped(f"def {name}(", f"{', '.join(arguments)}):", width)


def wrapped(head: str, rest: str, width: int = 100) -> str:
    """A bracket and what stands in it, broken between arguments below the first of them."""
    return textwrap.fill(head + rest, width, subsequent_indent=" " * len(head), break_long_words=False)


class Loops:
    """Writes the functions of one plan; the adjoint sweep goes on to the given sequences `back_to`."""

    def __init__(self, plan: Plan, names: Names, back_to: Sequence[Quantity] = ()):
        self.plan, self.names, self.t, self.back_to = plan, names, plan.system.t, back_to
        self.first = plan.depth - 1
        for quantity in plan.quantities:
            names(quantity, quantity.name)
        for dimension in plan.sizes:
            names(dimension, dimension.name)
        self.shared = [names(one, one.name) for one in (*plan.of(INPUT), *plan.weights)]

    # arrays

    def _index(self, writer: Writer, quantity: Quantity, places: Sequence[Expr], *rows: str) -> str:
        parts = [writer.at(place, over.lower) for place, over in zip(places, quantity.domains, strict=True)]
        return f"[{', '.join([*rows, *parts]) or '()'}]"

    def adjoint_name(self, quantity: Quantity, lag: int = 0) -> str:
        """The array of derivatives of the loss by a quantity."""
        late = f"_{lag}" if lag else ""
        return self.names(("by", quantity, lag), f"d{self.names(self.plan.loss.quantity, '')}_d{quantity.name}{late}")

    def _given(self, writer: Writer, ref: Ref, name: str = "") -> str:
        quantity = ref.quantity
        rows = [writer.when(ref.time, -self.plan.system.given_times(quantity, 1).start)] if quantity.timed else []
        return (name or self.names(quantity, "")) + self._index(writer, quantity, ref.indices, *rows)

    def _in_rows(self, node: Expr) -> str:
        """An element of an array with a row for each time."""
        ref = node.wrt if isinstance(node, DerivativeSymbol) else node
        if ref.quantity.role != DEFINED:
            return self._given(self.writer, ref, self.adjoint_name(ref.quantity) if ref is not node else "")
        rows = [self.writer.when(ref.time, self.first)] if ref.quantity.timed else []
        name = self.adjoint_name(ref.quantity) if ref is not node else self.names(ref.quantity, "")
        return name + self._index(self.writer, ref.quantity, ref.indices, *rows)

    def _start(self, element: Callable[[Expr], str], first: int, clock: Expr) -> Writer:
        self.writer = Writer(self.names, self.plan.sizes, element, first)
        self.writer.clock[self.t] = clock
        return self.writer

    def _say(self, left: Expr, sign: str, right: Expr) -> None:
        text = f"# {to_text(left)} {sign} {to_text(right)}"
        self.writer.line(text if len(text) < 200 else f"{text[:196]} ...")

    def _let(self, left: Expr, right: Expr, sign: str = "=", say: bool = True) -> None:
        """One equation: a comment that says it, and its loops."""
        node = left.wrt if isinstance(left, DerivativeSymbol) else left
        letters = [index for index in node.indices if isinstance(index, Index)]
        if say:
            self._say(left, sign, right)
        turned = [term for term in Add.make_args(right) if self._is_turned(term, letters)]
        rest = right - Add(*turned)
        if rest != 0 or not turned or sign == "=":
            self.writer.assign(letters, lambda: self.writer.element(left), rest, sign)
        for term in turned:
            self.writer.collect([], letters, lambda: self.writer.element(left), term)

    @staticmethod
    def _is_turned(term: Expr, letters: Sequence[Index]) -> bool:
        """Whether a term sums over the rows of a matrix, of which a processor reads the columns one after another."""
        if not (isinstance(term, Sigma) and not term.limits and letters):
            return False
        within = [one for one in Mul.make_args(term.body) if free(one) & {*letters}]
        return len(within) == 1 and isinstance(within[0], Ref) and within[0].indices == (term.index, *letters)

    def functions(self) -> list[Function]:
        """The forward pass, and the adjoint sweep over what it left behind."""
        return [self.forward(), self.bptt()]

    def whole(self, functions: Sequence[Function]) -> str:
        """A function of given sequences and weights that returns loss and gradient, by calls of the others."""
        last = functions[-1]
        lines = [signature("gradient", self.shared), *self.zeros(last)]
        for function in functions:
            call = f"{'loss = ' if function.result else ''}{function.name}("
            lines.append(wrapped(f"    {call}", f"{', '.join(['T', *self.shared, *function.arrays])})"))
        loss = "loss" if last.result else f"{self.names(self.plan.loss.quantity, '')}[()]"
        lines.append(wrapped("    return (", f"{', '.join([loss, *self._gradients()])})"))
        return "\n".join(lines)

    def zeros(self, function: Function) -> list[str]:
        """Lines that make the arrays of a function."""
        timed = self.plan.inputs()
        lines = [f"    T = len({self.names(timed[0], '')})"] if timed else []
        return lines + [f"    {name} = np.zeros({self.lengths(axes)})" for name, axes in function.arrays.items()]

    def lengths(self, axes: Sequence[Expr]) -> str:
        """The shape of an array as text."""
        texts = [str(self.writer.plain(axis)) for axis in axes]
        return f"({', '.join(texts)}{',' * (len(texts) == 1)})"

    # ---- the forward pass

    def forward(self) -> Function:
        """States of all times, then what is defined once; they are written into arrays of zeros."""
        plan = self.plan
        writer = self._start(self._in_rows, self.first, Symbol("t") - self.first)
        for start in plan.system.initial_values.values():
            for when in range(1 - max(1, plan.lag(start.left.quantity)), 1):
                self._let(start.left.at(Integer(when)), start.right)
        with writer.block(self._all_times()):
            for case in plan.steps:
                self._let(case.left, case.right)
        for case in plan.once:
            self._let(case.left, case.right)
        arrays = {self.names(one, ""): self._rows(one) for one in plan.of(DEFINED)}
        return Function("forward", arrays, writer.lines)

    def _rows(self, quantity: Quantity) -> tuple[Expr, ...]:
        return (*((LENGTH + self.plan.depth,) if quantity.timed else ()), *self.plan.axes(quantity))

    def _last(self) -> str:
        return f"T + {self.first}" if self.first else "T"

    def _all_times(self) -> str:
        return f"for t in range({self.first + 1}, T + {self.first + 1}):"

    # ---- the adjoint sweep

    def bptt(self) -> Function:
        """Derivatives of the loss by every state, from the last time to the first, and from them by the weights."""
        plan = self.plan
        writer = self._start(self._in_rows, self.first, Symbol("t") - self.first)
        for case in reversed(plan.once):
            if case.left != plan.loss and case.left.quantity in plan.reached:
                self._let(plan.back.symbol(case.left), plan.adjoint(case.left).get(0, Integer(0)))
        with writer.block(f"for t in range({self._last()}, {self.first}, -1):"):
            for case in reversed(plan.steps):
                for node in leaves(case.left) if case.left.quantity in plan.reached else ():
                    self._adjoint(node)
            self._use(plan.steps, self.t)
            for sequence in self.back_to:
                when = self.t + plan.system.given_times(sequence, 1).start - 1
                for node in leaves(plan.generic(sequence, at=when)):
                    self._let(plan.back.symbol(node), Add(*plan.adjoint(node).values()))
        self._use(plan.once, self.t)
        for start, when in plan.starts():
            for node in leaves(start.left.at(Integer(when))):
                self._adjoint(node)
            self._use([start], Integer(when))
        states = [one for one in plan.of(DEFINED) if one in plan.reached and one != plan.loss.quantity]
        arrays = {self.names(one, ""): self._rows(one) for one in plan.of(DEFINED)}
        arrays |= {self.adjoint_name(one): self._rows(one) for one in states} | self._gradients()
        return Function("bptt", arrays, writer.lines)

    def _gradients(self) -> Axes:
        before = {self.adjoint_name(one): (LENGTH, *self.plan.axes(one)) for one in self.back_to}
        return before | {self.adjoint_name(one): self.plan.axes(one) for one in self.plan.weights}

    def _adjoint(self, node: Ref) -> None:
        """The derivative by one state: through readers of its own time, and through later ones if there are any."""
        symbol, sign = self.plan.back.symbol(node), "="
        for lag, expr in self.plan.adjoint(node).items():
            if lag == 0:
                self._let(symbol, expr, sign)
            else:
                last = node.time + lag - LENGTH
                text = self.writer.at(last + LENGTH, Integer(0))
                with self.writer.block(f"if {text} <= T:"):
                    self._let(symbol, expr, "+=")
                continue
            sign = "+="

    def _use(self, cases: Sequence[Definition], when: Expr) -> None:
        """What definitions add to the gradient at one time."""
        for weight in self.plan.weights:
            for element, term in self.plan.uses(weight, cases, when):
                self._add_to(element, term)

    def _add_to(self, weight: Ref, term: Expr) -> None:
        if term != 0:
            self._say(self.plan.back.symbol(weight), "+=", term)
            self.writer.assign(weight.indices, lambda: self._by_weight(weight), term, "+=")

    def _by_weight(self, weight: Ref) -> str:
        """An element of the gradient."""
        return self.adjoint_name(weight.quantity) + self._index(self.writer, weight.quantity, weight.indices)
