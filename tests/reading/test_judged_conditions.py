"""Judged formulas as papers print them: of some times alone, with Greek times, in rows, of targets that are shares."""

from __future__ import annotations

import re
from functools import cache

import pytest
from throughtime.reading import NotationError, read

net = cache(read)
LAST = "h_t = tanh(W x_t + U h_{t-1})\ny = V h_T\nL = 1/2 ‖y - d‖^2"
NETS = "a_t = W x_t + U h_{t-1}\nh_t = tanh(a_t)\no_t = V h_t\nL = 1/2 sum_t ‖o_t - d_t‖^2"
BACK, RANGE = "dL/dh_t = U^T dL/dnet_{h,t+1}", r"dh_t/dh_k = \prod_{i=k+1}^t dh_i/dh_{i-1}"
SAID = [", t < T", " for t = T-1, ..., 1", r" \quad (1 \leq t \leq T-1)", ", t = T-1"]
SAID += [r"  \quad \text{for } 1 \le t < T", r", t \ne T"]
FIRST = ["for t < T: ", r"\text{For } t = T-1, \ldots, 1:\quad ", "∀ t ≠ T, "]
LAYER = ["W_k, W_v in R^{p x n}", "k_t = x_t W_k", "v_t = x_t W_v", "q_t = x_t W_q"]
LAYER += ["S_t = S_{t-1} + k_t^T v_t", "o_t = q_t S_t"]
BOOK = "h_t = tanh(W x_t + U h_{t-1})\no_t = V h_t\nL = sum_t ‖o_t - y_t‖^2"
NEXT = "h_t = tanh(W x_t + U h_{t-1})\ny_t = V h_t\nL = 1/2 sum_{t=1}^{T-1} ‖y_t - x_{t+1}‖^2"
LINEAR = "h_t = A h_{t-1} + B x_t\ny_t = C h_t"
RESIDUAL = "a_t = W h_{t-1} + U x_t\nh_t = h_{t-1} + f(a_t)"
ROWS, TAU = "\n".join(LAYER), RANGE.replace("h_k", r"h_\tau").replace("=k", r"=\tau")
STATE = "W in R^{m x n}, U in R^{n x n}\nh_t = tanh(x_t W + h_{t-1} U)"
OTHER = [(NETS, "dh_t/dh_{t-1} = U^T diag(1 - h_t^2)"), (STATE, "dh_t/dh_{t-1} = U diag(1 - h_t^2)")]
OTHER += [(NETS, "dL/dU = sum_t h_{t-1} (dL/da_t)^T"), (STATE, "dL/dU = sum_t (dL/dnet_{h,t})^T h_{t-1}")]
OTHER += [("h_t = U h_{t-1} + W x_t", "dh_t/dh_k = (U^T)^{t-k}"), (NETS, "da_t/da_{t-1} = diag(1 - h_{t-1}^2) U^T")]
JUDGED = [
    (ROWS, r"o_t = \sum_{i=1}^t q_t k_i^T v_i", "holds"),
    (ROWS, r"S_t = \sum_{i=1}^t k_i^T v_i", "holds"),
    (ROWS, r"S_t = \sum_{i=1}^t v_i^T k_i", "corrected"),
    (ROWS, r"dL/dW_k = \sum_t x_t^T dL/dk_t", "holds"),
    (ROWS, "dL/dS_t = q_t^T dL/do_t + dL/dS_{t+1}", "holds"),
    (NETS, TAU, "holds"),
    (NETS, TAU.replace("1}^t", "2}^t"), "wrong"),
    (NETS, r"dh_t/dU = \sum_{k \le t} dh_t/dh_k ∂^+h_k/∂U", "holds"),
    (NETS, r"dL/dh_t = \sum_{s > t} (dh_s/dh_t)^T V^T (o_s - d_s)", "corrected"),
    *((LAST, BACK + said, "holds") for said in SAID),
    *((LAST, BACK.replace("^T", "") + said, "corrected") for said in SAID[:3]),
    *((LAST, said + BACK, "holds") for said in FIRST),
    *((LAST, said + BACK.replace("^T", ""), "corrected") for said in FIRST[:2]),
    (NETS, "for k < t, " + RANGE + r", t \ne 1", "holds"),
    *((LAST, BACK + said, "corrected") for said in (", t = T", ", t > 1")),
    (LAST, "dL/dh_t = V^T (y - d) for t = T", "holds"),
    (LAST, "dL/dh_t = V^T (y - d), t < T", "corrected"),
    (NETS, "dL/da_t = U^T dL/da_{t+1}, t < T", "wrong"),
    (NETS, RANGE + r" for 1 \le k < t \le T", "holds"),
    (NETS, RANGE.replace("k+1", "k") + " for k < t", "corrected"),
    (NETS, "dL/da_{T+1} = 0", "holds"),
    (NETS, "dh_t/dh_k = 0, k > t", "holds"),
    (NETS, "dL/da_t = 0, t = T", "corrected"),
    (NETS, "(dh_t/dh_{t-1})^T = U^T diag(1 - h_t^2)", "holds"),
    (NETS, "dh_t/dh_{t-1} = diag(1 - h_t^2) U^T", "corrected"),
    (STATE, "dh_t/dh_{t-1} = diag(1 - h_t^2) U^T", "holds"),
    (LINEAR, "dy_t/dh_k = C A^{t-k}", "holds"),
    (LINEAR, "dy_t/dh_k = C A^{t-k+1}", "wrong"),
    (NETS, RANGE.replace("dh_t", "do_t", 1).replace("= ", "= V "), "holds"),
    (NETS, "tanh''(a_t) = -2 h_t * (1 - h_t^2)", "holds"),
    (NETS, "tanh''(a_t) = tanh'(a_t)", "wrong"),
    (RESIDUAL, "h_t = h_k + sum_{i=k+1}^t f(a_i)", "holds"),
    (RESIDUAL, "h_t = h_{t-2} + f(a_{t-1}) + f(a_t)", "holds"),
    (RESIDUAL, "h_t = h_{t-2} + f(a_{t-1})", "corrected"),
    (LINEAR, r"h_t = \sum^{t}_{k=1} A^{t-k} B x_k", "holds"),
    (NETS, "h_{t-1} = tanh(a_{t-1}), t = 1", "not shown"),
    (NETS, "dL/dU_{ij} = sum_t dL/da_{j,t} h_{i,t-1}", "corrected"),
    # tau for the last time, elements of a gradient, powers of each element
    (BOOK, r"\nabla_{h^{(\tau)}} L = V^T \nabla_{o^{(\tau)}} L, \tau = T", "holds"),
    (BOOK, r"\nabla_{h^{(\tau)}} L = V^T \nabla_{o^{(\tau)}} L, \tau < T", "corrected"),
    (BOOK, r"(\nabla_{o^{(t)}} L)_i = 2 (o_{i,t} - y_{i,t})", "holds"),
    (BOOK, r"(\nabla_{o^{(t)}} L)_i = o_{i,t} - y_{i,t}", "corrected"),
    (BOOK, r"dh_t/dh_{t-1} = diag(1 - h_t^{\odot 2}) U", "holds"),
    # of sequences that have the times that are named, and a term of each sum of the loss
    (NEXT, "dL/dx_t = W^T dL/dnet_{h,t} + x_t - y_{t-1}, t > 1", "not shown"),
    (NEXT, "dL/dx_t = W^T dL/dnet_{h,t} + x_t - y_t, t > 1", "wrong"),
    (NEXT, "dL/dx_T = x_T - y_{T-1}", "not shown"),
    (NEXT, "dL/dx_T = x_T - y_T", "wrong"),
    (LAST, "dL/dh_1 = U^T dL/dnet_{h,2}", "not shown"),
    (LAST, "dL/dh_1 = U dL/dnet_{h,2}", "wrong"),
]
ASKED = [
    *((text, formula, "expected a row for each element above") for text, formula in OTHER),
    (NETS, "for t > 1: " + OTHER[0][1], "(dh_t/dh_{t-1})^T = ... in the other layout"),
    (ROWS, r"S_t = \sum_{i=1}^t k_i v_i^T", "found a number; expected a matrix"),
    (ROWS, "k_t = W_k x_t", "found W_k before x_t, in a text of rows"),
    (LAST, BACK, "found what fails at t = T alone"),
    (LAST, BACK + ", t < n", "found t < n; expected another one"),
    (LAST, "dL/dU = sum_t dL/dnet_{h,t} h_{t-1}^T, t < T", "found t < T; expected another one"),
    (LINEAR, "A^{-1} A h_t = h_t", "found the inverse of a matrix"),
    (LINEAR, "dh_T/dh_0 = A^T", "t in place of each T for the power"),
    (BOOK, "h_t / 0 = h_t", "found a division by 0; expected a number"),
    (LAST, BACK + ", i < j", "t < T, t = T, t > 1 or k < t can be said"),
]


