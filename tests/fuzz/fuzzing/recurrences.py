"""Random recurrences as plain data: lags, parts of a domain, products of quantities, definitions by cases."""

from fractions import Fraction
from random import Random
from typing import NamedTuple

from fuzzing.language import LENGTH, Formula, add, fresh, mul, num, ref, summed, text, tsummed, when


class Quantity(NamedTuple):
    """A family of numbers: its role ("parameter", "input", "state", "once"), the domains of its indices, and of an
    input the first time at which it is given, and whether it is a mask.
    """

    role: str
    domains: tuple[str, ...] = ()
    first: int = 1
    mask: bool = False

    @property
    def timed(self) -> bool:
        """Whether it has a value at every time."""
        return self.role in ("input", "state")


class Definition(NamedTuple):
    """What defines a quantity for the indices `letters`, at the time t."""

    quantity: str
    letters: tuple
    right: tuple


class Recurrence(NamedTuple):
    """A recurrence: the size of each leaf domain by name, unions by the names of their parts, quantities, functions
    with their domains, definitions in the order of computing, initial values (0 unless given; a name is that of a
    parameter with one value for each unit), names that the dimensions print with, whether larger sizes are tried.
    """

    leaves: dict[str, str]
    unions: dict[str, tuple[str, ...]]
    quantities: dict[str, Quantity]
    functions: dict[str, tuple[str, ...]]
    definitions: tuple[Definition, ...]
    initial: dict[str, Fraction | str]
    names: dict[str, str]
    large: bool = False

    def parts(self, domain: str) -> tuple[str, ...]:
        """The leaf domains of a domain, in order."""
        return self.unions.get(domain, (domain,))

    def contains(self, domain: str, other: str) -> bool:
        """Whether every element of `other` is one of `domain`."""
        return set(self.parts(other)) <= set(self.parts(domain))

    def named(self, role: str) -> list[str]:
        """The quantities of a role."""
        return [name for name, one in self.quantities.items() if one.role == role]

    def is_state(self, formula: tuple) -> bool:
        """Whether a formula is an element of a state."""
        return formula[0] == "ref" and self.quantities[formula[1]].role == "state"

    def reads(self) -> list[tuple]:
        """All that may be cut: the states that definitions of the sequence read."""
        cases = (case for case in self.definitions if self.quantities[case.quantity].timed)
        read = ((item, case.quantity) for case in cases for item in case.right.nodes() if self.is_state(item))
        return [(item[1], item[2][0][1] if item[2] else None, -item[3][0], into) for item, into in read]

    def dimensions(self) -> list[str]:
        return list(dict.fromkeys(self.leaves.values()))

    def cases(self, quantity: str) -> list[Definition]:
        return [case for case in self.definitions if case.quantity == quantity]

    def start(self, state: str, letters: tuple) -> tuple:
        """The initial value of a state, as a formula."""
        value = self.initial.get(state, Fraction(0))
        return ref(value, letters) if isinstance(value, str) else num(value)

    def described(self) -> str:
        """The recurrence as text, a definition a line."""
        domains = [f"{name}: 1..{self.names[size]}" for name, size in self.leaves.items()]
        domains += [f"{name} = {' then '.join(parts)}" for name, parts in self.unions.items()]
        given = [f"{name} from time {self.quantities[name].first}" for name in self.named("input")]
        lines = [
            f"{text(ref(q, letters, when() if self.quantities[q].timed else None))} = {text(right)}"
            for q, letters, right in self.definitions
        ]
        initial = [f"initial {name} = {value}" for name, value in self.initial.items()]
        return "\n".join([", ".join(domains + given), *lines, *initial])


