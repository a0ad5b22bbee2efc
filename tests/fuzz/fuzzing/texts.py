"""Recurrences as texts, and printed formulas for `judge`, by kinds of what is easily misread: true ones, false ones.

All quantities are numbers. The evaluator is a forward pass in complex numbers: derivatives are complex steps, functions
are what they are.
"""

import cmath
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

Formula = tuple  # ("num", 2), ("ref", "h", ("t", -1)), ("add" | "mul" | "over", ...), ("fun", "relu", order, ...), ...
Bump = tuple[tuple, complex] | None

STEP, END, NOW = 1e-20, ("T", 0), ("t", 0)
REAL: dict[str, Callable[[Any], Any]] = {
    "exp": cmath.exp, "log": cmath.log, "sqrt": cmath.sqrt, "tanh": cmath.tanh, "sin": cmath.sin, "cos": cmath.cos,
    "sigma": lambda z: 1 / (1 + cmath.exp(-z)), "softplus": lambda z: cmath.log(1 + cmath.exp(z)),
    "relu": lambda z: z if z.real > 0 else 0 * z, "abs": lambda z: z if z.real > 0 else -z,
    "max": lambda a, b: a if a.real > b.real else b, "min": lambda a, b: b if a.real > b.real else a,
}  # fmt: skip


class Unreadable(Exception):
    """A time outside the sequence."""


class Text(NamedTuple):
    """A recurrence: what each state is, in the order of the lines, and the summand of the loss."""

    states: dict[str, Formula]
    loss: Formula
    parameters: tuple[str, ...]

    def written(self) -> str:
        """As it is given to `read`."""
        lines = [f"{name}_t = {text(right)}" for name, right in self.states.items()]
        known = [f"{name} in R" for name in self.parameters]
        return "\n".join([*lines, f"L = sum_{{t=1}}^{{T}} {text(self.loss)}", *known, "x_t in R", "c_t in R"])


def num(value: float) -> Formula:
    return ("num", value)


def ref(name: str, time: tuple | None = NOW) -> Formula:
    return ("ref", name, time)


def fun(name: str, *arguments: Formula, order: int = 0) -> Formula:
    return ("fun", name, order, *arguments)


def less(left: Formula, right: Formula) -> Formula:
    return ("add", left, ("mul", num(-1), right))


def net(name: str) -> Formula:
    """The net input of a state."""
    return ref(f"net_{name}")


def by(target: Formula, wrt: Formula, sign: str = "d") -> Formula:
    return ("slope", sign, target, wrt)


def total(first: int, last: tuple, body: Formula) -> Formula:
    return ("sum", first, last, body)


LOSS = ref("L", None)

# ---- as text


def _time(time: tuple) -> str:
    letter, step = time
    return f"{letter}{step:+d}" if letter and step else str(letter or step)


def _name(one: Formula) -> str:
    _, name, time = one
    if time is None:
        return name
    when = _time(time)
    if name.startswith("net_"):
        return f"{name[:4]}{{{name[4:]},{when}}}" if time[0] else f"{name}({when})"
    return f"{name}_{{{when}}}" if time[0] else f"{name}({when})"


def text(one: Formula) -> str:
    """A formula as it is given to `judge`, with brackets around all that has parts."""
    kind, *rest = one
    if kind == "num":
        return str(rest[0]) if rest[0] >= 0 else f"({rest[0]})"
    if kind == "ref":
        return _name(one)
    if kind == "fun":
        return f"{rest[0]}{chr(39) * rest[1]}({', '.join(map(text, rest[2:]))})"
    if kind == "net":
        return text(rest[0])
    if kind == "power":
        return f"({text(rest[0])})^{rest[1]}"
    if kind == "slope":
        return f"{rest[0]}{_name(rest[1])}/{rest[0]}{_name(rest[2])}"
    if kind == "sum":
        return f"sum_{{t={rest[0]}}}^{{{_time(rest[1])}}} ({text(rest[2])})"
    return f"({ {'add': ' + ', 'mul': ' * ', 'over': ' / '}[kind].join(map(text, rest)) })"


# ---- in numbers


