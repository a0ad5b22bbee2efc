"""The verdicts on vanishing and explosion, one function for each box: proof, counterexample, assumptions."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy import Abs, Eq, Ge, Gt, Implies, Le, Lt, Rational, oo
from throughtime.derivation import Statement, Step, claim
from throughtime_book.bptt import networks as ef
from throughtime_book.bptt.vanishing import claims as judge
from throughtime_book.bptt.vanishing.claims import (
    F,
    P,
    a,
    a_max,
    a_min,
    d,
    exact_flow,
    lim_flow,
    lim_sum,
    lim_terms,
    n,
    p_min,
    same_in_the_model,
    slope,
    total,
    w,
    w_max,
    z,
)

EVERY_FACTOR = (
    r"The condition is read as one on every factor of every path, and {what} as a limit for $n \to \infty$. It keeps "
    r"its distance from the bound: factors that come as close to it as one likes, ever further back, are left out."
)
OF_THE_FLOW = (
    r"The LSTM note's sentence is about the gradient of $w$, the box about the flow $F$: of the gradient, that is the "
    r"share that comes back over $n$ steps. The shares of the last few steps stay whatever $F$ does."
)
RATE = r"The BPTT note's rate of change of the gradient over $n$ steps is the flow $F$."
LOGISTIC = r"All units are logistic; $w_{\max}$ is the largest $|w_{ij}|$."


def _flow_at(net: ef.Held | ef.Free, *lags: int) -> list[str]:
    """The largest entry of a network's flow at some lags, from the model itself."""
    return [f"{abs(net.measured_flow(lag)).max():.4g}" for lag in lags]


def _sum_at(net: ef.Held | ef.Free, *lags: int) -> list[str]:
    """The largest sum over k_0 of a network's flow at some lags, from the model itself."""
    return [f"{abs(net.measured_flow(lag).sum(axis=0)).max():.4g}" for lag in lags]


def _put_to_networks(words: str, formula: sp.Basic, decide: Callable = judge.factors) -> Step:
    return Step(words, formula, lambda: decide(formula))


RANK_ONE = Step(
    r"For links that are all equal to $a$ the bound is attained: with the matrix $J$ of ones, "
    r"$J^2 = d_{\mathrm{out}} J$, so $(aJ)^n = d_{\mathrm{out}}^{\,n-1} a^n J$; here for $n = 2, 3, 4$ and up to four "
    r"units.",
    Eq(sp.Symbol("(aJ)^{n}"), sp.Symbol(r"d_{\mathrm{out}}^{\,n-1} a^{n} J")),
    lambda: all(
        (a * sp.ones(size)) ** lag == size ** (lag - 1) * a**lag * sp.ones(size)
        for size in (1, 2, 3, 4)
        for lag in (2, 3, 4)
    ),
)


# ---- bptt-15 and lstm97-23

explosion_said, explosion = Implies(Gt(Abs(a), 1), Eq(lim_flow, oo)), Implies(Gt(a, 1), Eq(lim_flow, oo))
up_one, up_all = Ge(P, p_min**n), Implies(Gt(a_min, 0), Ge(F, d ** (n - 1) * a_min**n))


def explodes(id: str, also: str, net: ef.Held) -> Statement:
    """Factors above 1 in modulus, with a network of two units whose paths cancel."""
    factor = abs(exact_flow(net, 1)[0, 0])
    now, *later = _flow_at(net, 1, 2, 20)
    return claim(
        id,
        explosion_said,
        also=also,
        corrected=explosion,
        verdict="corrected",
        decide=judge.of_one_unit,
        proof=[
            _put_to_networks(
                r"Along one path: a product of $n$ factors, none smaller in modulus than $p_{\min}$.", up_one
            ),
            _put_to_networks(
                r"Over all paths: if no factor is negative nothing cancels, and each of the $d_{\mathrm{out}}^{\,n-1}$ "
                r"products is at least $a_{\min}^n$. This goes to infinity if $a_{\min} > 1$.",
                up_all,
            ),
            RANK_ONE,
        ],
        counterexample=f"{net.words.capitalize()}, held at net input 0: every factor is {float(factor):g} or "
        f"{-float(factor):g}, and the largest entry of the flow is {now} at lag 1, {later[0]} at lag 2 and {later[1]} "
        f"at lag 20. No error older than one step arrives.",
        instance=lambda: exact_flow(net, 2).is_zero_matrix and set(map(abs, exact_flow(net, 1))) == {factor},
        numeric=lambda: same_in_the_model(net),
        assumptions=[EVERY_FACTOR.format(what="explosion"), RATE, OF_THE_FLOW],
    )


# ---- bptt-16 and lstm97-24

vanishing_said, vanishing = Implies(Lt(Abs(a), 1), Eq(lim_flow, 0)), Implies(Lt(Abs(a), 1 / d), Eq(lim_flow, 0))
down_one, down_all = Le(P, a_max**n), Le(Abs(F), d ** (n - 1) * a_max**n)


