"""Lemmas by induction from the last time: proved where true, refused where false, applied at times 1..T only."""

import pytest
import throughtime as tt
from shared_formulas import a as low
from shared_formulas import b as high
from shared_formulas import i as either
from shared_formulas import z as g
from throughtime.derivation import d, parameter, scalar, sequence, sum_over, time, variable
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.nodes import INPUT

# A leaky sum for each sequence of a batch, and half the squared error of its last value.
t, T, batch = time("t"), tt.LENGTH, tt.Dimension("I")
B = tt.domain("batch", batch)
i, k = tt.indices("i k", B)
x, f = sequence("x", B), variable("f", B)
target = tt.Quantity("y", B, timed=False, role=INPUT)
E, v_x, v_f, q = scalar("E")[()], parameter("v_x")[()], parameter("v_f")[()], tt.lag("q")
GAP = f[i, T] - target[i]


@pytest.fixture(scope="module")
def reducer() -> Reducer:
    system = tt.System("leaky sums", t)
    system[f[i, t]] = f[i, t - 1] * v_f + x[i, t] * v_x
    system[E] = sum_over(i, (f[i, T] - target[i]) ** 2) / 2
    return Reducer(system)


def lemma(right) -> tt.FromTheEnd:
    return tt.FromTheEnd(d(E, f[i, T - q]), right, q)


def test_the_power_law_is_proved(reducer):
    lemma(GAP * v_f**q).prove(reducer)


WRONG = {
    "one step more": GAP * v_f ** (q + 1),
    "twice the lag": GAP * v_f ** (2 * q),
    "a factor 2": 2 * GAP * v_f**q,
    "a sign": -GAP * v_f**q,
    "the mean over the batch": GAP * v_f**q / batch,
    "all sequences": sum_over(k, f[k, T] - target[k]) * v_f**q,
    "no decay": GAP + 0 * q,
}


@pytest.mark.parametrize("right", WRONG.values(), ids=WRONG)
def test_a_wrong_claim_is_refused(reducer, right):
    with pytest.raises(tt.DerivationError, match=r"induction: the (base|step)"):
        lemma(right).prove(reducer)


def test_it_is_not_used_after_the_end():
    claim, r = lemma(GAP * v_f**q), time("r")
    assert claim.apply(d(E, f[i, T])) == GAP
    assert claim.apply(d(E, f[i, T - 2])) == GAP * v_f**2
    assert claim.apply(d(E, f[k, r])) == (f[k, T] - target[k]) * v_f ** (T - r)
    for untouched in (d(E, f[i, T + 1]), d(E, f[i, t + 1]), d(E, x[i, t]), d(target[k], f[i, t])):
        assert claim.apply(untouched) == untouched


@pytest.mark.parametrize(
    ("left", "right"), [(d(E, f[i, t]), GAP), (d(f[i, t], f[k, t - q]), v_f**q), (d(E, f[i, T - q]), v_f**q * f[k, T])]
)
def test_what_it_cannot_be_about_is_refused(left, right):
    with pytest.raises(tt.DerivationError, match="induction"):
        tt.FromTheEnd(left, right, q)


def test_weights_are_reached_through_it(reducer):
    """Back-propagation expresses the derivative with respect to a weight by adjoints, to which the lemma applies."""
    right = sum_over((t, 1, T), i, GAP * v_f ** (T - t) * x[i, t])
    claim = lemma(GAP * v_f**q)
    assert reducer.equal(d(E, v_x), right, claim.apply)
    assert not reducer.equal(d(E, v_x), right)
    assert not reducer.equal(d(E, v_x), v_f * right, claim.apply)
    assert not reducer.equal(d(E, v_f), right, claim.apply)


def test_a_later_node_reads_zero_in_the_base_only(reducer):
    other = variable("g", B)
    assert lemma(GAP * v_f**q).base_formula(reducer) == GAP
    assert lemma(GAP * v_f**q).apply(d(E, other[i, t])) == d(E, other[i, t])


def test_what_is_proved_of_one_part_is_not_used_on_another():
    """The low units decay by v_x, the high ones by v_f; a lemma on the low ones does not apply to the high ones."""
    system = tt.System("two kinds", t)
    for unit, decay in ((low, v_x), (high, v_f)):
        system[g[unit, t]] = decay * g[unit, t - 1]
    system[E] = sum_over(either, g[either, T])
    reducer = Reducer(system)
    claim = tt.FromTheEnd(d(E, g[low, T - q]), v_x**q, q)
    claim.prove(reducer)
    assert claim.apply(d(E, g[low, t])) == v_x ** (T - t)
    for untouched in (d(E, g[high, t]), d(E, g[either, t])):
        assert claim.apply(untouched) == untouched
    assert not reducer.equal(d(E, g[high, t]), v_x ** (T - t), claim.apply)


def test_an_index_that_is_no_letter_of_its_own_is_refused():
    """A lemma proved for two equal indices would be applied to different ones."""
    square = variable("square", B, B)
    for node in (square[i, i, T - q], square[i, 1, T - q]):
        with pytest.raises(tt.DerivationError, match="distinct letters"):
            tt.FromTheEnd(d(E, node), v_f**q, q)
