"""Figures on training the LSTM of 1997: drift and its remedy, cells abused as biases, a trained carousel."""

from collections.abc import Mapping, Sequence

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from book.shared.intervals import wilson
from throughtime.arrays.activations import tanh_half
from throughtime.textbook.lstm1997 import LSTM1997Signals, LSTM1997Trace

CELLS = (s.BLUE, s.VERMILION, s.GREEN)


@drawn(6.2, 4.2, rows=2, sharex=True)
def drift_at_the_start(axes: np.ndarray, traces: Mapping[float, LSTM1997Trace]) -> None:
    """State s(t) and slope h'(s(t)) of the first cell before training, one line per bias of the input gate."""
    above, below = axes
    for (bias, trace), color in zip(traces.items(), (s.VERMILION, s.ORANGE, s.GREEN, s.BLUE), strict=False):
        state = trace.s[:, 0, 0]
        for ax, line in ((above, state), (below, tanh_half.derivative(state))):
            ax.plot(line, color=color)
            label(ax, trace.length + 0.3, line[-1], f"bias {bias:g}", color)
    above.set(ylabel="state $s(t)$", title="One-sided inputs: the state runs off")
    below.set(yscale="log", ylabel="$h'(s(t))$", xlabel="time", title="... and the way for the error closes")
    below.set_xlim(0, trace.length * 1.17)
    below.set_xticks([0, 5, 10, 15, 20])


@drawn(6.2, 4.2, rows=2, sharex=True)
def bias_and_success(
    axes: np.ndarray,
    predicted: tuple[np.ndarray, np.ndarray],
    measured: Mapping[float, Sequence[float]],
    solved: Mapping[float, int],
) -> None:
    """Initial gradient, predicted and measured (top), and number of seeds that solve the task, over the bias."""
    above, below = axes
    above.plot(*predicted, color=s.INK, lw=1.4)
    for bias, values in measured.items():
        above.plot([bias] * len(values), values, "o", color=s.GRADIENT, ms=3.5, alpha=0.5, mew=0)
    peak = int(np.argmax(predicted[1]))
    top = predicted[1][peak]
    label(above, predicted[0][peak], 1.32 * top, r"predicted: $y^{\mathrm{ig}}\, h'(s(T))$", ha="center")
    label(above, 0.3, 0.72 * top, "twenty starts", s.GRADIENT, ha="center")
    above.set(ylim=(0, 1.5 * top), title="What reaches the cell's input weights at the start")
    below.bar(list(solved), list(solved.values()), width=0.55, color=s.MARGIN, alpha=0.75)
    for bias, count in solved.items():
        low, high = (20 * end for end in wilson(count, 20))
        below.plot([bias, bias], [low, high], color=s.INK, lw=1.4)
        below.text(bias + 0.08, count + 0.5, str(count), color=s.INK, fontsize=10)
    below.set(ylim=(0, 24), yticks=[0, 10, 20], ylabel="of 20 seeds", title="Seeds that solve the task")
    below.set_xlabel("bias of the input gate")


@drawn(6.2, 5.8, rows=2, sharex=True)
def cells_in_use(panels: np.ndarray, uses: Mapping[str, tuple[Sequence[int], np.ndarray, np.ndarray]]) -> None:
    """Contribution of each cell to the output during training: mean over sequences, band of one standard deviation."""
    for ax, (name, (taken, means, deviations)) in zip(panels, uses.items(), strict=True):
        x = np.asarray(taken) / 1000
        for cell, color in zip(range(means.shape[1]), CELLS, strict=False):
            ax.plot(x, means[:, cell], color=color)
            style = {"color": color, "fontsize": 9, "va": "top", "transform": ax.transAxes}
            ax.text(0.03 + 0.13 * cell, 0.96, f"block {cell + 1}", **style)
            ends = (means[:, cell] + side * deviations[:, cell] for side in (-1, 1))
            ax.fill_between(x, *ends, color=color, alpha=0.3, lw=0)
        ax.set(title=name, ylabel="net input of the output", ylim=(-1.2, 3.4))
    panels[-1].set(xlabel="thousand sequences")


@drawn(6.2, 9.0, rows=4, sharex=True)
def learnt_carousel(axes: np.ndarray, trace: LSTM1997Trace, signals: Mapping[str, LSTM1997Signals]) -> None:
    """The first block of a net trained on the adding problem: inputs, gates, states and error signals on one sequence.

    ``signals`` has the keys "truncated" and "exact"; shown is dE/ds(t) of cell 1, divided by its last value.
    """
    inputs, gate, state, errors = axes
    last, times = trace.length, np.arange(trace.length) + 1  # s(t) depends on x(t - 1)
    marked = trace.x[:, 1] == 1.0
    inputs.axhline(0, color=s.FAINT, lw=0.8)
    inputs.vlines(times, 0, trace.x[:, 0], color=s.FAINT, lw=1.2)
    inputs.vlines(times[marked], 0, trace.x[marked, 0], color=s.VERMILION, lw=2.4)
    inputs.plot(times[marked], trace.x[marked, 0], "o", color=s.VERMILION)
    gates = (("input gate", trace.y_ig, s.BLUE, 0.28), ("output gate", trace.y_og, s.VERMILION, 0.94))
    for name, values, color, height in gates:
        gate.plot(times, values[1:, 0], color=color)
        label(gate, 0.36 * last, height, name, color, ha="center")
    for cell, color in zip(range(trace.s.shape[1]), (s.POSITIVE, s.GREEN), strict=False):
        state.plot(trace.s[:, cell, 0], color=color)
        label(state, 0.7 * last, 0.6 * trace.s[-1, cell, 0], f"cell {cell + 1}", color, ha="center")
    for method, color, ls in (("exact", s.GRADIENT, "-"), ("truncated", s.INK, (0, (4, 2)))):
        line = signals[method].s[:, 0, 0]
        errors.plot(line / line[-1], color=color, ls=ls)
        label(errors, 0.6 * last, 1.22 if method == "exact" else 0.84, method, color, ha="center")
    for ax in (inputs, gate, state, errors):
        for time in times[marked]:
            ax.axvline(time, color=s.VERMILION, lw=0.8, ls=":")
    inputs.set(title="Inputs: values, the two marked ones strong", ylim=(-1.1, 1.1))
    gate.set(title="Gates: the input gate opens at the marks alone", ylim=(-0.05, 1.05))
    state.set(title="States: kept in between")
    errors.set(title=r"Error signal $\mathrm{d}E / \mathrm{d}s(t)$ of cell 1, as a share of the last", ylim=(0, None))
    errors.set(xlabel="time", xlim=(0, last + 0.5))
