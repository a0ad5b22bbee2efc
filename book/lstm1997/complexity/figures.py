"""Figures on the cost of a gradient of the LSTM of 1997: operations, dependence of stored derivatives, measurements."""

from collections.abc import Sequence

import numpy as np
from book.lstm1997.complexity import checks as cost
from book.lstm1997.complexity.experiment import PROGRAMS, count, counted
from book.shared import figure_style as s
from book.shared.figure_style import arrow, drawn, label
from book.shared.records import Records
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

COLORS = {"truncated": s.GREEN, "bptt": s.BLUE, "rtrl": s.VERMILION}
WORDS = {"truncated": "truncated", "bptt": "BPTT", "rtrl": "RTRL"}
BLOCKS = (1, 2, 4, 8, 16, 32, 64)
MEASURED = Records("lstm1997_scaling.csv", ("series", "method", "weights", "length"))  # of loops that are gone
COUNTED = {"truncated": (1, 2, 4, 8, 16), "bptt": (1, 2, 4, 8, 16), "rtrl": (1, 2, 3)}


def sizes(blocks: int) -> tuple[int, ...]:
    """(d_in, d_hid, blocks, cells, d_out) of a network in the figures: two inputs, blocks of two cells, one output."""
    return (2, 0, blocks, 2, 1)


@drawn(6.4, 5.2, x=(-0.8, 8.3), y=(-5.4, 1.4))
def kept(ax: Axes) -> None:
    """What each method keeps of a sequence between two steps."""
    rows = (
        ("BPTT: all steps, then back", s.BLUE, 5),
        ("RTRL: one step, and units × weights", s.VERMILION, 1),
        ("truncated: one step, and states × their own weights", s.GREEN, 1),
    )
    for row, (words, color, steps) in enumerate(rows):
        y = -2.3 * row
        label(ax, -0.7, y + 0.95, words, color, fontsize=12)
        for step in range(5):
            full = step >= 5 - steps
            shape = {"facecolor": color if full else "none", "edgecolor": color, "alpha": 1.0 if full else 0.4}
            ax.add_patch(Rectangle((step * 0.95 - 0.6, y - 0.35), 0.7, 0.7, lw=1.4, **shape))
        if row:
            width = 3.4 if row == 1 else 0.9
            ax.add_patch(Rectangle((4.6, y - 0.55), width, 1.1, lw=1.4, facecolor=color, alpha=0.35))
            ax.add_patch(Rectangle((4.6, y - 0.55), width, 1.1, lw=1.4, facecolor="none", edgecolor=color))
        else:
            arrow(ax, (3.9, y - 0.6), (-0.6, y - 0.6), color, lw=1.6, zorder=3)


@drawn(6.4, 8.0, rows=2, large=True)
def operations_per_weight(panels: np.ndarray) -> None:
    """Operations of one step divided by the number of weights W, over W: formulas as lines, counted loops as dots.

    Above all three methods, on logarithmic axes; below truncation and BPTT, with one cell and with two in each block.
    """
    axes, close = panels
    weights = [cost.network(sizes(blocks)).layout.size for blocks in BLOCKS]
    for method, color in COLORS.items():
        line = [cost.value(cost.operations(method), sizes(blocks)) for blocks in BLOCKS]
        axes.loglog(weights, np.divide(line, weights), color=color)
        at = [cost.network(sizes(blocks)).layout.size for blocks in COUNTED[method]]
        found = [count(method, sizes(blocks)).total() for blocks in COUNTED[method]]
        axes.loglog(at, np.divide(found, at), "o", color=color)
    label(axes, 3e3, 3e4, "RTRL: grows like the weights", COLORS["rtrl"], ha="right", fontsize=12)
    label(axes, 3e3, 30, "truncated and BPTT: level", s.INK, ha="left", fontsize=12)
    axes.set(ylabel="operations of a step / $W$", ylim=(1, 3e5))
    for cells, style in ((1, (0, (4, 2))), (2, "-")):
        at = [(2, 0, blocks, cells, 1) for blocks in BLOCKS]
        weights = [cost.network(each).layout.size for each in at]
        for method in ("truncated", "bptt"):
            line = [cost.value(cost.operations(method), each) for each in at]
            close.semilogx(weights, np.divide(line, weights), color=COLORS[method], ls=style)
    label(close, 700, 7.6, "truncated, two cells", COLORS["truncated"], fontsize=12)
    label(close, 7e3, 5.05, "truncated, one cell", COLORS["truncated"], fontsize=12)
    label(close, 2e4, 6.25, "BPTT", COLORS["bptt"], fontsize=12)
    close.set(xlabel="number of weights $W$", ylabel="operations of a step / $W$", ylim=(4.7, 9.2))


