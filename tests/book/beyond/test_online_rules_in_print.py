"""What is printed about online rules: the times of RFLO's traces line by line, and what e-prop factors need."""

import pytest
from book.beyond import bench as settings
from book.beyond import leaky as net
from book.beyond.online_rules import checks
from book.shared.reading import equals
from sympy import Integer
from throughtime.derivation import LENGTH, AsNumber, Truncated, d, sum_over

a, b, i, j, q, t, s = net.a, net.b, net.i, net.j, net.q, net.t, net.s
W, W_in, h, x, tau = net.W, net.W_in, net.h, net.x, net.tau
L, LEAK = net.loss[()], 1 - 1 / net.tau


@pytest.fixture(scope="module")
def S():
    return settings.of_leaky()


def slope(when):
    return net.phi.prime(net.u[a, when])


def trace(weight, when):
    return Truncated(h[a, when], weight, *net.RFLO)


def recursion(weight, source, when):
    """The trace of RFLO as what is carried of the previous one and a new term with the slope of a time."""
    return equals(trace(weight, t), LEAK * trace(weight, t - 1) + slope(when) * source / tau)


def test_the_printed_times_of_rflo_are_refused_one_by_one(S):
    right = recursion(W_in[a, q], x[q, t], t)
    printed = {
        "(6), input": recursion(W_in[a, q], x[q, t - 1], t),
        "(17), input": recursion(W_in[a, q], x[q, t - 1], t - 1),
        "(17), units": recursion(W[a, b], h[b, t - 1], t - 1),
    }
    assert checks.holds(S, right)
    assert [name for name, equation in printed.items() if checks.holds(S, equation)] == []


def test_a_delay_of_one_step_makes_the_trace_of_the_appendix(S):
    """(17) for inputs holds of the trace of the previous step, as the page says."""
    late, later = (trace(W_in[a, q], t - back) for back in (1, 2))
    shifted = equals(late, LEAK * later + slope(t - 1) * x[q, t - 1] / tau)
    assert S.on_instances([shifted.args]).passed is True


def test_the_factorization_of_e_prop_needs_the_total_derivative_by_the_spike():
    def ideal(first):
        signals = d(L, net.spike[j, s]) * Truncated(net.spike[j, s], net.V[j, i], *net.EPROP)
        return equals(d(L, net.V[j, i]), sum_over((s, first, LENGTH), signals))

    own = -sum_over(net.l, net.W_out[net.l, j] * net.error[net.l, s]) / AsNumber(LENGTH)
    signals = own * Truncated(net.spike[j, s], net.V[j, i], *net.EPROP)
    online = sum_over((s, 1, LENGTH), signals)
    assert not checks.decides_ideal(equals(d(L, net.V[j, i]), online))
    assert checks.decides_ideal(equals(Truncated(L, net.V[j, i], *net.EPROP), online))
    assert checks.in_numbers(ideal(1))
    assert checks.decides_ideal(ideal(2))  # at time 1 there is no trace
    assert not checks.decides_ideal(ideal(3))
    assert not checks.decides_ideal(Integer(1))
