"""The factors of the note's chains, for output i, cell j of block k and time t, and its truncated derivative."""

from sympy import Expr
from throughtime.derivation import Ref, Truncated, d, partial
from throughtime.systems import lstm_family as system
from throughtime.systems.lstm_family import Member

_k, _j, _i, _t = system.k, system.j, system.i, system.t
error = system.y[_i, _t] - system.target[_i, _t]
out_slope = system.f_out.prime(system.net_out[_i, _t], _i)
by_output = d(system.cost[_t], system.y[_i, _t]) * partial(system.y[_i, _t], system.net_out[_i, _t])
to_state = partial(system.net_out[_i, _t], system.y_cell[_k, _j, _t])
to_state *= partial(system.y_cell[_k, _j, _t], system.s[_k, _j, _t])


def d_tr(member: Member, target: Expr, wrt: Ref) -> Truncated:
    """The truncated derivative, as a symbol."""
    return Truncated(target, wrt, *member.cuts())


def slope(name: str, when: Expr = _t) -> Expr:
    """f' of a gate at its net input."""
    return system.f[name].prime(system.net[name][_k, when], _k)


def by_gate(name: str, weight: Ref) -> Expr:
    """From a gate's activation to a weight of that gate, both immediate."""
    net = system.net[name][_k, _t]
    return partial(system.gate[name][_k, _t], net) * partial(net, weight)
