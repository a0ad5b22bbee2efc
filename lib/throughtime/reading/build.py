"""From the equations of a text to a system: who is computed, given and learned, and over which sets the letters run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from sympy import Expr, Integer, Rational

from throughtime.derivation import (
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
from throughtime.derivation.formulas.nodes import DEFINED
from throughtime.reading.arrays import RANKS, Array, Arrays, Axis, Scope
from throughtime.reading.parser import Parser
from throughtime.reading.ranks import Ranks
from throughtime.reading.source import NotationError
from throughtime.reading.tokens import GREEK
from throughtime.reading.trees import Declared, Equation, Name, Product, Slope, Stack, Sum, Total, Tree

LETTERS = ("i k p r l", "j q u v", "a e c b", "d g y z")  # for the sets in the order in which they are met
SIZES = "n m p q r N M P Q R".split()


@dataclass(frozen=True)
class Use:
    """One occurrence of a quantity."""

    name: Name
    key: str
    indices: tuple[str, ...] | None  # None in matrix notation


def letters_of(equation: Equation) -> frozenset[str]:
    """The letters that are indices in an equation: those in brackets, under sums, and of the left side.

    One of the left side is an index if it also stands on the right: the r of `h_r = f(W_r x_t)` is none.
    """
    trees = [tree for side in (equation.left, *equation.rights) for tree in side.all()]
    names = [tree for tree in trees if isinstance(tree, Name)]
    sure = {tree.letter for tree in trees if isinstance(tree, Total) and len(tree.limits) < 2}
    sure |= {letter for name in names for letter in name.places}
    left = [mark for tree in equation.left.all() if isinstance(tree, Name) for mark in tree.marks]
    maybe = {letter for mark in left if set(mark) <= set("ijklmnpq") for letter in mark}
    right = [tree for side in equation.rights for tree in side.all() if isinstance(tree, Name)]
    seen = {letter for name in right for mark in name.marks if set(mark) <= maybe | sure for letter in mark}
    return frozenset(sure | (maybe & seen))


class Builder:
    """Makes a system of a text; `quantities`, `functions` and `sizes` are what it consists of, by name."""

    def __init__(self, text: str, name: str, now: str = "t"):
        self.parser = Parser(text, now)
        self.source, self.now, self.blocks = self.parser.source, now, {}
        found = self.parser.statements()
        self.declared = [one for one in found if isinstance(one, Declared)]
        equations = [self._prepared(one) for one in found if isinstance(one, Equation)]
        if not equations:
            raise self.source.fault(0, "found no equation", "expected lines such as h_t = tanh(W x_t + U h_{t-1} + b)")
        self.system = System(name, time(now))
        self.roles: dict[str, str] = {}
        self.starts = [one for one in equations if self._is_start(one, equations)]
        self.equations = [one for one in equations if one not in self.starts]
        self.written = frozenset(
            size.base for one in equations for side in one.rights for tree in side.all()
            if isinstance(tree, Total) and len(tree.limits) == 1 for size in tree.limits
        ) | {size for one in self.declared for size in one.sizes}  # fmt: skip
        self._assign_roles()
        self._find_axes()
        self._make()

    # ---- what the names are

    def _prepared(self, equation: Equation) -> Equation:
        """The equation with its letters found, and with a block for each vector below a matrix."""
        equation = self._in_blocks(equation)
        return replace(equation, letters=letters_of(equation))

    def _in_blocks(self, tree: Tree) -> Tree:
        """W [h; x] as W_h h + W_x x: a matrix before vectors one below the other has a block for each of them."""
        values = {}
        for field in fields(tree):
            value = getattr(tree, field.name)
            if isinstance(value, tuple):
                value = tuple(self._in_blocks(part) if isinstance(part, Tree) else part for part in value)
            values[field.name] = self._in_blocks(value) if isinstance(value, Tree) else value
        tree = type(tree)(**values)
        if not (isinstance(tree, Product) and isinstance(tree.factors[-1], Stack)):
            return tree
        *before, matrix, stack = tree.factors
        if not isinstance(matrix, Name):
            raise self.source.fault(matrix.at, "found no matrix before vectors one below the other", "expected a letter")
        labels = [row.base if isinstance(row, Name) else str(n) for n, row in enumerate(stack.rows, 1)]
        labels = [f"{one}{n}" if labels.count(one) > 1 else one for n, one in enumerate(labels, 1)]
        labels = self.blocks.setdefault(matrix.key(), labels)
        if len(labels) != len(stack.rows):
            many = f"{matrix.key()} before {len(stack.rows)} vectors"
            raise self.source.fault(stack.at, f"found {many}", f"expected {len(labels)}, as above")
        blocks = (replace(matrix, marks=(*matrix.marks, label)) for label in labels)
        terms = (Product(row.at, (*before, block, row)) for block, row in zip(blocks, stack.rows, strict=True))
        return Sum(tree.at, tuple(terms))

    def _is_start(self, equation: Equation, equations: Sequence[Equation]) -> bool:
        left = equation.left
        if not isinstance(left, Name):
            raise self.source.fault(left.at, "found a formula", "expected one quantity on the left side, as h_t")
        if left.time and not left.time[0]:
            return True
        computed = {one.left.key(one.letters) for one in equations if isinstance(one.left, Name) and one.left.time}
        return not left.time and left.marks[-1:] == ("0",) and self._started(equation) in computed

    @staticmethod
    def _started(equation: Equation) -> str:
        """The quantity of which an equation gives the start."""
        left = equation.left
        return left.key(equation.letters) if left.time else replace(left, marks=left.marks[:-1]).key(equation.letters)

    def uses(self, equation: Equation) -> Iterable[Use]:
        """All quantities in an equation, the left one first."""
        sides = [right.all() for right in equation.rights]
        for tree in (tree for side in (equation.left.all(), *sides) for tree in side):
            if isinstance(tree, Name) and not (tree.time is None and (tree.key() == "T" or tree.key() in self.written)):
                indices = tree.indices(equation.letters) if equation.letters else None
                yield Use(tree, tree.key(equation.letters), indices)

    def _assign_roles(self) -> None:
        """What is computed is a left side, what has a time is given, the rest is learned."""
        self.letters: dict[str, Name] = {}
        self.timed: dict[str, bool] = {}
        for one in self.equations:
            left = one.left.key(one.letters)
            if self.roles.get(left) and not one.letters:
                raise self.source.fault(one.at, f"found {left} on the left side again", "expected one equation for each")
            self.roles[left], self.timed[left], self.letters[left] = DEFINED, one.left.time is not None, one.left
        starts = (replace(one, left=one.rights[0]) for one in self.starts)
        for use in (use for one in (*self.equations, *starts) for use in self.uses(one)):
            key, timed = use.key, use.name.time is not None
            if self.timed.setdefault(key, timed) != timed:
                with_time = f"{use.name.base}_{{{self.now}-1}}"
                raise self.source.fault(
                    use.name.at, f"found {key} {'with' if timed else 'without'} a time",
                    "expected it as elsewhere in the text", f"{use.name.base}_{self.now} or {with_time}",
                )  # fmt: skip
            self.letters.setdefault(key, use.name)
            if use.name.base[0].isupper() and use.name.base not in GREEK and not timed and len(use.indices or "12") == 1:
                label, letter = use.name.key(), use.indices[0]
                raise self.parser.two_readings(
                    use.name.at, label, f"{use.name.base}_{{{letter}j}} x_j for an element of the matrix",
                    f"another name for the left side, in which {letter} is a label",
                )  # fmt: skip
            self.roles.setdefault(key, INPUT if timed else PARAMETER)

    # ---- how many indices, over which sets

    def _find_axes(self) -> None:
        known: dict[str, int] = {}
        for one in self.declared:
            known[one.name.key()] = len(one.sizes)
        plain = [one for one in (*self.equations, *self._as_equations(self.starts)) if not one.letters]
        for use in (use for one in (*self.equations, *self.starts) for use in self.uses(one)):
            if use.indices is not None and known.setdefault(use.key, len(use.indices)) != len(use.indices):
                many, other = len(use.indices), known[use.key]
                raise self.source.fault(use.name.at, f"found {use.key} with {many} indices", f"expected {other}, as elsewhere")
        order = {INPUT: 0, PARAMETER: 1, DEFINED: 2}
        names = [(key, name.base, self.roles[key] != DEFINED) for key, name in self.letters.items()]
        names.sort(key=lambda item: order[self.roles[item[0]]])
        known = Ranks(known).settle(plain, names)
        self.named = {size: Axis(size) for size in sorted(self.written)}
        axes = {key: tuple(Axis() for _ in range(known[key])) for key in self.letters}
        for one in self.declared:
            for axis, size in zip(axes.get(one.name.key(), ()), one.sizes, strict=True):
                self.named[size].join(axis)
        self.arrays = Arrays(self.source, axes, self.named)
        self.arrays.domain_of, self.arrays.letter_for = self.domain_of, self.letter_for
        self.sides = [self.side_by_side(one) for one in self.equations]
        self.first = [self.side_by_side(one) for one in self._as_equations(self.starts)]

    def _as_equations(self, starts: Iterable[Equation]) -> list[Equation]:
        """Starts h_0 = s as equations of the quantity itself."""
        return [
            replace(one, left=replace(one.left, time=("", 0), marks=one.left.marks[: None if one.left.time else -1]))
            for one in starts
        ]

    def side_by_side(self, equation: Equation) -> tuple[Equation, Scope, list[Array]]:
        """The arrays of both sides, joined axis by axis."""
        scope = Scope({letter: Axis() for letter in sorted(equation.letters)})
        left = self.arrays.of(equation.left, scope)
        if isinstance(equation.left, Name) and equation.left.time and equation.left.time[0]:
            scope.left, (scope.now,) = equation.left.key(equation.letters), self.arrays.when(equation.left, scope)
        rights = [self.arrays.of(right, scope) for right in equation.rights]
        for right, tree in zip(rights, equation.rights, strict=True):
            start = equation.left.time == ("", 0) if isinstance(equation.left, Name) else False
            if (len(right.axes) != len(left.axes) or right.row) and not (start and not right.axes):
                raise self.source.fault(tree.at, f"found {right.kind}", f"expected {left.kind}, as on the left side")
            for one, other in zip(left.axes, right.axes, strict=False):
                self.arrays.join(tree, one, other)
        return equation, scope, [left, *rights]

    def domain_of(self, axis: Axis) -> Domain:
        """The set of an axis; the sets have their names by the order in which the quantities are met."""
        root = axis.root()
        if not root.domain:
            taken = {one.name for one in self.domains} | {name.base for name in self.letters.values()} | self.written
            size = root.size or next(name for name in (*SIZES, *map("n_{}".format, range(2, 100))) if name not in taken)
            root.domain = domain(size, int(size) if size.isdigit() else Dimension(size))
            self.domains.append(root.domain)
        return root.domain

    def letter_for(self, axis: Axis, taken: frozenset[str]) -> Index:
        """A letter over the set of an axis that is not taken, nor the name of a quantity."""
        over = self.domain_of(axis)
        number = self.domains.index(over)
        pool = LETTERS[number].split() if number < len(LETTERS) else []
        written = {name.base for name in self.letters.values()}
        more = [f"{(pool or ['i'])[0]}{n}" for n in range(number + 1, 100)]
        free = (letter for letter in (*(one for one in pool if one not in written), *more) if letter not in taken)
        return Index(next(free), over)

    # ---- the system

    def _make(self) -> None:
        self.domains: list[Domain] = []
        computed = [key for key, role in self.roles.items() if role == DEFINED]
        for key in (*computed, *(key for key in self.letters if key not in computed)):
            name = self.letters[key]
            domains = [self.domain_of(axis) for axis in self.arrays.axes[key]]
            made = Quantity(key, *domains, timed=self.timed[key], role=self.roles[key], latex=latex_of(name, key))
            self.arrays.quantities[key] = made
        self.quantities = self.arrays.quantities
        for equation, scope, (left, right) in self.sides:
            letters = self.generic(left)
            taken = frozenset(letter.name for letter in letters) | equation.letters
            right_side = right.element(letters, taken)
            before = [one for one in self.arrays.nets.values() if one[0] not in self.system.definitions]
            for _, (net, argument) in before:
                self.system[net] = argument
            self.system[left.element(letters, taken)] = right_side
        for equation, scope, (left, right) in self.first:
            letters = self.generic(left)
            value = right.element(letters if right.axes else (), frozenset(letter.name for letter in letters) | equation.letters)
            self.system.initial(left.element(letters, frozenset()).at(self.system.t), value)
        self._give_earlier()
        self.loss = self._loss()
        self.system.check()

    def _give_earlier(self) -> None:
        """Give a sequence from the earliest time on that is read at time 1."""
        steps: dict[Quantity, int] = {}
        for ref in (ref for case in self.system.all_definitions() for ref in refs(case.right)):
            if ref.quantity.role == INPUT and ref.quantity.timed and ref.time.has(self.system.t):
                ahead = int(ref.time - self.system.t)
                steps[ref.quantity] = min(ahead, steps.get(ref.quantity, 0))
        for quantity, ahead in steps.items():
            if ahead:
                self.system.given_from(quantity, 1 + ahead)

    def generic(self, array: Array) -> tuple[Index, ...]:
        """A letter for each axis."""
        found: list[Index] = []
        for axis in array.axes:
            found.append(self.letter_for(axis, frozenset(one.name for one in found)))
        return tuple(found)

    def element(self, key: str, when: Expr | None = None, taken: Iterable[str] = ()) -> Ref:
        """A quantity at letters that are not taken."""
        used, letters = set(taken), []
        for axis in self.arrays.axes[key]:
            letters.append(self.letter_for(axis, frozenset(used)))
            used.add(letters[-1].name)
        quantity = self.quantities[key]
        return quantity[(*letters, *((self.system.t if when is None else when,) if quantity.timed else ()))] if letters or quantity.timed else quantity[()]

    def _loss(self) -> Quantity:
        """The quantity that is written without a time, or half the squared distance of the last one from a target."""
        untimed = [key for key in self.roles if self.roles[key] == DEFINED and not self.timed[key]]
        if untimed:
            return self.quantities[untimed[-1]]
        last = next(key for key in reversed(self.roles) if self.roles[key] == DEFINED)
        output = self.quantities[last]
        name, loss = ("target" if "target" not in self.roles else "targets"), ("L" if "L" not in self.roles else "Loss")
        power = "" if "^" in output.latex else output.latex
        latex = rf"{power}^{{*}}" if power else rf"\mathrm{{{name}}}"
        target = Quantity(name, *output.domains, timed=True, role=INPUT, latex=latex)
        made = Quantity(loss, timed=False, role=DEFINED)
        when = time("s") if self.now != "s" else time("u")
        now = self.element(last, when)
        squares = sum_over((when, 1, LENGTH), *now.indices, (now - target[now.args[1:]]) ** 2)
        self.system[made[()]] = Rational(1, 2) * squares
        self.quantities |= {name: target, loss: made}
        self.arrays.axes |= {name: self.arrays.axes[last], loss: ()}
        return made


def latex_of(name: Name, key: str) -> str:
    """The letter with its accent, its labels raised: indices stand below."""
    letter, *accents = name.base.split("_")
    tex = rf"\{letter}" if letter in GREEK else letter if len(letter) == 1 else rf"\mathrm{{{letter}}}"
    for accent in accents:
        tex = tex + "'" if accent == "prime" else rf"\{accent}{{{tex}}}"
    labels = key.removeprefix(name.base).strip("_").split("_")
    labels = [rf"\{label}" if label in GREEK else "*" if label == "star" else label for label in labels if label]
    inner = ",".join(label if len(label) == 1 or "\\" in label else rf"\mathrm{{{label}}}" for label in labels)
    return f"{tex}^{{{inner}}}" if inner else tex
