"""What checks and mutants have found, as the record and the box of a statement have it."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, replace
from math import inf
from typing import Any

from throughtime.derivation.evaluating.evaluate import Evaluator

STATES = {True: "passed", False: "FAILED", None: "not applicable"}


@dataclass
class Outcome:
    """The result of one check: passed, failed, or None where it does not apply; `reason` says why it did not pass.

    `count` is the number of links (general check) or places (the others) compared, `argued` the number of proof steps
    that rest on words: their checks can refute them and cannot prove them. `values` are both sides at a failing place
    of `witness`, `reach` is the number of first steps that a general check leaves open (`Reducer.reach`), infinite
    where no number is enough; the record has None for that. True in a condition if it passed; printed in words.
    """

    passed: bool | None
    reason: str = ""
    count: int = 0
    argued: int = 0
    values: str = ""
    reach: float = 0
    witness: Evaluator | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.passed is True

    def __str__(self) -> str:
        many = f", {self.count} compared" if self.count else ""
        return f"{STATES[self.passed]}{many}" + (f": {self.where()}" if self.reason else "")

    def as_json(self) -> dict[str, Any]:
        """The outcome as JSON, for the statement's record."""
        own = {name: getattr(self, name) for name in ("passed", "reason", "count", "argued", "reach")}
        return own | ({"reach": None} if self.reach == inf else {})

    def where(self) -> str:
        """The reason, with the values of both sides if there are any."""
        return f"{self.reason}; {self.values}" if self.values else self.reason

    def joined(self, other: Outcome) -> Outcome:
        """Conjunction of two checks: it passes if one of them passes and none fails."""
        if self.passed is False or other.passed is None:
            return self
        return replace(other, count=self.count + other.count)


@dataclass
class MutantReport:
    """Numbers of mutants tried, rejected, and shown to be equal; `survivors` is empty unless a check is weak."""

    tried: int = 0
    rejected: int = 0
    equal: int = 0
    survivors: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every mutant was rejected or shown to be equal, and there was at least one."""
        return self.tried > 0 and not self.survivors

    def add(self, mutant: Any, rejected: bool, equal: bool = False) -> None:
        """Count one mutant, which says what was changed, with its `expr`: rejected, or shown equal, or a survivor."""
        self.tried += 1
        self.rejected += rejected
        self.equal += equal
        if not rejected and not equal:
            self.survivors.append(f"{mutant.expr} ({mutant})")

    def joined(self, other: MutantReport) -> MutantReport:
        """Merge two reports."""
        return MutantReport(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))
