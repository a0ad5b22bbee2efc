"""Figures on the truncated and the exact gradient of the LSTM: angle and norm ratio over nets and during training."""

from collections.abc import Mapping, Sequence

import numpy as np
from book.shared import figure_style as s
from book.shared.alignment import Quality
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes

LINES = (s.BLUE, s.GREEN, s.VERMILION, s.PURPLE)
Rows = Sequence[Mapping[str, str]]


def degrees(cosine: np.ndarray | Sequence[float] | float) -> np.ndarray:
    """Angles in degrees, 0 to 180, of cosines; values outside [-1, 1] are clipped. Same shape."""
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


@drawn(6.2, 4.4)
def angles_by_scale(ax: Axes, cosines: Mapping[float, Sequence[float]]) -> None:
    """Angle between both gradients of each random net, by scale of its weights; angles above 90 degrees highlighted."""
    spread = np.random.default_rng(0)
    for place, scale in enumerate(cosines):
        angle = degrees(np.asarray(cosines[scale]))
        x = place + spread.uniform(-0.3, 0.3, len(angle))
        for part, color in ((angle <= 90, s.BLUE), (angle > 90, s.VERMILION)):
            ax.plot(x[part], angle[part], "o", ms=3, color=color, alpha=0.55, mew=0)
        ax.plot([place - 0.36, place + 0.36], [np.median(angle)] * 2, color=s.INK, lw=2.2)
    ax.axhline(90, color=s.FAINT, lw=1, ls=(0, (4, 3)))
    label(ax, -0.4, 96, "beyond: uphill", s.VERMILION)
    ax.set_xticks(range(len(cosines)), [f"{scale:g}" for scale in cosines])
    ax.set(ylim=(-4, 184), yticks=[0, 45, 90, 135, 180], xlabel="weights uniform on $[-w, w]$, $w$ =")
    ax.set(ylabel="angle in degrees", title="Each dot is a net: truncated against exact gradient")


@drawn(6.4, 4.4, x=(-0.9, 7.3), y=(-0.8, 3.1))
def paths(ax: Axes) -> None:
    """The recurrent paths of one step: along the carousel, out of a cell and back, and among the units."""
    for step, time in enumerate(("t-1", "t", "t+1")):
        x = 3.2 * step
        box(ax, x, 0.0, f"$s({time})$", s.GREEN, size=12)
        box(ax, x, 2.2, f"$y({time})$", s.BLUE, size=12)
        arrow(ax, (x, 0.42), (x, 1.78), s.INK)
        if step < 2:
            arrow(ax, (x + 0.75, 0.0), (x + 2.4, 0.0), s.GREEN)
            for start, end in (((x + 0.6, 1.85), (x + 2.6, 0.38)), ((x + 0.75, 2.2), (x + 2.4, 2.2))):
                arrow(ax, start, end, s.VERMILION)
                ax.plot(*np.mean([start, end], axis=0), "x", color=s.INK, ms=11, mew=2.4, zorder=4)
    label(ax, 1.6, -0.42, "carousel: factor 1", s.GREEN, ha="center", fontsize=11)
    label(ax, 1.6, 2.72, "outside", s.VERMILION, ha="center", fontsize=11)
    label(ax, 4.95, 1.45, "returns", s.VERMILION, ha="left", fontsize=11)
    label(ax, 0.15, 1.1, r"$y^{\mathrm{og}} h'$", s.INK, ha="left", fontsize=11)


@drawn(6.8, 6.4, rows=2, columns=2, sharex=True, sharey="row")
def by_lag_and_openness(
    panels: np.ndarray, found: Mapping[str, Mapping[float, Mapping[int, Sequence[Quality]]]]
) -> None:
    """Angle in degrees (top) and norm ratio (bottom) over the length of the sequence: medians, bars from 10 to 90 %.

    One column per gate, one line per bias: ``found[gate][bias][length]`` are the nets.
    """
    for (gate, lines), column in zip(found.items(), panels.T, strict=True):
        for place, ((bias, line), color) in enumerate(zip(lines.items(), LINES, strict=False)):
            lags = np.array(list(line)) * (1 + 0.07 * (place - 1))
            angles = [degrees([net.cosine for net in nets]) for nets in line.values()]
            ratios = [[net.ratio for net in nets] for nets in line.values()]
            for ax, values in zip(column, (angles, ratios), strict=True):
                low, middle, high = np.percentile(values, [10, 50, 90], axis=1)
                ax.errorbar(lags, middle, (middle - low, high - middle), fmt="o-", color=color, ms=4, lw=1.2, capsize=2)
            words, look = f"{bias:+g}" if bias else "0", {"color": color, "transform": column[0].transAxes}
            column[0].text(0.04 + 0.22 * place, 0.97, words, fontsize=12, va="top", **look)
        column[0].set(title=f"{gate} shifted by", xscale="log", ylim=(0, 42))
        column[1].axhline(1, color=s.FAINT, lw=1, ls=(0, (4, 3)))
        column[1].set(xlabel="length of the sequence", yscale="log")
        column[1].set_xticks(list(line), map(str, line))
        column[1].set_xticks([], minor=True)
        column[1].set_yticks([0.5, 1, 2, 5, 10], ["0.5", "1", "2", "5", "10"])
        column[1].set_yticks([], minor=True)
    panels[0, 0].set_ylabel("angle in degrees")
    panels[1, 0].set_ylabel("ratio of norms")


