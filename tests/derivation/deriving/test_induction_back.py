"""Lemmas by induction from the last time: proved where true, refused where false, applied at times 1..T only."""

import pytest
import throughtime as tt
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


ALL = sum_over(k, f[k, T] - target[k])


@pytest.mark.parametrize(("wrong", "place"), [(2 * GAP, "base"), (ALL, "base"), (GAP * v_f**q, "step")], ids=str)
def test_a_wrong_claim_is_refused(reducer, wrong, place):
    lemma(GAP * v_f**q).prove(reducer)
    with pytest.raises(tt.DerivationError, match=f"induction: the {place}"):
        lemma(wrong * v_f**q).prove(reducer)


def test_it_is_not_used_after_the_end():
    claim, r = lemma(GAP * v_f**q), time("r")
    assert claim.apply(d(E, f[i, T])) == GAP
    assert claim.apply(d(E, f[i, T - 2])) == GAP * v_f**2
    assert claim.apply(d(E, f[k, r])) == (f[k, T] - target[k]) * v_f ** (T - r)
    for untouched in (d(E, f[i, T + 1]), d(E, f[i, t + 1]), d(E, x[i, t]), d(target[k], f[i, t])):
        assert claim.apply(untouched) == untouched


square = variable("square", B, B)
REFUSED = [
    (d(E, f[i, t]), GAP, "does not count back by a lag q"),
    (d(f[i, t], f[k, t - q]), v_f**q, "is no derivative of a loss by a node at T - q"),
    (d(E, f[i, T - q]), v_f**q * f[k, T], r"leaves {k} free"),
    (d(E, square[i, i, T - q]), v_f**q, "distinct letters"),  # it would be applied to different ones
    (d(E, square[i, 1, T - q]), v_f**q, "distinct letters"),
]


@pytest.mark.parametrize(("left", "right", "message"), REFUSED)
def test_what_it_cannot_be_about_is_refused(left, right, message):
    with pytest.raises(tt.DerivationError, match=f"induction: .*{message}"):
        tt.FromTheEnd(left, right, q)


def test_a_later_node_reads_zero_in_the_base(reducer):
    assert lemma(GAP * v_f**q).base_formula(reducer) == GAP


def test_weights_are_reached_through_it(reducer):
    """Back-propagation expresses the derivative with respect to a weight by adjoints, to which the lemma applies."""
    right = sum_over((t, 1, T), i, GAP * v_f ** (T - t) * x[i, t])
    claim = lemma(GAP * v_f**q)
    assert reducer.equal(d(E, v_x), right, claim.apply)
    assert not reducer.equal(d(E, v_x), right)
    assert not reducer.equal(d(E, v_x), v_f * right, claim.apply)
    assert not reducer.equal(d(E, v_f), right, claim.apply)
