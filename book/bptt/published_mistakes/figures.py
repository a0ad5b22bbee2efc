"""Angle between the exact gradient and gradients from faulty backward sweeps, over the scale of the weights."""

from fractions import Fraction

import numpy as np
from book.bptt.published_mistakes.experiment import survey
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label

SCALES = tuple(2.0**power for power in range(-3, 3))

# Two panels: slips with a small angle at small weights, and slips with a large angle at any scale.
HIDDEN = {"transposed": s.VERMILION, "no recursion": s.BLUE, "slope one step late": s.GREEN}
OPEN = {"activation for slope": s.PURPLE, "state one step late": s.ORANGE, "slope lost": s.SKY}
GAP = 8.0  # degrees between the labels of two curves


@drawn(7.2, 6.6, rows=2, sharex=True)
def angles(panels: np.ndarray) -> None:
    """Angle in degrees between each faulty gradient and the exact one over the scale of the recurrent weights.

    Median and middle 80 % of the random networks for each scale.
    """
    scales, found = SCALES, survey(SCALES)
    for axes, slips in zip(panels, (HIDDEN, OPEN), strict=True):
        middle = {name: np.median(found[name][..., 0], axis=1) for name in slips}
        height = -GAP
        for slip in sorted(slips, key=lambda name: middle[name][-1]):
            axes.plot(scales, middle[slip], color=slips[slip], marker="o", ms=4)
            low, high = np.quantile(found[slip][..., 0], [0.1, 0.9], axis=1)
            axes.fill_between(scales, low, high, color=slips[slip], alpha=0.13, lw=0)
            height = max(middle[slip][-1], height + GAP)
            label(axes, scales[-1] * 1.1, height, slip, slips[slip], ha="left")
        axes.plot([scales[0] / 1.2, scales[-1]], [90, 90], color=s.FAINT, lw=1, ls=(0, (4, 2)))  # not through words
        axes.set_xscale("log", base=2)
        axes.set_xticks(scales, [str(Fraction(scale)) for scale in scales])
        axes.set(ylim=(0, 125), xlim=(scales[0] / 1.2, scales[-1] * 5), ylabel="angle (degrees)")
        axes.set_yticks(np.arange(0, 121, 30))
    panels[0].set_title("Hidden while the weights are small")
    panels[1].set(xlabel="scale of the recurrent weights", title="There at any scale")
    label(panels[0], scales[0], 97, "90°: no descent left", s.FAINT, ha="left")
