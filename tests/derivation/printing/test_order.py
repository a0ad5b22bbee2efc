"""The order of factors, rule by rule, each with a product that the rule beside it would write otherwise."""

from itertools import permutations

import pytest
import throughtime as tt
from sympy import Mul
from throughtime.derivation.formulas.nodes import Delta, Paths, d, partial, product_over, sum_over, time, variable
from throughtime.derivation.printing.order import in_order
from throughtime.derivation.printing.printer import to_text

A = tt.domain("ordered A", tt.Dimension("n"))  # own name: quantities print in order of creation
i, j, k = (tt.Index(letter, A) for letter in "ijk")
t, s, r, q = time("t"), time("s"), time("r"), tt.lag("q")
w, u, bias = tt.parameter("w", A, A), tt.parameter("u", A), tt.parameter("bias")
x, unmasked, mask = tt.sequence("x", A), tt.sequence("unmasked"), tt.sequence("mask", mask=True)
z, h, v, loss = variable("z", A), variable("h", A), variable("v"), tt.scalar("loss")
chosen = tt.Quantity("chosen", A, A, timed=False, role="input")
pair, late = variable("pair", A, A), variable("late", A, lag=1)
f = tt.Activation("f")
SUM = sum_over(k, w[k, j] * h[k, t])
STEPS = product_over((s, 0, q - 1), partial(v[t - s], v[t - s - 1]))

