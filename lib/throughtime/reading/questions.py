"""Derivatives and programs of a recurrence that was read, by the names of its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

from sympy import Add, Expr

from throughtime import derivation as engine
from throughtime.derivation import DEFINED, INPUT, PARAMETER, Dimension, Quantity, Ref, System
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.publishing.outcome import Outcome
from throughtime.derivation.publishing.statement import Shown
from throughtime.reading.build import Builder
from throughtime.reading.parser import Parser
from throughtime.reading.trees import Name

LARGEST = 3000  # parts of a derivative: more take minutes to check


class Questions:
    """The questions to a recurrence about its derivatives and programs, by the names of its text."""

    def __init__(
        self, text: str, name: str, time: str, targets: Iterable[str] | None = None, given: Iterable[str] = ()
    ):
        self._built = built = Builder(text, name, time, given)
        self.text, self.system, self.loss = text, built.system, built.loss
        self.sizes = {dimension: 2 for one in built.sets.domains for dimension in one.upper.atoms(Dimension)}
        sizes = [self.sizes, self.sizes]  # two: numbers can hit a gate of 1
        try:
            self.bench = engine.Bench(self.system, sizes, activations=NAMED)
        except engine.DerivationError as error:  # a bar above 0 at the first step
            raise built.refused(error) from None
        if (least := self.bench.exact.shortest) > 1:
            self.bench.assumptions += (f"$T \\ge {least}$: each sum of the loss has a term.",)
        self._names = {**built.quantities, **built.elements.functions, **{size.name: size for size in self.sizes}}
        self._judged = count(1)
        if targets is not None:
            made = {one for name, one in built.quantities.items() if one.role == INPUT and name not in built.read.names}
            self.system.targets = frozenset({*made, *map(self._sequence, _listed(targets))})
        elif noise := added(self.system, found := self.system.targets_of(self.loss)):
            self.system.targets = frozenset(found - noise)

    def __getitem__(self, name: str) -> Quantity | engine.Activation | Dimension:
        """What a name stands for. Raises KeyError, with the names that there are, for another one."""
        key = name if name in self._names else self._name(name).key()
        if key not in self._names:
            blocks = [f"{key}_{label}" for label in self._built.read.blocks.get(key, ())]
            known = f"its blocks are {', '.join(blocks)}" if blocks else f"its names are {', '.join(self._names)}"
            raise KeyError(f"{name} is no quantity of {self.system.name}; {known}")
        return self._names[key]

    def _name(self, text: str) -> Name:
        parser = Parser(text, self._built.now, frozenset({"L"}))
        found = parser.factor()
        if not isinstance(found, Name) or parser.token.kind != "end":
            raise parser.source.fault(found.at, f"found {text!r}", "expected the name of one quantity, as h_t or W_r")
        return found

    def _element(self, text: str, taken: Iterable[Expr] = ()) -> Ref:
        """A quantity at letters of its own, at the time that is written or else at t."""
        if not isinstance(self[text], Quantity):
            raise KeyError(f"{text} is no quantity of {self.system.name}, expected one")
        name = self._name(text)
        key = text if text in self._names else name.key()
        when = self._built.elements.when(name)
        return self._built.element(key, when[0] if when else self.system.t, [*map(str, taken)])

    def _weight(self, name: str) -> Ref:
        weight = self._element(name)
        if weight.quantity.role != PARAMETER:
            hint = f', or backward("{name}")' if weight.quantity.timed else ""
            raise ValueError(f"gradient: {name} is not learned; expected a weight{hint}")
        return weight

    def _kept(self, names: Iterable[str]) -> list[Quantity]:
        return [self[name] for name in _listed(names)]

    def _sequence(self, name: str) -> Quantity:
        found, given = self[name], [one for one in self._built.quantities.values() if one.role == INPUT]
        if found not in given:
            raise ValueError(f"targets: got {name}, expected given sequences: {', '.join(map(str, given))}")
        return found

    # ---- derivations

    def backward(self, name: str, *, keep: Iterable[str] = (), cuts: Iterable[str] = ()) -> Shown:
        """The derivative of the loss with respect to a state, backwards in time, checked and ready to be shown.

        Derivatives of the quantities in `keep` stay as symbols; `cuts` as for `forward`. Raises ValueError for
        what has no time and for what is too large to be checked, CheckError where a check fails, as `show` does.
        """
        node = self._element(name)
        if not node.quantity.timed:
            hint = f', or gradient("{name}")' if node.quantity.role == PARAMETER else ""
            raise ValueError(f"backward: {name} has no time; expected a state{hint}")
        how = {"keep": self._kept(keep), "cuts": self.cuts(cuts)}
        return engine.show(self.bench, checkable(self.bench.derive_backward(self.loss[()], node, **how)))

    def gradient(self, name: str, *, cuts: Iterable[str] = ()) -> Shown:
        """The derivative of the loss with respect to something learned, as a sum over time, checked.

        Raises ValueError for what is not learned, CheckError as `backward` does.
        """
        weight = self._weight(name)
        return engine.show(
            self.bench, checkable(self.bench.derive_gradient(self.loss[()], weight, cuts=self.cuts(cuts)))
        )

    def forward(self, name: str, by: str, *, cuts: Iterable[str] = (), keep: Iterable[str] = ()) -> Shown:
        """The derivative of a state with respect to a weight or to another state, forwards in time, checked.

        With `cuts` it is the truncated one: "h_{t-1} into r" holds h of the previous step constant in what computes r.
        Raises ValueError for what is not computed at each time, CheckError as `backward` does.
        """
        target = self._element(name)
        if target.quantity.role != DEFINED or not target.quantity.timed:
            raise ValueError(f"forward: {name} is no state; expected what is computed at each time")
        wrt = self._element(by, taken=target.indices)
        how = {"keep": self._kept(keep), "cuts": self.cuts(cuts)}
        return engine.show(self.bench, checkable(self.bench.derive(target, wrt, **how)))

    def cuts(self, texts: Iterable[str]) -> tuple[Cut, ...]:
        """Cuts by name, each written as "h_{t-1} into r"; the net input of r is cut with it.

        Raises ValueError for a text without "into", KeyError for a name that is not in the recurrence.
        """
        found: list[Cut] = []
        for text in _listed(texts):
            argument, into = [*re.split(r"\s+into\s+", text), ""][:2]
            if not into:
                raise ValueError(f'cuts: got {text!r}, expected "h_{{t-1}} into r"')
            held, reader = self._element(argument), self[into]
            hit = [one for one in self._with_nets(reader) if (held.quantity, held.time) in self._read_by(one)]
            if not hit:
                known = ", ".join(f"{one}({when})" for one, when in self._arguments(reader))
                raise ValueError(f"cuts: {into} has no {argument}; it has {known}")
            found += [engine.cut(held, into=one) for one in hit]
        return tuple(dict.fromkeys(found))

    @property
    def states(self) -> tuple[str, ...]:
        """What is computed at each time, in that order, without the net inputs that stand for sums."""
        computed = (case.left.quantity for case in self.system.order())
        return tuple(dict.fromkeys(one.name for one in computed if one.timed and one not in self._nets))

    @property
    def weights(self) -> tuple[str, ...]:
        """What is learned, in the order of the text."""
        return tuple(one.name for one in self._built.quantities.values() if one.role == PARAMETER)

    @property
    def edges(self) -> tuple[str, ...]:
        """Every cut that there is, as `cuts` takes it: each argument of what is computed that is computed as well."""
        found = ((held, when, into) for into in self.states for held, when in self._arguments(self[into]))
        return tuple(dict.fromkeys(f"{held}({when}) into {into}".replace(" - ", "-") for held, when, into in found))

    @property
    def _nets(self) -> set[Quantity]:
        return {net for net, *_ in self._built.elements.nets.values()}

    def _with_nets(self, reader: Quantity) -> list[Quantity]:
        """A quantity, and the net inputs that stand for sums in its formula."""
        return [reader, *(one for one, _ in self._read_by(reader) if one in self._nets)]

    def _arguments(self, reader: Quantity) -> list[tuple[Quantity, Expr]]:
        """What of the computed quantities a formula of the text reads, each with the time of it."""
        read = [element for one in self._with_nets(reader) for element in self._read_by(one)]
        return [(one, when) for one, when in read if one.role == DEFINED and one not in self._nets]

    def _read_by(self, quantity: Quantity) -> list[tuple[Quantity, Expr]]:
        """What a quantity reads, each with the time of it."""
        return [(ref.quantity, ref.time) for case in self.system.cases(quantity) for ref in engine.refs(case.right)]

    # ---- programs

    def check(
        self, name: str, gradient: Callable[[dict[str, Any]], Any], *, activations: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Compare a function of one's own with the gradient by something learned, as `check_gradient` does.

        `gradient(values)` gets the numbers of all that is learned and given, by name, and returns the derivatives of
        the loss. Functions of which nothing is known are `activations`, each as `(z, order) -> number`. Raises
        ValueError as `gradient` does, DerivationError as `check_gradient` does.
        """
        weight = self._weight(name)
        sizes = [self.sizes, self.sizes]
        bench = engine.Bench(self.system, sizes, activations=NAMED | dict(activations or {}))
        return engine.check_gradient(bench, bench.derive_gradient(self.loss[()], weight), gradient)

    def compile(self, sizes: Mapping[str, int] | int, **how: Any) -> Any:
        """The network that computes and trains what was read: `throughtime.compile` with all other arguments.

        `sizes` are by name, as {"n": 3, "m": 2}, or one number for all. Raises ValueError or KeyError for a size that
        is missing or none of the recurrence, and what `throughtime.compile` raises.
        """
        from throughtime.programs.network import compile  # NumPy is needed from here on

        named = dict.fromkeys((size.name for size in self.sizes), sizes) if isinstance(sizes, int) else sizes
        chosen = {self[name]: number for name, number in named.items()}
        if wrong := {*chosen} ^ {*self.sizes}:
            known = ", ".join(size.name for size in self.sizes)
            raise ValueError(f"sizes: got {', '.join(named)}, expected {known} ({wrong.pop()})")
        return compile(self.system, self.loss, chosen, **how)


def added(system: System, given: Iterable[Quantity]) -> set[Quantity]:
    """What is added to something computed, as the noise v of y_t = C h_t + v_t, and is no target."""
    found = set[Quantity]()
    for case in (case for case in system.all_definitions() if case.left.quantity.timed):
        signs = [
            (term.as_coeff_Mul()[0] > 0, {one.quantity for one in engine.refs(term)})
            for term in Add.make_args(case.right)
        ]
        computed = {sign for sign, some in signs if any(one.role == DEFINED for one in some)}
        found |= {one for one in given for sign, some in signs if some == {one} and computed == {sign}}
    return found


def checkable(derivation: Derivation) -> Derivation:
    """The derivation itself; DerivationError if its result is too large to be checked."""
    if (many := sum(1 for _ in engine.nodes(derivation.result))) > LARGEST:
        instead = 'name what lies between in keep=, as keep="h", or ask for one step and multiply'
        raise engine.DerivationError(f"{derivation.left} has {many} parts, expected at most {LARGEST}: {instead}")
    return derivation


def _listed(names: str | Iterable[str]) -> Iterable[str]:
    return [names] if isinstance(names, str) else names
