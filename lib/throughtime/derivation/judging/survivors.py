"""Mutants of the right sides of equations and bounds, run on the instances; a survivor shows a weak check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from sympy import Expr

from throughtime.derivation.deriving.ways import over_times
from throughtime.derivation.evaluating.evaluate import Env, Evaluator, OutOfRange
from throughtime.derivation.formulas.chains import Chain, bounds, equations
from throughtime.derivation.formulas.effort import tried
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import Paths
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.judging.checks import TOLERANCE, Witnesses, places
from throughtime.derivation.judging.mutants import mutants
from throughtime.derivation.publishing.outcome import MutantReport

Reach = Callable[[Expr, Expr], float | None]
Alike = Callable[[Expr, Expr], bool]
SHOWN = 3  # survivors
NEAREST = 5  # larger instances that are asked before formulas are compared in general


class Differences:
    """Places at which formulas were seen to differ: one that rejects a mutant of an equation rejects most of them."""

    def __init__(self) -> None:
        self.places: list[tuple[Evaluator, Env]] = []

    def known(self, left: Expr, right: Expr) -> bool:
        """Whether two formulas differ at a place at which others did."""
        letters = {*free(left), *free(right)}
        return any(letters == env.keys() and _differ_at(witness, env, left, right) for witness, env in self.places)

    def found(self, witnesses: Iterable[Evaluator], left: Expr, right: Expr) -> bool:
        """Whether some witness has different values for the two sides; a side that none can evaluate differs too.

        The last times come first: at the first ones most derivatives are 0 on both sides.
        """
        readable = False
        for witness in witnesses:
            for env, a, b in places(witness, left, right, backwards=True):
                if a != b:
                    self.places.append((witness, env))
                    return True
                readable = True
        return not readable


def _differ_at(witness: Evaluator, env: Env, left: Expr, right: Expr) -> bool:
    numbers = [*env.values()]
    with suppress(OutOfRange):
        a, b = (witness.reader(side, [*env])(numbers) for side in (left, right))
        return a != b
    return False


def run_mutants(
    witnesses: Witnesses,
    chains: Iterable[Chain],
    reach: Reach,
    larger: Callable[[tuple[Expr, Expr]], Iterable[Evaluator]],
    begun: Callable[[tuple[Expr, Expr]], Iterable[Evaluator]] = lambda link: (),
    alike: Alike = equal,
    known: Callable[[Expr], Expr] = lambda formula: formula,
    slow: Callable[[Expr], bool] = lambda formula: False,
) -> MutantReport:
    """Run every mutant of every right side on the instances, up to a third survivor.

    Numbers refute for good. They come first where they are cheap, at places where other mutants were seen to differ,
    then, for what is not `alike` at a glance, at all places, also of the nearest instances that are `larger` for a
    link. What the general comparison (`Reducer.reach`) does not show to be the same, and takes long to fail at (over
    times or paths, and what is `slow`), is put to all larger ones; it may still differ for other initial states
    (`begun`), or read times that do not exist.
    """
    report = MutantReport()
    for link in equations(chains):
        (left, right), differences = map(known, link), Differences()
        for mutant in (replace(one, expr=known(one.expr)) for one in mutants(*link[::-1])):
            rejected = differences.known(left, mutant.expr)
            same = not rejected and alike(right, mutant.expr)
            if not rejected and not same:
                nearest = (*witnesses, *islice(larger((left, right)), NEAREST))
                rejected = differences.found(nearest, left, mutant.expr)
                # a proof may take long to fail, and a mutant that reads too far has none
                if not rejected and (over_times(right) or right.has(Paths) or slow(right)):
                    rejected = any(_reads_too_far(net, left, right, mutant.expr) for net in nearest)
                same = not rejected and tried(partial(reach, right, mutant.expr)) is not None
            if not rejected and not same:
                rejected = differences.found(larger((left, right)), left, mutant.expr)
            if not rejected and not same:
                asked, others = (*witnesses, *larger((left, right))), begun((left, right))
                rejected = any(a != b for net in others for _, a, b in places(net, left, mutant.expr))
                rejected = rejected or any(_reads_too_far(net, left, right, mutant.expr) for net in asked)
            report.add(mutant, rejected, same)
            if len(report.survivors) == SHOWN:
                return report
    return report


def _reads_too_far(witness: Evaluator, left: Expr, right: Expr, mutant: Expr) -> bool:
    """Whether a mutant reads a time that does not exist at some place where both sides of the equation can be read."""
    return len([*places(witness, left, right, mutant)]) < len([*places(witness, left, right)])


def bounded_on(real: Witnesses, sharp: Witnesses, left: Expr, right: Expr) -> str:
    """Failure of `left <= right` as a sharp bound: exceeded on some witness, or not attained on a `sharp` one."""
    try:
        for witness in (*real, *sharp):
            found = list(places(witness, left, right))
            if not any(b for _, _, b in found):
                return f"{right} is 0 or cannot be read, everywhere on one instance"
            for env, a, b in found:
                if a is None or b is None or not a <= b * (1 + TOLERANCE):
                    return f"{left} = {a} exceeds {right} = {b} at {env}"
                if witness in sharp and not abs(a - b) <= TOLERANCE * abs(b):
                    return f"{right} = {b} is not attained, {left} = {a}, at {env}"
    except DerivationError as error:
        return str(error)
    return ""


def check_bounds(real: Witnesses, sharp: Witnesses, chains: Iterable[Chain]) -> tuple[str, MutantReport]:
    """Failure of some `AtMost` as a sharp bound (empty if none fails), and the mutants of all of them."""
    report = MutantReport()
    for left, bound in bounds(chains):
        if problem := bounded_on(real, sharp, left, bound):
            return problem, report
        for mutant in mutants(bound, left):
            report.add(mutant, bool(bounded_on(real, sharp, left, mutant.expr)))
    return "", report
