"""The site's extension for the search: parts of Chinese terms are words of the index, exercises are found by number."""

from __future__ import annotations

from types import SimpleNamespace

from throughtime_search import English, ExerciseDomain


def test_pairs_of_a_term_are_words_beside_the_term() -> None:
    assert English({}).split("a gate (遺忘閘) and 梯度") == ["a", "gate", "遺忘閘", "and", "梯度", "遺忘", "忘閘"]


def test_exercises_have_their_numbers() -> None:
    numbers = {"one": {"figure": {"fig": (1,)}, "exercise": {"ex-a": (3,)}}, "two": {}}
    domain = SimpleNamespace(env=SimpleNamespace(toc_fignumbers=numbers))
    assert list(ExerciseDomain.get_objects(domain)) == [("Exercise 3", "Exercise 3", "exercise", "one", "ex-a", 1)]