@pytest.mark.parametrize(("text", "formula", "verdict"), JUDGED)
def test_a_formula_is_judged_at_the_times_that_are_said(text: str, formula: str, verdict: str) -> None:
    assert net(text).judge(formula).verdict == verdict


@pytest.mark.parametrize(("text", "formula", "said"), ASKED)
def test_other_times_are_asked_for(text: str, formula: str, said: str) -> None:
    with pytest.raises(NotationError, match=re.escape(said)):
        net(text).judge(formula)


SOFTMAX = "h_t = tanh(W x_t + U h_{t-1})\no_t = V h_t\np_t = softmax(o_t)\nL = -sum_t y_t^T log(p_t)"
SHARES = [
    (SOFTMAX, "dL/do_t = p_t - y_t", "holds"),
    (SOFTMAX, "dL/do_t = y_t - p_t", "corrected"),
    (SOFTMAX, "dL/dh_t = V^T (p_t - y_t) + U^T (dL/dh_{t+1} * (1 - h_{t+1}^2))", "holds"),
    (SOFTMAX, "dL/dh_t = V^T (p_t - y_t)", "corrected"),
    (SOFTMAX.replace("L = -sum_t", "E_t = -"), "dE/do_t = p_t - y_t", "holds"),
    (SOFTMAX, "dL/dV = sum_t (p_t - y_t) h_t^T", "holds"),
    (SOFTMAX.replace("y_t^T log(p_t)", "sum_k y_{k,t} log(p_{k,t})"), "dL/do_t = p_t - y_t", "holds"),
    (SOFTMAX, "dL/dV = sum_t (p_t + y_t) h_t^T", "corrected"),
    (SOFTMAX + "\nm_t = mean(o_t)", "dL/do_t = p_t - y_t", "holds"),
]


@pytest.mark.parametrize(("text", "formula", "verdict"), SHARES)
def test_targets_that_add_up_to_1_are_an_assumption_that_is_said(text: str, formula: str, verdict: str) -> None:
    judged = net(text).judge(formula, given="sum(y_t) = 1")
    assert (judged.verdict, "y" in judged.assumptions[-1]) == (verdict, True)
    if verdict == "corrected":
        assert read(text).judge(formula).verdict == verdict
        return
    with pytest.raises(NotationError, match=r'(?s)add up to 1.*given="sum\(y_t\) = 1"'):
        net(text).judge(formula)


@pytest.mark.parametrize("given", ["sum(p_t) = 1", "sum(y_t) = 2", "sum(h_t) = 1", "y_t = p_t"])
def test_no_other_assumption_is_taken(given: str) -> None:
    with pytest.raises(ValueError, match=r"given: got .*, expected .* for one of x, y"):
        read(SOFTMAX).judge("dL/do_t = p_t - y_t", given=given)


def test_one_net_can_be_asked_a_thousand_times() -> None:
    made = read(NETS)
    for _ in range(1000):
        made.formula("dL/da_t = 0")
