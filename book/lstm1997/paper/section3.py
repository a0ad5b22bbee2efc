"""Section 3 of the paper: what follows from factors, weights and norms, and the unit with constant error flow."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import Eq, Ge, Integer
from throughtime.derivation import Statement, Step, identity
from throughtime.models.activations import logistic
from throughtime_book.lstm1997.paper import flow
from throughtime_book.lstm1997.paper.judged import judged
from throughtime_book.shared.words import Iff

# ---- section 3.1


def explode() -> Statement:
    """The largest product grows; the sum of products need not."""
    weights = np.array([[2.0, 2.0], [-2.0, -2.0]])
    held = np.ones((3, 2))
    return judged(
        "paper97-explode",
        flow.EXPLODES,
        flow.bound,
        [
            Step(
                "A product of $q$ factors, each of modulus at least $a_{\\mathrm{min}}$, has at least the modulus "
                "$a_{\\mathrm{min}}^q$. If all are equal, it has just that.",
                Ge(flow.P, flow.a_min**flow.q),
                lambda: flow.bound(flow.EXPLODES[1]),
            ),
            Step(
                "The sum of the products can be zero:",
                r"\begin{pmatrix} 2 & 2 \\ -2 & -2 \end{pmatrix}^2 = 0",
                lambda: not flow.matrix_flow(weights, held).any(),
                exact=True,
            ),
        ],
        "Two linear units with the weights $2, 2$ and $-2, -2$: all factors have modulus 2, and the flow is 0 from two "
        "steps on.",
        assumptions=(flow.FACTOR, r"$P_{\mathrm{max}}$ is the largest modulus of a product along a path."),
    )


def vanish() -> Statement:
    """Each product vanishes; their number grows."""
    grown = float(flow.matrix_flow(np.full((2, 2), 0.9), np.ones((10, 2)))[0, 0])
    return judged(
        "paper97-vanish",
        flow.VANISHES,
        flow.bound,
        [
            Step(
                "A path of $q$ links has $q - 1$ units between its ends, so there are $n^{q-1}$ paths, each at most "
                "$a_{\\mathrm{max}}^q$.",
                flow.VANISHES[1],
                lambda: flow.bound(flow.VANISHES[1]),
            ),
            identity(
                "Units of equal factors attain it:",
                flow.n ** (flow.q - 1) * flow.a_max**flow.q,
                (flow.n * flow.a_max) ** flow.q / flow.n,
            ),
        ],
        f"Two linear units, all weights $0.9$: after 10 steps the flow is {grown:.4g}, and it grows on.",
        assumptions=(flow.FACTOR,),
    )


def coth() -> Statement:
    """The weight with the largest factor."""
    z = flow.z
    f = 1 / (1 + sp.exp(-z))
    return judged(
        "paper97-coth",
        (flow.COTH,),
        flow.largest,
        [
            identity(
                "The factor is largest where its derivative with respect to $w$ is zero. With $z = w y + \\dots$ "
                "that is "
                "$f''(z)\\, y w + f'(z) = 0$; for the logistic function:",
                sp.simplify(-f.diff(z) / f.diff(z, 2)),
                sp.coth(z / 2),
            )
        ],
        instance="a hyperbolic cotangent of a rational number is not rational",
        numeric=lambda: flow.largest(flow.COTH),
        assumptions=(
            "$w$ leads from a unit of activation $y$ to the unit of net input $z$, as the subscripts say.",
            '"If $y$ is constant and not equal to zero", as the paper asks, and the rest of the net input is constant.',
        ),
    )


def factor_four() -> Statement:
    """A weight below 4 and a slope of at most one quarter."""
    z = flow.z
    f = 1 / (1 + sp.exp(-z))
    return judged(
        "paper97-factor-four",
        (flow.BELOW_FOUR,),
        flow.below_four,
        [
            identity(
                "The slope of a logistic unit, from its value:",
                f.diff(z),
                sp.Rational(1, 4) - (f - sp.Rational(1, 2)) ** 2,
            ),
            Step(
                "So it is at most one quarter, which it is at $z = 0$; the factor there is $w / 4$.",
                r"|f'(z)\, w| \le \tfrac14 |w|",
                lambda: logistic.derivative(0.0) == 0.25,
                exact=True,
            ),
        ],
        numeric=lambda: flow.below_four(flow.BELOW_FOUR),
    )


GROWN = "Two logistic units, all weights $3.9$, held at slope $\\frac14$: the flow is "


def _grown() -> str:
    late = flow.matrix_flow(np.full((2, 2), 3.9), np.full((20, 2), 0.25))[0, 0]
    return f"{GROWN}{late:.3g} after 20 steps, and grows by the factor $1.95$ with each."


def _quarter() -> list[Step]:
    return [
        Step(
            "Each factor is at most $w_{\\mathrm{max}} / 4$, and there are $n^{q-1}$ paths:",
            sp.Le(sp.Abs(flow.F), flow.n ** (flow.q - 1) * (flow.w_max / 4) ** flow.q),
            lambda: flow.bound(flow.VANISHES[1]),
        ),
        Step(
            "So below $4/n$ the flow vanishes. At $4/n$ it need not: units of equal weights, held at slope $\\frac14$, "
            "have a constant flow.",
            None,
            lambda: flow.limit(flow.FOUR[1]) and not flow.limit(flow.FOUR[0]),
        ),
    ]


def four() -> Statement:
    """The false step: from one factor to the flow."""
    return judged("paper97-four", flow.FOUR, flow.limit, _quarter(), _grown(), assumptions=(flow.FACTOR,))


def global_flow() -> Statement:
    """The sum over output units."""
    return judged("paper97-global", flow.GLOBAL, flow.limit, _quarter(), _grown(), assumptions=(flow.FACTOR,))


def row_norm() -> Statement:
    """The norm of a row and the norm of the matrix."""
    ones = np.eye(1, 3).T @ np.ones((1, 3))
    return judged(
        "paper97-row-norm",
        flow.ROW,
        flow.bound,
        [
            Step(
                "The row, written as a column, is $W^T e_u$, and $\\|e_u\\|_x = 1$ in the norms of the section. "
                "So it is "
                "the norm of the transposed matrix that bounds it.",
                flow.ROW[1],
                lambda: flow.bound(flow.ROW[1]),
            )
        ],
        "Three units; the row of $u$ is $1, 1, 1$ and all else 0. In the 1-norm $\\|W_{u^T}\\| = 3$, while "
        "$\\|W\\|$, the "
        f"largest sum of a column, is {np.linalg.norm(ones, 1):.0f}.",
        assumptions=(flow.ANY_NORM,),
    )


def bound() -> Statement:
    """Both inequalities of the bound."""
    first, (second, right) = flow.FIRST, flow.SECOND
    return judged(
        "paper97-bound",
        ((first, second), (first, right)),
        flow.bound,
        [
            Step(
                "$|x^T y| \\le n \\|x\\|_x \\|y\\|_x$, for $x = W_{u^T}$ and $y$ the product of the rest:",
                first,
                lambda: flow.bound(first),
            ),
            Step(
                "$\\|W_v\\|_x = \\|W e_v\\|_x \\le \\|W\\|_A$, and for the row the bound of paper97-row-norm:",
                right,
                lambda: flow.bound(right),
            ),
        ],
        "The matrix of paper97-row-norm, slopes 1, $q = 2$, 1-norm: the left side is $3 \\cdot 1 \\cdot 3 = 9$, "
        "the right "
        "one $3 \\cdot 1^2 = 3$.",
        assumptions=(flow.ANY_NORM, flow.FACTOR),
    )


def tau() -> Statement:
    """The true bound of the paper, beside the false step."""
    return judged(
        "paper97-tau",
        (flow.FOUR[1],),
        flow.limit,
        [
            *_quarter(),
            identity(
                "The bound that the paper gives for it, $n \\tau^q$ with $\\tau = n w_{\\mathrm{max}} / 4$, is "
                "$n^2$ times "
                "the largest flow there is:",
                flow.n * (flow.n * flow.w_max / 4) ** flow.q,
                flow.n**2 * (flow.n ** (flow.q - 1) * (flow.w_max / 4) ** flow.q),
            ),
        ],
        assumptions=(flow.FACTOR,),
    )


# ---- section 3.2

_w, _g = sp.Symbol("w_{jj}", real=True, nonzero=True), sp.Symbol(r"{f_j'}(t)", real=True)
_now, _next = (sp.Symbol(rf"{{\vartheta_j}}({at})", real=True) for at in ("t", "t+1"))
_x, _c = sp.Symbol("x", real=True), sp.Symbol("{f_j(0)}", real=True)
_f = sp.Function("f_j")


def cec_required() -> Statement:
    """The factor of one unit has to be 1."""
    return judged(
        "paper97-cec-required",
        (Iff(Eq(_g * _w, 1), Eq(_now, _next)),),
        _holds_iff,
        [
            identity(
                "The error one step back is the factor times the error. Their difference, for an error that is "
                "not zero, is "
                "zero where the factor is 1 and nowhere else:",
                _g * _w * _next - _next,
                (_g * _w - 1) * _next,
            )
        ],
        assumptions=(
            "The later error is not zero.",
            r"The right equation is what the left one is to bring about; ${f_j'}(t)$ is $f'_j(net_j(t))$.",
        ),
    )


def _holds_iff(formula: sp.Basic) -> bool:
    if not isinstance(formula, Iff):
        return False
    left, right = formula.args
    values = [sp.Rational(a, b) for a, b in ((-2, 1), (-1, 2), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1))]
    met = 0
    for w in values:
        for g in values:
            for later in values:
                at = {_w: w, _g: g, _next: later, _now: g * later * w}
                one, two = (bool(side.subs(at)) for side in (left, right))
                met += one
                if one != two:
                    return False
    return met > 0


def cec_linear() -> Statement:
    """The activation of constant error flow, with its constant."""
    printed, right = Eq(_f(_x), _x / _w, evaluate=False), Eq(_f(_x), _x / _w + _c, evaluate=False)
    return judged(
        "paper97-cec-linear",
        (printed, right),
        _of_affine,
        [
            identity("Any constant meets the requirement:", sp.Derivative(_x / _w + _c, _x) * _w, Integer(1)),
            Step(
                "Two solutions differ by a function of slope 0, a constant; at $x = 0$ it is $f_j(0)$.",
                None,
                lambda: _of_affine(right),
                exact=True,
            ),
        ],
        "$f_j(x) = x + 1$ with $w_{jj} = 1$ meets the requirement, and $f_j(0) = 1$, not 0. With it the "
        "activation grows by "
        "1 in each step, though the error flow is constant.",
    )


def _of_affine(formula: sp.Basic) -> bool:
    """Whether an equation for f holds of all affine functions of slope 1 / w."""
    if not isinstance(formula, Eq):
        return False
    for w in (Integer(1), sp.Rational(-1, 2), Integer(3)):
        for constant in (Integer(0), Integer(1), sp.Rational(-2, 3)):
            side = [part.replace(_f, lambda at: at / w + constant) for part in formula.args]  # noqa: B023
            for point in (Integer(-2), Integer(0), Integer(5)):
                left, right = (part.subs({_x: point, _w: w, _c: constant}) for part in side)
                if left != right:
                    return False
    return True
