"""A derivation that shows itself, with the checks it has passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import render
from .checks import MutantReport, Outcome, holds_in_general, holds_on, put_mutants
from .errors import CheckError
from .printing import to_latex, to_text
from .statement import Setting
from .steps import Derivation


@dataclass(frozen=True)
class Shown:
    """A derivation, its checks and its mutants; in a notebook it shows all three."""

    derivation: Derivation
    checks: dict[str, Outcome]
    mutants: MutantReport

    @property
    def latex(self) -> str:
        """The first and the last line as LaTeX."""
        return f"{to_latex(self.derivation.left)} = {to_latex(self.derivation.result)}"

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        lines = [to_text(self.derivation.left)]
        lines += [f"  = {to_text(line.expr)}   [{line.reason}]" for line in self.derivation.lines]
        lines += [f"{kind}: {outcome.count} passed" for kind, outcome in self.checks.items()]
        lines.append(
            f"mutants: tried {self.mutants.tried}, rejected {self.mutants.rejected}, equal {len(self.mutants.equal)}"
        )
        steps = render.derivation_html(self.derivation)
        return {
            "text/html": f'<div class="tt-derivation">{steps}{render.checks_html(self)}</div>',
            "text/plain": "\n".join(lines),
        }


def show(setting: Setting, derivation: Derivation) -> Shown:
    """Check every line of a derivation in general and on the exact instances, put the mutants of its last line to
    the instances, and return what shows it. Raises CheckError if a check fails or a mutant survives.
    """
    equations = derivation.equations()
    checks = {
        "general": holds_in_general(setting.reducer, equations),
        "instance": holds_on(setting.witnesses, equations),
    }
    report = put_mutants(setting.witnesses, [(derivation.left, derivation.result)], setting.reducer.equal)
    for kind, outcome in checks.items():
        if outcome.passed is not True:
            raise CheckError(f"{derivation.left}: {kind} check failed: {outcome.reason}")
    if not report.passed:
        raise CheckError(f"{derivation.left}: mutants survive: {report.survivors[:3]}")
    return Shown(derivation, checks, report)
