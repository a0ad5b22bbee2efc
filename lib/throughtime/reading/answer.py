"""What `judge` answers where it has no box: a formula that is not shown, or that is wrong and has no correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr

from throughtime.derivation.formulas.domains import Order
from throughtime.derivation.publishing.render import bundle, chains_tex, chains_text, display, prose

AGREES = "agrees at every number tried"
NOWHERE = "no place where both sides can be read"


@dataclass(frozen=True)
class Answer:
    """An answer that is no verdict of a statement.

    printed     the formula, or the chain of equal ones
    verdict     "not shown": no number refutes the formula and no check shows it; or "wrong"
    said        why it is not shown, or the numbers at which it is wrong
    order       in which it prints
    """

    printed: tuple[Expr, ...]
    verdict: str
    said: str
    order: Order

    @property
    def counterexample(self) -> str:
        """The numbers at which the formula is wrong; empty if it is not."""
        return self.said if self.verdict == "wrong" else ""

    def __str__(self) -> str:
        with self.order:
            return "\n".join([*chains_text([self.printed]), f"{self.verdict}: {self.said}"])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        with self.order:
            formula = display(chains_tex([self.printed], None))
        return bundle(f"{formula}<p>{self.verdict}: {prose(self.said)}</p>", str(self))
