"""Printed formulas, judged: what holds, what numbers of the functions refute, what is neither, what is refused."""

from __future__ import annotations

import re
from functools import cache

import pytest
from throughtime.derivation.formulas.errors import CheckError, NotShownError
from throughtime.reading import read
from throughtime.reading.source import NotationError

net = cache(read)
AGREES, SIDES = "agrees at every number tried", "the printed right side is"
NOWHERE = "no place where both sides can be read"
EMPTY = "a sum or product over times can be read only where it has no terms"
RNN = "h_t = tanh(W x_t + U h_{t-1})\n"
GRU = (
    "z_t = sigma(W_z x_t + U_z h_{t-1})\nr_t = sigma(W_r x_t + U_r h_{t-1})\n"
    "a_t = tanh(W x_t + U (r_t * h_{t-1}))\nh_t = (1 - z_t) * h_{t-1} + z_t * a_t"
)
RELU, OUTPUT = "h_t = relu(W x_t + U h_{t-1})", RNN + "y_t = V h_t\n"
UNIT = "h_t = w * h_{t-1} + x_t\nw in R\nx_t in R"
PLAIN = "h_t = f(a_t)\na_t = u * h_{t-1} + w * x_t\n" + "\n".join(f"{one} in R" for one in ("h_t", "x_t", "u", "w"))
SSM = "h_t = A h_{t-1} + B x_t\ny_t = C h_t + D x_t"
CROSS = "p_t = sigma(V x_t)\nL = -sum_t sum(y_t * log(p_t) + (1-y_t) * log(1-p_t))"
COST, NEXT = OUTPUT + "L_t = 1/2 ‖y_t - d_t‖^2", OUTPUT + "L = sum_{t=1}^{T-1} ‖y_t - x_{t+1}‖^2"
GATED = "f_t = sigma(U h_{t-1})\nh_t = f_t * h_{t-1} + W x_t"
NORMED = "a_t = W x_t\nm_t = mean(a_t)\ns_t = sqrt(mean((a_t - m_t)^2))\nn_t = (a_t - m_t) / s_t"
AS_A_SUM = r"dh_t/du = f'(a_t) h_{t-1} + \sum_{i=1}^{t-1} (\prod_{j=i+1}^{t} dh_j/dh_{j-1}) f'(a_i) h_{i-1}"
PASCANU = "∂L/∂U = sum_{t=1}^T sum_{k=1}^t ∂L_t/∂h_t ∂h_t/∂h_k ∂^+h_k/∂U"
LEAKY = "h_t = (1 - alpha) h_{t-1} + alpha tanh(W x_t + U h_{t-1})"
ATTENTION = "S_t = S_{t-1} + v_t k_t^T\nv_t = W_v x_t\nk_t = W_k x_t\nq_t = W_q x_t\no_t = S_t q_t"
BOTH = "dL/dU = sum_{t=1}^T sum_{k=1}^t (diag(1 - h_k^2) (dh_t/dh_k)^T V^T (y_t - target_t)) h_{k-1}^T"
LAYERS = (1, "x_t"), (2, "h^{(1)}_t")
LATER = "dL/dx_k = sum_{t=k}^T W^T diag(1 - h_k^2) (dh_t/dh_k)^T V^T (y_t - target_t)"
DIAGONAL = "h_t = lambda * h_{t-1} + x_t"
STEPPED = "Delta_t = softplus(W_d x_t)\nh_t = exp(-Delta_t) * h_{t-1} + Delta_t * (B x_t)"
STACK = "\n".join(rf"h^{{({n})}}_t = \tanh(W^{{({n})}} {x} + U^{{({n})}} h^{{({n})}}_{{t-1}})" for n, x in LAYERS)
FAST = "A_t = lambda A_{t-1} + eta h_{t-1} h_{t-1}^T\nh_t = tanh(W x_t + A_t h_{t-1})"
LAST = "h_t = u * h_{t-1} + w * x_t\nL = h_T\nu in R\nw in R\nx_t in R"
TWICE = "z_t = sigma(W_z x_t + b + c)\nh_t = z_t * h_{t-1} + W x_t"
MINIMAL = "z_t = sigma(W_z x_t)\nn_t = W x_t\nh_t = (1 - z_t) * h_{t-1} + z_t * n_t"
NETS = "a_t = W x_t + U h_{t-1}\nh_t = tanh(a_t)\no_t = V h_t\nL = 1/2 sum_t ‖o_t - d_t‖^2"
BACKWARD = r"\frac{∂L}{∂h_j^{(t)}} = \sum_i V_{ij} \frac{∂L}{∂o_i^{(t)}} + \sum_k U_{kj} \frac{∂L}{∂a_k^{(t+1)}}"
WINDOW = r"dh_t/dU = \sum_{k=t-1}^t (\prod_{j=k+1}^t dh_j/dh_{j-1}) ∂^+h_k/∂U + dh_t/dh_{t-2} dh_{t-2}/dU"
LATE = r"dh_{t+k}/dh_t = \prod_{i=t+1}^{t+k} dh_i/dh_{i-1}"
LINEAR, FROM_K = "h_t = U h_{t-1} + W x_t", r"h_t = U^{t-k} h_k + \sum_{j=k+1}^t U^{t-j} W x_j"
JUDGED = [  # functions are what they are
    (RELU, "net_{h,t} = relu(net_{h,t}) - relu(-net_{h,t})", "holds", ""),
    (RELU, "h_t * h_t = net_{h,t} * h_t", "holds", ""),
    (RELU, "relu'(net_{h,t}) * relu(net_{h,t}) = h_t", "holds", ""),
    (RELU, "max(h_t, net_{h,t}) = max(net_{h,t}, h_t)", "holds", ""),
    (RNN, "h_t = log(exp(h_t))", "holds", ""),
    (RNN, "h_t * sqrt(exp(h_t))^2 = h_t * exp(h_t)", "holds", ""),
    (GRU, "z_t = 1/(1+exp(-net_{z,t}))", "holds", ""),
    (GRU, "z_t = 1 - sigma(-net_{z,t})", "holds", ""),
    (RNN, "h_t = 2 sigma(2 net_{h,t}) - 1", "holds", ""),
    (RELU, "exp(0) * h_t = h_t", "holds", ""),
    (RELU, "abs(h_t) = relu(net_{h,t})", "holds", ""),
    ("h_t = softplus(W x_t)", "dL/dnet_{h,t} = dL/dh_t * sigma(net_{h,t})", "holds", ""),
    ("h_t = sin(W x_t)", "dL/dnet_{h,t} = dL/dh_t * cos(net_{h,t})", "holds", ""),
    (RNN, "tanh(h_t) = (exp(h_t) - exp(-h_t)) / (exp(h_t) + exp(-h_t))", "holds", ""),
    (RNN, "softplus(h_t) - softplus(-h_t) = relu(relu(h_t)) + min(h_t, 0) + sin(h_t) + sin(-h_t)", "holds", ""),
    (RNN, "log(1 + exp(-h_t)) = -log(sigma(h_t))", "holds", ""),
    (RNN, "log(1 + exp(-h_t)) = 1001/1000 * log(1 + exp(h_t)) - h_t", "wrong", SIDES),
    (RELU, "relu'(net_{h,t}) = 1 - relu'(-net_{h,t})", "not shown", "it fails only at a kink"),
    (RELU, "relu'(net_{h,t}) = 1 + relu'(-net_{h,t})", "wrong", SIDES),
    (RELU, "exp(log(h_t)) = h_t", "not shown", AGREES),  # not where h is 0
    (GRU, "max(z_t, r_t) + min(z_t, r_t) = z_t + r_t", "holds", ""),
    (GRU, "dL/dz_t = dL/dh_t * (max(a_t, h_{t-1}) - h_{t-1})", "corrected", SIDES),
    (RNN, "log(-h_t * h_t) = h_t", "not shown", NOWHERE),
    (OUTPUT, "y_{T+1} = V h_{T+1}", "not shown", f"{NOWHERE}: there is no h and no y at time T+1"),
    (RNN, "dL/dW = sum_{t=1}^T dL/dnet_{h,t} x_{t-1}^T", "not shown", f"{NOWHERE}: there is no x at time 0"),
    # as it prints: a derivative by a number, a label T
    ("h_t = h_{t-1} + (x_t - h_{t-1}) / tau", "dL/dh_t = h_t - target_t + dL/dh_{t+1} - dL/dh_{t+1}/tau", "holds", ""),
    ("h_t = tanh(W_T x_t)", r"\frac{dL}{d W^{T}_{i j}} = \sum_{s=1}^{T} x_j(s) \frac{dL}{d net^{h}_i(s)}", "holds", ""),
    # powers of functions, in both spellings
    (RNN, r"dL/dnet_{h,t} = dL/dh_t \odot (1 - \tanh^2(net_{h,t}))", "holds", ""),
    (RNN, "dL/dnet_{h,t} = dL/dh_t * (1 + tanh^2(net_{h,t}))", "corrected", SIDES),
    (GRU, r"dL/dnet_{z,t} = dL/dz_t \odot (\sigma(net_{z,t}) - \sigma^2(net_{z,t}))", "holds", ""),
    (PLAIN, "h_t * h_t = f^2(a_t)", "holds", ""),
    (RELU, "dL/dnet_{h,t} = dL/dh_t * relu(net_{h,t})", "corrected", SIDES),
    (RELU, "h_t * h_t = 2 net_{h,t} * h_t", "wrong", SIDES),
    (RNN, "h_t = 2 sigma(net_{h,t}) - 1", "corrected", SIDES),
    ("h_t = x_t / n_t\nn_t = u + x_t * x_t\nu in R\nx_t in R", "dh_t/du = x_t / n_t^2", "corrected", SIDES),
    (RNN, "h_t = 1001/1000 tanh(net_{h,t})", "corrected", SIDES),  # small, and no rounding
    # a net input is compared, wherever it stands in the text
    (RNN, "h_t = tanh(W x_t + U h_{t-1})", "holds", ""),
    (RNN, "h_t = tanh(W x_t + 2 U h_{t-1})", "corrected", SIDES),
    (RNN, "h_{t+1} = tanh(W x_{t+1} + U h_t)", "holds", ""),
    (OUTPUT, r"\frac{\partial L}{\partial V} = \sum_t \frac{\partial L}{\partial y^{(t)}} h^{(t)\top}", "holds", ""),
    (OUTPUT, "∂L/∂V = Σ_t (∂L/∂y_t) h_t^T", "holds", ""),
    (OUTPUT, r"\nabla_{V} L = \sum_t (\nabla_{y_t} L) h_t^\top", "holds", ""),
    (OUTPUT, r"\nabla_V \mathcal{L} = \sum_t (\nabla_{y^{(t)}} L) h_{t-1}^\top", "corrected", SIDES),
    # limits of sums over time
    (OUTPUT, "dL/dU = sum_{t=0}^{T-1} dL/dnet_{h,t+1} h_t^T", "holds", ""),
    (UNIT, "dL/dw = sum_{t=0}^{T-1} dL/dh_{t+1} * h_t", "holds", ""),
    (UNIT, "dL/dw = sum_{t=-1}^{T-2} dL/dh_{t+2} * h_{t+1}", "holds", ""),
    (OUTPUT, "L = sum_{t=1}^{T-1} 1/2 ‖y_t - target_t‖^2 + 1/2 ‖y_T - target_T‖^2", "holds", ""),
    (UNIT, "dL/dw = sum_{t=1}^{T-1} dL/dh_t * h_{t-1}", "corrected", SIDES),
    (OUTPUT, "sum_{t=1}^{T-1} y_t = y(1) + sum_{t=2}^{T-1} y_t", "wrong", "is 0, the printed right side is"),
    (OUTPUT, "sum_{t=1}^{T} y_t = y(1) + sum_{t=2}^{T} y_t", "holds", ""),
    (UNIT, "dL/dh_t = sum_{s=t+1}^{T} dL/dh_s", "corrected", SIDES),
    (UNIT, "dL/dh_t = sum_{s=t}^{T} (h_s - target_s) * w^{s-t}", "holds", ""),
    (UNIT, "dL/dh_t = sum_{s=t}^{T} (h_s - target_s) * w^{s-t+1}", "corrected", SIDES),
    (UNIT, "h_t = sum_{k=1}^t w^{t-k} * x_k", "holds", ""),
    (UNIT, "h_t = sum_{k=1}^{t-1} w^{t-k} * x_k", "corrected", SIDES),
    (UNIT, "sum_{t=1}^T dL/dh_t * h_{t-1} = sum_{t=1}^{T-1} dL/dh_t * h_{t-1} + dL/dh_T * h_{T-1}", "holds", ""),
    (UNIT, "sum_{t=1}^T dL/dh_t * h_{t-1} = sum_{t=1}^{T-1} dL/dh_t * h_{t-1} + dL/dh_T * h_T", "wrong", SIDES),
    # products over times, of numbers and of Jacobians, the latest of which stands first
    (PLAIN, r"dh_t/dh_{t-l} = \prod_{s=t-l+1}^{t} u * f'(a_s)", "holds", ""),
    (PLAIN, r"dh_t/dh_{t-l} = \prod_{s=t-l}^{t} u * f'(a_s)", "wrong", SIDES),
    (PLAIN, r"dh_t/dh_k = \prod_{s=k+1}^{t} u * f'(a_{s-1})", "wrong", SIDES),
    (PLAIN, r"dh_T/dh_k = \prod_{s=k+1}^T u * f'(a_s)", "holds", ""),
    (RNN, r"\frac{\partial h_t}{\partial h_k} = \prod_{i=k+1}^{t} \frac{\partial h_i}{\partial h_{i-1}}", "holds", ""),
    (RNN, r"\frac{\partial h_t}{\partial h_k} = \prod_{i=k}^{t} \frac{\partial h_i}{\partial h_{i-1}}", "wrong", SIDES),
    (RNN, r"dh_t/dh_k = \prod_{t \ge i > k} diag(1 - h_i^2) U", "holds", ""),
    (RNN, r"dh_t/dh_k = \prod_{t \ge i > k} U^T diag(1 - h_i^2)", "wrong", SIDES),
    (RNN, r"dh_t/dh_k = \prod_{i=t}^{k+1} diag(1 - h_{i-1}^2) U", "wrong", SIDES),
    ("h_t = U h_{t-1} + W x_t", "dh_t/dh_k = U^{t-k}", "holds", ""),
    ("h_t = U h_{t-1} + W x_t", "dh_t/dh_k = (U^T)^{t-k+1}", "wrong", SIDES),
    ("h_t = U h_{t-1} + W x_t", "dh_t/dh_{t-2} = U^2", "holds", ""),
    # the immediate derivative holds the state before constant
    (COST, PASCANU, "holds", ""),
    (COST, PASCANU.replace("{k=1}^t", "{k=1}^{t-1}"), "corrected", SIDES),
    (COST, PASCANU.replace("∂^+h_k", "∂^+h_t"), "corrected", SIDES),
    (COST, PASCANU.replace("∂L_t/∂h_t", "∂L_t/∂y_t ∂y_t/∂h_t"), "holds", ""),
    (COST, "∂L_t/∂U = sum_{1<=k<=t} ∂L_t/∂h_t ∂h_t/∂h_k ∂^+h_k/∂U", "holds", ""),
    (COST, "dh_t/dU = sum_{k=1}^t dh_t/dh_k ∂^+h_k/∂U", "holds", ""),
    (COST, "dh_t/dU = sum_{k=1}^t dh_k/dh_t ∂^+h_k/∂U", "corrected", SIDES),
    # the error of one step, by the nodes that read the weight up to it
    (COST, "dL_t/dU = sum_{k=1}^t dL_t/dnet_{h,k} h_{k-1}^T", "holds", ""),
    (COST, "dL_t/dU = sum_{k=1}^t diag(1 - h_k^2) dL_t/dh_k h_{k-1}^T", "holds", ""),
    (COST, "dL_t/dU = sum_{k=1}^{t-1} dL_t/dnet_{h,k} h_{k-1}^T", "corrected", SIDES),
    (COST, "dL_t/dU = sum_{k=1}^t dL_k/dnet_{h,k} h_{k-1}^T", "corrected", SIDES),
    (COST + "\nL = sum_t L_t", "dL/dU = sum_{t=1}^T sum_{k=1}^t dL_t/dnet_{h,k} h_{k-1}^T", "holds", ""),
    (GRU + "\nL_t = 1/2 ‖h_t - d_t‖^2", "dL_t/dU_r = sum_{k=1}^t dL_t/dnet_{r,k} h_{k-1}^T", "holds", ""),
    # ∂^+ of one equation, or of all that is computed at once; beside d the ∂ of a loss, of which no equation has U
    (GATED, "∂^+h_t/∂h_{t-1} = diag(f_t)", "holds", ""),
    (GATED, "∂^+h_t/∂h_{t-1} = diag(f_t) + diag(h_{t-1} * f_t * (1 - f_t)) U", "holds", ""),
    (GATED, "∂^+h_t/∂h_{t-1} = diag(1 - f_t)", "wrong", SIDES),
    (RNN, "-∂L/∂U = sum_t (-dL/dnet_{h,t}) h_{t-1}^T", "holds", ""),
    (RNN, "-∂L/∂U = sum_t dL/dnet_{h,t} h_{t-1}^T", "wrong", SIDES),
    (NORMED, "dL/da_t = dL/dn_t / s_t", "corrected", SIDES),  # which no layer of one unit has
    # the earlier of two limits: by the left side, or by the limits of a sum
    (RNN, "dh_s/dh_k = prod_{i=k+1}^s dh_i/dh_{i-1}", "holds", ""),
    (RNN, "dh_k/dh_t = prod_{i=t+1}^k dh_i/dh_{i-1}", "holds", ""),
    (RNN, "dh_s/dh_k = prod_{i=s}^{k+1} diag(1 - h_i^2) U", "holds", ""),
    (PLAIN, "dL/du = sum_{t=1}^T sum_{k=1}^t (h_t - target_t) * dh_t/dh_k * f'(a_k) * h_{k-1}", "holds", ""),
    (PLAIN, "dL/du = sum_{t=1}^T sum_{k=1}^t (h_t - target_t) * dh_t/dh_k * f'(a_k) * h_k", "corrected", SIDES),
    # a product over times under a sum is a derivative, by an induction of its own
    (PLAIN, AS_A_SUM, "holds", ""),
    (PLAIN, AS_A_SUM.replace("dh_j/dh_{j-1}", "u f'(a_j)"), "holds", ""),
    (PLAIN, AS_A_SUM.replace("h_{i-1}", "h_i"), "corrected", SIDES),
    (PLAIN, AS_A_SUM.replace("j=i+1", "j=i"), "corrected", SIDES),  # which reads dh_1/dh_0
    (PLAIN, r"da_t/du = h_{t-1} + \sum_{i=1}^{t-1} (\prod_{j=i}^{t} da_j/da_{j-1}) h_{i-1}", "not shown", EMPTY),
    ("z_t = sigma(W x_t)\nh_t = z_t * h_{t-1}", r"dh_t/dh_k = \prod_{i=k+1}^t diag(z_i)", "holds", ""),
    ("z_t = sigma(W x_t)\nh_t = z_t * h_{t-1}", r"dh_t/dh_k = \prod_{i=k}^t diag(z_i)", "wrong", SIDES),
    # a row of derivatives; the next input as target
    (OUTPUT, "(dL/dh_t)^T = (dL/dy_t)^T V + (dL/dh_{t+1})^T diag(1 - h_{t+1}^2) U", "holds", ""),
    (OUTPUT, r"\frac{dL}{dh_t}^T = \frac{dL}{dy_t}^T V + \frac{dL}{dh_{t+1}}^T U", "corrected", SIDES),
    (NEXT, "dL/dV = sum_{t=1}^{T-1} 2 (y_t - x_{t+1}) h_t^T", "holds", ""),
    (NEXT, "dL/dV = sum_{t=1}^{T} 2 (y_t - x_t) h_t^T", "corrected", SIDES),
    (RNN + "L = 1/T sum_t ‖h_t - d_t‖^2", "dL/dh_T = 2/T * (h_T - d_T)", "holds", ""),
    (RNN.replace("U", "U^{(2)}"), r"dL/dh_t = h_t - target_t + U^{(2)\top} dL/dnet_{h,t+1}", "holds", ""),
    # a sum of products of matrices: the product is shown first, then the sum
    (RNN, r"dh_t/dU = \sum_{k=1}^t (\prod_{j=k+1}^t dh_j/dh_{j-1}) ∂^+h_k/∂U", "holds", ""),
    (RNN, r"dh_t/dU = \sum_{k=1}^t (\prod_{j=k}^t dh_j/dh_{j-1}) ∂^+h_k/∂U", "corrected", SIDES),
    (COST, r"dL_t/dU = \sum_{k=1}^t dL_t/dh_t (\prod_{j=k+1}^t dh_j/dh_{j-1}) ∂^+h_k/∂U", "holds", ""),
    (SSM, r"y_t = \sum_{k=1}^t C A^{t-k} B x_k + D x_t", "holds", ""),
    (SSM, r"y_t = \sum_{k=1}^t C A^{t-k+1} B x_k + D x_t", "corrected", SIDES),
    (CROSS, "dL/dp_t = -y_t/p_t + (1-y_t)/(1-p_t)", "holds", ""),  # not (1-y)/(1-1), of which nothing can be asked
    # what is lost lies further back than three steps
    (COST, "dh_t/dU = sum_{k=t-1}^t dh_t/dh_k ∂^+h_k/∂U", "corrected", SIDES),
    (RNN, "dh_t/dU = ∂h_t/∂U + ∂h_t/∂h_{t-1} ∂h_{t-1}/∂U + 0 * dh_t/dU", "corrected", SIDES),
    # both signs in one formula: the round one holds all other arguments
    (OUTPUT, "dL/dh_t = ∂L/∂h_t", "corrected", SIDES),
    (OUTPUT, "dh_t/dU = ∂h_t/∂U", "corrected", SIDES),
    (OUTPUT, "dh_t/dh_{t-2} = ∂h_t/∂h_{t-2}", "corrected", SIDES),
    (GRU, "dh_t/dh_{t-1} = ∂h_t/∂h_{t-1}", "corrected", SIDES),
    (OUTPUT, "dnet_{h,t}/dU = ∂net_{h,t}/∂U", "corrected", SIDES),
    (RNN, "dL/dh_t = ∂L/∂h_t + dL/dh_{t+1} ∂h_{t+1}/∂h_t", "holds", ""),
    (COST, "dL/dU = sum_t ∂L_t/∂h_t dh_t/dU", "holds", ""),  # through y_t
    (COST, "∂L_T/∂h_T = V^T (y_T - d_T)", "holds", ""),
    (COST, "dL/dU = sum_t ∂L_t/∂h_t ∂h_t/∂U", "corrected", SIDES),
    (OUTPUT, "dL/dh_t = dL/dy_t ∂y_t/∂h_t + dL/dh_{t+1} ∂h_{t+1}/∂h_t", "holds", ""),
    (OUTPUT, "∂L/∂h_t = V^T ∂L/∂y_t + U^T (∂L/∂h_{t+1} * (1 - h_{t+1}^2))", "holds", ""),
    # a time k that is raised in brackets; the hyperbolic functions
    (RNN, r"\frac{dh^{(t)}}{dh^{(k)}} = \prod_{i=k+1}^{t} \frac{dh^{(i)}}{dh^{(i-1)}}", "holds", ""),
    (STACK, r"\frac{dh^{(1)}_t}{dh^{(1)}_k} = \prod_{i=k+1}^{t} \frac{dh^{(1)}_i}{dh^{(1)}_{i-1}}", "holds", ""),
    (STACK, r"\frac{dh_t^{(2)}}{dh_k^{(2)}} = \prod_{i=k}^{t} \frac{dh_i^{(2)}}{dh_{i-1}^{(2)}}", "wrong", SIDES),
    ("h_t = tanh(W x_t)\nL = sum_t sum(log(cosh(h_t)))", "dL/dh_t = tanh(h_t)", "holds", ""),
    # of a derivative by an earlier state that is split between them, k is before t
    (RNN, "dh_t/dh_k = dh_t/dh_{t-1} dh_{t-1}/dh_k", "holds", ""),
    (RNN, "dh_t/dh_{t-l} = diag(1 - h_t^2) U dh_{t-1}/dh_{t-l}", "holds", ""),
    (RNN, "dh_t/dh_k = dh_t/dh_{k+1} dh_{k+1}/dh_k", "holds", ""),
    (RNN, "dh_t/dh_k = dh_t/dh_{k+1} diag(1 - h_{k+1}^2) U", "holds", ""),
    (RNN, "dh_t/dh_k = dh_t/dh_{k+1} diag(1 - h_k^2) U", "corrected", SIDES),
    (RNN, "dh_t/dh_k = dh_t/dh_{k+1} diag(1 - h_{k+1}^2) U^T", "corrected", SIDES),
    (COST, "dL_t/dnet_{h,k} = diag(1 - h_k^2) U^T dL_t/dnet_{h,k+1}, k < t", "holds", ""),
    (COST, "dL_t/dnet_{h,k} = diag(1 - h_k^2) U dL_t/dnet_{h,k+1}, k < t", "corrected", SIDES),
    (RNN, "dh_t/dh_k = dh_{t-1}/dh_k dh_t/dh_{t-1}", "corrected", SIDES),
    # a net input that is written out
    (LEAKY, "dL/dU = alpha sum_t ((1 - tanh(W x_t + U h_{t-1})^2) * dL/dh_t) h_{t-1}^T", "holds", ""),
    (LEAKY, "dL/dU = alpha sum_t ((1 - tanh(W x_t + U h_t)^2) * dL/dh_t) h_{t-1}^T", "corrected", SIDES),
    # what reads two states, one of which is a sum over times
    (ATTENTION, "o_t = sum_{i=1}^t v_i (k_i^T q_t)", "holds", ""),
    (ATTENTION, "o_t = sum_{i=1}^t v_i (k_t^T q_i)", "corrected", SIDES),
    # the sum over both times, of a loss that has no cost at each time
    (OUTPUT, BOTH, "holds", ""),
    (OUTPUT, BOTH.replace(")^T", ")", 1), "corrected", SIDES),
    (OUTPUT, BOTH.replace("sum_{t=1}^T sum_{k=1}^t", "sum_{k=1}^T sum_{t=k}^T"), "holds", ""),
    (OUTPUT, BOTH.replace("sum_{t=1}^T sum_{k=1}^t", "sum_{k=1}^T sum_{t=1}^k"), "corrected", SIDES),
    # of products over later times: of a state, of what it reads, of a weight; powers; gates, element by element
    (SSM, "dL/dB = sum_{t=1}^T sum_{k=1}^t (A^T)^{t-k} C^T (y_t - target_t) x_k^T", "holds", ""),
    (SSM, "dL/dB = sum_{k=1}^T sum_{t=k}^T (A^{t-k})^T C^T (y_t - target_t) x_k^T", "holds", ""),
    (SSM, "dL/dB = sum_{t=1}^T sum_{k=1}^t A^{t-k} C^T (y_t - target_t) x_k^T", "corrected", SIDES),
    (SSM, "dL/dh_k = sum_{t=k}^T (A^{t-k})^T C^T (y_t - target_t)", "holds", ""),
    (SSM.replace(" + D x_t", ""), "dL/dx_k = sum_{t=k}^T B^T (A^T)^{t-k} C^T (y_t - target_t)", "holds", ""),
    (OUTPUT, LATER, "holds", ""),
    (OUTPUT, LATER.replace("t=k", "t=k+1"), "corrected", SIDES),
    (DIAGONAL, "dL/dx_k = sum_{t=k}^T lambda^{t-k} * (h_t - target_t)", "holds", ""),
    (DIAGONAL, "dL/dx_k = sum_{t=k}^T lambda^{t-k+1} * (h_t - target_t)", "corrected", SIDES),
    (STEPPED, "dL/dW_d = sum_t (dL/dDelta_t * sigma(W_d x_t)) x_t^T", "holds", ""),
    (STEPPED, "dL/dW_d = sum_t (dL/dDelta_t * sigma(-W_d x_t)) x_t^T", "corrected", SIDES),
    (FAST, "A_t = eta sum_{k=1}^t lambda^{t-k} h_{k-1} h_{k-1}^T", "holds", ""),
    (FAST, "A_t = eta sum_{k=1}^t lambda^{t-k} h_k h_k^T", "corrected", SIDES),
    (LAST, "dL/dw = sum_{t=1}^T u^{T-t} * x_t", "holds", ""),
    (LAST, "dL/du = sum_{t=1}^T u^{T-t} * h_t", "corrected", SIDES),
    # at one time: what a gate moves, the same gradient of two weights, a probability below a fraction bar
    (MINIMAL, "dL/dW_z = sum_t ((1 - z_t) * (h_t - h_{t-1}) * dL/dh_t) x_t^T", "holds", ""),
    (MINIMAL, "dL/dW_z = sum_t (z_t * (h_t - h_{t-1}) * dL/dh_t) x_t^T", "corrected", SIDES),
    (TWICE, "dL/db = dL/dc", "holds", ""),
    (TWICE, "dL/db = 2 dL/dc", "corrected", SIDES),
    (RNN + CROSS.replace("V x_t", "V h_t"), "dL/dh_T = V^T (p_T - y_T)", "holds", ""),
    (MINIMAL, "h_t = sum_{k=1}^t (prod_{s=k+1}^t (1 - z_s)) * z_k * n_k", "holds", ""),
    (MINIMAL, "dL/dh_k = sum_{t=k}^T (prod_{s=k+1}^t (1 - z_s)) * (h_t - target_t)", "holds", ""),
    (MINIMAL, "dL/dh_k = sum_{t=k}^T (prod_{s=k}^t (1 - z_s)) * (h_t - target_t)", "corrected", SIDES),
    # an index below and a time above
    (NETS, BACKWARD, "holds", ""),
    (NETS, BACKWARD.replace("U_{kj}", "U_{jk}"), "corrected", SIDES),
    (NETS, r"h^{(t)}_i = \tanh(a^{(t-1)}_i)", "corrected", SIDES),
    (NETS, r"\frac{∂L}{∂o_i^t} = o_i^t - d_i^t", "holds", ""),
    # limits with a second letter; a window; times that fall with the letter; h_k before h_t
    (PLAIN, r"dh_{t+k}/dh_t = \prod_{i=t}^{t+k} u f'(a_i)", "wrong", SIDES),
    (RNN, WINDOW.replace("j=k+1", "j=k"), "corrected", SIDES),
    (RNN, r"dh_t/dh_{t-k} = \prod_{i=0}^{k-1} dh_{t-i}/dh_{t-i-1}", "holds", ""),
    (RNN, r"dh_t/dh_{t-k} = \prod_{i=0}^{k-1} diag(1 - h_{t-i}^2) U", "holds", ""),
    (LINEAR, FROM_K.replace("j=k+1", "j=k"), "corrected", SIDES),
    ("h_t = u * h_{t-1}\nh_0 = s\nu, s, h_t in R", "h_t = u^2 * h_{t-2}", "holds", ""),
    (NETS, r"dL/dU = \sum_{t=T}^{1} dL/da_t h_{t-1}^T", "holds", ""),
    ("ŷ_t = tanh(V x_t + b)", r"\frac{dL}{db} = \sum_t \frac{dL}{d\mathrm{net}^{\hat{y}}_t}", "holds", ""),
]


