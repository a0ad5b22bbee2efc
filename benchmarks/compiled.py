"""The networks of the book as compiled systems, of any size: for measurements and for tests."""

from __future__ import annotations

from functools import partial

import throughtime as tt
from throughtime.evidence.compiled import compiled
from throughtime.programs import CompiledNetwork
from throughtime.systems import lstm1997 as l97
from throughtime.systems import lstm_family as fam

made = partial(tt.compile, compiled=True)  # from the first step on

SQUASHED = dict.fromkeys(("f_hid", "f_ig", "f_og", "f_out"), "logistic") | {"g": "twice_tanh_half", "h": "tanh_half"}


def lfmn(hidden: tuple[int, int, int] = (1, 2, 1), output: tuple[int, int, int] = (2, 1, 1)) -> CompiledNetwork:
    """The local feedback network: units without feedback, with that of the net input, and of the activation."""
    return compiled(tt.LFMN(2, hidden, output), True)


def recurrent(units: int = 3) -> CompiledNetwork:
    """The fully recurrent network."""
    return compiled(tt.FullyRecurrent(2, units), True)


def simple(jordan: bool, hidden: int = 3) -> CompiledNetwork:
    """The network of Elman or of Jordan."""
    return compiled((tt.Jordan if jordan else tt.Elman)(2, hidden, 2), True)


def independent(units: int = 3) -> CompiledNetwork:
    """Units that each read their own past alone, h_i(t) = f(sum_j w_ij x_j(t) + u_i h_i(t-1)), as in IndRNN."""
    n, m = tt.Dimension("n"), tt.Dimension("m")
    over, given = tt.domain("units", n), tt.domain("inputs", m)
    i, j, t, s = tt.indices("i", over), tt.indices("j", given), tt.time("t"), tt.time("s")
    w, u, x, target = (
        tt.parameter("w", over, given),
        tt.parameter("u", over),
        tt.sequence("x", given),
        tt.sequence("d", over),
    )
    a, h, loss, f = tt.variable("a", over), tt.variable("h", over), tt.scalar("L"), tt.Activation("f")
    system = tt.System("independent units", t)
    system[a[i, t]] = tt.sum_over(j, w[i, j] * x[j, t]) + u[i] * h[i, t - 1]
    system[h[i, t]] = f(a[i, t])
    system[loss[()]] = tt.sum_over((s, 1, tt.LENGTH), i, (h[i, s] - target[i, s]) ** 2)
    return made(system, loss, {n: units, m: 8}, activations={"f": "tanh"})


def lstm1997(blocks: int = 2, hidden: int = 1) -> CompiledNetwork:
    """LSTM 1997 with two cells in a block."""
    sizes = {l97.d_in: 2, l97.d_hid: hidden, l97.d_cell: blocks, l97.n_cell: 2, l97.d_out: 2}
    return made(l97.build(), l97.loss, sizes, activations=SQUASHED, cuts={"truncated": l97.cuts()})


def peephole() -> CompiledNetwork:
    """The net of the experiments of 2002 with one block of one cell: its sources are the input and its own output."""
    member, loss = fam.EXPERIMENTS, tt.scalar("L")
    system, s = member.build(), tt.time("s")
    system[loss[()]] = tt.sum_over((s, 1, tt.LENGTH), fam.cost[s])
    sizes = {fam.d_in: 1, fam.d_out: 1, fam.n_blk: 1, fam.d_blk: 1, fam.n_src: 2}
    chosen = {"S_x": [[1.0], [0.0]], "S_block": [[[0.0]], [[1.0]]]}
    functions = dict.fromkeys(("f_ig", "f_fg", "f_og", "f_out"), "logistic") | {"g": "identity"}
    return made(system, loss, sizes, activations=functions, given=chosen, cuts={"truncated": member.cuts()})
