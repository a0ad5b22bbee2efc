"""Functions by their names: those of the engine, the two activations with a slope of their own, and what is written for
a function that is none of each element."""

from __future__ import annotations

import re
from difflib import get_close_matches
from operator import truediv

from sympy import Add, Mul

from throughtime.derivation import exp, log, maximum, minimum, relu, sqrt
from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.derivation.formulas.functions import Elementary
from throughtime.reading.spelling import DERIVED, FUNCTIONS, REAL

sigma = Elementary("sigma", lambda value, z: value * (1 - value), r"\sigma")
tanh = Elementary("tanh", lambda value, z: 1 - value**2, r"\tanh")
ACTIVATIONS = {"sigma": sigma, "tanh": tanh, "relu": relu}
KNOWN = {"exp": exp, "log": log, "sqrt": sqrt}
COMBINED = {"sum": Add, "elementwise": Mul, "quotient": truediv, "max": maximum, "min": minimum}
SIGMA = ("sigmoid", "sigm", "logistic", "logsig")
SAME = {**dict.fromkeys(SIGMA, "sigma"), "ln": "log", "sgn": "sign", "tansig": "tanh"}
SAME |= {"maximum": "max", "minimum": "min"}
RAISED = {"tanh", "sigma", *NAMED}  # whose powers are those of the value, whatever the text says
LOSS = "the loss written out, as -sum(d_t * log(y_t)) or ‖y_t - d_t‖^2"
LOOSE = {  # functions that are none of each element, and what is written instead
    "normali[sz]e|standardi[sz]e|whiten(?:ing)?|cent(?:er|re)|squash|entmax|hardmax|top_?k|k?wta|winner|one_?hot|pool(?:ing)?|prod"
    "|lse|[al]max|cum\\w+|diff|flip|shift|delay|rotate|rope|shuffle|argsort|quantile|expm|cayley|project|embed(?:ding)?|ffn|affine"
    "|rnn|gru|lstm|cell|z_?score|l2_?normali[sz]e|\\w+_attention|\\w+_conv|linear|dense|fc|proj|mlp|dropout|average|avg|rms|softmin|roll|perm(?:ute)?|transpose|\\w+_?pool|arg(?:max|min)|cumsum|(?:layer|rms|batch|group|instance)_?norm|concat|cat|stack":
        "W x_t + b for a linear map, [a; b] for vectors one below the other, mean(a) for a mean",
    "log_?softmax|log_?sum_?exp": "log(softmax(a_t)), log(sum(exp(a_t)))",
    "(?:binary_?)?cross_?entropy|bce|mse|nll|\\w+loss": LOSS,
    "sg|stop_?grad(?:ient)?|detach": 'a line without it: derivatives are cut by name, as cuts="h_{t-1} into r"',
    "(?:d_)?kl": "sum(p_t * log(p_t / q_t)) for the divergence",
    "(?:zeros|ones)(?:_like)?|randn?": "a start is a line h_0 = s, and is 0 if there is none",
    "re|im|real|imag": REAL,
    "tr|trace|det|inv|pinv|vec|rank|eig|fft|conv\\d?d?|sort|cumprod|normalize|var|std|median|clip|clamp|where|outer"
    "|reverse|l2_?norm|sparsemax|maxout|attn|attention":
        "what it says, as a b^T, a / ‖a‖, min(max(a, 0), 1), mean((a - mean(a))^2), m_t * a_t + (1 - m_t) * b_t",
    "leaky_?relu|prelu": "max(a, 0.01 * a)",
    "grad": DERIVED,
}  # fmt: skip


NEAR = ("tanh", "sigmoid", "softmax", "softplus", "relu", "logistic", "sqrt")


def near_to(word: str) -> str:
    """The function that a word misspells; "" for none, and for one with a name of its own, as gelu, hardsigmoid."""
    own = called(word) or re.search("tan$|elu$|tanh$|sigmoid$|softmax$|softplus$", word.lower())
    return "" if own else next(iter(get_close_matches(word.lower(), NEAR, 1, 0.75)), "")


def called(base: str) -> str:
    """The function with a meaning of its own that a word stands for; "" for another word. LN is not ln."""
    small = base.lower() if len(base) > 3 or base.lower() in NAMED else base
    return SAME.get(small, small) if small in (*FUNCTIONS, *SAME, *NAMED) else ""
