"""Figures on the two examples of the LFMN paper: success over seeds, and the effect of a mark on a latch."""

from collections.abc import Sequence

import numpy as np
from book.lfmn import one_unit as lt
from book.lfmn.examples.checks import letter_action
from book.lfmn.examples.experiment import Outcome
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.axes import Axes
from matplotlib.patches import Wedge


@drawn(5.15, 4.9)
def success_by_units(ax: Axes, outcomes: Sequence[Outcome]) -> None:
    """Share of successful seeds by task "K classes" (rows) and number of units (columns), drawn as a filled dial.

    The staircase separates the cells with 2^units >= classes from the others.
    """
    tasks = list(dict.fromkeys(outcome.task for outcome in outcomes))
    units = sorted({outcome.units for outcome in outcomes})
    before = None
    for row, task in enumerate(tasks):
        classes = int(task.split()[0])
        for n in units:
            won = [outcome.success for outcome in outcomes if (outcome.task, outcome.units) == (task, n)]
            color = s.MARGIN if 2**n >= classes else s.VERMILION
            ax.add_patch(Wedge((n, row), 0.26, 90 - 360 * np.mean(won), 90, color=color, lw=0))
            ax.add_patch(Wedge((n, row), 0.26, 0, 360, fill=False, ec=color, lw=1.2))
            ax.text(n, row + 0.4, f"{sum(won)}/{len(won)}", ha="center", va="center", fontsize=8.5, color=s.INK)
        enough = (classes - 1).bit_length() - 0.5
        ax.plot([enough] * 2, [row - 0.5, row + 0.5], color=s.FAINT, lw=1.4)
        if before is not None:
            ax.plot([before, enough], [row - 0.5] * 2, color=s.FAINT, lw=1.4)
        before = enough
    ax.set(xlim=(units[0] - 0.55, units[-1] + 0.55), ylim=(len(tasks) - 0.45, -0.55), aspect="equal")
    ax.set(xlabel="latching units", xticks=units, title="Seeds that keep the class")
    ax.set_yticks(range(len(tasks)), tasks)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


@drawn(6.0, 4.6)
def order_and_counting(ax: Axes, outcomes: Sequence[Outcome]) -> None:
    """Share of sequences classified correctly: long gaps over short ones, one dot per seed, one colour per task.

    A small shift, the same for every drawing, keeps dots apart that have the same shares.
    """
    tasks = list(dict.fromkeys((outcome.task, outcome.units) for outcome in outcomes))
    ax.axhline(0.5, color=s.FAINT, lw=0.9, ls=":")
    draw = np.random.default_rng(0)
    colors = (s.MARGIN, s.VERMILION, s.PURPLE)
    for row, ((task, units), color) in enumerate(zip(tasks, colors, strict=False)):
        shares = [(o.trained, o.tested) for o in outcomes if (o.task, o.units) == (task, units)]
        x, y = (np.array(shares) + draw.uniform(-0.008, 0.008, (len(shares), 2))).T
        ax.plot(x, y, "o", color=color, ms=4, alpha=0.5, mew=0)
        words = f"{task}, {units} unit" + ("s" if units > 1 else "")
        label(ax, 0.42, 0.92 - 0.065 * row, words, color, ha="left", fontsize=10)
    label(ax, 0.42, 0.53, "chance", s.FAINT, ha="left")
    ax.set(xlim=(0.38, 1.03), ylim=(0.33, 1.03), aspect="equal")
    ax.set(xlabel="share right, sequences as trained", ylabel="share right, long gaps")


@drawn(6.4, 4.4)
def letter_actions(ax: Axes, weights: int = 13, pulses: int = 15) -> None:
    """Effect of a mark on a latched sign over self weight and strength: proved regions, and simulated units."""
    v = np.linspace(2, 6, 200)
    rest = np.array([0.0, *(lt.latched_state(w) for w in v[1:])])
    ax.fill_between(v, rest, 7, color=s.BLUE, alpha=0.25, lw=0)
    ax.fill_between(v, -rest, rest, color=s.GREEN, alpha=0.2, lw=0)
    ax.fill_between(v, -7, -rest, color=s.VERMILION, alpha=0.25, lw=0)
    ax.plot(v, rest, color=s.POSITIVE)
    ax.plot(v, -rest, color=s.NEGATIVE)
    kinds = {(-1, -1): ("v", s.NEGATIVE), (-1, 1): ("o", s.MARGIN), (1, 1): ("^", s.POSITIVE), (1, -1): ("X", s.INK)}
    for weight in np.linspace(2.25, 5.75, weights):
        for pulse in np.linspace(-6.5, 6.5, pulses):
            marker, color = kinds[letter_action(weight, pulse, gap=150)]
            ax.plot(weight, pulse, marker, color=color, ms=3.5, mew=0, alpha=0.8)
    for x, y, text, color in (
        (3.4, 5.6, "sets", s.POSITIVE),
        (3.4, -5.6, "resets", s.NEGATIVE),
        (4.6, 0, "keeps", s.MARGIN),
        (1, 0, "no sign to act on:\nthe unit forgets", s.INK),
    ):
        label(ax, x, y, text, color, ha="center", fontsize=11)
    ax.set(xlabel="self weight $v$", ylabel="strength of the mark", xlim=(0, 6), ylim=(-7, 7))
    ax.set_title("What a mark can do to a unit: it never toggles")
