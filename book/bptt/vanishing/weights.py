"""The weight with the largest factor: bptt-coth, bptt-coth-remark and their 1997 twins."""

from __future__ import annotations

from functools import cache

import numpy as np
from sympy import (
    Derivative,
    Eq,
    Equality,
    Expr,
    Float,
    Function,
    Not,
    Symbol,
    coth,
    exp,
    lambdify,
    nsolve,
    simplify,
    tanh,
)
from sympy.logic.boolalg import Boolean
from throughtime.checks import complex_step
from throughtime.derivation import Setting, Statement, Step, chain, claim, derived, identity, partial
from throughtime.models.activations import logistic
from throughtime.models.recurrent import FullyRecurrent
from throughtime.systems import recurrent as s
from throughtime_book.bptt import networks as ef
from throughtime_book.bptt.vanishing.claims import exact_flow, true_of, w, y, z
from throughtime_book.shared.words import Words

w_into, w_out = Symbol("w_{l_{m} l_{m-1}}"), Symbol("w_{l_{m-1} l_{m}}")
sent_in = Symbol("y_{l_{m-1}}(t-m-1)")
net_m = Symbol(r"\operatorname{net}_{l_{m}}(t-m)")
coth_formula = Eq(w_into, coth(net_m / 2) / sent_in)
with_other_weight = Eq(w_out, coth(net_m / 2) / sent_in)


def stationary(sent: float, rest: float, *, into: bool) -> list[float]:
    """Weights, found by search, at which |w| sigma'(net) peaks.

    net = w sent + rest if w leads `into` the unit; otherwise it is `rest`, whatever w is.
    """
    grid = np.linspace(-60, 60, 120_001)
    factor = np.abs(grid) * logistic.derivative(grid * sent + rest if into else np.full_like(grid, rest))
    peaks = np.flatnonzero((factor[1:-1] > factor[:-2]) & (factor[1:-1] > factor[2:])) + 1
    return [float(grid[peak]) for peak in peaks]


def largest_factor(formula: Equality) -> bool:
    """Whether the equation picks out exactly the weights at which the factor peaks.

    The weight w_{l_m l_{m-1}} leads into unit l_m, and y_{l_{m-1}} is what it carries; w_{l_{m-1} l_m} leads out of it.
    """
    grid = np.linspace(-60, 60, 120_001)
    for sent, rest in ((0.3, 0.0), (0.9, 0.6), (0.5, -1.0), (-0.7, 0.2)):
        into = not formula.has(w_out)
        weights = grid + 1e-7  # off the points where the right side is infinite
        nets = weights * sent + rest if into else np.full_like(weights, rest + 1e-7)
        given = {w_into: w, w_out: w, sent_in: y, net_m: z}
        difference = lambdify((w, y, z), (formula.lhs - formula.rhs).subs(given), "numpy")(weights, sent, nets)
        turns = np.flatnonzero((np.sign(difference[1:]) != np.sign(difference[:-1])) & (np.abs(difference[1:]) < 1))
        peaks = stationary(sent, rest, into=into)
        if len(turns) != len(peaks) or not np.allclose(grid[turns], peaks, atol=3e-3):
            return False
    return True


# ---- what is said of that weight

EXISTS = Words("there is a weight into the unit from the one before it on the path")
RIGHT = Words("the formula holds of it")
RIGHT_OF_THE_OTHER = Words("the formula holds of the weight out of the unit")
said = (Not(EXISTS), Not(RIGHT), RIGHT_OF_THE_OTHER)


@cache
def pairs_with_a_weight(units: int = 3) -> bool:
    """Whether each unit's net input changes with a weight of its own from each unit, in the library's network."""
    net, random = FullyRecurrent(n_in=1, n_out=units, activation=logistic), np.random.default_rng(5)
    theta, x = net.init(random, scale=1.0), random.normal(size=(2, 1))
    for row in range(units):
        by_weight = complex_step(lambda at, row=row: net.forward(at, x).z[2, row], theta)
        own = [by_weight[net.layout.index("W", row, net.n_in + column)] for column in range(units)]
        if not np.all(np.abs(own) > 1e-3):
            return False
    return True


def remark(formula: Boolean) -> bool:
    """Whether a part of the notes' remark on the formula is true."""
    known = {
        EXISTS: pairs_with_a_weight(),
        RIGHT: largest_factor(coth_formula),
        RIGHT_OF_THE_OTHER: largest_factor(with_other_weight),
    }
    return true_of(formula, known)


# ---- verdicts

_rest, _sent = Symbol("c", real=True), Symbol("y", real=True)
_Z = Symbol("z", real=True)


def _logistic(at: Expr) -> Expr:
    return 1 / (1 + exp(-at))


def _peak() -> list[Step]:
    here = _logistic(w * _sent + _rest)
    factor = w * here * (1 - here)
    return [
        identity(
            r"By the product and the chain rule, with $\mathrm d z/\mathrm d w = y$: the derivative of the factor with "
            r"respect to the weight.",
            Derivative(factor, w),
            here * (1 - here) * (1 - w * _sent * (2 * here - 1)),
        ),
        identity(r"$2\sigma(z) - 1$ is a hyperbolic tangent.", 2 / (1 + exp(-_Z)) - 1, tanh(_Z / 2)),
        Step(
            r"So the derivative is zero exactly where $w y \tanh(z/2) = 1$, which is the formula.",
            Eq(w, coth(_Z / 2) / _sent),
            lambda: simplify((w * _sent * tanh(_Z / 2) - 1).subs(w, coth(_Z / 2) / _sent).rewrite(exp)) == 0,
        ),
        identity(
            r"With $w y = z - c$ the condition is $(z - c) \tanh(z/2) = 1$. The left side has the derivative below, "
            r"which is positive for $z > \max(0, c)$ and negative for $z < \min(0, c)$, and the left side is not "
            r"positive between: one solution on each side, so one for each sign of $w y$.",
            Derivative((_Z - _rest) * tanh(_Z / 2), _Z),
            tanh(_Z / 2) + (_Z - _rest) * (1 - tanh(_Z / 2) ** 2) / 2,
        ),
        Step(
            r"The modulus of the factor is 0 at $w = 0$ and for $|w| \to \infty$, so both solutions are maxima of it. "
            r"For $c = 0$ they are $w = \pm z/y$ with $z \tanh(z/2) = 1$, and the maximum is $0.224/|y|$.",
            Eq(Symbol("z"), Float(nsolve(_Z * tanh(_Z / 2) - 1, 1.5), 6)),
            lambda: (
                abs(max(stationary(1.0, 0.0, into=True)) - 1.543405) < 1e-3
                and len(stationary(1.0, 0.0, into=True)) == 2
            ),
        ),
    ]


