"""Sequences that definitions read at several lags, and the times at which they are given."""

import pytest
import throughtime as tt
from one_unit import f, h, loss, s, t, u, w, x, z
from throughtime.derivation.evaluating.evaluate import OutOfRange
from throughtime.derivation.formulas.nodes import d, sequence, sum_over


def delayed(first: int) -> tt.System:
    """A unit that reads its input of now and of the previous step."""
    system = tt.System("delay", t)
    system[z[t]] = w * x[t] + u * x[t - 1] + h[t - 1]
    system[h[t]] = f(z[t])
    system[loss] = sum_over((s, 1, tt.LENGTH), h[s] ** 2)
    system.given_from(x, first)
    return system


def test_sequence_is_given_up_to_the_last_time_at_which_it_is_read() -> None:
    both, earlier = delayed(0), tt.System("earlier", t)
    earlier[h[t]] = x[t - 1]
    earlier.given_from(x, 0)
    assert list(both.given_times(x, 3)) == [0, 1, 2, 3]
    assert list(earlier.given_times(x, 3)) == [0, 1, 2]
    assert list(both.given_times(sequence("target"), 3)) == [1, 2, 3]
    assert list(both.given_times(h, 3)) == [1, 2, 3]


def test_network_with_two_input_lags_is_derived_and_checked() -> None:
    bench = tt.Bench(delayed(0), [{}])
    for derivation in (bench.derive(h[t], u), bench.derive_backward(loss, h[t]), bench.derive_gradient(loss, u)):
        tt.show(bench, derivation)
    right = f.prime(z[t]) * (x[t - 1] + d(h[t - 1], u))
    assert bench.equation("lags", tt.chain(d(h[t], u), right), numeric="no model").checks["instance"].count == 3


def test_sequence_that_begins_too_late_is_refused_with_a_way_out() -> None:
    with pytest.raises(tt.DerivationError, match=r"delay: x\(0\): x is given at 1..3 \(`System.given_from`\)"):
        tt.ExactInstance(delayed(1), {}, 3)


def test_definition_that_reads_behind_the_last_time_is_refused() -> None:
    system = tt.System("ahead", t)
    system[h[t]] = h[t - 1] + 1
    system[loss] = sum_over((s, 1, tt.LENGTH), h[s + 1])
    with pytest.raises(OutOfRange, match=r"ahead: loss reads h\(s\+1\) at 4, after the last time"):
        tt.ExactInstance(system, {}, 3)
