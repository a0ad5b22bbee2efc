"""From tokens to trees: recursive descent over the notation of papers.

A space binds closest: `r * U h` is r * (U h). What can be read in two ways is refused with both readings.
"""

from __future__ import annotations

import re
from fractions import Fraction

from throughtime.reading.cursor import CLOSING, SCRIPTS
from throughtime.reading.names import Names
from throughtime.reading.trees import Declared, Equation, Name, Tree

ENDS = {"\n", ",", ".", ";"}


class Parser(Names):
    """Reads the statements of a text."""

    def statements(self) -> list[Equation | Declared]:
        """All equations and declarations of the text."""
        found: list[Equation | Declared] = []
        while True:
            while self.tokens[self.place].text in ENDS:
                self.place += 1
            if self.token.kind == "end":
                return found
            found.append(self.statement())
            if self.token.text not in ENDS and self.token.kind != "end":
                raise self.fault(self.token, "an operator or the end of the equation")

    def statement(self) -> Equation | Declared:
        """One equation, or one name with the set that it is in."""
        left = self.expression()
        if isinstance(left, Name) and self.took("∈", "in"):
            return self.declared(left)
        if self.token.text != "=":
            hint = "words that belong to no formula have to be left out"
            raise self.fault(self.token, "'=' and what the left side is, as in h_t = ...", hint)
        rights = []
        while self.took("="):
            rights.append(self.expression())
        return Equation(left, tuple(rights))

    def declared(self, name: Name) -> Declared:
        """What follows `W in`: R, R^n or R^{n x m}."""
        brace = self.took("{")
        if self.take().text != "R":
            raise self.fault(self.tokens[self.place - 1], "R, R^n or R^{n x m}")
        if brace:
            self.take("}")
        sizes = self.take().text if self.token.kind == "high" else ""
        return Declared(name, tuple(part for part in re.split(r"[·,]|(?<=\w)x(?=\w)", sizes) if part))

    # ---- formulas

    def expression(self) -> Tree:
        """Terms with their signs."""
        at, terms, sign = self.token.at, [], self.took("-", "+")
        while True:
            term = self.term()
            if sign is not None and sign.text == "-":
                term = Tree("product", sign.at, (Tree("number", sign.at, value=Fraction(-1)), term))
            terms.append(term)
            if not (sign := self.took("+", "-")):
                return terms[0] if len(terms) == 1 else Tree("sum", at, tuple(terms))

    def term(self) -> Tree:
        """Products of what stands side by side, with *, ⊙ and / between them."""
        factors = self.side_by_side()
        found = _product(factors)
        while sign := self.took("*", "⊙", "/"):
            if sign.text != "/" and len(factors) > 1 and any(map(is_matrix, factors)):
                raise self.two_readings(sign.at, "A b * c", "(A b) * c", "A (b * c)")
            after, factors = self.token.at, self.side_by_side()
            if sign.text == "/" and len(factors) > 1:
                raise self.two_readings(after, "a / b c", "a / (b c)", "(a / b) c")
            op = "quotient" if sign.text == "/" else "elementwise"
            found = Tree(op, found.at, (found, _product(factors)), sign.text)
        return found

    def side_by_side(self) -> list[Tree]:
        """Factors with nothing, a space, a dot or @ between them."""
        factors = [self.factor()]
        while self.took("@", "·") or self._begins_a_factor():
            factors.append(self.factor())
        return factors

    def _begins_a_factor(self) -> bool:
        token = self.token
        if token.kind in SCRIPTS:
            return False
        begins = token.kind == "number" or token.text in CLOSING or token.text == "∂"
        return (begins and not (token.text == "‖" and self.in_norm)) or (token.kind == "word" and token.text != "in")

    in_norm = False

    def factor(self) -> Tree:
        """One factor with its powers."""
        token = self.token
        if token.kind == "number":
            return self.powers(self.number())
        if token.kind == "word":
            return self.word()
        if token.text == "∂":
            return self.differential(self.take().at)
        if self.took("(", "{"):
            inner = self.inside(CLOSING[token.text], self.expression)
            return self.name(inner) if token.text == "{" and isinstance(inner, Name) else self.powers(inner)
        if self.took("["):
            rows = self.inside("]", lambda: self.listed(",", ";"))
            return rows[0] if len(rows) == 1 else Tree("stack", token.at, rows)
        if self.took("‖"):
            return self.norm(token.at)
        raise self.fault(token, "a letter, a number or a bracket")

    def norm(self, at: int) -> Tree:
        """The length of a vector; its square is a sum of squares."""
        self.in_norm = True
        inner = self.inside("‖", self.expression)
        self.in_norm = False
        if self.token.kind == "low":
            self.take("2")
        squared = self.token.kind == "high" and self.token.text == "2"
        self.place += squared
        return Tree("norm", at, (inner,), squared)

    def number(self) -> Tree:
        """A decimal number or a fraction of two."""
        token = self.take()
        value, (sign, below) = Fraction(token.text), (*self.tokens[self.place :], token)[:2]
        if sign.text == "/" and below.kind == "number":
            self.place += 2
            value /= Fraction(below.text)
        return Tree("number", token.at, value=value)

    def listed(self, *commas: str) -> tuple[Tree, ...]:
        """Formulas with commas between them."""
        found = [self.expression()]
        while self.took(*commas):
            found.append(self.expression())
        return tuple(found)

    def powers(self, base: Tree) -> Tree:
        """Powers and the sign of a transpose behind a number, a bracket or a function."""
        while self.token.kind == "high":
            token = self.take()
            base = self.raised_to(base, token.text)
            if base is None:
                found = f"found the power {token.text}"
                raise self.source.fault(token.at, found, "expected a whole number or T for the transpose")
        return base


def _product(factors: list[Tree]) -> Tree:
    return factors[0] if len(factors) == 1 else Tree("product", factors[0].at, tuple(factors))


def is_matrix(tree: Tree) -> bool:
    """Whether a factor is a matrix by its letter."""
    inner = tree.parts[0] if tree.op == "transposed" else tree
    return isinstance(inner, Name) and inner.base[0].isupper() and not inner.places
