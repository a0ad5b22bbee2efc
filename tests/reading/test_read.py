"""A text becomes a system, whose derivatives and judgements are called by names."""

from __future__ import annotations

import pytest
import throughtime as tt
from sympy import Integer
from throughtime.derivation import INPUT, PARAMETER, CheckError, Index, System, equal, minimum
from throughtime.reading import read

GRU = """
r_t = sigma(W_r x_t + U_r h_{t-1} + b_r)
z_t = sigma(W_z x_t + U_z h_{t-1} + b_z)
a_t = tanh(W x_t + r_t * (U h_{t-1}) + b)
h_t = (1 - z_t) * h_{t-1} + z_t * a_t
"""
AS_LATEX = r"""
\begin{aligned}
\mathbf{r}_t &= \sigma\left(\mathbf{W}_r \mathbf{x}_t + \mathbf{U}_{r} \mathbf{h}_{t-1} + \mathbf{b}_r\right), \\
\mathbf{z}_t &= \sigma(W_z x^{(t)} + U_z h^{(t-1)} + b_z), \\
a_t &= \tanh(W x_t + r_t \odot (U h_{t-1}) + b) \nonumber \\
h_t &= (1 - z_t) \odot h_{t - 1}
      + z_t \circ a_t.
\end{aligned}
"""
IN_UNICODE = """
rₜ = σ(W_r xₜ + U_r hₜ₋₁ + b_r)
zₜ = σ(W_z xₜ + U_z hₜ₋₁ + b_z)
aₜ = tanh(W xₜ + rₜ ⊙ (U hₜ₋₁) + b)
hₜ = (1 − zₜ) ∘ hₜ₋₁ + zₜ ∘ aₜ
"""
IN_INDICES = """
r_i(t) = sigma(sum_j W_r[i,j] x_j(t) + sum_k U_r[i,k] h_k(t-1) + b_r[i])
z_{i,t} = sigma(sum_{j=1}^{m} W_r[i,j] x_{j,t} + sum_k U_z[i,k] h_{k,t-1} + b_z[i])
a_i^t = tanh(sum_j W_{ij} x_j^t + r_i^t (sum_k U_{ik} h_k^{t-1}) + b_i)
h_t = (1 - z_t) * h_{t-1} + z_t * a_t
""".replace("W_r[i,j] x_{j,t}", "W_z[i,j] x_{j,t}")


@pytest.fixture(scope="module")
def gru():
    return read(GRU, name="GRU")


@pytest.mark.parametrize("text", [AS_LATEX, IN_UNICODE, IN_INDICES])
def test_every_notation_gives_one_system(gru, text):
    found, expected = read(text, name="GRU").system.order(), gru.system.order()
    assert [one.left for one in found] == [one.left for one in expected]
    assert all(equal(one.right, other.right) for one, other in zip(found, expected, strict=True))


def test_it_holds_an_ordinary_system_and_its_letters(gru):
    assert isinstance(gru.system, System)
    assert gru["W_r"].role == PARAMETER
    assert gru["x_t"].role == INPUT
    n = gru["W_r"].domains[0]
    i, p = Index("i", n), Index("p", n)
    h, t = gru["h"], gru.system.t
    derived = gru.bench.derive_backward(gru.loss[()], gru["a"][i, t], keep=[h])
    assert equal(derived.result, gru["z"][i, t] * tt.d(gru.loss[()], h[i, t]))
    assert gru["U_r"][i, p].quantity in gru.system.order()[0].right.atoms(type(h))
    assert gru["sigma"] is gru["sigma"]


def test_every_edge_that_is_named_can_be_cut():
    net = read("y_t = tanh(s_t) + s_{t-2}\ns_t = s_{t-1} + tanh(W x_t + U y_{t-1})")
    assert net.edges == ("s(t-1) into s", "y(t-1) into s", "s(t) into y", "s(t-2) into y")
    assert [str(*net.cuts(edge)) for edge in net.edges] == [
        *("s(t - 1) in s", "y(t - 1) in net_s", "s(t) in y", "s(t - 2) in y")
    ]


def test_cuts_by_name_reach_the_net_input(gru):
    (made,) = gru.cuts("h_{t-1} into r")
    assert str(made) == "h(t - 1) in net_r"
    assert [str(one) for one in gru.cuts(["h_{t-1} into h", "z_t into h"])] == ["h(t - 1) in h", "z(t) in h"]
    with pytest.raises(ValueError, match=r'expected "h_{t-1} into r"'):
        gru.cuts(["h_{t-1}"])


def test_a_printed_formula_that_holds(gru):
    box = gru.judge("dL/dz_t = dL/dh_t * (a_t - h_{t-1})")
    assert box.verdict == "holds"
    by_net, by_gate = (rf"\frac{{\partial L}}{{\partial {name}}}" for name in (r"\mathrm{net}_{z,t}", "z_t"))
    assert gru.judge(rf"{by_net} = {by_gate} \odot z_t \odot (1 - z_t)").verdict == "holds"
    assert gru.judge("dL/dnet_{a,t} = tanh'(net_{a,t}) * dL/da_t").verdict == "holds"


