"""Sums over a union are split into sums over its parts."""

import throughtime as tt
from throughtime.derivation.formulas.nodes import Activation, Sigma, nodes, parameter, sum_over, time, variable
from throughtime.derivation.formulas.rewrite import by_parts, free, split_sums

A = tt.domain("A", tt.Dimension("n"))
B = tt.domain("B", tt.Dimension("m"), after=A)
C = tt.domain("C", tt.Dimension("p"), after=B)
H = tt.union("H", tt.union("AB", A, B), C)
i, j, s, t = tt.Index("i", H), tt.Index("j", H), time("s"), time("t")
u, w, v, f = parameter("u", H), parameter("w", H, H), variable("v"), Activation("f")


def domains(expr) -> set:
    return {node.index.domain for node in nodes(expr) if isinstance(node, Sigma) and not node.limits}


def test_only_wanted_sums_are_split() -> None:
    formula = sum_over(i, u[i]) * sum_over(j, w[j, j])
    parts = split_sums(formula, lambda sigma: sigma.index == j)
    assert sum_over(i, u[i]) in parts.args
    assert domains(parts) == {H, A, B, C}


def test_every_choice_of_leaves_for_the_free_indices_is_made_once() -> None:
    made = by_parts(w[i, j], u[i])
    assert made == [(w[i.within(p), j.within(q)], u[i.within(p)]) for p in (A, B, C) for q in (A, B, C)]


def test_bound_indices_are_split_and_leaves_stay() -> None:
    ((both,),) = by_parts(sum_over(i, u[i]) * u[j.within(A)])
    assert domains(both) == {A, B, C}
    assert free(both) == {j.within(A)}
