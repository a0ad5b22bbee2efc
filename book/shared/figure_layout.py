"""What is wrong with the layout of a figure: words on words or cut off, axes without a name, and the like."""

import re
from collections.abc import Iterator
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

WIDTHS = 300, 1300
"""Pixels of the page that a figure is wider than, and narrower than."""
NEAR, OVERLAP = 1, 2
"""Pixels by which a word may leave the figure, and two may share."""


def faults(figure: Figure, pixels: float) -> Iterator[str]:
    """What a reader would find wrong, one sentence each. The figure is shown at ``pixels`` per inch.

    Its layout is fixed, and its canvas has a renderer.
    """
    figure.draw_without_rendering()  # from now on its texts stand where they belong
    shown = [text for ax in figure.axes for text in _texts(ax) if text.get_text().strip() and text.get_visible()]
    if not shown:
        yield "it has no words"
    if not WIDTHS[0] < figure.get_figwidth() * pixels < WIDTHS[1]:
        yield f"it is {figure.get_figwidth() * pixels:.0f} pixels wide"
    if any(part.get_facecolor()[3] < 1 for part in (figure, *figure.axes)):
        yield "a page in dark shines through its ground"
    for ax in figure.axes:
        if ax.axison and not (ax.get_xlabel() or ax.get_ylabel() or ax.get_title("left")):
            yield "axes have no name"  # above others with the same x they have one of the two
    for text in shown:
        if re.search(r"\de[-+]?\d", text.get_text()):
            yield f"{text.get_text()!r} is written as a program prints it"
    yield from _misplaced(figure, shown)


def _misplaced(figure: Figure, shown: list[Text]) -> Iterator[str]:
    renderer = figure.canvas.get_renderer()
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown]
    width, height = figure.get_size_inches() * figure.dpi
    for words, box in boxes:
        if min(box.x0, box.y0, width - box.x1, height - box.y1) <= -NEAR:
            yield f"{words!r} is cut off"
    for (one, a), (other, b) in combinations(boxes, 2):
        across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(across, down) > OVERLAP:
            yield f"{one!r} lies on {other!r}"


def _texts(ax: Axes) -> Iterator[Text]:
    """The texts of axes, without labels that matplotlib keeps for ticks beyond the ends of an axis."""
    yield from (*ax.texts, ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label)
    for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)
