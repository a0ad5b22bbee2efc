"""From tokens to trees: recursive descent over the notation of papers.

A space binds closest: `r * U h` is r * (U h). What can be read in two ways is refused with both readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from throughtime.reading.source import NotationError, Source
from throughtime.reading.tokens import FUNCTIONS, GREEK, Token, tokens
from throughtime.reading.trees import (
    Call,
    Declared,
    Differential,
    Elementwise,
    Equation,
    Name,
    Norm,
    Number,
    Power,
    Product,
    Quotient,
    Slope,
    Stack,
    Sum,
    Total,
    Transposed,
    Tree,
)

Made = TypeVar("Made")
SAME = {"sigmoid": "sigma", "logistic": "sigma", "relu": "positive", "ReLU": "positive", "ln": "log"}
ACTIVATIONS = {"f", "g", "phi", "psi", "sigma", "rho"}
ENDS = {"\n", ",", ".", ";", ""}
CLOSING = {"(": ")", "[": "]", "{": "}"}
MINUS = Number(-1, Fraction(-1))


class Parser:
    """Reads one text. `known` are names after a d that makes a derivative, as L in dL/dh_t: none in a recurrence."""

    def __init__(self, text: str, time: str = "t", known: frozenset[str] = frozenset()):
        self.source, self.now, self.known = Source(text), time, known
        self.tokens, self.place, self.depth = tokens(self.source), 0, 0
        self.times = {time, "T"}
        pairs = [*zip(self.tokens, self.tokens[1:], strict=False)]
        self.lettered = {one.text for one, after in pairs if one.kind == "word" and after.text in ("_", "^")}
        self.alone = {one.text for one, after in pairs if one.kind == "word" and after.text not in ("_", "^", "(", "'")}

    # ---- tokens

    @property
    def token(self) -> Token:
        """The next token; inside brackets, and where a line goes on, the ends of lines are passed over."""
        while self.tokens[self.place].text == "\n" and (self.depth or self._goes_on()):
            self.place += 1
        return self.tokens[self.place]

    def _goes_on(self) -> bool:
        """Whether the line after the end of this one begins with a sign that cannot begin an equation."""
        following = next(one for one in self.tokens[self.place :] if one.text != "\n")
        before = self.tokens[self.place - 1].text if self.place else ""
        return following.text in {"+", "-", "*", "⊙", "·", "/", "="} or before in {"+", "-", "*", "⊙", "·", "=", "@"}

    def take(self, *expected: str) -> Token:
        """The next token, which has to be one of those expected, if any are."""
        token = self.token
        if expected and token.text not in expected:
            raise self.fault(token, " or ".join(f"'{one}'" for one in expected))
        self.place += token.kind != "end"
        return token

    def took(self, *texts: str) -> Token | None:
        """The next token if it is one of these."""
        return self.take() if self.token.text in texts and self.token.kind != "end" else None

    def fault(self, token: Token | Tree, expected: str, instead: str = "") -> NotationError:
        """The refusal of a token."""
        found = f"found {token}" if isinstance(token, Token) else "this has no meaning here"
        return self.source.fault(token.at, found, f"expected {expected}", instead)

    def two_readings(self, at: int, what: str, one: str, other: str) -> NotationError:
        """The refusal of what can be read in two ways."""
        return self.source.fault(at, f"{what} can be read in two ways", "write the one that is meant", f"{one}, or {other}")

    def inside(self, closing: str, read: Callable[[], Made]) -> Made:
        """What `read` finds up to a closing bracket; the opening one has been taken."""
        self.depth += 1
        found = read()
        token = self.token
        self.depth -= 1
        if token.text != closing:
            raise self.fault(token, f"'{closing}'", "a bracket was opened and is still open here")
        self.place += 1
        return found

    # ---- statements

    def statements(self) -> list[Equation | Declared]:
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

    def statement(self) -> Equation | Declared:
        """One equation, or one name with the set that it is in."""
        at, left = self.token.at, self.expression()
        if isinstance(left, Name) and self.took("∈", "in"):
            return self.declared(left)
        self.take("=")
        rights = [self.expression()]
        while self.took("="):
            rights.append(self.expression())
        return Equation(at, left, tuple(rights))

    def declared(self, name: Name) -> Declared:
        """What follows `W in`: R, R^n or R^{n x m}."""
        brace = self.took("{")
        if self.take().text != "R":
            raise self.fault(self.tokens[self.place - 1], "R, R^n or R^{n x m}")
        if brace:
            self.take("}")
        sizes = self.group()[0] if self.took("^") else ""
        return Declared(name.at, name, tuple(part for part in re.split(r"[·,]|(?<=\w)x(?=\w)", sizes) if part))

    # ---- formulas

    def expression(self) -> Tree:
        """Terms with their signs."""
        at, terms, sign = self.token.at, [], self.took("-", "+")
        while True:
            term = self.term()
            minus = sign is not None and sign.text == "-"
            terms.append(Product(sign.at, (replace(MINUS, at=sign.at), term)) if minus else term)
            if not (sign := self.took("+", "-")):
                return terms[0] if len(terms) == 1 else Sum(at, tuple(terms))

    def term(self) -> Tree:
        """Products of what stands side by side, with *, ⊙ and / between them."""
        factors = self.side_by_side()
        found = _product(factors)
        while sign := self.took("*", "⊙", "/"):
            if sign.text != "/" and len(factors) > 1 and any(map(_is_capital, factors)):
                raise self.two_readings(sign.at, "A b * c", "(A b) * c", "A (b * c)")
            after, factors = self.token.at, self.side_by_side()
            last = _product(factors)
            if sign.text != "/":
                found = Elementwise(found.at, (found, last))
            elif len(factors) > 1:
                raise self.two_readings(after, "a / b c", "a / (b c)", "(a / b) c")
            else:
                found = Quotient(found.at, found, last)
        return found

    def side_by_side(self) -> list[Tree]:
        """Factors with nothing, a space, a dot or @ between them."""
        factors = [self.factor()]
        while self.took("@", "·") or self._begins_a_factor():
            factors.append(self.factor())
        return factors

    def _begins_a_factor(self) -> bool:
        token = self.token
        return token.kind in ("number", "accent") or token.text in ("(", "[", "{", "∂") or (
            token.kind == "word" and token.text != "in"
        ) or (token.text == "‖" and not self.in_norm)

    in_norm = False

    def factor(self) -> Tree:
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
            return self.name(inner) if token.text == "{" and isinstance(inner, Name) else self.powers(inner)
        if self.took("["):
            return self.inside("]", lambda: self.stack(token.at))
        if self.took("‖"):
            self.in_norm = True
            inner = self.inside("‖", self.expression)
            self.in_norm = False
            if self.took("_"):
                self.take("2", "{")
                self.took("2"), self.took("}")
            power = self.powers(Norm(token.at, inner))
            squared = isinstance(power, Power) and power.exponent == 2
            return Norm(token.at, inner, True) if squared else power
        raise self.fault(token, "a letter, a number or a bracket")

    def number(self) -> Number:
        """A decimal number or a fraction of two."""
        token = self.take()
        value, after = Fraction(token.text), self.tokens[self.place : self.place + 2]
        if [one.text for one in after[:1]] == ["/"] and after[1].kind == "number":
            self.place += 2
            value /= Fraction(after[1].text)
        return Number(token.at, value)

    def stack(self, at: int) -> Tree:
        """What stands between square brackets: one formula, or vectors one below the other."""
        rows = [self.expression()]
        while self.took(",", ";"):
            rows.append(self.expression())
        return rows[0] if len(rows) == 1 else Stack(at, tuple(rows))

    def powers(self, base: Tree) -> Tree:
        """Powers and the sign of a transpose behind a number, a bracket or a function."""
        while self.token.text == "^":
            at = self.take().at
            text, _ = self.group()
            if text in ("T", "⊤"):
                base = Transposed(base.at, base)
            elif re.fullmatch(r"-?\d+", text):
                base = Power(base.at, base, int(text))
            else:
                raise self.source.fault(at, f"found the power {text}", "expected a whole number or T for the transpose")
        return base

    # ---- names

    def group(self) -> tuple[str, bool]:
        """What is lowered or raised, as text, and whether it stands in round brackets."""
        first = self.take()
        if first.text not in ("{", "("):
            return first.text, False
        text, open_ = "", [CLOSING[first.text]]
        while open_:
            token = self.take()
            if token.kind == "end" or token.text == "\n":
                raise self.fault(token, f"'{open_[-1]}'")
            if token.text in ("{", "("):
                open_.append(CLOSING[token.text])
            if token.text == open_[-1]:
                open_.pop()
            text += "" if token.text in "{}" else token.text
        inner = first.text == "(" or (text.startswith("(") and text.endswith(")"))
        return text.strip("()") if inner else text, inner

    def word(self) -> Tree:
        """A fraction, a sum, a derivative, a function of something, or a name."""
        token = self.token
        if token.text == "frac":
            return self.fraction(self.take().at)
        if token.text == "sum" and self.tokens[self.place + 1].text in ("_", "["):
            return self.total(self.take().at)
        following = self.tokens[self.place + 1]
        if self.known and token.text == "d" and following.kind in ("word", "accent"):
            return self.differential(self.take().at)
        if self.known and token.text not in self.known and token.text[0] == "d" and token.text[1:] in self.known:
            self.tokens[self.place] = Token("word", token.text[1:], token.at + 1)
            return self.differential(token.at)
        return self.name(self.letter())

    def letter(self) -> Name:
        """A letter or a word with its accent, or a name in braces."""
        token = self.take()
        if token.kind == "accent" or token.text == "{":
            inner = self.letter()
            if token.text == "{":
                inner = self.name(inner)
                self.take("}")
            return replace(inner, base=f"{inner.base}_{token.text}") if token.kind == "accent" else inner
        if token.kind != "word":
            raise self.fault(token, "a letter")
        after = self.token
        self.place += after.kind == "accent after"
        return Name(token.at, f"{token.text}_{after.text}" if after.kind == "accent after" else token.text)

    def name(self, name: Name) -> Tree:
        """A name with what is lowered and raised, its indices and its time; a function with its argument."""
        primes, after = 0, []
        while True:
            token = self.token
            if self.took("'"):
                primes += 1
            elif self.took("_"):
                name = self.lowered(name, token.at)
            elif token.text == "^":
                found = self.raised(name)
                if not isinstance(found, Name):
                    after.append(found)
                else:
                    name = found
            elif token.text == "[" and (places := self._letters_in_brackets(token)):
                name = replace(name, places=places)
            elif token.text == "(" and name.time is None and (time := self._time_in_brackets()):
                name = replace(name, time=time)
            else:
                break
        if name.base in FUNCTIONS and self.token.text not in CLOSING:
            raise self.fault(self.token, f"the argument of {name.base} in brackets")
        if self._opens(name) and name.time is None and not name.places and self.is_function(name):
            return self.powers(self.call(name, primes))
        if primes:
            name = replace(name, base=name.base + "_prime" * primes)
        for text in after:
            name = Transposed(name.at, name) if text in ("T", "⊤") else Power(name.at, name, int(text))
        return name

    def _opens(self, name: Name) -> bool:
        return self.token.text == "(" or (name.base in (*FUNCTIONS, "sigma") and self.token.text in CLOSING)

    def lowered(self, name: Name, at: int) -> Name:
        """The name with its subscript: a time, labels or indices."""
        before = self.token
        text, _ = self.group()
        behind = self.tokens[self.place : self.place + 2]
        if before.text in self.times and [one.at - before.at for one in behind] == [1, 2]:
            if behind[0].text in "+-" and behind[1].kind == "number":
                step = f"{before.text}{behind[0].text}{behind[1].text}"
                what = f"{name.base}_{step}"
                raise self.two_readings(
                    at, what, f"{name.base}_{{{step}}}", f"{name.base}_{before.text} {behind[0].text} {behind[1].text}"
                )
        return self.marked(name, text)

    def marked(self, name: Name, text: str) -> Name:
        """The name with marks, of which one may be a time."""
        for part in text.split(","):
            mixed = re.fullmatch(rf"([i-n]{{1,2}})({self.now}(?:[+-]\d+)?)", part)
            for piece in mixed.groups() if mixed else (part,):
                time = None if piece == "T" and name.base[0].isupper() else self.time(piece)
                name = replace(name, time=time) if time else replace(name, marks=(*name.marks, piece))
        return name

    def raised(self, name: Name) -> Name | str:
        """The name with its superscript, or the superscript if it is a power or the sign of a transpose."""
        self.take("^")
        text, bracketed = self.group()
        if text in ("T", "⊤") or (re.fullmatch(r"-?\d+", text) and not bracketed):
            return text
        return self.marked(name, "star" if text == "*" else text.replace("'", "prime"))

    def time(self, text: str) -> tuple[str, int] | None:
        """A time as its letter and the steps after it; None for what is none."""
        found = re.fullmatch(r"\(?([A-Za-z]+)([+-]\d+)?\)?", text)
        return (found[1], int(found[2] or 0)) if found and found[1] in self.times else None

    def _time_in_brackets(self) -> tuple[str, int] | None:
        """The time of h(t - 1) or h(0), taken; None if the bracket holds something else."""
        closing = next((n for n, one in enumerate(self.tokens[self.place :]) if one.text == ")"), 0)
        text = "".join(one.text for one in self.tokens[self.place + 1 : self.place + closing])
        found = ("", int(text)) if text.isdigit() else self.time(text)
        if found:
            self.place += closing + 1
        return found

    def _letters_in_brackets(self, token: Token) -> tuple[str, ...]:
        """The indices of w[i, j], taken; none if something else stands in the brackets or before them."""
        found, place = [], self.place + 1
        while self.tokens[place].kind == "word" and self.tokens[place + 1].text in (",", "]"):
            found.append(self.tokens[place].text)
            place += 2
        tight = self.source.text[token.at - 1 : token.at].strip() != ""
        if not found or self.tokens[place - 1].text != "]" or not tight:
            return ()
        self.place = place
        return tuple(found)

    # ---- functions and sums

    def is_function(self, name: Name) -> bool:
        """Whether a name before a bracket is a function; a capital letter is a matrix, and the bracket a factor."""
        base = name.base
        if base in FUNCTIONS or base in SAME or (base in ACTIVATIONS and (name.marks or base not in self.lettered)):
            return not (base in ACTIVATIONS and base in self.alone and base != "sigma" and not name.marks)
        if base[0].isupper() or (base in self.alone and not name.marks) or (base in GREEK and base not in ACTIVATIONS):
            return False
        word = len(base) > 1 and "_" not in base
        if word and not name.marks and base not in self.lettered:
            return True
        what = f"{name.key()} ( )"
        raise self.two_readings(
            name.at, what, f"{name.key()} * ( ) for a product", "f, g, phi, psi, rho, sigma or a word for a function"
        )

    def call(self, name: Name, order: int) -> Call:
        """A function with its arguments."""
        arguments = self.inside(CLOSING[self.take().text], self.arguments)
        base = SAME.get(name.base, name.base)
        if (many := len(arguments)) != (wanted := 2 if base in ("max", "min") else 1):
            raise self.source.fault(name.at, f"found {base} of {many} arguments", f"expected {wanted}")
        return Call(name.at, "_".join([base, *name.marks]), arguments, order)

    def arguments(self) -> tuple[Tree, ...]:
        """What stands between the brackets of a function."""
        found = [self.expression()]
        while self.took(","):
            found.append(self.expression())
        return tuple(found)

    def differential(self, at: int) -> Tree:
        """dL, or the whole of dL/dh_t."""
        found = self.name(self.letter())
        if not isinstance(found, Name):
            raise self.fault(found, "the name of a quantity behind the d")
        if self.token.text != "/":
            return Differential(at, found)
        self.take()
        below = self.factor()
        if not isinstance(below, Differential):
            raise self.fault(below, "a d below the d, as in dL/dh_t")
        return Slope(at, found, below.part)

    def fraction(self, at: int) -> Tree:
        """What follows frac: both sides of the bar."""
        sides = []
        for _ in range(2):
            self.take("{")
            sides.append(self.inside("}", self.expression))
        over, under = sides
        if isinstance(over, Differential) and isinstance(under, Differential):
            return Slope(at, over.part, under.part)
        return self.powers(Quotient(at, over, under))

    def total(self, at: int) -> Tree:
        """A sum over letters, each with its limits if they are written, up to the next plus or minus."""
        bracket = self.take("_", "[").text == "["
        text = self._up_to("]") if bracket else self.group()[0]
        upper = self.group()[0] if not bracket and self.took("^") else ""
        found = re.fullmatch(r"([A-Za-z,]+)(?:=(\w+)(?:\.\.(\S+))?)?", text)
        if not found:
            raise self.source.fault(at, f"found a sum over {text}", "expected a letter, as in sum_j or sum_{t=1}^T")
        letters, lower, upper = found[1].split(","), found[2] or "", found[3] or upper
        timed = [letter for letter in letters if letter == self.now or upper == "T"]
        self.times |= {*timed}
        part = self.term()
        self.times -= {*timed} - {self.now}
        for letter in reversed(letters):
            limits = (Name(at, lower or "1"), Name(at, upper or "T")) if letter in timed else ()
            limits = (Name(at, upper),) if upper and not limits else limits
            part = Total(at, letter, part, limits)
        return part

    def _up_to(self, closing: str) -> str:
        text = ""
        while (token := self.take()).text != closing:
            if token.kind == "end":
                raise self.fault(token, f"'{closing}'")
            text += token.text
        return text


def _product(factors: list[Tree]) -> Tree:
    return factors[0] if len(factors) == 1 else Product(factors[0].at, tuple(factors))


def _is_capital(tree: Tree) -> bool:
    """Whether a factor is a matrix by its letter."""
    inner = tree.part if isinstance(tree, Transposed) else tree
    return isinstance(inner, Name) and inner.base[0].isupper() and not inner.places
