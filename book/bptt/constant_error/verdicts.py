"""The verdicts on one self-connected unit: constant error flow, the activation that it forces, the carousel."""

from __future__ import annotations

from functools import cache

import sympy as sp
from sympy import Eq, Integral
from throughtime.derivation import (
    Delta,
    Lemma,
    Statement,
    Step,
    by_induction,
    chain,
    claim,
    d,
    derived,
    identity,
    lag,
    product_over,
    time,
)
from throughtime.models.activations import identity as linear
from throughtime_book.bptt.constant_error import claims as judge
from throughtime_book.bptt.constant_error import system as s
from throughtime_book.bptt.constant_error.claims import f, net, slope, t, theta, w, y, z
from throughtime_book.shared.words import Iff

i, j = s.i, s.j
q, m = lag("q"), time("m")
S, A = cache(judge.setting), cache(judge.affine_setting)

one_back = chain(
    d(s.cost[s.t], s.net[j, s.t - 1]), s.w[j, j] * s.f.prime(s.net[j, s.t - 1], j) * d(s.cost[s.t], s.net[j, s.t])
)

# ---- constant error flow

over_lags = Lemma(
    d(s.net[j, s.t], s.net[i, s.t - q]),
    Delta(i, j) * product_over((m, 1, q), s.w[j, j] * s.f.prime(s.net[j, s.t - m], j)),
    q,
)
required = Iff(Eq(w * slope(net(t - 1)), 1), Eq(theta(t, t - 1), theta(t, t)))
a, (g, later) = sp.IndexedBase("a"), sp.symbols("g vartheta", real=True)
steps = sp.Symbol("q", integer=True, positive=True)


def _constant() -> list[Step]:
    return [
        derived("One step back:", S(), one_back),
        identity(
            r"Write $g$ for the factor and $\vartheta$ for the later signal, which is not zero. The "
            r"two signals differ by this product, which is zero if and only if $g = 1$:",
            g * later - later,
            (g - 1) * later,
        ),
        *by_induction(S(), over_lags),
        Step(
            r"So if every factor is one, the error is the same at every lag: a product of ones is one.",
            Eq(sp.Product(1, (sp.Symbol("m"), 1, steps)), 1),
            lambda: sp.Product(1, (sp.Symbol("m"), 1, steps)).doit() == 1,
        ),
        Step(
            r"If only the size of the error is to stay, at every lag, then every factor $a_q$ has to "
            r"have modulus one: it is the quotient of two neighboring products.",
            Eq(
                sp.Product(a[sp.Symbol("m")], (sp.Symbol("m"), 1, steps + 1))
                / sp.Product(a[sp.Symbol("m")], (sp.Symbol("m"), 1, steps)),
                a[steps + 1],
            ),
            lambda: all(
                sp.prod([a[k] for k in range(1, n + 2)]) / sp.prod([a[k] for k in range(1, n + 1)]) == a[n + 1]
                for n in range(1, 6)
            ),
        ),
    ]


decided = cache(judge.of_units)
NONZERO = r"The error signal $\vartheta_j^t[t]$ is not zero: else nothing flows."


def requirement(id: str, also: str) -> Statement:
    """The requirement as a note has it, with what it is to bring about."""
    return claim(
        id,
        required,
        also=also,
        decide=decided,
        verdict="holds",
        proof=_constant(),
        instance=lambda: judge.of_units(required, judge.exact_runs()),
        numeric=lambda: judge.of_units(required, judge.library_runs()),
        assumptions=(
            judge.ALONE,
            NONZERO,
            r"The left equation is that of the notes; the right one is what it is to bring about.",
        ),
    )


# ---- the activation that this forces

integrated = Eq(Integral(w * slope(z), z), Integral(1, z))
lost, divided = Eq(w * f(z), z), Eq(f(z), z / w)
kept, affine = Eq(w * f(z), z + w * f(0)), Eq(f(z), z / w + f(0))
printed_24 = (Iff(integrated, lost), Iff(lost, divided))
right_24 = (Iff(integrated, kept), Iff(kept, affine))
x, C, W0 = sp.Symbol("x", real=True), sp.Symbol("C", real=True), sp.Symbol("w_{j,j}", real=True, nonzero=True)


def no_other_solution() -> Step:
    """That only affine activations meet the requirement at every net input."""
    g = sp.Function("g")
    equation, solution = W0 * g(x).diff(x) - 1, (x + C) / W0
    return Step(
        r"There is no other solution: two of them differ by a function whose slope is 0, which is "
        r"a constant. Its value is found at $x = 0$, $C = w_{j,j} f_j(0)$.",
        Eq(W0 * sp.Function("f_j")(x), x + C),
        lambda: (
            sp.dsolve(equation, g(x)).rhs.diff(x) == 1 / W0
            and sp.dsolve(equation, g(x), ics={g(0): C / W0}).rhs.equals(solution)
        ),
    )


def forced(id: str, also: str) -> Statement:
    """The integrated requirement as a note has it, and with the constant."""
    return claim(
        id,
        printed_24,
        also=also,
        corrected=right_24,
        decide=judge.of_activations,
        verdict="corrected",
        counterexample=r"$f_j(x) = x / w_{j,j} + 1$ meets the requirement, $w_{j,j} f_j'(x) = 1$ for every $x$, "
        r"but $w_{j,j} f_j(x) = x + w_{j,j}$. With $w_{j,j} = 1$ and $x = 0$ the printed line says $1 = 0$.",
        proof=[
            identity("Whatever the constant is, the requirement is met.", W0 * sp.Derivative((x + C) / W0, x), 1),
            no_other_solution(),
        ],
        instance=lambda: all(map(judge.of_activations, right_24)),
        numeric="the library has no activation with a constant; the claim is about functions, not about runs",
        assumptions=(
            r"$w_{j,j} \ne 0$",
            r"$z_j$ stands for $\operatorname{net}_j(t-1)$; the equations hold for all its values, "
            r"over which the notes integrate.",
            r"An indefinite integral is determined up to a constant.",
        ),
    )


# ---- the carousel

same_output = (
    Eq(y(t), f(net(t))),
    Eq(f(net(t)), f(w * y(t - 1))),
    Eq(f(w * y(t - 1)), f(net(t - 1))),
    Eq(f(net(t - 1)), y(t - 1)),
)
drift = chain(s.y[j, s.t], s.y[j, s.t - 1] + s.constant[j] / s.w[j, j])
no_change = Lemma(d(s.y[j, s.t], s.y[i, s.t - q]), Delta(i, j) + 0 * q, q)


def carousel(id: str, also: str) -> Statement:
    """The outputs of a linear self-connected unit, as a note has them."""
    return claim(
        id,
        same_output,
        also=also,
        decide=judge.of_carousels,
        verdict="holds",
        same=judge.same_on_carousels,
        proof=[
            derived(
                r"With any constant, $f_j(z) = (z + C_j) / w_{j,j}$, one step adds the same amount. Here "
                r"$C_j = 0$.",
                A(),
                drift,
                numeric="the library has no activation with a constant",
            ),
            *by_induction(A(), no_change),
        ],
        instance=lambda: all(map(judge.of_carousels, same_output)),
        numeric=lambda: all(
            judge.of_units(line, [judge.library_run(linear, 1.0, pulse)])
            for line in same_output
            for pulse in (0.3, -2.0)
        ),
        assumptions=(
            judge.ALONE,
            r"$f_j(z) = z / w_{j,j}$, the solution that the notes go on with, and $w_{j,j} \ne 0$",
            r"$t \ge 2$: there is no net input before time 1",
            "slips of a time by some steps change nothing, since the output is the same at all times",
        ),
    )
