"""The LSTM of 1997 as a system of recurrences, in the letters of the note: lstm97-36 to lstm97-44.

Hidden units, gates and cells read the concatenation r(t-1) = [x; y_hid; y_ig; y_og; y_cell] of what was there one
step before; outputs read o(t-1) = [x; y_hid; y_cell]. Cell k of block i shares its gates with the other cells of the
block. Units are numbered from 1 within their kind, the columns of a weight matrix through the whole concatenation.
"""

from __future__ import annotations

from collections.abc import Collection

from sympy import Expr, Integer

from throughtime.derivation import Dimension, Index, System, domain, indices, union
from throughtime.derivation.deriving.forward import Cut, cut
from throughtime.derivation.formulas.nodes import Activation, Delta, parameter, scalar, sequence, sum_over, variable
from throughtime.systems.letters import T, roman, t, tau

d_in, d_hid = Dimension("d_in", r"d_{\mathrm{in}}"), Dimension("d_hid", r"d_{\mathrm{hid}}")
d_cell, n_cell = Dimension("d_cell", r"d_{\mathrm{cell}}"), Dimension("n_cell", r"n_{\mathrm{cell}}", count=True)
d_out = Dimension("d_out", r"d_{\mathrm{out}}")

X, HID, OUT = domain("X", d_in), domain("HID", d_hid), domain("OUT", d_out)
BLOCK, CELL = domain("BLOCK", d_cell), domain("CELL", n_cell)  # a cell is a pair: its number k in block i

# columns of the weight matrices
C_hid = domain("C_hid", d_hid, after=X)
C_ig = domain("C_ig", d_cell, after=C_hid)
C_og = domain("C_og", d_cell, after=C_ig)
C_cell = domain("C_cell", n_cell * d_cell, after=C_og)
C_units = union("C_units", C_hid, C_ig, C_og, C_cell)
C = union("C", X, C_units)
C_out_cell = domain("C_out_cell", n_cell * d_cell, after=C_hid)
C_out_units = union("C_out_units", C_hid, C_out_cell)
C_out = union("C_out", X, C_out_units)

# the note's letters; one letter means a unit of the kind that it stands at
i, j, p = indices("i j p", BLOCK)
i_hid, j_hid, p_hid = indices("i j p", HID)
i_out, j_out, p_out = indices("i j p", OUT)
k, k_star = Index("k", CELL), Index("k*", CELL, r"k^{\star}")
q, m = indices("q m", C)
q_out = indices("q", C_out)

x, target = sequence("x", X), sequence("d", OUT, latex=r"\hat y")
mask = sequence("sigma", latex=r"\sigma", mask=True)
UNITS = {"hid": HID, "ig": BLOCK, "og": BLOCK}
w_hid, w_ig, w_og = (parameter(f"w_{kind}", over, C, latex=roman("w", kind)) for kind, over in UNITS.items())
w_cell = parameter("w_cell", CELL, BLOCK, C, latex=roman("w", "cell"))
w_out = parameter("w_out", OUT, C_out, latex=roman("w", "out"))
KINDS = {kind: (over,) for kind, over in UNITS.items()} | {"cell": (CELL, BLOCK), "out": (OUT,)}
b = {kind: parameter(f"b_{kind}", *over, latex=roman("b", kind)) for kind, over in KINDS.items()}

r = variable("r", C, latex=r"[x; y^{\mathrm{hid}}; y^{\mathrm{ig}}; y^{\mathrm{og}}; y^{\mathrm{cell}}]", lag=1)
o = variable("o", C_out, latex=r"[x; y^{\mathrm{hid}}; y^{\mathrm{cell}}]", lag=1)
o_same = variable("o", C_out)  # where outputs read the units of their own step
NET = r"\mathrm{net}"
net_hid, net_ig, net_og = (variable(f"net_{kind}", over, latex=roman(NET, kind)) for kind, over in UNITS.items())
net_cell = variable("net_cell", CELL, BLOCK, latex=roman(NET, "cell"))
y_hid, y_ig, y_og = (variable(f"y_{kind}", over, latex=roman("y", kind)) for kind, over in UNITS.items())
s = variable("s", CELL, BLOCK)
y_cell = variable("y_cell", CELL, BLOCK, latex=roman("y", "cell"))
net_out = variable("net_out", OUT, latex=roman(NET, "out"))
y = variable("y", OUT)
unit_cost = variable("E_unit", OUT, latex="E")
cost = variable("E")
loss = scalar("L", latex=r"\mathcal{L}")

