"""Gradients of recurrences in index notation: derived, printed, unrolled and checked. Needs SymPy only."""

from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.forward import cut, cut_set
from throughtime.derivation.deriving.from_the_start import FromTheStart
from throughtime.derivation.deriving.induction import FromTheEnd, Lemma, lag
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.steps import derive
from throughtime.derivation.deriving.system import LENGTH, Definition, System
from throughtime.derivation.evaluating.evaluate import Dual, Env, Evaluator, OutOfRange, Undefined, Unreadable
from throughtime.derivation.evaluating.unroll import ExactInstance, polynomial
from throughtime.derivation.formulas.chains import AtMost, chain
from throughtime.derivation.formulas.domains import AsNumber, Dimension, Domain, Index, domain, indices, union
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.errors import (
    CheckError,
    CutError,
    CycleError,
    DerivationError,
    DomainError,
    IndexClashError,
    MisuseError,
    UndefinedQuantityError,
)
from throughtime.derivation.formulas.functions import exp, log, maximum, minimum, relu, sqrt
from throughtime.derivation.formulas.nodes import (
    DEFINED,
    INPUT,
    PARAMETER,
    Activation,
    Applied,
    Constant,
    Delta,
    DerivativeSymbol,
    Immediate,
    Modulus,
    Paths,
    Quantity,
    Ref,
    Sigma,
    Total,
    Truncated,
    d,
    nodes,
    parameter,
    partial,
    product_over,
    refs,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.judging.bench import Bench, Equation, show
from throughtime.derivation.judging.checks import close, holds_in_general, holds_on, upper_bound
from throughtime.derivation.judging.claims import Claim, by_induction, claim, derived
from throughtime.derivation.judging.judge import reset_statements
from throughtime.derivation.judging.mutants import slips
from throughtime.derivation.judging.programs import check_gradient
from throughtime.derivation.judging.proofs import identity, prove
from throughtime.derivation.printing.printer import to_latex, to_text
from throughtime.derivation.publishing.proof import Step
from throughtime.derivation.publishing.render import Chain, chains_tex, chains_text, display, fold, head, inline, prose
from throughtime.derivation.publishing.source import FAULTS, VERDICTS, Source, quotation
from throughtime.derivation.publishing.statement import Statement

__all__ = [
    "DEFINED", "FAULTS", "INPUT", "LENGTH", "PARAMETER", "VERDICTS", "Activation", "Applied", "AsNumber",
    "AtMost", "Bench", "Chain", "CheckError", "Claim", "Constant", "CutError", "CycleError", "Definition", "Delta",
    "DerivationError", "DerivativeSymbol", "Dimension", "Domain", "DomainError", "Dual", "Env", "Equation", "Evaluator",
    "ExactInstance", "FromTheEnd", "FromTheStart", "Immediate", "Index", "IndexClashError", "Lemma",
    "MisuseError", "Modulus", "OutOfRange", "Paths", "Quantity", "Reducer", "Ref", "Sigma", "Source", "Statement",
    "Step", "System", "Total", "Truncated", "Undefined", "UndefinedQuantityError", "Unreadable", "by_induction",
    "chain", "chains_tex", "chains_text", "check_gradient", "claim", "close", "cut", "cut_set", "d", "derive",
    "derived", "display", "domain", "equal", "exp", "expand_partials", "fold", "head", "holds_in_general",
    "holds_on", "identity", "indices", "inline", "lag", "log", "maximum", "minimum", "nodes", "parameter", "partial",
    "polynomial", "product_over", "prose", "prove", "quotation", "refs", "relu", "reset_statements", "scalar",
    "sequence", "show", "slips", "sqrt", "sum_over", "time", "to_latex", "to_text", "union",
    "upper_bound", "variable",
]  # fmt: skip
