"""Steps of a proof, each with a check of its own, and how they show themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Expr
from sympy.core.basic import Basic

from throughtime.derivation.formulas.chains import AtMost
from throughtime.derivation.publishing import render

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


@dataclass(frozen=True)
class Proof:
    """Steps that have passed their checks; in a notebook they show themselves, one under the other."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "\n".join(f"{place}. {step.text()}" for place, step in enumerate(self.steps, 1))

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        rows = "".join(f"<li>{step.html()}</li>" for step in self.steps)
        return render.bundle(f'<ol class="tt-proof">{rows}</ol>', str(self))
