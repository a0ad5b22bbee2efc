"""One way to judge the claims of this chapter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from throughtime.derivation import Statement, Step, claim

NO_NET = "a statement about sizes; the decision counts networks of the library"
NETS = "the decision tries networks"


def judged(id: str, forms: tuple, decide: Callable, proof: list[Step], words: str = "", **how: Any) -> Statement:
    """A claim with one printed form, or a printed one and its correction, for which `words` are the counterexample."""
    printed, *right = forms
    how = {"instance": NETS, "numeric": NETS, **how}
    if right:
        how |= {"corrected": right[0], "counterexample": words}
    return claim(id, printed, decide=decide, proof=proof, verdict="corrected" if right else "holds", **how)
