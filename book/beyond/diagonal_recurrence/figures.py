"""Figures on diagonal recurrence: which states depend on which weights, and how long nets remember."""

import numpy as np
from book.beyond.diagonal_recurrence import checks
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

TITLES = {"IndRNN": "one diagonal layer", "two layers": "upper of two layers", "fully recurrent": "fully recurrent"}


@drawn(6.6, 3.4, x=(-0.8, 5.3), y=(-2.4, 0.5))
def template(ax: Axes) -> None:
    """One step of two units of the template: each state has its own past, and the input may set what is kept of it."""
    for height, name in ((0.0, "i"), (-2.0, "k")):
        box(ax, 0.0, height, f"$s_{name}(t-1)$", s.INK, size=12)
        box(ax, 4.6, height, f"$s_{name}(t)$", s.INK, size=12)
        label(ax, 1.75, height + 0.24, rf"$\kappa_{name}(t)\,\psi$", s.BLUE, fontsize=12)
    box(ax, 2.4, -1.0, "$x(t)$", s.GREEN, size=12)
    edges = [((0.7, height), (4.2, height), s.BLUE, 2.4) for height in (0.0, -2.0)]
    edges += [((2.75, -1.0 + side * 0.1), (4.2, -1.0 + side * 0.8), s.GREEN, 1.6) for side in (1, -1)]
    edges += [((2.4, -1.0 + side * 0.25), (2.4, -1.0 + side * 0.95), s.ORANGE, 1.6) for side in (1, -1)]
    for start, end, color, width in edges:
        arrow(ax, start, end, color, lw=width, zorder=1)
    label(ax, 3.65, -0.72, "$e_i(t)$", s.GREEN, fontsize=11)
    label(ax, 3.65, -1.3, "$e_k(t)$", s.GREEN, fontsize=11)
    label(ax, 2.5, -0.42, "gate", s.OCHRE, fontsize=10)


@drawn(8.4, 2.6, 1, 3, sharey=True)
def dependence(axes: np.ndarray) -> None:
    """Which states depend on which input weights after six steps, in three nets of four units and three inputs."""
    for ax, (name, title) in zip(axes, TITLES.items(), strict=True):
        found = checks.dependence(name)
        ax.imshow(found != 0, cmap=ListedColormap([s.CARD, s.BLUE]), vmin=0, vmax=1, aspect="auto")
        ax.set(title=title, xlabel="weight from inputs, unit by unit")
        ax.set_xticks(np.arange(found.shape[1] + 1) - 0.5, [])
        ax.set_yticks(range(checks.UNITS), [str(one) for one in range(1, checks.UNITS + 1)])
        for edge in np.arange(0, found.shape[1], checks.INPUTS):
            ax.axvline(edge - 0.5, color=s.FAINT, lw=0.8)
        for edge in range(1, checks.UNITS):
            ax.axhline(edge - 0.5, color=s.HAIR, lw=0.8)
    axes[0].set_ylabel("state of unit")


@drawn(6.6, 3.8)
def signs(ax: Axes) -> None:
    """How often the sign of the first input is still that of the state, over lags, for five units in noise."""
    colors = dict(zip(checks.KEPT, (s.SKY, s.BLUE, s.VERMILION, s.ORANGE, s.GREEN), strict=True))
    words = {"gate": "gate, $z = 0.001$", "latch": "activation feedback, $u = 4$"}
    marks = dict(zip(checks.KEPT, "osD^v", strict=True))
    fine = np.unique(np.geomspace(1, checks.LAGS[-1], 60).astype(int))
    for name, color in colors.items():
        shares = [checks.signs_kept(name, lag) / checks.TAIL for lag in checks.LAGS]
        text = words.get(name, f"linear, $u = {name.split()[-1]}$")
        look = {"ms": 9, "mfc": "none"} if name == "gate" else {"ms": 5}  # the latch keeps the same signs
        ax.plot(checks.LAGS, shares, marks[name], color=color, label=text, clip_on=False, **look)
        if name.startswith("linear"):
            predicted = [checks.likely(float(name.split()[1]), int(lag)) for lag in fine]
            ax.plot(fine, predicted, "-", color=color, lw=1.2)
    ax.set(xscale="log", xlabel="lag", ylabel="share of right signs", ylim=(0.48, 1.02))
    ax.grid(axis="y")
    ax.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