@drawn(6.8, 6.2, rows=2, columns=2, sharex=True)
def gates_moved(panels: np.ndarray, nets: Rows) -> None:
    """Angle (top) and norm ratio (bottom) over the mean output gate of trained nets whose gates are moved by hand.

    Medians and bars from 10 to 90 %, joined over the shifts of the bias; one column per task, one line per look.
    """
    for task, column in zip(dict.fromkeys(row["setup"] for row in nets), panels.T, strict=True):
        for look, color in (("half", s.BLUE), ("end", s.VERMILION)):
            rows = [row for row in nets if (row["setup"], row["look"]) == (task, look)]
            shifts = ("_shut", "", "_opened")
            gates = [np.median([float(row[f"og{shift}"]) for row in rows]) for shift in shifts]
            angles = [degrees([float(row[f"cosine{shift}"]) for row in rows]) for shift in shifts]
            ratios = [[float(row[f"ratio{shift}"]) for row in rows] for shift in shifts]
            for ax, values in zip(column, (angles, ratios), strict=True):
                low, middle, high = np.percentile(values, [10, 50, 90], axis=1)
                ax.errorbar(gates, middle, (middle - low, high - middle), fmt="-", color=color, lw=1.4, capsize=3)
                for place, shift in enumerate(shifts):
                    filled = s.CARD if shift else color
                    ax.plot(gates[place], middle[place], "o", ms=7, color=color, mfc=filled, zorder=5)
        column[0].set(title=task, ylim=(0, None))
        column[1].axhline(1, color=s.FAINT, lw=1, ls=(0, (4, 3)))
        column[1].set(xlabel="mean of the output gates", ylim=(0, 1.25))
    panels[0, 0].text(0.05, 0.95, "end of training", color=s.VERMILION, va="top", transform=panels[0, 0].transAxes)
    panels[0, 0].text(0.05, 0.86, "half of it", color=s.BLUE, va="top", transform=panels[0, 0].transAxes)
    panels[0, 0].set_ylabel("angle in degrees")
    panels[1, 0].set_ylabel("ratio of norms")


@drawn(6.0, 6.4, rows=3, columns=2, sharey="row")
def angles_in_training(panels: np.ndarray, gradients: Rows, setups: Sequence[str]) -> None:
    """Angle of the hidden gradients during training: a panel per setup, a line per seed, a dot at its end."""
    for ax, setup in zip(np.ravel(panels), setups, strict=True):
        rows = [row for row in gradients if row["setup"] == setup and row["method"] == "truncated"]
        for seed in sorted({row["seed"] for row in rows}):
            seen = ((int(row["sequences"]) / 1000, float(row["hidden_cosine"])) for row in rows if row["seed"] == seed)
            taken, cosines = np.array(sorted(seen)).T
            ax.plot(taken, degrees(cosines), color=s.GRADIENT, lw=0.9, alpha=0.55)
            ax.plot(taken[-1], degrees(cosines[-1]), "o", color=s.GRADIENT, ms=3.5)
        ax.set(title=setup, xlabel="thousand sequences")
    for line in panels:
        if max(ax.dataLim.y1 for ax in line) > 90:
            for ax in line:
                ax.axhline(90, color=s.FAINT, lw=1, ls=(0, (4, 3)))
            line[0].set_yticks([0, 45, 90, 135])
        line[0].set(ylim=(0, None), ylabel="degrees")


@drawn(6.4, 6.76)
def sequences_needed(ax: Axes, runs: Rows, cap: int) -> None:
    """Sequences until solved with either gradient: one row per setup, one dot per seed, the count of unsolved runs."""
    setups = list(dict.fromkeys(row["setup"] for row in runs))
    for place, setup in enumerate(reversed(setups)):
        for method, color, shift in (("truncated", s.GRADIENT, 0.17), ("bptt", s.INK, -0.17)):
            rows = [row for row in runs if row["setup"] == setup and row["method"] == method]
            taken = np.array([int(row["taken"]) for row in rows])
            solved = np.array([row["solved"] == "1" for row in rows])
            y = np.full(len(rows), place + shift)
            ax.plot(taken[solved], y[solved], "o", color=color, ms=4.5, alpha=0.55, mew=0)
            if not solved.all():
                ax.text(cap * 1.15, place + shift, f"{np.sum(~solved)} never", color=color, fontsize=9, va="center")
            if solved.any():
                middle = np.median(np.where(solved, taken, np.inf))
                if np.isfinite(middle):
                    ax.plot([middle] * 2, [place + shift - 0.14, place + shift + 0.14], color=color, lw=2.4)
    ax.set_xscale("log")
    ax.set(xlim=(900, cap * 2.6), ylim=(-0.6, len(setups) - 0.2), xlabel="sequences until solved (bar: median)")
    ax.set_yticks(range(len(setups)), list(reversed(setups)))
    ax.set_xticks([1000, 3000, 10_000, 30_000], ["1000", "3000", "10 000", "30 000"])
    ax.set_xticks([], minor=True)
    ax.tick_params(axis="y", length=0)
    label(ax, 1000, len(setups) - 0.42, "truncated", s.GRADIENT)
    label(ax, 1900, len(setups) - 0.42, "exact", s.INK)
