"""The uses of one weight in an unrolled unit, descent along two derivatives, and the two sweeps of the gradient."""

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes
from throughtime.arrays.activations import logistic
from throughtime.textbook.recurrent import FullyRecurrent

# One unit, three steps of input, error at the last step only.
NET = FullyRecurrent(n_in=1, n_out=1, activation=logistic)
INPUT = np.array([[0.5], [2.0], [1.5]])
TARGET = np.array([[0.0], [0.0], [0.1]])
LAST = np.array([0.0, 0.0, 1.0])
W_IN, W = 1.0, -7.0


@drawn(7.2, 3.6, x=(1.5, 7.5), y=(-0.2, 1.95))
def uses(axes: Axes) -> None:
    """One unit over three steps: the weight acts at every step; the immediate derivative follows its last use alone."""
    for t in (1, 2, 3):
        on_the_way, use = (s.FAINT, s.VERMILION) if t == 3 else (s.GRADIENT, s.GRADIENT)
        box(axes, 2 * t, 1, f"$z({t})$", s.INK)
        box(axes, 2 * t + 1, 1, f"$y({t})$", s.INK)
        arrow(axes, (2 * t + 0.3, 1), (2 * t + 0.68, 1), on_the_way)
        arrow(axes, (4, 0.12), (2 * t, 0.84), use)
        place = 4 + (2 * t - 4) * 0.62 + (0.28 if t == 2 else 0)
        label(axes, place, 0.48, f"$y({t - 1})$", use, ha="center")
        if t < 3:
            arrow(axes, (2 * t + 1.3, 1), (2 * t + 1.7, 1), s.GRADIENT)
            label(axes, 2 * t + 1.5, 1.2, "$w$", s.GRADIENT, ha="center")
        label(axes, 2 * t + 0.5, 1.2, f"$f'(z({t}))$", on_the_way, ha="center")
    box(axes, 7, 1.75, "$E(3)$", s.FAINT)
    arrow(axes, (7, 1.14), (7, 1.6), s.FAINT)
    box(axes, 4, 0, "weight $w$", s.INK)
    axes.text(1.55, 1.75, "immediate: the last use alone", color=s.VERMILION, va="center")
    axes.text(1.55, 1.52, "total: every use", color=s.GRADIENT, va="center")


def slopes(w: float) -> tuple[float, float]:
    """dE(3)/dw of the one unit, w its self weight: total, and as printed in lstm97-13 (immediate derivative only)."""
    theta = NET.layout.flatten({"W": [[W_IN, w]]})
    data = (theta, INPUT, TARGET, LAST)
    total = NET.gradient(*data).gradient[NET.layout.index("W", 0, 1)]
    printed = NET.error_signals(*data).z[-1, 0] * NET.forward(theta, INPUT).y[-2, 0]
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


@drawn(9.6, 4.1, columns=2)
def uphill(axes: np.ndarray, at: float = W) -> None:
    """The error over the self weight with both slopes at ``at``, and gradient descent along each from there."""
    left, right = axes
    w = np.linspace(at - 4.0, at + 4.0, 161)
    left.plot(w, [error(place) for place in w], color=s.INK)
    here, reach = error(at), np.array([-2.2, 2.2])
    names = (("total", s.GRADIENT, "-", -2.3, "right"), ("immediate", s.VERMILION, (0, (4, 2)), 2.3, "left"))
    for which, (words, color, ls, place, side) in enumerate(names):
        slope, errors = slopes(at)[which], descent(at, which)
        left.plot(at + reach, here + slope * reach, color=color, lw=2, ls=ls)
        label(left, at + place, here + place * slope, words, color, ha=side)
        right.plot(errors, color=color)
        label(right, len(errors) - 1, errors[-1], words, color, ha="right", va="bottom")
    left.plot([at], [here], "o", color=s.INK, ms=6, zorder=4)
    left.set(xlabel="weight $w$ of the unit to itself", ylabel="error $E(3)$", title="Two slopes at one point")
    right.set(xlabel="updates", ylabel="error $E(3)$", title="Descent along each of them")


@drawn(9.6, 4.2, x=(-0.35, 5.5), y=(0.05, 2.95))
def sweeps(axes: Axes) -> None:
    """RTRL and BPTT over one chain of Jacobians: D(t) takes up b(t) forwards, A(t) takes up c(t) backwards."""
    for t in range(1, 5):
        box(axes, t, 2, f"$D({t})$", s.BLUE)
        box(axes, t, 1, f"$A({t})$", s.GRADIENT)
        label(axes, t, 2.72, f"$b({t})$", s.BLUE, ha="center")
        arrow(axes, (t, 2.6), (t, 2.2), s.BLUE)
        label(axes, t, 0.28, f"$c({t})$", s.GRADIENT, ha="center")
        arrow(axes, (t, 0.4), (t, 0.8), s.GRADIENT)
        axes.plot([t, t], [1.2, 1.8], color=s.FAINT, lw=1, ls=":")
        if t < 4:
            arrow(axes, (t + 0.27, 2), (t + 0.73, 2), s.BLUE)
            arrow(axes, (t + 0.73, 1), (t + 0.27, 1), s.GRADIENT)
            label(axes, t + 0.5, 2.2, f"$J({t + 1})$", s.BLUE, ha="center")
            label(axes, t + 0.5, 0.78, rf"$J({t + 1})^{{\top}}$", s.GRADIENT, ha="center")
    axes.text(0.55, 2, "forwards in time:\nRTRL", ha="right", va="center", color=s.BLUE)
    axes.text(0.55, 1, "backwards in time:\nBPTT", ha="right", va="center", color=s.GRADIENT)
    sums = {r"$\sum_t c(t)^{\top} D(t)$": (2, s.BLUE), r"$\sum_t A(t)^{\top} b(t)$": (1, s.GRADIENT)}
    for words, (height, color) in (sums | {r"$=\;\mathrm{d}\mathcal{L}/\mathrm{d}w\;=$": (1.5, s.INK)}).items():
        axes.text(4.5, height, words, ha="left", va="center", color=color, fontsize=11)
