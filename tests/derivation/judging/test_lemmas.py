"""Lemmas in the equations of a network: at every depth, quoted, and under a modulus."""

import pytest
import throughtime as tt
from throughtime.derivation import Modulus, d, upper_bound
from throughtime.systems import lfmn as s

q = tt.lag("q")
NET = tt.Lemma(d(s.net_hid[s.j_n, s.t], s.current[s.j_n, s.t - q]), s.u_hid[s.j_n] ** q, q)
REASON = "no derivative by a current"


@pytest.fixture(scope="module")
def lfmn():
    two = (s.d_in, s.n_h, s.r_h, s.a_h, s.n_y, s.r_y, s.a_y)
    return tt.Bench(s.build(), [dict.fromkeys(two, 2)], length=3)


def test_modulus_of_a_sum_is_at_most_the_sum_of_the_moduli():
    j, k = s.j_n, s.k
    inner = tt.sum_over(j, s.u_hid[j] * s.w_hid[j, k])
    assert upper_bound(Modulus(inner), {}) == tt.sum_over(j, Modulus(s.u_hid[j]) * Modulus(s.w_hid[j, k]))
    two = upper_bound(Modulus(inner + s.x[k, s.t]), {})
    assert two == upper_bound(Modulus(inner), {}) + Modulus(s.x[k, s.t])


def test_lemmas_go_in_at_every_depth(lfmn):
    effect = d(s.h[s.j_n, s.t], s.current[s.j_n, s.t - q])
    equation = tt.chain(effect, s.f.prime(s.net_hid[s.j_n, s.t]) * s.u_hid[s.j_n] ** q)
    assert lfmn.equation("x", equation, lemmas=[NET], numeric=REASON, title="a lemma").verdict == "holds"
    assert not lfmn.reducer.equal(*equation)  # without the lemma the unfolding does not end


def test_quoted_lemma_is_proved_but_shown_in_one_line(lfmn):
    equation = tt.chain(Modulus(NET.left), Modulus(s.u_hid[s.j_n]) ** q)
    assert len(lfmn.equation("x", equation, lemmas=[NET], numeric=REASON, title="a lemma").proof) == 3
    (line,) = lfmn.equation("x", equation, quoted=[NET], numeric=REASON, title="a lemma").proof
    assert line.text().startswith("As shown before")
    with pytest.raises(tt.CheckError, match=r"instance check failed: .* at j=3, q=0, t=1; the sides are"):
        lfmn.equation("x", equation, quoted=[tt.Lemma(NET.left, s.u_hid[s.j_n] ** (q + 1), q)], numeric=REASON)
