"""lfmn-15, the definition of forgetting behavior: what it says of units of each kind, and its box."""

from __future__ import annotations

from sympy import Derivative, Eq, Limit, Rational, Subs, limit, oo, symbols, tanh
from throughtime.derivation import Lemma, Setting, Statement, Step, by_induction, chain, claim, d, derived, identity
from throughtime.systems import lfmn as s
from throughtime_book.lfmn.forgetting import claims as judge

PRINTED = Eq(Limit(judge.Sensitivity(judge.t, judge.q), judge.q, oo), 0, evaluate=False)
ASSUMED = (
    r"$0 \le q < t$, so that there is an input at time $t - q$: as $q$ grows, $t$ grows with it. What the limit "
    r"says is asked for every time $t - q \ge 1$ of the input.",
    "A network forgets if this is so for all its outputs and inputs; the proof looks at one output unit.",
)
LAGS = symbols("r", integer=True, positive=True)


def judged(setting: Setting, by_input: Lemma) -> Statement:
    """The box of lfmn-15; `by_input` is the net input of an output with net-input feedback by an earlier input."""
    i, k, t, q = s.i_n, s.k, s.t, by_input.over
    slope_at_zero = Subs(Derivative(tanh(judge.z / 2), judge.z), judge.z, 0)
    return claim(
        "lfmn-15",
        PRINTED,
        decide=judge.tells_forgetting,
        verdict="holds",
        proof=[
            *by_induction(setting, by_input),
            derived(
                "What the definition says of one output unit with net-input feedback. Its sensitivity at lag $q$, "
                "for $0 \\le q < t$:",
                setting,
                chain(d(s.y[i, t], s.x[k, t - q]), s.f.prime(s.net_out[i, t]) * s.u_out[i] ** q * s.W_out[i, k]),
                lemmas=[by_input],
            ),
            identity(
                "At zero input the net input is 0 at all times, and there the slope is", slope_at_zero, Rational(1, 2)
            ),
            Step(
                "So with $W^{\\mathrm{out}} = 1$ the sensitivity is $|u|^q/2$, whenever the input came. Its limit is 0 "
                "for $u = 1/2$, it is $1/2$ for $u = 1$, and there is none for $u = 2$: by the definition the first "
                "unit forgets, and the others do not.",
                None,
                lambda: [limit(base**LAGS / 2, LAGS, oo) for base in (Rational(1, 2), 1, 2)] == [0, Rational(1, 2), oo],
            ),
        ],
        instance=lambda: judge.sensitivity_is_brute_force(setting),
        numeric=judge.sensitivity_is_the_librarys,
        assumptions=ASSUMED,
    )
