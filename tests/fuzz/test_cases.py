"""The numbered cases: the same from a number each time, falsehoods false, truths not refuted, every kind there."""

from itertools import product
from random import Random

import pytest
from fuzzing.cases import FALSEHOODS, GENERATORS, FaultOfTheGenerator, case, check_truth, named, truth
from fuzzing.equations import BUILDERS, equation
from fuzzing.exact import Refutation, instances, refuted
from fuzzing.language import Formula, num, restart, text, when
from fuzzing.printed import TRUE, printed
from fuzzing.reach import SLIPS
from fuzzing.recurrences import recurrence
from fuzzing.rewriting import REWRITINGS, inside_a_symbol
from fuzzing.texts import Numbers


def test_a_case_is_made_from_its_number() -> None:
    assert case(11) == case(11) != case(12)
    assert len(case(11).falsehoods) == FALSEHOODS


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_falsehood_is_refuted_once_more(generator: str) -> None:
    for number in range(2):
        for kind, statement, refutation in named(f"{generator}-{number}.0")[0].falsehoods:
            if kind == "undefined":
                assert "the recurrence has no" in refutation
                continue
            assert isinstance(refutation, Refutation)
            (one,) = [one for one in instances(statement.recurrence) if one.seed == refutation.seed]
            assert refuted([one], statement.left, statement.right) == refutation


def test_a_truth_that_is_none_is_found() -> None:
    statement, found = truth(Random("some truth"))
    with pytest.raises(FaultOfTheGenerator, match="the sides are"):
        check_truth(statement._replace(right=statement.right + 1), found)


def test_a_rewriting_leaves_the_value() -> None:
    draw, seen = Random("rewritings"), set()
    restart()
    for _ in range(8):
        statement, found = truth(draw)
        loss = statement.recurrence.cases("L")[0].right
        power = Formula("prod", "m", when(None, 1), when("q"), num(2))
        for change, whole in product(REWRITINGS, (statement.right, loss, 3 * loss, power)):
            for path, node in whole.spots():
                new = None if inside_a_symbol(whole, path) else change(node, statement.recurrence, draw)
                if new is not None:
                    seen.add(change)
                    changed = whole.put_at(path, new)
                    assert refuted(found[:1], whole, changed) is None, f"{change.__name__}: {text(changed)}"
                    break
    assert seen == set(REWRITINGS)


def test_all_kinds_of_truths_and_slips_are_made() -> None:
    draw = Random("kinds")
    made = [equation(recurrence(draw), draw) for _ in range(400)]
    assert {one.kind.removesuffix(", truncated") for one in made if one} == set(BUILDERS)
    assert {one.form for one in made if one} == {"equation", "induction", "lemma"}
    slips = {falsehood.kind for number in range(16) for falsehood in case(number).falsehoods}
    assert slips <= set(SLIPS)
    assert len(slips) > 0.8 * len(SLIPS)


def test_texts_are_true_by_other_numbers_false_or_of_a_foreign_name() -> None:
    kinds = set()
    for number in range(16):
        truth, *others = printed(number)
        assert printed(number) == [truth, *others]
        for seed in range(3, 5):  # not those that it was made with
            numbers = Numbers(truth.made, 6, seed)
            sides = [numbers.value(side, 4, numbers.trace).real for side in truth[2:4]]
            assert sides[0] == pytest.approx(sides[1])
        kinds |= {(one.kind, bool(one.why)) for one in (truth, *others)}
    assert kinds == {*product(TRUE, (True, False)), ("text: foreign name", True)}
