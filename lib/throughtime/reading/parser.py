"""From tokens to trees: recursive descent over the notation of papers.

A space binds closest: `r * U h` is r * (U h). What can be read in two ways is refused with both readings.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.reading.cursor import CLOSING, SCRIPTS
from throughtime.reading.known import LOSS, called
from throughtime.reading.names import ACTIVATIONS
from throughtime.reading.source import NotationError
from throughtime.reading.spelling import ASIDE, DERIVED, FUNCTIONS, STEP, WORDS, Token
from throughtime.reading.sums import SumParser
from throughtime.reading.trees import Name, Tree, is_capital_state, is_matrix

ACCENT = re.compile("_(?:tilde|hat|bar|prime)")
CALLS = dict.fromkeys(("dot", "matmul", "mm", "mv"), "product") | dict.fromkeys(("multiply", "mul"), "elementwise")
CALLS |= {"add": "sum", "divide": "quotient", "div": "quotient"}


class Parser(SumParser):
    """Reads the formulas of a text. `known` are names after a d that makes a derivative, as L in dL/dh_t; those of
    more than one letter are words."""

    def __init__(self, text: str, time: str = "t", known: frozenset[str] = frozenset()):
        super().__init__(text, time, [one for one in known if len(one.split("_")[0]) > 1 or ACCENT.search(one)])
        self.known, self.in_norm, self.below = known, False, False
        self.opened: dict[int, Name] = {}  # the names directly before brackets, by the places of those

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
            if sign.text != "/" and len(factors) > 1 and any(map(is_matrix, factors)) and self.joined != "@":
                *first, last = (self.source.words(one.at) for one in factors)
                a, b, c = " ".join(first), last, f"{sign.text} ..."
                raise self.source.two_readings(sign.at, f"{a} {b} {c}", f"({a} {b}) {c}", f"{a} ({b} {c})")
            after, factors = self.token.at, self.side_by_side()
            if sign.text == "/" and len(factors) > 1:
                share = re.match(r"\S/(\d+|T)(?=\s|‖|\\\|)", self.source.text[sign.at - 1 :])  # a/2 ‖W‖^2
                squared = any(one.op == "power" for one in (found, *found.parts))  # x^2/2 sigma^2
                if self.joined != "@" and factors[1].op != "total" and (squared or not share):  # 1/T sum_t
                    raise self.source.two_readings(after, "a / b c", "a / (b c)", "(a / b) c")
                found = _product([Tree("quotient", found.at, (found, factors[0]), "/"), *factors[1:]])
                continue
            if sign.text == "/" and factors[0].op == "number" and factors[0].value == 0:
                raise self.source.fault(factors[0].at, "found a division by 0", "expected a number")
            op = "quotient" if sign.text == "/" else "elementwise"
            found = Tree(op, found.at, (found, _product(factors, self.joined)), sign.text)
        return found

    def side_by_side(self) -> list[Tree]:
        """Factors with nothing, a space, a dot or @ between them."""
        factors, joined = [self.factor()], "@"
        while (sign := self.took("@", "·")) or self._begins_a_factor():
            at, joined = self.token.at, joined if sign and sign.text == "@" else ""
            if not self.depth and (
                number := re.match(r"([(\[][A-Z]?\d+(?:\.\d+)?[a-z]?[)\]])[ \t.]*(?:\n|\\\\|$)", self.source.text[at:])
            ):
                one = "two spaces before the number of an equation"
                raise self.source.two_readings(at, number[1], one, f"{number[1][1:-1]} * ... for a factor")
            before = self.source.text[at - 1 : at]
            if not sign and self.token.kind == "number" and (before.isalpha() or before in ")]}|‖∥"):
                w, digit = self.source.words(factors[-1].at), self.token.text  # W1 in LaTeX, (a - b)2 of a page
                label = f"{w}_{digit} or {w}^{{({digit})}} for a label"
                label = label if before.isalpha() else f"{w}^{digit} for a power"
                raise self.source.two_readings(factors[-1].at, w + digit, label, f"{digit} {w} for a factor")
            if not sign and self.token.text in ("(", "[") and self._is_one(factors[-1]):
                hint = "a mask that is given, or a word for a function, as spike(...)"
                raise self.source.fault(factors[-1].at, "found 1 before a bracket", "expected a function", hint)
            factors.append(self.factor())
            if sign and sign.text == "·" and all(map(is_capital_state, factors[-2:])):
                a, b = (self.source.words(one.at) for one in factors[-2:])
                said, each = f"a dot or a cross between {a} and {b}", f"{a} * {b} for elements"
                raise self.source.two_readings(sign.at, said, each, f"{a} {b} for matrices")
        self.joined = joined
        return factors

    def _is_one(self, tree: Tree) -> bool:
        """Whether a factor is 1, or I in the letters of sets of numbers, before a bracket an indicator for most."""
        bold = isinstance(tree, Name) and tree.key() == "I" and self.source.text.startswith(r"\mathbb", tree.at)
        return bold or (tree.op == "number" and tree.value == 1)

    def _begins_a_factor(self) -> bool:
        token = self.token
        if token.kind == "sign":
            return token.text in ("(", "[", "{", "∂") or (token.text == "‖" and not self.in_norm)
        return token.kind == "number" or (token.kind == "word" and token.text != "in")

    def factor(self) -> Tree:
        """One factor with its powers."""
        at, made = self.token.at, self._factor()
        self.source.ends[at] = self.tokens[self.place].at
        return made

    def _factor(self) -> Tree:
        token = self.token
        if token.kind == "word":
            return self.word()
        if token.kind == "number":
            if re.search("/0+$", token.text):
                raise self.source.fault(token.at, "found a division by 0", "expected a number")
            return self.powers(Tree("number", self.take().at, value=Fraction(token.text)))
        if self.took("∂"):
            if not self.known:
                raise self.source.fault(token.at, "found a derivative", "expected a recurrence, as h_t = ...", DERIVED)
            plus = self.token.kind == "high" and self.token.text == "+" and self.take()
            return self.differential(token.at, "∂+" if plus else "∂")
        if self.took("(", "{"):
            inner = self.inside(CLOSING[token.text], self.expression)
            if token.text == "{" and isinstance(inner, Name):
                return self.name(inner)
            return self.powers(replace(inner, at=token.at, value=None if inner.op == "product" else inner.value))
        if self.took("["):
            rows = self.inside("]", lambda: self.listed(",", ";"))
            return self.powers(replace(rows[0], at=token.at)) if len(rows) == 1 else Tree("stack", token.at, rows)
        if self.took("‖"):
            return self.norm(token.at)
        signed = "brackets around it, as a * (-b)" if token.text == "-" else ""
        hint = f"the whole right side, as w_{self.now} = w_{{{self.now}-1}} - ..." if token.text == "=" else ""
        raise self.fault(token, "a letter, a number or a bracket", hint or signed)

    def norm(self, at: int) -> Tree:
        """The length of a vector, or of a matrix as one."""
        self.in_norm = True
        inner = self.inside("‖", self.expression)
        self.in_norm = False
        self._take_order()
        return self.length(at, inner)

    def length(self, at: int, inner: Tree) -> Tree:
        """The root of a sum of squares, or the sum if a square follows."""
        squares = Tree("call", at, (Tree("elementwise", at, (inner, inner)),), ("norm", 0))
        squared = self.token.kind == "high" and self.take("2")
        self._take_order()
        return squares if squared else Tree("call", at, (squares,), ("sqrt", 0))

    def _take_order(self) -> None:
        if self.token.kind == "low" and self.take().text not in ("2", "F"):
            before = self.tokens[self.place - 1]
            raise self.source.fault(before.at, f"found {before} at a norm", "expected 2 or F", "sum(abs(a)) for ‖a‖_1")

    def listed(self, *commas: str) -> tuple[Tree, ...]:
        """Formulas with commas between them."""
        found = [self.expression()]
        while self.took(*commas):
            found.append(self.expression())
        return tuple(found)

    # ---- what begins with a word

    def word(self) -> Tree:
        """A fraction, a sum, a derivative, a function of something, or a name."""
        token, following = self.token, self.tokens[self.place + 1]
        if token.text == "for":
            found, hint = "found times other than 1, ..., T", "a start is written h_0 = s"
            hint = "no times, or those of one place, as dL/dh_T" if self.known else hint
            raise self.source.fault(token.at, found, "equations hold at all times", hint)
        if hint := ASIDE.get(token.text.lower(), ""):
            raise self.source.fault(token.at, f"found {token}", "expected a formula that holds at all times", hint)
        if token.text == "prod" and following.kind == "low":
            hint = f"a product up to now is a state: p_{self.now} = a_{self.now} * p_{{{self.now}-1}}, p_0 = 1"
            raise self.source.fault(token.at, "found a product over a letter", "expected factors", hint)
        if self.took("frac"):
            return self.fraction(token.at)
        if token.text == "sum" and (following.kind == "low" or following.text == "["):
            return self.total(self.take().at)
        if self.known and token.text == "d" and following.kind == "word":
            return self.differential(self.take().at)
        if self.known and token.text not in self.known and token.text[0] == "d" and token.text[1:] in self.known:
            self.tokens[self.place] = Token("word", token.text[1:], token.at + 1)
            return self.differential(token.at)
        return self.name(self.letter())

    def name(self, name: Name) -> Tree:
        """A name with all that stands at it, or a function with its argument."""
        if name.base in self.lags and self.token.kind not in SCRIPTS and self.token.text not in ("(", "["):
            return Tree("number", name.at, value=Fraction(self.lags[name.base]))
        opened = self.token.text in ("(", "[") and self.tokens[self.place + 1].text in self.lags
        if opened and self.tokens[self.place + 2].text == CLOSING[self.token.text]:  # w(k) beside x(t-k)
            name = replace(name, marks=(*name.marks, str(self.lags[self.tokens[self.place + 1].text])))
            self.place += 3
        name, primes, after = self.scripts(name)
        if name.at in self.late_primes and not self.known:
            said, other = self.source.words(name.at).split("'")[0], f"{name.base}'_{self.now} for another letter"
            raise self.source.two_readings(name.at, f"{said}'", f"{said}^T for the transpose", other)
        if name == Name("name", name.at, base=self.now):
            raise self._time_as_a_number(name)
        if self.token.text == "(" and self.is_power_of_value(name, after):
            return self.powers(reduce(self.raised, after, self.call(name, primes)))
        if name.base in ("log", "exp") and not after and self.token.kind == "word":
            return self._without_brackets(name, primes)
        self._check_brackets(name, after)
        bare = name.time is None and not name.places
        opens = self.token.text == "(" or (name.base in (*FUNCTIONS, *ACTIVATIONS) and self.token.text in CLOSING)
        if opens and bare and not after and self.is_function(name):
            return self.powers(self.call(name, primes))
        named = replace(name, base=name.base + "_prime" * primes)
        if self.token.text in ("(", "[") and bare:
            self.opened[self.token.at] = named
            if self.is_raised_function(name, after):
                said = f"{name.key()}^{after[0]}"
                one, other = f"{name.key()}(...)^{after[0]} for a function", f"{said} * (...) for a product"
                one = "another letter for the inverse function" if after[0][0] == "-" else one
                raise self.source.two_readings(name.at, f"{said} ( )", one, other)
        made: Tree = named
        for text in after:
            made = self.raised(made, text)
        return made

    def _time_as_a_number(self, name: Name) -> NotationError:
        before = self.tokens[self.place - 2]
        apart = f"{before.text}_{self.now} for a time, " * (before.kind == "word")
        word = f"a word in LaTeX is \\text{{...}}_{self.now}" if self.word_before(name) else ""
        word = word or WORDS * bool(re.match("[A-Za-z]{2}", self.source.text[name.at :]))
        hint = word or f"{apart}a sequence that is given, as s_{self.now}, for what depends on the time itself"
        hint = STEP if before.text == "d" else hint
        return self.source.fault(name.at, f"found the time {self.now} as a number", "expected a quantity", hint)

    def _without_brackets(self, name: Name, primes: int) -> Tree:
        """The logarithm or the exponential of one factor, as in log y_t."""
        part = self.factor()
        if self._begins_a_factor():
            one, other = f"{name.base}({self.source.words(part.at)}) ...", f"{name.base}(...) of all"
            raise self.source.two_readings(name.at, f"{name.base} without brackets", one, other)
        return self.applied(name, primes, (part,))

    def _check_brackets(self, name: Name, after: list[str]) -> None:
        """Refuse a function without brackets behind it, and brackets behind what is no function of each element."""
        if after and (name.base in FUNCTIONS or (name.base in NAMED and self.token.kind == "word")):  # sin^2 theta_t
            raise self.source.fault(name.at, f"found {name.base}^{after[0]}", f"expected {name.base}(...)^{after[0]}")
        bare_call = name.base in NAMED and name.key() not in self.lettered and self.token.kind in ("word", "number")
        if (name.base in FUNCTIONS or bare_call) and self.token.text not in CLOSING:
            gates = self.token.text in ("]", ";", ",")  # [sigma; tanh] (W x_t)
            hint = f"{name.base}(...)" + ", or sum_j for a sum over j" * (name.base == "sum")
            hint = "a line for each gate, as f_t = sigma(...)" if gates else hint
            raise self.fault(self.token, f"the argument of {name.base} in brackets", hint)
        if self.token.text in ("(", "[") and (hint := self.instead(name)):
            raise self.source.fault(name.at, f"found {name.base}", "expected a function of each element", hint)
        if self.token.text == "(" and (word := self.word_before(name)):
            function, factors = rf"\operatorname{{{word}}}(...) for a function", f"{' '.join(word)} (...) for a product"
            raise self.source.two_readings(name.at + 1 - len(word), f"{word} ( )", function, factors)

    def call(self, name: Name, order: int) -> Tree:
        """A function with its arguments in brackets."""
        opening = self.take()
        parts = self.inside(CLOSING[opening.text], lambda: self.listed(","))
        if opening.text == "[" and self.token.text == "{":  # a cube root
            found, hint = f"found {name.base} with a number in brackets", "exp(log(a) / 3) for the root of order 3"
            raise self.source.fault(opening.at, found, f"expected {name.base} of one formula", hint)
        return self.applied(name, order, parts)

    def applied(self, name: Name, order: int, parts: tuple[Tree, ...]) -> Tree:
        """A function of its arguments; max(0, a) is relu(a), and softmax(a) is exp(a) by its sum."""
        base = called(name.base) or name.base
        wanted = 2 if base in ("max", "min") else 1
        if base in CALLS and len(parts) == 2:
            return Tree(CALLS[base], name.at, parts, "⊙" if base in ("multiply", "mul") else None)
        if base == "pow" and len(parts) == 2 and parts[1].op == "number":
            return self.raised(parts[0], str(parts[1].value))
        if (many := len(parts)) != wanted:
            hint = f"a sum of what it takes, as {base}(W x_{self.now} + U h_{{{self.now}-1}})" if wanted == 1 else ""
            hint = LOSS if re.search("loss|entropy|cal[A-Z]", base) else hint
            raise self.source.fault(name.at, f"found {base} of {many} arguments", f"expected {wanted}", hint)
        shown = tuple(one for one in parts if one.op != "number" or one.value)
        if base == "max" and len(shown) == 1:
            base, parts = "relu", shown
        elif base == "norm":
            return self.length(name.at, parts[0])
        elif wanted == 2:
            return Tree(base, name.at, parts)
        elif base == "softmax" and name.marks:
            found, hint = f"found the label {name.marks[0]} at softmax", "softmax(a / tau) for a temperature"
            raise self.source.fault(name.at, found, "expected none", hint)
        elif base == "softmax":
            share = Tree("call", name.at, parts, ("exp", 0))
            return Tree("quotient", name.at, (share, Tree("call", name.at, (share,), ("softmax", 0))))
        return Tree("call", name.at, parts, ("_".join([base, *name.marks]), order))

    def differential(self, at: int, sign: str = "d") -> Tree:
        """dL, or the whole of dL/dh_t, with the sign of the derivative."""
        found = self.name(self.letter())
        if not isinstance(found, Name):
            raise self.fault(found, "the name of a quantity behind the d", "(dL/dW)^T" * (found.op == "transposed"))
        if self.below or not self.took("/"):
            return Tree("differential", at, (found,), sign)
        self.below = True  # in dL/dh/tau the second bar is no d/d
        below, self.below = self.factor(), False
        if below.op != "differential":
            hint = f"its names are {', '.join(sorted(self.known))}"
            raise self.source.fault(below.at, "found no derivative", "expected a d below the d, as in dL/dh_t", hint)
        self.check_signs(at, sign, below.value)
        return self.powers(Tree("slope", at, (found, *below.parts), max(sign, below.value)))

    def check_signs(self, at: int, above: str, below: str) -> None:
        """Refuse a derivative with one sign above and another one below."""
        if above[0] != below[0]:
            raise self.source.two_readings(at, f"{above}/{below}", "d/d for the total one", "∂/∂ for the other")

    def fraction(self, at: int) -> Tree:
        """What follows frac: both sides of the bar."""
        sides = [self.inside("}", self.expression) for _ in range(2) if self.take("{")]
        if {side.op for side in sides} == {"differential"}:
            self.check_signs(at, *(side.value for side in sides))
            sign = max(side.value for side in sides)  # with the plus, if one has it
            return self.powers(Tree("slope", at, (*sides[0].parts, *sides[1].parts), sign))
        return self.powers(Tree("quotient", at, tuple(sides)))


def _product(factors: list[Tree], joined: str = "") -> Tree:
    return factors[0] if len(factors) == 1 else Tree("product", factors[0].at, tuple(factors), joined)