KINDS = {
    "given once, before what moves": (chosen[i, j] * w[k, i] * h[j, t], "w[k,i]*chosen[i,j]*h[j](t)"),
    "delta before the gate of its slope": (
        Delta(j, k) * h[i, t] * f.prime(pair[i, j, t]),
        "delta[j,k]*h[i](t)*f'(pair[i,j](t))",
    ),
    "deltas by their text": (u[i] * Delta(j, k) * Delta(i, k) * Delta(i, j), "delta[i,j]*delta[i,k]*delta[j,k]*u[i]"),
    "delta of no factor first": (Delta(q, 0) * f.prime(z[i, t]) * u[i], "delta[0,q]*f'(z[i](t))*u[i]"),
    "mask before everything": (mask[t] * (h[i, t] - x[i, t]) * u[i], "mask(t)*(h[i](t) - x[i](t))*u[i]"),
    "a sequence that is no mask": (unmasked[t] * (h[i, t] - x[i, t]), "(h[i](t) - x[i](t))*unmasked(t)"),
    "state, then source": (x[j, t] * h[i, t], "h[i](t)*x[j](t)"),
    "state, then one of an earlier time": (late[i, t] * pair[i, i, t], "pair[i,i](t)*late[i](t-1)"),
    "scalar among the states": (loss[()] * h[i, t], "h[i](t)*loss"),
    "weight, then state": (h[i, t] * w[j, k], "w[j,k]*h[i](t)"),
    "bracket of the latest quantity first": (
        (h[i, t] + x[i, t]) * (z[i, t] + x[i, t]),
        "(x[i](t) + h[i](t))*(x[i](t) + z[i](t))",
    ),
    "sum, bracket, slope of one quantity": (
        f.prime(h[i, t]) * (h[i, t] + x[i, t]) * sum_over(k, h[k, t]),
        "(sum[k=1..n] h[k](t))*(x[i](t) + h[i](t))*f'(h[i](t))",
    ),
    "bracket without a state first": ((u[i] + u[j]) * f.prime(h[i, t]), "(u[i] + u[j])*f'(h[i](t))"),
    "power as its base": (u[i] ** 2 * h[i, t], "u[i]^2*h[i](t)"),
    "slopes from the latest quantity back": (f.prime(z[i, t]) * f.prime(h[i, t]), "f'(h[i](t))*f'(z[i](t))"),
    "immediate derivative of a later quantity first": (
        partial(z[i, t], u[i]) * partial(h[i, t], u[j]),
        "Dh[i](t)/Du[j]*Dz[i](t)/Du[i]",
    ),
    "sum with the derivatives of a loss last": (
        sum_over(j, d(loss[()], z[j, t]) * w[j, i]) * f.prime(z[i, t]),
        "f'(z[i](t))*sum[j=1..n] w[j,i]*dloss/dz[j](t)",
    ),
    "sum with derivatives of a state by a state among the brackets": (
        sum_over(j, d(h[i, t], z[j, t]) * w[j, i]) * f.prime(z[i, t]),
        "(sum[j=1..n] w[j,i]*dh[i](t)/dz[j](t))*f'(z[i](t))",
    ),
    "sum with immediate derivatives among the brackets": (
        sum_over(j, partial(h[i, t], w[j, i])) * f.prime(z[i, t]),
        "(sum[j=1..n] Dh[i](t)/Dw[j,i])*f'(z[i](t))",
    ),
}
BELONGING = {
    "weight back to the unit": (w[j, i] * f.prime(z[i, t]), "w[j,i]*f'(z[i](t))"),
    "weight of the unit to itself, from two indices": (w[i, i] * f.prime(z[i, t]), "f'(z[i](t))*w[i,i]"),
    "weight between other units": (w[j, k] * f.prime(z[i, t]), "f'(z[i](t))*w[j,k]"),
    "weight to itself, of an earlier time": (u[i] * f.prime(z[i, t - 2]), "u[i]*f'(z[i](t-2))"),
    "weight to itself, of this time": (u[i] * f.prime(z[i, t]), "f'(z[i](t))*u[i]"),
    "weight to itself, of a later time": (u[i] * f.prime(z[i, t + 1]), "f'(z[i](t+1))*u[i]"),
    "weight to itself, of a lag": (u[i] * f.prime(z[i, t - q]), "f'(z[i](t-q))*u[i]"),
    "weight of no unit": (bias[()] * f.prime(z[i, t]), "f'(z[i](t))*bias"),
    "slope at a sum": (u[i] * f.prime(z[i, t] + h[i, t]), "f'(z[i](t) + h[i](t))*u[i]"),
    "source": (x[i, t] * f.prime(z[i, t]), "f'(z[i](t))*x[i](t)"),
    "gate with one more index": (pair[i, j, t] * f.prime(z[i, t]), "pair[i,j](t)*f'(z[i](t))"),
    "gate behind a sum": (SUM * h[j, t] * f.prime(z[j, t]), "(sum[k=1..n] w[k,j]*h[k](t))*h[j](t)*f'(z[j](t))"),
    "slope at another value as a gate": (f(h[i, t]) * f.prime(z[i, t]), "f(h[i](t))*f'(z[i](t))"),
    "gate before the first slope of its unit": (
        h[i, t] * f.prime(v[t]) * f.prime(z[i, t]),
        "f'(v(t))*h[i](t)*f'(z[i](t))",
    ),
    "row before its matrix": (pair[i, j, t] * w[j, k], "pair[i,j](t)*w[j,k]"),
    "no row, as the matrix leads back to it": (pair[i, j, t] * w[j, i], "w[j,i]*pair[i,j](t)"),
    "no row, as the matrix begins elsewhere": (pair[i, j, t] * w[k, k], "w[k,k]*pair[i,j](t)"),
    "two weights": (w[i, j] * w[j, k], "w[i,j]*w[j,k]"),
    "moduli": (tt.Modulus(h[i, t]) * tt.Modulus(f.prime(z[i, t])), "|h[i](t)|*|f'(z[i](t))|"),
}
CHAINS = {
    "forward in time": (
        product_over((s, t + 1, q), partial(v[s], v[s - 1])) * d(loss[()], v[q]),
        "dloss/dv(q)*prod[s=t+1..q] Dv(s)/Dv(s-1)",
    ),
    "back in time, behind its head": (STEPS * d(v[t + 1], v[t]), "dv(t+1)/dv(t)*prod[s=0..q-1] Dv(t-s)/Dv(t-s-1)"),
    "no chain, with two tails": (
        product_over((s, 1, t), partial(v[s], u[i]) * partial(v[s], u[j])) * d(loss[()], v[t]),
        "(prod[s=1..t] Dv(s)/Du[i]*Dv(s)/Du[j])*dloss/dv(t)",
    ),
    "paths in a chain": (
        Paths(partial(h[j, t], h[i, t]), i, j, r, i, j, q) * d(h[i, t], u[k]),
        "(paths[i to j, r=1..q] Dh[j](t)/Dh[i](t))*dh[i](t)/du[k]",
    ),
    "in a circle": (d(v[t], z[i, t]) * d(z[i, t], v[t]), "dv(t)/dz[i](t)*dz[i](t)/dv(t)"),
}
TIMES = {
    "behind the factor before its first one": (
        product_over((s, 2, t), v[s]) * v[1] * f.prime(z[i, t]),
        "f'(z[i](t))*v(1)*prod[s=2..t] v(s)",
    ),
    "behind that of another unit": (
        product_over((s, 1, q), h[i, t - s]) * h[j, t] * w[i, j],
        "w[i,j]*h[j](t)*prod[s=1..q] h[i](t-s)",
    ),
    "beside a factor of no time": (product_over((s, 1, q), f.prime(z[i, t - s]) * w[i, i]) * w[j, j],
        "(prod[s=1..q] f'(z[i](t-s))*w[i,i])*w[j,j]"),
    "of a time inside": (product_over((s, 1, q), v[s]) * v[q], "(prod[s=1..q] v(s))*v(q)"),
    "paths behind the link before their first one": (
        Paths(h[j, t + r], i, j, r, i, j, q) * h[i, t],
        "h[i](t)*paths[i to j, r=1..q] h[j](r+t)",
    ),
    "paths back in time beside an earlier link": (
        Paths(h[j, t - r], i, j, r, i, j, q) * h[i, t - q - 1] * f.prime(v[t]),
        "f'(v(t))*(paths[i to j, r=1..q] h[j](t-r))*h[i](t-q-1)",
    ),
    "product over units": (product_over(k, h[k, t]) * f.prime(v[t]), "f'(v(t))*prod[k=1..n] h[k](t)"),
    "its own power": (product_over((s, 2, t), v[s]) ** 2 * v[1] ** 2, "(prod[s=2..t] v(s))^2*v(1)^2"),
}  # fmt: skip
EXPECTED = {**KINDS, **BELONGING, **CHAINS, **TIMES}


@pytest.mark.parametrize(("product", "text"), EXPECTED.values(), ids=EXPECTED)
def test_factors_stand_in_reading_order(product, text) -> None:
    assert to_text(product) == text


@pytest.mark.parametrize("name", EXPECTED)
def test_order_does_not_depend_on_that_of_writing(name: str) -> None:
    factors = list(Mul.make_args(EXPECTED[name][0]))
    orders = {tuple(in_order(mixed, to_text)) for mixed in permutations(factors)}
    assert len(orders) == 1
    assert set(orders.pop()) == set(factors)


def test_the_text_decides_where_no_rule_does() -> None:
    factors = [u[k], u[i], u[j]]
    assert in_order(factors, to_text) == [u[i], u[j], u[k]]
    assert in_order(factors, lambda factor: {u[k]: "a", u[i]: "b", u[j]: "c"}[factor]) == factors
