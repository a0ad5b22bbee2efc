"""Weights without bound: bptt-19 and lstm97-27."""

from __future__ import annotations

import numpy as np
from sympy import Abs, Eq, Le, Limit, Mul, Rational, Symbol, exp, lambdify, oo
from sympy import limit as limit_of
from sympy.logic.boolalg import Boolean
from throughtime.derivation import Statement, Step, claim, identity
from throughtime.models.activations import logistic
from throughtime_book.bptt import networks as ef
from throughtime_book.bptt.vanishing.claims import c, exact_flow, limit, same_in_the_model, true_of, w, y, z

B = Symbol("B", real=True)  # |w sigma'(w y + c)|
lim_net, lim_slope, lim_product = (
    Symbol(rf"\lim_{{|w| \to \infty}} |{{{inside}}}|")
    for inside in (r"\operatorname{net}", r"\sigma'(\operatorname{net})", r"\prod_q w\,\sigma'(\operatorname{net})")
)


def large_weight_nets(weight: float) -> dict[str, tuple[float, float, float]]:
    """|net|, slope and product of links, for three networks whose weights grow; the first two are one logistic unit.

    "free": nothing but its own output comes in. "held": an input keeps its net input at 0. "outer": of two units, and
    one link, only the weight of that link grows, from a unit that does not read it.
    """
    free = weight / 2
    return {
        "free": (free, float(logistic.derivative(free)), (weight * float(logistic.derivative(free))) ** 2),
        "held": (0.0, 0.25, float(ef.Held([[weight]], [0.0], logistic).flow(2)[2, 0, 0])),
        "outer": (free, 0.25, float(ef.Held([[0, weight], [0, 0]], [0.0, 0.0], logistic).flow(1)[1, 0, 1])),
    }


def large_weights(formula: Boolean) -> bool:
    """A limit for |w| to infinity, true if every network has it; or a bound of B, attained at large |w|."""
    if not formula.has(B):
        known = [map(limit, row) for row in large_weight_nets(1e12).values()]
        names = (lim_net, lim_slope, lim_product)
        return all(
            true_of(formula, {name: oo if v == np.inf else v for name, v in zip(names, row, strict=True)})
            for row in known
        )
    weight, sent, rest = (
        g.ravel() for g in np.meshgrid([-90, -9, -2, 0.5, 3, 30, 90], [-1, 0.3, 0.8, 2], [-2, 0, 1.5])
    )
    found = np.abs(weight) * logistic.derivative(weight * sent + rest)
    left, right = (lambdify((B, w, y, c), side, "numpy")(found, weight, sent, rest) for side in formula.args)
    holds = np.all(left <= right * (1 + 1e-9)) if formula.rel_op in ("<=", "<") else np.all(left >= right * (1 - 1e-9))
    aligned = (np.abs(weight) == 90) & (np.abs(sent) >= 0.8) & (np.sign(weight * sent) == -np.sign(rest))
    return bool(holds and np.allclose(np.broadcast_to(left / right, found.shape)[aligned], 1, atol=1e-9))


# ---- verdicts

limits_said = (Eq(lim_net, oo), Eq(lim_slope, 0), Eq(lim_product, 0))
large = Le(B, Abs(w) * exp(Abs(c) - Abs(w * y)))
_u = Symbol("u")


def _saturation() -> list[Step]:
    return [
        identity(
            r"The slope decays like $e^{-|z|}$: with the sign of $z$ taken out, "
            r"$\sigma'(z)\,e^{z} = (1 + e^{-z})^{-2}$, which is below 1 and tends to 1.",
            Mul(exp(-z) / (1 + exp(-z)) ** 2, exp(z), evaluate=False),
            1 / (1 + exp(-z)) ** 2,
        ),
        Step(
            r"Where the net input is $w y + c$, its modulus is at least $|w y| - |c|$. So $B = "
            r"|w\,\sigma'(w y + c)|$ obeys",
            large,
            lambda: large_weights(large),
        ),
        Step(
            r"If $|y|$ stays above some $\eta > 0$ and $|c|$ below some $C$, the bound goes to 0: "
            r"the exponential wins.",
            Eq(Limit(Symbol("u") * exp(Symbol("C") - Symbol("eta") * Symbol("u")), Symbol("u"), oo), 0),
            lambda: limit_of(_u * exp(5 - Rational(1, 10) * _u), _u, oo) == 0 and limit_of(_u * exp(5), _u, oo) == oo,
        ),
    ]


def grows(id: str, also: str) -> Statement:
    """Weights without bound, with two networks whose product of links grows along."""
    held, free = ef.Held([[1000]], [0.0], logistic), ef.Held([[1000.0]], [500.0], logistic)
    outer = ef.Held([[0, 1000], [0, 0]], [0.0, 0.0], logistic)
    return claim(
        id,
        limits_said,
        also=also,
        corrected=large,
        verdict="corrected",
        decide=large_weights,
        proof=_saturation(),
        counterexample=f"{_held_words()} {_outer_words()}",
        instance=lambda: exact_flow(held, 2)[0, 0] == 250**2 and exact_flow(outer, 1)[0, 1] == 250,
        numeric=lambda: same_in_the_model(held, free, outer),
        assumptions=[
            r"The unit is logistic; $B$ pairs its slope with the weight that leads into it, which carries $y$ from the "
            r"previous step; $c$ is the rest of its net input.",
            r"For the limit: $|y| \ge \eta > 0$ and $|c| \le C$ for all $w$.",
        ],
    )


def _held_words() -> str:
    """One unit that its input keeps at net input 0."""
    net, slope_there, product = large_weight_nets(1e3)["held"]
    return (
        rf"One logistic unit with $w = 1000$ whose input is $-w/2$ at every step after the first: its net input stays "
        rf"{net:g}, its slope {slope_there:g}, and the product of two links is {product:g}. It grows with $w$ without "
        r"bound."
    )


def _outer_words() -> str:
    """Two units and one link, beside whose weight no slope falls."""
    _, slope_there, product = large_weight_nets(1e3)["outer"]
    return (
        r"Or two logistic units and one step back, $n = 1$; only $w_{12} = 1000$ grows, and unit 2 has no input from "
        r"unit 1. The product is $w_{12}\,\sigma'(\mathrm{net}_2(t-1))$, with a slope of "
        rf"{slope_there:g} that $w_{{12}}$ does not change: it is {product:g}, not near 0. The weight that is left "
        r"over in front has no slope to tame it."
    )
