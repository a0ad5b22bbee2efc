"""What cannot be read is refused with a caret under the place, and what has two readings with both of them."""

from __future__ import annotations

import pytest
from throughtime.reading import NotationError, read

GRU = "r_t = sigma(W_r x_t + U_r h_{t-1})\nh_t = tanh(W x_t + U (r_t * h_{t-1}))"

FAULTS = [
    ("h_t = tanh(W x_t + U h_{t-1}", "the end of the text", 28, "a bracket was opened"),
    ("h_t = tanh(W x_t + * b)", "found *", 19, "expected a letter, a number or a bracket"),
    ("h_t = tanh(W x_t) +", "the end of the text", 19, "expected a letter"),
    ("h_t = tanh W x_t", "found W", 11, "the argument of tanh in brackets"),
    (r"h_t = \oplus x_t", r"found \oplus", 6, "[a; b] for one below the other"),
    (r"h_t = z_t \otimes x_t", r"found \otimes", 10, "a * b for one product each unit, or a b^T"),
    ("h_t = |x_t|", "found |", 6, "‖a‖ for a length"),
    (r"\dot{h}_t = x_t", r"found \dot", 0, "no meaning here"),
    ("h_t = x_t + а_t", "found а", 12, "no meaning here"),
    ("h_t = t x_t", "the time t as a number", 6, "expected a quantity"),
    ("h_t = x_t for t = 2, ..., T", "found times other than 1, ..., T", 10, "a start is written h_0 = s"),
    ("h_t = tanh(W x_t + U h_{t-1}]", "found ]", 28, "a bracket was opened"),
    ("h_t = f(x_t, h_{t-1}; w)", "found ;", 20, "a function takes one formula"),
    ("h_t = tanh^{-1}(W x_t)", "found tanh^-1", 6, "expected tanh(...)^-1"),
    ("h_t = e^{-a} h_{t-1} + e_t", "found -a at e", 6, "exp(-a)"),
    ("h_t = tanh(W x_t V)", "found a vector between a matrix and a matrix", 13, "diag(a) stands before a vector"),
    ("h_t = x[n+1]", "found x[n+1]", 6, 'read(text, time="n")'),
    ("h_i(t) = x_i(t) = u_i(t)", "found a formula", 9, "one sign = in a line"),
    ("h_t = argmax(W x_t)", "found argmax", 6, "a function of each element"),
    ("h_t = W concat(x_t, h_{t-1})", "found concat", 8, "[a; b]"),
    ("W in Q^n\nh_t = W x_t", "found Q", 5, "R, R^n or R^{n x m}"),
    ("h_t = sum_{3} x_t", "found a sum over 3", 6, "a letter, as in sum_j"),
    ("h_t = alpha^T x_t\nalpha in R", "the transpose of a number", 6, "one of a vector or a matrix"),
    ("h_t = (A + B) [x_t; h_{t-1}]", "found no letter before vectors", 6, "expected a matrix"),
    ("h_t = W [x_t; u_t]\ny_t = W [x_t; u_t; h_t]", "found W before 3 vectors", 27, "expected 2, as above"),
    ("h_t = f(x_t)^{1/2}", "found the power 1/2", 12, "a whole number below 100 or T"),
    ("h_i(t) = x_i(t)\nh_i(t) = u_i(t)", "found h on the left again", 16, "one equation for each"),
    ("h_t = exp(A) h_{t-1}", "found exp of a matrix", 6, "diag(exp(a))"),
    ("H_t = tanh(W X_t + b)", "found b, a small letter, beside a matrix", 19, "b in R^{n x m} if it is one"),
    (r"h_t = x_t * \tilde{h}_t", "found h_tilde, which nothing computes", 12, "given: h_tilde_t in R^n"),
    ("x_{k+1} = A x_k", "found k+1 at x", 0, 'read(text, time="k") if k is the time'),
    ("h^2_t = x_t", "found a formula", 0, "raised in brackets, as h^{(1)}_t"),
    ("W in R^{h x d}\nh_t = W x_t", "the size h, while h_t is a quantity", 0, "another letter"),
    ("h_t = h_{t-1} + x_t\nL = sum_t (y_t - h_t)^2", "found a vector", 20, "one number for a loss"),
    ("y_i(t) = w_ij * x_j(t)", "found the index j", 16, "one of the left side or under a sum"),
    ("h_t = x_t\ny_t = V h_T", "expected a time t or t - n", 10, "reads h[i](T)"),
    ("h_t = tanh(W h_t)", "a circle at one time", 0, "net_h"),
    ("y_t = x_t\nh_t = h_{t+1}", "looks ahead", 10, "reversed sequence"),
    ("zt = tanh(W xt + U zt−1)", "found no time", 0, "as z_t = ... with z_{t-1}"),
    ("h_t + x_t = 1", "found a formula", 0, "expected one quantity"),
    ("W in R^{2 x 3}", "found no equation", 0, "expected lines such as"),
    ("h_t = tanh(W x_t)\ny_t = V h", "found h without a time", 26, "h_t or h_{t-1}"),
    ("y_t = W x_t + V", "found a matrix", 14, "expected a vector"),
    ("y_t = x_t^T", "found a row", 6, "expected a vector, as on the left"),
    ("y_t = W x_t^T", "found a matrix before a row", 6, "element by element"),
    ("y_t = [x_t; u_t]", "found vectors", 6, "expected them behind a matrix"),
    ("y_t = W^2 x_t", "found a power of a matrix", 6, "vector's elements"),
    ("y_i(t) = sum_j w_{ij} x_k(t)", "found the index k", 22, "one of the left side or under a sum"),
    ("y_t = max(x_t)", "found max of 1 arguments", 6, "expected 2"),
    ("s_t = softmax(sum(x_t))", "found softmax of a number", 6, "expected one of a vector"),
    ("W in R^{2 x 3}, x_t in R^2\ny_t = W x_t", "found a size 2", 35, "expected 3"),
    ("r_t = sigma(W x_t + b\nh_t = r_t * h_{t-1}", "the end of the line", 21, "a bracket was opened"),
    ("h_t = tanh(W x_t + U h_{t-1 + b)", "a { that is not closed", 23, "expected }"),
    ("h_t = tanh(W x_t + U h_t1)", "found t1 at h", 21, "a time stands as h_t or h_{t-1}"),
    ("h = tanh(W x_t + U h_{t-1})", "found h without a time", 0, "as h_t or h_{t-1}"),
    ("h = tanh(W x + b)", "found no time", 0, "with h_{t-1} on the right"),
    ("z_t = sigma(W x_t)\nh_t = zz_t * h_{t-1}", "found zz, which nothing computes", 25, "expected z_t"),
    ("If gate: z_t = W x_t", "found If", 0, "words that belong to no formula"),
    ("[i_t; f_t] = sigma(W x_t)", "found a formula", 0, "a line for each of them"),
    ("y_t = sum_{k=1}^K A_k x_{t-k}", "a sum over lags up to K", 6, "expected numbers"),
    ("y_i(t) = sum_j w_{ij} x_j(t) + u_j", "found the index j", 31, "one of the left side or under a sum"),
    ("y_i(t) = sum_j w_{ij} x_j(t) + w_i", "found w with one index", 31, "expected two indices: it is a matrix"),
    ("y_t = W x_t )", "found )", 12, "no bracket is open here"),
    # names that are nearly equal
    ("H_t = tanh(W x_t + U h_{t-1})", "found h, which nothing computes, while nothing reads H", 21, "h_t in R^n"),
    ("h~_t = f(W x_t)\nh_t = z_t * h_{t-1} + htilde_t", "found htilde, which nothing", 38, "htilde_t in R^n"),
    ("C_t = z_t * C_{t-1} + tanh(W h_{t-1})\nh_t = tanh(c_t)", "no other line reads C", 49, "c_t in R^n"),
    ("hidden_t = tanh(W x_t + U hiden_{t-1})", "found hiden, which nothing computes", 26, "hiden_t in R^n"),
    (
        "n_t = tanh(W x_t)\nz_t = f(U x_t)\nh_t = z_t * m_t",
        "m, which nothing computes, while nothing reads n",
        45,
        "m_t",
    ),
    ("h_t = W x_t for t = 1, ..., T-1", "found times other than 1, ..., T", 12, "h_0 = s"),
    ("h_t = x_t // y_t", "found /", 11, "expected a letter"),
    # empty places, divisions by 0, indices of programs
    (r"h_t = \tanh(W_{} x_t + U h_{t-1})", "found nothing at W", 12, "a time stands as W_t"),
    (r"h_{}^{(t)} = \tanh(W x^{(t)})", "found nothing at h", 0, "a time stands as h_t"),
    ("h_t = tanh(W x_t + U h_{t-1,})", "found nothing at h", 21, "a time stands as h_t"),
    (r"\mathbf{H_}t = \tanh(W x_t)", "found nothing at H", 8, "a time stands as H_t"),
    ("h_t = sum_{} x_t", "found a sum over {}", 6, "a letter for each sum"),
    ("h_t = 1/0", "found a division by 0", 6, "expected a number"),
    ("h_t = x_t / (1 - 1)", "ComplexInfinity", 0, "nothing is divided by 0"),
    ("h[t] = f(W[0] @ x[t] + W[1] @ h[t-1])", "found W at the time 0", 9, "W_0 for a label"),
    # two times, powers by vectors
    ("h_t = A_{t,t-1} h_{t-1} + x_t", "found A with two times", 6, "A_t for what is given at each time"),
    ("h_t = x_t^y_t", "found x with two times", 6, "exp(b_t * log(x_t)) for a power"),
    ("h_t = a ** r_t * h_{t-1}", "found the power r at a", 6, "exp(... * log(a))"),
    ("h_t = f(U h_{t_1})", "found t_1 at h", 10, "h_t or h_{t-1}"),
    ("h_t = f(U x_{2t})", "found 2t at x", 10, "x_{2,t} for a label and a time"),
    # functions of a whole vector
    ("y_t = log_softmax(V x_t)", "found log", 6, "log(softmax(a_t))"),
    ("h_t = h_{t-1} + sg(x_t)", "found sg", 16, "derivatives are cut by name"),
    ("h_t = W l2_norm(x_t)", "found l2", 8, "a / ‖a‖"),
    ("L = sum_t cross_entropy(y_t, d_t)", "found cross", 10, "-sum(d_t * log(y_t))"),
    (r"L = \sum_t \mathcal{L}(y_t, d_t)", "of 2 arguments", 11, "the loss written out"),
    # misspelt functions, two forms of a letter, marks of a page
    ("h_t = sofmax(W h_{t-1})", "found sofmax", 6, "softmax(...), or a letter for another function"),
    ("h_t = tahn(W h_{t-1})", "found tahn", 6, "tanh(...)"),
    (r"h_t = \phi(W x_t + \varphi(U h_{t-1}))", r"\phi beside \varphi", 19, r"another letter for \varphi"),
    ("h_t = <b>W</b> x_t", "found <", 6, "as W for <b>W</b>"),
    ("h_t -> W x_t", "found >", 5, "an equation, as h_t = f("),
    # hints
    (r"h_t = W_{x \to h} x_t", r"found x\toh at W", 6, "as W_{xh}"),
    (r"h_t = W x_t + b, b \in \mathbb{R}^{d \times 1}", "found a matrix", 14, "b in R^n if it is a vector"),
    (r"h_t = x_t; L = \sum_{t=0}^T ‖h_t - d_t‖^2", "d is given at 1..3", 35, "a sum over time from 1 on"),
    ("I_t = f(X_t W)\nC_t = I * C_{t-1} + I_t", "found I without a time", 21, "as I_t or I_{t-1}"),
]


