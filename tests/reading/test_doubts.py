"""Texts that were once read as something else without a word: each is read right, or refused with what to write."""

from __future__ import annotations

import numpy as np
import pytest
import throughtime as tt
from throughtime.reading import NotationError, read

NET, RNN = "(W x_t + U h_{t-1})", "h_t = tanh(W x_t + U h_{t-1})\n"
FUNCTION = "for the function"
LSTM = r"i_t = \sigma(W_{it} x_t + b_i) \\ c_t = i_t \odot c_{t-1}"
DISCOUNT = "\ng_t = gamma * g_{t-1}\ng_0 = 1\ng_t in R\nL = sum_t g_t * ‖h_t - d_t‖^2"
TWO = "h^{(2)}_t = tanh(A x_t + B h^{(2)}_{t-1})\nh_t = tanh(W h^{(2)}_t + U h_{t-1}) + tanh(C x_t + c)"

READ = [  # a text, and parts of what it is; {"time": ...} for another letter
    # before a bracket
    ("h_t = tanh(W x_t + U (r_t * h_{t-1}) + W_hh (h_{t-1} + x_t))", "sum[k=1..n] U[i,k]*h[k](t-1)*r[k](t)"),
    ("h_t = h_{t-1} + alpha (W x_t + U h_{t-1})", "learned: alpha, W (n x m)"),
    ("h_t = h_{t-1} + tau (x_t - h_{t-1})", "(x[i](t) - h[i](t-1))*tau"),
    ("h_t = A h_{t-1} + F x_t + F (B x_t + c)", "F (n x m)"),
    ("F in R^{n x m}\nh_t = F" + NET, "F (n x m)"),
    ("h_t = F @ " + NET, "F (n x m)"),
    ("y_t = C (A h_{t-1} + B x_t)\nh_t = A h_{t-1} + B x_t", "C (n x m)"),
    (r"h_t = \tau \cdot " + NET, "learned: tau,"),
    (r"c_t = \sigma_c(W x_t) \\ h_t = \sigma(U c_t + V h_{t-1})", "h[j](t) = sigma(net_h[j](t))"),
    # powers of functions, costs, headings
    (r"h_t = \alpha (1 - \tanh^2(W x_t)) \odot x_t", "(1 - (tanh(net_h[i](t)))^2)*alpha*x[i](t)"),
    ("h_t = cos^2(x_t) + relu^2(h_{t-1})", "(relu(h[i](t-1)))^2 + (cos(x[i](t)))^2"),
    (RNN + r"L = sum_t \|h_t - d_t\|^2", "L = sum[s=1..T] sum[i=1..n]"),
    (RNN + "Loss_t = ‖h_t - d_t‖^2", "L = sum[s=1..T] Loss(s)"),
    ("forget gate: f_t = sigma(W x_t)\n* 状态：$h_t = f_t * h_{t-1}$", "h[i](t) = f[i](t)*h[i](t-1)"),
    # numbers beside vectors
    ("h_t = h_{t-1} + (W x_t - h_{t-1}) / tau", "h[i](t-1))/tau\n"),
    (r"h_t = \frac{W x_t - h_{t-1}}{2 \tau}", "learned: W (n x m), tau"),
    ("h_t = h_{t-1} + tau * (W x_t - h_{t-1})", "h[i](t-1))*tau\n"),
    (r"h_t = softmax(W x_t / \tau)", "W[i,j]*x[j](t))/tau\n"),
    (r"h_t = (1 - \alpha) h_{t-1} + W x_t + \sqrt{2 \alpha} \xi_t", "inputs: x (m), xi (n)\n"),
    (r"h_t = \lambda \odot h_{t-1} + x_t", "lambda[i]*h[i](t-1)"),
    ("h_t = (x_t - h_{t-1}) / tau\ntau in R^n", "/tau[i]"),
    # rows
    ("S_t = S_{t-1} + k_t^T v_t\no_t = q_t S_t", "S[i,j](t) = S[i,j](t-1) + k[i](t)*v[j](t)"),
    ("S_t = S_{t-1} + k_t^T (v_t - k_t S_{t-1})\no_t = q_t S_t", "(v[j](t) - sum[p=1..n] S[p,j](t-1)*k[p](t))*k[i](t)"),
    ("h_t = tanh(x_t W + h_{t-1} U)\na_t = q_t h_t^T + v^T h_t", "a(t) = sum[i=1..n] h[i](t)*q[i](t) + sum[i=1..n] v["),
    ("S_t = diag(a_t) S_{t-1} + k_t v_t^T", "S[i,j](t-1)*a[i](t) + k[i](t)*v[j](t)"),
    ("M_t = A M_{t-1} + x_t v_t^T", "sum[k=1..n] A[i,k]*M[k,j](t-1) + x[i](t)*v[j](t)"),
    ("H_t = phi(X_t W + H_{t-1} U + b)", "sum[q=1..m] H[i,q](t-1)*U[q,j] + b[j]"),
    # steps, words, programs
    (r"h_t = h_{t-1} + \Delta t (W x_t - h_{t-1})", "learned: dt, W (n x m)"),
    ("h_t = exp(-dt / tau) * h_{t-1} + x_t", "learned: dt, tau"),
    ("h[t] = np.tanh(np.dot(W, x[t]) + np.dot(U, h[t-1]))", "W[i,j]*x[j](t) + sum[k=1..n] U[i,k]*h[k](t-1)"),
    (r"h_t = \mathrm{SiLU}(W x_t) + f^{out}(\tilde{x_t}) \\ \tilde{x_t} = B x_t", "functions: silu, f_out"),
    (r"h_t = u m_t \\ m_t = \alpha m_{t-1} + x_t; u in R", "learned: u, alpha"),
    (RNN + "L = ‖h_T - y‖^2", "targets: y (n)"),
    ("h_t = h_{t-1} + dt * (W x_t - theta)", "given: dt, theta (n)\nlearned: W (n x m)", {"given": "dt theta"}),
    # labels and times
    (LSTM, "W_it (n x m)"),
    ("y_{it} = sum_j X_{ijt} b_j + a_i y_{i,t-1}", "sum[j=1..m] b[j]*X[i,j](t)"),
    *((f"x(n) = tanh({w} u(n) + W x(n-1))", "learned: W_in (m x p)", {"time": "n"}) for w in ("W_in", "W^{in}")),
    ("x_in(n) = f(W x_in(n-1))", "x_in[i](n) = f(net_x_in[i](n))", {"time": "n"}),
    *((f"h_{t} = tanh(W x_{t} + U h_{{{t}-1}})", f"]({t}-1)", {"time": t}) for t in "kijnmp"),
    ("x_k = A x_{k-1} + B u_k\ny_k = C x_k + D u_k", "x[i](k) = sum[p=1..n] A[i,p]*x[p](k-1)", {"time": "k"}),
    # layers
    (TWO, "net_h_2[i](t) = sum[a=1..p] A"),
    (TWO, "tanh(net_h[j](t)) + tanh(net_h_3[j](t))"),
    ("h_hat_t = tanh(A x_t)\nh_t = tanh(W h_hat_t + b)", "h[j](t) = tanh(net_h[j](t))"),
    # powers
    (RNN + DISCOUNT, "d[i](s))^2)*g(s)"),
    ("h^t = tanh(W x^t + U h^{t-1})", "x[j](t)"),
    ("h_t = tanh(W x^t + U h_{t-1})", "x[j](t)"),
    (r"h^{(t)} = \lambda^{(t)} h^{(t-1)} + x^{(t)}", "lambda(t)"),
    # sentences, programs and indices in brackets
    (r"h_t = \tanh(W x_t + U h_{t-1}), where $W$ is the weight of the input", "learned: W (n x m), U (n x n)"),
    ("Given :math:`x_t` the core computes\n\n.. math::\n\n   h_t = W x_t", "W[i,j]*x[j](t)"),
    ("Algorithm 1: Pass of a net\nInput: x_1, ..., x_T\nfor t = 1 to T do\n  h_t <- W x_t\nend for", "W[i,j]*x[j](t)"),
    ("h_new = np.tanh(x @ p['W'] + h @ p['U'])", "sum[k=1..n] U[k,i]*h[k](t-1)"),
    (r"p_t(i) = \sum_j p_{t-1}(j) A_{ji}", "p[i](t) = sum[j=1..n] A[j,i]*p[j](t-1)"),
    ("h_t = [W x_t + U h_{t-1}]^+", "h[i](t) = relu(net_h[i](t))"),
    ("a_t = W x_t\nh_t = (a_t - m_t) / sigma_t\nm_t = mean(a_t)\nsigma_t = sqrt(mean(a_t^2) + epsilon)", "sigma(t)\n"),
    # labels for powers and times, products with a number behind, norms, lists, programs
    (r"a_t = \tanh(W x_t^1 + V x_t^2 + b^1) + b^2", "inputs: x_1 (m), x_2 (p)\n"),
    ("g_t = sigma(W_T x_t + R_T g_{t-1} + b_T)", "learned: W_T (n x m), R_T (n x n), b_T (n)\n"),
    ("a_j(t) = w_{j0} + sum_i w_{ji} a_i(t-1)", "learned: w_0 (n), w (n x n)\n"),
    ("h_t = A u v^T h_{t-1} + x_t", "(sum[j=1..m] A[i,j]*u[j])*sum[k=1..n] v[k]*h[k](t-1)"),
    (r"s_t = s_{t-1} + \langle k_t, q_t \rangle v_t", "(sum[j=1..m] k[j](t)*q[j](t))*v[i](t)"),
    (RNN + r"J(W, U) = sum_t \|h_t - d_t\|^2_2 + \lambda \|W\|_F^2", "(sum[i=1..n] sum[j=1..m] W[i,j]^2)*lambda"),
    ("h_t = tanh(w^T x_t + u h_{t-1}), h_t, u in R", "learned: w (n), u\n"),
    (">>> h[t][i] = tanh(sum_j w[i][j] x[t][j] + sum_k u[i,k] h[t-1,k])", "sum[k=1..n] u[i,k]*h[k](t-1)"),
    ("a<t> = tanh(Waa a<t-1> + Wax x<t>)", "sum[k=1..n] Waa[i,k]*a[k](t-1)"),
    ("h′ = z .* h .+ x\nz = tanh.(W * x)", "h[i](t) = h[i](t-1)*z[i](t) + x[i](t)"),
    (r"h_t = h_{t-1} + \frac{dt}{\tau} (W x_t - 0{,}5 h_{t-1})", "learned: dt, tau, W (n x m)\n"),
    ("A_t = A_{t-1} + h_t h_t^T\nh_{t+1} = f(W x_t + A_t h_t)", "(h[i](s) - target[i](s))^2"),
    (r"z_t = \mathrm{hard\_sigmoid}(W x_t)", "functions: hardsigmoid\n"),
    # rates and roots, noise, the matrix T_t, fractions without braces
    (r"v_t = v_{t-1} + g_t^2; h_t = h_{t-1} - \frac{\eta}{\sqrt{v_t} + \epsilon} \odot g_t", "learned: eta, epsilon\n"),
    (r"v_t = \beta v_{t-1} + g_t^2; h_t = h_{t-1} - \frac{\alpha}{\sqrt{v_t}} \odot g_t", "learned: beta, alpha\n"),
    (r"v_t = \beta v_{t-1} + g_t^2; h_t = h_{t-1} - \frac{\gamma}{\sqrt{v_t}} \odot g_t", "learned: beta, gamma (n)\n"),
    ("p_t = p_{t-1} - lr * g_t / (sqrt(v_t) + eps)", "learned: lr, eps\n"),
    ("h_t = A h_{t-1} + w_t\ny_t = C h_t + v_t", "v (m)\ntargets: target (m)\n"),
    ("y_t = f(W x_t)\ne_t = d_t - y_t", "targets: d (n), target (n)\n"),
    (r"\alpha_{t+1} = T_t \alpha_t + R_t \eta_t", "inputs: T (n x n), R (n x m), eta (m)\n"),
    (RNN + r"L = \frac1T \sum_t \|h_t - d_t\|^2", "(s))^2)/T"),
    *((RNN + f"L = sum_t ‖h_t - d_t‖^2 + {share}‖U‖^2", "sum[k=1..n] U[i,k]^2)*lambda)") for share in
      ("lambda/2 ", "lambda/2")),
    (r"y_t \equiv W x_t", "sum[j=1..m] W[i,j]*x[j](t)"),
    (RNN + "L = Σ_t ‖h_t - d_t‖²", "L = sum[s=1..T] sum[i=1..n]"),
    ("n_t = tanh(W^n x_t + U^n n_{t-1})", "learned: W_n (m x p), U_n (m x m)\n"),
    # Kronecker's delta
    ("h_i(t) = sum_k (delta_{ik} + w_{ik}) h_k(t-1) + x_i(t)", "learned: w (n x n)"),
    ("h_i(t) = sum_k delta_{ik} h_k(t-1) + x_i(t)\ndelta in R^{n x n}", "learned: delta (n x n)"),
    # marks of pages: numbers, quotations, tags, escapes, lines of a program
    *((text, "sum[j=1..m] W[i,j]*x[j](t)") for text in (
        r"h^{(t)} = W x^{(t)}, (10.8)", "> $$h_t = W x_t \\quad (7)$$", "h<sub>t</sub> = W x<sub>t</sub>",
        r"h\_t = W x\_t", r"y_t = \\tanh(h_t) \\odot h_t; h_t = W x_t", r"h_t = \mathbf{Wx}_t", "h(t) = f(W . x(t))",
        "(1) h_t = W x_t; (2) L = sum_t ‖h_t‖^2", "1: h_0 ← 0\n2: for t = 1 to T do\n3:   h_t ← W x_t\n4: end for",
        "For t = 1, ..., T: h_t = W x_t", "h_t＝W x_t。", "h_t = z_t * [W x_t]_+\nL = sum_t ‖h_t‖^2",
        r"h_t = W x_t \in \mathbb{R}^n", "def step(x, h):\n  h_new = U @ h + W @ x\n  return h_new",
        "h_t = **tanh**(**W** x_t)", r"h_t = \tanh(W x_t) \quad (t = 1, \dots, T)", "```python\nh_t = W @ x_t\n```",
        r"\begin{alignat}{2} h_t &= W x_t \end{alignat}", "h_t = W x_t, where:\nL = sum_t ‖h_t‖^2",
    )),
    # what is said of an equation, and two marks that are powers
    ("h_i(t) = f(x_i(t)) (activation)", "h[i](t) = f(x[i](t))\n"),
    ("h_t = h_{t-1} + x_t  (reset between sequences)", "passed over: (reset between sequences)"),
    ("r_t = np.sqrt(x_t**2 + y_t**2)", "sqrt(x[i](t)^2 + y[i](t)^2)"),
    ("h_t = h_{t-1} + sin(2 pi x_t)", "given: pi\n"),
    (r"h^*_t = W x_t; h_t = z_t ⊙ h^*_t", "computed: h_star (n), h (n)"),
    # labels in either order, exponentials, T before a letter, letters of two kinds
    (r"h^{(1)}_{f,t} = \tanh(W x_t + U h_{f,t-1}^{(1)})", "U[i,k]*h_1_f[k](t-1)"),
    (r"h^{[1]}_t = \tanh(W^{[1]} h^{[1]}_{t-1})", "sum[k=1..n] W_1[i,k]*h_1[k](t-1)"),
    *((f"h_t = {one} h_{{t-1}}; {declared}", f"h[i](t-1)*exp({a})") for one, a, declared in (
        (r"e^a", "a", "a in R"), (r"e^{\lambda}", "lambda", ""), (r"\mathrm{e}^{2 \alpha}", "2*alpha", ""))),
    ("h_t = e^(-W x_t) * h_{t-1}", "h[i](t-1)*exp(net_h[i](t))"),
    ("h_t = W^a x_t + e^a\ny_t = V h_t", "e_a (n)"),
    ("$h_t = f(W^Tx_t + U^Th_{t-1})$", "sum[j=1..m] W[j,i]*x[j](t)"),
    ("R_t = gamma * R_{t-1} + r_t\nr_t, R_t in R", "R(t) = gamma*R(t-1) + r(t)"),
    ("X_t = V h_t\nh_t = tanh(W x_t)", "inputs: x (p)\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", READ, ids=[case[0] for case in READ])
def test_what_is_meant_is_read(case):
    text, said, *how = case
    assert said in str(read(text, **(how[0] if how else {})))


REFUSED = [  # a text, the place, and what is said
    *((f"h_t = {one}{NET}", 6, f"a function {one} of", FUNCTION) for one in (*"FGHNR", r"\tau", r"\theta", r"\Phi")),
    ("h_t = x_t + F" + NET, 12, "F(W x_t + U h_{t-1})", "F @ (...) for the product"),
    (r"h_t = \eta(W x_t + U h_{t-1} + b)", 6, FUNCTION, r"\eta * (...) for the product"),
    ("z_t = H(v_t - theta)\nv_t = W x_t", 6, FUNCTION, "H @ (...)"),
    ("z_i(t) = H(v_i(t) - theta)", 9, FUNCTION, "H @ (...)"),
    ("y_t = F(x_t)", 6, FUNCTION, "F @ (...)"),
    ("h_t = F_h(W [x_t; h_{t-1}])", 6, "F_h(W [x_t; h_{t-1}])", FUNCTION),
    (r"h_t = \tanh(LN(W h_{t-1}) + b)", 12, "a function LN of", r"LN @ (...)"),
    ("h_t = tanh(LN_1(W h_{t-1}) + b)", 11, "a function LN_1 of", FUNCTION),
    (r"h_t = \sigma^2(W x_t) + h_{t-1}", 6, "sigma(...)^2 for a function", "sigma^2 * (...)"),
    (r"h_t = \sigma(W x_t) + \sigma^2(U h_{t-1})", 22, "sigma(...)^2 for a function", "sigma^2 * (...)"),
    ("sigma_t = sigma(W x_t)\nh_t = sigma_t * h_{t-1}", 10, "sigma ( )", "sigmoid for the function"),
    ("P_t = A P_{t-1} A' + Q", 16, "A' can be read", "A^T for the transpose"),
    ("S_t = S_{t-1} + x_t x_t'", 20, "x_t' can be read", "x_t^T for the transpose"),
    (r"\sigma_t^2 = (x_t - \mu_t)^2", 0, "found a formula", "v_t = ... for a square"),
    ("h_t = x_t 若 m_t = 1", 10, "found 若", "words that belong to no formula"),
    ("如果：h_t = x_t", 0, "found 如", "words that belong to no formula"),
    ("h t = tanh(W x t)", 2, "the time t as a number", "h_t for a time"),
    (r"h_t = x_t^{1/2}", 6, "found 1/2 at x", "sqrt(x_t)"),
    ("h_t = f^3(W x_t)", 6, "f(...)^3 for a function", "f^3 * (...)"),
    ("h_t = tanh(x_t * W + h_{t-1} * U)", 11, "x_t W for the product", "x_t ⊙ W"),
    (r"H_t = \tanh(W_x * X_t)", 12, "W_x X_t for the product", r"W_x \odot X_t"),
    ("N_t = N_{t-1} + w^T x_t", 0, "equal to a number", "N_t in R if it is one"),
    ("x(n) = f(W_in [1; u(n)])", 15, "found 1 among vectors", "a bias as a term of its own"),
    (r"h_{i,t} = \sigma(\mathbf{w}_i \mathbf{x}_t + b_i)", 17, "a bold letter", "one more index"),
    (r"h_t = \tanh(gelu(W x_t) + b)", 12, "gelu ( )", r"\operatorname{gelu}(...)"),
    (r"h_t = \mathrm{Linear}(x_t)", 6, "found Linear", "W x_t + b for a linear map"),
    ("A = Q Q^T\nh_t = tanh(A h_{t-1} + x_t)", 21, "A, which is computed without a time", "A_{t} = ..."),
    ("r = sigma(W x_t)\nh_t = r * h_{t-1} + x_t", 0, "found r without a time", "r_t = ..."),
    (r"\tau \frac{dx}{dt} = -x + W u", 16, "the time t as a number", "written as a step"),
    (r"x(t+\Delta t) = x(t) + f(x(t))", 0, "the time t+dt at x", "written as a step"),
    (r"h_t = \begin{cases} h_{t-1} & m_t = 0 \\ x_t & m_t = 1 \end{cases}", 6, r"\begin", "a mask that is given"),
    ("[i_t; g_t] = [sigma; tanh] (W x_t)", 25, "found ]", "a line for each gate"),
    ("h^{(l)}_t = tanh(W h^{(l-1)}_t)", 19, "(l-1) at h", "a line for each layer"),
    ("x_t = a ⊙ x_{t-1} + B u_t\ny_t = C x_t + D ⊙ u_t", 44, "found a vector", "D in R^n if it is a vector"),
    ("o_t = sum_{s=1}^{t} W x_s", 6, "found a sum to t", "s_t = s_{t-1} + ..."),
    ("o_t = sum_s W x_s", 12, "W beside indices", "W_{ij} for an element"),
    ("c_t = sum_j v_{t,j} h_j", 20, "found h without a time", "h in R^n for what is learned"),
    (RNN + r"c_t = sum_{j=1}^N alpha_{tj} h_j", 48, "alpha_{tj}, of two times", "alpha_{j,t}"),
    (RNN + r"L = sum_t gamma^t * ‖h_t - d_t‖^2", 40, "gamma^t", "gamma_{t} for what is given"),
    (RNN + r"L = sum_t gamma^{t-1} * ‖h_t - d_t‖^2", 40, "gamma^{t-1}", "g_t = gamma * g_{t-1} with g_0 = 1"),
    ("h_t = a^t x_t", 6, "a^t", "a_{t} for what is given"),
    ("m_t = beta_1 m_{t-1} + x_t\nv_t = m_t / (1 - beta_1^t)", 44, "beta_1^t", "beta_{1,t} for what is given"),
    ("h' = tanh(W x + U h)\ns = (1 - z) * h + z * h'\nz = sigma(V x)", 0, "found no time", "as h_prime_t"),
    ("h' = tanh(W x + U h)\nh = f * h + i * h'", 0, "found no time", "as h_prime_t"),
    ("h' = tanh(W x + V u + U h)", 0, "found no time", "as h_prime_t"),
    (r"h_t^j = \tanh(W x_t + U h_{t-1})^j + b", 37, "found b in an equation of the unit", "letters with j, or a"),
    (r"h_t^j = (W_{ij} x_t)_j", 8, "of the unit j", "letters with j, or a bracket"),
    ("h_t = tanh(W_prev h_{t-1} + x_t)", 11, "W_prev", "W_{t-1} for the value one step earlier"),
    ("c_t = f_t * c_prev + tanh(U h_prev)", 28, "h_prev", "another label for a weight"),
    ("h_t = tanh((W x_t)_k)", 18, "found k at a bracket", "a line for what is in it"),
    ("y_{1,t} = f(W y_{t-1} + x_t)\ny_{2,t} = V y_{1,t}", 14, "which nothing computes", "y_{1,t-1} or y_{2,t-1}"),
    ("U_t = beta U_{t-1} + W X_t - S_{t-1} V", 29, "S_{t-1} V", "S_{t-1} * V for one product each unit"),
    (r"S_t = (a_t^T \mathbf{1}) \odot S_{t-1} + k_t^T v_t", 13, "a vector of ones", "diag(a_t) S"),
    ("P_t = (1 - K_t) P_{t-1} + Q", 7, "1 beside a matrix in (1 - K_t)", "I instead of 1 for the identity"),
    (r"S_t = S_{t-1} (1 - b_t k_t k_t^T) + b_t v_t k_t^T; b_t in R", 15, "1 beside a matrix", "I instead of 1"),
    ("S_t = S_{t-1} - 2 S_{t-1} I_t", 18, "S_{t-1} I_t can be read", "S_{t-1} * I_t for one product each unit"),
    (r"h_t = \exp(i \theta) \odot h_{t-1} + x_t", 11, "i without a time", "a line for the real part"),
    (r"h_t = f(W x_t + \mathcal{W} h_{t-1})", 16, "W and \\mathcal{W}, of two fonts", "another letter for one"),
    ("h_{t,u} = tanh(W f_t + V g_u)", 25, "g_u beside h_{t,u}", "g_t for what is given at each time"),
    ("h_t = tanh(W [h_{t-1}; x_t])\ny_t = W_h h_t", 11, "found W_h, and W before vectors", "another letter"),
    ("s_t = diag(w) s_{t-1} + k_t^T v_t", 24, "k_t^T v_t beside a vector", "a capital letter on the left"),
    (r"y_t = \frac{K q_t}{\sqrt{d_k}}", 25, "d_k under a root and a bar", "d_k in R for a number"),
    ("h_t = tanh(W x_t + V h_{t-p})", 21, "found t-p at h", "a number for p, as h_{t-2}"),
    (r"x(t) = f(W x(t-1) + V x(t-\tau))", 22, "the time t-tau at x", "a number for tau, as x(t-2)"),
    (r"\hat{x}_{t \mid t-1} = A x_t", 0, "at x_hat", r"what is predicted, as \bar{x}_t"),
    (r"\overleftarrow{h}_t = W x_t", 0, r"found \overleftarrow", "the reversed sequence"),
    (r"E[g^2]_t = 0.9 E[g^2]_{t-1} + x_t", 6, "found t at a bracket", "a letter for it, as v_{t}"),
    (r"a_t = \sigma(W x_t)^{\frac{1}{\tau}}", 19, "found the power", "exp(b * log(a)) for the power b of a"),
    (r"y_t = \mathrm{Re}(C x_t)", 6, "found Re", "a line for the real part and one for the imaginary part"),
    ("h = np.zeros((n, 1))", 7, "found zeros", "a start is a line h_0 = s"),
    ("d_t = r_{t+1} + v_{t+1} - v_t", 0, "looks ahead", "the left side has the latest time of the right one"),
    ("a_t = exp(e_t) / sum_{k=1}^T exp(e_k)", 0, "expected a time", "as c = (sum_t a_t) / (sum_t b_t)"),
    (r"\Delta w_t = x_t + \Delta w_{t-1}", 0, "found a formula", "one letter for it, as d_t"),
    (r"h_t = W x_t, \quad W = I \text{ at the start}", 25, r"found \text", "words that belong to no formula"),
    ("P_t = A P_{t-1} R_t^{-1}", 16, "a power of a matrix", "another letter for the inverse, which is given"),
    ("s_t = diag(w) s_{t-1} + k_t v_t^T", 24, "found a matrix", "a capital letter for a matrix"),
    (r"h_t = W x_t, x_t \in \mathbb{R}^m is given", 34, "found i", "words that belong to no formula"),
    (r"h_t = \sigma(W x_t), where \sigma is the tangent", 37, "found the time t", "words that belong to no formula"),
    ("h_t = W x_t, where x_t is one when it rains", 23, "found is", "words that belong to no formula"),
    ("h_t = W x_t, where x_t is the average of both", 23, "found is", "words that belong to no formula"),
    ("s_t = T s_{t-1} + x_t", 6, "T can be read", "1/T for the number of steps, or another letter"),
    (r"a_t(j) = \sum_i a_{t-1}(i) T_{ij}", 27, "T_{ij} can be read", "another letter for a weight"),
    (RNN + "T = 10", 30, "found T on the left", "the number of steps"),
    (r"h_t = \tanh(W1 x_t + W2 h_{t-1})", 12, "W1 can be read", "W_1 or W^{(1)} for a label"),
    (r"F_t = \exp(d_t A); d_t in R \\ h_t = F_t h_{t-1} + x_t", 37, "exp of a matrix", "where the matrix is diagonal"),
    (r"x_t = \frac{1}{N} W x_{t-1} + u_t", 15, "N under a bar", "N in R for a number"),
    ("p_t = (p_{t-1} + w_t) % 1", 22, "found %", "a mask that is given"),
    ("h_t = tanh(W x_t + b) [2]", 22, "[2] can be read", "2 * ... for a factor"),
    ("h_t = tanh(W x_t + b)¹", 21, "found 1 at a bracket", "the mark of a footnote"),
    ("h_t = A h_{t-1} + x_t, where A is a diagonal matrix", 29, "A, said to be diagonal", "A in R^n for a vector"),
    ("c_t = f_t * c_{t-1}, where * denotes the convolution operator", 27, "found *", "expected a letter"),
    (RNN + r"L = \mathbb{E}[‖h_t - d_t‖^2]", 34, "found E", "1/T sum_t a_t for one over time"),
    (RNN + "E = sum_t E_t; E_t = f(h_t)", 45, "found a vector; expected one number", "sum(a)"),
    (RNN + "p_t = sigma(w^T h_t)\nL = sum_t y_t log(p_t)", 51, "found a vector", "y_t in R if it is a number"),
    (RNN + "h_O = 0", 30, "h_O, which reads no state", "a start is a line h_0 = s"),
    ("h_t = z_t * ĥ_t + h_{t-1}\nh̃_t = tanh(W x_t)", 12, "found h_hat, which nothing computes", "h_tilde_t"),
    ("u_t = b_t ⊙ (A p_{t-1})\np_t = u_t / sum(u_t)", 0, "has no value at i=1, t=1", "a start is a line"),
    ("h_t = W h_{t-1} / ‖h_{t-1}‖ + x_t", 30, "has no value at i=1, t=1", "a start is a line"),
    ("h_t = a * h_{t-1} + x_t\na = 0.3", 6, "a, which is computed without a time", "a number needs no line"),
    (r"h_t = \mu + \phi (h_{t-1} - \mu) + x_t", 12, "a function of a difference", "phi * (...) for the product"),
    (r"d_t = r_t + \gamma V(s_t) - V(s_{t-1})", 19, "a function V of the bracket", "f(...) for the function"),
    (r"V_t = V_{t-1} + dt \left(E - V_{t-1} + R I_t\right)", 39, "R I_t can be read", "V_t, E, R, I_t in R for"),
    ("x^a(t+1) = W^a_b x^b(t)", 17, "x^b(t), which nothing computes,", "i, j, k, ... for indices"),
    (r"M_t = M_{t-1} + e_{i_t} v_t^\top", 16, "a time inside the label i_t", "e_t for what is given"),
    ("h_t = h_{t-1} + sin x_t", 20, "the argument of sin", "sin(...)"),
    ("w_t -= lr * g_t", 5, "found =", "w_t = w_{t-1} - ..."),
    ("x(k+1) = A x(k)", 0, "found x(k+1)", 'read(text, time="k")'),
    ("x^{(k+1)} = A x^{(k)}", 0, "found (k+1) at x", 'read(text, time="k")'),
    ("h^l_t = tanh(W^l h^{l-1}_t)", 17, "found l-1 at h", "a line for each layer"),
    ("w_t = w_{t-1} + A_+ x_t", 16, "found + at A", "A_{plus}"),
    *((rf"h_t = W^{one} x_t + h_{{t-1}}", 6, f"W^{one} can be read", said) for one, said in
      (("n", "W_n for a label"), ("*", "W^T for the transpose"), ("H", "W^T for the transpose"))),
    (r"h_t = \sqrt[3]{x_t}", 11, "sqrt with a number", "exp(log(a) / 3) for the root"),
    (r"y_t = D(L) x_t", 6, "a function D of the bracket", "D @ (...) for the product"),
    ("h_t = h_{t-1} + 1[x_t > 0]", 22, "found >", "a mask that is given"),
    (r"H_t = W \star X_t", 8, r"found \star", "a sum over lags"),
    ("y_t = y * x_t", 6, "found y without a time", "another letter for what has no time"),
    # words, derivatives, primes and maps that were read as letters and factors
    ("h_t = a h_{t-1} is the state; a in R", 16, "found is", "words that belong to no formula"),
    ("h_t = a h_{t-1} or b x_t; a, b in R", 16, "found or", "a mask that is given"),
    (r"h_t = \sigma(x_t) \text{ OR } \exp(x_t)", 18, r"found \text", "words that belong to no formula"),
    ("w_t = w_{t-1} - eta * dE_t/dw_{t-1}", 16, "found a derivative", "a line for it, L = ..."),
    (r"w_t = w_{t-1} - \eta \frac{d E}{d w_{t-1}}", 21, "found a derivative", "a line for it, L = ..."),
    (r"w_t = w_{t-1} - \eta \nabla_w L", 21, "found a derivative", "a line for it, L = ..."),
    (r"h_t = h_{t-1} - \partial E / \partial h_{t-1}", 16, "found a derivative", "a line for it, L = ..."),
    (r"h_t = f \circ g(W x_t)", 6, "f before g can be read", "f(g(...)) for the composition"),
    (r"k_t = \theta_K x_t", 6, r"\theta_K can be read", "theta_K in R^{n x m} for a matrix"),
    ("h' = -h + tanh(W h + U x)", 0, "h' can be read", "written as a step"),
    ("h'(t) = -h(t) + f(W h(t))", 9, "found h, which nothing computes", "written as a step"),
    ("a_t = M(a_{t-1}) + x_t", 6, "a function M of the bracket", "M @ (...)"),
    (r"h_t = \tanh(E[w_t])", 12, "E[w_t], a function E of", "E @ (...)"),
    ("h_t = a * x_t + b^2 * h_{t-1} - b^3 * h_{t-2}", 32, "b^2 beside b^3", "b_2 and b_3 for labels, or (b)^3"),
    ("h_t = 50% h_{t-1} + x_t", 8, "found %", "a mask that is given"),
    (RNN + "L = sum_t ‖h_t - d_t‖2", 40, "‖h_t - d_t‖2 can be read", "‖h_t - d_t‖^2 for a power"),
    (RNN + "L = 1/2T sum_t ‖h_t - d_t‖^2", 36, "a / b c can be read", "a / (b c)"),
    ("e_t = (1 - tanh2(W x_t)) * e_{t-1}", 11, "found tanh2", "tanh(...)^2 for a power"),
    ("h_i(t) = f(w_i · x(t))", 11, "x at a dot can be read", "sum_j w_{ij} x_j(t) for the inner product"),
    ("p_t = softmax(W x_t / T)", 22, "T can be read", "another letter"),
    (r"S_t = S_{t-1} + x_t x_t^T; y_t = \mathrm{tr}(S_t)", 33, "found tr", "what it says"),
    # hints
    (r"h_t = \Sigma^{-1} x_t", 6, "Sigma can be read", "another letter for the inverse"),
    (r"h_t = U^\dagger h_{t-1} + x_t", 6, "found †", "U^T for the transpose of what is real"),
    (r"h_t = W^{-T} h_{t-1} + x_t", 6, "found -T", "another letter for an inverse"),
    (r"m_t = \max_{s \le t} x_s", 6, "at max", "m_t = max(m_{t-1}, a_t)"),
    (r"\sigma(x) = 1 / (1 + \exp(-x)); h_t = \sigma(W x_t)", 0, "found a formula", "no line for a function"),
    ("où h_t = W x_t", 1, "found ù", "words that belong to no formula"),
    ("h_t = W x_t + N(0, 1)", 17, "found ,", "noise is given"),
    ("L = sum_t (h_t - d_t)^2 squared error\nh_t in R\nh_t = a h_{t-1}", 24, "found squared", "words that belong"),
    ("z_t = W x_t\nreturn z_t * h_{t-1}", 12, "found no '='", "what they say of one written into it"),
    ("h_t = W x_t\nwhere h_0 is a learned vector", 22, "found is", "what they say of one written into it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "found", "expected"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_in_doubt_is_refused_with_what_to_write(text, place, found, expected):
    with pytest.raises(NotationError) as refusal:
        read(text, time="n" if "(n)" in text else "t")
    _, _, caret, *_ = str(refusal.value).split("\n")
    assert found in str(refusal.value)
    assert expected in str(refusal.value)
    assert caret.index("^") - 2 == place - (text.rfind("\n", 0, place) + 1)


def test_the_recursion_of_rtrl_in_index_form_holds():
    net = read("a_k(t) = sum_j w_kj y_j(t-1) + sum_l u_kl x_l(t)\ny_k(t) = f(a_k(t))")
    sums = "sum_l w_kl dy_l(t-1)/dw_ij + delta_{ik} y_j(t-1)"
    assert net.judge(f"dy_k(t)/dw_ij = f'(a_k(t)) * ({sums})").verdict == "holds"


LEAKY = read("h_t = h_{t-1} + dt * (tanh(W x_t) - h_{t-1})", given="dt")


def slopes(values, factor=1.0):
    """The derivatives by W of half the squared distance, by complex steps."""
    weights, found = np.array(values["W"], complex), np.zeros(np.shape(values["W"]))
    for place in np.ndindex(found.shape):
        weights[place] += 1e-20j
        h, loss = np.zeros(len(weights), complex), 0j
        for x, target in zip(np.array(values["x"]), np.array(values["target"]), strict=True):
            h = h + values["dt"] * (np.tanh(weights @ x) - h)
            loss += ((h - target) ** 2).sum() / 2
        found[place] = factor * loss.imag / 1e-20
        weights[place] = weights[place].real
    return found


def test_a_program_of_ones_own_is_checked_by_name():
    assert LEAKY.check("W", slopes)
    assert not LEAKY.check("W", lambda values: slopes(values, 1.001))
    with pytest.raises(ValueError, match="dt is not learned; expected a weight"):
        LEAKY.check("dt", slopes)


def test_what_is_given_is_no_weight_of_the_network():
    net = LEAKY.compile({"n": 3, "m": 2}, given={"dt": 0.2})
    theta, *data = net.init(1), np.ones((4, 2)), np.zeros((4, 3))
    assert theta.size == 6
    true = tt.complex_step(lambda point: net.loss(point, *data), theta)
    np.testing.assert_allclose(net.gradient(theta, *data).gradient, true, rtol=1e-12)
    with pytest.raises(ValueError, match="sizes: got n, expected n, m"):
        LEAKY.compile({"n": 3})
    with pytest.raises(ValueError, match="given: got h_t, expected of what has no time: dt, W"):
        read("h_t = h_{t-1} + dt * (tanh(W x_t) - h_{t-1})", given="h_t")
