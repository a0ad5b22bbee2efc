"""The family tree of the LSTM, and what changes at a branch: new and lost terms stand in boxes."""

from dataclasses import replace

from book.shared import figure_style as s
from book.shared.figure_style import arrow, drawn, label
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from sympy import Add
from throughtime.derivation import Definition, Quantity, to_latex
from throughtime.derivation.printing.lines import pieces
from throughtime.systems import lstm_family as family

# ---- what changes at a branch

DESCRIBED = {
    family.source: "sources",
    family.net_cell: "net input of a cell",
    family.s: "cell state",
    family.y_cell: "cell output",
    family.net_out: "net input of an output",
    family.y: "output",
    family.unit_cost: "error of an output",
    family.cost: "error",
}
for _name, _words in (("fg", "forget gate"), ("ig", "input gate"), ("og", "output gate")):
    DESCRIBED |= {family.net[_name]: f"net input of the {_words}", family.gate[_name]: _words}

ON_ONE_LINE = 2  # terms

# Of Graves and Schmidhuber (2005), as Greff et al. (2017) write it, with one cell in each block.
VANILLA = replace(family.LSTM2002, name="vanilla LSTM, 2005", squash=True, reads=(), direct=False, bias=True)


def marked(definition: Definition | None, other: Definition | None) -> str:
    """A definition as LaTeX; terms of its right side that the other one lacks stand in boxes. "none" without one."""
    if definition is None:
        return "none"
    shared = Add.make_args(other.right) if other is not None else ()
    lines = pieces(to_latex(definition.right))
    for inner in (to_latex(term) for term in Add.make_args(definition.right) if term not in shared):
        lines = [line.replace(inner, rf"\boxed{{{inner}}}", 1) for line in lines]
    if len(lines) <= ON_ONE_LINE:
        return f"${to_latex(definition.left)} = {' '.join(lines)}$"
    rows = r" \\ & ".join(lines)
    return rf"$\begin{{aligned}}{to_latex(definition.left)} = {{}} & {rows}\end{{aligned}}$"


def changes(parent: family.Member, child: family.Member) -> list[tuple[Definition | None, Definition | None]]:
    """The equations that `child` has otherwise than `parent`, before and after, in the order of computation."""
    old, new = ({item.left: item for item in member.build().check().order()} for member in (parent, child))
    found = [(old.get(left), new.get(left)) for left in dict.fromkeys([*new, *old])]
    return [(before, after) for before, after in found if before != after]


def branch(parent: family.Member, child: family.Member) -> list[list[str]]:
    """Two rows (which, equation) for each equation that changes, before and after; no biases."""
    rows = []
    for before, after in changes(*(replace(member, bias=False) for member in (parent, child))):
        quantity: Quantity = (after or before).left.quantity
        rows += [[f"{DESCRIBED[quantity]}, before", marked(before, after)], ["after", marked(after, before)]]
    return rows


# ---- the tree

WORDS = {  # at a branch: what changes, by the short name of the equation
    family.LSTM2000: {
        "sources": "the forget gate is a source, too",
        "gates": "each block gets a forget gate",
        "state": r"the old state gets the factor $y^{\mathrm{fg}}$",
        "output": "outputs read cells of the same step",
    },
    family.UNSQUASHED: {"cell output": "$h$ is dropped"},
    family.LSTM2002: {"gates": "each gate sees the states\nof its own block"},
    family.EXPERIMENTS: {"sources": "no gate reads a gate", "output": "outputs read only cells"},
    family.LIBRARY: {"sources": "no gate reads a gate", "no output layer": "the output layer goes"},
    VANILLA: {"sources": "no gate reads a gate", "cell output": "$h$ is back", "output": "outputs read only cells"},
}  # fmt: skip
TITLES = {
    family.LSTM1997: "LSTM\n1997", family.LSTM2000: "LSTM with\nforget gates, 2000",
    family.UNSQUASHED: "without\noutput squashing", family.LSTM2002: "LSTM with\npeepholes, 2002",
    family.EXPERIMENTS: "net of the\nexperiments, 2002", family.LIBRARY: "cell of\ntoday's libraries",
    VANILLA: "vanilla LSTM\n2005",
}  # fmt: skip
PLACES = {
    family.LSTM1997: (0.0, 8.5), family.LSTM2000: (0.0, 6.0), family.UNSQUASHED: (0.0, 4.0),
    family.LSTM2002: (0.0, 2.0), family.EXPERIMENTS: (0.0, -0.3), family.LIBRARY: (5.0, 4.0),
    VANILLA: (5.0, -0.3),
}  # fmt: skip
EXACT = (family.LIBRARY, VANILLA)  # trained by the exact gradient; the others were truncated
WIDE, HIGH = 2.7, 0.95
BRANCHES = (
    (family.LSTM1997, family.LSTM2000), (family.LSTM2000, family.UNSQUASHED), (family.UNSQUASHED, family.LSTM2002),
    (family.LSTM2002, family.EXPERIMENTS), (family.LSTM2000, family.LIBRARY),
    (family.LSTM2002, VANILLA),
)  # fmt: skip


@drawn(6.6, 7.4, x=(-1.5, 6.5), y=(-1.0, 9.2))
def tree(axes: Axes) -> None:
    """The members as boxes, oldest at the top; beside each branch what changes at it."""
    for parent, child in BRANCHES:
        words = [*WORDS[child].values(), *(["exact gradient"] if child in EXACT else [])]
        _branch(axes, PLACES[parent], PLACES[child], "\n".join(words))
    for member, (x, y) in PLACES.items():
        frame = {"facecolor": s.CARD, "edgecolor": s.BLUE, "linewidth": 1.5, "zorder": 3}
        axes.add_patch(Rectangle((x - WIDE / 2, y - HIGH / 2), WIDE, HIGH, **frame))
        axes.text(x, y, TITLES[member], ha="center", va="center", fontsize=11.5, zorder=4)


def _branch(axes: Axes, start: tuple[float, float], end: tuple[float, float], words: str) -> None:
    """An arrow from frame to frame, straight down or with a corner, and its words to the right of it."""
    top, bottom = start[1] - HIGH / 2, end[1] + HIGH / 2
    style = {"color": s.INK, "linewidth": 1.5, "zorder": 2}
    if start[0] == end[0]:
        arrow(axes, (start[0], top), (end[0], bottom), s.INK, shrinkA=0, shrinkB=0, zorder=3)
        label(axes, end[0] + 0.15, (top + bottom) / 2, words, s.VERMILION, ha="left", fontsize=11)
    else:
        axes.plot([start[0] + WIDE / 2, end[0]], [start[1]] * 2, **style)
        arrow(axes, (end[0], start[1]), (end[0], bottom), s.INK, shrinkA=0, shrinkB=0, zorder=3)
        label(axes, end[0] - 0.15, (start[1] + bottom) / 2, words, s.VERMILION, ha="right", fontsize=11)
