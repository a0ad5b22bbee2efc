"""From tokens to trees: recursive descent over the notation of papers.

A space binds closest: `r * U h` is r * (U h). What can be read in two ways is refused with both readings.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from throughtime.reading import trees
from throughtime.reading.cursor import CLOSING
from throughtime.reading.names import Names

ENDS = {"\n", ",", ".", ";", ""}
MINUS = trees.Number(-1, Fraction(-1))


class Parser(Names):
    """Reads the statements of a text."""

    # ---- statements

    def statements(self) -> list[trees.Equation | trees.Declared]:
        """All equations and declarations of the text."""
        found = []
        while True:
            while self.tokens[self.place].text in ENDS - {""}:
                self.place += 1
            if self.token.kind == "end":
                return found
            found.append(self.statement())
            if self.token.text not in ENDS:
                raise self.fault(self.token, "an operator or the end of the equation")

    def statement(self) -> trees.Equation | trees.Declared:
        """One equation, or one name with the set that it is in."""
        at, left = self.token.at, self.expression()
        if isinstance(left, trees.Name) and self.took("∈", "in"):
            return self.declared(left)
        self.take("=")
        rights = [self.expression()]
        while self.took("="):
            rights.append(self.expression())
        return trees.Equation(at, left, tuple(rights))

    def declared(self, name: trees.Name) -> trees.Declared:
        """What follows `W in`: R, R^n or R^{n x m}."""
        brace = self.took("{")
        if self.take().text != "R":
            raise self.fault(self.tokens[self.place - 1], "R, R^n or R^{n x m}")
        if brace:
            self.take("}")
        sizes = self.group()[0] if self.took("^") else ""
        return trees.Declared(name.at, name, tuple(part for part in re.split(r"[·,]|(?<=\w)x(?=\w)", sizes) if part))

    # ---- formulas

    def expression(self) -> trees.Tree:
        """Terms with their signs."""
        at, terms, sign = self.token.at, [], self.took("-", "+")
        while True:
            term = self.term()
            minus = sign is not None and sign.text == "-"
            terms.append(trees.Product(sign.at, (replace(MINUS, at=sign.at), term)) if minus else term)
            if not (sign := self.took("+", "-")):
                return terms[0] if len(terms) == 1 else trees.Sum(at, tuple(terms))

    def term(self) -> trees.Tree:
        """Products of what stands side by side, with *, ⊙ and / between them."""
        factors = self.side_by_side()
        found = _product(factors)
        while sign := self.took("*", "⊙", "/"):
            if sign.text != "/" and len(factors) > 1 and any(map(_is_capital, factors)):
                raise self.two_readings(sign.at, "A b * c", "(A b) * c", "A (b * c)")
            after, factors = self.token.at, self.side_by_side()
            last = _product(factors)
            if sign.text != "/":
                found = trees.Elementwise(found.at, (found, last))
            elif len(factors) > 1:
                raise self.two_readings(after, "a / b c", "a / (b c)", "(a / b) c")
            else:
                found = trees.Quotient(found.at, found, last)
        return found

    def side_by_side(self) -> list[trees.Tree]:
        """Factors with nothing, a space, a dot or @ between them."""
        factors = [self.factor()]
        while self.took("@", "·") or self._begins_a_factor():
            factors.append(self.factor())
        return factors

    def _begins_a_factor(self) -> bool:
        token = self.token
        return (
            token.kind in ("number", "accent")
            or token.text in ("(", "[", "{", "∂")
            or (token.kind == "word" and token.text != "in")
            or (token.text == "‖" and not self.in_norm)
        )

    in_norm = False

    def factor(self) -> trees.Tree:
        """One factor with its powers."""
        token = self.token
        if token.kind == "number":
            return self.powers(self.number())
        if token.kind in ("word", "accent"):
            return self.word()
        if token.text == "∂":
            return self.differential(self.take().at)
        if self.took("(", "{"):
            inner = self.inside(CLOSING[token.text], self.expression)
            return self.name(inner) if token.text == "{" and isinstance(inner, trees.Name) else self.powers(inner)
        if self.took("["):
            return self.inside("]", lambda: self.stack(token.at))
        if self.took("‖"):
            self.in_norm = True
            inner = self.inside("‖", self.expression)
            self.in_norm = False
            if self.took("_"):
                self.take("2", "{")
                self.took("2"), self.took("}")
            power = self.powers(trees.Norm(token.at, inner))
            squared = isinstance(power, trees.Power) and power.exponent == 2
            return trees.Norm(token.at, inner, True) if squared else power
        raise self.fault(token, "a letter, a number or a bracket")

    def number(self) -> trees.Number:
        """A decimal number or a fraction of two."""
        token = self.take()
        value, after = Fraction(token.text), self.tokens[self.place : self.place + 2]
        if [one.text for one in after[:1]] == ["/"] and after[1].kind == "number":
            self.place += 2
            value /= Fraction(after[1].text)
        return trees.Number(token.at, value)

    def stack(self, at: int) -> trees.Tree:
        """What stands between square brackets: one formula, or vectors one below the other."""
        rows = [self.expression()]
        while self.took(",", ";"):
            rows.append(self.expression())
        return rows[0] if len(rows) == 1 else trees.Stack(at, tuple(rows))

    def powers(self, base: trees.Tree) -> trees.Tree:
        """Powers and the sign of a transpose behind a number, a bracket or a function."""
        while self.token.text == "^":
            at = self.take().at
            text, _ = self.group()
            if text in ("T", "⊤"):
                base = trees.Transposed(base.at, base)
            elif re.fullmatch(r"-?\d+", text):
                base = trees.Power(base.at, base, int(text))
            else:
                raise self.source.fault(at, f"found the power {text}", "expected a whole number or T for the transpose")
        return base


def _product(factors: list[trees.Tree]) -> trees.Tree:
    return factors[0] if len(factors) == 1 else trees.Product(factors[0].at, tuple(factors))


def _is_capital(tree: trees.Tree) -> bool:
    """Whether a factor is a matrix by its letter."""
    inner = tree.part if isinstance(tree, trees.Transposed) else tree
    return isinstance(inner, trees.Name) and inner.base[0].isupper() and not inner.places
