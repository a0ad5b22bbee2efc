"""The page of published mistakes: its exercises, and the backward sweeps with slips."""

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.published_mistakes import experiment as slips
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.arrays.activations import identity, logistic, tanh
from throughtime.derivation import chain, d, sum_over, time
from throughtime.systems import recurrent as s
from throughtime.textbook.recurrent import FullyRecurrent

L, z, y, w, r = s.loss[()], s.net, s.y, s.w, time("s")


def problem(seed=0, units=3, length=6, activation=tanh):
    random = np.random.default_rng(seed)
    net = FullyRecurrent(n_in=2, n_out=units, activation=activation)
    weights = random.uniform(-1.5, 1.5, (units, 2 + units))
    mask = np.ones(length)
    mask[:-1] = random.integers(0, 2, length - 1)
    return net, weights.ravel(), random.normal(size=(length, 2)), random.normal(size=(length, units)), mask


def test_slope_of_the_wrong_unit_is_refused_as_the_exercise_says():
    def gradient(unit):
        terms = d(L, y[s.i, r]) * s.f.prime(z[unit, r], unit) * y[s.j, r - 1]
        return chain(d(L, w[s.i, s.j]), sum_over((r, 1, s.T), terms))

    made = make_bench(masked=False).equation(
        "x", gradient(s.j), corrected=[gradient(s.i)], title="a slope of the wrong unit"
    )
    assert made.verdict == "corrected"


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), units=st.integers(1, 5), length=st.integers(1, 9))
def test_sweep_without_a_slip_is_exact(seed, units, length):
    mixed = [(tanh, logistic, identity)[unit % 3] for unit in range(units)]
    net, *data = problem(seed, units, length, mixed)
    exact = net.gradient(*data).gradient
    assert slips.gradient(net, *data) == pytest.approx(exact, rel=1e-12, abs=1e-12 * np.abs(exact).max())


@pytest.mark.parametrize(
    ("convenience", "hidden"),
    [
        ({"length": 1, "units": 1}, {"no recursion", "transposed", "slope one step late"}),
        ({"activation": identity, "units": 1}, {"transposed", "slope one step late", "slope lost"}),
    ],
    ids=lambda value: " ".join(sorted(map(str, value))),  # a set prints in another order in each process
)
def test_what_two_conveniences_hide_as_an_exercise_says(convenience, hidden):
    net, *data = problem(**convenience)
    exact = net.gradient(*data).gradient
    assert hidden == {slip for slip in slips.SLIPS if np.allclose(slips.gradient(net, *data, slip), exact, atol=1e-12)}


def test_the_typed_sweep_is_exact_and_each_marked_change_is_a_slip(page_cell):
    source = page_cell("def sweep(")
    changes = {
        None: ("", ""),
        "no recursion": ("later = W.T @ signal", "later = 0.0"),
        "transposed": ("W.T @ signal", "W @ signal"),
        "slope lost": ("slope[t] * (error[t] + later)", "(error[t] + later)"),
        "activation for slope": ("slope[t] * ", "y[t] * "),
        "slope one step late": (
            "slope[t] * (error[t] + later)",
            "slope[t] * error[t] + (slope[t + 1] * later if t + 1 < len(y) else 0.0)",
        ),
        "state one step late": ("y[t - 1])", "y[t])"),
    }
    assert set(changes) == {None, *slips.SLIPS}
    net, theta, x, targets, mask = problem()
    trace = net.forward(theta, x)
    error = np.vstack([np.zeros(3), mask[:, None] * (trace.y[1:] - targets)])
    for slip, (line, instead) in changes.items():
        names = {"np": np}
        exec(source.replace(line, instead) if line else source, names)
        found = names["sweep"](net.recurrent_weights(theta), trace.y, tanh.derivative(trace.z), error)
        expected = slips.gradient(net, theta, x, targets, mask, slip).reshape(3, -1)[:, 2:]
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