def dependence(sizes: tuple[int, ...], method: str) -> np.ndarray:
    """Boolean matrix over the derivatives kept by an online method: [a, b] is True if a, one step later, depends on b.

    Each is changed by 1 after three random steps, weights and activations stay the same; any difference after the next
    step counts. In a net of one block they are sorted by weight, then by unit or state.
    """
    random, model = np.random.default_rng(0), cost.network(sizes)
    program = PROGRAMS[method](model, model.init(random, 1.0))
    program.run(random.normal(size=(3, model.n_in)), random.normal(size=(3, model.n_out)))
    _, _, r, z = program.advance(random.normal(size=model.n_in))

    start = [np.asarray(part) for part in program.kept]
    first, second = (np.arange(part.size).reshape(part.shape) for part in start)
    second = second + first.size
    by_weight = np.vstack([first, second]).reshape(len(first) + len(second), -1).T
    order = by_weight.ravel() if method == "rtrl" else np.r_[first.T.ravel(), second.ravel()]

    def stepped(change: np.ndarray) -> np.ndarray:
        changes = np.split(change, [first.size])
        program.kept = [counted(part + each.reshape(part.shape)) for part, each in zip(start, changes, strict=True)]
        program.move(r, z)
        return np.concatenate([part.ravel() for part in program.kept])[order]

    each = np.eye(len(order))
    return np.array([stepped(each[place]) != stepped(0 * each[0]) for place in order]).T


@drawn(6.6, 4.0, columns=2, large=True)
def kept_derivatives(axes: np.ndarray, shown: int = 24) -> None:
    """The dependence of the first ``shown`` derivatives, truncated and RTRL, with one block of two cells."""
    for ax, method in zip(axes, ("truncated", "rtrl"), strict=True):
        whole = dependence((1, 0, 1, 2, 1), method)
        places = np.argwhere(whole[:shown, :shown])
        ax.scatter(places[:, 1], places[:, 0], s=20, marker="s", lw=0, color=COLORS[method])
        ax.set(aspect="equal", xlabel="kept before the step", xticks=[], yticks=[], xlim=(-1, shown), ylim=(shown, -1))
        ax.set_title(f"{WORDS[method]}, {shown} of {len(whole)}")
    axes[0].set_ylabel("kept after it")


@drawn(6.2, 8.2, rows=2, large=True)
def measured(panels: np.ndarray, table: Sequence[dict[str, str]]) -> None:
    """Time per step over the number of weights, and peak memory over the length, from the rows of ``MEASURED``."""
    above, below = panels
    for method, color in COLORS.items():
        rows = [row for row in table if row["method"] == method]
        many, long = ([row for row in rows if row["series"] == series] for series in ("weights", "length"))
        time = [1e6 * float(row["seconds"]) / float(row["length"]) for row in many]
        above.loglog([float(row["weights"]) for row in many], time, "o-", color=color, ms=5)
        memory = [float(row["peak_bytes"]) / 1e3 for row in long]
        below.loglog([float(row["length"]) for row in long], memory, "o-", color=color, ms=5)
    for method, at, up, side, further, higher, other in (
        ("rtrl", 2.2e3, 5e3, "right", 2e3, 260, "left"),
        ("truncated", 1.1e5, 90, "left", 2e3, 13, "left"),
        ("bptt", 3.2e4, 220, "right", 6e3, 9e3, "right"),
    ):
        label(above, at, up, WORDS[method], COLORS[method], ha=side, fontsize=12)
        label(below, further, higher, WORDS[method], COLORS[method], ha=other, fontsize=12)
    above.set(xlabel="number of weights $W$", ylabel="microseconds a step", title="Time: what $W$ costs")
    below.set(xlabel="length of the sequence $T$", ylabel="kilobytes", title="Memory: what $T$ costs", ylim=(6, 6e4))
