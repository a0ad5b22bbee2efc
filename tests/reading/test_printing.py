"""A text prints in its own order and letters, whatever was made before or after it in the same process."""

import pytest
from throughtime import read

GRU = """
r_t = sigma(W_r x_t + U_r h_{t-1} + b_r)
z_t = sigma(W_z x_t + U_z h_{t-1} + b_z)
a_t = tanh(W x_t + r_t * (U h_{t-1}) + b)
h_t = (1 - z_t) * h_{t-1} + z_t * a_t
"""
OTHER = "y_t = V h_t + c\nh_t = tanh(b + U h_{t-1} + W x_t)\nb in R^n"


def shown(net) -> list[str]:
    derived = net.backward("h")
    return [str(net), str(derived), net._repr_mimebundle_()["text/html"], derived._repr_mimebundle_()["text/html"]]


@pytest.mark.parametrize("text", [GRU, OTHER, "h_t = tanh(W x_t + U h_{t-1} + b)"])
def test_the_order_of_terms_is_that_of_the_text(text):
    for before in (GRU, OTHER):
        read(before).backward("h")
        net = read(text)
        first = shown(net)
        read(OTHER), read(GRU)
        assert shown(net) == first
        if text == GRU:
            assert "W_r[i,j]*x[j](t) + sum[k=1..n] U_r[i,k]*h[k](t-1) + b_r[i]" in first[0]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"h^{(2)}_t = \tanh(A x_t + B h^{(2)}_{t-1})", "h^{(2)}_{i}(t)"),  # no square
        ("h_t = tanh(W_2 x_t + U h_{t-1})", "W^{(2)}_{i j}"),
        ("s_t = tanh(W x_t + U s_{t-1})", "s_{i}(u)"),  # a sum over another letter
    ],
)
def test_labels_and_letters_in_latex(text, printed):
    assert printed in read(text)._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("name", ["d", "decay"])
def test_a_name_does_not_run_into_the_sign_of_its_derivative(name):
    gate = read(f"{name}_t = sigma(W x_t)\nh_t = {name}_t * h_{{t-1}} + x_t\nh_t in R^n")
    assert f"dh[i](t)/d {name}[" in str(gate.forward("h", f"{name}_t"))
