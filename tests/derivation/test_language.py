"""What a recurrence may contain beyond sums and activations: each is derived, proved and put to its mutants."""

from __future__ import annotations

import pytest
from sympy import Add, Integer
from throughtime.derivation import (
    LENGTH,
    Activation,
    Bench,
    CheckError,
    Delta,
    DerivationError,
    Dimension,
    Quantity,
    System,
    chain,
    d,
    domain,
    exp,
    indices,
    maximum,
    parameter,
    scalar,
    sequence,
    show,
    sqrt,
    sum_over,
    time,
    variable,
)

n = Dimension("n")
U = domain("U", n)
i, j, k, p, q = indices("i j k p q", U)
t, s = time("t"), time("s")
u, v, w = parameter("u", U), parameter("v", U), parameter("w", U, U)
x, first, clock = sequence("x", U), sequence("first"), sequence("clock", U)
h, a, loss = variable("h", U), variable("a", U), scalar("L")
f = Activation("f")


def closed(system: System, *states: Quantity) -> Bench:
    """A loss that reads all states, and the networks to check it on."""
    system[loss[()]] = sum_over((s, 1, LENGTH), i, Add(*(state[i, s] ** 2 for state in (h, *states))))
    return Bench(system, sizes=[{n: 2}], length=4)


def all_shown(bench: Bench, weight) -> None:
    """Forwards, backwards and the gradient; `show` raises where a check fails or a mutant survives."""
    for derivation in (
        bench.derive(h[i, t], weight),
        bench.derive_backward(loss[()], h[i, t]),
        bench.derive_gradient(loss[()], weight),
    ):
        assert show(bench, derivation).mutants.passed


def test_exponential_gates_with_a_stabilizer_and_a_quotient() -> None:
    cell, c, norm, top = System("sLSTM", t), variable("c", U), variable("n_", U), variable("m", U)
    cell[a[i, t]] = u[i] * x[i, t] + v[i] * h[i, t - 1]
    cell[top[i, t]] = maximum(top[i, t - 1], a[i, t])
    cell[c[i, t]] = exp(top[i, t - 1] - top[i, t]) * c[i, t - 1] + exp(a[i, t] - top[i, t]) * f(x[i, t])
    cell[norm[i, t]] = exp(top[i, t - 1] - top[i, t]) * norm[i, t - 1] + exp(a[i, t] - top[i, t])
    cell[h[i, t]] = c[i, t] / norm[i, t]
    all_shown(closed(cell), u[p])


def test_softmax_with_a_named_denominator() -> None:
    cell, weight, total = System("softmax", t), variable("e", U), variable("Z")
    cell[weight[i, t]] = exp(u[i] * x[i, t] + v[i] * h[i, t - 1])
    cell[total[t]] = sum_over(i, weight[i, t])
    cell[h[i, t]] = weight[i, t] / total[t]
    bench = closed(cell)
    all_shown(bench, u[p])
    bench.equation("sums to one", chain(sum_over(i, h[i, t]), Integer(1)), numeric="-")


def test_a_mean_a_variance_and_a_root() -> None:
    cell, mean, variance = System("layer norm", t), variable("mu"), variable("v2")
    cell[a[i, t]] = u[i] * x[i, t] + v[i] * h[i, t - 1]
    cell[mean[t]] = sum_over(i, a[i, t]) / n
    cell[variance[t]] = sum_over(i, (a[i, t] - mean[t]) ** 2) / n
    cell[h[i, t]] = f((a[i, t] - mean[t]) / sqrt(variance[t] + 1))
    bench = closed(cell)
    bench.equation("centred", chain(sum_over(i, a[i, t] - mean[t]), Integer(0)), numeric="-")
    all_shown(bench, u[p])


def test_a_sum_over_all_other_units() -> None:
    cell = System("all others", t)
    cell[a[i, t]] = u[i] * x[i, t] + sum_over(k, (1 - Delta(i, k)) * w[i, k] * h[k, t - 1])
    cell[h[i, t]] = f(a[i, t])
    all_shown(closed(cell), u[p])
    with pytest.raises(DerivationError, match=r"k != i is a factor 1 - Delta\(k, i\)"):
        sum_over((k, k != i), w[i, k])


def test_a_weight_with_three_indices() -> None:
    cell, cube = System("second order", t), parameter("W3", U, U, U)
    cell[a[i, t]] = sum_over(j, k, cube[i, j, k] * x[j, t] * h[k, t - 1]) + u[i]
    cell[h[i, t]] = f(a[i, t])
    bench = closed(cell)
    all_shown(bench, u[p])
    assert show(bench, bench.derive(h[i, t], cube[p, q, j])).mutants.passed


def test_a_state_that_is_reset_and_an_initial_state_that_is_learnt() -> None:
    """`first` is 1 where a sequence begins: with any values of it, so with these too."""
    cell = System("reset", t)
    cell[a[i, t]] = u[i] * x[i, t] + v[i] * (first[t] * w[i, i] + (1 - first[t]) * h[i, t - 1])
    cell[h[i, t]] = f(a[i, t])
    all_shown(closed(cell), w[p, p])


def test_a_clock_for_each_unit() -> None:
    cell = System("clockwork", t)
    cell[a[i, t]] = u[i] * x[i, t] + sum_over(k, w[i, k] * h[k, t - 1])
    cell[h[i, t]] = clock[i, t] * f(a[i, t]) + (1 - clock[i, t]) * h[i, t - 1]
    all_shown(closed(cell), u[p])


def test_a_complex_diagonal_state_as_a_pair_of_real_ones() -> None:
    cell, im, turn = System("linear recurrent unit", t), variable("g", U), parameter("theta", U)
    cell[h[i, t]] = u[i] * h[i, t - 1] - turn[i] * im[i, t - 1] + x[i, t]
    cell[im[i, t]] = turn[i] * h[i, t - 1] + u[i] * im[i, t - 1]
    all_shown(closed(cell, im), turn[p])


def test_a_wrong_quotient_rule_is_refused_with_the_numbers() -> None:
    cell, norm = System("quotient", t), variable("n_", U)
    cell[norm[i, t]] = u[i] + x[i, t] ** 2
    cell[h[i, t]] = x[i, t] / norm[i, t]
    wrong = chain(d(h[i, t], u[i]), x[i, t] / norm[i, t] ** 2)
    with pytest.raises(CheckError, match=r"is not .* at i=1, t=1"):
        closed(cell).equation("quotient rule", wrong, numeric="-")
