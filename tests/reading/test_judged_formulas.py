"""Printed formulas, judged: what holds, what numbers of the functions refute, what is neither, what is refused."""

from __future__ import annotations

import re

import pytest
from throughtime.derivation.formulas.errors import CheckError, NotShownError
from throughtime.reading import read
from throughtime.reading.source import NotationError

AGREES, SIDES = "agrees at every number tried", "the printed right side is"
RNN = "h_t = tanh(W x_t + U h_{t-1})\n"
GRU = (
    "z_t = sigma(W_z x_t + U_z h_{t-1})\nr_t = sigma(W_r x_t + U_r h_{t-1})\n"
    "a_t = tanh(W x_t + U (r_t * h_{t-1}))\nh_t = (1 - z_t) * h_{t-1} + z_t * a_t"
)
RELU, OUTPUT = "h_t = relu(W x_t + U h_{t-1})", RNN + "y_t = V h_t\n"
UNIT = "h_t = w * h_{t-1} + x_t\nw in R\nx_t in R"
JUDGED = [  # functions are what they are: no number refutes what is true of them
    (RELU, "net_{h,t} = relu(net_{h,t}) - relu(-net_{h,t})", "not shown", AGREES),
    (RELU, "h_t * h_t = net_{h,t} * h_t", "not shown", AGREES),
    (RELU, "relu'(net_{h,t}) * relu(net_{h,t}) = h_t", "not shown", AGREES),
    (RELU, "max(h_t, net_{h,t}) = max(net_{h,t}, h_t)", "not shown", AGREES),
    (RNN, "h_t = log(exp(h_t))", "not shown", AGREES),
    (RNN, "h_t * sqrt(exp(h_t))^2 = h_t * exp(h_t)", "not shown", AGREES),
    (GRU, "z_t = 1/(1+exp(-net_{z,t}))", "not shown", AGREES),
    (GRU, "z_t = 1 - sigma(-net_{z,t})", "not shown", AGREES),
    (RNN, "h_t = 2 sigma(2 net_{h,t}) - 1", "not shown", AGREES),
    (RELU, "exp(0) * h_t = h_t", "not shown", AGREES),
    (RELU, "abs(h_t) = relu(net_{h,t})", "not shown", AGREES),
    ("h_t = softplus(W x_t)", "dL/dnet_{h,t} = dL/dh_t * sigma(net_{h,t})", "not shown", AGREES),
    ("h_t = sin(W x_t)", "dL/dnet_{h,t} = dL/dh_t * cos(net_{h,t})", "not shown", AGREES),
    (GRU, "max(z_t, r_t) + min(z_t, r_t) = z_t + r_t", "holds", ""),
    (GRU, "dL/dz_t = dL/dh_t * (max(a_t, h_{t-1}) - h_{t-1})", "corrected", SIDES),
    (RNN, "log(-h_t * h_t) = h_t", "not shown", "no place where both sides can be read"),
    (OUTPUT, "y_{T+1} = V h_{T+1}", "not shown", "no place where both sides can be read"),
    (RELU, "dL/dnet_{h,t} = dL/dh_t * relu(net_{h,t})", "corrected", SIDES),
    (RELU, "h_t * h_t = 2 net_{h,t} * h_t", "wrong", SIDES),
    (RNN, "h_t = 2 sigma(net_{h,t}) - 1", "corrected", SIDES),
    (RNN, "h_t = 1001/1000 tanh(net_{h,t})", "corrected", SIDES),  # small, and no rounding
    # a net input is compared, wherever it stands in the text
    (RNN, "h_t = tanh(W x_t + U h_{t-1})", "holds", ""),
    (RNN, "h_t = tanh(W x_t + 2 U h_{t-1})", "corrected", SIDES),
    (RNN, "h_{t+1} = tanh(W x_{t+1} + U h_t)", "holds", ""),
    # limits of sums over time
    (OUTPUT, "dL/dU = sum_{t=0}^{T-1} dL/dnet_{h,t+1} h_t^T", "holds", ""),
    (UNIT, "dL/dw = sum_{t=0}^{T-1} dL/dh_{t+1} * h_t", "holds", ""),
    (UNIT, "dL/dw = sum_{t=-1}^{T-2} dL/dh_{t+2} * h_{t+1}", "holds", ""),
    (OUTPUT, "L = sum_{t=1}^{T-1} 1/2 ‖y_t - target_t‖^2 + 1/2 ‖y_T - target_T‖^2", "holds", ""),
    (UNIT, "dL/dw = sum_{t=1}^{T-1} dL/dh_t * h_{t-1}", "corrected", SIDES),
    (OUTPUT, "sum_{t=1}^{T-1} y_t = y(1) + sum_{t=2}^{T-1} y_t", "wrong", "is 0, the printed right side is"),
    (OUTPUT, "sum_{t=1}^{T} y_t = y(1) + sum_{t=2}^{T} y_t", "holds", ""),
    # both signs in one formula: the round one holds all other arguments
    (OUTPUT, "dL/dh_t = ∂L/∂h_t", "corrected", SIDES),
    (OUTPUT, "dh_t/dU = ∂h_t/∂U", "corrected", SIDES),
    (OUTPUT, "dh_t/dh_{t-2} = ∂h_t/∂h_{t-2}", "corrected", SIDES),
    (GRU, "dh_t/dh_{t-1} = ∂h_t/∂h_{t-1}", "corrected", SIDES),
    (OUTPUT, "dnet_{h,t}/dU = ∂net_{h,t}/∂U", "corrected", SIDES),
    (RNN, "dL/dh_t = ∂L/∂h_t + dL/dh_{t+1} ∂h_{t+1}/∂h_t", "holds", ""),
    (OUTPUT, "dL/dh_t = dL/dy_t ∂y_t/∂h_t + dL/dh_{t+1} ∂h_{t+1}/∂h_t", "holds", ""),
    (OUTPUT, "∂L/∂h_t = V^T ∂L/∂y_t + U^T (∂L/∂h_{t+1} * (1 - h_{t+1}^2))", "holds", ""),
]


