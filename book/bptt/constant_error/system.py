"""Self-connected units (bptt-21, bptt-22, lstm97-29, lstm97-30) and the constant error carousel as systems.

The quantities are those of ``throughtime.systems.recurrent`` with a diagonal recurrent weight matrix.
"""

from __future__ import annotations

from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.nodes import parameter, sum_over
from throughtime.systems.recurrent import U, cost, d_out, f, i, j, net, t, target, unit_cost, w, y

__all__ = ["U", "build", "build_affine", "constant", "cost", "d_out", "f", "i", "j", "net", "t", "target", "w", "y"]

constant = parameter("C", U)
START = 2
"""y(0) of the affine units; nonzero, since a linear unit without inputs stays at 0."""


def build() -> System:
    """Self-connected units without inputs, unit j with its own activation f_j, and the squared error E(t)."""
    system = System("self-connected units", t)
    system[net[j, t]] = w[j, j] * y[j, t - 1]
    system[y[j, t]] = f[j](net[j, t])
    system[unit_cost[i, t]] = (y[i, t] - target[i, t]) ** 2 / 2
    system[cost[t]] = sum_over(i, unit_cost[i, t])
    return system


def build_affine() -> System:
    """The same units with the activations required by constant error flow, f_j(z) = (z + C_j) / w_jj; no error."""
    system = System("carousels", t)
    system[net[j, t]] = w[j, j] * y[j, t - 1]
    system[y[j, t]] = (net[j, t] + constant[j]) / w[j, j]
    system.initial(y, START)
    return system
