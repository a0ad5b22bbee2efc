"""What was once read, compiled or measured wrong without a word, by kind: it is right, or refused by name."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
import throughtime as tt
from throughtime.derivation.deriving.symmetry import symmetric
from throughtime.learning import norm
from throughtime.reading import NotationError, read

RNN = "h_t = tanh(W x_t + U h_{t-1})\n"

UNITS = tt.domain("U", tt.Dimension("n"))
i, t, s = tt.indices("i", UNITS), tt.time(), tt.time("s")
w, x, d, h = tt.parameter("w", UNITS), tt.sequence("x"), tt.sequence("d", UNITS), tt.variable("h", UNITS)
each, whole, counts = (tt.sequence("m", UNITS, mask=True), tt.sequence("m", mask=True), tt.sequence("c", mask=True))
LOSS = tt.scalar("L")
RANDOM = np.random.default_rng(3)
THETA, X, D = RANDOM.normal(size=2), RANDOM.normal(size=(4, 1)), RANDOM.normal(size=(4, 2))
OF_UNITS = np.array([[1, 0], [0, 0], [0, 1], [1, 0]])
ONES, STEPS, LATE = np.ones((4, 1)), OF_UNITS[:, :1], np.array([[0], [1], [1], [0]])
MASKS = {  # what the state reads and the loss, each with its numbers; the argument
    "state": (whole[t], STEPS, 1, ONES, STEPS),
    "units": (each[i, t], OF_UNITS, 1, ONES, OF_UNITS),
    "state and loss": (whole[t], STEPS, counts[s], LATE, np.hstack([STEPS, LATE])),
    "one for both": (whole[t], STEPS, whole[s], STEPS, STEPS[:, 0]),
    "loss": (1, ONES, counts[s], LATE, LATE[:, 0]),
}


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_does_what_the_equations_say(name: str) -> None:
    keeps, m, steps, c, mask = MASKS[name]
    system = tt.System(name)
    system[h[i, t]] = keeps * w[i] * x[t] + (1 - keeps) * h[i, t - 1] / 2
    system[LOSS[()]] = tt.sum_over((s, 1, tt.LENGTH), i, steps * (h[i, s] - d[i, s]) ** 2)
    net = tt.compile(system, LOSS, {UNITS.upper: 2})
    states = [np.zeros(2)]
    for now, kept in zip(X, m, strict=True):
        states.append(kept * THETA * now + (1 - kept) * states[-1] / 2)
    loss = (c * (np.array(states[1:]) - D) ** 2).sum()
    np.testing.assert_allclose(net.forward(THETA, X, mask).h, states, rtol=1e-14)
    true = tt.complex_step(lambda point: net.loss(point, X, D, mask), THETA)
    for method in net.METHODS:
        found = net.gradient(THETA, X, D, mask, method=method)
        np.testing.assert_allclose([found.loss, *found.gradient], [loss, *true], rtol=1e-13)
    online = net.online(THETA)
    for one in zip(X, D, mask, strict=True):
        online.step(*one)
    assert online.loss == pytest.approx(loss, rel=1e-13)
    assert net.learner(THETA, rate=0).run(X, D, mask).loss == pytest.approx(loss, rel=1e-13)
    if name == "loss":
        online.step(X[0])
        assert online.loss == pytest.approx(loss, rel=1e-13)
    else:
        with pytest.raises(ValueError, match=r"target: expected shape \(2,\), got None"):
            online.step(X[0])


def test_a_mask_that_nothing_reads_is_refused() -> None:
    net = tt.compile((made := read(RNN)).system, made.loss, dict.fromkeys(made.sizes, 2))
    with pytest.raises(ValueError, match="mask: expected None, as recurrence reads no mask"):
        net.loss(net.init(0), np.ones((3, 2)), np.ones((3, 2)), [1, 0, 1])


@pytest.mark.parametrize("name", ["sigma", "tanh", "relu", "exp", "sqrt"])
def test_a_known_function_is_the_one_that_runs(name: str) -> None:
    made = read(f"h_t = {name}(W x_t + U h_{{t-1}})")
    sizes, chosen = dict.fromkeys(made.sizes, 2), {"sigma": "logistic"}.get(name, name)
    net, same = (tt.compile(made.system, made.loss, sizes, activations=one) for one in ({}, {name: chosen}))
    assert net.source() == same.source()
    theta, *data = RANDOM.uniform(0.1, 1, net.layout.size), RANDOM.uniform(0.1, 1, (3, 2)), np.ones((3, 2))
    true = tt.complex_step(lambda point: net.loss(point, *data), theta)
    np.testing.assert_allclose(net.gradient(theta, *data).gradient, true, rtol=1e-12)
    for other in {"logistic", "tanh", "relu", "identity", "exp"} - {chosen}:
        with pytest.raises(ValueError, match=rf"activations\[{name}\]: expected {name} itself.* got '{other}'"):
            tt.compile(made.system, made.loss, sizes, activations={name: other})


def test_a_net_of_which_nothing_is_learned_runs_but_does_not_learn() -> None:
    net = read("h_t = h_{t-1} / 2 + x_t").compile(2)
    found = net.gradient(net.init(0), np.ones((2, 2)), np.zeros((2, 2)))
    assert (found.loss, found.gradient.size) == (3.25, 0)
    with pytest.raises(ValueError, match="method: expected bptt, got rtrl: nothing of recurrence is learned"):
        net.learner(net.init(0), rate=0.1)


SQUARES = "L = sum_t ‖h_t - d_t‖^2\n"
ENDS = {
    RNN + "acc = mean(h_T)\n" + SQUARES: "L = sum[s=1..T]",
    RNN + SQUARES + "q = h_T^T h_T": "L = sum[s=1..T]",
    RNN + "L_1 = sum(h_T)\nL_2 = h_T^T h_T\n" + SQUARES: "L = sum[s=1..T]",
    RNN + "acc = mean(h_T)\nE_t = ‖h_t - d_t‖^2": "L = sum[s=1..T] E(s)",
    RNN + "q = h_T^T h_T": "q = sum[i=1..n] h[i](T)^2",
    "ŷ_t = softmax(V h_t)\n" + RNN: "(y_hat[i](s) - target[i](s))^2",
    "y_t = a_{t-1} * exp(b_{t-1})\na_t = r * a_{t-1} + v_t\nb_t = r * b_{t-1} + k_t": "(y[i](s) - target[i](s))^2",
    "C_t = f_t * C_{t-1} + x_t\nf_t = sigma(w * x_t)\nx_t in R\nC_t in R\nw in R": "(C(s) - target(s))^2",
    RNN + "acc = mean(h_T)\nq = h_T^T h_T": "acc and q",
    RNN + "L_1 = sum(h_T)\nL_2 = h_T^T h_T": "L_1 and L_2",
    RNN + "y_t = V h_t\nz_t = C h_t": "y and z",
}


@pytest.mark.parametrize("text", ENDS)
def test_the_loss_is_what_its_name_or_the_end_of_the_text_says(text: str) -> None:
    if " and " in ENDS[text]:
        with pytest.raises(NotationError, match=f"several ends, {ENDS[text]}; (.*\n){{3}}  write L = "):
            read(text)
    else:
        made = read(text)
        assert ENDS[text] in f"{made.loss} = {made.system.definition(made.loss[()])}"


@pytest.mark.parametrize("aside", ["acc = mean(h_T)", "z_t = C h_t"])
def test_what_is_not_on_the_way_to_the_loss_has_no_derivative(aside: str) -> None:
    assert str(read(RNN + aside + "\n" + SQUARES).backward("h")) == str(read(RNN + SQUARES).backward("h"))


READ = "h_t = A h_{t-1} + b x_t\nx_t in R\ny_t = c_t^T h_t"
GIVEN = [  # text, targets as they are said; inputs, targets, how many numbers, states of `forward`
    (READ, None, "x, c (n)", "targets: target", (4, 1), {"h", "y"}),
    (READ, "c_t", "x", "targets: c (n), target", (1, 4), {"h"}),
    (READ + "\ng_t in R\ne_t = (y_t - d_t)^2\nL = sum_t g_t * e_t", None, "x, c (n)", "targets: d", (4, 2), {"h", "y"}),
    (READ + "\ne_t = y_t - d_t\nL = sum_t e_t^2", None, "x, c (n)", "targets: d", (4, 1), {"h", "y"}),
    (READ + "\ne_t = y_t - d_t\nL = sum_t e_t^2", (), "x, c (n), d", "learned", (5, 0), {"h", "y", "e"}),
]


@pytest.mark.parametrize(("text", "said", "inputs", "targets", "widths", "shown"), GIVEN)
def test_inputs_and_targets_are_shown_and_can_be_said(text, said, inputs, targets, widths, shown) -> None:
    made = read(text, targets=said)
    assert f"\ninputs: {inputs}\n{targets}" in str(made)
    net = tt.compile(made.system, made.loss, {made["n"]: 3})
    assert (net.n_in, net.n_out) == widths
    assert {*dict(net.forward(net.init(0), np.ones((4, net.n_in))).items())} == shown


def test_only_a_given_sequence_can_be_a_target() -> None:
    with pytest.raises(ValueError, match="targets: got y, expected given sequences: x, c, target"):
        read(READ, targets=["c", "y"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [(np.full(100, 6e4, np.float16), 6e5), (np.full(4, 1e38, np.float32), 2e38), (np.array([-128], np.int8), 128)],
)
def test_a_norm_is_that_of_the_numbers_whatever_their_type(values: np.ndarray, expected: float) -> None:
    assert norm(values) == pytest.approx(expected)


GRU = """z_t = sigma(W_z x_t + U_z h_{t-1} + b_z)
r_t = sigma(W_r x_t + U_r h_{t-1} + b_r)
a_t = tanh(W x_t + U (r_t * h_{t-1}) + b)
h_t = (1 - z_t) * h_{t-1} + z_t * a_t"""
LSTM = """i_t = sigma(W_i x_t + U_i h_{t-1} + b_i)
f_t = sigma(W_f x_t + U_f h_{t-1} + b_f)
o_t = sigma(W_o x_t + U_o h_{t-1} + b_o)
g_t = tanh(W x_t + U h_{t-1} + b)
c_t = f_t * c_{t-1} + i_t * g_t
h_t = o_t * tanh(c_t)"""
LEAK, TWO = "z_t = sigma(W x_t)\nh_t = (1 - z_t) * h_{t-1} + z_t * ", "z_t = sigma(u * x_t)\na_t = tanh(w * x_t)\n"
BY_VALUES = [  # slopes written with the value of the activation
    ("z_t = sigma(w * x_t)\nh_t = z_t * h_{t-1} + x_t", "dL/dw = sum_t dL/dz_t * z_t * (1 - z_t) * x_t"),
    (LEAK + "u_t", "dL/dW = sum_t (dL/dz_t * z_t * (1 - z_t)) x_t^T"),
    (LEAK + "z_t", "dL/dW = sum_t (dL/dh_t * (2 z_t - h_{t-1}) * z_t * (1 - z_t)) x_t^T"),
    (TWO + "h_t = (1-z_t)*h_{t-1}+z_t*a_t", "dL/du = sum_t dL/dh_t * (a_t - h_{t-1}) * z_t * (1 - z_t) * x_t"),
    (RNN, "dL/dU = sum_t (dL/dh_t * (1 - h_t^2)) h_{t-1}^T"),
    (RNN, "dL/dW = sum_t (dL/dh_t * (1 - h_t^2)) x_t^T"),
    (RNN, "dL/dh_t = h_t - target_t + U^T (dL/dh_{t+1} * (1 - h_{t+1}^2))"),
    ("h_t = tanh(V h_{t-2} + b)", "dL/db = sum_t dL/dh_t * (1 - h_t^2)"),
    (GRU, "dL/dU_z = sum_t (dL/dz_t * z_t * (1 - z_t)) h_{t-1}^T"),
    (GRU, "dL/db_r = sum_t (U^T (dL/dh_t * z_t * (1 - a_t^2))) * h_{t-1} * r_t * (1 - r_t)"),
    (LSTM, "dL/dW_f = sum_t (dL/dc_t * c_{t-1} * f_t * (1 - f_t)) x_t^T"),
    (LSTM, "dL/dU_o = sum_t (dL/dh_t * tanh(c_t) * o_t * (1 - o_t)) h_{t-1}^T"),
    (LSTM, "dL/dc_t = dL/dh_t * o_t * (1 - tanh(c_t)^2) + dL/dc_{t+1} * f_{t+1}"),
]


@pytest.mark.parametrize(("text", "formula"), BY_VALUES, ids=[formula for _, formula in BY_VALUES])
def test_slopes_written_with_the_value_of_the_activation_are_proved(text: str, formula: str) -> None:
    assert (made := read(text)).judge(formula).verdict == "holds"
    assert made.judge(formula.replace("(1 - ", "(2 - ")).verdict == "corrected"


SIBLING = "z_t = sigma(u * h_{t-1})\na_t = tanh(w * h_{t-1})\nh_t = z_t * a_t"
BY_STATES = [  # what by what; the result, and what no path leads to
    (SIBLING, "h", "z", "delta[i,k]*a[k](t)", "a"),
    (GRU, "h", "z", "delta[i,k]*a[i](t) - delta[i,k]*h[i](t-1)", "a"),
    (GRU, "h", "r", "", "z"),
    (LSTM, "h", "c", "delta[k,p]*(1 - (tanh(c[k](t)))^2)*o[k](t)", "o"),
    (LSTM, "h", "h_{t-1}", "", "c"),
    *((LSTM, *pair, "", "o") for pair in [("c", "c_{t-1}"), ("h", "c_{t-1}"), ("c", "i_{t-1}")]),
]


@pytest.mark.parametrize(("text", "target", "by", "result", "sibling"), BY_STATES)
def test_a_quantity_that_no_path_leads_to_is_no_line(text, target, by, result, sibling) -> None:
    shown = str(read(text).forward(target, by))
    assert f"= {result}" in shown
    assert re.search(rf"no path leads from \$[^$]+\$ to \${sibling}_", shown)


def test_a_jacobian_of_the_lstm_without_its_gates_is_wrong() -> None:
    judged = read(LSTM).judge("dc_t/dc_{t-1} = diag(f_t)")
    assert (judged.verdict, "At $k=1$" in judged.counterexample) == ("corrected", True)


COVARIANCE = "h_t = tanh(W x_t)\nm_t = m_{t-1} + h_t\nS_t = S_{t-1} + (h_t - m_t) (h_t - m_t)^T\n"
FAST = "h_t = tanh(W h_{t-1} + C x_t + A_{t-1} h_{t-1})\nA_t = lambda A_{t-1} + eta h_t h_t^T"
TURNED = "P_t = M P_{t-1} M^T + S_t\nS_t = lambda S_{t-1} + h_t h_t^T\nh_t = tanh(W x_t)\nP in R^{n x n}"
OUTER = [  # outer products of one vector: what by what, and equal mutants, as the transpose of a symmetric state
    ("S_t = S_{t-1} + k_t k_t^T", "S", "k", 0),
    ("h_t = tanh(W x_t)\nS_t = S_{t-1} + h_t h_t^T", "S", "h", 0),
    (COVARIANCE, "S", "W", 9),
    (COVARIANCE, "S", "S_{t-1}", 0),
    (COVARIANCE + "y_t = S_t h_t", "y", "W", 10),
    (FAST, "A", "W", 5),
    (FAST, "h", "eta", 2),
    (TURNED, "P", "W", 4),
    (RNN + "S_t = S_{t-1} + h_t h_{t-1}^T", "S", "W", 0),
]


@pytest.mark.parametrize(("text", "target", "by", "equal"), OUTER)
def test_an_outer_product_counts_each_element_once(text, target, by, equal) -> None:
    shown = read(text).forward(target, by)
    assert shown.mutants.equal == equal, shown.mutants


SYMMETRIC = {  # what is symmetric at all times, and what is not
    TURNED: "PS",
    "S_t = S_{t-1} + h_t h_{t-1}^T\nh_t = tanh(W x_t)\nA_t = A_{t-1} + h_t h_t^T + S_t S_t^T\nS in R^{n x n}": "A",
    "S_t = S_{t-1} + B_t\nB_t = S_{t-1} + h_t h_t^T\nh_t = tanh(W x_t)\nS_0 = C\nB in R^{n x n}": "",
    "S_t = M S_{t-1} + h_t h_t^T\nh_t = tanh(W x_t)\nS in R^{n x n}": "",
}


@pytest.mark.parametrize("text", SYMMETRIC)
def test_a_state_is_symmetric_if_its_steps_and_its_start_are(text: str) -> None:
    assert {one.name for one in symmetric(read(text).system)} == {*SYMMETRIC[text]}


PRINTED = [  # each value of an activation by its name; where it has none, as it is
    (RNN, "h", "W", "(1 - h[i](t)^2)*(delta[i,k]*x[j](t) + sum[k'=1..n] U[i,k']*dh[k'](t-1)/dW[k,j])"),
    (SIBLING, "h", "h_{t-1}", "delta[i,k]*((1 - z[k](t))*u[k]*z[k](t)*a[k](t) + (1 - a[k](t)^2)*w[k]*z[k](t))"),
    (LSTM, "h", "o_{t-1}", "(1 - o[k](t))*U_o[k,p]*o[k](t)*tanh(c[k](t))*tanh(c[p](t-1)) + "),
]


@pytest.mark.parametrize(("text", "target", "by", "result"), PRINTED)
def test_a_slope_is_printed_by_the_name_of_the_value(text, target, by, result) -> None:
    assert result in str(read(text).forward(target, by)).split("\n  =")[-1]


LAYER = LSTM.replace("_t", "_N(t)").replace("h_{t-1}", "h_N(t-1)").replace("c_{t-1}", "c_N(t-1)")
DEEP = "\n".join(
    re.sub(r"\b([WU])(?:_([ifo]))? (\w)", r"\1_\2N \3", re.sub(r" b(?:_([ifo]))?\)", r" b_\1N)", LAYER))
    .replace("x_N(t)", below)
    .replace("N", n)
    for n, below in (("1", "x(t)"), ("2", "h_1(t)"), ("3", "h_2(t)"))
)


def test_each_line_follows_from_the_one_before_by_one_unfolding() -> None:
    deep, gru = read(DEEP), read(GRU)
    back = deep.bench.derive_backward(deep.loss[()], deep._element("h_1"))
    far = gru.bench.derive(gru._element("h"), gru._element("h_{t-2}", taken=gru._element("h").indices))
    for made, derivation in ((deep, back), (gru, far)):
        for before, after in pairwise(derivation.equations()[0]):
            assert made.bench.reducer.once(before, after) is not None, after
            assert made.bench.reducer.once(before, 2 * after) is None


@pytest.mark.nightly
def test_what_is_too_large_to_be_checked_is_refused_with_a_way_out() -> None:
    made = read(GRU)
    with pytest.raises(ValueError, match=r"has \d+ parts, expected at most 3000: name what lies between in keep="):
        made.forward("h", "h_{t-3}")
    assert "dh[k'](t-1)/dh[k](t-3)" in str(made.forward("h", "h_{t-3}", keep="h").derivation.result)
    judged = made.judge("dh_t/dh_{t-3} = diag(1 - z_t)")
    assert (judged.verdict, "the printed right side is" in judged.counterexample) == ("wrong", True)
