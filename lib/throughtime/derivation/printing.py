"""How formulas print, as LaTeX and as plain text, in the order in which a reader of gradients expects them.

Products print as: number, then brackets and slopes f' from the loss backwards, weights, activities, derivative
symbols (`order.py` says more). Sums print what carries no derivative symbol first (`terms.py` says where else), and no
minus in front of a plus.
SymPy's own order is an accident of hashing, so it is never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sympy import Add, Equality, Expr, Integer, Mul, Pow

from .domains import Dimension, Index
from .nodes import (
    Activation,
    Applied,
    Bound,
    Constant,
    Delta,
    DerivativeSymbol,
    Immediate,
    Modulus,
    Paths,
    Quantity,
    Ref,
    Total,
    Truncated,
    nodes,
)
from .order import in_order
from .styles import Latex, Text
from .terms import terms_in_order

_OPEN = Add | Bound | Paths | DerivativeSymbol  # what a slash in front of it would tear apart


class Printer:
    """Writes formulas in one style."""

    def __init__(self, style: Text):
        self.style = style

    def __call__(self, expr: Expr) -> str:
        if isinstance(expr, Equality):
            return " = ".join(map(self, expr.args))
        if not isinstance(expr, Add):
            return self.product(expr)
        if all(
            isinstance(n, Dimension) or n.is_Number or (n.is_Symbol and n.is_integer) for n in nodes(expr) if not n.args
        ):
            return self.style.dimension(expr)
        content, rest = expr.primitive()
        if content == 1:
            return self.sum(expr)
        return (
            f"{self.style.dimension(content)}{self.style.times}{self.style.brackets(self.sum(rest), self._tall(rest))}"
        )

    # sums and products -------------------------------------------------------------------------------------

    def sum(self, expr: Expr) -> str:
        """Terms with their signs between them."""
        return "".join(self.terms(expr))

    def terms(self, expr: Expr) -> list[str]:
        """The terms of a sum in reading order, each with its sign, which the first one shows only if it is a minus."""
        found: list[str] = []
        for term in terms_in_order(expr.args, Printer(Text()).product):
            coefficient, _ = term.as_coeff_Mul()
            negative = bool(coefficient.is_negative)
            sign = (" - " if negative else " + ") if found else ("-" if negative else "")
            found.append(sign + self.product(-term if negative else term))
        return found

    def product(self, expr: Expr) -> str:
        """Factors in reading order, what is below a fraction bar apart."""
        coefficient, rest = expr.as_coeff_Mul()
        if coefficient.is_negative:
            return "-" + self.product(-expr)
        rest_factors = [] if rest == 1 else self._gathered(Mul.make_args(rest))
        for place, factor in enumerate(rest_factors):
            if isinstance(factor, Add) and (len(rest_factors) > 1 or coefficient != 1):
                content, rest_factors[place] = factor.primitive()
                coefficient *= content
        over = [f for f in rest_factors if not self._below(f)]
        under = [1 / f for f in rest_factors if self._below(f)]
        numerator, denominator = coefficient.as_numer_denom()
        top = self._factors(numerator, over)
        if not under and denominator == 1:
            return top
        if not under:
            half = self.style.quotient(str(numerator), str(denominator))
            return half if not over else half + self.style.times + self._factors(Integer(1), over)
        alone = numerator == 1 and len(over) == 1
        if any(isinstance(factor, Bound | Paths) or (alone and isinstance(factor, Add)) for factor in over):
            top = self.style.above(top)
        bottom = self._factors(denominator, under)
        single = denominator == 1 and len(under) == 1 and not isinstance(under[0], _OPEN)
        return self.style.quotient(top, bottom if single else self.style.below(bottom))

    @classmethod
    def _gathered(cls, factors: Sequence[Expr]) -> list[Expr]:
        """Powers of one base as one, v v^q as v^(q+1), which SymPy leaves apart."""
        groups: dict[Expr, list[Expr]] = {}
        for factor in factors:
            groups.setdefault(factor if cls._below(factor) else factor.as_base_exp()[0], []).append(factor)
        return [
            same[0] if len(same) == 1 else base ** Add(*(factor.as_base_exp()[1] for factor in same))
            for base, same in groups.items()
        ]

    @staticmethod
    def _below(factor: Expr) -> bool:
        return isinstance(factor, Pow) and bool(factor.exp.could_extract_minus_sign())

    def _factors(self, coefficient: Expr, factors: list[Expr]) -> str:
        ordered = in_order(factors, _key_text) if len(factors) > 1 else factors
        texts = [] if coefficient == 1 and ordered else [str(coefficient)]
        for place, factor in enumerate(ordered):
            last = place == len(ordered) - 1
            texts.append(self.factor(factor, alone=not texts and last, last=last))
        return self.style.times.join(texts)

    def factor(self, factor: Expr, alone: bool, last: bool) -> str:
        """One factor, in brackets where the neighbours would otherwise be taken for part of it."""
        if isinstance(factor, Add) or (isinstance(factor, self.style.open_ended) and not last):
            inner = self(factor)
            return inner if alone else self.style.brackets(inner, self._tall(factor))
        return self.atom(factor)

    @staticmethod
    def _tall(expr: Expr) -> bool:
        return any(isinstance(node, Bound | Paths | DerivativeSymbol) for node in nodes(expr))

    # atoms -------------------------------------------------------------------------------------------------

    def atom(self, expr: Expr) -> str:
        """A formula that needs no brackets of its own."""
        style = self.style
        if isinstance(expr, Ref):
            when = None if expr.time is None else style.dimension(expr.time - expr.quantity.lag)
            return style.ref(style.name(expr.quantity), [style.name_of(i) for i in expr.indices], when)
        if isinstance(expr, Applied):
            places = [style.name_of(i) for i in expr.indices]
            return style.prime(style.name(expr.function), places, expr.order, self(expr.argument))
        if isinstance(expr, Bound):
            return self._bound(expr)
        if isinstance(expr, Paths):
            return self._paths(expr)
        if isinstance(expr, DerivativeSymbol):
            return self._derivative(expr)
        if isinstance(expr, Delta):
            places = sorted(expr.args, key=lambda place: isinstance(place, Dimension))  # what runs, then the end
            return style.delta(*map(style.name_of, places))
        if isinstance(expr, Pow):
            simple = (
                isinstance(expr.base, Ref | Quantity | Constant | Index | Dimension | Modulus) or expr.base.is_Symbol
            )
            base = self.atom(expr.base) if simple else style.brackets(self(expr.base), self._tall(expr.base))
            return style.power(base, style.dimension(expr.exp))
        if isinstance(expr, Quantity | Activation | Constant):
            return style.name(expr)
        if isinstance(expr, Modulus):
            return style.absolute[0] + self(expr.args[0]) + style.absolute[1]
        if isinstance(expr, Add | Mul):
            return style.brackets(self(expr), self._tall(expr))
        return style.dimension(expr)

    def _bound(self, node: Bound) -> str:
        if node.limits:
            lower, upper = node.limits
        else:
            lower, upper = node.index.domain.lower, node.index.domain.upper
        return self.style.bound(node, self.style.dimension(lower), self.style.dimension(upper), self._body(node.body))

    def _body(self, body: Expr) -> str:
        """What a sum, a product or paths run over."""
        return self.style.brackets(self(body), self._tall(body)) if isinstance(body, Add) else self(body)

    def _paths(self, node: Paths) -> str:
        style = self.style
        upper = style.dimension(node.after.domain.upper)
        ends = style.name_of(node.start), style.name_of(node.end)
        return style.paths(self._body(node.link), style.name_of(node.count), style.dimension(node.steps), upper, ends)

    def _derivative(self, node: DerivativeSymbol) -> str:
        style = self.style
        sign = {Total: style.total, Truncated: style.truncated, Immediate: style.immediate}[type(node)]
        simple = isinstance(node.target, Ref)
        below = style.total if isinstance(node, Truncated) else sign
        return style.fraction(sign, below, self(node.target), self(node.wrt), simple)


@lru_cache(maxsize=20_000)
def _key_text(expr: Expr) -> str:
    printer = Printer(Text())
    return printer.product(expr) if isinstance(expr, Mul) else printer.atom(expr)


def to_text(expr: Expr) -> str:
    """A formula as plain text."""
    return Printer(Text())(expr)


def to_latex(expr: Expr, *, as_printed: bool = False) -> str:
    """A formula as LaTeX; `as_printed` writes every derivative with the sign the sources use for it."""
    return Printer(Latex(as_printed))(expr)


def to_latex_lines(expr: Add, *, as_printed: bool = False) -> list[str]:
    """The terms of a sum as LaTeX, each with its sign, for a sum that is too long for a line."""
    return Printer(Latex(as_printed)).terms(expr)


for _node in (Ref, Applied, Bound, Paths, Modulus, Delta, DerivativeSymbol, Quantity, Activation, Constant):
    _node._sympystr = lambda self, printer: to_text(self)
    _node._latex = lambda self, printer: to_latex(self)
