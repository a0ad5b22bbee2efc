"""The plain text of a formula, parsed again, has the value of the formula."""

from __future__ import annotations

import random
import re
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Rational
from throughtime.derivation.deriving.system import LENGTH, System
from throughtime.derivation.evaluating.evaluate import OutOfRange
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.nodes import (
    Activation,
    Delta,
    Modulus,
    parameter,
    product_over,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.printing.printer import to_latex, to_text

n, m = Dimension("n"), Dimension("m")
A = domain("read A", n)  # own name, as in the tests of the printing
B = domain("B", m, after=A)
H = union("H", A, B)
i, j = Index("i", H), Index("j", H)
t, v, f = time("t"), variable("v"), Activation("f")
w, u, x = parameter("w", H, H), parameter("u", H), sequence("x", H)

SYSTEM = System("any")
SYSTEM[v[t]] = v[t - 1] + sum_over(i, j, w[i, j] * x[j, t] * u[i])
WITNESS = ExactInstance(SYSTEM, {n: 2, m: 1}, 3, seed=4)
QUANTITIES = {quantity.name: quantity for quantity in (w, u, x, v)}


class Reader:
    """Parser and evaluator of plain text by textbook rules: a sum extends to the next plus or minus."""

    TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]+|'+|\.\.|.)")

    def __init__(self, text: str, env: dict):
        self.tokens, self.place = self.TOKEN.findall(text), 0
        self.env = {str(letter): int(value) for letter, value in env.items()}
        self.env |= {str(dimension): int(size) for dimension, size in WITNESS.sizes.items()}

    def value(self):
        total = self.add()
        assert self.place == len(self.tokens), self.tokens[self.place :]
        return total

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        assert expected in ("", token), (expected, token, self.tokens)
        self.place += 1
        return token

    def took(self, token: str) -> bool:
        found = self.peek() == token
        self.place += found
        return found

    def add(self):
        total = self.multiply()
        while self.peek() in ("+", "-"):
            total = total + self.multiply() if self.take() == "+" else total - self.multiply()
        return total

    def multiply(self):
        if self.took("-"):
            return -self.multiply()
        total = self.power()
        while self.peek() in ("*", "/"):
            total = total * self.power() if self.take() == "*" else total / self.power()
        return total

    def power(self):
        base = self.atom()
        return base ** int(self.atom()) if self.took("^") else base

    def atom(self):
        token = self.take()
        if token.isdigit():
            return WITNESS.number(int(token))
        if token in ("(", "|"):
            inner = self.add()
            self.take(")" if token == "(" else "|")
            return inner if token == "(" else abs(inner)
        if token in ("sum", "prod"):
            return self.bound(token)
        return self.named(token)

    def bound(self, kind: str):
        self.take("[")
        letter = self.take()
        self.take("=")
        lower = self.add()
        self.take("..")
        upper = self.add()
        self.take("]")
        start, outer, values = self.place, self.env, []
        for place in range(int(lower), int(upper) + 1):
            self.place, self.env = start, {**outer, letter: place}
            values.append(self.multiply())
        self.env = outer
        assert values
        return sum(values) if kind == "sum" else prod(values)

    def named(self, name: str):
        places = []
        if self.took("["):
            places.append(int(self.add()))
            while self.took(","):
                places.append(int(self.add()))
            self.take("]")
        order = len(self.take()) if self.peek().startswith("'") else 0
        argument = None
        if self.took("("):
            argument = self.add()
            self.take(")")
        if name == "delta":
            return WITNESS.number(int(places[0] == places[1]))
        if name == "f":
            return WITNESS.function(f(u[1]), ())(argument, order)
        if name in QUANTITIES:
            return WITNESS.element((QUANTITIES[name], *places, *([int(argument)] if argument is not None else [])))
        return WITNESS.number(self.env[name])


def formula(draw: random.Random, letters: tuple, depth: int):
    if depth == 0:
        row, column = draw.choice(letters), draw.choice(letters)
        leaves = [
            w[row, column],
            u[row],
            x[row, t],
            v[t],
            v[t - 1],
            Integer(3),
            Rational(-2, 3),
            Delta(row, column),
            n,
            t,
        ]
        return draw.choice(leaves)
    kinds = ["add", "add", "subtract", "product", "product", "quotient", "power", "apply", "sum", "times", "modulus"]
    kind = draw.choice(kinds)
    if kind == "sum":
        letter = Index("abcd"[depth], H)
        return sum_over(letter, formula(draw, (*letters, letter), depth - 1))
    one = formula(draw, letters, depth - 1)
    if kind == "power":
        return one ** draw.choice([2, 3, t])
    if kind == "modulus":
        return Modulus(one)
    if kind == "apply":
        return draw.choice([f, f.prime])(one)
    if kind == "times":
        return product_over((time("opsr"[depth]), 1, LENGTH), one + v[time("opsr"[depth])])
    other = formula(draw, letters, depth - 1)
    made = {"add": one + other, "subtract": one - 2 * other, "product": one * other}
    return made[kind] if kind in made else one / (other**2 + 1)


@settings(max_examples=100)
@given(st.integers(0, 10**6))
def test_text_reads_back_as_the_formula(seed) -> None:
    made = formula(random.Random(seed), (i, j), 3)
    for env in list(WITNESS.environments(made, u[i], u[j], v[t]))[::11]:
        try:
            value = WITNESS.value(made, env)
        except OutOfRange:
            continue
        assert Reader(to_text(made), env).value() == value, (to_text(made), to_latex(made))