@pytest.mark.parametrize(("text", "formula", "verdict", "said"), JUDGED, ids=[one for _, one, *_ in JUDGED])
def test_a_formula_is_wrong_only_by_numbers_of_its_functions(text, formula, verdict, said) -> None:
    judged = net(text).judge(formula, effort=100_000)
    assert judged.verdict == verdict
    assert said in (getattr(judged, "said", "") or judged.counterexample)
    assert verdict != "not shown" or (f"not shown: {said}" in str(judged) and not judged.counterexample)


@pytest.mark.parametrize(("text", "formula"), [(PLAIN, LATE), (RNN, LATE), (RNN, WINDOW), (LINEAR, FROM_K)])
def test_what_is_right_and_not_proved_is_not_wrong(text: str, formula: str) -> None:
    assert AGREES in read(text).judge(formula, effort=9).said


def test_a_proof_that_takes_long_is_given_up_and_a_counterexample_is_not() -> None:
    assert "no proof is found with an effort of 9" in str(read(PLAIN).judge(AS_A_SUM, effort=9))
    assert read(PLAIN).judge(AS_A_SUM.replace("j=i+1", "j=i"), effort=9).counterexample


EARLIEST = "dL/dh_t = sum_{s=t}^T (prod_{i=t+1}^s U^T diag(1 - h_i^2)) (h_s - target_s)"
DECAY = "s_t = sigma(theta) * s_{t-1} + x_t\ntheta in R^n"
REFUSED = [
    (RNN, "dL/dnet_{h,t} = dL/dh_t * sech(net_{h,t})^2", "found the function sech; expected one of the recurrence"),
    (RNN, "dL/dnet_{h,t} = dL/dh_t * f'(net_{h,t})", "found the function f; expected one of the recurrence: tanh"),
    (RNN, "dL/dU = sum_{t=1}^{N} dL/dnet_{h,t} h_{t-1}^T", "the limit N of a sum over time; expected a number"),
    (RNN, "dL/dU = sum_{t=1}^{n} dL/dnet_{h,t} h_{t-1}^T", "the limit n of a sum over time; expected a number"),
    (RNN, "dL/dnet_{h,t} = q_t * dL/dh_t", "found q; expected a letter of the recurrence: h, W, x, U"),
    (RNN, EARLIEST, "a product of matrices from t+1 on can be read in two ways"),
    (RNN, "dL/dU^T = h_t", "\n  (dL/dW)^T"),
    (DECAY, "ds_t/dtheta = sigma(theta) * ds_{t-1}/dtheta", "diag(a) B for its rows, each by a number"),
    (RNN, "dL/dh_t = ∂L/dh_t", "∂/d can be read in two ways"),
    (RNN, r"dL/dh_t = \frac{dL}{\partial h_t}", "d/∂ can be read in two ways"),
    (GATED, "∂h_t/∂h_{t-1} = diag(f_t)", "\n  d for the total derivative, of which numbers refute it, or ∂^+"),
    (RNN, "L = sum_{j=1}^{n-1} h_T", "found a sum to n-1; expected a size, as n, or the length T"),
    (RNN, "L = sum_{j=2}^{n} h_j(T)", "found a sum from 2; expected all of a size, as sum_{j=1}^n"),
    (RNN, r"dh_t/dh_k = \prod_{i=k+1}^t diag(1 - h_i^2) U", "product of matrices from k+1 on can be read in two ways"),
    (RNN, r"dh_t/dU = \prod_{i=1}^t dh_i/dh_{i-1} ∂^+ h_k/∂U", "can be read in two ways"),
    (RNN, "dh_t/dh_{t-2} = h_t^2 U^N", "found U_N; expected a letter of the recurrence"),
    ("S_t = A S_{t-1} + B_t\nS in R^{n x m}", "B_t = S_t^2", "a power of S_t can be read in two ways"),
    (RNN, "L = sum_{j=1}^{N} h_j(T)", "found a sum to N; expected a size of the recurrence: n"),
    (NETS, r"h_i^{(t)} = \tanh(a_j^{(t)})", "found the index j; expected one of the left side"),
    (NETS, "h_{1,t} = tanh(a_{2,t})", "found h with two times; expected one"),
    (NETS, "h_t[2] = tanh(a_t[2])", "h_t[2] can be read in two ways"),
    (NETS, "∂h_t/∂U = sum_{k=0}^t ∂h_t/∂h_k ∂h_k/∂U", "∂ can be read in two ways"),
    (NETS, "∂L/∂U = sum_t ∂L/∂h_t ∂h_t/∂U", "∂ can be read in two ways"),
    (NETS, "dL/dU = sum_t sum_t dL/da_t h_{t-1}^T", "found a letter under two sums"),
    (NETS, "dL/da_t = sum_{s=t+1}^t dL/da_s", "no term for a sum from t+1 to t, or sum_{s=t}^{t+1}"),
    (PLAIN, "dh_t/dh_k = prod_{j=k+1}^t u * f'(a_j) * h_k", "(prod ... u * f'(a_j)) * h_k"),
    (LEAKY, "dh_t/dh_{t-1} = (1 - alpha) + alpha diag(1 - h_t^2) U", "beside a matrix can be read in two ways"),
    (NETS, "dL/dU = sum_t dL/dh_t * (1 - h_t * h_t) h_{t-1}^T", "(dL/dh_t * (1 - h_t * h_t)) h_{t-1}^T"),
]


