"""Lemmas and proofs of the chapter and its page in print: sensitivities at a lag, why powers vanish, the condition."""

from book.lfmn.forgetting import checks, rates
from sympy import Eq, Limit, Rational, limit, oo, symbols
from throughtime import AtMost, Bench, Constant, Delta, Lemma, Modulus, Step, by_induction, chain, d, derived
from throughtime.derivation import lag, product_over, sum_over, time
from throughtime.systems import lfmn as s

t, k, j_n, j_a, i_s, i_n, i_a = s.t, s.k, s.j_n, s.j_a, s.i_s, s.i_n, s.i_a
x, y, f, w, w_out, W_out = s.x, s.y, s.f, s.w_hid, s.w_out, s.W_out
u, v, u_out, v_out = s.u_hid, s.v_hid, s.u_out, s.v_out
net, act, c = s.net_hid, s.act_hid, s.current
q, late, m, M = lag("q"), lag("q", start=1), time("m"), Constant("M", Rational(1, 2))
SHARP = {"slopes": {"f": M}, "zeros": ["x"]}  # what bounds are judged by: at zero input they are attained

# --- q steps back

slopes = product_over((m, 1, q), f.prime(act[j_a, t - m]))
net_c = Lemma(d(net[j_n, t], c[j_n, t - q]), u[j_n] ** q, q)
act_c = Lemma(d(act[j_a, t], c[j_a, t - q]), v[j_a] ** q * slopes, q)
net_x = Lemma(d(net[j_n, t], x[k, t - q]), u[j_n] ** q * w[j_n, k], q)
act_x = Lemma(d(act[j_a, t], x[k, t - q]), w[j_a, k] * v[j_a] ** q * slopes, q)
static_x = Lemma(d(s.h[s.j_s, t], x[k, t - q]), Delta(q, 0) * f.prime(c[s.j_s, t]) * w[s.j_s, k], q)
out_net = Lemma(d(s.net_out[i_n, t], x[k, t - q]), u_out[i_n] ** q * W_out[i_n, k], q)
out_slopes = product_over((m, 1, q), f.prime(s.act_out[i_a, t - m]))
out_act = Lemma(d(s.act_out[i_a, t], x[k, t - q]), W_out[i_a, k] * v_out[i_a] ** q * out_slopes, q)

# --- a static output at q >= 1

along = product_over((m, 1, late), f.prime(act[j_a, t - m]))
effect = Modulus(d(y[i_s, t], x[k, t - late]))
through = sum_over(j_n, w_out[i_s, j_n] * (f.prime(net[j_n, t]) * u[j_n] ** late * w[j_n, k]))
through += sum_over(j_a, w_out[i_s, j_a] * (f.prime(act[j_a, t]) * v[j_a] ** late * along * w[j_a, k]))
exact = Modulus(f.prime(s.static_out[i_s, t])) * Modulus(through)
of_net = M * Modulus(w_out[i_s, j_n] * w[j_n, k]) * Modulus(u[j_n]) ** late
of_act = M * Modulus(w_out[i_s, j_a] * w[j_a, k]) * Modulus(v[j_a] * M) ** late
true_bound = M * (sum_over(j_n, of_net) + sum_over(j_a, of_act))

# --- the condition

e, n = symbols("e", positive=True), symbols("q", integer=True, nonnegative=True)
powers_vanish = [
    Step(
        "Why powers vanish. Write a number between 0 and 1 as $1/(1+e)$ with $e > 0$. "
        "Bernoulli's inequality $(1+e)^q \\ge 1 + qe$ holds for $q = 0$; from $q$ to $q + 1$ "
        "multiply it by $1 + e$:",
        Eq((1 + n * e) * (1 + e), 1 + (n + 1) * e + n * e**2, evaluate=False),
        lambda: ((1 + n * e) * (1 + e) - (1 + (n + 1) * e + n * e**2)).expand() == 0,
    ),
    Step(
        "The term $q e^2$ is not negative, so the inequality holds for $q + 1$. Hence "
        "$(1+e)^{-q}$ is at most $1/(1+qe)$, and that tends to 0:",
        Eq(Limit(1 / (1 + n * e), n, oo), 0, evaluate=False),
        lambda: limit(1 / (1 + n * e), n, oo) == 0,
    ),
]


def condition(bench: Bench) -> list[Step]:
    """Why a network forgets if all its recurrent units do, and why the borders cannot be moved."""
    by_net = Modulus(f.prime(s.net_out[i_n, t]) * W_out[i_n, k] * u_out[i_n] ** q)
    by_act = Modulus(f.prime(s.act_out[i_a, t]) * W_out[i_a, k] * v_out[i_a] ** q * out_slopes)
    net_bound = AtMost(M * Modulus(W_out[i_n, k]) * Modulus(u_out[i_n]) ** q)
    act_bound = AtMost(M * Modulus(W_out[i_a, k]) * Modulus(v_out[i_a] * M) ** q)
    return [
        Step(
            "Static outputs: the bound derived above tends to 0 if $|u| < 1$ and $|v| < 1/M$ in all recurrent hidden "
            "units.",
            None,
            rates.bound_holds_in_the_library,
        ),
        derived(
            "Outputs with net-input feedback, by the same induction:",
            bench,
            chain(Modulus(d(y[i_n, t], x[k, t - q])), by_net, net_bound),
            lemmas=[out_net],
            **SHARP,
        ),
        *by_induction(bench, out_act),
        derived(
            "Hence for outputs with activation feedback:",
            bench,
            chain(Modulus(d(y[i_a, t], x[k, t - q])), by_act, act_bound),
            lemmas=[out_act],
            **SHARP,
        ),
        *powers_vanish,
        Step(
            "So all outputs forget if $|u| < 1$ and $|v| < 1/M$ in all recurrent units. The border is sharp: at zero "
            "input every slope is $M$ and the bounds are attained, so that with $|u| = 1$ or "
            "$|v| = 1/M$ the sensitivity keeps its size at every lag, and with more it grows.",
            None,
            lambda: checks.sensitivity_is_brute_force(bench),
        ),
    ]