def largest_at(id: str, also: str) -> Statement:
    """The coth formula, with the numbers of two units as its numeric check."""

    def agrees(sent: float, rest: float) -> bool:
        peaks = stationary(sent, rest, into=True)
        by_formula = [float(1 / np.tanh((peak * sent + rest) / 2) / sent) for peak in peaks]
        return len(peaks) == 2 and np.allclose(by_formula, peaks, atol=3e-3)

    return claim(
        id,
        coth_formula,
        also=also,
        verdict="holds",
        decide=largest_factor,
        proof=_peak(),
        instance="the formula is transcendental: no rational numbers satisfy it",
        numeric=lambda: agrees(0.5, 0.6) and agrees(-0.7, 0.2) and largest_factor(coth_formula),
        assumptions=[
            r"$w_{l_m l_{m-1}}$ leads into unit $l_m$, whose slope it multiplies: "
            r"$\operatorname{net}_{l_m} = w_{l_m l_{m-1}}\, y_{l_{m-1}} + c$.",
            r"$y_{l_{m-1}}$ is constant and not 0, as the paper has it, and $c$ does not depend on the weight. For a "
            r"self-connection this takes the previous step as given.",
            r"The formula is an equation for the weight, which stands on its right side too, inside net. It has one "
            r"solution for each sign.",
        ],
    )


def there_is_one(id: str, also: str, setting: Setting) -> Statement:
    """The notes' remark on the weight of the coth formula."""
    here = Function(r"\sigma'")(_Z)
    stands_in_it = chain(partial(s.net[s.i, s.t], s.w[s.i, s.j]), s.y[s.j, s.t - 1])
    return claim(
        id,
        said,
        also=also,
        verdict="refuted",
        decide=remark,
        counterexample=f"{with_numbers(0.5, 0.6)} {doubled(0.5, -1.0)}",
        proof=[
            derived(
                r"For any two units there is a weight to $i$ from $j$, and the net input of $i$ changes with it:",
                setting,
                stands_in_it,
                numeric="a trace tells total derivatives only",
            ),
            Step(
                "Of this weight the formula holds, as proved above.",
                coth_formula,
                lambda: largest_factor(coth_formula),
            ),
            identity(
                "The net input does not change with a weight that leads out of the unit. So the factor is linear in "
                "it, and its derivative is a slope, which is nowhere 0:",
                Derivative(w * here, w),
                here,
            ),
        ],
        instance=lambda: all(
            exact_flow(ef.Held([[0, 2 * at], [0, 0]], [0, 0], logistic), 1)[0, 1]
            == 2 * exact_flow(ef.Held([[0, at], [0, 0]], [0, 0], logistic), 1)[0, 1]
            for at in (1, 4, 16)
        ),
        numeric=lambda: pairs_with_a_weight() and not any(stationary(0.5, at, into=False) for at in (-1.0, 0.6)),
        assumptions=[
            r"The network is fully recurrent, as that of the notes and of the paper, the two units differ, and the "
            r"previous step is taken as given.",
            r"The remark says three things: that $w_{l_m l_{m-1}}$ does not exist, that the formula does not hold of "
            r"it, and that it holds with $w_{l_{m-1} l_m}$ in its place. All three are false.",
        ],
    )


def with_numbers(sent: float, rest: float) -> str:
    """A counterexample to the remark: both weights of one unit, and where the factor is largest."""
    low, high = stationary(sent, rest, into=True)
    return (
        rf"In a fully recurrent net $w_{{l_m l_{{m-1}}}}$ exists and leads into unit $l_m$: with $y = {sent:g}$ and "
        rf"$c = {rest:g}$ the factor is largest at {low:.3f} and {high:.3f}, where the formula has it. The weight "
        rf"$w_{{l_{{m-1}} l_m}}$ leads out of the unit: at $\operatorname{{net}} = {rest:g}$ the factor is "
        rf"${logistic.derivative(rest):.4f}\,w$, which has no maximum."
    )


def doubled(sent: float, net: float) -> str:
    """A counterexample to the remark: the formula put to the weight that leads out of the unit."""
    at = float(1 / np.tanh(net / 2) / sent)
    factor = abs(at) * float(logistic.derivative(net))
    return (
        rf"Take $\operatorname{{net}}_{{l_m}}(t-m) = {net:g}$ and a weight $w_{{l_{{m-1}} l_m}}$ out of that unit. The "
        rf"formula with $y = {sent:g}$ would put the largest factor at $w = {at:.4g}$, yet there it is {factor:.4g} in "
        rf"modulus, and at twice that weight it is {2 * factor:.4g}. The weight into the unit, "
        rf"$w_{{l_m l_{{m-1}}}}$, is another one of the same net."
    )
