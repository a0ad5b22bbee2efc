"""What people paste, and what would be read as another recurrence without a word."""

from __future__ import annotations

import pytest
from throughtime.reading import NotationError, read

DOUBTS = [
    ("h_t = tanh(W x_t + U h_{t-1}')", 21, "h_{t-1}' can be read", "h_{t-1}^T for the transpose"),
    (r"h_t = a_t^{\frac{1}{2}} \odot x_t", 6, "found the power frac12 at a", "sqrt(...)"),
    (r"h_t = \lambda^{\Delta t} h_{t-1} + x_t", 6, "found the power dt at lambda", "exp(... * log(lambda))"),
    ("h_t = tanh(W x_t + U h_{t-1}) (2.1)", 30, "(2.1) can be read", "two spaces before the number"),
    ("h_t = tanh(W x_t + U h_{t-1}) (3).", 30, "(3) can be read", "two spaces before the number"),
    (r"h_t = (I_n - A) h_{t-1} + x_t", 7, "I_n can be read", "I for the identity"),
    ("𝐡ₜ = tanh(𝐖𝐱ₜ + 𝐔𝐡ₜ₋₁)", 10, "𝐖𝐱 can be read", "W x for factors"),
    (r"h_t = \tanh(W x_{<t} + b)", 14, "found several times at x", "expected one, as x_t"),
    (r"h_t = \sigma(W x_t), where $\sigma$ is the sine function", 39, "found the time t", "words that belong"),
    ("h_t = x_t / rms(x_t) * g", 12, "found rms", "mean(a) for a mean"),
    (r"h_t = \cos 2\theta_t", 11, "found 2", "cos(...)"),
    (r"h_t = \sin^2 \theta_t + h_{t-1}", 6, "found sin^2", "expected sin(...)^2"),
    (
        "a_j(t) = sum_i w_{ij} x_i(t) + sum_k w_{kj} b_k(t-1)\nb_j(t) = f(a_j(t))",
        37,
        "w_{ij} beside w_{kj}",
        "w^{b} for the weights from b",
    ),
    ("for t in range(0, T, 2):\n    h[t] = tanh(W @ x[t])", 0, "found times other than 1", "a start is written"),
    ("c_t = ft ⊙ c_{t-1} + x_t", 6, "ft can be read", "f_t for what is given"),
    ("h_t = tanh(W1x_t + U1h_{t-1})", 11, "W1x_t can be read", "W1 x_t for a product"),
    ("h_t = tanh(Wxx_t + Whh_{t-1})", 11, "Wxx_t can be read", "Wx x_t for a product"),
    (r"h_t = \lambda(x_t) \odot h_{t-1} + x_t", 6, "a function \\lambda of the bracket", "f(...) for the function"),
    (r"h_t = \mathsf{A} h_{t-1} + \mathbf{A} x_t", 27, "of two fonts", "another letter for one"),
]


@pytest.mark.parametrize(("text", "place", "said", "hint"), DOUBTS)
def test_what_would_be_another_recurrence_is_asked(text: str, place: int, said: str, hint: str) -> None:
    with pytest.raises(NotationError) as caught:
        read(text)
    _, _, caret, *_ = str(caught.value).split("\n")
    assert said in str(caught.value)
    assert hint in str(caught.value)
    assert caret.index("^") - 2 == place