@pytest.mark.parametrize(("text", "found", "place", "expected"), FAULTS)
def test_a_fault_is_shown_where_it_is(text, found, place, expected):
    with pytest.raises(NotationError) as refusal:
        read(text)
    said, shown, caret, *_ = str(refusal.value).split("\n")
    start = text.rfind("\n", 0, place) + 1
    assert found in said
    assert shown == "  " + text[start:].split("\n")[0]
    assert caret.index("^") - 2 == place - start
    assert expected in str(refusal.value)


TWO_READINGS = [
    ("h_t = x_t + h_t-1", "h_{t-1}", "h_t - 1"),
    ("c_t = f_t c_{t-1} + x_t\nf_t = sigma(W x_t)", "f_t * c_{t-1} for one product each unit", "f_t^T c_{t-1}"),
    ("y_t = W x_t * u_t", "(W x_t) * ...", "W (x_t * ...)"),
    ("y_t = x_t / 2 u_t", "a / (b c)", "(a / b) c"),
    ("h_t = tanh(W*x_t + U h_{t-1})", "W x_t for the product", "W ⊙ x_t"),
    ("h_t = tanh(Wx_t + U h_{t-1})", "W x_t for a product", "Wx_t in R^n"),
    ("r_t = W x_t\nh_t = r_t * h_{t-1} + rt * x_t", "r_t", "rt in R^n for a weight"),
    ("y_t = h(x_t)", "h * ( ) for a product", "for a function"),
    ("h_t = Λ h_{t-1}", "Lambda in R", "Lambda in R^{n x n}"),
    ("h_t = tanh(W x_t) (3)", "two spaces before the number of an equation", "3 * ... for a factor"),
    ("h_t = LN(W x_t)", "LN @ ( ) for a product", "a word in small letters for a function"),
    ("h_t = W x_t; h_0 = V x_1", "x_{1,t} for a label", "x_1 in R^n for a weight"),
    ("h_t = (1 - a) h_{t-1} + x_t", "(1 - a) * h_{t-1} for one product each unit", "(1 - a)^T h_{t-1}"),
    ("a_{i,t} = W_i x_t + b_i", "W_{ij} x_j for an element", "if i is a label"),
    ("y_t = h_t[0] + c_t", "w^T a with a given vector w", "0 * a for a factor"),
    ("h_t = f(W_hh_{t-1} + W_xx_t)", "W_h h_t for a product", "W_hh_t in R^n"),
    (r"S_t = G_t \odot S_{t-1} + k_t^\top v_t", "a line of its own for a number", "a b^T for a matrix"),
    ("a_i(t) = sum_j wij x_j(t) + b_i", "w_{ij} for an element", "wij in R for a number"),
    ("h_t = tanh(W x_t + U h_{t-1} b)", "... + b or ... ⊙ b", "b in R for a number"),
    ("i_t = σ W_i x_t\nh_t = i_t * σ(W h_{t-1})", "sigma(...) for the function", "another letter"),
    ("h_t = (1 z_t) * h_{t-1} + x_t", "1 - z_t for a difference", "z_t for the factor"),
    (r"y_t = g^{-1}(x_t)", "another letter for the inverse function", "g^-1 * (...) for a product"),
]


