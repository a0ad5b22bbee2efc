"""The functions of a program as text: forward pass, adjoint sweep, and derivatives carried forward.

States of all times are rows of arrays, time 0 in row `depth - 1`. What is carried forward has no rows: an array for the
present step and one for each step before it that is read, as `h`, `h_1`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from sympy import Add, Expr, Integer, Mul, Symbol

from throughtime.derivation.deriving.definition import Definition
from throughtime.derivation.formulas.domains import LENGTH, Index
from throughtime.derivation.formulas.nodes import DEFINED, INPUT, DerivativeSymbol, Quantity, Ref, Sigma
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.printing.printer import to_text
from throughtime.programs.plan import Plan, leaves
from throughtime.programs.writer import TOGETHER, Identifiers, Writer

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


def signature(name: str, arguments: Sequence[str]) -> str:
    """The first line or lines of a function."""
    return wrapped(f"def {name}(", f"{', '.join(arguments)}):")


def wrapped(head: str, rest: str) -> str:
    """A bracket and what stands in it, broken between arguments below the first of them."""
    return textwrap.fill(head + rest, 100, subsequent_indent=" " * len(head), break_long_words=False)


class Loops:
    """Writes the functions of one plan.

    With `products`, sums over the units of a layer, or over all times, call a product of matrices, and the loops of the
    forward pass go down the columns of weights; without, all is loops over the weights as they are.
    """

    def __init__(self, plan: Plan, names: Identifiers, products: bool = True):
        self.plan, self.names, self.t = plan, names, plan.system.t
        self.products = products
        self.silent = False  # whether the comments are left out
        self.turned: dict[Ref, str] = {}  # elements that a function reads from copies of weights, the last axis first
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
        if self.turned and ref in self.turned:
            *rows, last = self._index(writer, quantity, ref.indices)[1:-1].split(", ")
            return f"{self.turned[ref]}[{', '.join([last, *rows])}]"
        rows = [writer.when(ref.time, -self.plan.system.given_times(quantity, 1).start)] if quantity.timed else []
        return (name or self.names(quantity, "")) + self._index(writer, quantity, ref.indices, *rows)

    def _in_rows(self, node: Expr) -> str:
        """An element of an array with a row for each time."""
        ref = node.wrt if isinstance(node, DerivativeSymbol) else node
        if not ref.quantity.is_defined:
            return self._given(self.writer, ref, self.adjoint_name(ref.quantity) if ref is not node else "")
        rows = [self.writer.when(ref.time, self.first)] if ref.quantity.timed else []
        name = self.adjoint_name(ref.quantity) if ref is not node else self.names(ref.quantity, "")
        return name + self._index(self.writer, ref.quantity, ref.indices, *rows)

    def _start(self, element: Callable[[Expr], str], first: int, clock: Expr) -> Writer:
        self.writer = Writer(self.names, self.plan.sizes, element, first)
        self.writer.clock[self.t] = clock
        return self.writer

    def _say(self, left: Expr, sign: str, right: Expr) -> None:
        if self.silent:
            return
        text = f"# {to_text(left)} {sign} {to_text(right)}"
        self.writer.line(text if len(text) < 200 else f"{text[:196]} ...")

    def _let(self, left: Expr, right: Expr, sign: str = "=") -> None:
        """One equation: a comment that says it, and its loops."""
        node = left.wrt if isinstance(left, DerivativeSymbol) else left
        letters = [index for index in node.indices if isinstance(index, Index)]
        self._say(left, sign, right)
        turned = [term for term in Add.make_args(right) if self._is_turned(term, letters)]
        rest = right - Add(*turned)
        if rest != 0 or not turned or sign == "=":
            self.writer.assign(letters, lambda: self.writer.element(left), rest, sign)
        for term in turned:
            count = len(term.index.domain.elements(self.plan.sizes)) if self.products else 0
            self.writer.collect([], letters, lambda: self.writer.element(left), term, count)

    def _is_turned(self, term: Expr, letters: Sequence[Index]) -> bool:
        """Whether a term sums over the rows of a matrix, of which a processor reads the columns one after another.

        The columns of weights are the rows of a copy, which a program of `products` makes for large layers.
        """
        if not (isinstance(term, Sigma) and not term.limits and letters):
            return False
        within = [one for one in Mul.make_args(term.body) if free(one) & {*letters}]
        if len(within) != 1 or not isinstance(within[0], Ref):
            return False
        [ref] = within
        if self._wide(letters) and ref.quantity.is_parameter and ref.indices == (*letters, term.index):
            self.turned[ref] = self.names(("columns", ref.quantity), f"{self.names(ref.quantity, '')}_columns")
            return True
        return ref.indices == (term.index, *letters)

    def _wide(self, letters: Sequence[Index]) -> bool:
        """Whether a loop over letters is long enough for several steps of it at a time."""
        return self.products and prod(len(one.domain.elements(self.plan.sizes)) for one in letters) >= 2 * TOGETHER

    def _function(self, name: str, arrays: Axes, result: str = "") -> Function:
        """The lines written so far as a function, which first copies the weights that it reads by columns."""
        copies = []
        for weight, columns in {ref.quantity: columns for ref, columns in self.turned.items()}.items():
            last = len(weight.domains) - 1
            turned = "T" if last == 1 else f"transpose({(last, *range(last))})"
            copies.append(f"    {columns} = {self.names(weight, '')}.{turned}.copy()")
        self.turned = {}
        return Function(name, arrays, [*copies, *self.writer.lines] or ["    pass"], result)

    def functions(self) -> list[Function]:
        """The forward pass, and the adjoint sweep over what it left behind."""
        return [self.forward(), self.bptt()]

    def whole(self, functions: Sequence[Function]) -> str:
        """A function of given sequences and weights that returns loss and gradient, by calls of the others."""
        lines = [signature("gradient", self.shared), *self.zeros(functions[-1]), *self._calls(functions, self.shared)]
        loss = self._loss(functions[-1])
        return "\n".join([*lines, wrapped("    return (", f"{', '.join([loss, *self._gradients()])})")])

    def _calls(self, functions: Sequence[Function], shared: Sequence[str]) -> Iterator[str]:
        for function in functions:
            call = f"{'loss = ' if function.result else ''}{function.name}("
            yield wrapped(f"    {call}", f"{', '.join(['T', *shared, *function.arrays])})")

    def _loss(self, last: Function) -> str:
        return "loss" if last.result else f"{self.names(self.plan.loss.quantity, '')}[()]"

    def batch(self, functions: Sequence[Function]) -> str:
        """A function of B sequences side by side, of T steps, that returns the sums of loss and gradient, this flat."""
        sequences = {self.names(one, "") for one in self.plan.inputs}
        count, place, loss = (self.names(("batch", one), one) for one in ("B", "b", "losses"))
        shared = [f"{name}[{place}]" if name in sequences else name for name in self.shared]
        lines = [signature("batch", [count, "T", *self.shared])]
        shapes: dict[str, list[str]] = {}
        for name, axes in functions[-1].arrays.items():
            shapes.setdefault(self.lengths(axes), []).append(name)
        for place_of, (shape, names) in enumerate(shapes.items()):
            several = self.names(("batch", shape), f"arrays_{place_of}")
            if len(names) == 1 or shape == "()":
                lines += [f"    {name} = np.zeros({shape})" for name in names]
            else:  # one piece of memory is found sooner than several
                lines.append(f"    {several} = np.zeros(({len(names)}, {shape[1:]})")
                lines += [f"    {name} = {several}[{k}]" for k, name in enumerate(names)]
        lines += [f"    {loss} = 0.0", f"    for {place} in range({count}):"]
        lines += [textwrap.indent(call, "    ") for call in self._calls(functions, shared)]
        lines.append(f"        {loss} += {self._loss(functions[-1])}")
        slopes = ", ".join(f"{name}.ravel()" for name in self._gradients())
        flat = ("np.concatenate((", f"{slopes},))") if slopes else ("np.zeros(", "0)")
        return "\n".join([*lines, wrapped(f"    return {loss}, {flat[0]}", flat[1])])

    def zeros(self, function: Function) -> list[str]:
        """Lines that make the arrays of a function."""
        sequences = self.plan.inputs
        lines = [f"    T = len({self.names(sequences[0], '')})"] if sequences else []
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
        with writer.block(f"for t in range({self.first + 1}, T + {self.first + 1}):"):
            for case in plan.steps:
                self._let(case.left, case.right)
        for case in plan.once:
            self._let(case.left, case.right)
        arrays = {self.names(one, ""): self._rows(one) for one in plan.of(DEFINED)}
        return self._function("forward", arrays)

    def _rows(self, quantity: Quantity) -> tuple[Expr, ...]:
        return (*((LENGTH + self.plan.depth,) if quantity.timed else ()), *self.plan.axes(quantity))

    # ---- the adjoint sweep

    def bptt(self) -> Function:
        """Derivatives of the loss by every state, from the last time to the first, and from them by the weights."""
        plan = self.plan
        writer = self._start(self._in_rows, self.first, Symbol("t") - self.first)
        for case in reversed(plan.once):
            if case.left != plan.loss and case.left.quantity in plan.back.reached:
                self._let(plan.back.symbol(case.left), plan.adjoint(case.left).get(0, Integer(0)))
        with writer.block("for back in range(T):"):
            writer.line(f"t = T{f' + {self.first}' if self.first else ''} - back")
            for case in reversed(plan.steps):
                for node in leaves(case.left) if case.left.quantity in plan.back.reached else ():
                    self._adjoint(node)
            products: list[tuple[Ref, Expr]] | None = [] if self.products else None
            self._use(plan.steps, self.t, products)
        for weight, term in products or ():
            self._multiply_times(weight, term)
        self._use(plan.once, self.t)
        for start, when in plan.starts():
            for node in leaves(start.left.at(Integer(when))):
                self._adjoint(node)
            self._use([start], Integer(when))
        states = [one for one in plan.of(DEFINED) if one in plan.back.reached and one != plan.loss.quantity]
        arrays = {self.names(one, ""): self._rows(one) for one in plan.of(DEFINED)}
        arrays |= {self.adjoint_name(one): self._rows(one) for one in states} | self._gradients()
        return self._function("bptt", arrays)

    def _gradients(self) -> Axes:
        return {self.adjoint_name(one): self.plan.axes(one) for one in self.plan.weights}

    def _adjoint(self, node: Ref) -> None:
        """The derivative by one state: through readers of its own time, and through later ones if there are any."""
        symbol, found = self.plan.back.symbol(node), self.plan.adjoint(node)
        for lag, expr in ({0: Integer(0)} | found).items() if found else ():
            if lag == 0:
                self._let(symbol, expr)
            else:
                last = node.time + lag - LENGTH
                with self.writer.block(f"if {self.writer.at(last + LENGTH, Integer(0))} <= T:"):
                    self._let(symbol, expr, "+=")

    def _use(self, cases: Sequence[Definition], when: Expr, products: list[tuple[Ref, Expr]] | None = None) -> None:
        """What definitions add to the gradient at one time, but for what is left for products over all times."""
        for weight in self.plan.weights:
            for element, whole in self.plan.uses(weight, cases, when):
                terms = Add.make_args(whole) if products is not None else ()
                left = [(element, term) for term in terms if self._is_product(element, term)]
                if products is not None:
                    products += left
                self._add_to(element, whole - Add(*(term for _, term in left)))

    def _is_product(self, weight: Ref, term: Expr) -> bool:
        """Whether a term is a derivative with respect to a state times the factor of a weight, all units by all."""
        factors = sorted(Mul.make_args(term), key=lambda one: isinstance(one, Ref))
        if [*map(type, factors)] != [type(self.plan.back.symbol(weight)), Ref]:
            return False
        left, right = factors[0].wrt, factors[1]
        letters = *left.indices, *right.indices
        domains = *left.quantity.domains, *right.quantity.domains
        return (
            letters == weight.indices
            and domains == weight.quantity.domains == tuple(index.domain for index in letters)
            and all(one.quantity.timed and one.indices and one.time.has(self.t) for one in (left, right))
        )

    def _multiply_times(self, weight: Ref, term: Expr) -> None:
        """The sum of such a term over all times as a product of matrices, the axes of each array of a time as one."""
        left, right = sorted(Mul.make_args(term), key=lambda one: isinstance(one, Ref))
        self._say(self.plan.back.symbol(weight), "+=", Sigma(term, self.t, 1, LENGTH))
        texts = []
        for node in (left, right):
            ref = getattr(node, "wrt", node)
            first = self.plan.system.given_times(ref.quantity, 1).start if ref.quantity.is_input else -self.first
            row = int(ref.time - self.t) + 1 - first
            rows = f"[{row}:T + {row}]" if row else "[:T]"
            texts.append(self.writer.element(node).split("[")[0] + rows + ".reshape(T, -1)" * (len(ref.indices) > 1))
        target = self.adjoint_name(weight.quantity)
        shaped = f".reshape({target}.shape)" if len(weight.indices) > 2 else ""
        self.writer.line(f"{target} += np.dot({texts[0]}.T, {texts[1]}){shaped}")

    def _add_to(self, weight: Ref, term: Expr) -> None:
        if term != 0:
            self._say(self.plan.back.symbol(weight), "+=", term)
            self.writer.assign(weight.indices, lambda: self._by_weight(weight), term, "+=")

    def _by_weight(self, weight: Ref) -> str:
        """An element of the gradient."""
        return self.adjoint_name(weight.quantity) + self._index(self.writer, weight.quantity, weight.indices)
