"""The chapter on forgetting: its verdicts, the numbers in its prose, and the judges and bounds behind it."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
from sympy import Abs, And, Derivative, Eq, Integer, Limit, Lt, Rational, oo, tanh
from throughtime.derivation import (
    AtMost,
    CheckError,
    Constant,
    DerivationError,
    Lemma,
    Modulus,
    by_induction,
    chain,
    d,
    derived,
    enlarged,
    identity,
    lag,
    product_over,
    prove,
    sum_over,
    time,
)
from throughtime.models.activations import tanh_half
from throughtime.models.lfmn import LFMN
from throughtime.systems import lfmn as s
from throughtime_book.lfmn.forgetting import claims as judge
from throughtime_book.lfmn.forgetting import definition, figures
from throughtime_book.lfmn.forgetting import numbers as fg
from throughtime_book.lfmn.setting import setting

BOOK = Path(__file__).parents[3] / "book"
q, m, M = lag("q"), time("m"), Constant("M", Rational(1, 2))
SHARP = {"slopes": {"f": M}, "zeros": ["x"]}
NET = Lemma(d(s.net_hid[s.j_n, s.t], s.current[s.j_n, s.t - q]), s.u_hid[s.j_n] ** q, q)
SLOPES = product_over((m, 1, q), s.f.prime(s.act_hid[s.j_a, s.t - m]))
ACT = Lemma(d(s.act_hid[s.j_a, s.t], s.current[s.j_a, s.t - q]), s.v_hid[s.j_a] ** q * SLOPES, q)


@pytest.fixture(scope="module")
def lfmn():
    return setting()


# --- the page


def test_window_of_the_figure_is_28_and_its_pairs_needed_14():
    figure = figures.window_of_inputs()
    bound, dots, tolerance, _ = figure.axes[0].lines
    level = tolerance.get_ydata()[0]
    shared = dots.get_xdata()
    assert level == 0.01
    assert shared[np.argmax(bound.get_ydata() <= level)] == 28
    assert shared[np.argmax(dots.get_ydata() <= level)] == 14
    assert np.all(dots.get_ydata() <= bound.get_ydata())


def test_the_typed_effects_are_those_of_the_complex_step():
    cells = nbformat.read(BOOK / "lfmn" / "forgetting.ipynb", as_version=4).cells
    (source,) = (cell.source for cell in cells if cell.cell_type == "code" and "def effects(" in cell.source)
    names: dict = {"table": lambda head, rows: rows}
    exec(source, names)
    x = np.random.default_rng(3).normal(size=9)
    for v in (-1.3, 0.8, 2.5):
        theta = fg.unit_parameters("act", v)
        last = fg.unit("act").forward(theta, x[:, None]).net_out[-1, 0]
        found = names["effects"](v, x) * tanh_half.derivative(last)
        assert found == pytest.approx(fg.sensitivities(fg.unit("act"), theta, x[:, None])[:, 0, 0], rel=1e-12)
    assert all(row[1] == row[2] and float(row[3]) < float(row[1]) for row in names["rows"])


@pytest.mark.parametrize(("u", "steps"), [(0.9, 7), (0.99, 69), (0.999, 693)])
def test_half_life_of_the_exercise(u, steps):
    powers = u ** np.arange(2 * steps)
    assert np.argmax(powers / powers[0] <= 0.5) in (steps, steps + 1)
    assert steps - 1 < np.log(0.5) / np.log(u) < steps + 0.5


# --- equations: wrong ones are refused


@pytest.mark.parametrize("wrong", [Modulus(s.v_hid[s.j_a] * M) ** (q + 1), Modulus(s.v_hid[s.j_a]) ** q])
def test_bound_that_is_too_small_or_not_attained_is_refused(lfmn, wrong):
    with pytest.raises(CheckError, match="wrong as printed"):
        lfmn.equation("x", chain(Modulus(ACT.left), AtMost(wrong)), lemmas=[ACT], **SHARP)


@pytest.mark.parametrize(
    "lemma",
    [
        Lemma(NET.left, s.u_hid[s.j_n] ** (q + 1), q),
        Lemma(ACT.left, s.v_hid[s.j_a] ** q * product_over((m, 1, q), s.f.prime(s.act_hid[s.j_a, s.t - m + 1])), q),
        Lemma(ACT.left, s.v_hid[s.j_a] ** q, q),
    ],
)
def test_wrong_lemma_is_not_proved(lfmn, lemma):
    with pytest.raises(DerivationError, match="induction"):
        lemma.prove(lfmn.reducer)


def test_printed_bound_with_moduli_outside_the_sum_is_refused(lfmn):
    late = lag("q", start=1)
    a, i, j, k = s.static_out[s.i_s, s.t], s.i_s, s.j_n, s.k
    terms = s.w_out[i, j] * s.f.prime(s.net_hid[j, s.t]) * Modulus(s.u_hid[j]) ** late * s.w_hid[j, k]
    printed = Modulus(s.f.prime(a)) * Modulus(sum_over(j, terms))
    effect = Modulus(d(s.y[i, s.t], s.x[k, s.t - late]))
    with pytest.raises(CheckError, match="exceeds"):
        lfmn.equation("x", chain(effect, AtMost(printed)), **SHARP)


def test_two_units_that_cancel_in_the_printed_bound():
    net = LFMN(n_in=1, hidden=(0, 2, 0), output=(1, 0, 0))
    named = {"w_hid": [[1.0], [1.0]], "w_out": [[1.0, -1.0]], "u_hid": [0.5, -0.5]}
    shapes = {name: np.zeros(shape) for name, shape in net.layout.shapes.items()}
    theta = net.layout.flatten(shapes | {name: np.array(value) for name, value in named.items()})
    sensitivity = fg.sensitivities(net, theta, np.zeros((5, 1)))[1, 0, 0]
    printed = 0.5 * abs(sum(w * 0.5 * abs(u) for w, u in zip((1.0, -1.0), (0.5, -0.5), strict=True)))
    assert printed == 0.0
    assert sensitivity == pytest.approx(0.25, rel=1e-14)
    assert fg.gain(net, theta) * fg.rate(net, theta) == 0.25


def test_modulus_of_a_sum_is_at_most_the_sum_of_the_moduli():
    j, k = s.j_n, s.k
    inner = sum_over(j, s.u_hid[j] * s.w_hid[j, k])
    assert enlarged(Modulus(inner), {}) == sum_over(j, Modulus(s.u_hid[j]) * Modulus(s.w_hid[j, k]))
    two = enlarged(Modulus(inner + s.x[k, s.t]), {})
    assert two == enlarged(Modulus(inner), {}) + Modulus(s.x[k, s.t])


def test_lemmas_go_in_at_every_depth(lfmn):
    effect = d(s.h[s.j_n, s.t], s.current[s.j_n, s.t - q])
    equation = chain(effect, s.f.prime(s.net_hid[s.j_n, s.t]) * s.u_hid[s.j_n] ** q)
    reason = "no derivative by a current"
    assert lfmn.equation("x", equation, lemmas=[NET], numeric=reason).verdict == "holds"
    assert not lfmn.reducer.equal(*equation)  # without the lemma the unfolding does not end


def test_quoted_lemma_is_proved_but_shown_in_one_line(lfmn):
    equation = chain(Modulus(NET.left), Modulus(s.u_hid[s.j_n]) ** q)
    reason = "no derivative by a current"
    assert len(lfmn.equation("x", equation, lemmas=[NET], numeric=reason).proof) == 3
    (line,) = lfmn.equation("x", equation, quoted=[NET], numeric=reason).proof
    assert line.text().startswith("As shown before")
    with pytest.raises(CheckError, match=r"instance check failed: .* at j=3, q=0, t=1; the sides are"):
        lfmn.equation("x", equation, quoted=[Lemma(NET.left, s.u_hid[s.j_n] ** (q + 1), q)], numeric=reason)


def test_induction_as_steps(lfmn):
    assert len(prove(*by_induction(lfmn, ACT)).steps) == 3
    with pytest.raises(DerivationError, match="induction"):
        prove(*by_induction(lfmn, Lemma(ACT.left, s.v_hid[s.j_a] ** q, q)))


def test_lag_that_starts_at_one():
    assert lag("q", start=1).is_positive
    with pytest.raises(ValueError, match="start: expected 0 or 1, got 2"):
        lag("q", start=2)


def test_failing_steps_of_proofs_are_named(lfmn):
    with pytest.raises(CheckError, match="two is three"):
        prove(identity("two is three", 2, 3))
    assert identity("with powers of e", tanh(judge.z), 2 * judge.Logistic(2 * judge.z) - 1).check()
    wrong = chain(d(s.net_hid[s.j_n, s.t], s.current[s.j_n, s.t]), Integer(2))
    with pytest.raises(CheckError, match="wrong as printed"):
        derived("wrong", lfmn, wrong).check()


# --- judges: the true formula and no other


def less(weight, border):
    return Lt(Abs(weight), border, evaluate=False)


def test_condition_is_judged():
    hidden = [less(judge.u_hid, 1), less(judge.v_hid, 1 / judge.M)]
    output = [less(judge.u_out, 1), less(judge.v_out, 1 / judge.M)]
    assert judge.is_the_condition(And(*hidden, *output))
    for lost in range(4):
        assert not judge.is_the_condition(And(*(part for n, part in enumerate(hidden + output) if n != lost)))
    assert not judge.is_the_condition(less(judge.v_out, 1.5))


SENSITIVITY = judge.Sensitivity(judge.t, judge.q)


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (definition.PRINTED, True),
        (Eq(Limit(SENSITIVITY, judge.q, oo), Rational(1, 2), evaluate=False), False),
        (Eq(Limit(SENSITIVITY, judge.q, oo), 1, evaluate=False), False),
        (Eq(Limit(SENSITIVITY, judge.q, 0), 0, evaluate=False), False),
    ],
)
def test_definition_is_judged(formula, true):
    assert judge.tells_forgetting(formula) is true


def test_a_unit_forgets_in_the_sense_of_the_definition_if_runs_from_two_first_inputs_end_alike():
    assert [judge.loses_its_input(u) for u in judge.RATES] == [abs(u) < 1 for u in judge.RATES]


def test_with_the_time_held_fixed_every_unit_would_forget():
    assert all(judge.sensitivity(u, 20, judge.LONG) == 0 for u in judge.RATES)
    assert not all(judge.sensitivity(u, judge.LONG + 1, judge.LONG) < 1e-6 for u in judge.RATES)


def test_the_line_with_moduli_fails_at_lag_zero(lfmn):
    """There a static hidden unit passes the input on, and the bound has no term for it."""
    j, k, t = s.j_s, s.k, s.t
    now = chain(d(s.h[j, t], s.x[k, t]), s.f.prime(s.current[j, t]) * s.w_hid[j, k])
    assert lfmn.equation("now", now).verdict == "holds"
    net = LFMN(n_in=1, hidden=(1, 0, 0), output=(1, 0, 0))
    assert fg.sensitivities(net, np.ones(2), np.zeros((3, 1)))[0, 0, 0] == pytest.approx(0.25)
    assert fg.rate(net, np.ones(2)) == 0


@pytest.mark.parametrize(("value", "true"), [(Rational(1, 2), True), (Rational(1, 4), False), (Integer(1), False)])
def test_largest_slope_is_judged(value, true):
    slope = judge.Largest(Derivative(tanh(judge.z / 2), judge.z))
    assert judge.is_largest(Eq(slope, value, evaluate=False)) is true


def test_judges_of_sensitivities_agree_with_brute_force_and_library(lfmn):
    assert judge.sensitivity_is_brute_force(lfmn)
    assert judge.sensitivity_is_the_librarys()
    assert judge.borders_are_exact(lfmn)
    assert judge.bound_holds_in_the_library()


def test_bound_check_notices_a_wrong_rate(monkeypatch):
    monkeypatch.setattr(judge, "rate", lambda net, theta: 0.6 * fg.rate(net, theta))
    assert not judge.bound_holds_in_the_library()


def test_late_loss_check_notices_a_wrong_gain(monkeypatch):
    assert judge.late_loss_is_bounded()
    monkeypatch.setattr(judge, "gain", lambda net, theta: 0.1 * fg.gain(net, theta))
    assert not judge.late_loss_is_bounded()


def test_contraction_check_notices_a_steeper_function(monkeypatch):
    assert judge.contracts()
    monkeypatch.setattr(judge, "tanh_half", np.tanh)
    assert not judge.contracts()