f_hid, f_ig, f_og = (Activation(f"f_{kind}", over, latex=roman("f", kind)) for kind, over in UNITS.items())
f_out = Activation("f_out", OUT, latex=roman("f", "out"))
g, h = Activation("g", CELL, BLOCK), Activation("h", CELL, BLOCK)


def hid_column(unit: Expr) -> Expr:
    """The column, of every weight matrix, at which a hidden unit is read."""
    return d_in + unit


def cell_column(cell: Expr, block: Expr) -> Expr:
    """The column at which a cell is read by hidden units, gates and cells."""
    return d_in + d_hid + (1 + cell) * d_cell + block


def out_column(cell: Expr, block: Expr) -> Expr:
    """The column at which a cell is read by outputs."""
    return d_in + d_hid + (cell - 1) * d_cell + block


def cuts() -> tuple[Cut, ...]:
    """What the truncation holds constant (lstm97-44): all of r in the net inputs of hidden units, gates and cells."""
    return tuple(cut(r[q, t], into=net) for net in (net_hid, net_ig, net_og, net_cell))


def build(*, same: bool = False, bias: Collection[str] = (), masked: bool = False) -> System:
    """The whole network with the squared error over all steps. Inputs have the times 0 to T - 1, the rest 1 to T.

    same    whether outputs read the units of their own step, as in the paper's experiments
    bias    kinds of units with a bias: "hid", "ig", "og", "cell", "out"; the note has none
    masked  whether a mask says which steps count in the loss; without it all do, as in the note
    """
    net = System("LSTM 1997", t)
    net.given_from(x, 0)

    def biased(kind: str, *unit: Expr) -> Expr:
        return b[kind][unit] if kind in bias else Integer(0)

    into_outputs, seen = (o_same, t) if same else (o, t - 1)
    for read, at in ((r, t - 1), (into_outputs, seen)):
        c = q.within(X)
        net[read[c, t]] = x[c, t - 1]
        c = q.within(C_hid)
        net[read[c, t]] = sum_over(j_hid, Delta(c, hid_column(j_hid)) * y_hid[j_hid, at])
    for columns, gate in ((C_ig, y_ig), (C_og, y_og)):
        c = q.within(columns)
        net[r[c, t]] = sum_over(j, Delta(c, columns.lower - 1 + j) * gate[j, t - 1])
    c = q.within(C_cell)
    net[r[c, t]] = sum_over(k, j, Delta(c, cell_column(k, j)) * y_cell[k, j, t - 1])
    c = q.within(C_out_cell)
    net[into_outputs[c, t]] = sum_over(k, j, Delta(c, out_column(k, j)) * y_cell[k, j, seen])

    net[net_hid[i_hid, t]] = sum_over(q, w_hid[i_hid, q] * r[q, t]) + biased("hid", i_hid)
    net[y_hid[i_hid, t]] = f_hid[i_hid](net_hid[i_hid, t])
    net[net_ig[i, t]] = sum_over(q, w_ig[i, q] * r[q, t]) + biased("ig", i)
    net[y_ig[i, t]] = f_ig[i](net_ig[i, t])
    net[net_og[i, t]] = sum_over(q, w_og[i, q] * r[q, t]) + biased("og", i)
    net[y_og[i, t]] = f_og[i](net_og[i, t])
    net[net_cell[k, i, t]] = sum_over(q, w_cell[k, i, q] * r[q, t]) + biased("cell", k, i)
    net[s[k, i, t]] = s[k, i, t - 1] + y_ig[i, t] * g[k, i](net_cell[k, i, t])
    net[y_cell[k, i, t]] = y_og[i, t] * h[k, i](s[k, i, t])
    net[net_out[i_out, t]] = sum_over(q_out, w_out[i_out, q_out] * into_outputs[q_out, t]) + biased("out", i_out)
    net[y[i_out, t]] = f_out[i_out](net_out[i_out, t])

    net[unit_cost[i_out, t]] = (y[i_out, t] - target[i_out, t]) ** 2 / 2
    net[cost[t]] = sum_over(i_out, unit_cost[i_out, t])
    net[loss[()]] = sum_over((tau, 1, T), mask[tau] * cost[tau] if masked else cost[tau])
    return net
