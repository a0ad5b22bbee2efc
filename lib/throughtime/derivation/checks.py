"""The four kinds of check an equation is put to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sympy import Add, Expr, Mul, Pow

from .errors import DerivationError
from .evaluate import Env, OutOfRange, Unreadable, Witness
from .induction import Lemma
from .mutants import mutants
from .nodes import Applied, Bound, Constant, Delta, Modulus, Product, Sigma, nodes
from .reduce import Reducer
from .rewrite import replace
from .times import at_present


@dataclass(frozen=True)
class AtMost:
    """A member of a chain that the member before it does not exceed."""

    expr: Expr


Chain = Sequence[Expr | AtMost]
TOLERANCE = 1e-12


def chain(left: Expr, *right: Expr | AtMost) -> tuple[Expr | AtMost, ...]:
    """`left = right[0] = right[1] = ...`, as a source prints it; the last member may be `AtMost(...)`."""
    if not right:
        raise DerivationError(f"chain: {left} is equated with nothing, expected at least one right side")
    return (left, *right)


@dataclass
class Outcome:
    """True or False, or None with the reason why the check does not apply; `count` is what it looked at.

    `argued` of them rest on an argument in words, whose check can refute it and cannot prove it.
    """

    passed: bool | None
    reason: str = ""
    count: int = 0
    argued: int = 0

    def as_json(self) -> dict[str, Any]:
        """For the statement's record."""
        return {"passed": self.passed, "reason": self.reason, "count": self.count, "argued": self.argued}


@dataclass
class MutantReport:
    """How many mutants were tried, rejected, and shown to be equal; `survivors` is empty unless a check is weak."""

    tried: int = 0
    rejected: int = 0
    equal: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every mutant was rejected or shown to be equal, and there was at least one."""
        return self.tried > 0 and not self.survivors

    def joined(self, other: MutantReport) -> MutantReport:
        """Both reports as one."""
        return MutantReport(
            self.tried + other.tried, self.rejected + other.rejected,
            self.equal + other.equal, self.survivors + other.survivors,
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """For the statement's record."""
        return {
            "tried": self.tried,
            "rejected": self.rejected,
            "equal": len(self.equal),
            "survivors": self.survivors,
        }


def holds_in_general(
    reducer: Reducer,
    chains: Iterable[Chain],
    lemmas: Sequence[Lemma] = (),
    slopes: Mapping[str, Expr] | None = None,
) -> Outcome:
    """Each member of each chain equals the first one, for all dimensions, lengths and activations.

    The lemmas are proved first and then used. An `AtMost` has to be what its neighbour becomes when every
    modulus of a slope f' is replaced by the largest slope, `slopes["f"]`.
    """
    for lemma in lemmas:
        lemma.prove(reducer)

    def known(expr: Expr) -> Expr:
        for lemma in lemmas:
            expr = lemma.apply(expr)
        return expr

    count = 0
    for members in map(_at_present, chains):
        for before, member in pairwise(members):
            count += 1
            if isinstance(member, AtMost):
                proved = reducer.equal(enlarged(known(before), slopes or {}), member.expr)
            else:
                proved = reducer.equal(members[0], member, known)
            if not proved:
                return Outcome(False, f"{member} is not {members[0]}", count)
    return Outcome(True, "", count)


def _at_present(members: Chain) -> Chain:
    moved = at_present([member.expr if isinstance(member, AtMost) else member for member in members])
    return [AtMost(new) if isinstance(old, AtMost) else new for new, old in zip(moved, members, strict=True)]


def enlarged(expr: Expr, slopes: Mapping[str, Expr]) -> Expr:
    """An upper bound of a product or sum of moduli.

    |prod| is the product of the moduli, |sum| is at most the sum of the moduli (the triangle inequality), and each
    |f'| becomes its maximum.
    """

    def rule(node: Expr) -> Expr | None:
        if not isinstance(node, Modulus):
            return None
        inner = node.args[0]
        if isinstance(inner, Product):
            return Product(enlarged(Modulus(inner.body), slopes), inner.index, *inner.limits)
        if isinstance(inner, Sigma):
            return Sigma(enlarged(Modulus(inner.body), slopes), inner.index, *inner.limits)
        if isinstance(inner, Add):
            return Add(*(enlarged(Modulus(term), slopes) for term in inner.args))
        if isinstance(inner, Applied) and inner.order == 1 and inner.function.name in slopes:
            return slopes[inner.function.name]
        return node

    inverse = (node for node in nodes(expr) if isinstance(node, Pow) and not node.exp.is_nonnegative)
    if any(replace(power.base, rule) != power.base for power in inverse):
        raise DerivationError(f"no upper bound of {expr}: what is enlarged stands below a fraction bar")
    result = replace(expr, rule)
    if not _nonnegative(result):
        raise DerivationError(f"no upper bound of {expr}: not every factor is a modulus")
    return result


