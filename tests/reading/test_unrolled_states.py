"""States and their derivatives written out over times: from an earlier time on, from the start, at the last time."""

from __future__ import annotations

import pytest
from throughtime.reading import read

LINEAR = "h_t = A h_{t-1} + B x_t\ny_t = C h_t"
AT_END = "h_t = A h_{t-1} + B x_t\ny_t = C h_t\nL = 1/2 ‖y_T - d_T‖^2"
RESIDUAL = "h_t = h_{t-1} + eps * tanh(W x_t + U h_{t-1})"
NUMBER = "h_t = lambda * h_{t-1} + x_t\nh_t in R"
CELL = "f_t = sigma(W_f x_t)\ni_t = sigma(W_i x_t)\nc_t = f_t * c_{t-1} + i_t * x_t"
MINIMAL = "z_t = sigma(W_z x_t + U_z h_{t-1})\nn_t = tanh(W x_t)\nh_t = (1 - z_t) * h_{t-1} + z_t * n_t"
PLAIN = "h_t = tanh(W x_t + U h_{t-1})"

CAROUSEL = "i_t = sigma(W_i x_t + U_i y_{t-1})\ns_t = s_{t-1} + i_t * g(W_c x_t + U_c y_{t-1})\ny_t = o_t * psi(s_t)"
RULE = "S_t = S_{t-1} + beta_t (v_t - S_{t-1} k_t) k_t^T\no_t = S_t q_t\nbeta_t in R\nk_t, q_t in R^m\nv_t in R^n"
SCALAR = "h_t = u * h_{t-1} + x_t\nu, h_t, x_t in R\nL = 1/2 (h_T - d)^2\nd in R"

UNROLLED = [
    # from an earlier time on
    (LINEAR, "h_t = A^{t-k} h_k + sum_{i=k+1}^t A^{t-i} B x_i", "holds"),
    (LINEAR, "h_t = A^{t-k} h_k + sum_{i=k}^t A^{t-i} B x_i", "corrected"),
    (LINEAR, "h_t = A^k h_{t-k} + sum_{i=0}^{k-1} A^i B x_{t-i}", "holds"),
    (LINEAR, "h_{t+k} = A^k h_t + sum_{i=1}^k A^{k-i} B x_{t+i}", "holds"),
    (RESIDUAL, "h_t - h_k = eps * sum_{i=k+1}^t tanh(W x_i + U h_{i-1})", "holds"),
    (RESIDUAL, "h_t - h_k = eps * sum_{i=k}^t tanh(W x_i + U h_{i-1})", "wrong"),
    (CELL, r"c_t = c_k * (\prod_{s=k+1}^t f_s) + sum_{j=k+1}^t (\prod_{s=j+1}^t f_s) * i_j * x_j", "holds"),
    (CELL, r"c_t = c_k * (\prod_{s=k}^t f_s) + sum_{j=k+1}^t (\prod_{s=j+1}^t f_s) * i_j * x_j", "corrected"),
    # from the start on, with gates that read the state
    (MINIMAL, r"h_t = sum_{k=1}^t (\prod_{j=k+1}^t (1 - z_j)) * z_k * n_k", "holds"),
    (MINIMAL, r"h_t = sum_{k=1}^t (\prod_{j=k}^t (1 - z_j)) * z_k * n_k", "corrected"),
    (RULE, "S_t = sum_{i=1}^t beta_i (v_i - S_{i-1} k_i) k_i^T", "holds"),
    (RULE, "S_t = sum_{i=1}^t beta_i (v_i - S_i k_i) k_i^T", "corrected"),
    # the error carousel, back from the end
    (CAROUSEL, r"dL/ds_t = \sum_{k=t}^T o_k * \psi'(s_k) * dL/dy_k", "holds"),
    (CAROUSEL, r"dL/ds_t = \sum_{k=t+1}^T o_k * \psi'(s_k) * dL/dy_k", "corrected"),
    (SCALAR, "dL/dh_{T-k} = u^k * (h_T - d)", "holds"),
    # what reads a state
    (LINEAR, "dy_t/dx_k = C A^{t-k} B", "holds"),
    (LINEAR, "dy_t/dx_k = C A^{t-k+1} B", "corrected"),
    # at the last time
    (LINEAR, "h_T = sum_{t=1}^T A^{T-t} B x_t", "holds"),
    (LINEAR, "y_T = sum_{t=1}^T C A^{T-t} B x_t", "holds"),
    (LINEAR, "h_T = A^{T-1} h_1 + sum_{t=2}^T A^{T-t} B x_t", "holds"),
    (LINEAR, "h_T = A^T h_1 + sum_{t=2}^T A^{T-t} B x_t", "corrected"),
    (LINEAR, "dh_T/dh_1 = A^{T-1}", "holds"),
    (LINEAR, "dh_T/dh_1 = A^T", "wrong"),
    (LINEAR, "dh_t/dh_0 = A^t", "holds"),
    (NUMBER, r"dh_t/dh_1 = \lambda^{t-1}", "holds"),
    (PLAIN, r"dh_T/dh_1 = \prod_{t=2}^T dh_t/dh_{t-1}", "holds"),
    (PLAIN, r"dh_T/dh_1 = \prod_{i=T}^2 (diag(1 - h_i^2) U)", "holds"),
    (AT_END, "dL/dh_t = (A^T)^{T-t} C^T (y_T - d_T)", "holds"),
    (AT_END, "dL/dx_t = B^T (A^T)^{T-t} C^T (y_T - d_T)", "holds"),
    (AT_END, "dL/dh_t = (A^T)^{T-t+1} C^T (y_T - d_T)", "corrected"),
]


@pytest.mark.parametrize(("text", "formula", "verdict"), UNROLLED)
def test_what_is_unrolled_is_judged(text: str, formula: str, verdict: str) -> None:
    assert read(text).judge(formula).verdict == verdict


def test_what_is_not_proved_by_a_line_is_not_called_unreadable() -> None:
    judged = read(LINEAR + "\nh_0 = s").judge("dL/ds = sum_{t=1}^T (A^t)^T C^T (y_t - target_t)")
    assert "agrees at every number tried" in str(judged)