@pytest.mark.parametrize(("text", "formula", "said"), REFUSED)
def test_what_a_recurrence_does_not_have_is_refused_by_its_name(text: str, formula: str, said: str) -> None:
    with pytest.raises(NotationError, match=re.escape(said)):
        read(text).judge(formula)


def test_a_loss_up_to_the_time_before_the_last() -> None:
    made = read("h_t = tanh(w * h_{t-1} + x_t)\nL = sum_{t=1}^{T-1} (h_t - d_t)^2\nw in R\nx_t in R")
    assert made.judge("dL/dw = sum_t dL/dh_t * h_{t-1} * (1 - h_t^2)").verdict == "holds"


IDENTITY, FALSE = "net_{h,t} = relu(net_{h,t}) - relu(-net_{h,t})", "net_{h,t} = relu(net_{h,t})"


def test_a_correction_is_asked_only_where_numbers_refute_the_print() -> None:
    net = read(RELU)
    assert net.judge("exp(log(h_t)) = h_t", corrected="h_t = relu(net_{h,t})").verdict == "not shown"
    assert net.judge(FALSE, corrected="net_{h,t} = W x_t + U h_{t-1}").verdict == "corrected"
    with pytest.raises(NotShownError, match="the corrected form: is not shown"):
        net.judge(FALSE, corrected=IDENTITY)
    with pytest.raises(CheckError, match="holds as printed, yet a correction is given"):
        net.judge("net_{h,t} = W x_t + U h_{t-1}", corrected=FALSE)
    with pytest.raises(CheckError, match="holds as printed, yet a correction is given"):
        net.judge(IDENTITY, corrected=FALSE)


def test_a_box_is_made_of_nothing_that_is_not_shown() -> None:
    net = read(RELU)
    with pytest.raises(NotShownError, match="is not shown: it fails in exact numbers, which stand in"):
        net.bench.equation("identity", net.formula(IDENTITY), title="identity", numeric="no program")
