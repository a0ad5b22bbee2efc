"""What a truncation of the LSTM with forget gates cuts, and the angle of what it leaves to the exact gradient."""

from collections.abc import Iterable
from functools import cache

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import bent, box, drawn, label
from matplotlib.axes import Axes
from throughtime.checks import angle
from throughtime.derivation.deriving.forward import Cut
from throughtime.systems import lstm_family as family
from throughtime.textbook.peephole import GATES, PeepholeCut, PeepholeLSTM

# ---- the unrolled net, edges that are cut crossed out

Place = tuple[float, float]
Edge = tuple[str, str]  # name of the quantity that is read, name of the quantity that reads it

BEFORE, NOW = 0.0, 6.4  # the horizontal positions of the two steps
PLACES: dict[str, Place] = {
    "r": (0.0, 0.0), "net_ig": (-1.6, 2.0), "net_block": (-0.55, 2.0), "net_fg": (0.5, 2.0), "net_og": (1.6, 2.0),
    "s": (0.0, 4.2), "y_block": (0.0, 6.0),
}  # fmt: skip
WORDS = {"r": "$r$", "net_ig": "ig", "net_block": "$g$", "net_fg": "fg", "net_og": "og", "s": "$s$"}
WORDS |= {"y_block": r"$y^{\mathrm{block}}$"}
COLOURS = {"net_ig": s.BLUE, "net_fg": s.PURPLE, "net_og": s.VERMILION, "s": s.GREEN}
WITHIN: tuple[Edge, ...] = (
    *(("r", name) for name in ("net_ig", "net_block", "net_fg", "net_og")),
    ("net_ig", "s"), ("net_block", "s"), ("net_fg", "s"), ("net_og", "y_block"), ("s", "y_block"),
)  # fmt: skip
BENDS = {("y_block", "r"): 0.2, ("s", "net_og"): -0.6, ("s", "net_ig"): 0.0, ("s", "net_fg"): -0.12}
SHORT = {"shrinkA": 15, "shrinkB": 15}  # an edge ends at the frames of what it joins
CROSS_AT = {("s", "net_ig"): 0.6, ("s", "net_fg"): 0.66, ("y_block", "r"): 0.38}
CROSS_AT |= {("y_ig", "r"): 0.42, ("y_fg", "r"): 0.45, ("y_og", "r"): 0.5}


def crossed(cuts: Iterable[Cut]) -> set[Edge]:
    """The edges that cuts hold constant, by the names of what is read and of what reads it."""
    return {(cut.quantity.name, cut.into.name) for cut in cuts}


def across(member: family.Member) -> list[Edge]:
    """All edges of a member from one step to the next, and the peephole of the output gate within a step."""
    found = [("s", "s"), ("y_block", "r"), *((f"y_{name}", "r") for name in member.gates if name in member.reads)]
    return found + [("s", f"net_{name}") for name in member.gates if member.peepholes]


@drawn(6.8, 6.0, x=(-2.4, NOW + 2.4), y=(-1.4, 6.7))
def unrolled(axes: Axes, member: family.Member, cuts: Iterable[Cut] | None = None) -> None:
    """Two steps of one cell; an edge in ``cuts`` carries its number and no derivative. Without ``cuts``: the member's.

    Solid and dark: where a derivative passes. Thick: from state to state. Dashed: peepholes. Crossed and pale: cut.
    """
    cut = crossed(member.cuts() if cuts is None else cuts)
    for left in (BEFORE, NOW):
        for start, end in WITHIN:
            bent(axes, _at(start, left), _at(end, left), s.FAINT, lw=1.0, **SHORT)
    for edge in across(member):
        within = edge == ("s", "net_og")
        start, end = _at(edge[0], NOW if within else BEFORE), _at(edge[1], NOW)
        carousel = edge == ("s", "s")
        color = s.GREEN if edge[0] == "s" else s.INK
        style = {"lw": 3.2 if carousel else 1.5, "bend": BENDS.get(edge, 0.0), "alpha": 0.5 if edge in cut else 1.0}
        bent(axes, start, end, color, ls=(0, (4, 2)) if edge[1].startswith("net_") else "-", **style, **SHORT)
        if edge in cut:
            crossed_at = _along(start, end, BENDS.get(edge, 0.0), CROSS_AT.get(edge, 0.55))
            axes.plot(*crossed_at, marker="x", color=s.VERMILION, markersize=12, markeredgewidth=2.8, zorder=6)
    for left, when in ((BEFORE, "t-1"), (NOW, "t")):
        for name, words in WORDS.items():
            box(axes, *_at(name, left), words, COLOURS.get(name, s.INK), shape="round,pad=0.32", size=12)
        axes.text(left, -1.0, f"step ${when}$", ha="center", va="center", fontsize=12)
    label(axes, (BEFORE + NOW) / 2, PLACES["s"][1] + 0.38, r"$\times\ y^{\mathrm{fg}}(t)$", s.GREEN, ha="center",
          fontsize=12)  # fmt: skip


