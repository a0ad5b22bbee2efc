"""Proofs as lists of steps, each with a check of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Equality, Expr, S, exp, simplify
from sympy.core.basic import Basic

from throughtime.derivation.formulas.errors import CheckError
from throughtime.derivation.judging import render
from throughtime.derivation.judging.checks import AtMost, Outcome, answer

SAMPLED = "argued in words, checked on instances"


@dataclass(frozen=True)
class Step:
    """One step of a proof: words (formulas between dollar signs), a displayed formula, and a check that can fail.

    The formula is a SymPy formula, LaTeX, a chain of equal formulas, or None. `exact` says that the check proves the
    step for all values; otherwise the words do, the check tries instances, and the step is marked so where it is shown.

    >>> import throughtime as tt
    >>> print(tt.Step("The powers of 1/2 fall.", None, lambda: 0.5**3 < 0.5**2))
    The powers of 1/2 fall. [argued in words, checked on instances]
    """

    words: str
    formula: Basic | str | tuple[Expr | AtMost, ...] | None
    check: Callable[[], bool]
    exact: bool = False

    def tex(self) -> str:
        """The displayed formula as LaTeX, empty without one."""
        if isinstance(self.formula, Basic | tuple):
            return render.chains_tex([self.formula if isinstance(self.formula, tuple) else (self.formula,)], None)
        return self.formula or ""

    def html(self) -> str:
        """Words, the mark of a step that is not proved by its check, then the formula."""
        mark = "" if self.exact else f' <span class="tt-sampled">{SAMPLED}</span>'
        return render.prose(self.words) + mark + (render.display(self.tex()) if self.formula is not None else "")

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The step as plain text."""
        if isinstance(self.formula, tuple):
            shown = " ".join(line.strip() for line in render.chains_text([self.formula]))
        else:
            shown = render.plain(self.formula) if isinstance(self.formula, Basic) else self.formula or ""
        return " ".join(filter(None, (self.words, "" if self.exact else f"[{SAMPLED}]", shown)))


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


@dataclass(frozen=True)
class Proof:
    """Steps that have passed their checks; in a notebook they show themselves, one under the other."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "\n".join(f"{place}. {step.text()}" for place, step in enumerate(self.steps, 1))

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        rows = "".join(f"<li>{step.html()}</li>" for step in self.steps)
        return render.bundle(f'<ol class="tt-proof">{rows}</ol>', str(self))


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
