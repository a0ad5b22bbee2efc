"""Units that are connected to nothing but themselves: bptt-21, bptt-22, lstm97-29, lstm97-30, and the carousel.

The quantities are those of the recurrent network, whose matrix of recurrent weights is diagonal here.
"""

from __future__ import annotations

from ..nodes import parameter, sum_over
from ..system import System
from .recurrent import U, cost, d_out, f, i, j, net, t, target, unit_cost, w, y

__all__ = ["U", "build", "build_affine", "constant", "cost", "d_out", "f", "i", "j", "net", "t", "target", "w", "y"]

constant = parameter("C", U)
START = 2
"""y(0) of the affine units; any constant but 0 would do, which a linear unit cannot leave."""


def build() -> System:
    """Self-connected units without inputs, each with an activation of its own, and the squared error of a time."""
    system = System("self-connected units", t)
    system[net[j, t]] = w[j, j] * y[j, t - 1]
    system[y[j, t]] = f[j](net[j, t])
    system[unit_cost[i, t]] = (y[i, t] - target[i, t]) ** 2 / 2
    system[cost[t]] = sum_over(i, unit_cost[i, t])
    return system


def build_affine() -> System:
    """The same units with the activations that constant error flow forces on them, f_j(z) = (z + C_j) / w_jj."""
    system = System("carousels", t)
    system[net[j, t]] = w[j, j] * y[j, t - 1]
    system[y[j, t]] = (net[j, t] + constant[j]) / w[j, j]
    system.initial(y, START)
    return system
