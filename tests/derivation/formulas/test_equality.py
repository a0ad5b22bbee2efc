"""Equality in normal form: fractions on a common denominator, and differences without what both sides share."""

import pytest
import throughtime as tt
from shared_formulas import A, H, a, f, i, j, k, m, n, t, u, w, x
from sympy import Integer
from throughtime.derivation.formulas.equality import equal, reduced
from throughtime.derivation.formulas.nodes import sum_over

one, two = u[i], u[k]
c = tt.Index("c", A)
total = sum_over(a, u[a])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (one / (one + two) + two / (one + two), Integer(1)),
        ((one**2 - two**2) / (one - two), one + two),
        (1 / (1 + 1 / (one + two)), (one + two) / (one + two + 1)),
        (one / (one + two) ** 2 + two / (one + two) ** 2, 1 / (one + two)),
        (sum_over(c, u[c] / total), Integer(1)),
        (sum_over(c, u[c] ** 2 / total) * total, sum_over(c, u[c] ** 2)),
        (sum_over(c, u[c] / (u[c] + 1)) * (one / (one + two) + two / (one + two)), sum_over(c, u[c] / (u[c] + 1))),
    ],
    ids=str,
)
def test_fractions_on_a_common_denominator(left, right) -> None:
    assert equal(left, right)
    assert not equal(left, right + one)
    assert not equal(left * two, right)


def test_a_power_too_many_below_the_fraction_bar_is_no_equality() -> None:
    assert not equal(one / (one + two) ** 2 + two / (one + two) ** 2, 1 / (one + two) ** 2)
    assert not equal(one / (one + two), two / (one + two))


def test_a_sum_of_what_has_no_index_is_its_number_of_terms() -> None:
    assert equal(sum_over(j, x[i, t]), (n + m) * x[i, t])
    assert equal(sum_over(c, u[c] - total / n), Integer(0))
    assert not equal(sum_over(j, x[i, t]), n * x[i, t])


def test_what_both_sides_share_is_left_out() -> None:
    shared = sum_over(j, w[i, j] * x[j, t]) * f(u[i]) + x[i, t] ** 2 + u[k] * x[k, t]
    left, right = reduced(shared + 3 * one, shared + two)
    assert (left, right) == (3 * one - two, 0)
    assert reduced(shared, shared + 0 * two) == (0, 0)
    assert reduced(one, two) == (one, two)


def test_indices_that_only_their_factors_tell_apart_are_renamed_to_one_form() -> None:
    p, q, r, s = (tt.Index(name, H) for name in "pqrs")
    chain_ = sum_over(p, q, r, s, w[p, q] * w[q, r] * w[r, s] * u[s])
    renamed = sum_over(s, r, q, p, w[s, r] * w[r, q] * w[q, p] * u[p])
    assert equal(chain_, renamed)
    assert not equal(chain_, sum_over(p, q, r, s, w[p, q] * w[q, r] * w[r, s] * u[p]))
