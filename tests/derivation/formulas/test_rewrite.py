"""Rewriting keeps the value of a formula, and a bound index never captures a free one."""

from random import Random

import pytest
import throughtime as tt
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import KINDS, A, B, H, a, f, i, j, k, m, n, q, r, random_formula, s, t, u, v, w, x
from sympy import Integer
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.errors import DomainError
from throughtime.derivation.formulas.nodes import Delta, Paths, Sigma, nodes, parameter, sum_over
from throughtime.derivation.formulas.rewrite import (
    bound,
    by_parts,
    contract,
    free,
    fresh,
    rename_bound,
    replace,
    split_sums,
    substitute,
)
from throughtime.derivation.judging.checks import places

b = Index("b", A)
SYSTEM = tt.System("sum of squares")
SYSTEM[v[t]] = sum_over(i, j, w[i, j] * x[i, t] * u[j]) + v[t - 1]
WITNESSES = [tt.ExactInstance(SYSTEM, {n: 2, m: 1}, 3, seed=1), tt.ExactInstance(SYSTEM, {n: 1, m: 2}, 2, seed=2)]


def same_value(left, right) -> bool:
    """Whether both formulas are equal wherever both can be evaluated; there has to be such a place."""
    found = [(x, y) for witness in WITNESSES for _, x, y in places(witness, left, right)]
    assert found
    return all(x == y for x, y in found)


def test_free_and_bound_letters_a_limit_being_outside_its_sum() -> None:
    formula = u[i] * sum_over(j, w[i, j] * sum_over((s, q, t), x[j, s]))
    assert free(formula) == {i, q, t}
    assert bound(formula) == {j, s}
    assert free(sum_over((s, 1, s), v[s])) == {s}
    assert substitute(sum_over((s, 1, s), v[s]), {s: r}) == sum_over((s, 1, r), v[s])


def test_fresh_letter_is_one_that_is_not_taken() -> None:
    assert fresh(i, {j}) == i
    assert fresh(i, {i, j}).name == "i'"
    assert fresh(i, {i, fresh(i, {i})}).name == "i''"
    assert fresh(t, {t}).is_integer
    assert fresh(i, {Index("i", A)}).name == "i'"  # prints the same, over another domain


def test_bound_letter_of_the_same_name_over_a_part_is_renamed_too() -> None:
    narrow = Index("j", A)
    moved = substitute(sum_over(narrow, w[i, narrow]), {i: j})
    assert same_value(moved, sum_over(a, w[j, a]))
    assert {str(letter) for letter in bound(moved)}.isdisjoint({str(letter) for letter in free(moved)})


def test_times_do_not_catch_each_other() -> None:
    moved = substitute(sum_over((s, 1, t), v[s] * v[t]), {t: s - 1})
    assert free(moved) == {s}
    assert same_value(moved, sum_over((r, 1, s - 1), v[r] * v[s - 1]))


def test_letters_of_paths_are_bound_in_the_link_only() -> None:
    paths = Paths(w[j, i] * u[k], i, j, r, i, k, q)
    moved = substitute(paths, {i: j, k: i, q: Integer(2)})
    assert free(moved) == {i, j}
    assert same_value(moved, sum_over(k, w[k, j] * w[i, k]) * u[i] ** 2)


def test_renaming_two_letters_of_paths_keeps_them_apart() -> None:
    paths = Paths(w[j, i] * w[i, j] ** 2, i, j, r, a, b, Integer(2))
    renamed = rename_bound(paths, {i, j, r})
    assert not set(renamed.args[1:4]) & {i, j, r}
    assert same_value(renamed, paths)


def test_what_comes_in_is_renamed_apart_from_the_letters_around_it() -> None:
    def rule(node):
        return sum_over(j, w[i, j] * u[j]) if node == x[i, t] else None

    formula = u[j] * sum_over(i, w[j, i] * x[i, t])
    replaced = replace(formula, rule)
    assert free(replaced) == {j}
    assert same_value(replaced, u[j] * sum_over(i, k, w[j, i] * w[i, k] * u[k]))


def test_only_the_outermost_match_is_replaced() -> None:
    formula = f(f(v[t]))
    assert replace(formula, lambda node: v[t] if node == f(v[t]) else None) == f(v[t])
    assert replace(formula, lambda node: f(node) if isinstance(node, type(formula)) else None) == f(formula)


def test_union_letter_in_a_sum_over_a_leaf_may_be_outside_and_is_refused() -> None:
    with pytest.raises(DomainError, match="sum over a in A: j may lie outside"):
        contract(sum_over(a, Delta(j, a) * u[a]))


