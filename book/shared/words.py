"""Formulas of claims that SymPy has no form for: quantifiers, definitions that go with a formula, plain words.

Each prints as LaTeX and as text. They have no value of their own: the decision procedure of a claim gives them one.
"""

from sympy import Basic, Function, S, Symbol, sympify
from sympy.core.function import FunctionClass
from sympy.logic.boolalg import Boolean


class Words(Symbol):
    """A fact in words, a symbol for which a decision procedure substitutes true or false."""

    def _latex(self, printer) -> str:
        return rf"\text{{{self.name}}}"


class Denied(Words):
    """A fact in words that is said not to be: its negation puts the words in brackets."""

    is_Boolean = True


def printed(name: str, tex: str) -> type[Function]:
    """A SymPy function that prints as ``tex``, in which each %s stands for an argument."""

    def _latex(self, printer, exp=None) -> str:
        return tex % tuple(map(printer._print, self.args))

    return FunctionClass(name, (Function,), {"nargs": tex.count("%s"), "_latex": _latex})


class _Joined(Boolean):
    """A formula `body` and the formula `condition` that qualifies it, in that order."""

    tex, text = "", ""
    body = property(lambda self: self.args[0], doc="The formula itself.")
    condition = property(lambda self: self.args[1], doc="The formula that qualifies it.")

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
    """A symbol that ranges over the others."""

    def _latex(self, printer) -> str:
        symbol, *others = map(printer._print, self.args)
        return rf"{symbol} \in \left\{{{', '.join(others)}\right\}}"

    def _sympystr(self, printer) -> str:
        symbol, *others = map(printer._print, self.args)
        return f"{symbol} in {{{', '.join(others)}}}"


class Iff(Boolean):
    """Both sides are true, or neither is. (SymPy's own `Equivalent` reorders its sides.)"""

    def __new__(cls, left: Basic, right: Basic) -> Boolean:
        left, right = map(sympify, (left, right))
        if all(side in (S.true, S.false) for side in (left, right)):
            return sympify(left == right)
        return super().__new__(cls, left, right)

    def _latex(self, printer) -> str:
        return r" \iff ".join(map(printer._print, self.args))

    def _sympystr(self, printer) -> str:
        return " iff ".join(map(printer._print, self.args))
