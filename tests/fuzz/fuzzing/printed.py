"""The numbered cases of texts: a recurrence, a true formula about it, falsehoods, and formulas with a foreign name."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from fuzzing.texts import END, LOSS, NOW, Formula, Text, by, confirmed, fun, less, net, num, ref, refuted, text, total

SQUASHED = ("tanh", "sigma", "relu", "softplus", "sin", "abs")
FOREIGN = ("sech", "f", "psi", "erfc", "asinh")
FALSEHOODS = 3
Pair = tuple[Formula, Formula]


class Printed(NamedTuple):
    """A formula about a text, the kind of it, and why it is false; "foreign" if it has a name that the text has not."""

    kind: str
    made: Text
    left: Formula
    right: Formula
    why: str = ""

    def written(self) -> str:
        """As it is given to `judge`."""
        return f"{text(self.left)} = {text(self.right)}"


def recurrence(draw: Random) -> Text:
    """One unit that feeds back, at times with a gate and with an output of its own."""

    def layer(name: str) -> Formula:
        first, second = f"w_{name}", f"u_{name}"
        inner = ("add", ("mul", ref(first, None), ref("h", ("t", -1))), ("mul", ref(second, None), ref("x")))
        return fun(draw.choice(SQUASHED[:2] if name == "z" else SQUASHED), ("net", inner))

    states, pattern = {}, draw.choice(("plain", "gate", "leak"))
    if pattern == "gate":
        states["z"] = layer("z")
        kept, new = ("mul", ref("z"), ref("h", ("t", -1))), ("mul", less(num(1), ref("z")), ref("x"))
        states["h"] = ("add", kept, new)
    else:
        before = ("mul", ref("a", None), ref("h", ("t", -1)))
        states["h"] = layer("h") if pattern == "plain" else ("add", before, layer("h"))
    output = draw.random() < 0.5
    if output:
        states["y"] = ("mul", ref("v", None), ref("h"))
    error = less(ref("y" if output else "h"), ref("c"))
    read = {part[1] for right in states.values() for part in parts(right) if part[0] == "ref" and part[2] is None}
    return Text(states, ("power", error, 2), tuple(sorted(read)))


def is_formula(part: object) -> bool:
    """Whether a part of a formula is one itself: no time, number or name."""
    return isinstance(part, tuple) and part[0] in KINDS


def parts(one: Formula) -> list[Formula]:
    """A formula and all that stands in it."""
    return [one, *(inner for part in one if is_formula(part) for inner in parts(part))]


KINDS = {"num", "ref", "fun", "net", "power", "slope", "sum", "add", "mul", "over"}


def squashed(made: Text) -> str:
    """The state that is an activation of a net input, possibly among other terms."""
    return "z" if "z" in made.states else "h"


def activation(made: Text) -> str:
    """The name of its activation."""
    return next(part[1] for part in parts(made.states[squashed(made)]) if part[0] == "fun")


# ---- what is true, by kind


def by_value(made: Text, draw: Random) -> Pair:
    """An identity of functions that are what their names say, at formulas of the text."""
    some = [ref("h"), ref("x"), net(squashed(made)), ("mul", ref("h"), ref("x")), less(ref("x"), ref("h"))]
    u, v = draw.sample(some, 2)
    minus, large = ("mul", num(-1), u), fun("exp", u)
    return draw.choice([
        (u, less(fun("relu", u), fun("relu", minus))), (fun("max", u, v), fun("max", v, u)),
        (("power", fun("relu", u), 2), ("mul", u, fun("relu", u))), (fun("min", u, v), fun("min", v, u)),
        (("mul", fun("relu", u, order=1), fun("relu", u)), fun("relu", u)), (("mul", fun("exp", num(0)), u), u),
        (fun("exp", fun("log", large)), large), (("power", fun("sqrt", large), 2), large), (fun("log", large), u),
        (fun("abs", u), fun("max", u, minus)), (less(fun("softplus", u), fun("softplus", minus)), u),
        (fun("exp", ("add", u, v)), ("mul", large, fun("exp", v))),
        (fun("sin", minus), ("mul", num(-1), fun("sin", u))),
    ])  # fmt: skip


def written_out(made: Text, draw: Random) -> Pair:
    """An activation by exponential functions, or by the other activation."""
    u = draw.choice([net(squashed(made)), ref("x"), ref("h")])
    minus, twice = ("mul", num(-1), u), ("mul", num(2), u)
    e, small = fun("exp", u), fun("exp", minus)
    return draw.choice([
        (fun("sigma", u), ("over", num(1), ("add", num(1), small))), (fun("sigma", u), ("over", e, ("add", num(1), e))),
        (fun("sigma", u), less(num(1), fun("sigma", minus))), (fun("tanh", minus), ("mul", num(-1), fun("tanh", u))),
        (fun("tanh", u), less(("mul", num(2), fun("sigma", twice)), num(1))),
        (fun("tanh", u), ("over", less(e, small), ("add", e, small))),
        (fun("tanh", u), less(num(1), ("over", num(2), ("add", fun("exp", twice), num(1))))),
    ])  # fmt: skip


def moved(one: Formula, steps: int, to: str = "t") -> Formula:
    """A formula some steps later, or at another time than t."""
    if one[0] == "ref" and one[2] is not None:
        return ref(one[1], (to, one[2][1] + steps))
    return tuple(moved(part, steps, to) if is_formula(part) else part for part in one)


def limits(made: Text, draw: Random) -> Pair:
    """A sum over time: its first or last term apart, with other limits, or the gradient with the time of the state."""
    name = squashed(made)
    body = draw.choice([
        ("mul", ref("h"), ref("x")), ("power", ref("h"), 2), ("mul", by(LOSS, net(name)), ref("x")),
        ("mul", by(LOSS, ref("h")), ref("h", ("t", -1))),
    ])  # fmt: skip
    later = draw.choice((1, 1, 2))
    return draw.choice([
        (total(1, END, body), ("add", total(1, ("T", -1), body), moved(body, 0, "T"))),
        (total(1, END, body), ("add", moved(body, 1, ""), total(2, END, body))),
        (total(1, END, body), total(1 - later, ("T", -later), moved(body, later))),
        (by(LOSS, ref(f"w_{name}", None)),
         total(0, ("T", -1), ("mul", by(LOSS, moved(net(name), 1)), ref("h")))),
    ])  # fmt: skip


def both_signs(made: Text, draw: Random) -> Pair:
    """A total derivative by immediate ones, as the chain rule has it."""
    name = draw.choice(list(made.states))
    terms = [by(LOSS, ref(name), "∂")]
    for reader, right in made.states.items():
        for lag in sorted({part[2][1] for part in parts(right) if part[:2] == ("ref", name)}):
            at = ref(reader, ("t", -lag))
            terms.append(("mul", by(LOSS, at), by(at, ref(name), "∂")))
    return by(LOSS, ref(name)), ("add", *terms) if terms[1:] else terms[0]


TRUE: dict[str, Callable[[Text, Random], Pair]] = {
    "text: functions by value": by_value, "text: written out": written_out,
    "text: limits": limits, "text: both signs": both_signs,
}  # fmt: skip

# ---- what is false, or has a name that the text has not


def changed(one: Formula, draw: Random, change: Callable[[Formula], Formula | None]) -> Formula | None:
    """A formula with one of its parts changed; None if no part can be."""
    found: list[Formula] = []

    def visit(node: Formula, wrap: Callable[[Formula], Formula]) -> None:
        if (new := change(node)) is not None:
            found.append(wrap(new))
        for place, part in enumerate(node):
            if is_formula(part) and node[0] != "slope":
                visit(part, lambda new, place=place: wrap((*node[:place], new, *node[place + 1 :])))  # type: ignore[misc]

    visit(one, lambda new: new)
    return draw.choice(found) if found else None


def slipped(draw: Random) -> Callable[[Formula], Formula | None]:
    """A slip of one kind: a number, a term lost, a sign of a derivative, a limit, a time, a function."""

    def change(one: Formula) -> Formula | None:
        kind = one[0]
        if kind == "num" and one[1]:
            return num(draw.choice((-one[1], one[1] + 1)))
        if kind == "add":
            return one[1] if len(one) == 3 else one[:-1]
        if kind == "slope" and one[1] == "∂" and one[2][1] == "L":
            return by(*one[2:])
        if kind == "sum":
            first, (letter, step) = one[1:3]
            return draw.choice([total(first + 1, *one[2:]), total(first, (letter, step - 1), one[3])])
        if kind == "ref" and one[2] == NOW and one[1] == "h":
            return ref("h", ("t", -1))
        if kind == "fun" and one[1] in ("max", "min"):
            return fun("min" if one[1] == "max" else "max", *one[3:])
        return None

    return change


def foreign(draw: Random) -> Callable[[Formula], Formula | None]:
    """A function, letter or limit that no text has."""

    def change(one: Formula) -> Formula | None:
        if one[0] == "fun" and one[1] not in ("max", "min"):
            return fun(draw.choice(FOREIGN), *one[3:], order=one[2])
        if one[0] == "sum":
            return total(one[1], draw.choice((("N", 0), ("n", 0), ("N", -1))), one[3])
        return ref(draw.choice("qk")) if one[0] == "ref" and one[2] == NOW else None

    return change


def printed(number: int) -> list[Printed]:
    """The case of a number: its truth first, then falsehoods, and last the truth with a foreign name."""
    draw = Random(f"text {number}")
    kind = list(TRUE)[number % len(TRUE)]
    while True:
        made = recurrence(draw)
        left, right = TRUE[kind](made, draw)
        if confirmed(made, left, right):
            break
    found, seen = [Printed(kind, made, left, right)], {right}
    for _ in range(20):
        new = changed(right, draw, slipped(draw))
        if new is not None and new not in seen and len(found) <= FALSEHOODS and (why := refuted(made, left, new)):
            seen.add(new)
            found.append(Printed(kind, made, left, new, why))
    strange = changed(right, draw, foreign(draw))
    return [*found, *([Printed("text: foreign name", made, left, strange, "foreign")] if strange else [])]
