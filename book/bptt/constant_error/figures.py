"""Figures on constant error flow (bptt-21 to bptt-26): error flow of single units, and weight conflicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from throughtime.models.activations import identity, logistic, tanh
from throughtime_book.bptt.constant_error.experiment import Training, error_flow
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled

UNITS = (
    (identity, 1.05, s.ORANGE, "linear, $w = 1.05$", (60, 200.0), None),
    (identity, 1.0, s.MARGIN, "linear, $w = 1$", (88, 5.0), None),
    (identity, 0.95, s.ORANGE, "linear, $w = 0.95$", (58, 5e-3), None),
    (tanh, 1.0, s.BLUE, "tanh, $w = 1$", (91, 4e-5), None),
    (logistic, 4.0, s.VERMILION, "logistic, $w = 4$", (34, 1e-11), 9),
    (tanh, 2.0, s.BLUE, "tanh, $w = 2$", (34, 1e-8), 10),
    (logistic, 1.0, s.VERMILION, "logistic, $w = 1$", (34, 1e-5), 9),
)
"""Activation, self weight, colour, label, position of the label (lag, flow), lag where its leader line starts."""
FLOOR = 1e-13  # lower end of the flow axis


@styled
def one_unit(lags: int = 100, pulses: Sequence[float] = (0.4, 0.7, 1.0, 1.3, 1.6)) -> Figure:
    """Error flow |dz(t)/dz(t-q)| of the self-connected units in ``UNITS`` over the lags q = 0, ..., ``lags``.

    One curve per unit and strength of the first input in ``pulses``.
    """
    figure, ax = canvas(8.4, 4.4)
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
    ax.set_title("Only the linear unit with self weight one keeps the error")
    return figure


@styled
def torn_weight(
    open_: Sequence[Training], gated: Sequence[Training], least: float, names: tuple[str, str, str]
) -> Figure:
    """Left: both parts of the gradient with respect to one weight over training. Right: error with and without gate.

    open_, gated    one run per seed, without and with the gate, from ``store`` or ``read``
    least           smallest mean error that the weight can reach without a gate, drawn as a line
    names           the weight in LaTeX, the label of the part that needs it, the label of the part that it disturbs
    """
    weight, wanted, unwanted = names
    figure, (left, right) = canvas(9.6, 4.1, columns=2)
    shown = min(26, len(open_[0].error))
    for run in open_:
        left.plot(-run.needing[:shown], color=s.MARGIN, lw=1.2)
        left.plot(-run.disturbed[:shown], color=s.VERMILION, lw=1.2)
        left.plot(-run.gradient[:shown], color=s.INK, lw=1.0, ls=(0, (3, 2)))
    left.axhline(0, color=s.FAINT, lw=0.8)
    height = float(-open_[0].needing[-1])
    label(left, 0.62 * shown, height + 0.2, wanted, s.MARGIN, ha="center")
    label(left, 0.62 * shown, -height - 0.2, unwanted, s.VERMILION, ha="center")
    label(left, 0.62 * shown, 0.13, "sum of both", s.INK, ha="center")
    left.set(xlabel="epoch", xlim=(0, shown - 1), ylim=(-1.3, 1.3), title=f"What pulls at {weight}")
    left.set_ylabel(f"push on {weight} (minus the gradient)")
    _errors(right, open_, gated, least)
    return figure


def _errors(ax: Axes, open_: Sequence[Training], gated: Sequence[Training], least: float) -> None:
    for runs, color in ((open_, s.VERMILION), (gated, s.MARGIN)):
        for run in runs:
            ax.semilogy(np.maximum(run.error, 1e-9), color=color, lw=1.2)
    ax.axhline(least, color=s.INK, lw=1.1, ls=(0, (4, 3)))
    last = len(open_[0].error) - 1
    label(ax, 0.97 * last, least / 2.6, "proved least error of one weight", s.INK, ha="right")
    label(ax, 0.75 * last, least * 3.2, "no gate", s.VERMILION, ha="center")
    low = int(np.argmax(gated[0].error < 1e-3))
    label(ax, low + 0.05 * last, gated[0].error[low], "the gate is given", s.MARGIN, ha="left")
    ax.set(xlabel="epoch", ylabel="mean error", xlim=(0, last), ylim=(3e-9, 30), title="What training reaches")
