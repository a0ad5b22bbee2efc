"""Plain SymPy formulas as LaTeX and as text, with no minus in front where a term with a plus sign can stand there."""

from __future__ import annotations

from sympy import Add, Expr
from sympy.core.basic import Basic
from sympy.printing.latex import LatexPrinter
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from throughtime.derivation.printing.places import plus_first


class _Ordered(Printer):
    def _as_ordered_terms(self, expr: Add, order: str | None = None) -> list[Expr]:
        """SymPy's order, or the author's where the sum was made without evaluation."""
        given = list(expr.args) if Add(*expr.args).args != expr.args else super()._as_ordered_terms(expr, order)
        return plus_first(given)


class _Latex(_Ordered, LatexPrinter):
    def _print_Derivative(self, expr: Expr) -> str:
        """SymPy leaves the numerator of a first derivative slanted."""
        return super()._print_Derivative(expr).replace(r"\frac{d}{\mathrm{d}", r"\frac{\mathrm{d}}{\mathrm{d}")

    def _print_Piecewise(self, expr: Expr) -> str:
        """TeX sets the rows of cases small and close, and fractions in them smaller."""
        tex = super()._print_Piecewise(expr)
        return tex.replace(r"\frac", r"\dfrac").replace(r" \\", r" \\[6pt] ") if r"\frac" in tex else tex

    def _print_acosh(self, expr: Expr, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{arcosh}}{power}{{\left({self._print(expr.args[0])}\right)}}"


class _Text(_Ordered, StrPrinter):
    pass


def plain_latex(expr: Basic) -> str:
    """LaTeX of a formula without nodes of the engine."""
    return _Latex({"diff_operator": "rd"}).doprint(expr)


def plain_text(expr: Basic) -> str:
    """Plain text of a formula without nodes of the engine."""
    return _Text().doprint(expr)
