"""The step of A.1 and the step of section 5, unrolled: where an output has its cells from, and what an error meets."""

from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes

TIMES = ((1, "t-1"), (3, "t"), (5, "t+1"))
ROWS = {"x": 0.0, "cell": 1.0, "y": 2.0}


@drawn(6.4, 6.4, x=(0.1, 6.0), y=(-0.3, 6.4))
def two_steps(axes: Axes) -> None:
    """Two unrolled nets, one above the other: inputs, cells with gates, outputs; the arrows into outputs differ."""
    for base, words, late in ((3.6, "A.1: an output has the cells of the previous time", 2), (0.0, _SAME, 0)):
        axes.text(0.3, base + 2.62, words, color=s.INK, va="center")
        for place, when in TIMES:
            read = "x(" + (when + "-1" if when == "t" else "t-2" if when == "t-1" else "t") + ")"
            box(axes, place, base + ROWS["x"], f"${read}$", s.FAINT)
            box(axes, place, base + ROWS["cell"], f"$s, y^{{cell}}({when})$", s.INK)
            box(axes, place, base + ROWS["y"], f"$y({when})$", s.INK)
            arrow(axes, (place, base + 0.16), (place, base + 0.82), s.FAINT)
        for place, _ in TIMES[:-1]:
            arrow(axes, (place + 0.62, base + 1), (place + 1.38, base + 1), s.FAINT)
        for place, _ in TIMES:
            if place + late <= 5:
                shift = 0.0 if late == 0 else 0.25
                arrow(axes, (place + shift, base + 1.17), (place + late - shift, base + 1.84), s.GRADIENT)
        label(axes, 5.05, base + 2.3, "$e_k(t+1)$", s.GRADIENT, ha="center")
        label(axes, 3.05, base + 2.3, "$e_k(t)$", s.GRADIENT, ha="center")


_SAME = "section 5: an output has the cells of its own time"
