"""Mutants: every kind of slip is made; none equals the formula, none occurs twice, all are well formed."""

import pytest
import throughtime as tt
from shared_formulas import A, B, a, b, f, g, i, j, k, q, r, s, t, u, v, w, x, z
from sympy import Integer
from throughtime.derivation.formulas.nodes import Delta, Paths, d, parameter, partial, product_over, sum_over
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.judging.mutants import KINDS, mutants

low = parameter("low", A)
RICH = u[i] * f(z[i, t]) + sum_over(j, w[i, j] * x[j, t] ** 2) - 2 * d(z[i, t - 1], w[i, j])
PATHS = Paths(w[j, i] * f.prime(z[i, t - r]), i, j, r, a, b, q)
FORMULAS = [RICH, PATHS, u[i] ** 2, u[i] ** q, product_over((s, 1, q), u[i] * v[t - s]), Delta(i, j) * u[i], f(u[i])]


def made(formula, kind: str, scope=None) -> set:
    return {mutant.expr for mutant in mutants(formula, scope) if mutant.kind == kind}


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_mutants_differ_from_the_formula_and_from_each_other_in_known_letters(formula) -> None:
    found = mutants(formula, z[k, t])
    assert found
    assert formula not in {mutant.expr for mutant in found}
    assert len({mutant.expr for mutant in found}) == len(found)
    assert {mutant.kind for mutant in found} <= set(KINDS)
    assert all(mutant.change and str(mutant) == f"{mutant.kind}: {mutant.change}" for mutant in found)
    assert all(free(mutant.expr) <= free(formula) | {k, t} for mutant in found)


def test_every_kind_is_made() -> None:
    assert {mutant.kind for mutant in mutants(RICH)} == set(KINDS)


LIMITS = ((0, q), (2, q), (1, q + 1), (1, q - 1))
MADE = [  # a formula, the kind of slip, what is in scope, and all that is made of it
    (u[i] - x[i, t], "sign", None, {x[i, t] - u[i], -u[i] - x[i, t], u[i] + x[i, t]}),
    (u[i] - x[i, t], "term", None, {u[i], -x[i, t]}),
    (sum_over(j, u[j] * (x[j, t] - u[j])), "term", None, {sum_over(j, u[j] * x[j, t]), sum_over(j, -u[j] * u[j])}),
    (2 * u[i] * x[i, t], "factor", None, {u[i] * x[i, t], 2 * x[i, t], 2 * u[i]}),
    (-u[i] * x[i, t], "factor", None, {-u[i], -x[i, t]}),
    (u[i], "index", None, set()),
    (u[i], "index", z[k, t], {u[k]}),
    (sum_over(j, w[i, j]), "index", None, {sum_over(j, w[one, other]) for one, other in ((j, i), (j, j), (i, i))}),
    (u[i] * sum_over(j, x[j, t]), "index", None, {u[i] * sum_over(j, x[i, t])}),
    (low[a], "index", z[b, t] * u[i], set()),  # an index of another domain does not fit
    (u[a], "index", z[b, t], {u[b]}),
    (g.prime(u[i], i), "index", z[k, t], {g.prime(u[i], k), g.prime(u[k], i)}),
    (v[t - 1], "time", None, {v[t - 2], v[t]}),
    (u[i], "time", None, set()),
    (u[i] ** q, "exponent", None, {u[i] ** (q + 1)}),
    (u[i] ** 2, "exponent", None, {u[i], u[i] ** 3}),
    (1 / u[i], "exponent", None, {u[i] ** -2, Integer(1)}),
    (f(u[i]), "slope", None, {f.prime(u[i])}),
    (f.prime(u[i]), "slope", None, {f.prime(u[i]).derivative()}),
    *((over((s, 1, q), v[s]), "limit", None, {over((s, *ends), v[s]) for ends in LIMITS})
      for over in (sum_over, product_over)),
    (sum_over(j, u[j]), "limit", None, {sum_over(j.within(part), u[j.within(part)]) for part in (A, B)}),
    (sum_over(a, u[a]), "limit", None, set()),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "kind", "scope", "expected"), MADE)
def test_all_slips_of_a_kind_are_made(formula, kind, scope, expected) -> None:
    assert made(formula, kind, scope) == expected


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
    assert not any(tt.equal(mutant.expr, formula) for mutant in mutants(formula))