class Writer:
    def __init__(self, draw: Random):
        self.draw = draw
        self.shape = draw.choice(["scalar"] * 4 + ["flat"] * 3 + ["parts"] * 3)
        self.quantities: dict[str, Quantity] = {}
        self.functions: dict[str, tuple[str, ...]] = {}
        self.definitions: list[Definition] = []
        scalar, parts = self.shape == "scalar", self.shape == "parts"
        self.leaves = {} if scalar else {"A": "n", "B": "m"} if parts else {"U": "n", "X": "m"}
        self.unions = {"U": ("A", "B")} if parts else {}
        self.units = () if scalar else ("U",)

    def letters(self, domain: str = "U", stem: str = "i") -> tuple:
        """The index of a unit, none where there is but one."""
        return () if not self.units else ((stem, domain),)

    def new(self, stem: str, role: str, *domains: str, first: int = 1) -> str:
        name = stem if stem not in self.quantities else f"{stem}{len(self.quantities)}"
        self.quantities[name] = Quantity(role, domains, first)
        return name

    def lag(self) -> int:
        return self.draw.choice((1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4))

    def driven(self, own: tuple) -> tuple:
        """What an input or a bias adds to the net input of a unit."""
        first = 1 - self.draw.choice((0, 0, 0, 1, 2))
        kind = self.draw.choice(["bias", "own", "all"])
        if kind == "bias":
            return ref(self.new("b", "parameter", *self.units), own)
        if kind == "all" and "X" in self.leaves:
            weights, j = self.new("w", "parameter", *self.units, "X"), (fresh("j"), "X")
            x = self.new("x", "input", "X", first=first)
            return summed(j, ref(weights, (*own, j)) * ref(x, (j,), when("t", first - 1)))
        over = self.units if self.draw.random() < 0.5 else ()
        x, gain = self.new("x", "input", *over, first=first), self.new("c", "parameter", *self.units)
        return ref(gain, own) * ref(x, own if over else (), when("t", first - 1))

    def fed_back(self, own: tuple, state: str) -> tuple:
        """What earlier states add to the net input of a unit."""
        kind = self.draw.choice(["own", "own", "all", "all", "second", "part"])
        lag = self.lag()
        if kind in ("all", "part") and self.units:
            over = self.draw.choice(("A", "B")) if kind == "part" and self.unions else "U"
            k = (fresh("k"), over)
            factors = [ref(self.new("r", "parameter", "U", over), (*own, k)), ref(state, (k,), when("t", -lag))]
            return summed(k, mul(*factors, *self._squared(state, (k,))))
        factors = [ref(self.new("v", "parameter", *self.units), own), ref(state, own, when("t", -lag))]
        return mul(*factors, *(self._squared(state, own) if kind == "all" else []),
                   *([ref(state, own, when("t", -self.lag()))] if kind == "second" else []))  # fmt: skip

    def _squared(self, state: str, place: tuple) -> list[tuple]:
        return [ref(state, place, when("t", -self.lag()))] if self.draw.random() < 0.15 else []

    def net(self, own: tuple, state: str) -> tuple:
        more = [self.fed_back(own, state)] if self.draw.random() < 0.25 else []
        return add(self.driven(own), self.fed_back(own, state), *more)

    def applied(self, stem: str, argument: tuple, own: tuple) -> tuple:
        """A general function, at times one for each unit; at times one whose slope follows a rule."""
        domains = self.units if self.draw.random() < 0.2 else ()
        ruled = Random(f"{self.definitions} {argument}")  # of its own, so that all else is drawn as without it
        if not domains and ruled.random() < 0.15 and not self.functions.keys() & RULED:
            stem = ruled.choice(RULED)
        name = stem if stem not in self.functions else f"{stem}{len(self.functions)}"
        self.functions[name] = domains
        return Formula("fun", name, 0, argument, own if domains else ())

    def define(self, quantity: str, right: tuple, own: tuple) -> None:
        self.definitions.append(Definition(quantity, own, right))

    def states(self) -> None:
        """The definitions of the states h, of their net inputs a, and of a gate g."""
        own, now = self.letters(), when()
        h = self.new("h", "state", *self.units)
        pattern = self.draw.choice(["plain", "net", "net", "cases", "leak", "gate", "sum", "linear"])
        if pattern in ("plain", "linear"):
            net = self.net(own, h)
            return self.define(h, net if pattern == "linear" else self.applied("f", net, own), own)
        a = self.new("a", "state", *self.units)
        if pattern == "cases" and self.unions:
            for part in ("A", "B"):
                place = self.letters(part)
                self.define(a, self.net(place, h), place)
        else:
            self.define(a, self.net(own, h), own)
        squashed, before = self.applied("f", ref(a, own, now), own), ref(h, own, when("t", -self.lag()))
        if pattern == "leak":
            squashed = ref(self.new("u", "parameter", *self.units), own) * before + squashed
        elif pattern == "sum":
            squashed = before + squashed
        elif pattern == "gate":
            g = self.new("g", "state", *self.units)
            self.define(
                g, self.applied("s", self.net(own, h) if self.draw.random() < 0.4 else self.driven(own), own), own
            )
            gate = ref(g, own, now)
            squashed = (1 - gate) * before + gate * squashed
        return self.define(h, squashed, own)

    def loss(self) -> None:
        """A loss L of all states at all times."""
        s, k = fresh("s"), self.letters("U", fresh("k"))
        at = when(s)
        state = ref("h", k, at)
        cost = self.draw.choice(["error", "error", "half", "square", "cube", "masked"])
        error = state - ref(self.new("y", "input", *self.units), k, at)
        body = {"error": error ** 2, "half": num(Fraction(1, 2)) * error ** 2, "square": state ** 2,
                "cube": state ** 3, "masked": state ** 2 * num(1)}[cost]  # fmt: skip
        if cost == "masked":
            body = ref(self.new("e", "input"), (), at) * body
        if k:
            body = summed(k[0], body)
        self.define(self.new("L", "once"), tsummed(s, when(None, 1), when(LENGTH), body), ())

    def finished(self) -> Recurrence:
        """The recurrence, with initial values drawn."""
        self.states()
        self.loss()
        initial, chance = {}, self.draw.random()
        if chance < 0.2:
            initial["h"] = Fraction(self.draw.choice((2, -3, 1)), self.draw.choice((1, 2)))
        elif chance < 0.4:
            initial["h"] = self.new("z", "parameter", *self.units)
        names = {"n": "n", "m": "m"}
        return Recurrence(
            self.leaves, self.unions, self.quantities, self.functions, tuple(self.definitions), initial, names
        )


RULED = ("exp", "log", "sqrt")


def recurrence(draw: Random) -> Recurrence:
    """A random recurrence: at most three quantities of a unit, two dimensions, and a loss."""
    return Writer(draw).finished()
