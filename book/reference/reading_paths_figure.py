"""The chapters of the book, one under the other, and an arc from each to every chapter that needs it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import cycle

from book.reference.reading_paths import Chapter
from book.shared.figure_style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, canvas, styled
from matplotlib.figure import Figure
from matplotlib.patches import Arc

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
WIDTH = 5.4  # inches; a line is a quarter of an inch high
DOTS, FARTHEST = 5.1, 4.3  # where the arcs begin, and how far the longest one leads to the right


@styled
def arcs(chapters: Sequence[Chapter]) -> Figure:
    """A map of the book: names down the left, arcs on the right in the colour of the part that is needed."""
    parts = list(dict.fromkeys(chapter.part for chapter in chapters))
    colours = dict(zip(parts, cycle(COLOURS), strict=False))
    heights: dict[str, float] = {}
    titles = {chapter.page: re.split("(?=[:,])", chapter.title) for chapter in chapters}
    times = Counter(first for first, *_ in titles.values())
    figure, axes = canvas(WIDTH, 0.25 * (len(chapters) + 1.6 * len(parts)) + 0.2)
    y = 0.0
    for part in parts:
        axes.text(0, y, part, color=colours[part], weight="bold", va="center")
        y -= 1
        for chapter in (chapter for chapter in chapters if chapter.part == part):
            heights[chapter.page] = y
            first, *further = titles[chapter.page]  # as much of it as tells it from the others
            axes.text(0.25, y, "".join([first, *further[: times[first] > 1]]), color=INK, va="center")
            axes.plot(DOTS, y, "o", color=colours[part], markersize=4)
            y -= 1
        y -= 0.6
    part_of = {chapter.page: chapter.part for chapter in chapters}
    ends = [(need, chapter.page) for chapter in chapters for need in chapter.needs]
    widths = [(heights[need] - heights[page]) ** 0.8 for need, page in ends]
    for (need, page), width in zip(ends, widths, strict=True):
        top, bottom = heights[need], heights[page]
        size = {"width": 2 * FARTHEST * width / max(widths), "height": top - bottom}
        arc = Arc((DOTS, (top + bottom) / 2), **size, theta1=-90, theta2=90)
        arc.set(color=colours[part_of[need]], linewidth=1.1, alpha=0.8)
        axes.add_patch(arc)
    axes.set(xlim=(-0.1, DOTS + FARTHEST + 0.1), ylim=(y + 0.6, 0.8))
    axes.axis("off")
    return figure
