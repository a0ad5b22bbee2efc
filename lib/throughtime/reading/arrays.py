"""Formulas in matrix notation as arrays: their axes, and their elements as formulas in index notation.

Two axes are one where the equations say so: both sides of an equation, terms of a sum, what is summed in a product, and
the same place of one quantity. The element of an array is made when all equations have been seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, Integer, Mul, Rational

from throughtime.derivation import (
    LENGTH,
    Activation,
    Delta,
    Domain,
    Index,
    Quantity,
    Sigma,
    exp,
    sqrt,
    sum_over,
    time,
    variable,
)
from throughtime.derivation import (
    Total as Derivative,
)
from throughtime.derivation.formulas.rewrite import contract, free, substitute
from throughtime.reading import trees
from throughtime.reading.axes import RANKS, Array, Axis, Letters, Scope
from throughtime.reading.known import ACTIVATIONS, KNOWN
from throughtime.reading.ranks import WHOLE, is_number
from throughtime.reading.source import NotationError, Source
from throughtime.reading.tokens import GREEK


class Arrays:
    """Makes arrays of the trees of one text; `axes` are those of each quantity, filled by whoever knows the ranks."""

    def __init__(
        self,
        source: Source,
        axes: dict[str, tuple[Axis, ...]],
        sized: dict[str, Axis],
        domain_of: Callable[[Axis], Domain],
        letter_for: Callable[[Axis, frozenset[str]], Index],
    ):
        self.source, self.axes, self.sized = source, axes, sized
        self.domain_of, self.letter_for = domain_of, letter_for
        self.quantities: dict[str, Quantity] = {}
        self.functions: dict[str, Activation] = {}
        self.nets: dict[int, tuple[Quantity, tuple[Expr, Expr]]] = {}  # by their place: what they are and equal

    def fault(self, tree: trees.Tree, found: str, expected: str, instead: str = "") -> NotationError:
        """The refusal of a part of the text."""
        return self.source.fault(tree.at, found, expected, instead)

    def of(self, tree: trees.Tree, scope: Scope) -> Array:
        """The array of a formula; NotationError where its parts do not fit."""
        return getattr(self, f"_{type(tree).__name__.lower()}")(tree, scope)

    def join(self, tree: trees.Tree, one: Axis, other: Axis) -> None:
        """Let two sets be one; NotationError where they are known to differ."""
        if not one.join(other):
            sizes = [axis.domain.name if axis.domain else axis.size for axis in (one.root(), other.root())]
            raise self.fault(tree, f"found a size {sizes[1]}", f"expected {sizes[0]}")

    # ---- leaves

    def _number(self, tree: trees.Number, scope: Scope) -> Array:
        value = Rational(tree.value.numerator, tree.value.denominator)
        return Array((), lambda letters, taken: value)

    def _name(self, tree: trees.Name, scope: Scope) -> Array:
        indexed = frozenset(scope.letters)
        key, indices = tree.key(indexed), tree.indices(indexed)
        if indexed and (stray := [mark for mark in tree.marks if len(mark) == 1 and mark in set("ijklmnpq") - indexed]):
            raise self.fault(tree, f"found the index {stray[0]}", "expected one of the left side or under a sum")
        if key == "T" and not tree.time:
            return Array((), lambda letters, taken: LENGTH)
        if key in self.sized and not tree.time:
            return Array((), lambda letters, taken: self.domain_of(self.sized[key]).upper)
        if key not in self.axes:
            raise self.fault(tree, f"found {key}", "expected a letter of the recurrence")
        axes, when = self.axes[key], self.when(tree)
        if not indices and not indexed:
            return Array(axes, lambda letters, taken: self.quantities[key][(*letters, *when)])
        if len(indices) != len(axes):
            many = {0: "no index", 1: "one index", 2: "two indices"}
            given, wanted = many.get(len(indices), str(len(indices))), many.get(len(axes), str(len(axes)))
            kind = RANKS.get(len(axes), f"an array of {len(axes)} indices")
            raise self.fault(tree, f"found {key} with {given}", f"expected {wanted}: it is {kind}")
        for letter, axis in zip(indices, axes, strict=True):
            if letter not in scope.letters:
                raise self.fault(tree, f"found the index {letter}", "expected one of the left side or under a sum")
            self.join(tree, scope.letters[letter], axis)

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            places = (Index(letter, self.domain_of(scope.letters[letter])) for letter in indices)
            return self.quantities[key][(*places, *when)]

        return Array((), element)

    def when(self, tree: trees.Name) -> tuple[Expr, ...]:
        """The time of a name as an expression; nothing if it has none."""
        if tree.time is None:
            return ()
        letter, steps = tree.time
        return ((Integer(0) if not letter else LENGTH if letter == "T" else time(letter)) + steps,)

    # ---- sums and products

    def _together(self, arrays: Sequence[tuple[trees.Tree, Array]], combine: Callable, numbers: bool) -> Array:
        """Arrays of one form element by element; numbers stand beside each element if they may."""
        first = next((array for _, array in arrays if array.axes), arrays[0][1])
        for part, array in arrays:
            plain = not array.axes and (numbers or is_number(part) or not self._is_free(part))
            if not plain and (len(array.axes) != len(first.axes) or array.row != first.row):
                raise self.fault(part, f"found {array.kind}", f"expected {first.kind}, as beside it")
            for mine, other in zip(array.axes, first.axes, strict=False):
                self.join(part, other, mine)

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            return combine(*(array.element(letters if array.axes else (), taken) for _, array in arrays))

        return Array(first.axes, element, first.row)

    def _is_free(self, part: trees.Tree) -> bool:
        """Whether a number could as well be a vector: a single letter that nothing computes."""
        return isinstance(part, trees.Name) and part.time is None and part.base not in GREEK

    def _sum(self, tree: trees.Sum, scope: Scope) -> Array:
        parts = [(part, self.of(part, scope)) for part in tree.terms]
        return self._together(parts, Add, False)

    def _elementwise(self, tree: trees.Elementwise, scope: Scope) -> Array:
        parts = [(part, self.of(part, scope)) for part in tree.factors]
        return self._together(parts, Mul, True)

    def _quotient(self, tree: trees.Quotient, scope: Scope) -> Array:
        parts = [(part, self.of(part, scope)) for part in (tree.over, tree.under)]
        if parts[1][1].axes and not parts[0][1].axes:
            parts[0] = (parts[0][0], Array((), parts[0][1].element))
        return self._together(parts, lambda over, under: over / under, True)

    def _power(self, tree: trees.Power, scope: Scope) -> Array:
        base = self.of(tree.base, scope)
        if len(base.axes) == 2:
            raise self.fault(tree, "found a power of a matrix", "expected one of numbers or of a vector's elements")
        return Array(base.axes, lambda letters, taken: base.element(letters, taken) ** tree.exponent, base.row)

    def _product(self, tree: trees.Product, scope: Scope) -> Array:
        parts = [(factor, self.of(factor, scope)) for factor in tree.factors]
        numbers = [array for _, array in parts if not array.axes]
        shaped = [(factor, array) for factor, array in parts if array.axes]
        found = shaped.pop() if shaped else (tree, Array((), lambda letters, taken: Integer(1)))
        for factor, array in reversed(shaped):
            found = (factor, self._times(factor, array, found[0], found[1]))
        last = found[1]

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            return Mul(*(one.element((), taken) for one in numbers), last.element(letters, taken))

        return Array(last.axes, element, last.row)

    def _times(self, first: trees.Tree, left: Array, second: trees.Tree, right: Array) -> Array:
        """A matrix or a row by a matrix or a vector, or a vector by a row."""
        outer = len(left.axes) == 1 and not left.row and right.row
        if outer:
            split = lambda letters, taken: left.element(letters[:1], taken) * right.element(letters[1:], taken)  # noqa: E731
            return Array((*left.axes, *right.axes), split)
        if (len(left.axes) == 1 and not left.row) or right.row:
            a, b = _words(self.source, first), _words(self.source, second)
            if len(left.axes) == len(right.axes) == 1 and not right.row:
                what = f"{a} {b}, a vector beside a vector,"
                two = f"write {a} * {b} for one product each unit, or {a}^T {b} for one number"
                raise self.source.fault(first.at, f"{what} can be read in two ways", two)
            raise self.fault(
                first,
                f"found {left.kind} before {right.kind}",
                "expected factors that fit",
                f"{a} * (...) multiplies element by element",
            )
        summed, many = left.axes[-1], len(left.axes) - 1
        self.join(second, summed, right.axes[0])

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            letter = self.letter_for(summed, taken | {one.name for one in letters})
            now = taken | {letter.name} | {one.name for one in letters}
            body = left.element((*letters[:many], letter), now) * right.element((letter, *letters[many:]), now)
            return contract(sum_over(letter, body))

        return Array((*left.axes[:-1], *right.axes[1:]), element, left.row and len(right.axes) == 2)

    def _transposed(self, tree: trees.Transposed, scope: Scope) -> Array:
        inner = self.of(tree.part, scope)
        if not inner.axes:
            raise self.fault(tree, f"found the transpose of {inner.kind}", "expected one of a vector or a matrix")
        if len(inner.axes) == 1:
            return Array(inner.axes, inner.element, not inner.row)
        return Array(inner.axes[::-1], lambda letters, taken: inner.element(letters[::-1], taken))

    def _stack(self, tree: trees.Stack, scope: Scope) -> Array:
        raise self.fault(
            tree, "found vectors one below the other", "expected them behind a matrix, as in W [h_{t-1}; x_t]"
        )

    def _total(self, tree: trees.Total, scope: Scope) -> Array:
        if len(tree.limits) == 2:
            inner = self.of(tree.part, scope)
            lower, upper = (self._limit(end) for end in tree.limits)
            letter, own = time(tree.letter), time("s" if tree.letter == "t" else f"{tree.letter}'")

            def whole(letters: Letters, taken: frozenset[str]) -> Expr:
                return sum_over((own, lower, upper), substitute(inner.element(letters, taken), {letter: own}))

            return Array(inner.axes, whole, inner.row)
        axis = self.sized[tree.limits[0].base] if tree.limits and tree.limits[0].base in self.sized else Axis()
        inner = self.of(tree.part, Scope({**scope.letters, tree.letter: axis}, scope.left, scope.now))

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            return sum_over(Index(tree.letter, self.domain_of(axis)), inner.element(letters, taken | {tree.letter}))

        return Array(inner.axes, element)

    def _limit(self, tree: trees.Name) -> Expr:
        return Integer(int(tree.base)) if tree.base.isdigit() else LENGTH if tree.base == "T" else time(tree.base)

    def _norm(self, tree: trees.Norm, scope: Scope) -> Array:
        inner = self.of(tree.part, scope)
        squares = self._over(inner, lambda formula: formula**2)
        return Array((), squares if tree.squared else lambda letters, taken: sqrt(squares(letters, taken)))

    def _over(self, inner: Array, of: Callable[[Expr], Expr] = lambda formula: formula) -> Callable:
        """The sum over all elements of an array."""

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            own: list[Index] = []
            for axis in inner.axes:
                own.append(self.letter_for(axis, taken | {one.name for one in own}))
            body = of(inner.element(tuple(own), taken | {one.name for one in own}))
            return sum_over(*own, body) if own else body

        return element

    # ---- functions

    def _call(self, tree: trees.Call, scope: Scope) -> Array:
        if tree.function in WHOLE:
            return self._whole(tree, scope)
        parts = [(part, self.of(part, scope)) for part in tree.arguments]
        if len(parts) == 2:
            return self._together(parts, KNOWN[tree.function], True)
        inner, function = parts[0][1], KNOWN.get(tree.function) or self.activation(tree.function)
        named = self.named(tree, inner, scope)

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            argument = named(letters, taken)
            return function(argument).derivative() if tree.order else function(argument)

        return Array(inner.axes, element, inner.row)

    def activation(self, name: str) -> Activation:
        """The activation of a name; one for each name."""
        if name in ACTIVATIONS:
            return self.functions.setdefault(name, ACTIVATIONS[name])
        base, *labels = name.split("_")
        symbol = rf"\{base}" if base in (*GREEK, "tanh") else base if len(base) == 1 else rf"\operatorname{{{base}}}"
        latex = f"{symbol}_{{{''.join(labels)}}}" if labels else symbol
        return self.functions.setdefault(name, Activation(name, latex=latex))

    def named(self, tree: trees.Call, inner: Array, scope: Scope) -> Callable[[Letters, frozenset[str]], Expr]:
        """The argument of a function; if it is a sum it gets a name, as the net input of what the equation computes."""

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            argument = inner.element(letters, taken)
            added = isinstance(argument, Add) and tree.function not in KNOWN
            if scope.now is None or not (added or argument.has(Sigma)):
                return argument
            further = (one for one in free(argument) - {*letters} if isinstance(one, Index))
            letters = (*letters, *sorted(further, key=str))
            if tree.at not in self.nets:
                left = self.quantities[scope.left]
                count = sum(made.name.startswith(f"net_{left.name}") for made, _ in self.nets.values())
                more = f"_{count + 1}" if count else ""
                latex = rf"\mathrm{{net}}^{{{left.latex}{more}}}"
                made = variable(f"net_{left.name}{more}", *(letter.domain for letter in letters), latex=latex)
                self.nets[tree.at] = made, (made[(*letters, scope.now)], argument)
                axes = [*inner.axes, *(scope.letters[letter.name] for letter in letters[len(inner.axes) :])]
                self.quantities[made.name], self.axes[made.name] = made, tuple(axes)
            return self.nets[tree.at][0][(*letters, scope.now)]

        return element

    def _whole(self, tree: trees.Call, scope: Scope) -> Array:
        """A function of a whole vector."""
        inner = self.of(tree.arguments[0], scope)
        if tree.function == "norm":
            return self._norm(trees.Norm(tree.at, tree.arguments[0]), scope)
        if not inner.axes or (len(inner.axes) == 2 and tree.function in ("softmax", "diag")):
            raise self.fault(tree, f"found {tree.function} of {inner.kind}", "expected one of a vector")
        if tree.function == "softmax":
            inner = Array(inner.axes, self.named(tree, inner, scope))
            whole = self._over(inner, exp)

            def share(letters: Letters, taken: frozenset[str]) -> Expr:
                return exp(inner.element(letters, taken)) / whole((), taken | {one.name for one in letters})

            return Array(inner.axes, share)
        if tree.function == "diag":
            axes = (inner.axes[0], inner.axes[0])
            return Array(axes, lambda letters, taken: Delta(*letters) * inner.element(letters[1:], taken))
        whole = self._over(inner)
        if tree.function == "sum":
            return Array((), whole)
        return Array((), lambda *where: whole(*where) / Mul(*(self.domain_of(axis).upper for axis in inner.axes)))

    # ---- derivatives

    def _slope(self, tree: trees.Slope, scope: Scope) -> Array:
        target, wrt = self._name(tree.target, scope), self._name(tree.wrt, scope)
        many = len(target.axes)

        def element(letters: Letters, taken: frozenset[str]) -> Expr:
            return Derivative(target.element(letters[:many], taken), wrt.element(letters[many:], taken))

        return Array((*target.axes, *wrt.axes), element)

    def _differential(self, tree: trees.Differential, scope: Scope) -> Array:
        raise self.fault(tree, "found a d of its own", "expected a derivative, as dL/dh_t")


def _words(source: Source, tree: trees.Tree) -> str:
    """A factor as it is written, up to where it can end."""
    text = source.text[tree.at :]
    depth = 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth < 0 or (depth == 0 and char in " \n*+-/,&" and place):
            return text[:place]
    return text