def vanishes(id: str, also: str, net: ef.Held) -> Statement:
    """Factors below 1 in modulus, with a network of equal weights whose paths add up."""
    units, factor = len(net.link), exact_flow(net, 1)[0, 0]
    early, late, later = _flow_at(net, 2, 20, 60)
    return claim(
        id,
        vanishing_said,
        also=also,
        corrected=vanishing,
        verdict="corrected",
        decide=judge.factors,
        proof=[
            _put_to_networks(
                r"Along one path: a product of $n$ factors, none larger in modulus than $a_{\max}$.", down_one
            ),
            _put_to_networks(
                r"Over all paths, by the triangle inequality: $d_{\mathrm{out}}^{\,n-1}$ products, none larger than "
                r"$a_{\max}^n$. This goes to 0 if $a_{\max} < 1/d_{\mathrm{out}}$.",
                down_all,
            ),
            RANK_ONE,
        ],
        counterexample=f"{net.words.capitalize()}, held at net input 0: every factor is {float(factor):g}, and each "
        f"entry of the flow is {early} at lag 2, {late} at lag 20 and {later} at lag 60.",
        instance=lambda: exact_flow(net, 5) == units**4 * factor**5 * sp.ones(units),
        numeric=lambda: same_in_the_model(net),
        assumptions=[EVERY_FACTOR.format(what="vanishing"), RATE, OF_THE_FLOW],
    )


# ---- bptt-18 and lstm97-26

one_factor = Implies(Lt(Abs(w), 4), Lt(Abs(w * slope(z)), 1))
flow_bound = Le(Abs(F), d ** (n - 1) * (w_max / 4) ** n)
small_weights = Implies(Lt(w_max, 4 / d), Eq(lim_flow, 0))


def _from_weights() -> list[Step]:
    return [
        _put_to_networks(
            r"One factor: $|w\,\sigma'(z)| \le |w|/4$, so it is below 1 wherever $|w| < 4$; and for $|w| \ge 4$ it is "
            r"not, at $z = 0$.",
            one_factor,
            judge.weight_and_factor,
        ),
        _put_to_networks(
            r"All paths: the bound above with $a_{\max} \le w_{\max}/4$. It goes to 0 if "
            r"$w_{\max} < 4/d_{\mathrm{out}}$.",
            flow_bound,
        ),
    ]


def weights_below_four(id: str, also: str, net: ef.Held, remark: str) -> Statement:
    """Weights below 4 in modulus, with a network of equal weights."""
    units, factor = len(net.link), exact_flow(net, 1)[0, 0]
    early, late = _flow_at(net, 10, 40)
    return claim(
        id,
        [one_factor, Implies(Lt(w_max, 4), Eq(lim_flow, 0))],
        also=also,
        corrected=[one_factor, small_weights],
        verdict="corrected",
        decide=judge.weight_and_factor,
        proof=_from_weights(),
        counterexample=f"{net.words.capitalize()}, {remark}, held at net input 0: each entry of the flow is {early} "
        f"at lag 10 and {late} at lag 40.",
        instance=lambda: exact_flow(net, 3)[0, 0] == units**2 * factor**3,
        numeric=lambda: same_in_the_model(net),
        assumptions=[LOGISTIC, OF_THE_FLOW],
    )


# ---- bptt-20 and lstm97-28

terms_said, sum_said = (Implies(Lt(w_max, 4), Eq(limit, 0)) for limit in (lim_terms, lim_sum))
terms, summed = (Implies(Lt(w_max, 4 / d), Eq(limit, 0)) for limit in (lim_terms, lim_sum))
sum_bound = Le(Abs(total), d**n * (w_max / 4) ** n)
if_terms_then_sum = Implies(Eq(lim_terms, 0), Eq(lim_sum, 0))


def sum_vanishes(id: str, also: str, held: ef.Held, free: ef.Free) -> Statement:
    """The sum over the units at time t of terms that are said to vanish; two networks in which they do not."""
    return claim(
        id,
        [terms_said, sum_said],
        also=also,
        corrected=[terms, summed],
        verdict="corrected",
        decide=judge.factors,
        proof=[
            *_from_weights(),
            _put_to_networks(
                r"The sum has $d_{\mathrm{out}}$ such terms, so it goes to 0 under the same condition.", sum_bound
            ),
            Step(
                r"What is right in the sentence: a fixed number of terms that all go to 0 has a sum that does.",
                if_terms_then_sum,
                lambda: judge.limits(if_terms_then_sum),
            ),
        ],
        counterexample=f"{sum_of_equal(held)} {sum_without_inputs(free)}",
        instance=lambda: quarter_sums(held, 5),
        numeric=lambda: same_in_the_model(held),
        assumptions=[
            'The sentence says "since", not "if": it claims that every term vanishes, at $|w| < 4$ as the note has it '
            r"before. The terms are whole factors $F_{k_0^\star k_n}(n)$, each a sum over paths.",
            LOGISTIC,
        ],
    )


def sum_of_equal(net: ef.Held) -> str:
    """The counterexample of a network held at net input 0."""
    sums = _sum_at(net, 1, 5, 20)
    return (
        f"{net.words.capitalize()}, held at net input 0: the sum over $k_0^\\star$ is {sums[0]}, {sums[1]} and "
        rf"{sums[2]} at lags 1, 5 and 20; it is ${float(exact_flow(net, 1)[0, 0] * len(net.link)):g}^n$."
    )


def sum_without_inputs(net: ef.Free) -> str:
    """The counterexample of a network that nothing holds."""
    sums, flows = _sum_at(net, 10, 50, 100), _flow_at(net, 10, 50, 100)
    return (
        f"{net.words.capitalize()}: the largest is {net.w_max:.5g}. From $y(0) = 0$ the largest sum over $k_0^\\star$ "
        f"is {sums[0]}, {sums[1]} and {sums[2]} at lags 10, 50 and 100, the largest term {flows[0]}, {flows[1]} and "
        f"{flows[2]}."
    )


def quarter_sums(net: ef.Held, lag: int) -> bool:
    """Whether the sum is (d w/4)^lag for equal weights w, in rational numbers."""
    units = len(net.link)
    return set(sp.ones(1, units) * exact_flow(net, lag)) == {(units * Rational(str(net.weights[0][0])) / 4) ** lag}
