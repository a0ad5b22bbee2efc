"""The LFMN in which every recurrent output unit has both net inputs, the one of the other kind being 0 at all times.

In the network itself an output unit has one recurrent net input, of its own kind. An equation that writes a term for
each kind (lfmn-11) means the term that the unit has; here the term that it does not have is 0.
"""

import numpy as np
from book.lfmn import bench as part
from sympy import Expr, Integer
from throughtime.derivation import Bench
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.nodes import Quantity, Ref, variable
from throughtime.evidence.trace import Arrays
from throughtime.systems import lfmn
from throughtime.systems.lfmn import Y_rec, i_a, i_n, t

# in the order of ``systems.lfmn``
net_out = variable("y~", Y_rec, latex=lfmn.net_out.latex).beside(lfmn.net_out)
act_out = variable("y-", Y_rec, latex=lfmn.act_out.latex).beside(lfmn.act_out)

WIDER: dict[Quantity, Quantity] = {lfmn.net_out: net_out, lfmn.act_out: act_out}


def widened(expr: Expr) -> Expr:
    """``expr`` with the net inputs of ``systems.lfmn`` replaced by those of this system."""

    def rule(node: Expr) -> Expr | None:
        if isinstance(node, Ref) and node.quantity in WIDER:
            return Ref(WIDER[node.quantity], *node.args[1:])
        return None

    return rewrite.replace(expr, rule)


def build() -> System:
    """The LFMN with the net inputs that a unit does not have, each 0; every call returns a new system."""
    net = System("LFMN with both net inputs", t)
    for definition in lfmn.build().all_definitions():
        net[widened(definition.left)] = widened(definition.right)
    net[net_out[i_a, t]] = Integer(0)
    net[act_out[i_n, t]] = Integer(0)
    return net


def both_kinds() -> Bench:
    """The bench of the LFMN chapters for this system; every call makes a new one."""
    return part.make_bench(build(), forward)


def forward(weights: Arrays, given: Arrays) -> Arrays:
    """The forward pass of the chapters, with 0 for the net inputs that a unit does not have."""
    trace = part.forward(weights, given)
    one, other = trace["y~"], trace["y-"]
    return trace | {"y~": np.hstack([one, 0 * other]), "y-": np.hstack([0 * one, other])}
