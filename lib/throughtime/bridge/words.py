"""Formulas of claims that SymPy has no form for: quantifiers, definitions that go with a formula, plain words.

Each prints as LaTeX and as text. What they mean is up to the judge of the claim (`latching`, `lfmn_examples`).
"""

from __future__ import annotations

from sympy import Symbol
from sympy.logic.boolalg import Boolean


class Words(Symbol):
    """A fact in words; a judge puts true or false in its place."""

    def _latex(self, printer) -> str:
        return rf"\text{{{self.name}}}"


class _Joined(Boolean):
    """A formula and a second one that goes with it, in that order."""

    tex, text = "", ""

    def __new__(cls, body: Boolean, condition: Boolean) -> _Joined:
        return super().__new__(cls, body, condition)

    @property
    def body(self) -> Boolean:
        """The formula itself."""
        return self.args[0]

    @property
    def condition(self) -> Boolean:
        """What goes with it."""
        return self.args[1]

    def _latex(self, printer) -> str:
        shown = rf"{printer._print(self.body)}\ \ {self.tex}\ \ {printer._print(self.condition)}"
        return shown if printer._print_level == 1 else rf"\left({shown}\right)"

    def _sympystr(self, printer) -> str:
        return f"({printer._print(self.body)} {self.text} {printer._print(self.condition)})"


class Throughout(_Joined):
    """The body wherever the condition holds: for all times, or for all members of an `Among`."""

    tex, text = r"\forall", "for all"


class Where(_Joined):
    """The body, whose symbols are defined by the condition."""

    tex, text = r"\text{where}", "where"


class ForSome(_Joined):
    """The body for at least one number that meets the condition."""

    tex, text = r"\text{for some}", "for some"


class Among(Boolean):
    """A symbol stands for each of the others in turn."""

    def __new__(cls, symbol: Symbol, *others: Symbol) -> Among:
        return super().__new__(cls, symbol, *others)

    def _latex(self, printer) -> str:
        symbol, *others = map(printer._print, self.args)
        return rf"{symbol} \in \left\{{{', '.join(others)}\right\}}"

    def _sympystr(self, printer) -> str:
        symbol, *others = map(printer._print, self.args)
        return f"{symbol} in {{{', '.join(others)}}}"
