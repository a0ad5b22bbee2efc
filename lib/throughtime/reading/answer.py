"""What `judge` answers where it has no box: a formula that is not shown, or that is wrong and has no correction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from throughtime.derivation.formulas.domains import Order
from throughtime.derivation.formulas.nodes import Paths, Product, Sigma, nodes
from throughtime.derivation.publishing.render import bundle, chains_tex, chains_text, display, prose

AGREES = "agrees at every number tried"
NOWHERE = "no place where both sides can be read"
EMPTY = "a sum or product over times can be read only where it has no terms"


def agreeing(rights: Iterable[Expr]) -> str:
    """What is said of a formula that no number refutes; and where the induction over time comes to no end."""
    bodies = [node.body for side in rights for node in nodes(side) if isinstance(node, Sigma)]
    within = any(isinstance(node, Product | Paths) for body in bodies for node in nodes(body))
    found = "; of a product over times under a sum no proof is found, with dh_t/dh_k in its place one may be"
    return AGREES + found * within


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