def test_a_number_of_a_unit_is_inside_where_there_are_that_many() -> None:
    with pytest.raises(DomainError, match=r"2 may lie outside; m \+ n may be less; of a domain of 2 \+ n elements"):
        contract(sum_over(i, Delta(i, 2) * u[i]))
    enough = tt.domain("enough", 2 + n)
    letter, weight = Index("v", enough), parameter("of_enough", enough)
    assert contract(sum_over(letter, Delta(letter, 2) * weight[letter])) == weight[2]


def test_delta_of_a_computed_place_is_summed_out_through_the_sums_inside() -> None:
    rows, columns = tt.domain("rows", n), tt.domain("columns", m)
    place = Index("c", tt.domain("C", n * m, after=A))
    row, column = Index("row", rows), Index("column", columns)
    grid, entry = parameter("grid", place.domain), parameter("entry", rows, columns)
    at = n + (row - 1) * m + column
    entries = sum_over(row, column, Delta(place, at) * entry[row, column])
    assert contract(sum_over(place, grid[place] * entries)) == sum_over(row, column, grid[at] * entry[row, column])


LIES_INSIDE = [  # a time, limits, and whether it lies between them; None if that depends
    (t, (1, t), True),
    (t, (1, t - 1), False),
    (t - 1, (1, t), None),
    (t - q, (1, t), None),
    (t + 1, (1, t), False),
    (Integer(0), (1, t), False),
    (t, (1, tt.LENGTH), True),
    (t + 1, (1, tt.LENGTH), None),
    (t + q, (1, t), None),
    (t + q + 1, (1, t), False),
    (q + 1, (1, q + 1), True),
    (r, (1, t), None),
]


@pytest.mark.parametrize(("when", "limits", "inside"), LIES_INSIDE)
def test_delta_of_times_is_summed_out_only_where_it_is_known_to_lie_inside(when, limits, inside) -> None:
    whole = sum_over((s, *limits), Delta(s, when) * v[s])
    found = contract(whole)
    assert found == {True: v[when], False: 0}.get(inside, found)
    assert found.has(Delta) is (inside is None)
    assert same_value(found, whole)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_contraction_keeps_the_value(seed) -> None:
    made = random_formula(Random(seed), (i, j), kinds=("sum", *KINDS))
    assert same_value(contract(made), made)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_renaming_keeps_the_value(seed) -> None:
    made = random_formula(Random(seed), (i, j), kinds=("sum", *KINDS))
    assert rename_bound(made, free(made) - bound(made)) == made
    renamed = rename_bound(made, bound(made) | free(made))
    assert bound(renamed).isdisjoint(bound(made))
    assert same_value(renamed, made)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_substitution_is_evaluation_at_the_other_place(seed) -> None:
    made = random_formula(Random(seed), (i, j), kinds=("sum", *KINDS))
    letter = Random(seed).choice([*bound(made), j, k])  # a bound index could capture it
    moved = substitute(made, {i: letter})
    for witness in WITNESSES:
        for env in witness.environments(moved, made, letter):
            assert witness.value(moved, env) == witness.value(made, {**env, i: env[letter]})


def test_delta_of_a_letter_and_a_place_computed_from_it_picks_nothing() -> None:
    """Substituting 2c - 1 for c would leave c free. Over a domain of one element both are that element."""
    only = Index("c", tt.domain("one", 1))
    weight = parameter("weight", only.domain)
    picked = sum_over(only, Delta(only, 2 * only - 1) * weight[only])
    assert free(contract(picked)) == set()
    assert tt.equal(picked, weight[1])
    assert not tt.equal(picked, 2 * weight[1])


C = tt.domain("C", tt.Dimension("p"), after=B)
one, two = tt.indices("i j", tt.union("ABC", H, C))
own, matrix = parameter("own", one.domain), parameter("matrix", one.domain, one.domain)


def domains(expr) -> set:
    return {node.index.domain for node in nodes(expr) if isinstance(node, Sigma) and not node.limits}


def test_only_wanted_sums_are_split() -> None:
    parts = split_sums(sum_over(one, own[one]) * sum_over(two, matrix[two, two]), lambda sigma: sigma.index == two)
    assert sum_over(one, own[one]) in parts.args
    assert domains(parts) == {one.domain, A, B, C}


def test_every_choice_of_leaves_for_the_free_indices_is_made_once_and_bound_ones_are_split() -> None:
    choices = [(one.within(p), two.within(q)) for p in (A, B, C) for q in (A, B, C)]
    assert by_parts(matrix[one, two], own[one]) == [(matrix[p, q], own[p]) for p, q in choices]
    ((both,),) = by_parts(sum_over(one, own[one]) * own[two.within(A)])
    assert domains(both) == {A, B, C}
    assert free(both) == {two.within(A)}
