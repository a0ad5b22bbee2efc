"""What `read` returns: a system that shows how it was read, its derivations checked, and printed formulas judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from sympy import Expr, Integer

from throughtime import derivation as engine
from throughtime.derivation import DEFINED, INPUT, PARAMETER, Dimension, Quantity, Ref, Statement, Total
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.errors import NotShownError, UncorrectedError
from throughtime.derivation.formulas.nodes import Immediate, sum_over
from throughtime.derivation.judging.checks import NOWHERE as UNREAD
from throughtime.derivation.judging.checks import Chain
from throughtime.derivation.judging.render import bundle
from throughtime.derivation.judging.statement import Shown
from throughtime.reading.answer import AGREES, NOWHERE, Answer
from throughtime.reading.build import Builder
from throughtime.reading.parser import Parser
from throughtime.reading.statements import letters_of
from throughtime.reading.trees import Equation, Name

ROLES = {DEFINED: "computed", INPUT: "inputs", PARAMETER: "learned"}
LARGEST = 3000  # parts of a derivative: more take minutes to check
WORDS = ("computed", "inputs", "targets", "learned")


class Reading:
    """A recurrence as it was read: its `system`, and the `bench` against which derivations are checked.

    It prints its index form, and each letter with its sizes: computed, an input, a target or learned.
    `reading["W_r"]` is a quantity, an activation or a size of the text by its name, for statements of one's own. Names
    are written as in the text, as `"h_t"` or `r"\\tilde{c}_t"`.
    """

    def __init__(self, text: str, name: str, time: str, targets: Iterable[str] | None = None):
        self._built = built = Builder(text, name, time)
        self.text, self.system, self.loss = text, built.system, built.loss
        self.sizes = {dimension: 2 for one in built.sets.domains for dimension in one.upper.atoms(Dimension)}
        sizes = [self.sizes, self.sizes]  # two: numbers can hit a gate of 1
        self.bench = engine.Bench(self.system, sizes, activations=NAMED)
        self._names = {**built.quantities, **built.elements.functions, **{size.name: size for size in self.sizes}}
        self._judged = count(1)
        if targets is not None:
            made = {one for name, one in built.quantities.items() if one.role == INPUT and name not in built.read.names}
            self.system.targets = frozenset({*made, *map(self._sequence, _listed(targets))})

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
        return engine.show(self.bench, _checkable(self.bench.derive_backward(self.loss[()], node, **how)))

    def gradient(self, name: str, *, cuts: Iterable[str] = ()) -> Shown:
        """The derivative of the loss with respect to something learned, as a sum over time, checked.

        Raises ValueError for what is not learned, CheckError as `backward` does.
        """
        weight = self._element(name)
        if weight.quantity.role != PARAMETER:
            hint = f', or backward("{name}")' if weight.quantity.timed else ""
            raise ValueError(f"gradient: {name} is not learned; expected a weight{hint}")
        return engine.show(
            self.bench, _checkable(self.bench.derive_gradient(self.loss[()], weight, cuts=self.cuts(cuts)))
        )

    def forward(self, name: str, by: str, *, cuts: Iterable[str] = (), keep: Iterable[str] = ()) -> Shown:
        """The derivative of a state with respect to a weight or to another state, forwards in time, checked.

        With `cuts` it is the truncated one: "h_{t-1} into r" holds h of the step before constant in what computes r.
        Raises ValueError for what is not computed at each time, CheckError as `backward` does.
        """
        target = self._element(name)
        if target.quantity.role != DEFINED or not target.quantity.timed:
            raise ValueError(f"forward: {name} is no state; expected what is computed at each time")
        wrt = self._element(by, taken=target.indices)
        how = {"keep": self._kept(keep), "cuts": self.cuts(cuts)}
        return engine.show(self.bench, _checkable(self.bench.derive(target, wrt, **how)))

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
            nets = {net for net, *_ in self._built.elements.nets.values()}
            readers = [reader, *(one for one, _ in self._read_by(reader) if one in nets)]
            hit = [one for one in readers if (held.quantity, held.time) in self._read_by(one)]
            if not hit:
                read = [element for one in readers for element in self._read_by(one) if element[0].role == DEFINED]
                known = ", ".join(f"{one}({when})" for one, when in read if one not in nets)
                raise ValueError(f"cuts: {into} has no {argument}; it has {known}")
            found += [engine.cut(held, into=one) for one in hit]
        return tuple(dict.fromkeys(found))

    def _read_by(self, quantity: Quantity) -> list[tuple[Quantity, Expr]]:
        """What a quantity reads, each with the time of it."""
        return [(ref.quantity, ref.time) for case in self.system.cases(quantity) for ref in engine.refs(case.right)]

    # ---- judging

    def judge(self, text: str, *, corrected: str | None = None, title: str | None = None) -> Statement | Answer:
        """Judge a printed formula, such as "dL/dh_t = ...", in the notation of the recurrence.

        What holds comes back as a box. What does not comes back with a counterexample in numbers of the functions
        themselves, and the correction: the one that is given, or else what the engine derives for the left side, or an
        `Answer` "wrong" where it derives none. What no number refutes and the engine cannot prove comes back as an
        `Answer` "not shown", a correction given or not. In a formula that has both d and the round ∂ the latter holds
        all other arguments of an equation of the text; alone it is read as d. Raises NotationError for a text that
        cannot be read, CheckError for a correction that does not hold, is not shown or is not needed.
        """
        left, *rights = self.formula(text)
        printed = engine.chain(left, *rights)
        id = f"{re.sub(r'[^a-z0-9]+', '-', self.system.name.lower())}-{next(self._judged)}"
        how = {"title": title or f"${engine.to_latex(left)}$", "numeric": "the text has no program"}
        engine.reset_statements(id)
        try:
            found = self.bench.equation(id, printed, **how)
        except NotShownError as error:
            said = NOWHERE if UNREAD in str(error) else AGREES
            return Answer(tuple(printed), "not shown", said, self.system.printing)
        except UncorrectedError as error:
            if not corrected:
                return self._wrong(id, printed, error.example, how)
        forms = [engine.chain(*self.formula(corrected))] if corrected else []
        return self.bench.equation(id, printed, corrected=forms, **how) if corrected else found

    def _wrong(self, id: str, printed: Chain, example: str, how: dict[str, str]) -> Statement | Answer:
        """What is wrong, with the correction that the engine derives for its left side, if it derives one."""
        left, *rights = printed
        try:
            if isinstance(left, Ref):
                derivations, right = [], self.system.definition(left)
            else:
                derivations = [_checkable(self._derived(left, rights))]
                right = derivations[0].result
            return self.bench.equation(
                id, printed, corrected=[engine.chain(left, right)], derivations=derivations, **how
            )
        except engine.DerivationError:  # no derivative, or one that cannot be derived
            return Answer(tuple(printed), "wrong", example, self.system.printing)

    def formula(self, text: str) -> list[Expr]:
        """Both sides of a printed formula, or all of a chain of equal ones, in index notation."""
        known = frozenset({*self._names, *(name.split("_")[0] for name in self._names)})
        parser = Parser(text, self._built.now, known)
        equations = [one for one in parser.statements() if isinstance(one, Equation)]
        if len(equations) != 1:
            raise parser.source.fault(0, f"found {len(equations)} equations", "expected one, as dL/dh_t = ...")
        (equation,) = equations
        elements = self._built.elements
        before, elements.source, elements.ranks.source = elements.source, parser.source, parser.source
        elements.closed = True
        try:
            sides = [side() for side in elements.sides(replace(equation, letters=letters_of(equation)))]
        finally:
            elements.source = elements.ranks.source = before
        return [rewrite.replace(side, self._immediate) for side in sides]

    def _immediate(self, node: Expr) -> Expr | None:
        """An immediate derivative of an equation of the text: also through the net inputs that stand for its sums."""
        if not isinstance(node, Immediate):
            return None
        target, wrt, terms = node.target, node.wrt, [node]
        for net in {net for net, *_ in self._built.elements.nets.values()} - {target.quantity}:
            if net in {one for one, _ in self._read_by(target.quantity)}:
                taken = [str(letter) for ref in (target, wrt) for letter in ref.indices]
                through = self._built.element(net.name, target.time, taken)
                rest = self._immediate(Immediate(through, wrt))
                terms.append(sum_over(*through.indices, Immediate(target, through) * rest))
        return sum(terms, Integer(0))

    def _derived(self, left: Expr, rights: Iterable[Expr]) -> Derivation:
        """The derivation of a left side, down to the derivatives that the printed formula has."""
        if not isinstance(left, Total):
            raise engine.DerivationError(f"{left} is no derivative")
        found = [node for right in rights for node in engine.nodes(right) if isinstance(node, Total) and node != left]
        if left.target == self.loss[()] and left.wrt.quantity.role == PARAMETER:
            return self.bench.derive_gradient(left.target, left.wrt)
        if left.target == self.loss[()]:
            keep = {node.wrt.quantity for node in found if node.wrt.time == left.wrt.time}
            return self.bench.derive_backward(left.target, left.wrt, keep=keep)
        keep = {node.target.quantity for node in found if node.target.time == left.target.time}
        return self.bench.derive(left.target, left.wrt, keep=keep)

    # ---- how it shows itself

    def _definitions(self) -> list[tuple[Expr, Expr]]:
        starts = self.system.initial_values.values()
        first = [(one.left.at(one.left.time.xreplace({self.system.t: 0})), one.right) for one in starts]
        return [*((one.left, one.right) for one in self.system.all_definitions()), *first]

    def _rows(self, sized: Callable[[Quantity, list[Expr]], str]) -> Iterator[str]:
        """What is computed, an input, a target, and learned, each quantity with its sizes."""
        rows: dict[str, list[str]] = {word: [] for word in WORDS}
        targets = self.system.targets_of(self.loss)
        for one in self._built.quantities.values():
            word = "targets" if one in targets else ROLES[one.role]
            rows[word].append(sized(one, [over.upper for over in one.domains]))
        yield from (f"{word}: {', '.join(row)}" for word, row in rows.items() if row)

    def __str__(self) -> str:
        rows = self._rows(lambda one, sizes: one.name + f" ({' x '.join(map(str, sizes))})" * bool(sizes))
        with self.system.printing:
            return "\n".join([self.system.name, *engine.chains_text(self._definitions()), *rows])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        def sized(one: Quantity, sizes: list[Expr]) -> str:
            power = r" \times ".join(map(engine.to_latex, sizes))
            return engine.inline(rf"{one.latex} \in \mathbb{{R}}" + f"^{{{power}}}" * bool(sizes))

        with self.system.printing:
            formulas = engine.display(engine.chains_tex(self._definitions(), None))
        return bundle(formulas + "".join(f"<p>{row}</p>" for row in self._rows(sized)), str(self))


def read(
    text: str, *, name: str = "recurrence", time: str = "t", targets: str | Iterable[str] | None = None
) -> Reading:
    """A recurrence as a paper prints it, as a system with its derivations.

    >>> print(read("h_t = f(W x_t + U h_{t-1})"))
    recurrence
      net_h[i](t) = sum[j=1..m] W[i,j]*x[j](t) + sum[k=1..n] U[i,k]*h[k](t-1)
      h[i](t) = f(net_h[i](t))
      L = 1/2*sum[s=1..T] sum[i=1..n] (h[i](s) - target[i](s))^2
    computed: h (n), net_h (n), L
    inputs: x (m)
    targets: target (n)
    learned: W (n x m), U (n x n)

    A capital letter is a matrix, a small one a vector, a small Greek one a number, unless the equations need something
    else or the text says so: `a in R`, `lambda in R^n`; a bare I is the identity. A space, a dot or @ is the product of
    matrices, in which a vector before a matrix is a row; * and ⊙ go element by element; [x_t; h_{t-1}], or a bmatrix,
    are vectors one below the other, W^T is a transpose, and sum_{k=1}^3 A_k x_{t-k} is written out. Where letters are
    indices, as in `h_i(t) = f(sum_j w_ij x_j(t))`, the equation is in index notation. LaTeX is read as it is pasted. A
    left side is computed, what has a time is given, the rest is learned; a sum inside an activation is named as a net
    input. tanh and sigma (sigmoid, logistic) have the slopes 1 - tanh^2 and sigma (1 - sigma); f, g, phi, psi, rho, a
    sigma with a label and other words are functions of which nothing is known; so are relu, abs, sign, softplus, silu,
    elu, sin, cos, sinh and cosh in proofs, in counterexamples they are what they say. A state starts at 0, or as a line
    `h_0 = s` says. The loss has the name L, E, J, C, l, loss or cost and no time, as `L = sum_t ...`, or is the sum of
    a cost `L_t = ...`. If there is no such line, it is what is written without a time, or else half the squared
    distance from a given target: each of what no line reads, or if all is read, what no other line reads at the same
    time. Of several none is chosen. Targets are the given letters that only the loss reads, a cost, or an error such as
    y_t - d_t; the others are inputs.

    Parameters: `name` of the system, the letter of the `time`, and the `targets`, as "d_t" or several such, if they are
    others. Raises NotationError, with a caret under the place, for what cannot be read, can be read in two ways, or is
    no recurrence for the engine, ValueError for targets that are not given.
    """
    return Reading(text, name, time, targets)


def _checkable(derivation: Derivation) -> Derivation:
    """The derivation itself; DerivationError if its result is too large to be checked."""
    if (many := sum(1 for _ in engine.nodes(derivation.result))) > LARGEST:
        instead = 'name what lies between in keep=, as keep="h", or ask for one step and multiply'
        raise engine.DerivationError(f"{derivation.left} has {many} parts, expected at most {LARGEST}: {instead}")
    return derivation


def _listed(names: str | Iterable[str]) -> Iterable[str]:
    return [names] if isinstance(names, str) else names
