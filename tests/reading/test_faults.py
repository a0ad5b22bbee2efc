"""What cannot be read is refused with a caret under the place, and what has two readings with both of them."""

from __future__ import annotations

import pytest
from throughtime.derivation import CycleError, DerivationError
from throughtime.reading import NotationError, read

GRU = "r_t = sigma(W_r x_t + U_r h_{t-1})\nh_t = tanh(W x_t + U (r_t * h_{t-1}))"

FAULTS = [
    ("h_t = tanh(W x_t + U h_{t-1}", "the end of the text", 28, "a bracket was opened"),
    ("h_t = tanh(W x_t + * b)", "found *", 19, "expected a letter, a number or a bracket"),
    ("h_t = tanh(W x_t) +", "the end of the text", 19, "expected a letter"),
    ("h_t = tanh W x_t", "found W", 11, "the argument of tanh in brackets"),
    (r"h_t = \oplus x_t", r"found \oplus", 6, "no meaning here"),
    ("h_t + x_t = 1", "found a formula", 0, "expected one quantity"),
    ("W in R^{2 x 3}", "found no equation", 0, "expected lines such as"),
    ("h_t = x_t\nh_t = u_t", "found h on the left again", 10, "expected one equation for each"),
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
    ("y_t = x_t^{1/2}", "found 1/2 at x", 6, "expected a label"),
    ("r_t = sigma(W x_t + b\nh_t = r_t * h_{t-1}", "the end of the line", 21, "a bracket was opened"),
    ("h_t = tanh(W x_t + U h_{t-1 + b)", "a { that is not closed", 23, "expected }"),
    ("h_t = tanh(W x_t + U h_t1)", "found t1 at h", 21, "a time stands as h_t or h_{t-1}"),
    ("h = tanh(W x_t + U h_{t-1})", "found h without a time", 0, "as h_t or h_{t-1}"),
    ("h = tanh(W x + b)", "found no time", 0, "with h_{t-1} on the right"),
    ("z_t = sigma(W x_t)\nh_t = zz_t * h_{t-1}", "found zz, which nothing computes", 25, "expected z_t"),
    ("Gate: z_t = W x_t", "found :", 4, "words that belong to no formula"),
    ("[i_t; f_t] = sigma(W x_t)", "found a formula", 0, "a line for each of them"),
    ("y_t = sum_{k=1}^K A_k x_{t-k}", "a sum over lags up to K", 6, "expected numbers"),
    ("y_i(t) = sum_j w_{ij} x_j(t) + u_j", "found the index j", 31, "one of the left side or under a sum"),
    ("y_i(t) = sum_j w_{ij} x_j(t) + w_i", "found w with one index", 31, "expected two indices: it is a matrix"),
    ("y_t = W x_t )", "found )", 12, "an operator or the end of the equation"),
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
    ("y_t = W x_t * u_t", "(A b) * c", "A (b * c)"),
    ("y_t = x_t / 2 u_t", "a / (b c)", "(a / b) c"),
    ("h_t = tanh(W*x_t + U h_{t-1})", "W x_t for the product", "W ⊙ x_t"),
    ("h_t = tanh(Wx_t + U h_{t-1})", "W x_t for a product", "Wx_t in R^n"),
    ("r_t = W x_t\nh_t = r_t * h_{t-1} + rt * x_t", "r_t", "rt in R^n for a weight"),
    ("y_t = h(x_t)", "h * ( ) for a product", "for a function"),
    ("a_{i,t} = W_i x_t + b_i", "W_{ij} x_j for an element", "if i is a label"),
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


def test_the_engine_refuses_what_is_no_recurrence():
    with pytest.raises(CycleError, match="a circle at one time"):
        read("h_t = tanh(W h_t)")
    with pytest.raises(DerivationError, match="looks ahead"):
        read("h_t = tanh(W h_{t-1} + V x_t)\ny_t = h_{t+1}")


def test_a_judged_formula_is_refused_in_its_own_text():
    gru = read(GRU)
    with pytest.raises(NotationError, match="expected a letter of the recurrence") as refusal:
        gru.judge("dL/dh_t = h_t - q_t")
    assert "dL/dh_t = h_t - q_t\n" + " " * 18 + "^" in str(refusal.value)
    with pytest.raises(NotationError, match="found a size m"):
        gru.judge("dL/dh_t = dL/dh_{t+1} * x_t")
    with pytest.raises(NotationError, match="a d below the d"):
        gru.judge("dL/h_t = h_t")


@pytest.mark.parametrize(
    "ask", [lambda gru: gru["Q"], lambda gru: gru.gradient("W_q"), lambda gru: gru.backward("q_t")]
)
def test_an_unknown_name_is_refused_with_the_names_that_there_are(ask):
    with pytest.raises(KeyError, match="is no quantity of recurrence; its names are r, h"):
        ask(read(GRU))


def test_a_matrix_in_blocks_names_its_blocks():
    with pytest.raises(KeyError, match="its blocks are W_h, W_x"):
        read("h_t = tanh(W [h_{t-1}; x_t] + b)")["W"]
