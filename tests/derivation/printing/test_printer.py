"""Formulas as plain text: conventional order of terms and factors, and unambiguous brackets."""

from __future__ import annotations

import random
from math import prod

import pytest
from sympy import Equality, Integer, Rational
from throughtime.derivation.deriving.forward import cut
from throughtime.derivation.deriving.induction import lag
from throughtime.derivation.deriving.system import LENGTH
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.nodes import (
    Activation,
    Constant,
    Delta,
    Modulus,
    Paths,
    Quantity,
    Truncated,
    d,
    parameter,
    partial,
    product_over,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.printing.printer import to_text

n, m = Dimension("n"), Dimension("m")
A = domain("printed A", n)  # own name: quantities print in order of creation
B = domain("B", m, after=A)
H = union("H", A, B)
i, j, k = Index("i", H), Index("j", H), Index("k", H)
a, b = Index("a", A), Index("b", B)
t, s, r, q = time("t"), time("s"), time("r"), lag("q")
w, u, x = parameter("w", H, H), parameter("u", H), sequence("x", H)
z, h, y, v, loss = variable("z", H), variable("h", H), variable("y", H), variable("v"), scalar("loss")
f, g = Activation("f"), Activation("g", H)
pair = variable("pair", H, H)
M = Constant("M", Rational(1, 4))
chosen = Quantity("chosen", H, H, timed=False, role="input")
late, error = variable("late", H, lag=1), variable("error", H)
PATHS_BACK = Paths(h[j, t - r], i, j, r, a, b, q)
PATHS = Paths(w[j, i] * u[i], i, j, r, a, b, q)

ORDER = {
    "slope, weight, activity, derivative": (
        d(h[i, t - 1], w[i, j]) * h[j, t - 1] * u[i] * f.prime(z[i, t]),
        "f'(z[i](t))*u[i]*h[j](t-1)*dh[i](t-1)/dw[i,j]",
    ),
    "number, bracket, weight": (x[i, t] * w[i, j] * (u[i] + u[j]) * 2, "2*(u[i] + u[j])*w[i,j]*x[i](t)"),
    "immediate before total": (d(h[j, t], u[i]) * partial(z[j, t], h[i, t]), "Dz[j](t)/Dh[i](t)*dh[j](t)/du[i]"),
    "chain rule": (
        d(h[j, t], u[i]) * partial(z[i, t], h[j, t]) * d(v[t], z[i, t]),
        "dv(t)/dz[i](t)*Dz[i](t)/Dh[j](t)*dh[j](t)/du[i]",
    ),
    "chain rule through a sum": (
        partial(h[i, t], z[i, t])
        * partial(z[i, t], u[i])
        * sum_over(j, d(loss[()], z[j, t]) * partial(z[j, t], h[i, t])),
        "(sum[j=1..n+m] dloss/dz[j](t)*Dz[j](t)/Dh[i](t))*Dh[i](t)/Dz[i](t)*Dz[i](t)/Du[i]",
    ),
    "chain rule into a bracket": (
        (d(h[i, t], z[i, t]) * d(z[i, t], u[k]) + d(h[i, t], z[j, t]) * d(z[j, t], u[k])) * d(v[t], h[i, t]),
        "dv(t)/dh[i](t)*(dh[i](t)/dz[i](t)*dz[i](t)/du[k] + dh[i](t)/dz[j](t)*dz[j](t)/du[k])",
    ),
    "error, slope, weight, source": (
        x[k, t] * w[i, k] * f.prime(z[i, t]) * (v[t] - x[i, t]),
        "(v(t) - x[i](t))*f'(z[i](t))*w[i,k]*x[k](t)",
    ),
    "error, slope, what comes of it, slope before": (
        f.prime(y[i, t]) * f.prime(h[j, t]) * sum_over(k, w[j, k] * z[k, t]) * (y[i, t] - x[i, t]),
        "(y[i](t) - x[i](t))*f'(y[i](t))*f'(h[j](t))*sum[k=1..n+m] w[j,k]*z[k](t)",
    ),
    "gate before the slope of its unit": (x[k, t] * h[i, t] * f.prime(z[i, t]), "h[i](t)*f'(z[i](t))*x[k](t)"),
    "gate of another time": (h[i, t - 1] * f.prime(z[i, t]), "f'(z[i](t))*h[i](t-1)"),
    "source of another unit": (h[j, t] * f.prime(z[i, t]), "f'(z[i](t))*h[j](t)"),
    "activity as a gate": (f(h[i, t]) * f.prime(z[i, t]), "f(h[i](t))*f'(z[i](t))"),
    "weight back to the unit of the slope": (w[i, j] * f.prime(z[j, t]), "w[i,j]*f'(z[j](t))"),
    "weight into the unit of the slope": (w[i, j] * f.prime(z[i, t]), "f'(z[i](t))*w[i,j]"),
    "weight of a unit to itself": (u[i] * f.prime(z[i, t - 1]), "u[i]*f'(z[i](t-1))"),
    "recursion last": (u[i] * d(z[i, t - 1], u[i]) + z[i, t - 1], "z[i](t-1) + u[i]*dz[i](t-1)/du[i]"),
    "sum that goes on last": (
        sum_over(j, w[i, j] * d(h[j, t - 1], w[k, k])) * f.prime(z[i, t]) + x[k, t],
        "x[k](t) + f'(z[i](t))*sum[j=1..n+m] w[i,j]*dh[j](t-1)/dw[k,k]",
    ),
    "recursion before what comes from another product": (
        x[i, t] + u[i] * d(z[i, t - 1], w[i, j]),
        "u[i]*dz[i](t-1)/dw[i,j] + x[i](t)",
    ),
    "recursion behind the other half of its product, which holds the state": (
        z[i, t - 1] * f.prime(h[i, t]) + x[i, t] * d(z[i, t - 1], w[i, j]),
        "f'(h[i](t))*z[i](t-1) + x[i](t)*dz[i](t-1)/dw[i,j]",
    ),
    "recursion behind the other half of its product, when it holds the weight": (
        h[i, t] + u[i] * f.prime(z[i, t - 1]) * d(z[i, t - 1], u[i]),
        "h[i](t) + u[i]*f'(z[i](t-1))*dz[i](t-1)/du[i]",
    ),
    "recursion between the halves of its product and the rest": (
        f.prime(y[i, t]) * d(y[i, t], w[i, j]) + x[i, t] * d(z[i, t - 1], w[i, j]) + z[i, t - 1] * d(h[i, t], w[i, j]),
        "z[i](t-1)*dh[i](t)/dw[i,j] + x[i](t)*dz[i](t-1)/dw[i,j] + f'(y[i](t))*dy[i](t)/dw[i,j]",
    ),
    "recursion of another unit's state": (
        z[j, t - 1] * f.prime(h[i, t]) + x[i, t] * d(z[i, t - 1], w[i, j]),
        "x[i](t)*dz[i](t-1)/dw[i,j] + f'(h[i](t))*z[j](t-1)",
    ),
    "recursion through a layer": (
        sum_over(j, w[i, j] * d(h[j, t - 1], u[k])) + x[i, t],
        "x[i](t) + sum[j=1..n+m] w[i,j]*dh[j](t-1)/du[k]",
    ),
    "recursion in the chain rule, weight of a unit to itself": (
        partial(z[i, t], u[i]) + partial(z[i, t], z[i, t - 1]) * d(z[i, t - 1], u[i]),
        "Dz[i](t)/Du[i] + Dz[i](t)/Dz[i](t-1)*dz[i](t-1)/du[i]",
    ),
    "recursion in the chain rule, weight from a source": (
        partial(z[i, t], w[i, j]) + partial(z[i, t], z[i, t - 1]) * d(z[i, t - 1], w[i, j]),
        "Dz[i](t)/Dz[i](t-1)*dz[i](t-1)/dw[i,j] + Dz[i](t)/Dw[i,j]",
    ),
    "recursions of units before those of a layer": (
        sum_over(j, w[i, j] * d(h[j, t - 1], w[i, k]))
        + d(z[i, t - 1], w[i, k]) * v[t]
        + x[i, t] * d(v[t - 1], w[i, k]),
        "x[i](t)*dv(t-1)/dw[i,k] + v(t)*dz[i](t-1)/dw[i,k] + sum[j=1..n+m] w[i,j]*dh[j](t-1)/dw[i,k]",
    ),
    "delta of the unit of the slope": (Delta(i, j) * f.prime(z[i, t]) * x[k, t], "delta[i,j]*f'(z[i](t))*x[k](t)"),
    "delta of the unit behind the slope": (
        Delta(j, k) * f.prime(z[i, t]) * w[i, j] * d(h[j, t], u[k]),
        "f'(z[i](t))*delta[j,k]*w[i,j]*dh[j](t)/du[k]",
    ),
    "delta before the gate of its slope": (
        Delta(j, k) * z[i, t] * f.prime(pair[i, j, t]),
        "delta[j,k]*z[i](t)*f'(pair[i,j](t))",
    ),
    "delta of no unit": (Delta(q, 0) * sum_over(j, w[i, j] * x[j, t]), "delta[0,q]*sum[j=1..n+m] w[i,j]*x[j](t)"),
    "gate before the value that it scales": (f(z[i, t]) * h[i, t], "h[i](t)*f(z[i](t))"),
    "slope, then what is read, behind a sum": (
        sum_over(a, w[a, i] * h[a, t]) * pair[i, j, t] * f.prime(z[i, t]),
        "(sum[a=1..n] w[a,i]*h[a](t))*f'(z[i](t))*pair[i,j](t)",
    ),
    "source of another time last": (late[i, t] * error[i, t], "error[i](t)*late[i](t-1)"),
    "given once before what moves": (chosen[i, j] * w[k, i] * h[j, t], "w[k,i]*chosen[i,j]*h[j](t)"),
    "elements of a product of matrices": (w[j, k] * pair[i, j, t], "pair[i,j](t)*w[j,k]"),
    "elements of a matrix times a vector": (w[k, j] * h[j, t], "w[k,j]*h[j](t)"),
    "moduli as what is inside": (
        Modulus(d(z[i, t - 1], u[i])) * Modulus(f.prime(z[i, t - 1])) * Modulus(u[i]),
        "|u[i]|*|f'(z[i](t-1))|*|dz[i](t-1)/du[i]|",
    ),
    "chain rule through moduli": (
        Modulus(d(z[i, t - 1], x[i, t - 2])) * Modulus(d(z[i, t], h[i, t - 1])) * Modulus(d(h[i, t - 1], z[i, t - 1])),
        "|dz[i](t)/dh[i](t-1)|*|dh[i](t-1)/dz[i](t-1)|*|dz[i](t-1)/dx[i](t-2)|",
    ),
    "product over times in the chain rule": (
        product_over((s, t + 1, LENGTH), partial(v[s], v[s - 1])) * d(loss[()], z[i, 1]) * d(z[i, 1], v[LENGTH]),
        "dloss/dz[i](1)*dz[i](1)/dv(T)*prod[s=t+1..T] Dv(s)/Dv(s-1)",
    ),
    "product back in time in the chain rule": (
        product_over((s, 0, q - 1), partial(v[t - s], v[t - s - 1])) * partial(v[t - q], u[i]),
        "(prod[s=0..q-1] Dv(t-s)/Dv(t-s-1))*Dv(t-q)/Du[i]",
    ),
    "product over times that is not linked": (
        product_over((s, 1, t), partial(v[s], u[j])) * d(loss[()], v[1]),
        "(prod[s=1..t] Dv(s)/Du[j])*dloss/dv(1)",
    ),
    "newest factor before the product that goes on": (
        product_over((s, 1, q), f.prime(z[i, t - s]) * w[i, i]) * f.prime(z[j, t]) * w[j, j],
        "f'(z[j](t))*w[j,j]*prod[s=1..q] f'(z[i](t-s))*w[i,i]",
    ),
    "product behind the factor before its first one": (
        product_over((s, 2, t), v[s]) * v[1] * v[t + 1],
        "v(1)*(prod[s=2..t] v(s))*v(t+1)",
    ),
    "newest link before the paths": (PATHS_BACK * h[i, t], "h[i](t)*paths[a to b, r=1..q] h[j](t-r)"),
    "modulus of a product over times": (
        Modulus(product_over((s, 1, q), v[t - s])) * Modulus(v[t]),
        "|v(t)|*|prod[s=1..q] v(t-s)|",
    ),
    "old state first": (
        h[i, t] * f(z[i, t]) + h[j, t] * y[i, t - 1],
        "h[j](t)*y[i](t-1) + h[i](t)*f(z[i](t))",
    ),
    "old state before a sum of the same time": (
        sum_over(j, w[i, j] * x[j, t - 1]) + u[i] * y[i, t - 1],
        "u[i]*y[i](t-1) + sum[j=1..n+m] w[i,j]*x[j](t-1)",
    ),
    "sums by their first column": (
        sum_over(b, u[b] * x[b, t]) + sum_over(a, u[a] * x[a, t]),
        "sum[a=1..n] u[a]*x[a](t) + sum[b=n+1..n+m] u[b]*x[b](t)",
    ),
    "delta of a time and the end": (Delta(t, LENGTH) * u[i], "delta[t,T]*u[i]"),
    "column counted through kinds": (u[Index("o", B) - n] * u[n + a], "u[n+a]*u[o-n]"),
    "positive first": (x[i, t] - u[i], "x[i](t) - u[i]"),
    "positive first even with a derivative": (d(v[t], u[i]) - u[i], "dv(t)/du[i] - u[i]"),
    "positive first in a place": (v[1 - q], "v(1-q)"),
    "nothing positive": (-x[i, t] - u[i], "-u[i] - x[i](t)"),
    "lag behind the time": (v[t - q - 1] * v[t + 1], "v(t+1)*v(t-q-1)"),
    "sizes in the order of making": (sum_over(b, u[b]), "sum[b=n+1..n+m] u[b]"),
}
NUMBERS = {
    "taken out of a sum": (2 * u[i] + 4 * u[j], "2*(u[i] + 2*u[j])"),
    "taken out of a bracket": ((2 * u[i] - 2 * u[j]) * x[i, t], "2*(u[i] - u[j])*x[i](t)"),
    "cancelled": ((2 * u[i] - 2 * u[j]) * x[i, t] / 2, "(u[i] - u[j])*x[i](t)"),
    "half": (x[i, t] * u[i] / 2, "1/2*u[i]*x[i](t)"),
    "half of a sum": ((u[i] + u[j]) / 2, "1/2*(u[i] + u[j])"),
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
    "product over times above": (product_over((s, 1, t), v[s]) / u[k], "(prod[s=1..t] v(s))/u[k]"),
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
    "truncated": (Truncated(h[i, t], w[i, j], cut(h[i, t - 1], into=z)), "d_tr h[i](t)/dw[i,j]"),
    "indexed activation": (g.prime(z[i, t], i), "g[i]'(z[i](t))"),
    "second slope": (f.prime(v[t]).derivative(), "f''(v(t))"),
    "delta": (Delta(q, 0) * x[j, t - q], "delta[0,q]*x[j](t-q)"),
    "modulus": (Modulus(u[i] + u[j]) * M, "M*|u[i] + u[j]|"),
    "power of a modulus": (Modulus(u[i]) ** 2, "|u[i]|^2"),
    "paths": (PATHS, "paths[a to b, r=1..q] w[j,i]*u[i]"),
    "paths over a sum": (PATHS.func(u[i] + u[j], *PATHS.args[1:]), "paths[a to b, r=1..q] (u[i] + u[j])"),
    "paths before a factor": (PATHS * u[a], "(paths[a to b, r=1..q] w[j,i]*u[i])*u[a]"),
    "equation": (Equality(u[i], x[i, t], evaluate=False), "u[i] = x[i](t)"),
}
EXPECTED = {**ORDER, **NUMBERS, **BRACKETS, **ATOMS}


@pytest.mark.parametrize("name", EXPECTED)
def test_plain_text(name) -> None:
    formula, text = EXPECTED[name]
    assert to_text(formula) == text


def test_text_does_not_depend_on_the_order_of_writing() -> None:
    parts = [u[i], x[i, t], f.prime(z[i, t]), w[i, j], 2 * u[j]]
    for seed in range(10):
        mixed = random.Random(seed).sample(parts, len(parts))
        assert to_text(sum(mixed)) == to_text(sum(parts))
        assert to_text(prod(mixed)) == to_text(prod(parts))


def test_formulas_print_themselves() -> None:
    assert str(2 * u[i]) == "2*u[i]"
    assert repr(z[i, t - 1]) == "z[i](t-1)"
    assert str(sum_over(a, u[a])) == to_text(sum_over(a, u[a]))
    assert f"{d(v[t], u[i])}" == "dv(t)/du[i]"
