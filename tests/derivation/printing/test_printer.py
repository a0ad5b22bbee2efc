"""Formulas as plain text: numbers, unambiguous brackets, each kind of node."""

import pytest
import throughtime as tt
from sympy import Equality, Integer, Mul, Rational
from throughtime.derivation.formulas.nodes import Activation, Delta, Modulus, d, parameter, sum_over, time, variable
from throughtime.derivation.printing.printer import to_text

n, m = tt.Dimension("n"), tt.Dimension("m")
A = tt.domain("printed A", n)  # own name: quantities print in order of creation
B = tt.domain("B", m, after=A)
H = tt.union("H", A, B)
i, j, k = tt.Index("i", H), tt.Index("j", H), tt.Index("k", H)
a, b = tt.Index("a", A), tt.Index("b", B)
t, s, r, q = time("t"), time("s"), time("r"), tt.lag("q")
w, u, x = parameter("w", H, H), parameter("u", H), tt.sequence("x", H)
z, h, v, loss = variable("z", H), variable("h", H), variable("v"), tt.scalar("loss")
f, g = Activation("f"), Activation("g", H)
M = tt.Constant("M", Rational(1, 4))
PATHS = tt.Paths(w[j, i] * u[i], i, j, r, a, b, q)

NUMBERS = {
    "taken out of a sum": (2 * u[i] + 4 * u[j], "2*(u[i] + 2*u[j])"),
    "taken out of a bracket": ((2 * u[i] - 2 * u[j]) * x[i, t], "2*(u[i] - u[j])*x[i](t)"),
    "cancelled": ((2 * u[i] - 2 * u[j]) * x[i, t] / 2, "(u[i] - u[j])*x[i](t)"),
    "half": (x[i, t] * u[i] / 2, "1/2*u[i]*x[i](t)"),
    "half of a sum": ((u[i] + u[j]) / 2, "1/2*(u[i] + u[j])"),
    "half of a bare sum": (Mul(Rational(1, 2), u[i] + u[j], evaluate=False), "1/2*(u[i] + u[j])"),
    "negative": (-x[i, t] / 3, "-1/3*x[i](t)"),
    "alone": (Rational(-1, 2), "-1/2"),
    "nothing": (Integer(0), "0"),
}
BRACKETS = {
    "sum below": (x[i, t] / (u[i] + u[j]), "x[i](t)/(u[i] + u[j])"),
    "product below": (x[i, t] / (u[i] * u[j]), "x[i](t)/(u[i]*u[j])"),
    "number below": (x[i, t] / (2 * u[j]), "x[i](t)/(2*u[j])"),
    "count below": (x[i, t] / (q + 1), "x[i](t)/(q+1)"),
    "sum above": ((u[i] + u[j]) / u[k], "(u[i] + u[j])/u[k]"),
    "number and sum above": (2 * (u[i] + u[j]) / u[k], "2*(u[i] + u[j])/u[k]"),
    "product over times above": (tt.product_over((s, 1, t), v[s]) / u[k], "(prod[s=1..t] v(s))/u[k]"),
    "derivative below": (1 / d(v[t], u[i]), "1/(dv(t)/du[i])"),
    "sum before a factor": (sum_over(a, u[a]) * u[i], "(sum[a=1..n] u[a])*u[i]"),
    "sum of a sum": (sum_over(j, u[j] + x[j, t]), "sum[j=1..n+m] (u[j] + x[j](t))"),
    "sum plus a term": (sum_over(a, u[a]) + x[i, t], "sum[a=1..n] u[a] + x[i](t)"),
    "powers of one base": (u[i] * u[i] ** q * u[j], "u[i]^(q+1)*u[j]"),
    "powers above and below": (u[i] ** q / u[j], "u[i]^q/u[j]"),
    "power of a sum": ((u[i] + 1) ** 2, "(1 + u[i])^2"),
    "power of a product": ((u[i] * u[j]) ** q, "(u[i]*u[j])^q"),
    "power of a derivative": (d(v[t], v[t - q]) ** 2, "(dv(t)/dv(t-q))^2"),
    "sum in the exponent": (u[i] ** (q + 1), "u[i]^(q+1)"),
    "derivative of a product": (d(u[i] * h[i, t], w[i, j]), "d(u[i]*h[i](t))/dw[i,j]"),
    "count as a factor": ((q + 1) * u[i], "(q+1)*u[i]"),
}
ATOMS = {
    "loss": (d(loss[()], z[i, t]), "dloss/dz[i](t)"),
    "truncated": (tt.Truncated(h[i, t], w[i, j], tt.cut(h[i, t - 1], into=z)), "d_tr h[i](t)/dw[i,j]"),
    "indexed activation": (g.prime(z[i, t], i), "g[i]'(z[i](t))"),
    "second slope": (f.prime(v[t]).derivative(), "f''(v(t))"),
    "delta": (Delta(q, 0) * x[j, t - q], "delta[0,q]*x[j](t-q)"),
    "modulus": (Modulus(u[i] + u[j]) * M, "M*|u[i] + u[j]|"),
    "power of a modulus": (Modulus(u[i]) ** 2, "|u[i]|^2"),
    "paths": (PATHS, "paths[a to b, r=1..q] w[j,i]*u[i]"),
    "paths over a sum": (PATHS.func(u[i] + u[j], *PATHS.args[1:]), "paths[a to b, r=1..q] (u[i] + u[j])"),
    "paths before a factor": (PATHS * u[a], "(paths[a to b, r=1..q] w[j,i]*u[i])*u[a]"),
    "time and the end": (Delta(t, tt.LENGTH) * u[i], "delta[t,T]*u[i]"),
    "column counted through kinds": (u[tt.Index("o", B) - n] * u[n + a], "u[n+a]*u[o-n]"),
    "lag behind the time": (v[t - q - 1] * v[t + 1], "v(t+1)*v(t-q-1)"),
    "positive first in a place": (v[1 - q], "v(1-q)"),
    "sizes in the order of making": (sum_over(b, u[b]), "sum[b=n+1..n+m] u[b]"),
    "equation": (Equality(u[i], x[i, t], evaluate=False), "u[i] = x[i](t)"),
}
EXPECTED = {**NUMBERS, **BRACKETS, **ATOMS}


@pytest.mark.parametrize(("formula", "text"), EXPECTED.values(), ids=EXPECTED)
def test_plain_text(formula, text) -> None:
    assert to_text(formula) == text
