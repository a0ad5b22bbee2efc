"""The chapter on constant error flow: its runs with one unit, and formulas that no slip of the boxes tries."""

import numpy as np
import pytest
from book.bptt.constant_error import checks
from book.bptt.constant_error import experiment as ce
from book.bptt.forward import checks as forward
from book.shared.reading import equals
from hypothesis import given
from hypothesis import strategies as st
from sympy import Eq
from throughtime.arrays.activations import identity, logistic
from throughtime.derivation import parameter, sum_over
from throughtime.systems import recurrent as full
from throughtime.textbook.recurrent import FullyRecurrent


@given(weight=st.floats(-4, 4), pulse=st.floats(-3, 3))
def test_a_logistic_unit_loses_error_at_every_step(weight, pulse):
    flow = ce.error_flow(logistic, weight, 15, pulse)
    assert np.all(flow[1:] <= flow[:-1])


@pytest.mark.parametrize(("train", "step"), [(ce.store, 0), (ce.read, -1)])
def test_with_a_gate_every_seed_takes_the_same_course(train, step):
    first, *others = (train(seed, ce.open_at(step)) for seed in range(5))
    for run in others:
        np.testing.assert_allclose(run.weight, first.weight, rtol=1e-9, atol=1e-12)


def least_of_its_own(seed):
    """The least mean error of one weight on the sequences of a run."""
    draw = np.random.default_rng(seed)
    x = draw.normal(0, ce.NOISE, (ce.SEQUENCES, ce.STEPS))
    x[:, 0] = draw.choice([-1.0, 1.0], ce.SEQUENCES)
    whole, first = x.sum(axis=1), x[:, 0]
    return 0.5 * (1 - np.mean(whole * first) ** 2 / np.mean(whole**2))


def test_the_hundred_runs_of_the_page_end_at_the_bottom():
    """As the text says; the table has where they end."""
    stored, read = ([train(seed) for seed in range(100)] for train in (ce.store, ce.read))
    assert max(abs(run.weight[-1] - run.weight[-2]) for run in (*stored, *read)) < 3e-11
    for seed, run in enumerate(stored):
        assert run.error[-1] == pytest.approx(least_of_its_own(seed), rel=1e-9)
    assert sum(run.error[-1] < ce.least_error((ce.STEPS - 1) * ce.NOISE**2) for run in stored) == 53


def test_the_weight_moves_by_the_gradient_of_the_library_unit():
    """At epochs 0 and 5, from the library's error signals for each sequence."""
    draw = np.random.default_rng(3)
    x = draw.normal(0, ce.NOISE, (ce.SEQUENCES, ce.STEPS))
    x[:, 0] = draw.choice([-1.0, 1.0], ce.SEQUENCES)
    run = ce.store(3)
    unit = FullyRecurrent(n_in=1, n_out=1, activation=identity)
    mask = np.eye(ce.STEPS)[-1]
    for epoch in (0, 5):
        theta = unit.layout.flatten({"W": np.array([[run.weight[epoch], 1.0]])})
        shares = []
        for sequence in x:
            targets = np.full((ce.STEPS, 1), sequence[0])
            signals = unit.error_signals(theta, sequence[:, None], targets, mask).z[1:, 0]
            assert np.ptp(signals) == 0  # a carousel: the same error at every step
            shares.append(signals * sequence)
        moved = run.weight[epoch] - run.weight[epoch + 1]
        assert moved == pytest.approx(ce.RATE * np.mean(shares, axis=0).sum(), rel=1e-10)


def test_a_formula_that_can_nowhere_be_read_is_not_true_and_other_outputs_are_not_the_same():
    y, t = checks.y, checks.t
    still = Eq(y(t), y(t - 1))
    assert not checks.holds_for_units(Eq(y(t + 10), y(t)))
    assert checks.same_for_carousels(Eq(y(t), y(t - 3)), still)
    assert not checks.same_for_carousels(Eq(y(t), -y(t - 1)), still)
    assert not checks.same_for_carousels(Eq(y(t), checks.net(t)), still)


j, i_x, i_u, i_y = full.j, full.q, full.i, forward.column.within(forward.COLUMNS_OF_Y)
COLUMNS, OUTPUTS_FIRST, OWN, now = forward.w, forward.w_outputs_first, forward.w_own, forward.t
BY_NUMBER = parameter("W", full.U, forward.NUMBERS)  # the matrix over [x; y], with the number of a unit as its column
READS = {**forward.ELEMENTS, BY_NUMBER: forward.ELEMENTS[forward.w]}


def net_is(*terms):
    return equals(forward.net[j, now], sum(terms))


def sent(weight, output):
    return sum_over(i_y, COLUMNS[j, weight] * output)


def of_units(weight):
    return sum_over(i_u, weight * forward.y[i_u, now - 1])


INPUTS = sum_over(i_x, COLUMNS[j, i_x] * forward.x[i_x, now - 1])
WITH_INPUT = net_is(OWN[j, j] * forward.y[j, now - 1], INPUTS)
BEHIND = sum_over(i_x, COLUMNS[j, full.d_out + i_x] * forward.x[i_x, now - 1])
BEHIND_OUTPUTS = sum_over(i_x, OUTPUTS_FIRST[j, full.d_in + i_x] * forward.x[i_x, now - 1])
OTHER_PLACES = {  # and whether they are said of a unit that nothing feeds but its inputs and itself
    "own weight in the column of an input": (net_is(BY_NUMBER[j, j] * forward.y[j, now - 1], INPUTS), True),
    "input weight in the column of a unit": (net_is(OWN[j, j] * forward.y[j, now - 1], BEHIND), True),
    "a unit that others feed": (WITH_INPUT, False),
    "inputs first, taken for outputs first": (net_is(of_units(BY_NUMBER[j, i_u]), BEHIND), False),
    "outputs first, shifted by the inputs": (net_is(of_units(OWN[j, i_u]), BEHIND_OUTPUTS), False),
    "transposed": (net_is(of_units(OWN[i_u, j]), INPUTS), False),
    "the activation of another unit": (net_is(INPUTS, sent(i_y, full.f[j](forward.net_at[i_y, now - 1]))), False),
    "the net input of another unit": (net_is(INPUTS, sent(i_y, forward.f_at[i_y](forward.net[j, now - 1]))), False),
}


def holds(equation, alone, library):
    """Whether an equation holds for exact networks, or for the library's; `alone`: of self-connected units."""
    if alone:
        *exact, model = checks.self_connected()
        return checks.holds_for_self_connected(equation, [model] if library else exact)
    return (forward.holds_in_library if library else forward.holds_exactly)(equation)


@pytest.mark.parametrize("library", [True, False], ids=["library", "exact"])
@pytest.mark.parametrize(("equation", "alone"), OTHER_PLACES.values(), ids=OTHER_PLACES)
def test_another_place_is_refused(equation, alone, library, monkeypatch):
    monkeypatch.setattr(forward, "ELEMENTS", READS)
    assert not holds(equation, alone, library)


@pytest.mark.parametrize("library", [True, False], ids=["library", "exact"])
def test_both_orders_of_columns_are_one_net(library):
    by_position = sum_over(i_u, COLUMNS[j, full.d_in + i_u] * forward.y[i_u, now - 1])
    assert holds(net_is(by_position, INPUTS), False, library)
    assert holds(net_is(COLUMNS[j, full.d_in + j] * forward.y[j, now - 1], INPUTS), True, library)
