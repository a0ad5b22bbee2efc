"""From the equations of a text to a system: who is computed, given and learned, and over which sets the letters run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from sympy import Expr, Rational

from throughtime.derivation import (
    DEFINED,
    INPUT,
    LENGTH,
    PARAMETER,
    DerivationError,
    Dimension,
    Quantity,
    Ref,
    System,
    refs,
    sum_over,
    time,
)
from throughtime.reading.elements import Elements
from throughtime.reading.lines import Lines
from throughtime.reading.names import COSTS
from throughtime.reading.parser import Parser
from throughtime.reading.ranked import OF_RANKS
from throughtime.reading.ranks import Ranks, kind
from throughtime.reading.sets import Axis, Sets, summed_time
from throughtime.reading.source import NotationError
from throughtime.reading.spelling import GREEK, sentences
from throughtime.reading.statements import Statements
from throughtime.reading.trees import Name

SAYS = {"scalar": 0, "vector": 1, "diagonal": 1, "matrix": 2, "matrices": 2}  # words of sentences, and ranks
SAID = rf"(\S+) (?:is|are|denotes?) (?:an? |the )?(?:[a-z-]+ ){{0,2}}?({'|'.join(SAYS)})\b"
HINTS = {  # for refusals of the engine
    "a circle at one time": "a value of the previous step has {t}-1",
    "looks ahead": "where nothing runs backwards, the left side has the latest time of the right one",
    "given_from": "a sum over time from 1 on, as sum_{t}",
    "Infinity": "nothing is divided by 0",
    "an `initial` value": "a start is a line, as h_0 = 1",
    "expected a time": "what reads all times is computed without one, as c = (sum_{t} a_{t}) / (sum_{t} b_{t})",
}


class Builder:
    """Makes a system of a text; `quantities` and `sets` are what it consists of. NotationError for a text it cannot
    read, or for a system that the engine refuses."""

    def __init__(self, text: str, name: str, now: str, given: Iterable[str] = ()):
        self.read = read = Statements(Lines(text, now))
        self.now, self.system = now, System(name, time(now))
        self.system.starts_once, constants = True, self._constants(given)
        sized = {size: Axis(size) for size in sorted(read.sizes)}
        self.ranks = self._ranks()
        self._check_said()
        axes = {key: tuple(Axis() for _ in range(self.ranks.known[key])) for key in read.names}
        for key, declared in read.declared.items():
            for axis, size in zip(axes.get(key, ()), declared.sizes, strict=False):
                sized[size].join(axis)
        letters = {letter for one in (*read.equations, *read.starts) for letter in one.letters}
        self.sets = Sets([now, *sized, *(one.base for one in read.names.values())], letters)
        self.elements = Elements(read.source, self.ranks, axes, sized, self.sets)
        self.quantities = self.elements.quantities
        sides = [self.elements.sides(one) for one in (*read.equations, *read.starts)]
        for key, written in sorted(read.names.items(), key=lambda item: read.roles[item[0]] != DEFINED):
            over, timed = map(self.sets.of, axes[key]), written.time is not None
            role = INPUT if key in constants else read.roles[key]
            self.quantities[key] = Quantity(key, *over, timed=timed, role=role, latex=latex_of(written, key))
        self.goals = {self.quantities[key] for key in read.goals}
        sizes = (size for over in self.sets.domains for size in over.upper.atoms(Dimension))
        for made in (*self.quantities.values(), *sizes):  # before a formula may have one of another text in its place
            self.system.printing.note(made, own=True)
        try:
            for number, (left, right) in enumerate(sides):
                self._define(left(), right(), number >= len(read.equations))
            self._give_earlier()
            self.system.check()
            self.loss = self._loss()
        except NotationError:
            raise
        except DerivationError as error:
            raise self.refused(error) from None

    def refused(self, error: DerivationError) -> NotationError:
        """The refusal of what the engine refuses, at the quantity that it names."""
        met = {name.at: re.search(rf"\b{key}[\[(]", f"{error}") for key, name in self.read.names.items()}
        place = min(((found.start(), at) for at, found in met.items() if found), default=(0, 0))
        hint = next((hint for said, hint in HINTS.items() if said in f"{error}"), "").format(t=self.now)
        return self.read.source.shown(place[1], f"{error}", hint)

    def _constants(self, given: Iterable[str]) -> set[str]:
        """The keys of what is given once. ValueError for a name of the text that is not without a time, or none."""
        learned = [key for key, role in self.read.roles.items() if role == PARAMETER]
        found = {one: Parser(one, self.now).factor() for one in given}
        keys = {one: tree.key() if isinstance(tree, Name) else "" for one, tree in found.items()}
        if wrong := [one for one, key in keys.items() if key not in learned]:
            raise ValueError(f"given: got {wrong[0]}, expected of what has no time: {', '.join(learned)}")
        trees = [tree for one in self.read.equations for tree in one.rights[0].all() if tree.op == "product"]
        after = {b.key() for tree in trees for a, b in pairwise(tree.parts) if a.op == "number" and isinstance(b, Name)}
        circle = {"pi"} & after & {*learned} - {*self.read.declared}  # of 2 pi
        return {*keys.values()} | self.read.goals | circle

    def _ranks(self) -> Ranks:
        """How many indices each quantity has: as declared, as in index notation, or as matrix notation needs it."""
        known = {key: len(one.sizes) for key, one in self.read.declared.items()}
        for key, _, indices in self.read.uses():
            if indices is not None:
                known.setdefault(key, len(indices))
        order = {INPUT: 0, PARAMETER: 2, DEFINED: 4}
        names = [(key, name, self.read.roles[key]) for key, name in self.read.names.items()]
        ranks = Ranks(self.read.source, known | dict.fromkeys({*self.read.sizes, "T"} - {*self.read.names}, 0))
        equations = (*self.read.equations, *self.read.starts)
        noise = {key for key, name, role in names if role == INPUT and name.base in GREEK}  # after what is learned
        ranks.settle(equations, sorted(names, key=lambda item: 3 if item[0] in noise else order[item[2]]))
        for check in OF_RANKS:
            check(self.read, ranks)
        return ranks

    def _check_said(self) -> None:
        """NotationError for a letter that a sentence calls another kind of thing than it was taken for."""
        for sentence in sentences(text := self.read.source.text):
            for letter, word in re.findall(SAID, sentence):
                try:
                    found = Parser(letter.strip("$(,"), self.now).factor()
                except NotationError:
                    continue
                key = found.key() if isinstance(found, Name) else ""
                rank = self.ranks.known.get(key)
                if key in self.read.roles and rank != SAYS[word]:
                    one = f"{key}_{self.now}" if self.read.names[key].time else key
                    hint = f"{one} in R for a number, {one} in R^n for a vector, with * for the product of elements"
                    place = text.find(sentence) + sentence.find(letter)
                    taken = f"expected {kind(rank or 0)}, as the equations have it"
                    raise self.read.source.fault(place, f"found {key}, said to be {word}", taken, hint)

    def element(self, key: str, when: Expr, taken: Iterable[str] = ()) -> Ref:
        """A quantity at letters that are not taken, and at a time if it has one."""
        letters, quantity = self.sets.indices(self.elements.axes[key], taken), self.quantities[key]
        return quantity[(*letters, *((when,) if quantity.timed else ()))]

    def _define(self, left: Ref, right: Expr, start: bool) -> None:
        for net, element, argument in self.elements.nets.values():
            if net not in self.system.definitions:
                self.system.printing.note(net, own=True)
                self.system[element] = argument
        if start:
            self.system.initial(left.at(self.system.t), right)
        else:
            self.system[left] = right

    def _give_earlier(self) -> None:
        """Give a sequence from the earliest time on that is read at time 1."""
        steps: dict[Quantity, int] = {}
        for ref in (ref for case in self.system.all_definitions() for ref in refs(case.right)):
            if ref.quantity.role == INPUT and ref.quantity.timed:
                back = [ref.time - one for one in ref.time.free_symbols]
                steps[ref.quantity] = min([steps.get(ref.quantity, 0), *(int(one) for one in back if one.is_Integer)])
        for quantity, ahead in steps.items():
            if ahead:
                self.system.given_from(quantity, 1 + ahead)

    def _loss(self) -> Quantity:
        """What is written without a time, or the sum of a cost over time, or else of half the squared distance of the
        output from a target."""
        output, is_cost = self._output()
        if not output.timed:
            return output
        taken = self.quantities
        loss = Quantity(next(one for one in ("L", "Loss", "L_") if one not in taken), timed=False, role=DEFINED)
        over = (summed_time((self.now, *taken)), 1, LENGTH)
        now = self.element(output.name, over[0])
        if is_cost:
            self.system[loss[()]] = sum_over(over, now)
        else:
            name = next(one for one in ("target", "target_y", "target_") if one not in taken)
            raised = "^" in output.latex or f"{output.name}_star" in taken
            latex = rf"\mathrm{{{name}}}" if raised else rf"{output.latex}^{{*}}"
            target = Quantity(name, *output.domains, timed=True, role=INPUT, latex=latex)
            self._add(target, self.elements.axes[output.name])
            squares = sum_over(over, *now.indices, (now - target[now.args[1:]]) ** 2)
            self.system[loss[()]] = Rational(1, 2) * squares
        self._add(loss, ())
        return loss

    def _output(self) -> tuple[Quantity, bool]:
        """What the loss is, or is the sum of, or is of; and whether it has the name of a cost.

        NotationError if there are several, or if what stands without a time is no number.
        """
        read, quantities = self.read, self.quantities
        unread = [quantities[key] for key in read.unread]
        costs = [one for one in unread if read.names[one.name].base in COSTS and not one.domains]
        once, costs_once = ([one for one in some if not one.timed] for some in (unread, costs))
        exact = [one for one in costs_once if one.name in COSTS]
        found = exact or costs_once or costs or once or [quantities[key] for key in read.outputs]
        names, at = " and ".join(one.name for one in found), read.names[found[-1].name].at
        if len(found) > 1:
            expected = "expected one, the loss or what it is of"
            raise read.source.fault(at, f"found several ends, {names}", expected, "write L = ... for the loss")
        (end,) = found
        reads = [one.quantity for one in refs(self.system.definition(self.element(end.name, self.system.t)))]
        if end.domains and (not end.timed or end.name in read.summed):
            numbers = [one for one in reads if one.role == DEFINED and not one.domains]
            given = [one for one in reads if one.role == INPUT and one.domains and numbers]
            hint = f"{given[0].name}{f'_{self.now}' * given[0].timed} in R if it is a number, or " if given else ""
            of, hint = f"found {kind(len(end.domains))}", f"{hint}as ‖a‖^2 or sum(a)"
            raise read.source.fault(at, of, "expected one number for a loss", hint)
        if not end.timed and all(one.role == PARAMETER for one in reads):
            hint = "a start is a line h_0 = s; a number that no other line reads has to be left out"
            raise read.source.fault(at, f"found {end.name}, which reads no state", "expected a loss", hint)
        return end, end in costs

    def _add(self, made: Quantity, axes: tuple[Axis, ...]) -> None:
        self.system.printing.note(made, own=True)
        self.quantities[made.name], self.elements.axes[made.name] = made, axes
        self.ranks.known[made.name] = len(axes)


def latex_of(name: Name, key: str) -> str:
    """The letter with its accent, its labels raised: indices stand below."""
    letter, *accents = name.base.split("_")
    tex = rf"\{letter}" if letter in GREEK else letter if len(letter) == 1 else rf"\mathrm{{{letter}}}"
    for accent in accents:
        tex = tex + "'" if accent == "prime" else rf"\{accent}{{{tex}}}"
    labels = [label for label in key.removeprefix(name.base).split("_") if label]
    labels = [rf"\{label}" if label in GREEK else "*" if label == "star" else label for label in labels]
    inner = ",".join(_raised(label) for label in labels)
    return f"{tex}^{{{inner}}}" if inner else tex


def _raised(label: str) -> str:
    """A label as it stands above: a number in brackets, since it is no power."""
    if label.isdigit():
        return f"({label})"
    return label if len(label) == 1 or "\\" in label else rf"\mathrm{{{label}}}"
