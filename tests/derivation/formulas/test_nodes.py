"""Nodes of formulas: simplification at construction, and arguments that are refused."""

import pytest
import throughtime as tt
from shared_formulas import A, H, f, g, i, j, n, q, s, t, u, w, z
from shared_formulas import a as low
from shared_formulas import b as high
from sympy import Expr, Integer, Rational
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.evaluating.compiled import RULES
from throughtime.derivation.formulas.domains import Node, row
from throughtime.derivation.formulas.errors import DomainError, IndexClashError
from throughtime.derivation.formulas.functions import Elementary
from throughtime.derivation.formulas.nodes import Bound, Constant, Delta, Modulus, Product, Sigma, sequence, sum_over

loss = tt.scalar("loss")


def test_number_of_indices_counts_the_time_only_where_there_is_one() -> None:
    assert (z[i, t].indices, z[i, t].time) == ((i,), t)
    assert (w[i, j].indices, w[i, j].time) == ((i, j), None)
    assert (loss[()].indices, loss[()].time) == ((), None)
    for quantity, key in ((z, i), (z, (i, j, t)), (w, i), (w, (i, j, t)), (loss, t)):
        with pytest.raises(DomainError, match="indices, expected"):
            quantity[key]


def test_index_has_to_share_its_domain_with_the_place() -> None:
    other = tt.Index("o", tt.domain("O", tt.Dimension("p")))
    on_low = tt.variable("y", A)
    assert on_low[i, t].indices == (i,)  # a wider index is restricted later, or refused by the system
    for wrong in (other, high):
        with pytest.raises(DomainError, match="in place 1 runs over"):
            on_low[wrong, t]


def test_activation_of_each_unit_wants_its_index() -> None:
    assert f(z[i, t]).indices == ()
    assert g[i](z[i, t]).indices == (i,)
    assert g[i](z[i, t]).derivative() == g.prime(z[i, t], i)
    assert f(z[i, t]).derivative().derivative().order == 2
    with pytest.raises(DomainError, match=r"g\[\]: 0 indices, expected 1"):
        g(z[i, t])
    with pytest.raises(DomainError, match=r"f\[i\]: 1 indices, expected 0"):
        f[i]


def test_delta_is_decided_where_it_can_be_and_its_own_positive_power() -> None:
    assert Delta(i, i) == 1
    assert Delta(low, high) == 0
    assert Delta(t, t - 1) == Delta(3, 4) == 0
    assert Delta(q + 1, 0) == 0
    assert Delta(t + 1, 1 + t) == 1
    for left, right in ((i, j), (i, low), (t, s), (q, 0), (t, s + 1)):
        assert Delta(left, right) == Delta(right, left) not in (0, 1)
    assert Delta(i, j) ** 3 == Delta(i, j)
    assert 1 / Delta(i, j) != Delta(i, j)


def test_modulus_is_taken_factor_by_factor() -> None:
    u = z[i, t]
    assert Modulus(-2 * u * w[i, j]) == 2 * Modulus(u) * Modulus(w[i, j])
    assert Modulus(u**2) == Modulus(u) ** 2
    assert Modulus(1 / u) == 1 / Modulus(u)
    assert Modulus(Modulus(u)) == Modulus(u)
    assert Modulus(Delta(i, j)) == Delta(i, j)
    assert Modulus(u + w[i, j]) != Modulus(u) + Modulus(w[i, j])
    assert Modulus(Rational(-3, 2)) == Rational(3, 2)
    for constant in (Constant("M", Rational(1, 4)), Constant("N", Integer(-1))):
        assert (Modulus(constant) == constant) == (constant.name == "M")


def test_sum_of_nothing_is_nothing_but_a_product_of_zeros_may_be_empty() -> None:
    assert sum_over(i, z[i, t] * 0) == 0
    assert sum_over((s, 1, t), Integer(0)) == 0
    assert isinstance(tt.product_over((s, 1, q), Integer(0)), Product)


def test_one_letter_is_bound_once() -> None:
    with pytest.raises(IndexClashError, match="index i is bound twice"):
        sum_over(i, i, w[i, i])
    with pytest.raises(IndexClashError, match="index s is bound twice"):
        sum_over((s, 1, t), tt.product_over((s, 1, t), z[i, s]))
    assert set(tt.refs(sum_over(i, u[i]) * sum_over(i, z[i, t]))) == {u[i], z[i, t]}  # two sums may share an index


def test_indexing_is_no_iteration() -> None:
    for indexed in (tt.variable("y"), tt.parameter("v", H), g):
        with pytest.raises(TypeError, match="not iterable"):
            iter(indexed)


def kinds(base: type = Node) -> set[type]:
    """Every class of nodes of the library that no other one refines."""
    below = [kind for kind in base.__subclasses__() if kind.__module__.startswith("throughtime.")]
    return set().union(*map(kinds, below)) if below else {base}


def test_every_kind_of_node_can_be_evaluated_or_is_no_number() -> None:
    no_number = {tt.Quantity, Elementary, tt.Index, tt.AsNumber, Cut}  # in a formula as arguments of nodes only
    assert {tt.Ref, Sigma, tt.Paths, tt.Truncated, *no_number} <= kinds()
    for kind in kinds():
        row = next(base for base in kind.__mro__ if base in RULES)
        assert (row is Expr) == (kind in no_number), kind


def test_row_of_a_table_is_that_of_the_nearest_base_class() -> None:
    table = {Expr: "any", Node: "node", Bound: "sum or product"}
    assert [row(table, expr) for expr in (sum_over(i, u[i]), u[i], Integer(1))] == ["sum or product", "node", "any"]


def test_nodes_are_real_and_sizes_and_indices_are_integers() -> None:
    for node in (u[i], f(u[i]), Delta(i, j), sum_over(i, u[i]), tt.d(z[i, t], u[j]), Constant("M", 1), n, i):
        assert node.is_real
        assert node.is_commutative
    assert n.is_integer
    assert i.is_integer
    assert u[i].is_integer is None
    assert Modulus(u[i]).is_nonnegative


def test_mask_and_count_are_marks_of_their_own() -> None:
    assert sequence("sigma", mask=True).mask
    assert not sequence("sigma").mask
    assert sequence("sigma", mask=True) != sequence("sigma")
    mask, other = sequence("sigma", mask=True)[t], sequence("sigma")[t]
    assert (mask**2, mask * mask * other**2, mask**0) == (mask, mask * other**2, 1)
    assert mask**-1 != mask
    assert mask * mask.at(mask.time + 1) != mask
    assert tt.Dimension("n_c", count=True).count
    assert not tt.Dimension("d_c").count
