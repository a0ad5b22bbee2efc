"""Figures on constant error flow (bptt-21 to bptt-26): one unit over time, its error flow, and the weight conflicts."""

from collections.abc import Sequence

import numpy as np
from book.bptt.constant_error.experiment import NOISE, STEPS, Training, best_weight, error_flow, least_error
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes
from throughtime.arrays.activations import identity, logistic, tanh

UNITS = (
    (identity, 1.05, s.ORANGE, "linear, $w = 1.05$", (60, 200.0), None),
    (identity, 1.0, s.MARGIN, "linear, $w = 1$ and $w = -1$", (76, 6.0), None),
    (identity, 0.95, s.ORANGE, "linear, $w = 0.95$", (52, 5e-3), None),
    (tanh, 1.0, s.BLUE, "tanh, $w = 1$", (86, 2e-5), None),
    (logistic, 4.0, s.VERMILION, "logistic, $w = 4$", (34, 1e-11), 9),
    (tanh, 2.0, s.BLUE, "tanh, $w = 2$", (34, 1e-8), 10),
    (logistic, 1.0, s.VERMILION, "logistic, $w = 1$", (34, 1e-5), 9),
)
"""Activation, self weight, colour, label, position of the label (lag, flow), lag where its leader line starts."""
FLOOR = 1e-13  # lower end of the flow axis


@drawn(6.8, 1.9, x=(-0.6, 9.5), y=(-0.75, 0.25))
def over_time(axes: Axes, weight: str = "w", factor: str = "w\\,f'(z(t - {}))") -> None:
    """A self-connected unit over the last times: its states going forwards, its error signals coming back.

    With other LaTeX for its weight and for the factor from time t - {} + 1 back to t - {} it stands for a layer.
    """
    for back in (2, 1, 0):
        x, now = 6.0 - 3.0 * back, f"t - {back}" if back else "t"
        box(axes, x, 0, f"$z({now})$", s.POSITIVE)
        box(axes, x + 1.5, 0, f"$y({now})$", s.POSITIVE)
        arrow(axes, (x + 0.42, 0), (x + 1.06, 0), s.INK)
        label(axes, x + 0.74, 0.13, "$f$", ha="center")
        if back:
            arrow(axes, (x + 1.94, 0), (x + 2.58, 0), s.INK)
            label(axes, x + 2.24, 0.13, f"${weight}$", ha="center")
            curve = {"lw": 1.8, "connectionstyle": "arc3,rad=-0.25"}
            arrow(axes, (x + 3.0, -0.16), (x, -0.16), s.GRADIENT, zorder=3, **curve)
            label(axes, x + 1.5, -0.62, f"${factor.format(back)}$", s.GRADIENT, ha="center")
    box(axes, 8.9, 0, "$E(t)$", s.VERMILION)
    arrow(axes, (7.94, 0), (8.45, 0), s.INK)


@drawn(6.8, 4.4)
def one_unit(ax: Axes, lags: int = 100, pulses: Sequence[float] = (0.4, 0.7, 1.0, 1.3, 1.6)) -> None:
    """Error flow of the self-connected units over the lags; one curve per unit and strength of the first input."""
    for activation, weight, color, words, (x, y), lag in UNITS:
        for pulse in pulses:
            flow = error_flow(activation, weight, lags, pulse)
            shown = np.where(flow > FLOOR / 100, flow, np.nan)
            ax.semilogy(shown, color=color, lw=2.6 if (activation, weight) == (identity, 1.0) else 1.1, alpha=0.85)
        if lag is not None:
            ax.plot([lag, x - 1], [flow[lag], y], color=color, lw=0.7, ls=":")
        label(ax, x, y, words, color, ha="center" if lag is None else "left")
    ax.set(xlim=(0, lags), ylim=(FLOOR, 1e3), xlabel="lag $q$")
    ax.set_ylabel(r"$|\mathrm{d} z(t) / \mathrm{d} z(t - q)|$")


# A panel: the label of the weight, what it is to let pass, what to hold back; then the places of the labels of the sum
# of both parts, of the runs, and of the second part.
INWARDS = ("weight $u$ into the carousel", "let the first input in", "keep the noise out")
OUTWARDS = ("weight $v$ out of the carousel", "show the value at the end", "hide it before")
PLACES = (((0.72, 0.58), (0.37, 0.43), (0.96, 0.68)), ((0.22, 0.93), (0.6, 0.475), (0.33, 0.83)))


@drawn(6.8, 6.6, rows=2)
def conflicts(axes: np.ndarray, stored: Sequence[Training], read: Sequence[Training]) -> None:
    """Mean error and its two parts over the one weight into a carousel, and out of it, with the ends of runs."""
    powers, weights = ((STEPS - 1) * NOISE**2, STEPS - 1.0), np.linspace(-0.1, 1.15, 251)
    panels = zip(axes, powers, (stored, read), (INWARDS, OUTWARDS), PLACES, strict=True)
    for ax, power, runs, (name, needed, disturbing), (both, where, disturbed) in panels:
        need, disturb = (weights - 1) ** 2 / 2, weights**2 * power / 2
        ax.plot(weights, need + disturb, color=s.INK, lw=1.8)
        for part, color in ((need, s.MARGIN), (disturb, s.VERMILION)):
            ax.plot(weights, part, color=color, lw=1.4, ls=(0, (5, 2)))
        ends = np.array([(run.weight[-1], run.error[-1]) for run in runs])
        ax.plot(*ends.T, "o", color=s.PURPLE, ms=4, alpha=0.35, mew=0)
        ax.plot(1, 0, "s", color=s.MARGIN, ms=8, clip_on=False, zorder=6)
        label(ax, 0.62, 0.16, needed, s.MARGIN, ha="left")
        label(ax, 1.0, 0.08, "with a gate", s.MARGIN, ha="center")
        ax.set(xlabel=name, ylabel="mean error", xlim=(-0.1, 1.15), ylim=(0, 1.1))
        label(ax, *both, "both", s.INK, ha="right")
        label(ax, *disturbed, disturbing, s.VERMILION, ha="left")
        best = best_weight(power), least_error(power)
        if where[0] > 2 * best[0]:
            ax.plot([best[0], where[0]], [best[1], where[1]], color=s.PURPLE, lw=0.8, ls=":")
        label(ax, *where, f"{len(runs)} runs without a gate", s.PURPLE, ha="center")
