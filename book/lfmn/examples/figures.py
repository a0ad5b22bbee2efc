"""Figures on the second example of the LFMN paper: shares that nets get right, and the effect of a mark on a latch."""

from collections.abc import Sequence

import numpy as np
from book.lfmn import one_unit as lt
from book.lfmn.examples.checks import letter_action
from book.lfmn.examples.experiment import Outcome
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.axes import Axes


@drawn(5.3, 3.9)
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


@drawn(6.4, 3.9)
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
