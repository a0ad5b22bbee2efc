"""Proofs in block notation: the bound by the norm, and network 4 of the gaps."""

from __future__ import annotations

import sympy as sp
from sympy import Eq, Le
from throughtime.derivation import Step, identity
from throughtime_book.bptt.vanishing import claims as judge
from throughtime_book.bptt.vanishing.claims import d, n, w_max

_names = (r"\Vert F(n) \Vert", r"{\Vert W D_m \Vert}", r"\Vert W \Vert", r"\gamma")
_flow, _step, _norm, _slope = (sp.Symbol(name) for name in _names)


def by_norm() -> list[Step]:
    """The norm of the flow is at most (gamma |W|)^n, and no smaller base will do for all networks."""
    return [
        Step(
            r"One step: $\Vert W D_m \Vert \le \Vert W \Vert\, \Vert D_m \Vert$, and the norm of a diagonal matrix is "
            r"its largest entry, which is at most $\gamma$.",
            Le(_step, _slope * _norm),
            lambda: judge.norm_bound(1),
        ),
        Step(
            r"From $n$ to $n + 1$: the operator norm of a product is at most the product of the norms. So for every "
            r"lag, and whatever the slopes do on the way,",
            Le(_flow, (_slope * _norm) ** n),
            lambda: all(judge.norm_bound(lag) for lag in (2, 3, 8)),
        ),
        Step(
            r"It is attained, for every lag, by orthogonal weights (times any number) in a network held where all "
            r"slopes are $\gamma$. So no smaller base will do for all networks.",
            None,
            lambda: judge.norm_bound_attained(8),
        ),
        Step(
            r"At least as good as counting paths, up to a constant: with $w_{\max}$ the largest $|w_{ij}|$,",
            Le(_norm, d * w_max),
            lambda: judge.norm_against_count(),
        ),
    ]


def of_network_4() -> list[Step]:
    """All eigenvalues of W are 0, and those of W D are not."""
    slope = sp.Symbol("s", positive=True)
    W, D = sp.ImmutableMatrix([[2, -2], [2, -2]]), sp.ImmutableMatrix(sp.diag(1, slope))
    return [
        Step(
            "Network 4 without slopes: the square is zero, so all eigenvalues are.",
            Eq(sp.MatPow(W, 2), sp.ZeroMatrix(2, 2)),
            lambda: (W**2).is_zero_matrix,
        ),
        Step(
            "With slopes 1 and $s$ the link matrix has rank one, so all eigenvalues but one are 0.",
            Eq(sp.Determinant(sp.MatMul(W, D)), 0),
            lambda: (W * D).det() == 0,
        ),
        identity(
            "The other one is the trace, above 1 for every slope below one half:",
            sp.Trace(sp.MatMul(W, D)),
            2 - 2 * slope,
        ),
        Step(
            r"Its powers: $(W D)^n$ is $(2 - 2s)^{n-1}\, W D$. It explodes for $s < \frac12$.",
            None,
            lambda: all(
                sp.simplify((W * D) ** lag - (2 - 2 * slope) ** (lag - 1) * W * D) == sp.zeros(2)
                for lag in (1, 2, 3, 4)
            ),
        ),
    ]
