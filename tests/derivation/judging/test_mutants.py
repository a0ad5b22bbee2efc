"""Mutants: every kind of slip is made; none equals the formula, none occurs twice, all are well formed."""

import pytest
from sympy import Integer
from throughtime.derivation.deriving.induction import lag
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import (
    Activation,
    Delta,
    Paths,
    d,
    parameter,
    partial,
    product_over,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.judging.mutants import KINDS, mutants

A = domain("A", Dimension("n"))
B = domain("B", Dimension("m"), after=A)
H = union("H", A, B)
i, j, k = Index("i", H), Index("j", H), Index("k", H)
a, b = Index("a", A), Index("b", B)
t, s, r, q = time("t"), time("s"), time("r"), lag("q")
w, u, x = parameter("w", H, H), parameter("u", H), sequence("x", H)
z, v, low = variable("z", H), variable("v"), parameter("low", A)
f = Activation("f")

RICH = u[i] * f(z[i, t]) + sum_over(j, w[i, j] * x[j, t] ** 2) - 2 * d(z[i, t - 1], w[i, j])
PATHS = Paths(w[j, i] * f.prime(z[i, t - r]), i, j, r, a, b, q)
FORMULAS = [RICH, PATHS, u[i] ** 2, u[i] ** q, product_over((s, 1, q), u[i] * v[t - s]), Delta(i, j) * u[i], f(u[i])]


def made(formula, kind: str, scope=None) -> set:
    return {mutant.expr for mutant in mutants(formula, scope) if mutant.kind == kind}


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_mutants_differ_from_the_formula_and_from_each_other(formula) -> None:
    found = mutants(formula, z[k, t])
    assert found
    assert formula not in {mutant.expr for mutant in found}
    assert len({mutant.expr for mutant in found}) == len(found)
    assert {mutant.kind for mutant in found} <= set(KINDS)
    assert all(mutant.change and str(mutant) == f"{mutant.kind}: {mutant.change}" for mutant in found)


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_mutants_leave_no_letter_free_that_nobody_knows(formula) -> None:
    for mutant in mutants(formula, z[k, t]):
        assert free(mutant.expr) <= free(formula) | {k, t}, mutant


def test_every_kind_is_made() -> None:
    assert {mutant.kind for mutant in mutants(RICH)} == set(KINDS)


def test_signs() -> None:
    assert made(u[i] - x[i, t], "sign") == {x[i, t] - u[i], -u[i] - x[i, t], u[i] + x[i, t]}
    assert -RICH in made(RICH, "sign")


def test_terms_and_factors() -> None:
    assert made(u[i] - x[i, t], "term") == {u[i], -x[i, t]}
    assert made(2 * u[i] * x[i, t], "factor") == {u[i] * x[i, t], 2 * x[i, t], 2 * u[i]}
    assert made(-u[i] * x[i, t], "factor") == {-u[i], -x[i, t]}
    inside = made(sum_over(j, u[j] * (x[j, t] - u[j])), "term")
    assert inside == {sum_over(j, u[j] * x[j, t]), sum_over(j, -u[j] * u[j])}


def test_indices_of_the_scope_and_of_the_sums_around() -> None:
    assert made(u[i], "index") == set()
    assert made(u[i], "index", z[k, t]) == {u[k]}
    assert made(sum_over(j, w[i, j]), "index") == {sum_over(j, w[j, i]), sum_over(j, w[j, j]), sum_over(j, w[i, i])}


def test_indices_of_other_domains_do_not_fit() -> None:
    assert made(low[a], "index", z[b, t] * u[i]) == set()
    assert made(u[a], "index", z[b, t]) == {u[b]}


def test_letter_of_a_sum_beside_is_not_in_scope() -> None:
    beside = u[i] * sum_over(j, x[j, t])
    assert u[j] * sum_over(j, x[j, t]) not in made(beside, "index")


def test_times() -> None:
    assert made(v[t - 1], "time") == {v[t - 2], v[t]}
    assert made(u[i], "time") == set()
    assert made(u[i] ** q, "exponent") == {u[i] ** (q + 1)}


def test_slopes() -> None:
    assert made(f(u[i]), "slope") == {f.prime(u[i])}
    assert made(f.prime(u[i]), "slope") == {f.prime(u[i]).derivative()}


def test_exponents() -> None:
    assert made(u[i] ** 2, "exponent") == {u[i], u[i] ** 3}
    assert made(1 / u[i], "exponent") == {u[i] ** -2, Integer(1)}
    assert made(sum_over(j, (u[j] - x[j, t]) ** 2), "exponent") == {
        sum_over(j, (u[j] - x[j, t]) ** power) for power in (1, 3)
    }


def test_limits_of_sums_and_products_over_times() -> None:
    for over in (sum_over, product_over):
        expected = {over((s, *limits), v[s]) for limits in ((0, q), (2, q), (1, q + 1), (1, q - 1))}
        assert made(over((s, 1, q), v[s]), "limit") == expected


def test_a_sum_over_a_union_may_miss_a_part() -> None:
    parts = (a, b)
    assert made(sum_over(j, u[j]), "limit") == {
        sum_over(j.within(part.domain), u[j.within(part.domain)]) for part in parts
    }
    assert made(sum_over(a, u[a]), "limit") == set()


def test_letters_of_deltas_and_activations() -> None:
    assert made(Delta(i, j) * u[i] * u[j], "index", z[k, t]) >= {
        Delta(i, k) * u[i] * u[j], Delta(k, j) * u[i] * u[j]
    }  # fmt: skip
    own = Activation("g", H)
    assert made(own.prime(u[i], i), "index", z[k, t]) == {own.prime(u[i], k), own.prime(u[k], i)}


def test_derivative_below_the_bar() -> None:
    for kind in (d, partial):
        found = made(kind(z[i, t], z[j, t - 1]), "index", z[k, t])
        assert {kind(z[i, t], z[i, t - 1]), kind(z[i, t], z[k, t - 1])} <= found
        assert {kind(z[i, t], z[j, t]), kind(z[i, t], z[j, t - 2])} <= made(kind(z[i, t], z[j, t - 1]), "time")


def test_derivative_keeps_its_kind_and_moves_one_end() -> None:
    for kind in (d, partial):
        found = {mutant.expr for mutant in mutants(kind(z[i, t], w[i, j]))}
        assert kind(z[i, t - 1], w[i, j]) in found
        assert kind(z[j, t], w[i, j]) in found
        derivatives = {mutant for mutant in found if isinstance(mutant, type(kind(z[i, t], w[i, j])))}
        assert {mutant.wrt for mutant in derivatives} == {w[i, j], w[j, i], w[i, i], w[j, j]}
        assert all(mutant.wrt == w[i, j] or mutant.target == z[i, t] for mutant in derivatives)


def test_paths() -> None:
    found = {mutant.expr for mutant in mutants(PATHS)}
    assert Paths(*PATHS.args[:4], b, a, q) in found
    assert Paths(*PATHS.args[:6], q + 1) in found
    assert Paths(w[i, j] * f.prime(z[i, t - r]), *PATHS.args[1:]) in found
    assert Paths(w[j, i] * f.prime(z[j, t - r]), *PATHS.args[1:]) in found
    assert Paths(f.prime(z[i, t - r]), *PATHS.args[1:]) in found


def test_mutants_of_a_product_of_two_are_wrong_in_general() -> None:
    formula = sum_over(j, w[i, j] * x[j, t]) + u[i]
    assert not any(equal(mutant.expr, formula) for mutant in mutants(formula))


def test_mutants_of_nothing_are_something() -> None:
    assert [mutant.expr for mutant in mutants(Integer(0), z[i, t])] == [1, -1]
