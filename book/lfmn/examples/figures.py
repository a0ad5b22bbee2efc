"""Figures on the two examples of the LFMN paper: success over seeds, and the effect of a mark on a latch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Wedge
from throughtime_book.lfmn.examples.experiment import Outcome, success_rate
from throughtime_book.lfmn.latching import numbers as lt
from throughtime_book.lfmn.latching.by_hand import letter_action
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled


@styled
def success_by_units(outcomes: Sequence[Outcome]) -> Figure:
    """Share of successful seeds by task (rows) and number of units (columns), drawn as a filled dial.

    The staircase separates the cells with 2^units >= classes from the others. ``outcomes`` as returned by
    ``learn_first_input``, whose tasks are called "K classes".
    """
    tasks = list(dict.fromkeys(outcome.task for outcome in outcomes))
    units = sorted({outcome.units for outcome in outcomes})
    figure, ax = canvas(1.7 + 1.15 * len(units), 1.1 + 0.95 * len(tasks))
    for row, task in enumerate(tasks):
        classes = int(task.split()[0])
        for n in units:
            cell = [outcome for outcome in outcomes if outcome.task == task and outcome.units == n]
            rate = success_rate(cell)
            color = s.MARGIN if 2**n >= classes else s.VERMILION
            ax.add_patch(Wedge((n, row), 0.26, 90 - 360 * rate, 90, color=color, lw=0))
            ax.add_patch(Wedge((n, row), 0.26, 0, 360, fill=False, ec=color, lw=1.2))
            text = f"{sum(o.success for o in cell)}/{len(cell)}"
            ax.text(n, row + 0.4, text, ha="center", va="center", fontsize=8.5, color=s.INK)
        enough = max(1, int(np.ceil(np.log2(classes)))) - 0.5
        ax.plot([enough] * 2, [row - 0.5, row + 0.5], color=s.FAINT, lw=1.4)
        if row:
            before = max(1, int(np.ceil(np.log2(int(tasks[row - 1].split()[0]))))) - 0.5
            ax.plot([before, enough], [row - 0.5] * 2, color=s.FAINT, lw=1.4)
    ax.set(xlim=(units[0] - 0.55, units[-1] + 0.55), ylim=(len(tasks) - 0.45, -0.55), aspect="equal")
    ax.set_xticks(units)
    ax.set_yticks(range(len(tasks)), tasks)
    ax.tick_params(length=0)
    ax.set(xlabel="latching units", title="Seeds that keep the class")
    for side in ax.spines.values():
        side.set_visible(False)
    return figure


@styled
def order_and_counting(outcomes: Sequence[Outcome]) -> Figure:
    """Share of sequences classified correctly, short and long ones: one panel per task, one line per seed."""
    tasks = list(dict.fromkeys((outcome.task, outcome.units) for outcome in outcomes))
    figure, panels = canvas(1.2 + 2.5 * len(tasks), 3.6, columns=len(tasks), sharey=True, squeeze=False)
    for ax, (task, units) in zip(panels[0], tasks, strict=True):
        cell = [outcome for outcome in outcomes if (outcome.task, outcome.units) == (task, units)]
        ax.axhline(0.5, color=s.FAINT, lw=0.9, ls=":")
        spread = np.linspace(-0.09, 0.09, len(cell)) if len(cell) > 1 else np.zeros(1)
        for outcome, shift in zip(cell, spread, strict=True):
            color = s.MARGIN if outcome.success else s.VERMILION
            ax.plot(
                [shift, 1 + shift],
                [outcome.trained, outcome.tested],
                "o-",
                color=color,
                lw=1,
                ms=4.5,
                alpha=0.8,
            )
        ax.set(xlim=(-0.35, 1.35), ylim=(0.3, 1.05), title=f"{task}, {units} unit" + ("s" if units > 1 else ""))
        ax.set_xticks([0, 1], ["as trained", "long gaps"])
        ax.set_xlabel("sequences")
    panels[0][0].set_ylabel("share right")
    label(panels[0][0], 0.5, 0.46, "chance", s.FAINT, ha="center")
    return figure


@styled
def letter_actions(resolution: int = 41) -> Figure:
    """Effect of a mark on a latched sign over self weight and strength: simulated, with the proved borders.

    ``resolution`` is the number of grid points per axis.
    """
    weights, pulses = np.linspace(0, 6, resolution), np.linspace(-7, 7, resolution)
    kinds = {(-1, -1): 0, (-1, 1): 1, (1, 1): 2, (1, -1): 3}
    grid = np.array([[kinds[letter_action(v, p, gap=150)] for v in weights] for p in pulses])
    grid[:, weights <= lt.ONSET] = 4
    figure, ax = canvas(6.4, 4.2)
    colors = ListedColormap(["#f3cdb4", "#d9ecdf", "#c3dcee", "#000000", s.CARD])
    ax.pcolormesh(weights, pulses, grid, cmap=colors, vmin=-0.5, vmax=4.5, rasterized=True)
    v = np.linspace(2, 6, 200)
    rest = np.array([0.0, *(lt.latched_state(w) for w in v[1:])])
    ax.plot(v, rest, color=s.POSITIVE)
    ax.plot(v, -rest, color=s.NEGATIVE)
    for x, y, text, color in (
        (3.4, 5.4, "sets", s.POSITIVE),
        (3.4, -5.4, "resets", s.NEGATIVE),
        (4.6, 0, "keeps", s.MARGIN),
        (1, 0, "no sign to act on:\nthe unit forgets", s.INK),
    ):
        ax.text(x, y, text, color=color, ha="center", va="center", fontsize=11)
    ax.set(xlabel="self weight $v$", ylabel="strength of the mark", xlim=(0, 6), ylim=(-7, 7))
    ax.set_title("What a mark can do to a unit: no place toggles")
    return figure
