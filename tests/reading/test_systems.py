"""Texts and systems that were written by hand define the same."""

from __future__ import annotations

from importlib import import_module

import gated_cells  # noqa: F401  registers its cells
import normalized_cells  # noqa: F401  registers its cells
import pasted_cells  # noqa: F401  registers its cells
import plain_cells  # noqa: F401  registers its cells
import pytest
from printed import CELLS
from same import check_same
from throughtime.reading import read
from throughtime.systems import elman_jordan, recurrent

GATES = {f"{letter}_{name}": f"{by}{name}" for name in "zrhifo" for letter, by in zip("WUb", "WUb", strict=True)}
GRU = r"""
z_t = \sigma(W_z x_t + U_z h_{t-1} + b_z)
r_t = \sigma(W_r x_t + U_r h_{t-1} + b_r)
h_t = z_t \odot h_{t-1} + (1 - z_t) \odot f(W_h x_t + INNER + b_h)
L = \frac12 \sum_t \|h_t - d_t\|^2
"""
LAYER_NORM = r"""
a_t = W_h x_t + U_h h_{t-1}
\mu_t = mean(a_t)
v_t = mean((a_t - \mu_t)^2)
h_t = f(g \odot (a_t - \mu_t) / sqrt(v_t + 1) + b_h)
"""
STACKED = """
V in R^{n x n}
k_t = f(W_1 x_t + U_1 k_{t-1} + b_1)
h_t = f(V k_t + U_2 h_{t-1} + b_2)
L = 1/2 sum_t ‖h_t - d_t‖^2
"""
RECURRENT = """
z_i(t) = sum_q w_in[i,q] x_q(t-1) + sum_j w[i,j] y_j(t-1)
y_i(t) = f(z_i(t))
L = 1/2 sum_t sum_i (y_i(t) - d_i(t))^2
"""
SIMPLE = """
f_{n,k}(t) = sigma(v0_k + sum_p x_{n,p}(t) vx[p,k] + CONTEXT)
g_{n,j}(t) = sigma(omega_j + sum_k f_{n,k}(t) w[k,j])
"""
XLSTM = {f"{letter}_{name}": f"{by}{name}" for name in "zifo" for letter, by in zip("WRb", "WUb", strict=True)}
XLSTM |= {"phi": "f", "target": "d"}
TEXTS = {
    "gru_before": (GRU.replace("INNER", r"U_h (r_t \odot h_{t-1})"), GATES, 2),
    "gru_after": (GRU.replace("INNER", r"r_t \odot (U_h h_{t-1})"), GATES, 2),
    "mgu": (
        CELLS["mgu"].text,
        {
            "W_f_h": "Uf",
            "W_f_x": "Wf",
            "W_h_1": "Uh",
            "W_h_x": "Wh",
            "b_f": "bf",
            "b_h": "bh",
            "tanh": "f",
            "target": "d",
        },
        2,
    ),
    "slstm": (CELLS["slstm"].text, XLSTM, 4),
    "slstm_stable": (CELLS["slstm_stable"].text, XLSTM, 5),
    "layer_norm": (LAYER_NORM, {"W_h": "Wh", "U_h": "Uh", "b_h": "bh", "target": "d"}, 4),
    "narx": (
        CELLS["narx"].text,
        {"y": "h", "A_1": "Wh", "A_2": "W1", "B_1": "Uh", "B_2": "U1", "b": "bh", "target": "d"},
        2,
    ),
    "stacked": (
        STACKED,
        {"k": "h1", "V": "W2", "W_1": "W1", "U_1": "U1", "b_1": "b1", "U_2": "U2", "b_2": "b2"},
        3,
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_cell_is_the_system_of_the_benchmarks(name, monkeypatch):
    text, names, many = TEXTS[name]
    system = import_module("cells").CELLS[name]().system
    assert check_same(read(text), system, names) == many


def test_the_fully_recurrent_network():
    made = read(RECURRENT)
    assert check_same(made, recurrent.build(masked=False), {}) == 3


@pytest.mark.parametrize(
    ("jordan", "context"), [(False, "sum_l f_{n,l}(t-1) vf[l,k]"), (True, "sum_m g_{n,m}(t-1) vg[m,k]")]
)
def test_the_nets_of_elman_and_jordan(jordan, context):
    names = {"v0": "v_0", "vx": "v_x", "vf": "v_f", "vg": "v_g", "omega": "w_0", "target": "d"}
    made = read(SIMPLE.replace("CONTEXT", context))
    assert check_same(made, elman_jordan.build(jordan=jordan), names) == 3


def test_a_slip_is_no_system_of_the_benchmarks():
    text, names, _ = TEXTS["gru_after"]
    system = import_module("cells").CELLS["gru_after"]().system
    for written, slip in (
        (r"z_t \odot h_{t-1}", r"r_t \odot h_{t-1}"),
        ("W_r x_t", "W_r x_{t-1}"),
        ("- d_t", "- d_{t-1}"),
    ):
        with pytest.raises(AssertionError):
            check_same(read(text.replace(written, slip)), system, names)
