"""Gradients of recurrences in index notation: derived, printed, unrolled and checked. Needs SymPy only.

The modules, each standing on those before it: `domains` and `nodes` (formulas), `rewrite`, `differentiate` and
`canonical` (rules), `system` (recurrences), `structure`, `forward` and `backward` (derivatives), `evaluate` and
`unroll` (witnesses), `reduce`, `induction` and `induction_back`, `mutants` and `checks`, `steps`, `statement`,
`claims`, `shown`, `render`.
"""

from . import printing as printing
from .checks import AtMost, chain
from .domains import Dimension, Domain, Index, domain, indices, union
from .errors import (
    CheckError,
    CutError,
    CycleError,
    DerivationError,
    DomainError,
    IndexClashError,
    UndefinedQuantityError,
)
from .forward import cut
from .induction import Lemma, lag
from .induction_back import FromTheEnd
from .nodes import (
    Activation,
    Constant,
    Modulus,
    d,
    parameter,
    partial,
    product_over,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)
from .printing import to_latex, to_text
from .shown import show
from .statement import Setting, Statement
from .system import LENGTH, System

__all__ = [
    "LENGTH", "Activation", "AtMost", "CheckError", "Constant", "CutError", "CycleError", "DerivationError",
    "Dimension", "Domain", "DomainError", "FromTheEnd", "Index", "IndexClashError", "Lemma", "Modulus", "Setting",
    "Statement", "System", "UndefinedQuantityError", "chain", "cut", "d", "domain", "indices", "lag", "parameter",
    "partial", "product_over", "scalar", "sequence", "show", "sum_over", "time", "to_latex", "to_text", "union",
    "variable",
]  # fmt: skip
