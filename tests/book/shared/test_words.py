"""Words and quantifiers of claims as formulas; how they print stands in the boxes of the pages."""

import pytest
from book.shared.words import Among, ForSome, Iff, Throughout, Where, Words, printed
from sympy import Implies, S, Symbol, false, latex, symbols, true

a, b, c = symbols("a b c")
KEPT = Words("the sign is kept")
PARTS = (a > 1, b > 0)


def test_a_judge_puts_truth_in_the_place_of_words():
    claim = Implies(a > 2, KEPT)
    assert claim.subs(a, 3).subs(KEPT, true) == true
    assert claim.subs(a, 3).subs(KEPT, false) == false


def test_words_are_no_letter_and_kinds_with_the_same_parts_are_different_claims():
    assert Words("a") != Symbol("a")
    assert len({kind(*parts) for kind in (Throughout, Where, ForSome) for parts in (PARTS, PARTS[::-1])}) == 6
    assert Among(c, b, a) != Among(c, a, b)
    assert (Where(*PARTS).body, Where(*PARTS).condition) == PARTS


def test_substitution_reaches_both_parts():
    joined = Throughout(a > b, b > 0).subs(b, c)
    assert joined == Throughout(a > c, c > 0)


def test_iff_is_true_where_both_sides_are_alike():
    assert Iff(S.true, S.true) == Iff(S.false, S.false) == S.true
    assert Iff(S.true, S.false) == Iff(S.false, S.true) == S.false


def test_a_printed_function_takes_as_many_arguments_as_its_template_has_places():
    g = printed("g", r"g^{%s}\left[%s\right]")
    assert latex(g(a, b + 1)) == r"g^{a}\left[b + 1\right]"
    assert str(g(a, b).subs(b, c)) == "g(a, c)"
    with pytest.raises(TypeError):
        g(a)