@pytest.mark.parametrize(
    "text",
    [
        "dL/dh_t = h_t - target_t + dL/dh_{t+1}",
        r"\frac{dh_t}{dh_{t-1}} = diag(1 - z_t)",
        "dh_t/dx_t = diag(z_t) W",
    ],
)
def test_what_is_wrong_of_a_state_is_derived(gru, text):
    box = gru.judge(text)
    assert box.verdict == "corrected"
    assert box.corrected[0][0] == gru.formula(text)[0]


def test_names_as_they_are_shown_can_be_pasted_back(gru):
    assert gru.judge("dL/da[i](t) = z[i](t)*dL/dh[i](t)").verdict == "holds"
    text = r"\frac{\partial L}{\partial U_z} = \sum_{t=1}^T \frac{\partial L}{\partial net_{z,t}} h_{t-1}^T"
    assert gru.judge(text).verdict == "holds"
    box = gru.judge("h_t = h_{t-1}")
    assert equal(box.corrected[0][1], gru.system.definition(box.corrected[0][0]))


def test_a_printed_formula_that_does_not_hold_gets_numbers_and_what_is_right(gru):
    box = gru.judge("dL/dU_z = sum_t dL/dnet_{z,t} h_t^T")
    assert box.verdict == "corrected"
    assert "the printed right side is" in box.counterexample
    assert str(box.corrected[0][1]) == "sum[s=1..T] h[k](s-1)*dL/dnet_z[i](s)"
    own = gru.judge("dL/dU_z = sum_t dL/dnet_{z,t} h_t^T", corrected="dL/dU_z = sum_t dL/dnet_{z,t} h_{t-1}^T")
    assert own.verdict == "corrected"
    with pytest.raises(CheckError, match="the corrected form is not true"):
        gru.judge("dL/dU_z = sum_t dL/dnet_{z,t} h_t^T", corrected="dL/dU_z = sum_t dL/dz_t h_{t-1}^T")


def test_a_loss_and_a_start_that_are_written():
    net = read("h_t = tanh(W x_t + U h_{t-1})\ny_t = V h_t\nh_0 = s\nE = 1/2 sum_t ‖y_t - d_t‖^2")
    assert str(net.loss) == "E"
    assert "E = 1/2*sum[u=1..T] sum[" in str(net)
    assert net.system.initial_values[net["h"]].right.quantity == net["s"]
    assert "targets: d (m)" in str(net)
    assert read("c_t = c_{t-1} * x_t\nc(0) = 1").system.initial_values.popitem()[1].right == 1


def test_a_gate_i_is_no_index_and_an_index_no_gate():
    lstm = read("i_t = sigma(W_i x_t + b_i)\nc_t = c_{t-1} + i_t * x_t")
    assert "i[k](t) = sigma(net_i[k](t))" in str(lstm)
    assert "W_i (n x n)" in str(lstm)
    assert "y[i](t) = w[i]*x[i](t)" in str(read("y_i(t) = w_i x_i(t)"))


def test_a_capital_before_a_bracket_is_a_factor_and_a_word_a_function():
    net = read("y_t = U (r_t * x_t) + softplus(x_t)\nr_t = g(x_t)")
    assert "sum[k=1..n] U[i,k]*r[k](t)*x[k](t)" in str(net)
    assert net["softplus"].name == "softplus"


def test_letters_run_over_one_set_if_the_equations_say_so():
    one, two = read("y_t = W x_t"), read("y_t = W x_t + x_t")
    assert (len(one.sizes), len(two.sizes)) == (2, 1)
    three = read("W in R^{p x q}\ny_t = W x_t")
    assert "W (p x q)" in str(three)
    assert "W (2 x 3)" in str(read("W in R^{2 x 3}\ny_t = W x_t"))


def test_functions_that_are_what_they_say():
    net = read("m_t = max(m_{t-1}, x_t)\nn_t = min(m_t, 1)\ny_t = exp(x_t) + relu(n_t)")
    m, n, x = net["m"], net["n"], net["x"]
    i, t = Index("i", x.domains[0]), net.system.t
    assert net.system.definition(n[i, t]) == minimum(m[i, t], Integer(1))
    assert "relu(n[i](t))" in str(net)


