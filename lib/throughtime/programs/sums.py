"""Sums over units of derivatives that are carried: as loops, or as products of matrices.

An array of derivatives has the axes of its state, without those in which it is diagonal, and then those of the weight.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Mul

from throughtime.derivation.formulas.domains import Domain, Index
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Quantity, Sigma
from throughtime.derivation.formulas.rewrite import free
from throughtime.programs.loops import Loops


class Sums(Loops):
    """What is known of the arrays of derivatives, and the lines of a sum over their units."""

    diagonals: dict[tuple[Quantity, Quantity], frozenset]  # by state and weight, the axes in which it is diagonal

    def _now(self, node: Expr) -> str:
        """An element of what is kept of this step or of one before it."""
        raise NotImplementedError

    @staticmethod
    def _pair(symbol: DerivativeSymbol) -> tuple[Quantity, Quantity]:
        return symbol.target.quantity, symbol.wrt.quantity

    @staticmethod
    def _letters(symbol: DerivativeSymbol) -> tuple[Expr, ...]:
        return (*symbol.target.indices, *symbol.wrt.indices)

    def _units(self, pair: tuple[Quantity, Quantity], of_state: Sequence) -> list:
        """Of something for each axis of a state, that for the axes which the array of its derivative has."""
        dropped = {mine for mine, _ in self.diagonals[pair]}
        return [one for axis, one in enumerate(of_state) if axis not in dropped]

    def _axes(self, node: DerivativeSymbol) -> list[tuple[Expr, Domain]]:
        """The place in each axis of the array of a derivative, and the domain of the axis."""
        state, weight = (zip(ref.indices, ref.quantity.domains, strict=True) for ref in node.args[:2])
        return [*self._units(self._pair(node), [*state]), *weight]

    @staticmethod
    def _is_sum_of_states(term: Expr, inner: Sequence[Index]) -> bool:
        """Whether a term is a sum over units of which only the derivative carried depends on the weight's letters."""
        over = [one for one in Mul.make_args(term) if isinstance(one, Sigma) and not one.limits]
        factors = [*Mul.make_args(over[0].body), *Mul.make_args(term)] if len(over) == 1 else []
        within = [one for one in factors if one is not over[0] and free(one) & {*inner}]
        return len(within) == 1 and isinstance(within[0], DerivativeSymbol) and over[0].index in free(within[0])

    @staticmethod
    def _body(term: Expr) -> tuple[Index, Expr]:
        """The letter of the one sum in a term, and all that is summed."""
        over = next(one for one in Mul.make_args(term) if isinstance(one, Sigma))
        return over.index, Mul(over.body, *(one for one in Mul.make_args(term) if one is not over))

    def _fits(self, symbol: Expr, outer: Sequence[Index], inner: Sequence[Index], over: Index, body: Expr) -> bool:
        """Whether a sum is a product of matrices: the arrays have at most one axis of units before the weight's."""
        if len(outer) > 1:
            return False
        carried = next(one for one in Mul.make_args(body) if free(one) & {*inner})
        own, left = self._axes(carried), self._axes(symbol) if outer else []
        expected = [[(index, index.domain) for index in (*units, *inner)] for units in ([over], outer)]
        return own == expected[0] and left == (expected[1] if outer else [])

    def _multiply(
        self, target: str, outer: Sequence[Index], inner: Sequence[Index], over: Index, body: Expr, add: bool
    ) -> None:
        """A sum over units as a product of matrices, the axes of the weight as one."""
        carried = next(one for one in Mul.make_args(body) if free(one) & {*inner})
        other = Mul(*(one for one in Mul.make_args(body) if one is not carried))
        name, terms = self.writer._variable("c"), self._length(over)
        letters = [*map(self.writer.letter, (*outer, over))]
        self.writer.line(f"{name} = np.empty(({', '.join([*map(self._length, outer), terms])}{',' * (not outer)}))")
        self.writer.assign([*outer, over], lambda: f"{name}[{', '.join(letters)}]", other)
        source, target = (text.split("[")[0] for text in (self._now(carried), target))
        wide = "-1"
        if not all(self.plan.sizes.values()):  # without units an array does not say how wide its rows are
            wide = " * ".join(f"({self._length(one)})" for one in inner)
        dot = f"np.dot({name}, {source}.reshape({terms}, {wide})"
        if add:
            self.writer.line(f"{target} += {dot}).reshape({target}.shape)")
        else:
            self.writer.line(f"{dot}, {target}.reshape({self._length(outer[0])}, {wide}))")

    def _length(self, index: Index) -> str:
        return self.writer.plain(index.domain.upper - index.domain.lower + 1)
