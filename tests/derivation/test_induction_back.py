"""Claims counted back from the end: proved where true, refused where false, and used at times of the sequence only."""

import pytest
from throughtime.derivation import DerivationError, d, lag, sum_over, time, variable
from throughtime.derivation.domains import Dimension, Index, domain, union
from throughtime.derivation.induction_back import FromTheEnd
from throughtime.derivation.reduce import Reducer
from throughtime.derivation.system import System
from throughtime.derivation.systems import bit_counter as s

i, k, t, T, f, x = s.i, s.k, s.t, s.T, s.f, s.x
E, v_x, v_f, q = s.error[()], s.v_x[()], s.v_f[()], lag("q")
GAP = s.answer[i] - s.count[i]


@pytest.fixture(scope="module")
def reducer() -> Reducer:
    return Reducer(s.build())


def lemma(right) -> FromTheEnd:
    return FromTheEnd(d(E, f[i, T - q]), right, q)


def test_the_power_law_is_proved(reducer):
    lemma(GAP * v_f**q).prove(reducer)


WRONG = {
    "one step more": GAP * v_f ** (q + 1),
    "twice the lag": GAP * v_f ** (2 * q),
    "a factor 2": 2 * GAP * v_f**q,
    "a sign": -GAP * v_f**q,
    "the mean over the batch": GAP * v_f**q / s.batch,
    "all sequences": sum_over(k, s.answer[k] - s.count[k]) * v_f**q,
    "no decay": GAP + 0 * q,
}


@pytest.mark.parametrize("right", WRONG.values(), ids=WRONG)
def test_a_wrong_claim_is_refused(reducer, right):
    with pytest.raises(DerivationError, match=r"induction: the (base|step)"):
        lemma(right).prove(reducer)


def test_it_is_not_used_after_the_end():
    claim, r = lemma(GAP * v_f**q), time("r")
    assert claim.apply(d(E, f[i, T])) == GAP
    assert claim.apply(d(E, f[i, T - 2])) == GAP * v_f**2
    assert claim.apply(d(E, f[k, r])) == (s.answer[k] - s.count[k]) * v_f ** (T - r)
    for untouched in (d(E, f[i, T + 1]), d(E, f[i, t + 1]), d(E, x[i, t]), d(s.answer[k], f[i, t])):
        assert claim.apply(untouched) == untouched


@pytest.mark.parametrize(
    ("left", "right"),
    [(d(E, f[i, t]), GAP), (d(f[i, t], f[k, t - q]), v_f**q), (d(E, f[i, T - q]), v_f**q * f[k, T])],
)
def test_what_it_cannot_be_about_is_refused(left, right):
    with pytest.raises(DerivationError, match="induction"):
        FromTheEnd(left, right, q)


def test_weights_are_reached_through_it(reducer):
    """Back-propagation turns the derivative by a weight into adjoints, and the claim reads them."""
    right = sum_over((t, 1, T), i, GAP * v_f ** (T - t) * x[i, t])
    claim = lemma(GAP * v_f**q)
    assert reducer.equal(d(E, v_x), right, claim.apply)
    assert not reducer.equal(d(E, v_x), right)
    assert not reducer.equal(d(E, v_x), v_f * right, claim.apply)
    assert not reducer.equal(d(E, v_f), right, claim.apply)


def test_a_later_node_reads_zero_in_the_base_only(reducer):
    other = variable("g", s.B)
    assert lemma(GAP * v_f**q).base_formula(reducer) == GAP
    assert lemma(GAP * v_f**q).apply(d(E, other[i, t])) == d(E, other[i, t])


LOW = domain("low", Dimension("n"))
HIGH = domain("high", Dimension("m"), after=LOW)
UNIT = Index("u", union("units", LOW, HIGH))
g = variable("g", UNIT.domain)


def test_what_is_proved_of_one_part_is_not_used_on_another():
    """The low units decay by v_x, the high ones by v_f; what holds of the low ones is silent about the high ones."""
    system = System("two kinds", t)
    for part, decay in ((LOW, v_x), (HIGH, v_f)):
        unit = UNIT.within(part)
        system[g[unit, t]] = decay * g[unit, t - 1]
    system[E] = sum_over(UNIT, g[UNIT, T])
    reducer, (low, high) = Reducer(system), (UNIT.within(part) for part in (LOW, HIGH))
    claim = FromTheEnd(d(E, g[low, T - q]), v_x**q, q)
    claim.prove(reducer)
    assert claim.apply(d(E, g[low, t])) == v_x ** (T - t)
    for untouched in (d(E, g[high, t]), d(E, g[UNIT, t])):
        assert claim.apply(untouched) == untouched
    assert not reducer.equal(d(E, g[high, t]), v_x ** (T - t), claim.apply)


def test_an_index_that_is_no_letter_of_its_own_is_refused():
    """Proved where both indices are one letter, the claim would be used where they are two."""
    square = variable("square", s.B, s.B)
    for node in (square[i, i, T - q], square[i, 1, T - q]):
        with pytest.raises(DerivationError, match="distinct letters"):
            FromTheEnd(d(E, node), v_f**q, q)