@pytest.mark.parametrize(("text", "formula", "verdict", "said"), JUDGED, ids=[one for _, one, *_ in JUDGED])
def test_a_formula_is_wrong_only_by_numbers_of_its_functions(text, formula, verdict, said) -> None:
    judged = read(text).judge(formula)
    assert judged.verdict == verdict
    assert said in (getattr(judged, "said", "") or judged.counterexample)
    assert verdict != "not shown" or (f"not shown: {said}" in str(judged) and not judged.counterexample)


REFUSED = [
    (RNN, "dL/dnet_{h,t} = dL/dh_t * sech(net_{h,t})^2", "found the function sech; expected one of the recurrence"),
    (RNN, "dL/dnet_{h,t} = dL/dh_t * f'(net_{h,t})", "found the function f; expected one of the recurrence: tanh"),
    (
        RNN,
        "dL/dU = sum_{t=1}^{N} dL/dnet_{h,t} h_{t-1}^T",
        "found the limit N of a sum over time; expected a number",
    ),
    (
        RNN,
        "dL/dU = sum_{t=1}^{n} dL/dnet_{h,t} h_{t-1}^T",
        "found the limit n of a sum over time; expected a number",
    ),
    (RNN, "dL/dnet_{h,t} = q_t * dL/dh_t", "found q; expected a letter of the recurrence: h, W, x, U"),
    (RNN, "dL/dh_t = ∂L/dh_t", "∂/d can be read in two ways"),
    (RNN, r"dL/dh_t = \frac{dL}{\partial h_t}", "d/∂ can be read in two ways"),
    (RNN, "L = sum_{j=1}^{n-1} h_T", "found a sum to n-1; expected a size, as n, or the length T"),
    (RNN, "L = sum_{j=2}^{n} h_j(T)", "found a sum from 2; expected all of a size, as sum_{j=1}^n"),
    (UNIT, "dL/dh_t = sum_{s=t+1}^{T} dL/dh_s", "found the limit t+1 of a sum over time; expected a number, T or T-1"),
    (RNN, "L = sum_{j=1}^{N} h_j(T)", "found a sum to N; expected a size of the recurrence: n"),
]


@pytest.mark.parametrize(("text", "formula", "said"), REFUSED)
def test_what_a_recurrence_does_not_have_is_refused_by_its_name(text: str, formula: str, said: str) -> None:
    with pytest.raises(NotationError, match=re.escape(said)):
        read(text).judge(formula)


@pytest.mark.parametrize("text", [r"h_i(t) = \sum_{j=1}^{n-1} w_{ij} x_j(t) + h_i(t-1)", "o_t = sum_{s=1}^{t} W x_s"])
def test_a_sum_to_no_size_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"found a sum to .*; expected a size"):
        read(text)


def test_a_loss_up_to_the_time_before_the_last() -> None:
    made = read("h_t = tanh(w * h_{t-1} + x_t)\nL = sum_{t=1}^{T-1} (h_t - d_t)^2\nw in R\nx_t in R")
    assert made.judge("dL/dw = sum_t dL/dh_t * h_{t-1} * (1 - h_t^2)").verdict == "holds"


IDENTITY, FALSE = "net_{h,t} = relu(net_{h,t}) - relu(-net_{h,t})", "net_{h,t} = relu(net_{h,t})"


def test_a_correction_is_asked_only_where_numbers_refute_the_print() -> None:
    net = read(RELU)
    assert net.judge(IDENTITY, corrected="net_{h,t} = W x_t + U h_{t-1}").verdict == "not shown"
    assert net.judge(FALSE, corrected="net_{h,t} = W x_t + U h_{t-1}").verdict == "corrected"
    with pytest.raises(NotShownError, match="the corrected form: is not shown"):
        net.judge(FALSE, corrected=IDENTITY)
    with pytest.raises(CheckError, match="holds as printed, yet a correction is given"):
        net.judge("net_{h,t} = W x_t + U h_{t-1}", corrected=FALSE)


def test_a_box_is_made_of_nothing_that_is_not_shown() -> None:
    net = read(RELU)
    with pytest.raises(NotShownError, match="is not shown: it fails in exact numbers, which stand in"):
        net.bench.equation("identity", net.formula(IDENTITY), title="identity", numeric="no program")
