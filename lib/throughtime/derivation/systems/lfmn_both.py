"""The LFMN whose recurrent outputs run both recursions, whichever of the two their activation reads.

In the network itself an output unit has one recurrent net input, of its own kind. An equation that names both for one
unit (lfmn-11 as printed) has no meaning there. Here it has one: the unit's second net input is computed on the side,
with weights of its own and the same input weights, and nothing reads it.
"""

from __future__ import annotations

from sympy import Expr

from ..nodes import Quantity, Ref, parameter, sum_over, variable
from ..rewrite import replace
from ..system import System
from . import lfmn
from .lfmn import W_out, Y_act, Y_net, Y_rec, f, i_a, i_n, k, t, x

net_out = variable("y~", Y_rec, latex=lfmn.net_out.latex)
act_out = variable("y-", Y_rec, latex=lfmn.act_out.latex)
u_side = parameter("u_side", Y_act, latex=lfmn.u_out.latex)
v_side = parameter("v_side", Y_net, latex=lfmn.v_out.latex)
net_out.rank, act_out.rank = lfmn.net_out.rank, lfmn.act_out.rank  # products print in the same order as there
y_side = variable("y_side", Y_net, latex=r"y^{\mathrm{side}}")

WIDER: dict[Quantity, Quantity] = {lfmn.net_out: net_out, lfmn.act_out: act_out}


def widened(expr: Expr) -> Expr:
    """The same formula over the net inputs that every recurrent output has here."""

    def rule(node: Expr) -> Expr | None:
        if isinstance(node, Ref) and node.quantity in WIDER:
            return Ref(WIDER[node.quantity], *node.args[1:])
        return None

    return replace(expr, rule)


def build() -> System:
    """The network with the second net inputs beside it; every call returns a new system."""
    net = System("LFMN with both net inputs", t)
    for definition in lfmn.build().all_definitions():
        net[widened(definition.left)] = widened(definition.right)
    net[net_out[i_a, t]] = u_side[i_a] * net_out[i_a, t - 1] + sum_over(k, W_out[i_a, k] * x[k, t])
    net[act_out[i_n, t]] = v_side[i_n] * y_side[i_n, t - 1] + sum_over(k, W_out[i_n, k] * x[k, t])
    net[y_side[i_n, t]] = f(act_out[i_n, t])
    return net
