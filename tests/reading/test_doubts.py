"""Texts that were once read as something else without a word: each is read right, or refused with what to write."""

from __future__ import annotations

import numpy as np
import pytest
import throughtime as tt
from refused_texts import REFUSED
from throughtime.reading import NotationError, read

NET, RNN = "(W x_t + U h_{t-1})", "h_t = tanh(W x_t + U h_{t-1})\n"
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
    (r"h_t = \frac1{\tau} h_{t-1} + \frac12 x_t", "h[i](t-1)/tau"),
    ("h_t = np.maximum(x_t, 0) * h_{t-1}", "h[i](t-1)*relu(x[i](t))"),
    (r"h_t = \theta^r \odot x_t + h_{t-1}", "theta_r[i]*x[i](t)"),
    # sums over lags: a net input for each, the letter as a number and a power, labels in brackets
    (r"h_t = \sum_{k=1}^2 \tanh(W_k h_{t-k} + V_k x_t)", "h[i](t) = tanh(net_h[i](t)) + tanh(net_h_2[i](t))"),
    ("h_t = sum_{k=1}^3 alpha^k h_{t-k}", "alpha^3*h[i](t-3)"),
    ("h_t = sum_{k=1}^3 h_{t-k} / k", "(6*h[i](t-1) + 3*h[i](t-2) + 2*h[i](t-3))"),
    (r"h_t = \sum_{i=1}^2 W^{(i)} h_{t-i}", "sum[k=1..n] W_2[i,k]*h[k](t-2)"),
    ("y(t) = sum_{k=0}^2 w(k) * x(t-k)", "w_2[i]*x[i](t-2)"),
    # programs, pages, brackets around all
    ("y_t = np.multiply(z[t], h[t-1]) + torch.mm(W, x[t])", "z[i](t)*h[i](t-1) + sum[j=1..m] W[i,j]*x[j](t)"),
    ("h_t = pow(x_t, 2)", "h[i](t) = x[i](t)^2"),
    ("h<sub>t</sub> = &sigma;(W x<sub>t</sub>)", "h[i](t) = sigma(net_h[i](t))"),
    ("h_t = W x_t\u00a0\ny_t = V h_t", "sum[i=1..n] V[j,i]*h[i](t)"),
    (r"\left\{ \begin{aligned} h_t &= W x_t \\ y_t &= V h_t \end{aligned} \right.", "V[j,i]*h[i](t)"),
    (r"\alpha \in (0,1); h_t = \alpha h_{t-1} + x_t", "alpha*h[i](t-1)"),
    ("h_t = tanh(W x_t + U h_{t-1}) (hidden state)", "passed over: (hidden state)"),
    ("h_t = tanh(W x_t), t = 1:T", "h[i](t) = tanh(net_h[i](t))"),
    (r"p_t = p_{t-1} - m_t / (\sqrt{v_t} + \epsilon) \\ v_t = \beta v_{t-1} + g_t^2 \\ m_t = g_t", "v (n), m (n)"),
]  # fmt: skip


@pytest.mark.parametrize("case", READ, ids=[case[0] for case in READ])
def test_what_is_meant_is_read(case):
    text, said, *how = case
    assert said in str(read(text, **(how[0] if how else {})))


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
