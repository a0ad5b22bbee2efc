"""Index domains: containment, overlap, and their elements for given sizes."""

import pytest
import throughtime as tt
from sympy import Integer
from throughtime.derivation.formulas.domains import Dimension, Index, domain, lies_in
from throughtime.derivation.formulas.errors import DomainError

n, m, p = Dimension("n"), Dimension("m"), Dimension("p")
A = domain("A", n)
B = domain("B", m, after=A)
C = domain("C", p, after=B)
AB = tt.union("AB", A, B)
ABC = tt.union("ABC", AB, C)
SIZES = {n: Integer(2), m: Integer(3), p: Integer(1)}


def test_elements_are_counted_from_one_and_behind_the_domain_before() -> None:
    assert list(A.elements(SIZES)) == [1, 2]
    assert list(B.elements(SIZES)) == [3, 4, 5]
    assert list(C.elements(SIZES)) == [6]
    assert list(ABC.elements(SIZES)) == [1, 2, 3, 4, 5, 6]


def test_size_may_be_a_number_or_a_formula() -> None:
    assert list(domain("four", 4).elements({})) == [1, 2, 3, 4]
    assert list(domain("pairs", 2 * n, after=B).elements(SIZES)) == [6, 7, 8, 9]


def test_size_that_is_not_known_is_named() -> None:
    with pytest.raises(DomainError, match=r"domain B: sizes \{.*\} leave .* symbolic"):
        B.elements({n: Integer(2)})


def test_union_contains_itself_and_its_parts_at_every_depth_and_meets_what_shares_a_leaf() -> None:
    assert all(ABC.contains(part) for part in (ABC, AB, A, B, C))
    assert not A.contains(AB)
    assert not AB.contains(C)
    assert ABC.leaves() == (A, B, C)
    assert A.leaves() == (A,)
    assert A.disjoint(B)
    assert AB.disjoint(C)
    assert not AB.disjoint(B)
    assert not AB.disjoint(ABC)


def test_union_of_parts_with_a_gap_is_refused() -> None:
    with pytest.raises(DomainError, match="union AC: C starts at "):
        tt.union("AC", A, C)
    with pytest.raises(DomainError, match="union BA: A starts at 1"):
        tt.union("BA", B, A)


def test_index_is_its_letter_and_its_domain() -> None:
    assert Index("i", A) == Index("i", A, latex=r"\iota")
    assert len({Index("i", A), Index("i", B), Index("j", A), Index("i", A)}) == 3
    narrow = Index("i", AB, r"\iota").within(A)
    assert (narrow, narrow.latex) == (Index("i", A), r"\iota")


def test_index_over_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="index i: over is n, expected a Domain"):
        Index("i", n)


def test_computed_place_lies_where_both_ends_of_its_range_lie() -> None:
    rows, size = Dimension("rows"), Dimension("size")
    row, place = Index("row", domain("rows", rows)), Index("place", domain("size", size))
    before = domain("before", Dimension("n"))
    grid = domain("grid", rows * size, after=before)
    assert lies_in(before.upper + (row - 1) * size + place, grid)
    assert not lies_in(before.upper + row * size + place, grid)
    assert not lies_in((row - 1) * size + place, grid)
    assert not lies_in(grid.upper + 1 - row * size, grid)  # decreases with the row
    assert not lies_in(row * row, domain("squares", rows * rows))
    assert lies_in(place, domain("wide", size)) is (place.domain == domain("wide", size))


def test_place_that_may_be_no_whole_number_or_falls_where_its_index_rises_lies_nowhere() -> None:
    three, two = Index("a", domain("three", 3)), domain("two", 2)
    assert lies_in((three + 3) / 2, domain("wide", 3)) is False  # 2, 5/2, 3
    assert lies_in(three - 1, two) is False
    assert lies_in(2 - three, two) is False  # 1, 0, -1: compared end by end it would lie in 1..2
    assert lies_in(Index("b", two) + 1, domain("wide", 3))
