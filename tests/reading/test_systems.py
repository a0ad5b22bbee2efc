"""Texts and systems that were written by hand define the same."""

from __future__ import annotations

import cells
import normalized_cells  # noqa: F401  registers its cells
import pytest
from printed import CELLS
from same import check_same
from throughtime.reading import read
from throughtime.systems import elman_jordan, recurrent

GATES = {f"{letter}_{name}": f"{by}{name}" for name in "zrhifo" for letter, by in zip("WUb", "WUb", strict=True)}
GRU = r"""
z_t = \sigma(W_z x_t + U_z h_{t-1} + b_z)
r_t = \sigma(W_r x_t + U_r h_{t-1} + b_r)
h_t = z_t \odot h_{t-1} + (1 - z_t) \odot f(W_h x_t + U_h (r_t \odot h_{t-1}) + b_h)
L = \frac12 \sum_t \|h_t - d_t\|^2
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
    "gru_before": (GRU, GATES, 2),
    "slstm": (CELLS["slstm"].text + "\nc_0 = p\nn_0 = q", XLSTM, 4),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_cell_is_the_system_that_is_written_by_hand(name):
    text, names, many = TEXTS[name]
    assert check_same(read(text), getattr(cells, name)(), names) == many


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


def test_a_slip_is_another_system():
    for written, slip in (
        (r"z_t \odot h_{t-1}", r"r_t \odot h_{t-1}"),
        ("W_r x_t", "W_r x_{t-1}"),
        ("- d_t", "- d_{t-1}"),
    ):
        with pytest.raises(AssertionError):
            check_same(read(GRU.replace(written, slip)), cells.gru_before(), GATES)