class Numbers:
    """A recurrence of some length with numbers drawn from a seed."""

    def __init__(self, made: Text, length: int, seed: int):
        self.made, self.length, self.seed = made, length, seed
        self.trace: dict[tuple, complex] = {}
        self.trace = self.run(None)

    def given(self, name: str, time: int | None) -> complex:
        draw = Random(f"{self.seed} {name} {time}")
        return complex(draw.choice((-1, 1)) * draw.uniform(0.3, 1.3))

    def run(self, bump: Bump) -> dict[tuple, complex]:
        """All states, with a step added to one element."""
        trace: dict[tuple, complex] = {}
        for t in range(1, self.length + 1):
            for name, right in self.made.states.items():
                found = self.value(right, t, trace, bump, name)
                trace[name, t] = found + (bump[1] if bump and bump[0] == (name, t) else 0)
        return trace

    def value(self, one: Formula, t: int, trace: dict, bump: Bump = None, named: str = "") -> complex:
        """The value of a formula at t; the step is added to what is given, and to the net input of what is computed."""
        kind, *rest = one
        if kind == "num":
            return complex(rest[0])
        if kind == "ref":
            return self._element(rest[0], self.at(rest[1], t), trace, bump)
        if kind == "slope":
            return complex(self._slope(*rest, t))
        if kind == "sum":
            times = range(rest[0], self.at(rest[1], t) + 1)
            return sum((self.value(rest[2], s, trace, bump) for s in times), 0j)
        parts = [self.value(part, t, trace, bump, named) for part in rest if isinstance(part, tuple)]
        if kind == "net":
            trace.setdefault((f"net_{named}", t), parts[0])
            return parts[0] + (bump[1] if bump and bump[0] == (f"net_{named}", t) else 0)
        if kind == "fun" and rest[1]:
            return complex(REAL[rest[0]](parts[0] + STEP * 1j).imag / STEP)
        if kind == "fun":
            return REAL[rest[0]](*parts)
        if kind == "power":
            return parts[0] ** rest[1]
        if kind == "over":
            return parts[0] / parts[1]
        found = parts[0]
        for part in parts[1:]:
            found = found + part if kind == "add" else found * part
        return found

    def at(self, time: tuple | None, t: int) -> int | None:
        return time and time[1] + {"t": t, "T": self.length, "": 0}[time[0]]

    def _element(self, name: str, time: int | None, trace: dict, bump: Bump) -> complex:
        state = name in self.made.states or name.startswith("net_")
        if name == "L":
            found = sum((self.value(self.made.loss, s, trace, bump) for s in range(1, self.length + 1)), 0j)
        elif state and time == 0 and not name.startswith("net_"):
            found = 0j
        elif time is not None and not 1 <= time <= self.length:
            raise Unreadable
        else:
            found = trace[name, time] if state else self.given(name, time)
        moved = not state or trace is self.trace  # a trace of its own has the step already
        return found + (bump[1] if bump and bump[0] == (name, time) and moved else 0)

    def _slope(self, sign: str, target: Formula, wrt: Formula, t: int) -> float:
        key, place = (wrt[1], self.at(wrt[2], t)), self.at(target[2], t)
        if place and place > self.length:
            raise Unreadable
        if key[1] and key[1] > self.length:
            return 0.0
        bump, name = (key, STEP * 1j), target[1]
        if sign == "d" or name == "L":
            trace = self.run(bump) if sign == "d" else self.trace
            return self._element(name, place, trace, bump).imag / STEP
        return self.value(self.made.states[name], place or 0, self.trace, bump, name).imag / STEP


def values(made: Text, left: Formula, right: Formula) -> Iterator[tuple[str, float, float]]:
    """Both sides wherever they can be read, in sequences of one to four steps."""
    for length in (1, 2, 3, 4):
        for seed in range(3):
            numbers = Numbers(made, length, seed)
            for t in range(1, length + 1):
                try:
                    sides = [numbers.value(side, t, numbers.trace).real for side in (left, right)]
                except Unreadable:
                    continue
                yield f"T={length}, seed {seed}, t={t}", *sides


def refuted(made: Text, left: Formula, right: Formula) -> str:
    """Where both sides differ beyond any doubt, with both values; empty if they do nowhere."""
    for where, a, b in values(made, left, right):
        if abs(a - b) > 0.05 * max(abs(a), abs(b)) > 0.005:
            return f"{where}: {a:.4g} and {b:.4g}"
    return ""


def confirmed(made: Text, left: Formula, right: Formula) -> bool:
    """Whether both sides agree to rounding wherever they can be read, and are not 0 at all places."""
    found = [*values(made, left, right)]
    equal = all(abs(a - b) < 1e-9 * max(1, abs(a), abs(b)) for _, a, b in found)
    return equal and any(abs(a) > 0.005 for _, a, _ in found)
