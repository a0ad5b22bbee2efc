"""Cells as one writes them down: each derivative is derived, proved and put to its mutants without a word of advice."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import gated_cells  # noqa: F401  registers its cells
import normalized_cells  # noqa: F401  registers its cells
import pasted_cells  # noqa: F401  registers its cells
import plain_cells  # noqa: F401  registers its cells
import pytest
from printed import CELLS
from sympy import Expr
from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.printing.printer import to_latex, to_text
from throughtime.reading import Reading, read

STABLE = """
a_t = u * x_t + h_{t-1}
m_t = max(m_{t-1}, a_t)
c_t = exp(m_{t-1} - m_t) * c_{t-1} + exp(a_t - m_t) * f(x_t)
n_t = exp(m_{t-1} - m_t) * n_{t-1} + exp(a_t - m_t)
h_t = c_t / n_t
"""
NORMALIZED = """
a_t = u * x_t + v * h_{t-1}
q_t = mean(a_t)
s_t = mean((a_t - q_t)^2)
h_t = f((a_t - q_t) / sqrt(s_t + 1))
"""
WRITTEN = {
    "exponential gates with a stabilizer": pytest.param(STABLE, marks=pytest.mark.nightly),
    "softmax": "h_t = softmax(u * x_t + v * h_{t-1})",
    "mean, variance and root": NORMALIZED,
    "all other units": "a_i(t) = u_i x_i(t) + sum_k (1 - delta_{ik}) w_{ik} h_k(t-1)\nh_i(t) = f(a_i(t))",
    "three indices": CELLS["second_order"].text,
    "a state that is reset": "h_t = f(u * x_t + v * (r_t * w + (1 - r_t) * h_{t-1}))\nr_t in R",
    "a clock for each unit": "a_t = u * x_t + W h_{t-1}\nh_t = m_t * f(a_t) + (1 - m_t) * h_{t-1}",
    "a complex state": "h_t = u * h_{t-1} - w * g_{t-1} + x_t\ng_t = w * h_{t-1} + u * g_{t-1}\ny_t = h_t + g_t",
    "a linear memory": CELLS["lmu"].text,
    "a learnt start and a skip": "h_t = f(W x_t + U h_{t-1} + u * h_{t-3})\nh_0 = sigma(b)",
    "inputs and outputs of two times": CELLS["narx"].text,
    "a logistic map": "x_{t+1} = r * x_t * (1 - x_t)\nx_0 = s",
    "Oja's rule": "y_t = w_t^T x_t\nw_{t+1} = w_t + eta * y_t * (x_t - y_t * w_t)\nw_0 = s",
    "four exponential gates": pytest.param("slstm_stable", marks=pytest.mark.nightly),
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_every_derivative_of_a_cell_is_shown(text: str) -> None:
    net = read(CELLS[text].text if text in CELLS else text)
    *_, last = net.states
    for state in net.states:
        assert net.backward(state, keep=net.states).mutants.passed
    for weight in net.weights:
        assert net.gradient(weight).mutants.passed
        assert net.forward(last, weight).mutants.passed


def test_gates_above_and_below_a_fraction_bar_keep_their_derivative_where_states_start_from_weights() -> None:
    """From 0 a common factor of all input gates cancels."""
    assert read(CELLS["slstm"].text + "\nc_0 = p\nn_0 = q").forward("h", "b_i").mutants.passed


def test_what_cancels_between_a_state_and_gates_of_the_next_step_is_0() -> None:
    net = read(CELLS["slstm_stable"].text)
    assert net.backward("m", keep=net.states).mutants.passed


@cache
def derived(name: str) -> tuple[Reading, list[Derivation]]:
    """A cell, and what is derived by each of its states and weights."""
    net = read(CELLS[name].text)
    by_states = [net.bench.derive_backward(net.loss[()], net._element(one)) for one in net.states]
    return net, by_states + [net.bench.derive_gradient(net.loss[()], net._element(one)) for one in net.weights]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("printed", [to_text, to_latex])
def test_what_is_derived_is_read_as_it_prints(name: str, printed: Callable[[Expr], str]) -> None:
    net, found = derived(name)
    for one in found:
        with net.system.printing:
            left, right = net.formula(f"{printed(one.left)} = {printed(one.result)}")
        assert equal(left, one.left)
        assert equal(right, one.result)
