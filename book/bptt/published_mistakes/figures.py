"""Angle between the exact gradient and gradients from faulty backward sweeps, over the scale of the weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure
from throughtime_book.bptt.published_mistakes.experiment import survey
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled

SCALES = tuple(2.0**power for power in range(-3, 3))

# Two panels: slips with a small angle at small weights, and slips with a large angle at any scale.
HIDDEN = {"transposed": s.VERMILION, "no recursion": s.BLUE, "slope one step late": s.GREEN}
OPEN = {"activation for slope": s.PURPLE, "state one step late": s.ORANGE, "slope lost": s.SKY}
GAP = 6.5  # degrees between the labels of two curves


@styled
def angles(scales: tuple[float, ...] = SCALES, nets: int = 60) -> Figure:
    """Median angle in degrees between each faulty gradient and the exact one, over the scale of the recurrent weights.

    ``nets`` is the number of random networks per scale.
    """
    figure, panels = canvas(9.6, 4.2, columns=2, sharey=True)
    found = survey(scales, nets=nets)
    for axes, slips in zip(panels, (HIDDEN, OPEN), strict=True):
        height = -GAP
        for slip in sorted(slips, key=lambda name: found[name][-1, 0]):
            angle = found[slip][:, 0]
            axes.plot(scales, angle, color=slips[slip], marker="o", ms=4)
            height = max(angle[-1], height + GAP)
            label(axes, scales[-1] * 1.2, height, slip, slips[slip], ha="left")
        axes.axhline(90, color=s.FAINT, lw=1, ls=(0, (4, 2)))
        axes.set_xscale("log", base=2)
        axes.set_xticks(scales, [str(Fraction(scale)) for scale in scales])
        axes.set(xlabel="scale of the recurrent weights", ylim=(0, 105), xlim=(scales[0] / 1.2, scales[-1] * 9))
        axes.set_yticks(np.arange(0, 91, 30))
    panels[0].set(ylabel="angle to the exact gradient (degrees)", title="Hidden while the weights are small")
    panels[1].set_title("There at any scale")
    label(panels[0], scales[0], 96, "90°: no descent left", s.FAINT, ha="left")
    return figure
