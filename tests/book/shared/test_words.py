"""Words and quantifiers of claims: their printed forms, and access to their parts."""

import pytest
from book.shared.words import Among, ForSome, Iff, Throughout, Where, Words
from sympy import And, Eq, Implies, S, Symbol, false, latex, symbols, true

a, b, c = symbols("a b c")
KEPT = Words("the sign is kept")


def test_words_print_as_text_and_differ_from_a_letter():
    assert latex(KEPT) == r"\text{the sign is kept}"
    assert str(KEPT) == "the sign is kept"
    assert Words("a") != Symbol("a")


def test_a_judge_puts_truth_in_the_place_of_words():
    claim = Implies(a > 2, KEPT)
    assert claim.subs(a, 3).subs(KEPT, true) == true
    assert claim.subs(a, 3).subs(KEPT, false) == false


@pytest.mark.parametrize(
    ("kind", "text", "tex"),
    [
        (Throughout, "for all", r"\forall"),
        (Where, "where", r"\text{where}"),
        (ForSome, "for some", r"\text{for some}"),
    ],
)
def test_body_comes_before_condition(kind, text, tex):
    joined = kind(a > 1, b > 0)
    assert (joined.body, joined.condition) == (a > 1, b > 0)
    assert str(joined) == f"(a > 1 {text} b > 0)"
    assert latex(joined) == rf"a > 1\ \ {tex}\ \ b > 0"
    assert joined != kind(b > 0, a > 1)


def test_a_joined_formula_has_brackets_only_inside_another():
    inner = Throughout(a > 1, b > 0)
    assert latex(ForSome(inner, c > 0)) == (r"\left(a > 1\ \ \forall\ \ b > 0\right)\ \ \text{for some}\ \ c > 0")
    assert r"\left(a > 1\ \ \forall\ \ b > 0\right)" in latex(And(inner, c > 0))


def test_kinds_with_the_same_parts_are_different_claims():
    assert len({kind(a > 1, b > 0) for kind in (Throughout, Where, ForSome)}) == 3


def test_substitution_reaches_both_parts():
    joined = Throughout(a > b, b > 0).subs(b, c)
    assert joined == Throughout(a > c, c > 0)


def test_members_of_a_set_keep_their_order():
    among = Among(c, b, a)
    assert str(among) == "c in {b, a}"
    assert latex(among) == r"c \in \left\{b, a\right\}"
    assert among != Among(c, a, b)


def test_iff_keeps_the_order_of_its_sides():
    left, right = Eq(Symbol("z"), 1), Eq(Symbol("w"), 2)
    assert latex(Iff(left, right)) == r"z = 1 \iff w = 2"
    assert Iff(S.true, S.true) == Iff(S.false, S.false) == S.true
    assert Iff(S.true, S.false) == Iff(S.false, S.true) == S.false
