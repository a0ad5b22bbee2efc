"""The fully recurrent net unrolled in time."""

from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes


@drawn(7.2, 3.9, x=(-1.1, 3.4), y=(-0.75, 3.35))
def unrolled(axes: Axes) -> None:
    """The net over time in the notes' numbering: z(t+1) depends on x(t) and y(t)."""
    for t in range(4):
        if t < 3:
            box(axes, t, 0, f"$x({t})$", s.FAINT)
            arrow(axes, (t + 0.1, 0.17), (t + 0.88, 0.84), s.FAINT)
            arrow(axes, (t + 0.24, 2.0 - 0.08), (t + 0.8, 1.15), s.BLUE)
        box(axes, t, 2, "$y(0) = 0$" if t == 0 else f"$y({t})$", s.BLUE)
        if t > 0:
            box(axes, t, 1, f"$z({t})$", s.INK)
            arrow(axes, (t, 1.17), (t, 1.83), s.INK)
            box(axes, t, 3, f"$E({t})$", s.VERMILION)
            arrow(axes, (t, 2.17), (t, 2.83), s.VERMILION)
    for height, words in enumerate(("inputs", "net inputs", "outputs", "errors")):
        axes.text(-0.42, height, words, ha="right", va="center", color=s.INK)
    label(axes, 0.6, 0.42, r"$w^{\mathrm{in}}$", s.FAINT, ha="left")
    label(axes, 0.46, 1.48, "$w$", s.BLUE, ha="right")
    label(axes, 1.04, 1.5, "$f$", s.INK, ha="left")
    axes.annotate("", (3.3, -0.45), (-0.35, -0.45), arrowprops={"arrowstyle": "-|>", "color": s.FAINT})
    for t in range(4):
        axes.text(t, -0.68, f"time {t}", ha="center", va="center", color=s.FAINT, fontsize=9)
