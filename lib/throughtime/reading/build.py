"""From the equations of a text to a system: who is computed, given and learned, and over which sets the letters run."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Rational

from throughtime.derivation import (
    DEFINED,
    INPUT,
    LENGTH,
    PARAMETER,
    Dimension,
    Domain,
    Index,
    Quantity,
    Ref,
    System,
    domain,
    refs,
    sum_over,
    time,
)
from throughtime.reading import trees
from throughtime.reading.arrays import Arrays
from throughtime.reading.axes import Array, Axis, Scope
from throughtime.reading.parser import Parser
from throughtime.reading.ranks import Ranks
from throughtime.reading.statements import Statements
from throughtime.reading.tokens import GREEK

LETTERS = ("i k p r l", "j q u v", "a e c b", "d g y z")  # for the sets in the order in which they are met
SIZES = "n m p q r N M P Q R"
Sides = tuple[trees.Equation, Scope, list[Array]]


class Builder:
    """Makes a system of a text; `quantities` and `domains` are what it consists of. NotationError for a text it cannot
    read, DerivationError for a system that the engine refuses."""

    def __init__(self, text: str, name: str, now: str):
        self.read = Statements(Parser(text, now))
        self.now, self.system, self.domains = now, System(name, time(now)), []
        self.named = {size: Axis(size) for size in sorted(self.read.sizes)}
        axes = {key: tuple(Axis() for _ in range(rank)) for key, rank in self._ranks().items()}
        for one in self.read.declared:
            for axis, size in zip(axes.get(one.name.key(), ()), one.sizes, strict=False):
                self.named[size].join(axis)
        self.arrays = Arrays(self.read.source, axes, self.named, self.domain_of, self.letter_for)
        self.quantities = self.arrays.quantities
        sides = [self.side_by_side(one) for one in self.read.equations]
        starts = [self.side_by_side(one) for one in self.read.starts]
        self._make_quantities()
        for one in sides:
            self._define(*one)
        for one in starts:
            self._start(*one)
        self._give_earlier()
        self.loss = self._loss()
        self.system.check()

    def _ranks(self) -> dict[str, int]:
        """How many indices each quantity has: as declared, as in index notation, or as matrix notation needs it."""
        known = {one.name.key(): len(one.sizes) for one in self.read.declared}
        for key, name, indices in self.read.uses():
            many = len(indices or ())
            if indices is not None and known.setdefault(key, many) != many:
                given = f"found {key} with {many} indices"
                raise self.read.source.fault(name.at, given, f"expected {known[key]}, as elsewhere")
        plain = [one for one in (*self.read.equations, *self.read.starts) if not one.letters]
        order = {INPUT: 0, PARAMETER: 1, DEFINED: 2}
        names = [(key, name.base, self.read.roles[key] != DEFINED) for key, name in self.read.names.items()]
        found = Ranks(known).settle(plain, sorted(names, key=lambda item: order[self.read.roles[item[0]]]))
        return {key: found[key] for key in self.read.names}

    def side_by_side(self, equation: trees.Equation) -> Sides:
        """The arrays of both sides, joined axis by axis. NotationError where they are not of one form."""
        scope, left = Scope({letter: Axis() for letter in sorted(equation.letters)}), equation.left
        made, start = self.arrays.of(left, scope), getattr(left, "time", None) == ("", 0)
        if isinstance(left, trees.Name) and left.time and not start:
            scope.left, (scope.now,) = left.key(equation.letters), self.arrays.when(left)
        rights = [self.arrays.of(right, scope) for right in equation.rights]
        for right, tree in zip(rights, equation.rights, strict=True):
            if (len(right.axes) != len(made.axes) or right.row) and not (start and not right.axes):
                raise self.read.source.fault(tree.at, f"found {right.kind}", f"expected {made.kind}, as on the left")
            for one, other in zip(made.axes, right.axes, strict=False):
                self.arrays.join(tree, one, other)
        return equation, scope, [made, *rights]

    # ---- sets and letters

    def domain_of(self, axis: Axis) -> Domain:
        """The set of an axis; sets get their names in the order in which they are met."""
        root = axis.root()
        if not root.domain:
            taken = (
                {one.name for one in self.domains} | {name.base for name in self.read.names.values()} | {*self.named}
            )
            more = [*SIZES.split(), *(f"n_{number}" for number in range(2, 100))]
            size = root.size or next(name for name in more if name not in taken)
            root.domain = domain(size, int(size) if size.isdigit() else Dimension(size))
            self.domains.append(root.domain)
        return root.domain

    def letter_for(self, axis: Axis, taken: Iterable[str]) -> Index:
        """A letter over the set of an axis that is not taken, nor the name of a quantity."""
        over = self.domain_of(axis)
        number, written = self.domains.index(over), {name.base for name in self.read.names.values()}
        pool = LETTERS[number].split() if number < len(LETTERS) else []
        more = (f"{(pool or ['i'])[0]}{count}" for count in range(number + 1, 100))
        free = (letter for letter in (*(one for one in pool if one not in written), *more) if letter not in taken)
        return Index(next(free), over)

    def letters(self, axes: Iterable[Axis], taken: Iterable[str] = ()) -> tuple[Index, ...]:
        """A letter for each axis, none of them taken."""
        found: list[Index] = []
        for axis in axes:
            found.append(self.letter_for(axis, {*taken, *(one.name for one in found)}))
        return tuple(found)

    def elements(self, equation: trees.Equation, sides: list[Array]) -> list[Expr]:
        """All sides of an equation at generic letters."""
        letters = self.letters(sides[0].axes)
        taken = frozenset(letter.name for letter in letters) | equation.letters
        return [side.element(letters if side.axes else (), taken) for side in sides]

    def element(self, key: str, when: Expr, taken: Iterable[str] = ()) -> Ref:
        """A quantity at letters that are not taken, and at a time if it has one."""
        letters, quantity = self.letters(self.arrays.axes[key], taken), self.quantities[key]
        return quantity[(*letters, *((when,) if quantity.timed else ()))]

    # ---- the system

    def _make_quantities(self) -> None:
        for key in sorted(self.read.names, key=lambda key: self.read.roles[key] != DEFINED):
            name, domains = self.read.names[key], map(self.domain_of, self.arrays.axes[key])
            how = {"timed": name.time is not None, "role": self.read.roles[key], "latex": latex_of(name, key)}
            self.quantities[key] = Quantity(key, *domains, **how)

    def _define(self, equation: trees.Equation, scope: Scope, sides: list[Array]) -> None:
        left, right = self.elements(equation, sides)
        for net, (element, argument) in self.arrays.nets.values():
            if net not in self.system.definitions:
                self.system[element] = argument
        self.system[left] = right

    def _start(self, equation: trees.Equation, scope: Scope, sides: list[Array]) -> None:
        left, right = self.elements(equation, sides)
        self.system.initial(left.at(self.system.t), right)

    def _give_earlier(self) -> None:
        """Give a sequence from the earliest time on that is read at time 1."""
        steps: dict[Quantity, int] = {}
        for ref in (ref for case in self.system.all_definitions() for ref in refs(case.right)):
            if ref.quantity.role == INPUT and ref.quantity.timed and ref.time.has(self.system.t):
                steps[ref.quantity] = min(int(ref.time - self.system.t), steps.get(ref.quantity, 0))
        for quantity, ahead in steps.items():
            if ahead:
                self.system.given_from(quantity, 1 + ahead)

    def _loss(self) -> Quantity:
        """The quantity that is written without a time, or half the squared distance of the last one from a target."""
        computed = [self.quantities[key] for key, role in self.read.roles.items() if role == DEFINED]
        if untimed := [one for one in computed if not one.timed]:
            return untimed[-1]
        output, taken = computed[-1], self.quantities
        name = next(one for one in ("target", "target_y", "target_") if one not in taken)
        latex = rf"\mathrm{{{name}}}" if "^" in output.latex else rf"{output.latex}^{{*}}"
        target = Quantity(name, *output.domains, timed=True, role=INPUT, latex=latex)
        loss = Quantity("L" if "L" not in taken else "Loss", timed=False, role=DEFINED)
        over = (time("s" if self.now != "s" else "u"), 1, LENGTH)
        now = self.element(output.name, over[0])
        squares = sum_over(over, *now.indices, (now - target[now.args[1:]]) ** 2)
        self.system[loss[()]] = Rational(1, 2) * squares
        taken |= {name: target, loss.name: loss}
        self.arrays.axes |= {name: self.arrays.axes[output.name], loss.name: ()}
        return loss


def latex_of(name: trees.Name, key: str) -> str:
    """The letter with its accent, its labels raised: indices stand below."""
    letter, *accents = name.base.split("_")
    tex = rf"\{letter}" if letter in GREEK else letter if len(letter) == 1 else rf"\mathrm{{{letter}}}"
    for accent in accents:
        tex = tex + "'" if accent == "prime" else rf"\{accent}{{{tex}}}"
    labels = [label for label in key.removeprefix(name.base).split("_") if label]
    labels = [rf"\{label}" if label in GREEK else "*" if label == "star" else label for label in labels]
    inner = ",".join(label if len(label) == 1 or "\\" in label else rf"\mathrm{{{label}}}" for label in labels)
    return f"{tex}^{{{inner}}}" if inner else tex