@pytest.mark.parametrize(
    "text",
    [
        "h[t] = np.tanh(W @ x[t] + U @ h[t-1] + b)  # as a program has it",
        r"h^{<t>} = \tanh(W x^{<t>} + U h^{\langle t-1 \rangle} + b) \quad (1)",
        r"h_t := \tanh\left(W x_t + U h_{t-1} + b\right) \text{ for } t = 1, \dots, T",
        r"{\displaystyle {\mathbf {h}}_{t}=\tanh(\mathbf{W}x_{t}+U{\bf h}_{t-1}+b)}",
        "h_t = Tanh(x_t W^T + h_{t-1} U^T + b)",
        "h_t = tanh(x_t @ W.T + h_{t-1} @ U.T + b)  // rows",
        "(3) h_t = tanh(W x_t + U h_{t−1} + b),  t = 1, 2, …, T",
        "1. h_t = tanh(W x_t + U h_{t‐1} + b) for all t",
        "for t = 1..T: h_t = tanh(W x_t + U h_{t-1} + b)",
        r"$h_t = \text{tanh}(W x_t + U h_{t-1} + b)$, $t \geq 1$, $h_0 = 0$",
        r"h_t = \tanh\left(W\,x_t + U\,h_{t-1} + b\right) \quad \forall t \in \{1, \dots, T\} \tag{3}",
        r"h_t &= \operatorname{tanh}(W x_t + U h_{t-1} + b), \\[2pt] % the state",
        r"\begin{split} h_t &= \tanh(W x_t \\ &\quad + U h_{t-1} + b) \end{split}",
        "𝒉ᵗ ≔ tanh(𝐖 𝒙ᵗ + 𝐔 𝒉ᵗ⁻¹\u200b + 𝒃).",
    ],
)
def test_manners_of_writing_one_net(text):
    expected = "net_h[i](t) = sum[j=1..m] W[i,j]*x[j](t) + sum[k=1..n] U[i,k]*h[k](t-1) + b[i]"
    found = str(read(text)).replace("W[j,i]", "W[i,j]").replace("U[k,i]", "U[i,k]").split("\n")
    assert found[6].strip() == expected
    assert found[7].strip() == "h[i](t) = tanh(net_h[i](t))"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("h'_t = W x_t\nh_t = h'_t", "h_prime[i](t) = sum[j=1..m] W[i,j]*x[j](t)"),
        ("h~_t = W x_t\nh_t = h~_t", "h_tilde[i](t) = sum[j=1..m] W[i,j]*x[j](t)"),
        (r"\hat h_t = W x_t \\ h_t = {\hat {h}}_t", "h_hat[i](t) = sum[j=1..m] W[i,j]*x[j](t)"),
        ("h_t = σ_g(x_t) ∘ h_{t−1}", "h[i](t) = h[i](t-1)*sigma_g(x[i](t))"),
        ("h_t = .5 h_{t-1} + 1e-3 x_t", "h[i](t) = 1/1000*(500*h[i](t-1) + x[i](t))"),
        (r"h_t = \mathcal{H}(W x_t)", "h[i](t) = calH(net_h[i](t))"),
        ("h^t = W^1 x^t\nh^0 = s", "h[i](0) = s[i]"),
        ("h_t = W x_t\r\ny_t = h_t\r\n", "y[i](t) = h[i](t)"),
        ("h_t = x_t for t > 0 and h_0 = s", "h[i](0) = s[i]"),
        ("h_t = x_t\nL = sum_t L_t\nL_t = ‖h_t - y_t‖²", "Loss = sum[s=1..T] L(s)"),
    ],
)
def test_what_people_paste_is_read_as_meant(text, line):
    assert line in [one.strip() for one in str(read(text)).split("\n")]


def test_a_bare_capital_i_is_the_identity():
    assert str(read("S_t = S_{t-1} (I - beta k_t k_t^T) + v_t k_t^T")).split("\n")[4] == "learned: beta"
    assert "learned: I (n x m)" in str(read("I in R^{n x m}\ny_t = I x_t"))


def test_a_maximum_with_0_is_a_rectifier():
    assert str(read("h_t = max(0, W x_t)")) == str(read("h_t = relu(W x_t)"))


def test_sequences_that_are_read_earlier_are_given_earlier():
    net = read("h_t = W x_{t-2} + x_t")
    assert list(net.system.given_times(net["x"], 3)) == [-1, 0, 1, 2, 3]


def test_another_letter_for_the_time():
    assert "h[i](n) = tanh" in str(read("h(n) = tanh(u h(n-1)) * x(n)\nu in R", time="n"))


def test_a_length_and_its_square():
    net = str(read("y_t = x_t / ‖x_t‖\nc_t = ‖y_t - u_t‖_2^2 + norm(y_t)^2\nE = 1/2 sum_t ‖c_t - d_t‖^2"))
    assert "net_y(t) = sum[k=1..n] x[k](t)^2\n  y[i](t) = x[i](t)/sqrt(net_y(t))" in net
    assert "c(t) = sum[i=1..n] y[i](t)^2 + sum[i=1..n] (y[i](t) - u[i](t))^2" in net
    assert "E = 1/2*sum[s=1..T] (c(s) - d(s))^2" in net
