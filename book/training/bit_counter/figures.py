"""Figures on the linear bit counter: the net over time, its error surface, and sections of it."""

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from book.training.counter import mean_error
from matplotlib.axes import Axes

STATE = {"shape": "round,pad=0.4,rounding_size=0.6", "size": 13}


@drawn(6.6, 3.0, x=(-0.4, 4.3), y=(-0.3, 1.45))
def unrolled(ax: Axes) -> None:
    """The net unrolled over one sequence i: f_i(t) = v_f f_i(t-1) + v_x x_i(t), with the answer at T (rnn-15)."""
    for t in range(4):
        time = str(t) if t < 3 else "T"
        box(ax, t, 1, f"$f_i({time})$", s.BLUE, **STATE)
        if t > 0:
            box(ax, t, 0, f"$x_i({time})$", s.FAINT, **STATE)
            arrow(ax, (t, 0.24), (t, 0.76), s.FAINT)
            label(ax, t + 0.07, 0.5, "$v_x$", s.INK, ha="left", fontsize=13)
            arrow(ax, (t - 0.7, 1), (t - 0.3, 1), s.BLUE)
            label(ax, t - 0.5, 1.22, "$v_f$" if t < 3 else r"$\cdots\ v_f$", s.BLUE, ha="center", fontsize=13)
    box(ax, 4, 1, r"$\hat y_i$", s.VERMILION, **STATE)
    arrow(ax, (3.3, 1), (3.76, 1), s.VERMILION)
    ax.text(0, 0.62, "$f_i(0) = 0$", ha="center", color=s.FAINT, fontsize=11)


LEVELS = np.arange(-4, 13)
NUMBERED = {2: (-2, -1, 0), 8: (0, 1, 2, 3), 32: (2, 3, 6, 9)}  # lines with room for their number, by length


@drawn(6.0, 9.0, rows=3, sharex=True)
def surfaces(panels: np.ndarray) -> None:
    """Lines of equal mean error over both weights, a factor of ten apart, one panel per length T."""
    feedback, inputs = np.meshgrid(np.linspace(-1.5, 1.5, 721), np.linspace(-0.5, 2.0, 241))
    for ax, (length, numbered) in zip(panels, NUMBERED.items(), strict=True):
        height = np.log10(np.maximum(mean_error(inputs, feedback, length), 1e-12))
        widths = [2.0 if level == 0 else 0.9 for level in LEVELS]
        lines = ax.contour(feedback, inputs, height, LEVELS, linewidths=widths, linestyles="solid", colors=s.BLUE)
        ax.clabel(lines, numbered, fmt="%d", fontsize=9, inline_spacing=3)
        ax.plot([1], [1], marker="*", ms=10, color=s.VERMILION, mec=s.INK, mew=0.6, zorder=6)
        ax.set_ylabel("$v_x$", fontsize=12)
        ax.set_title(f"$T = {length}$", fontsize=12)
    panels[-1].set_xlabel("feedback weight $v_f$", fontsize=12)


@drawn(7.4, 4.4)
def cuts(ax: Axes) -> None:
    """The mean error over the feedback weight v_f for v_x = 1, one curve per length T."""
    v_f = np.linspace(-1.5, 1.5, 241)
    for length, color, place in ((4, s.SKY, 1.33), (8, s.BLUE, 1.28), (16, s.PURPLE, 1.22), (32, s.VERMILION, 1.12)):
        ax.semilogy(v_f, np.maximum(mean_error(1.0, v_f, length), 1e-6), color=color)
        label(ax, place, mean_error(1.0, place, length), f"{length}", color, ha="right", fontsize=11)
    label(ax, -0.35, 1e6, "length $T$ beside each curve", s.INK, ha="center", fontsize=11)
    ax.set(xlabel="feedback weight $v_f$", ylabel="mean error for $v_x = 1$", ylim=(1e-3, 1e11), xlim=(-1.5, 1.5))
