"""What is proved: one complex number for a complex weight, what is kept over a lag, the variance of a state."""

from __future__ import annotations

from sympy import (
    Derivative,
    Eq,
    Expr,
    Integral,
    MatMul,
    Matrix,
    Sum,
    atan,
    cos,
    eye,
    log,
    oo,
    pi,
    simplify,
    symbols,
    tan,
)
from throughtime import Lemma, Ref, Setting, by_induction, d, lag, product_over, time
from throughtime.derivation import Step
from throughtime_book.beyond.diagonal_recurrence import system as u

PARTNERS = ((u.alpha[u.p], u.beta[u.p]), (u.W["re"][u.p, u.q], u.W["im"][u.p, u.q]))
"""Real and imaginary part of a self weight and of an input weight."""


def one_complex_number(S: Setting) -> tuple[Step, ...]:
    """The derivative with respect to an imaginary part is i times that with respect to the real part, by induction."""
    parts = (
        ("self weight", r"\alpha_p", r"\beta_p"),
        ("input weights", r"W^{\mathrm{re}}_{pq}", r"W^{\mathrm{im}}_{pq}"),
    )
    steps = []
    for (name, real, imaginary), pair in zip(parts, PARTNERS, strict=True):
        words = f"The {name}. Both sides are 0 at time 0, and equal at $t$ if they were at $t - 1$:"
        shown = (
            rf"\frac{{\mathrm d s^{{\mathrm{{re}}}}_p}}{{\mathrm d {imaginary}}} = "
            rf"-\frac{{\mathrm d s^{{\mathrm{{im}}}}_p}}{{\mathrm d {real}}}, \qquad "
            rf"\frac{{\mathrm d s^{{\mathrm{{im}}}}_p}}{{\mathrm d {imaginary}}} = "
            rf"\frac{{\mathrm d s^{{\mathrm{{re}}}}_p}}{{\mathrm d {real}}}"
        )
        steps.append(Step(words, shown, lambda pair=pair: follows(S, *pair), exact=True))
    return tuple(steps)


def follows(S: Setting, real: Ref, imaginary: Ref) -> bool:
    """Whether the recursions carry the relation of the two derivatives from one step to the next."""

    def recursion(state: Ref, weight: Ref) -> Expr:
        return S.derive(state[u.p, u.t], weight).result

    before = {
        d(u.re[u.p, u.t - 1], imaginary): -d(u.im[u.p, u.t - 1], real),
        d(u.im[u.p, u.t - 1], imaginary): d(u.re[u.p, u.t - 1], real),
    }
    left = recursion(u.re, imaginary).xreplace(before) + recursion(u.im, real)
    right = recursion(u.im, imaginary).xreplace(before) - recursion(u.re, real)
    return left.expand() == 0 and right.expand() == 0


def partners(S: Setting, *, slip: bool = False) -> bool:
    """Whether on the exact instances the pairs of derivatives are the parts of one complex number."""
    pairs = []
    for real, imaginary in PARTNERS:
        re, im = u.re[u.i, u.t], u.im[u.i, u.t]
        pairs += [(d(re, imaginary), d(im, real) if slip else -d(im, real)), (d(im, imaginary), d(re, real))]
    return S.on_instances(pairs).passed is True


def kept(name: str) -> Lemma:
    """What is left of a state after a lag, for the units whose state is one real number."""
    q, step, i, t = lag("q"), time("m"), u.i, u.t
    if name == "minGRU":
        return Lemma(d(u.state[i, t], u.state[i, t - q]), product_over((step, 1, q), 1 - u.gate[i, t - step + 1]), q)
    if name == "IndRNN":
        slopes = product_over((step, 1, q), u.phi.prime(u.state[i, t - step + 1]))
        return Lemma(d(u.h[i, t], u.h[i, t - q]), u.self_weight[i] ** q * slopes, q)
    return Lemma(d(u.state[i, t], u.state[i, t - q]), u.self_weight[i] ** q, q)


def over_a_lag(name: str, S: Setting) -> tuple[Step, ...]:
    """The proof of ``kept`` by induction over the lag."""
    return by_induction(S, kept(name))


def rotation() -> Step:
    """One step of the complex unit changes no angle between disturbances and scales their length by the modulus."""
    a, b = symbols("alpha beta", real=True)
    jacobian = Matrix([[a, -b], [b, a]])
    stated = (a**2 + b**2) * eye(2)
    words = "The Jacobian of one step, transposed, times itself: it is $|\\lambda|$ times a rotation."
    product = MatMul(jacobian.T, jacobian, evaluate=False)
    return Step(words, Eq(product, stated, evaluate=False), lambda: jacobian.T * jacobian == stated, exact=True)


def variance() -> tuple[Step, ...]:
    """The mean square of a linear state under white input with unit variance, and with the input scaled."""
    rho, gamma, k, t = symbols("rho gamma k t", positive=True)
    terms = Sum(rho ** (2 * k), (k, 0, t - 1))
    closed = (1 - rho ** (2 * t)) / (1 - rho**2)

    def adds_up() -> bool:
        return closed.subs(t, 0) == 0 and simplify(closed.subs(t, t + 1) - closed - rho ** (2 * t)) == 0

    return (
        Step(
            "The sum, by induction over $t$:",
            Eq(gamma**2 * terms, gamma**2 * closed, evaluate=False),
            adds_up,
            exact=True,
        ),
        Step(
            "With $\\gamma^2 = 1 - \\rho^2$ it tends to 1 for every modulus below 1:",
            Eq((1 - rho**2) * terms, 1 - rho ** (2 * t), evaluate=False),
            lambda: adds_up() and simplify((1 - rho**2) * closed - 1 + rho ** (2 * t)) == 0,
            exact=True,
        ),
    )


def over_the_ring() -> tuple[Step, ...]:
    """The mean of the squared state over self weights uniform on a ring, under constant and under white input."""
    r, theta, x, q, low, high = symbols("r theta x q a b", positive=True)
    share = 2 / (1 - r**2)
    up_to = share * atan((1 + r) / (1 - r) * tan(theta / 2))
    square = 1 / (1 - 2 * r * cos(theta) + r**2)
    rise = log((1 - low) / (1 - high))

    def of_phases() -> bool:
        whole = (share * atan(x)).limit(x, oo)  # the tangent at the phase pi
        return (
            simplify(up_to.diff(theta) - square) == 0 == up_to.subs(theta, 0)
            and simplify(whole / pi - 1 / (1 - r**2)) == 0
        )

    return (
        Step(
            "Under the constant net input 1 the state tends to $1/(1 - \\lambda)$. Its squared modulus is the slope "
            "of a function of the phase that rises from 0 to $\\pi/(1 - r^2)$ at the phase $\\pi$:",
            Eq(Derivative(up_to, theta), square, evaluate=False),
            of_phases,
            exact=True,
        ),
        Step(
            "So over phases uniform on the circle the mean is $1/(1 - r^2)$, as under white input. On a ring $r^2$ is "
            "uniform, from $a$ to $b$, and the mean over it is",
            Eq(Integral(1 / (1 - q), (q, low, high)) / (high - low), rise / (high - low), evaluate=False),
            lambda: simplify(rise.diff(high) - 1 / (1 - high)) == 0 == rise.subs(low, high),
            exact=True,
        ),
    )
