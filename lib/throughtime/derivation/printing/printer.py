"""Printers of formulas, as LaTeX and as plain text, in the order that a reader of gradients expects.

Products print as: number, then brackets and slopes f' from the loss backwards, weights, activities, derivative
symbols (`order.py` says more). Sums print what carries no derivative symbol first (`terms.py` says where else), and no
minus in front of a plus. SymPy's own order is an accident of hashing, so it is never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sympy import Add, Equality, Expr, Mul, Pow, Symbol
from sympy.printing.latex import LatexPrinter
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from throughtime.derivation.formulas.domains import AsNumber, Dimension, Leaf, Node, Order, order_in_use
from throughtime.derivation.formulas.nodes import (
    Bound,
    DerivativeSymbol,
    Immediate,
    Modulus,
    Product,
    Ref,
    Truncated,
    every,
    nodes,
)
from throughtime.derivation.printing.order import SUMS, in_order
from throughtime.derivation.printing.places import Row, bracket_terms, is_negative, place_terms, size_factors
from throughtime.derivation.printing.plain import plain_latex, plain_text
from throughtime.derivation.printing.terms import terms_in_order

TALL = SUMS | DerivativeSymbol
SIMPLE = Ref | Leaf | Modulus | Symbol  # needs no brackets as the base of a power


class Formulas(Printer):
    """Rules for the nodes of a formula, for a printer of SymPy; a style gives templates and what it does otherwise."""

    printmethod = None  # the methods that the nodes have for SymPy's own printers lead back here
    low = tall = "(%s)"  # brackets around something low, and around sums, products and derivatives

    # whole numbers -----------------------------------------------------------------------------------------

    def place(self, expr: Expr) -> str:
        """A time, a size, an index or an exponent."""
        return self._places(place_terms(expr)) if isinstance(expr, Add) else self.plain(expr)

    def _places(self, terms: Sequence[Expr | Row]) -> str:
        return "".join(_signed([(is_negative(term), self._size(term)) for term in terms], self.plus, self.minus))

    def _size(self, term: Expr | Row) -> str:
        """A term without its sign."""
        if isinstance(term, tuple):
            return f"({self._places(bracket_terms(term))}){self.times}{self.plain(term[1])}"
        return self.times.join(map(self.plain, size_factors(-term if is_negative(term) else term)))

    # sums and products -------------------------------------------------------------------------------------

    def _print_Equality(self, expr: Equality) -> str:
        return " = ".join(map(self._print, expr.args))

    def _print_Add(self, expr: Add, order: str | None = None) -> str:
        if _is_whole(expr):
            return self.place(expr)
        content, rest = expr.primitive()
        if content != 1:
            return self._factors(content, [rest])
        ordered = [(is_negative(term), term) for term in terms_in_order(expr.args, _key)]
        return "".join(
            _signed([(minus, self._print(-term if minus else term)) for minus, term in ordered], " + ", " - ")
        )

    def _print_Mul(self, expr: Expr) -> str:
        """Factors in reading order, what is below a fraction bar apart."""
        coefficient, rest = expr.as_coeff_Mul()
        if coefficient.is_negative:
            return "-" + self._print(-expr)
        factors = [] if rest == 1 else _gathered(Mul.make_args(rest))
        for place, factor in enumerate(factors):
            if isinstance(factor, Add):
                content, factors[place] = factor.primitive()
                coefficient *= content
        over = [factor for factor in factors if not _is_below(factor)]
        under = [1 / factor for factor in factors if _is_below(factor)]
        if not under:
            return self._factors(coefficient, over)
        numerator, denominator = coefficient.as_numer_denom()
        top, bottom = self._factors(numerator, over), self._factors(denominator, under)
        alone = numerator == 1 and len(over) == 1
        if any(isinstance(factor, SUMS) or (alone and isinstance(factor, Add)) for factor in over):
            top = self.in_line % top
        if denominator != 1 or len(under) > 1 or isinstance(under[0], Add | TALL):
            bottom = self.in_line % bottom
        return self.quotient % (top, bottom)

    _print_Rational = _print_Mul

    def _factors(self, coefficient: Expr, factors: Sequence[Expr]) -> str:
        """Factors side by side, in brackets where the neighbours would otherwise be taken for part of one."""
        ordered = in_order(factors, _key)
        texts = [self.plain(coefficient)] if coefficient != 1 or not factors else []
        beside = len(texts) + len(factors) > 1
        for factor in ordered:
            torn = isinstance(factor, self.open_ended) and factor is not ordered[-1]
            texts.append(self.fenced(factor, torn or (beside and isinstance(factor, Add))))
        return self.times.join(texts)

    def fenced(self, expr: Expr, brackets: bool) -> str:
        """A formula, in brackets of its height if it is to have any."""
        if not brackets:
            return self._print(expr)
        return (self.tall if any(every(TALL, expr)) else self.low) % self._print(expr)

    def _print_Pow(self, expr: Pow) -> str:
        if _is_below(expr):
            return self._print_Mul(expr)
        exponent = text if (text := self.place(expr.exp)).isalnum() else self.in_line % text
        labelled = isinstance(expr.base, Ref) and "^" in self._print(expr.base)  # u^hid to the q is not u^(hid q)
        return self.power % (self.fenced(expr.base, labelled or not isinstance(expr.base, SIMPLE)), exponent)

    # nodes -------------------------------------------------------------------------------------------------

    def _print_name(self, expr: Expr) -> str:
        return getattr(expr, self.label)

    _print_Quantity = _print_Activation = _print_Constant = _print_Dimension = _print_Index = _print_name

    def _print_AsNumber(self, node: AsNumber) -> str:
        return self._print(node.args[0])

    def _print_Ref(self, node: Ref) -> str:
        time = "" if node.time is None else f"({self.place(node.time - node.quantity.lag)})"
        return self._element(node.quantity, node.indices) + time

    def _print_Applied(self, node: Node) -> str:
        return self.value % (self.prime(node), self._print(node.argument))

    def _element(self, array: Node, indices: Sequence[Expr]) -> str:
        return self._print(array) + (self.indexed % self.row(indices) if indices else "")

    def prime(self, node: Node) -> str:
        """An activation, or its derivative of some order, without the argument."""
        return self._element(node.function, node.indices) + "'" * node.order

    def _print_Delta(self, node: Node) -> str:
        """An index or time stands before the size that it may reach."""
        return self.delta % self.row(sorted(node.args, key=lambda place: isinstance(place, Dimension)))

    def _print_Modulus(self, node: Modulus) -> str:
        return self.modulus % self._print(node.args[0])

    def _print_Bound(self, node: Bound) -> str:
        limits = node.limits or (node.index.domain.lower, node.index.domain.upper)
        sign = "prod" if isinstance(node, Product) else "sum"
        return self.over % (sign, *map(self.place, (node.index, *limits)), self.body(node.body))

    _print_Product = _print_Bound  # the printers of SymPy have a rule for its own class of that name

    def body(self, expr: Expr) -> str:
        """What a sum, a product or paths run over."""
        return self.fenced(expr, isinstance(expr, Add))

    def _print_DerivativeSymbol(self, node: DerivativeSymbol) -> str:
        target = self._print(node.target)
        target = target if isinstance(node.target, Ref) else self.tall % target
        below = self.partial if isinstance(node, Immediate) else self.total
        cuts = {"name": next((cut.label for cut in node.args[2:]), "tr")}
        above = self.truncated % cuts if isinstance(node, Truncated) else below
        return self.quotient % tuple(
            sign + self.space(text) + text for sign, text in ((above, target), (below, self._print(node.wrt)))
        )

    def space(self, text: str) -> str:
        """What stands between the sign of a derivative and its end."""
        return self.apart if text.startswith(self.alike) else self.gap


class Text(Formulas, StrPrinter):
    """Plain text, stable and readable in a terminal."""

    label = "name"
    indexed, delta, modulus = "[%s]", "delta[%s]", "|%s|"
    value, quotient, power = "%s(%s)", "%s/%s", "%s^%s"
    over = "%s[%s=%s..%s] %s"
    total, truncated, partial, gap = "d", "d_%(name)s ", "D", ""
    alike, apart = ("d", "D"), " "  # d decay, not ddecay
    plus, minus, times = "+", "-", "*"
    in_line = "(%s)"  # brackets where a slash or ^ stands for what LaTeX sets above, below or higher
    open_ended = SUMS  # nodes that run on to the right unless they stand in brackets

    def plain(self, expr: Expr) -> str:
        return plain_text(expr).replace("**", "^")

    def row(self, indices: Sequence[Expr]) -> str:
        return ",".join(map(self.place, indices))

    def _print_Paths(self, node: Node) -> str:
        start, end, count, steps = map(self.place, (node.start, node.end, node.count, node.steps))
        return f"paths[{start} to {end}, {count}=1..{steps}] {self.body(node.link)}"


class Latex(Formulas, LatexPrinter):
    """LaTeX for MathJax."""

    label = "latex"
    indexed, delta, modulus = "_{%s}", r"\delta_{%s}", r"\left|%s\right|"
    value, quotient, power = r"%s\left(%s\right)", r"\frac{%s}{%s}", "{%s}^{%s}"
    over = r"\%s_{%s=%s}^{%s} %s"
    total, truncated, partial, gap = r"\mathrm{d}", r"\mathrm{d}_{\mathrm{%(name)s}}", r"\partial ", " "
    alike, apart = r"\mathrm", r"\,"  # d loss, not dloss
    plus, minus, times = " + ", " - ", r"\,"
    tall, in_line = r"\left(%s\right)", "%s"
    open_ended = Bound  # paths stand in brackets of their own
    plain = staticmethod(plain_latex)

    def row(self, indices: Sequence[Expr]) -> str:
        """Indices side by side, but w_{j, i + d}, which would read as w_{j i + d}."""
        places = [self.place(index) for index in indices]
        return (", " if any(" " in place for place in places) else " ").join(places)

    def prime(self, node: Node) -> str:
        """TeX refuses a prime beside a superscript, unless braces stand between them."""
        name, symbol = node.function.latex, super().prime(node)
        braces = node.order and "^" in name and not name.startswith("{")
        return f"{{{symbol[: -node.order]}}}{symbol[-node.order :]}" if braces else symbol

    def _print_Paths(self, node: Node) -> str:
        """A sum over the unit between any two links, of which one link has none."""
        start, end, count, steps, last = map(self.place, (node.start, node.end, node.count, node.steps, node.steps - 1))
        sums = [rf"\sum_{{l_{{{unit}}}=1}}^{{{self.place(node.after.domain.upper)}}} " for unit in ("1", last)]
        signs = {"0": "", "1": sums[0]}.get(last, r"\cdots ".join(sums))
        paths = rf"{signs}\prod_{{{count}=1}}^{{{steps}}} {self.body(node.link)}"
        return rf"\Bigl[ {paths} \Bigr]_{{l_{{0}} = {start},\; l_{{{steps}}} = {end}}}"


class Printed(Latex):
    """LaTeX with the sign that the sources use for every derivative."""

    total = truncated = Latex.partial


def _signed(parts: Sequence[tuple[bool, str]], plus: str, minus: str) -> list[str]:
    """Terms, each given as whether it is negative and its text, with their signs; the first shows only a minus."""
    signs = [minus if negative else plus for negative, _ in parts]
    signs[0] = "-" if parts[0][0] else ""
    return [sign + text for sign, (_, text) in zip(signs, parts, strict=True)]


def _is_whole(expr: Expr) -> bool:
    """Whether a formula is made of numbers, sizes and times alone."""
    leaves = (node for node in nodes(expr) if not node.args)
    return all(isinstance(leaf, Dimension) or leaf.is_Number or (leaf.is_Symbol and leaf.is_integer) for leaf in leaves)


def _is_below(factor: Expr) -> bool:
    """Whether a factor stands below the fraction bar."""
    return isinstance(factor, Pow) and bool(factor.exp.could_extract_minus_sign())


def _gathered(factors: Sequence[Expr]) -> list[Expr]:
    """Powers of one base as one, v v^q as v^(q+1), which SymPy leaves apart."""
    groups: dict[Expr, list[Expr]] = {}
    for factor in factors:
        groups.setdefault(factor if _is_below(factor) else factor.as_base_exp()[0], []).append(factor)
    return [
        same[0] if len(same) == 1 else base ** Add(*(factor.as_base_exp()[1] for factor in same))
        for base, same in groups.items()
    ]


def _key(expr: Expr) -> str:
    """Plain text of a term or factor: it orders those that nothing else orders."""
    return _text(expr, order_in_use())


@lru_cache(maxsize=20_000)
def _text(expr: Expr, order: Order) -> str:
    return TEXT.fenced(expr, isinstance(expr, Add))


TEXT, LATEX, PRINTED = Text(), Latex(), Printed()


def to_text(expr: Expr) -> str:
    """A formula as plain text.

    >>> import throughtime as tt
    >>> from throughtime.derivation import to_text
    >>> t, w, y = tt.time(), tt.parameter("w"), tt.variable("y")
    >>> print(to_text(tt.d(y[t], w[()]) + 1))
    1 + dy(t)/dw
    """
    return TEXT.doprint(expr)


def to_latex(expr: Expr, *, as_printed: bool = False) -> str:
    r"""A formula as LaTeX; `as_printed` writes every derivative with the sign the sources use for it.

    >>> import throughtime as tt
    >>> t, w, y = tt.time(), tt.parameter("w"), tt.variable("y")
    >>> print(tt.to_latex(tt.d(y[t], w[()])))
    \frac{\mathrm{d} y(t)}{\mathrm{d} w}
    """
    return (PRINTED if as_printed else LATEX).doprint(expr)


Node._sympystr = lambda self, printer: to_text(self)
Node._latex = lambda self, printer: to_latex(self)
