"""The engine's side: plain formulas as the engine's objects, made and judged through its public names."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import throughtime as tt
from sympy import Integer, Rational
from throughtime.derivation.formulas.errors import NotShownError, UncorrectedError

from fuzzing.language import LENGTH, Formula, ref, when
from fuzzing.printed import Printed
from fuzzing.recurrences import RULED, Recurrence
from fuzzing.statements import Statement

MAKERS = {"parameter": tt.parameter, "input": tt.sequence, "state": tt.variable}


# These refusals ask for a larger instance.
WISHES = ("mutants survive", "no place where both", "at every place that was asked")


class Judgement(NamedTuple):
    """What the engine says: "holds", "wrong", "not shown", "refused" or "crashed" (no refusal of its own); and why."""

    verdict: str
    reason: str = ""


class Network:
    """A recurrence as a system of the engine."""

    def __init__(self, recurrence: Recurrence):
        self.recurrence = recurrence
        self.dimensions = {name: tt.Dimension(recurrence.names[name]) for name in recurrence.dimensions()}
        self.domains: dict[str, tt.Domain] = {}
        for leaf, size in recurrence.leaves.items():
            before = next(
                (parts[parts.index(leaf) - 1] for parts in recurrence.unions.values() if leaf in parts[1:]), None
            )
            self.domains[leaf] = tt.domain(leaf, self.dimensions[size], after=self.domains.get(before or ""))
        for name, parts in recurrence.unions.items():
            self.domains[name] = tt.union(name, *(self.domains[part] for part in parts))
        self.quantities = {name: self._quantity(name, one) for name, one in recurrence.quantities.items()}
        self.functions = {
            name: getattr(tt, name) if name in RULED else tt.Activation(name, *(self.domains[over] for over in domains))
            for name, domains in recurrence.functions.items()
        }
        self.system = tt.System("a random recurrence", tt.time("t"))
        for name, one in recurrence.quantities.items():
            if one.role == "input" and one.first != 1:
                self.system.given_from(self.quantities[name], one.first)
        for case in recurrence.definitions:
            timed = recurrence.quantities[case.quantity].timed
            left = Formula("ref", case.quantity, case.letters, when() if timed else None)
            self.system[self.formula(left)] = self.formula(case.right)
        for name in recurrence.initial:
            own = tuple((f"i{place}", over) for place, over in enumerate(recurrence.quantities[name].domains))
            self.system.initial(self.formula(ref(name, own, when(None, 0))), self.formula(recurrence.start(name, own)))

    def _quantity(self, name: str, one: Any) -> Any:
        if one.role == "once":
            return tt.scalar(name)
        how = {"mask": True} if one.mask else {}
        return MAKERS[one.role](name, *(self.domains[over] for over in one.domains), **how)

    def quantity(self, name: str) -> Any:
        """A quantity; one named "h?" is like h, and the system does not define it."""
        if name.endswith("?"):
            return self._quantity(f"{name[:-1]}_other", self.recurrence.quantities[name[:-1]])
        return self.quantities[name]

    def letter(self, index: tuple) -> tt.Index:
        return tt.indices(index[0], self.domains[index[1]])

    def moment(self, time: tuple) -> Any:
        number, letters = time
        names = {f"#{name}": size for name, size in self.dimensions.items()} | {LENGTH: tt.LENGTH, "q": tt.lag("q")}
        return Integer(number) + sum(slope * names.get(name, tt.time(name)) for name, slope in letters)

    def cut(self, plain: tuple) -> Any:
        """A cut, its index over the domain that it is to hold for."""
        name, over, lag, into = plain
        place = (tt.indices("k", self.domains[over]),) if over else ()
        return tt.cut(self.quantity(name)[(*place, tt.time("t") - lag)], into=self.quantity(into))

    def formula(self, plain: tuple) -> Any:
        kind, *rest = plain
        if kind == "num":
            return Rational(Fraction(rest[0]).numerator, Fraction(rest[0]).denominator)
        if kind == "ref":
            key = tuple(map(self.letter, rest[1])) + ((self.moment(rest[2]),) if rest[2] else ())
            return self.quantity(rest[0])[key]
        if kind in ("add", "mul"):
            total = self.formula(rest[0])
            for part in rest[1:]:
                total = total + self.formula(part) if kind == "add" else total * self.formula(part)
            return total
        if kind == "fun":
            function, order, argument, indices = rest
            made = self.functions[function][tuple(map(self.letter, indices))](self.formula(argument))
            for _ in range(order):
                made = made.derivative()
            return made
        if kind == "pow":
            return self.formula(rest[0]) ** (rest[1] if isinstance(rest[1], int) else self.moment(rest[1]))
        if kind == "sum":
            return tt.sum_over(self.letter(rest[0]), self.formula(rest[1]))
        if kind in ("tsum", "prod"):
            limits = (tt.time(rest[0]), self.moment(rest[1]), self.moment(rest[2]))
            return (tt.sum_over if kind == "tsum" else tt.product_over)(limits, self.formula(rest[3]))
        if kind == "d":
            target, wrt, cuts = self.formula(rest[0]), self.formula(rest[1]), tuple(map(self.cut, rest[2]))
            return tt.Truncated(target, wrt, *cuts) if cuts else tt.d(target, wrt)
        if kind == "partial":
            return tt.partial(self.formula(rest[0]), self.formula(rest[1]))
        if kind == "clock":
            return self.moment(rest[0])
        return tt.Delta(*map(self.letter if kind == "same" else self.moment, rest))


def answered(ask: Callable[[], Any]) -> Judgement:
    """A verdict of the engine that is asked for as a user would; "wrong" with or without a correction."""
    try:
        found = ask()
        return Judgement(found.verdict.replace("corrected", "wrong"), getattr(found, "said", ""))
    except tt.DerivationError as error:
        verdict = {UncorrectedError: "wrong", NotShownError: "not shown"}.get(type(error), "refused")
        return Judgement(verdict, f"{type(error).__name__}: {error}")
    except Exception as error:  # whatever is no refusal is a fault to be reported
        return Judgement("crashed", f"{type(error).__name__}: {error}")
    finally:
        tt.reset_statements()


def judged_text(asked: Printed) -> Judgement:
    """The verdict on a printed formula about a text."""
    return answered(lambda: tt.read(asked.made.written()).judge(asked.written()))


def judged(statement: Statement, sizes: tuple[int, ...] = (2, 2), length: int = 3) -> Judgement:
    """The engine's verdict on a statement."""

    def ask() -> Any:
        network = Network(statement.recurrence)
        each = dict(zip(network.dimensions.values(), sizes, strict=False))
        bench = tt.Bench(network.system, sizes=[each], length=length)
        left, right = network.formula(statement.left), network.formula(statement.right)
        lemmas = [tt.Lemma(left, right, tt.lag("q"))] if statement.form != "equation" else []
        if statement.form == "induction":
            tt.prove(*tt.by_induction(bench, *lemmas))
            return Judgement("holds")
        reason = "no model of a random recurrence"
        return bench.equation("random", tt.chain(left, right), lemmas=lemmas, numeric=reason)

    return answered(ask)


def judged_again(statement: Statement) -> Judgement:
    """The verdict, where the engine asks for a larger instance that on larger ones."""
    found = judged(statement)
    for sizes, length in (((2, 3), 6), ((2, 3), 10)):
        if found.verdict in ("not shown", "refused") and any(wish in found.reason for wish in WISHES):
            found = judged(statement, sizes, length)
    return found
