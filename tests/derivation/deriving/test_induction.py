"""Lemmas by induction over a lag: proved where true, refused where false, without circular proofs."""

import pytest
import throughtime as tt
from one_unit import f, leak, t, u, v
from shared_formulas import H, i, j, k
from throughtime.derivation.deriving.induction import Lemma
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.nodes import Delta, d, parameter, product_over, sum_over, time, variable

m, q = time("m"), tt.lag("q")


def test_product_of_slopes_is_proved() -> None:
    system = tt.System("slopes")
    system[v[t]] = f(u * v[t - 1])
    factors = product_over((m, 1, q), u * f.prime(u * v[t - m]))
    Lemma(d(v[t], v[t - q]), factors, q).prove(Reducer(system))


def test_a_delta_in_the_argument_of_a_slope_is_summed_out() -> None:
    a, h, w, g = variable("a", H), variable("h", H), parameter("w", H), variable("g", H)
    system = tt.System("units apart")
    system[a[i, t]] = w[i] * h[i, t - 1]
    system[g[i, t]] = f(u)
    system[h[i, t]] = (1 - g[i, t]) * h[i, t - 1] + g[i, t] * f(a[i, t])
    gate, itself = g[i, t - m + 1], sum_over(k, Delta(i, k) * a[k, t - m + 1])
    claim = Delta(i, j) * product_over((m, 1, q), 1 - gate + gate * f.prime(itself) * w[i])
    Lemma(d(h[i, t], h[j, t - q]), claim, q).prove(Reducer(system))


@pytest.mark.parametrize("wrong", [u ** (q + 1), -(u**q), u ** (2 * q), 1 + 0 * q])
def test_wrong_claim_is_refused(wrong) -> None:
    with pytest.raises(tt.DerivationError, match=r"induction: the (base|step)"):
        Lemma(d(v[t], v[t - q]), wrong, q).prove(Reducer(leak()))


def test_claim_is_not_proved_by_itself() -> None:
    """A quantity defined by cases cannot be unfolded as a whole, so the claim for q + 1 still occurs in the formula."""
    z, w, system = variable("z", H), parameter("w", H), tt.System("two cases")
    for part in H.parts:
        system[z[i.within(part), t]] = w[i.within(part)] * z[i.within(part), t - 1]
    with pytest.raises(tt.DerivationError, match="the step fails"):
        Lemma(d(z[j, t], z[i, t - q]), Delta(i, j) * 7**q, q).prove(Reducer(system))


def test_lemma_is_not_applied_to_a_lag_of_unknown_sign() -> None:
    lemma, s = Lemma(d(v[t], v[t - q]), u**q, q), time("s")
    assert lemma.apply(d(v[t], v[t - 3])) == u**3
    assert lemma.apply(d(v[t], v[s])) == d(v[t], v[s])
    assert lemma.apply(d(v[t], v[t + 1])) == d(v[t], v[t + 1])


@pytest.mark.parametrize(
    ("left", "right", "start", "message"),
    [
        (d(v[t], u), u, 0, "is no derivative at a time t by a node at t - q"),
        (d(v[t], v[t - 2]), u, 0, "is no derivative at a time t by a node at t - q"),
        (d(v[t], v[t - q]), u**m, 0, "leaves {m} free"),
        (d(v[t], v[t - q]), u**q, 1, "q is a lag from 1 on"),
    ],
)
def test_lemma_of_another_shape_is_refused(left, right, start, message) -> None:
    with pytest.raises(tt.DerivationError, match=message):
        Lemma(left, right, q, start)