def _nonnegative(expr: Expr) -> bool:
    if isinstance(expr, Pow):
        return _nonnegative(expr.base)
    if isinstance(expr, Add | Mul):
        return all(_nonnegative(arg) for arg in expr.args)
    if isinstance(expr, Bound):
        return _nonnegative(expr.body)
    if isinstance(expr, Constant):
        return bool(expr.value >= 0)
    return isinstance(expr, Modulus | Delta) or (expr.is_Number and bool(expr >= 0))


def exact(left: Any, right: Any) -> bool:
    """Equality of rationals."""
    return left == right


def close(left: Any, right: Any) -> bool:
    """Equality of floating-point numbers, relative to the larger one, or to 1 where both are smaller."""
    return abs(left - right) <= TOLERANCE * max(1.0, abs(left), abs(right))


def places(witness: Witness, left: Expr, right: Expr) -> Iterable[tuple[Env, Any, Any]]:
    """The values of both sides wherever both can be read."""
    for env in witness.environments(left, right):
        try:
            yield env, witness.value(left, env), witness.value(right, env)
        except OutOfRange:
            continue


def holds_on(witnesses: Iterable[Witness], chains: Iterable[Chain], same: Callable = exact) -> Outcome:
    """Every chain holds at every place of every witness; each link needs one place at least.

    Links that a witness cannot read at all (`Unreadable`) are passed over; if it can read none, the outcome is None.
    """
    count = 0
    reason = ""
    chains = list(chains)
    for witness in witnesses:
        for members in chains:
            for member in members[1:]:
                if isinstance(member, AtMost):
                    continue
                seen = 0
                try:
                    for env, left, right in places(witness, members[0], member):
                        seen += 1
                        if not same(left, right):
                            where = ", ".join(f"{key}={value}" for key, value in sorted(env.items(), key=str))
                            return Outcome(False, f"{member} is not {members[0]} at {where}", count + seen)
                except Unreadable as unread:
                    reason = str(unread)
                    continue
                if not seen:
                    return Outcome(False, f"{members[0]} = {member}: no place where both can be read", count)
                count += seen
    return Outcome(True, "", count) if count else Outcome(None, reason)


def differs(witnesses: Iterable[Witness], left: Expr, right: Expr) -> bool:
    """Whether some witness shows the two sides to be different; a side that cannot be read at all differs too."""
    readable = False
    for witness in witnesses:
        for _, a, b in places(witness, left, right):
            readable = True
            if a != b:
                return True
    return not readable


def put_mutants(
    witnesses: Sequence[Witness], chains: Iterable[Chain], same: Callable[[Expr, Expr], bool]
) -> MutantReport:
    """Every mutant of every right side against the instances; what survives has to be the `same` in general."""
    report = MutantReport()
    for members in chains:
        for member in members[1:]:
            if isinstance(member, AtMost):
                continue
            for mutant in mutants(member, members[0]):
                report.tried += 1
                if differs(witnesses, members[0], mutant.expr):
                    report.rejected += 1
                elif same(mutant.expr, member):
                    report.equal.append(str(mutant))
                elif any(_unreadable(witness, (members[0], member), mutant.expr) for witness in witnesses):
                    report.rejected += 1
                else:
                    report.survivors.append(f"{members[0]} = {mutant.expr} ({mutant})")
    return report


def _unreadable(witness: Witness, sides: Sequence[Expr], mutant: Expr) -> bool:
    """Whether a mutant reads a time that does not exist at some place where both sides of the equation can be read."""
    for env in witness.environments(*sides, mutant):
        with suppress(OutOfRange):
            for side in sides:
                witness.value(side, env)
            try:
                witness.value(mutant, env)
            except OutOfRange:
                return True
    return False


def bounded_on(real: Sequence[Witness], sharp: Sequence[Witness], left: Expr, right: Expr) -> str:
    """Why `left <= right` fails as a sharp bound: exceeded on some witness, or not attained on a `sharp` one."""
    try:
        for witness in (*real, *sharp):
            found = list(places(witness, left, right))
            if not any(b for _, _, b in found):
                return f"{right} is 0 or cannot be read, everywhere on one instance"
            for env, a, b in found:
                if not a <= b * (1 + TOLERANCE):
                    return f"{left} = {a} exceeds {right} = {b} at {env}"
                if witness in sharp and not abs(a - b) <= TOLERANCE * abs(b):
                    return f"{right} = {b} is not attained, {left} = {a}, at {env}"
    except DerivationError as error:
        return str(error)
    return ""


def put_bounds(real: Sequence[Witness], sharp: Sequence[Witness], chains: Iterable[Chain]) -> tuple[str, MutantReport]:
    """Every `AtMost` checked as a sharp bound, and its mutants with it."""
    report = MutantReport()
    for members in chains:
        for member in members[1:]:
            if not isinstance(member, AtMost):
                continue
            problem = bounded_on(real, sharp, members[0], member.expr)
            if problem:
                return problem, report
            for mutant in mutants(member.expr, members[0]):
                report.tried += 1
                if bounded_on(real, sharp, members[0], mutant.expr):
                    report.rejected += 1
                else:
                    report.survivors.append(str(mutant))
    return "", report
