"""Definitions that a system refuses, with the definition and the reason in the message."""

import pytest
import throughtime as tt
from shared_formulas import A, B, H, i, j, k, s, t, w, x, y, z
from throughtime.derivation.formulas.errors import DerivationError, DomainError, IndexClashError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import d, parameter, scalar, sum_over, variable

late = variable("late", H, lag=1)
narrow = variable("narrow", A)
total = scalar("total")
low = tt.Index("i", A)

REFUSED = [
    (tt.CycleError, r"circle at one time: z\[i\]\(t\) <- y\[i\]\(t\) <- z", {z[i, t]: y[i, t], y[i, t]: z[i, t]}),
    (IndexClashError, "index i is summed over and also stands on the left", {z[i, t]: sum_over(i, x[i, t])}),
    (IndexClashError, "index k is neither on the left nor summed over", {z[i, t]: x[k, t]}),
    (IndexClashError, "index i is restricted to another domain", {z[i, t]: x[low, t]}),
    (IndexClashError, "the indices on the left have to be distinct letters", {z[1, t]: x[1, t]}),
    (IndexClashError, "index t is neither on the left nor summed over", {total[()]: sum_over(i, x[i, t])}),
    (UndefinedQuantityError, r"uses y\[i\]\(t-1\), which is not defined", {z[i, t]: y[i, t - 1]}),
    (UndefinedQuantityError, "z is not defined on B", {z[low, t]: x[low, t]}),
    (DerivationError, "defines again what", {z[i, t]: x[i, t], z[low, t]: 2 * x[low, t]}),
    (DerivationError, r"looks ahead to z\[i\]\(t\+1\)", {z[i, t]: z[i, t + 1]}),
    (DerivationError, r"reads z\[i\]\(1\), expected a time t or t - n", {z[i, t]: z[i, 1 + 0 * t]}),
    (DerivationError, r"b stands alone; .* w, which has none, as w\[\(\)\]", {z[i, t]: parameter("b") * x[i, t]}),
    (DerivationError, "x stands alone", {z[i, t]: x}),
    (DerivationError, "which is defined after the last time", {total[()]: sum_over(i, j, w[i, j]), z[i, t]: total[()]}),
    (DerivationError, "two different things have the name x", {z[i, t]: x[i, t] + parameter("x")[()]}),
    (DerivationError, "is not an element of a quantity that can be defined", {x[i, t]: w[i, i]}),
    (DomainError, r"i \+ 1 in x\[i\+1\]\(t\) may lie outside H", {z[i, t]: x[i + 1, t]}),
    (DomainError, r"runs over H, expected A or a part of it", {narrow[low, t]: x[low, t], z[i, t]: narrow[i, t]}),
    (DomainError, "is defined on H, expected a part of A", {narrow[i, t]: x[i, t]}),
    (DerivationError, r"the time on the left is s, expected t or t \+ n", {z[i, s]: x[i, s]}),
    (DerivationError, "a definition cannot contain a derivative", {z[i, t]: d(z[i, t - 1], z[i, t - 2])}),
    (
        DerivationError,
        r"reads x\[i\]\(t\), expected what was there 1 steps before, as it prints",
        {late[i, t]: x[i, t - 1] + x[i, t]},
    ),
]


def test_what_a_lagged_quantity_reads_is_as_old_as_it_says() -> None:
    older = variable("older", H, lag=2)
    define({late[i, t]: x[i, t - 1], older[i, t]: late[i, t - 1] + x[i, t - 2]})
    with pytest.raises(DerivationError, match="expected what was there 2 steps before"):
        define({late[i, t]: x[i, t - 1], older[i, t]: late[i, t]})


def test_computed_index_that_stays_inside_is_accepted() -> None:
    upper = tt.Index("b", tt.domain("B'", B.upper - A.upper))
    define({z[low, t]: sum_over(upper, x[A.upper + upper, t]), z[i.within(B), t]: x[i.within(B), t]})


def define(definitions) -> None:
    system = tt.System("net")
    for left, right in definitions.items():
        system[left] = right
    system.check()


@pytest.mark.parametrize(("error", "message", "definitions"), REFUSED)
def test_refusal(error, message, definitions) -> None:
    with pytest.raises(error, match=message) as caught:
        define(definitions)
    assert str(caught.value).startswith("net: ")


def test_gap_between_cases_of_two_indices_is_found() -> None:
    """Each index runs over both parts, but two of the four pairs have no definition."""
    cell, system = variable("s", H, H), tt.System("net")
    for part in (A, B):
        system[cell[i.within(part), j.within(part), t]] = w[i.within(part), j.within(part)]
    with pytest.raises(UndefinedQuantityError, match="s is not defined on A, B"):
        system.check()


def test_element_by_number_is_no_case() -> None:
    system = tt.System("net")
    system[z[low, t]], system[z[i.within(B), t]] = x[low, t], 2 * x[i.within(B), t]
    with pytest.raises(DomainError, match="is defined by cases"):
        system.definition(z[3, t])