def _at(name: str, left: float) -> Place:
    """Where a quantity stands; the activation of a gate stands where its net input does."""
    x, y = PLACES[f"net_{name[2:]}" if name[2:] in family.GATES else name]
    return left + x, y


def _along(start: Place, end: Place, rad: float, share: float) -> Place:
    """The point of an arc3 edge (a quadratic Bezier curve) at a share of its parameter, from 0 to 1."""
    (x0, y0), (x1, y1) = start, end
    middle = np.array([(x0 + x1) / 2 + rad * (y1 - y0), (y0 + y1) / 2 - rad * (x1 - x0)])
    a, b = np.array(start), np.array(end)
    x, y = (1 - share) ** 2 * a + 2 * share * (1 - share) * middle + share**2 * b
    return float(x), float(y)


# ---- angles

SCALES = 2.0 ** np.arange(-6, 3)
NETS, STEPS = 200, 12
NAMES = {"w_out": "output weights", "w_og": "output gate", "w_cell": "cells"}
NAMES |= {"w_ig": "input gate", "w_fg": "forget gate"}


@cache
def angles(scale: float, *, gates_into_cells: bool) -> dict[str, np.ndarray]:
    """Angles in degrees between truncated and exact gradient of the error at the last step, by weight matrix.

    Of ``NETS`` nets with weights uniform on [-scale, scale]. With ``gates_into_cells`` the paths from the gates of the
    previous step into the net inputs of the cells are not cut.
    """
    draw = np.random.default_rng(2000)
    net = PeepholeLSTM(n_in=2, blocks=2, cells=2, n_out=1, peepholes=False)
    opened = [PeepholeCut("net_cell", f"y_{gate}") for gate in GATES] if gates_into_cells else []
    cuts = [cut for cut in net.cuts("truncated") if cut not in opened]
    last, found = np.eye(1, STEPS, STEPS - 1)[0], {name: [] for name in NAMES}
    for _ in range(NETS):
        theta = net.init(draw, scale=scale)
        data = (theta, draw.normal(size=(STEPS, 2)), draw.uniform(size=(STEPS, 1)), last)
        views = [net.layout.views(net.gradient_with_cuts(*data, cuts=some).gradient) for some in (cuts, ())]
        for name in NAMES:
            found[name].append(angle(*(view[name].ravel() for view in views)))
    return {name: np.array(values) for name, values in found.items()}


@drawn(6.6, 5.2)
def truncation_angle(axes: Axes) -> None:
    """Median angle of random nets over the scale of the weights, one curve per weight matrix."""
    colours = dict(zip(NAMES, (s.INK, s.VERMILION, s.GREEN, s.BLUE, s.PURPLE), strict=True))
    by_scale = [angles(scale, gates_into_cells=False) for scale in SCALES.tolist()]
    places = {"w_out": 0, "w_og": 70.5, "w_cell": 57, "w_ig": 64, "w_fg": 77}
    for name, colour in colours.items():
        axes.semilogx(SCALES, [np.median(found[name]) for found in by_scale], color=colour, marker="o", ms=4, base=2)
        label(axes, 4.5, places[name], NAMES[name], colour, ha="left", fontsize=11)
    axes.set(xlabel="scale of the weights", ylabel="median angle in degrees", xlim=(0.014, 24), ylim=(-4, 90))
    axes.set_xticks(SCALES[::2], ["1/64", "1/16", "1/4", "1", "4"])
    axes.set_title("Between the truncated and the exact gradient")
