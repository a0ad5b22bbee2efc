"""The fully recurrent net unrolled in time, and descent along the total and the printed derivative of its error."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from throughtime.models.activations import logistic
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import arrow, box, canvas, label, styled

# One unit, three steps of input, error at the last step only.
NET = FullyRecurrent(n_in=1, n_out=1, activation=logistic)
INPUT = np.array([[0.5], [2.0], [1.5]])
TARGET = np.array([[0.0], [0.0], [0.1]])
LAST = np.array([0.0, 0.0, 1.0])
W_IN, W = 1.0, -7.0


@styled
def unrolled(steps: int = 3) -> Figure:
    """The net over time in the notes' numbering: z(t+1) depends on x(t) and y(t). ``steps`` at least 1."""
    figure, axes = canvas(9.6, 4.3)
    for t in range(steps + 1):
        if t < steps:
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
    axes.set(xlim=(-1.1, steps + 0.4), ylim=(-0.75, 3.35))
    axes.annotate("", (steps + 0.3, -0.45), (-0.35, -0.45), arrowprops={"arrowstyle": "-|>", "color": s.FAINT})
    for t in range(steps + 1):
        axes.text(t, -0.68, f"time {t}", ha="center", va="center", color=s.FAINT, fontsize=9)
    axes.axis("off")
    return figure


def slopes(w: float) -> tuple[float, float]:
    """dE(3)/dw of the one unit, w its self weight: total, and as printed in lstm97-13 (immediate derivative only)."""
    theta = NET.layout.flatten({"W": [[W_IN, w]]})
    data = (theta, INPUT, TARGET, LAST)
    own = NET.layout.index("W", 0, 1)
    total = NET.gradient(*data, method="bptt").gradient[own]
    printed = NET.gradient(*data, method="truncated", window=0).gradient[own]
    return float(total), float(printed)


def error(w: float) -> float:
    """The error E(3) of the one unit with self weight w."""
    return float(NET.loss(NET.layout.flatten({"W": [[W_IN, w]]}), INPUT, TARGET, LAST))


def descent(start: float, which: int, rate: float = 4.0, updates: int = 40) -> np.ndarray:
    """Errors E(3) under descent w -= rate * slopes(w)[which], before each update and after the last: (updates + 1,)."""
    w, errors = start, [error(start)]
    for _ in range(updates):
        w -= rate * slopes(w)[which]
        errors.append(error(w))
    return np.array(errors)


@styled
def uphill(at: float = W) -> Figure:
    """The error over the self weight with both slopes at ``at``, and gradient descent along each from there."""
    figure, (left, right) = canvas(9.6, 4.1, columns=2)
    w = np.linspace(at - 4.0, at + 4.0, 161)
    left.plot(w, [error(place) for place in w], color=s.INK)
    here, (total, printed) = error(at), slopes(at)
    reach = np.array([-2.2, 2.2])
    for slope, color, ls in ((total, s.GRADIENT, "-"), (printed, s.VERMILION, (0, (4, 2)))):
        left.plot(at + reach, here + slope * reach, color=color, lw=2, ls=ls)
    left.plot([at], [here], "o", color=s.INK, ms=6, zorder=4)
    label(left, at - 2.3, here - 2.3 * total, "total", s.GRADIENT, ha="right")
    label(left, at + 2.3, here + 2.3 * printed, "as printed", s.VERMILION, ha="left")
    left.set(xlabel="weight $w$ of the unit to itself", ylabel="error $E(3)$", title="Two slopes at one point")
    for which, color, words in ((0, s.GRADIENT, "total"), (1, s.VERMILION, "as printed")):
        errors = descent(at, which)
        right.plot(errors, color=color)
        label(right, len(errors) - 1, errors[-1], words, color, ha="right", va="bottom")
    right.set(xlabel="updates", ylabel="error $E(3)$", title="Going down each of them")
    return figure


@styled
def sweeps(steps: int = 4) -> Figure:
    """RTRL and BPTT over one chain of Jacobians J(t): sensitivities D(t) run forwards, error signals A(t) backwards."""
    figure, axes = canvas(9.6, 3.1)
    for t in range(1, steps + 1):
        box(axes, t, 1, f"$D({t})$", s.BLUE)
        box(axes, t, 0, f"$A({t})$", s.GRADIENT)
        axes.plot([t, t], [0.2, 0.8], color=s.FAINT, lw=1, ls=":")
        if t < steps:
            arrow(axes, (t + 0.27, 1), (t + 0.73, 1), s.BLUE)
            arrow(axes, (t + 0.73, 0), (t + 0.27, 0), s.GRADIENT)
            label(axes, t + 0.5, 1.22, f"$J({t + 1})$", s.BLUE, ha="center")
            label(axes, t + 0.5, -0.24, rf"$J({t + 1})^{{\top}}$", s.GRADIENT, ha="center")
    axes.text(0.55, 1, "forwards in time:\nRTRL", ha="right", va="center", color=s.BLUE)
    axes.text(0.55, 0, "backwards in time:\nBPTT", ha="right", va="center", color=s.GRADIENT)
    axes.set(xlim=(-0.35, steps + 0.4), ylim=(-0.55, 1.5))
    axes.axis("off")
    return figure
