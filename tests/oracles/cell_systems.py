"""Gated cells, second-order units and softmax as compiled systems, of the names that transcriptions.cells_torch has."""

from collections.abc import Callable

import cells
import throughtime as tt
from throughtime.programs.plan import Plan

N, M, T = 3, 2, 5
SIZES = {cells.n: N, cells.m: M}
i, j, k, t = cells.i, cells.j, cells.k, cells.t


def second_order_system() -> tt.System:
    a, W, b = tt.variable("a", cells.U), tt.parameter("W", cells.U, cells.U, cells.X), tt.parameter("b", cells.U)
    system = tt.System("second order", t)
    products = tt.sum_over(k, j, W[i, k, j] * cells.h[k, t - 1] * cells.x[j, t])
    system[a[i, t]] = products + b[i]
    system[cells.h[i, t]] = cells.sigma(a[i, t])
    return cells.closed(system)


def softmax_system() -> tt.System:
    a, total = tt.variable("a", cells.U), tt.variable("total")
    W, U = tt.parameter("W", cells.U, cells.X), tt.parameter("U", cells.U, cells.U)
    system = tt.System("softmax", t)
    system[a[i, t]] = tt.sum_over(j, W[i, j] * cells.x[j, t]) + tt.sum_over(k, U[i, k] * cells.h[k, t - 1])
    system[total[t]] = tt.sum_over(k, tt.exp(a[k, t]))
    system[cells.h[i, t]] = tt.exp(a[i, t]) / total[t]
    return cells.closed(system)


CELLS = {name: getattr(cells, name) for name in ("gru_before", "gru_after", "mgu", "slstm")}
CELLS |= {"second_order": second_order_system, "softmax": softmax_system}


def compiled(builder: Callable) -> tt.CompiledNetwork:
    """The network of a builder of CELLS or of cells.CELLS."""
    made = builder()
    system = getattr(made, "system", made)
    wanted = {one.name for one in Plan(system, cells.loss, SIZES).activations()}
    functions = {of: rule for of, rule in {"sigma": "logistic", "f": "tanh"}.items() if of in wanted}
    return tt.compile(system, cells.loss, SIZES, activations=functions)