@pytest.mark.parametrize(("text", "one", "other"), TWO_READINGS)
def test_what_has_two_readings_is_refused_with_both(text, one, other):
    with pytest.raises(NotationError, match="can be read in two ways") as refusal:
        read(text)
    assert one in str(refusal.value)
    assert other in str(refusal.value)


def test_each_of_two_readings_can_be_written():
    assert "h[i](t-1)" in str(read("h_t = x_t + h_{t-1}"))
    assert "h[i](t)" in str(read("y_t = x_t + h_t - 1"))
    one, other = read("y_t = (W x_t) * u_t"), read("y_t = W (x_t * u_t)")
    assert "u[i](t)*sum" in str(one) or ")*u[i](t)" in str(one)
    assert "x[j](t)*u[j](t)" in str(other)


def test_a_judged_formula_is_refused_in_its_own_text():
    gru = read(GRU)
    with pytest.raises(NotationError, match="expected a letter of the recurrence") as refusal:
        gru.judge("dL/dh_t = h_t - q_t")
    assert "dL/dh_t = h_t - q_t\n" + " " * 18 + "^" in str(refusal.value)
    for text, found in (
        ("dL/dh_t = dL/dh_{t+1} * x_t", "found a size m"),
        ("dL/h_t = h_t", "a d below the d"),
        ("dL/dQ = h_t", "its names are L, U"),
        ("dL/dU = sum_t dL/dnet_h h_{t-1}^T", "found net_h without a time"),
        ("dL/dU = U_t", "found U with a time"),
        (r"\delta r_t = h_t", "found delta; expected a letter of the recurrence: r, h"),
        (r"\nabla L = 0", "dL/dW for a gradient"),
        ("dL_t/dh_t = 0", "found L with a time"),
        ("dh_t/dh_{t-1} = r_t", r"diag\(a\) for one derivative each unit"),
        ("dL/dU = sum_t h_{t-1}^T dL/dh_t", r"a b\^T for the product of a column and a row"),
        ("h_t = r_t, r_t = h_t", "found 2 equations"),
    ):
        with pytest.raises(NotationError, match=found):
            gru.judge(text)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda gru: gru.gradient("h_t"), r'h_t is not learned; expected a weight, or backward\("h_t"\)'),
        (lambda gru: gru.backward("U_r"), r'U_r has no time; expected a state, or gradient\("U_r"\)'),
        (lambda gru: gru.forward("L", "h"), "L is no state"),
        (lambda gru: gru.cuts("h_{t-2} into r"), r"r has no h_{t-2}; it has h\(t - 1\)"),
    ],
)
def test_a_question_to_the_wrong_quantity_is_refused_with_the_right_one(ask, said):
    with pytest.raises(ValueError, match=said):
        ask(read(GRU))


@pytest.mark.parametrize(
    "ask", [lambda gru: gru["Q"], lambda gru: gru.gradient("W_q"), lambda gru: gru.backward("q_t")]
)
def test_an_unknown_name_is_refused_with_the_names_that_there_are(ask):
    with pytest.raises(KeyError, match="is no quantity of recurrence; its names are r, h"):
        ask(read(GRU))


def test_a_matrix_in_blocks_names_its_blocks():
    with pytest.raises(KeyError, match="its blocks are W_h, W_x"):
        read("h_t = tanh(W [h_{t-1}; x_t] + b)")["W"]
