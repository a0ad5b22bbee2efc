"""Proofs as lists of steps, each with a check of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Equality, S, exp, simplify

from throughtime.derivation.formulas.errors import CheckError
from throughtime.derivation.judging.checks import answer
from throughtime.derivation.publishing.outcome import Outcome
from throughtime.derivation.publishing.proof import Proof, Step


def identity(words: str, left: Any, right: Any) -> Step:
    """A step that says left = right, checked by SymPy's `simplify`.

    >>> import throughtime as tt
    >>> from sympy import Symbol
    >>> z = Symbol("z")
    >>> tt.identity("The square of a sum:", (z + 1) ** 2, z**2 + 2 * z + 1).check()
    True
    >>> tt.identity("With a slip:", (z + 1) ** 2, z**2 + 1).check()
    False
    """
    equation = Equality(S(left), S(right), evaluate=False)
    difference = S(left).doit() - S(right).doit()
    return Step(words, equation, lambda: simplify(difference.rewrite(exp)) == 0, exact=True)


def steps_hold(steps: Iterable[Step]) -> Outcome:
    """Check of all steps; the reason names those that fail. MisuseError for a check that returns no bool."""
    steps = tuple(steps)
    failed = [step.words for step in steps if not answer(f"check of the step {step.words!r}", step.check())]
    return Outcome(not failed, "; ".join(failed), len(steps), sum(not step.exact for step in steps))


def prove(*steps: Step) -> Proof:
    """A proof that is no statement of a source. Raises CheckError that names the steps whose check fails.

    >>> import throughtime as tt
    >>> from sympy import Symbol
    >>> z = Symbol("z")
    >>> print(tt.prove(tt.identity("The square of a sum:", (z + 1) ** 2, z**2 + 2 * z + 1)))
    1. The square of a sum: Eq((z + 1)**2, z**2 + 2*z + 1)
    >>> tt.prove(tt.identity("With a slip:", (z + 1) ** 2, z**2 + 1))
    Traceback (most recent call last):
        ...
    throughtime.derivation.formulas.errors.CheckError: proof: these steps fail: With a slip:
    """
    outcome = steps_hold(steps)
    if not steps or not outcome.passed:
        raise CheckError(f"proof: {f'these steps fail: {outcome.reason}' if steps else 'no step is given'}")
    return Proof(steps)
