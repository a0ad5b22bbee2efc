"""The LFMN with both recurrent net inputs at every recurrent output unit.

In the network itself an output unit has one recurrent net input, of its own kind, so an equation with both for one unit
(lfmn-11 as printed) is undefined. Here the second net input is computed as well, with a feedback weight of its own and
the same input weights; the outputs do not depend on it.
"""

from __future__ import annotations

from sympy import Expr
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.nodes import Quantity, Ref, parameter, sum_over, variable
from throughtime.derivation.formulas.rewrite import replace
from throughtime.systems import lfmn
from throughtime.systems.lfmn import W_out, Y_act, Y_net, Y_rec, f, i_a, i_n, k, t, x

net_out = variable("y~", Y_rec, latex=lfmn.net_out.latex)
act_out = variable("y-", Y_rec, latex=lfmn.act_out.latex)
u_side = parameter("u_side", Y_act, latex=lfmn.u_out.latex)
v_side = parameter("v_side", Y_net, latex=lfmn.v_out.latex)
net_out.rank, act_out.rank = lfmn.net_out.rank, lfmn.act_out.rank  # same order of factors as in ``systems.lfmn``
y_side = variable("y_side", Y_net, latex=r"y^{\mathrm{side}}")

WIDER: dict[Quantity, Quantity] = {lfmn.net_out: net_out, lfmn.act_out: act_out}


def widened(expr: Expr) -> Expr:
    """``expr`` with the net inputs of ``systems.lfmn`` replaced by those of this system."""

    def rule(node: Expr) -> Expr | None:
        if isinstance(node, Ref) and node.quantity in WIDER:
            return Ref(WIDER[node.quantity], *node.args[1:])
        return None

    return replace(expr, rule)


def build() -> System:
    """The LFMN with the second net inputs and their activations; every call returns a new system."""
    net = System("LFMN with both net inputs", t)
    for definition in lfmn.build().all_definitions():
        net[widened(definition.left)] = widened(definition.right)
    net[net_out[i_a, t]] = u_side[i_a] * net_out[i_a, t - 1] + sum_over(k, W_out[i_a, k] * x[k, t])
    net[act_out[i_n, t]] = v_side[i_n] * y_side[i_n, t - 1] + sum_over(k, W_out[i_n, k] * x[k, t])
    net[y_side[i_n, t]] = f(act_out[i_n, t])
    return net
