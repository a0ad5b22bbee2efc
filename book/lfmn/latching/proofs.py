"""Proofs of the chapter and its page in print: which units keep a sign, and how much they withstand."""

import numpy as np
import sympy as sp
from book.lfmn import one_unit as lt
from book.lfmn.latching import checks
from book.lfmn.latching.checks import b, f, u, v, xi
from sympy import Derivative, Eq, Le, Lt, acosh, sqrt, tanh
from throughtime import Step, identity

z, s = sp.symbols("z s", real=True)
D = sp.Symbol("D", real=True)
p = v * f(s) - s  # the drift
slope = v * f(s).diff(s)
small, large = (0.0, 0.3, 1.0, 1.7, 2.0), (2.001, 2.2, 3.0, 4.0, 7.0, 20.0)
e = sp.symbols("varepsilon", positive=True)
C = sp.symbols("C", positive=True)
W = sp.symbols("v", positive=True)
level = sqrt(1 - 2 / W)
closed = sqrt(W * (W - 2)) - acosh(W - 1)

which_units = [
    identity(
        r"$v > 2$ suffices. The drift rises from 0 with the slope $v/2 - 1 > 0$, so for a start $a(t_0) > "
        r"0$ there is a state $s \le a(t_0)$ with $p(s) > 0$. Take $b = p(s)$.",
        sp.Subs(Derivative(p, s), s, 0),
        v / 2 - 1,
    ),
    Step(
        r"The map is increasing in the state, $\lambda > 0$. So from any state of at least $s$, under any "
        r"forcing of at least $-D$ with $D = p(s)$, the next state is at least this, and so on for ever:",
        Eq(v * f(s) - D, s),
        lambda: (
            sp.expand((v * f(s) - D).subs(D, p) - s) == 0
            and all(np.all(lt.slope(x, np.linspace(-5, 5, 41)) > 0) for x in large)
        ),
    ),
    Step(
        r"It is needed. For $0 \le v \le 2$ the drift is nowhere positive, so a forcing of $-b$ lowers "
        r"the state by $b$ or more at each step, whatever $b > 0$ is.",
        Le((v / 2 - 1) - v * f(s) ** 2 / 2, 0),
        lambda: (
            sp.simplify(p.diff(s) - (v / 2 - 1) + v * f(s) ** 2 / 2) == 0
            and all(lt.steps_to_flip(x, 2.0, -force) <= 2 / force + 1 for x in small for force in (1e-3, 0.1))
        ),
    ),
    Step(
        r"For $v < 0$ the very next state has the other sign, without any forcing.",
        Lt(v * f(s), 0),
        lambda: all(np.all(np.diff(np.sign(lt.trajectory(-x, 1.0, np.zeros(9)))) != 0) for x in (0.5, 2.0, 3.0)),
    ),
    Step(
        r"With net-input feedback the same argument runs with $u s$ in place of $v f(s)$: the drift is "
        r"positive beyond 0 exactly for $u > 1$. The state then grows without bound.",
        Eq(u * s - s, (u - 1) * s),
        lambda: (
            sp.expand(u * s - s - (u - 1) * s) == 0
            and all(
                checks.keeps_sign(checks.Unit("net input", x, 1.0)) == (x > 1) for x in (-2.0, -0.5, 0.5, 1.0, 1.1, 2.0)
            )
        ),
    ),
]

how_much = [
    Step(
        r"Between 0 and $a(t_0)$ let $s$ be the state where the drift is largest, $D$ its value there. "
        r"Under a forcing of at least $-D$ a state of at least $s$ is followed by one of at least",
        Eq(v * f(s) - D, s),
        lambda: sp.expand((v * f(s) - D).subs(D, p) - s) == 0,
    ),
    Step(
        r"If the forcing is $-b$ with $b = D + \delta$, each step lowers the state by at least $\delta$, "
        r"so the sign falls after at most $a(t_0)/\delta + 1$ steps. So $D$ is exact: nothing larger is "
        r"withstood.",
        Le(v * f(s) - s - b, D - b),
        lambda: all(
            lt.steps_to_flip(x, start, -(float(lt.margin(x, start)) + gap)) <= start / gap + 1
            for x in large[1:5]
            for start in (0.3, 1.0, 5.0)
            for gap in (0.01, 0.1, 1.0)
        ),
    ),
    Step(
        r"The drift grows up to the state where $\lambda = 1$ and falls beyond it, so $D(s) = p(\min(|s|, "
        r"\xi))$. There $\frac v2 (1 - f(\xi)^2) = 1$, so",
        Eq(f(xi), level),
        lambda: sp.simplify(slope.subs(f(s), C).subs(v, W).subs(C, level) - 1) == 0,
    ),
    Step(
        r"The hyperbolic cosine in terms of $f$ then gives the critical point itself, $\xi = "
        r"\operatorname{arcosh}(v - 1)$.",
        Eq((1 + f(xi) ** 2) / (1 - f(xi) ** 2), v - 1),
        lambda: (
            sp.simplify((1 + level**2) / (1 - level**2) - (W - 1)) == 0
            and sp.simplify((sp.cosh(z) - (1 + tanh(z / 2) ** 2) / (1 - tanh(z / 2) ** 2)).rewrite(sp.exp)) == 0
        ),
    ),
    Step(
        r"So $B = v f(\xi) - \xi$ has a closed form, which grows with the weight at the rate $f(\xi)$, "
        r"from 0 at $v = 2$.",
        Eq(Derivative(closed, W), level),
        lambda: (
            sp.simplify((closed.diff(W) - level).subs(W, e + 2)) == 0
            and closed.subs(W, 2) == 0
            and all(
                abs(float(closed.subs(W, x)) - x * np.tanh(lt.critical_point(x) / 2) + lt.critical_point(x)) < 1e-12
                for x in large[1:]
            )
        ),
    ),
]
