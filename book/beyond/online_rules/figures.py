"""Figures on online rules: edges of one step and cuts, a lost path, angles to the exact gradient, learning curves."""

import numpy as np
from book.beyond.online_rules import experiment as runs
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from book.shared.intervals import median_interval
from matplotlib.axes import Axes

COLORS = {"exact": s.INK, "snap": s.GREEN, "rflo": s.BLUE, "one": s.VERMILION, "fed": s.PURPLE}
NAMES = {"exact": "exact", "snap": "SnAp-1", "rflo": "RFLO cut", "one": "one step", "fed": "RFLO, random feedback"}
LOOKS = {look: f"after {look}" if look else "at the start" for look in runs.LOOKS}


@drawn(6.0, 3.1, x=(-0.7, 4.8), y=(-2.4, 0.55))
def edges(ax: Axes) -> None:
    """One step of two units: from the units of t - 1 to net inputs and units of t, each kind of edge in its colour."""
    for row, unit in enumerate(("a", "k")):
        y = -1.6 * row
        box(ax, 0.0, y, f"$h_{unit}(t-1)$", s.INK, size=12)
        box(ax, 2.1, y - 0.45, f"$u_{unit}(t)$", s.INK, size=12)
        box(ax, 4.2, y, f"$h_{unit}(t)$", s.INK, size=12)
        arrow(ax, (0.55, y + 0.08), (3.7, y + 0.08), s.BLUE, lw=2.6, zorder=1)
        arrow(ax, (0.55, y - 0.1), (1.68, y - 0.4), s.GREEN, lw=2.0, zorder=1)
        arrow(ax, (2.5, y - 0.4), (3.72, y - 0.1), s.FAINT, lw=1.5, zorder=1)
        arrow(ax, (0.55, y - 0.22), (1.68, -1.6 * (1 - row) - 0.4), s.VERMILION, lw=2.0, zorder=1)
    label(ax, 1.1, 0.3, "leak, $1 - 1/\\tau$", s.BLUE, fontsize=11)
    label(ax, 1.12, -0.14, "own, $W_{aa}$", s.GREEN, fontsize=11)
    label(ax, -0.55, -0.85, "others,\n$W_{ka}$, $W_{ak}$", s.VERMILION, fontsize=11)


OWN, OTHERS = ("1", "½"), ("1", "½")  # of the page's three steps: dh_i(t)/dh_i(t-1), dh_i(t)/dh_k(t-1) from k = 1, 2


@drawn(6.0, 2.4, x=(-2.1, 5.5), y=(-2.05, 0.35))
def lost_path(ax: Axes) -> None:
    """Two units over three steps: the path that SnAp-1 keeps, the one that it loses, and a cross on each cut edge."""
    for step, row in np.ndindex(3, 2):
        x, y, other = 2.4 * step, -1.7 * row, -1.7 * (1 - row)
        box(ax, x, y, f"$h_{row + 1}({step + 1})$", s.FAINT if row and step != 1 else s.INK, size=12)
        if step < 2:
            _edge(ax, x, y, y, OWN[row], s.FAINT if row else s.BLUE)
            _edge(ax, x, y, other, OTHERS[row], s.VERMILION if row == step else s.FAINT)
            ax.plot(x + 1.55, y + 0.65 * (other - y), "x", color=s.INK, ms=9, mew=2.2, zorder=4)
    arrow(ax, (-1.5, 0), (-0.5, 0), s.BLUE, lw=2.4)
    label(ax, -1.1, 0, "½", s.BLUE, ha="center", fontsize=11)
    label(ax, -1.65, 0, "$w$", s.INK, ha="right", fontsize=13)


def _edge(ax: Axes, x: float, start: float, end: float, number: str, color: str) -> None:
    """An arrow to the next step, with the factor of its edge."""
    down, width = end - start, 1.1 if color == s.FAINT else 2.4
    arrow(ax, (x + 0.5, start + 0.17 * down), (x + 1.9, end - 0.17 * down), color, lw=width, zorder=1)
    label(ax, x + 0.8, start + 0.31 * down, number, color, ha="center", fontsize=11)


def found(rule: str, updates: int, name: str) -> list[float]:
    """ "cosine" or "ratio" of a rule after so many updates, of all networks."""
    rows = (row for row in runs.ANGLES.read() if (row["rule"], int(row["updates"])) == (rule, updates))
    return [float(row[name]) for row in rows]


@drawn(8.4, 4.2, 1, 2)
def angles(axes: np.ndarray) -> None:
    """Cosine with the exact gradient and ratio of lengths, of each rule at three stages: medians and all networks."""
    rules = [rule for rule in runs.RULES if rule != "exact"]
    titles = {"cosine": "cosine with the exact gradient", "ratio": "length over that of it"}
    for ax, (name, words) in zip(axes, titles.items(), strict=True):
        for place, rule in enumerate(rules):
            for shift, updates in zip((-0.25, 0.0, 0.25), runs.LOOKS, strict=True):
                values = found(rule, updates, name)
                low, high = np.percentile(values, [5, 95])
                ax.plot([place + shift] * 2, [low, high], color=COLORS[rule], lw=1.4, alpha=0.55)
                ax.plot(place + shift, np.median(values), "o", color=COLORS[rule], ms=5)
        ax.set_xticks(range(len(rules)), ["SnAp-1", "RFLO\ncut", "one\nstep", "RFLO,\nrandom"])
        ax.set_title(words)
        ax.grid(axis="y")
    axes[0].axhline(0, color=s.FAINT, lw=0.8)
    axes[1].axhline(1, color=s.FAINT, lw=0.8)


def curve(rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Losses of all runs with the rule's best rate, (runs, looks), and the numbers of updates at which they stand."""
    losses = np.array([[float(loss) for loss in row["losses"].split()] for row in final(rule)])
    return losses, np.arange(losses.shape[1]) * runs.EVERY


def final(rule: str) -> list[dict[str, str]]:
    """The rows of the runs with the best rate, without those for tuning."""
    rate = f"{runs.best_rate(rule):.8g}"
    rows = (row for row in runs.RUNS.read() if (row["rule"], row["rate"]) == (rule, rate))
    return [row for row in rows if int(row["seed"]) < runs.SEEDS]


@drawn(7.2, 4.4)
def learning(ax: Axes) -> None:
    """Median loss over 100 runs of each rule, with an interval of the median."""
    for rule in runs.RULES:
        losses, updates = curve(rule)
        low, high = zip(*(median_interval(column) for column in losses.T), strict=True)
        ax.fill_between(updates, low, high, color=COLORS[rule], alpha=0.18, lw=0)
        ax.plot(updates, np.median(losses, axis=0), color=COLORS[rule], label=NAMES[rule])
    ax.set(yscale="log", xlabel="updates", ylabel="mean loss")
    ax.legend(frameon=False, fontsize=9, loc="lower left")
    ax.grid(axis="y")
