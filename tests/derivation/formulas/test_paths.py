"""Sums over paths in normal form: letters and direction do not matter, and known links are split off."""

import pytest
from shared_formulas import A, q, r, s, t, v
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import Delta, Paths, parameter, sum_over

BEFORE, AFTER, COUNT = Index("b", A), Index("c", A), s
ONE, OTHER, MIDDLE = Index("i", A), Index("j", A), Index("k", A)
W = parameter("W", A, A)
LINK = W[BEFORE, AFTER] * v[t - COUNT + 1]


def paths(link, start, end, steps):
    return Paths(link, BEFORE, AFTER, COUNT, start, end, steps)


SAME = {
    "letters": Paths(W[OTHER, MIDDLE] * v[t - r + 1], OTHER, MIDDLE, r, ONE, OTHER, q),
    "backwards": paths(W[AFTER, BEFORE] * v[t - q + COUNT], OTHER, ONE, q),
}


@pytest.mark.parametrize("name", SAME)
def test_paths_are_the_same_under_other_letters_and_backwards(name) -> None:
    assert equal(paths(LINK, ONE, OTHER, q), SAME[name])
    assert not equal(paths(LINK, ONE, OTHER, q), SAME[name].func(*SAME[name].args[:4], OTHER, OTHER, q))
    assert not equal(paths(LINK, ONE, OTHER, q), paths(W[AFTER, BEFORE] * v[t - COUNT + 1], ONE, OTHER, q))


def test_links_that_are_the_same_at_all_times_may_be_walked_backwards() -> None:
    assert equal(paths(W[BEFORE, AFTER], ONE, OTHER, q), paths(W[AFTER, BEFORE], OTHER, ONE, q))
    assert not equal(paths(W[BEFORE, AFTER], ONE, OTHER, q), paths(W[AFTER, BEFORE], ONE, OTHER, q))


def test_links_whose_number_is_known_are_split_off_from_the_start() -> None:
    later = W[BEFORE, AFTER] * v[t - COUNT]
    assert equal(paths(LINK, ONE, OTHER, 0), Delta(ONE, OTHER))
    assert equal(paths(LINK, ONE, OTHER, 1), W[ONE, OTHER] * v[t])
    for steps in (2, q + 1):
        split = sum_over(MIDDLE, W[ONE, MIDDLE] * v[t] * paths(later, MIDDLE, OTHER, steps - 1))
        assert equal(paths(LINK, ONE, OTHER, steps), split)
        assert not equal(paths(LINK, ONE, OTHER, steps), paths(LINK, ONE, OTHER, steps - 1))
    no_link_left = sum_over(MIDDLE, W[ONE, MIDDLE] * v[t] * paths(later, MIDDLE, OTHER, q - 1))
    assert not equal(paths(LINK, ONE, OTHER, q), no_link_left)  # at q = 0 they differ


def test_paths_inside_paths_keep_their_letters_apart() -> None:
    """The times of the links say which way they are walked, so that only the letters differ."""
    e, g = Index("e", A), Index("g", A)
    within, without = (Paths(W[e, g] * W[one, g] * v[t - r], e, g, r, ONE, OTHER, q) for one in (BEFORE, e))
    assert not equal(*(paths(inner * v[t - COUNT], ONE, OTHER, q) for inner in (within, without)))
