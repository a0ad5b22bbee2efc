"""Figure of the family tree of the LSTM, with the equations that change at each branch."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from throughtime.systems import lstm_family as family
from throughtime_book.peephole.family.claims import changes
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import arrow, box, canvas, label, styled

SHORT = {"r": "sources", "s": "state", "y_block": "cell output", "net_out": "output"}
PLACES = {
    family.LSTM1997: (0.0, 4.0), family.LSTM2000: (0.0, 3.0), family.UNSQUASHED: (-1.1, 2.0),
    family.LSTM2002: (-1.1, 1.0), family.EXPERIMENTS: (-1.1, 0.0), family.LIBRARY: (1.1, 2.0),
}  # fmt: skip
BRANCHES = (
    (family.LSTM1997, family.LSTM2000), (family.LSTM2000, family.UNSQUASHED), (family.UNSQUASHED, family.LSTM2002),
    (family.LSTM2002, family.EXPERIMENTS), (family.LSTM2000, family.LIBRARY),
)  # fmt: skip


def changed(parent: family.Member, child: family.Member) -> list[str]:
    """Short names, without repetition, of the equations in which two members differ; biases are ignored."""
    plain = [replace(member, bias=False) for member in (parent, child)]
    names: dict[str, None] = {}
    for change in changes(*plain):
        name = (change.after or change.before).left.quantity.name
        if child.outputs or name not in ("net_out", "y", "E_unit", "E"):
            names["gates" if name.startswith("net_") and name != "net_out" else SHORT.get(name, "")] = None
        else:
            names["no output layer"] = None
    return [name for name in names if name]


@styled
def tree() -> Figure:
    """The members as boxes, oldest at the top; each branch is labelled with the equations that change."""
    figure, axes = canvas(6.8, 7.0)
    for parent, child in BRANCHES:
        _branch(axes, PLACES[parent], PLACES[child], ", ".join(changed(parent, child)))
    for member, (x, y) in PLACES.items():
        words = member.name.replace(", ", "\n", 1).replace("with forget gates", "\nwith forget gates")
        words = words.replace("of today's", "of\ntoday's").replace("output squashing", "\noutput squashing")
        words = words.replace("with peepholes", "\nwith peepholes").replace(" \n", "\n")
        box(axes, x, y, words, s.BLUE, size=11)
    axes.set(xlim=(-2.2, 2.4), ylim=(-0.5, 4.5))
    axes.axis("off")
    return figure


def _branch(axes: Axes, start: tuple[float, float], end: tuple[float, float], words: str) -> None:
    arrow(axes, (start[0], start[1] - 0.3), (end[0], end[1] + 0.3), s.FAINT)
    side = -1 if end[0] < start[0] else 1
    x = (start[0] + end[0]) / 2 + side * (0.12 if start[0] == end[0] else 0.3)
    label(axes, x, (start[1] + end[1]) / 2 + 0.05, words, s.VERMILION, ha="left" if side > 0 else "right", fontsize=11)
