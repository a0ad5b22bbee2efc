"""One look for all figures.

A figure is a card. Shown as SVG (``svg``) it has the colours of the page's theme; as PNG it has dark ink on an opaque
near-white ground, which reads the same on light and dark pages. Colours are Okabe and Ito's, which readers with any
common colour blindness can tell apart, and they keep their meaning through the book (``POSITIVE`` state, ``GRADIENT``,
``MARGIN``, ...). Curves are labelled where they run.
"""

import functools
import io
import warnings
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
from book.shared import svg
from book.shared.figure_layout import faults
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

CARD = "#fdfcf9"
INK = "#22272e"
FAINT = "#8a9099"
HAIR = "#dcdedf"

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#A64D88", "#E69F00", "#56B4E9"
OCHRE = "#9a6a00"  # words about what is orange
POSITIVE, NEGATIVE = BLUE, VERMILION
GRADIENT, MARGIN = PURPLE, GREEN

PALETTE = {
    colour.lower(): name
    for name, colour in {
        "card": CARD, "ink": INK, "faint": FAINT, "hair": HAIR, "blue": BLUE, "vermilion": VERMILION,
        "green": GREEN, "purple": PURPLE, "orange": ORANGE, "sky": SKY, "ochre": OCHRE,
    }.items()
}  # fmt: skip
"""The name of the CSS variable of each colour; in dark it has another value."""

DPI, PIXELS = 160, 72 * 1.35

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "mathtext.fontset": "dejavusans",
    "figure.facecolor": CARD,
    "savefig.facecolor": CARD,
    "axes.facecolor": CARD,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "grid.color": HAIR,
    "grid.linewidth": 0.7,
    "image.cmap": "cividis",
}
LARGE = {"axes.labelsize": 13, "axes.titlesize": 13, "xtick.labelsize": 11, "ytick.labelsize": 11}


class BookFigure(Figure):
    """A figure whose notebook representation is SVG, or a PNG at ``DPI`` where `svg.drawable` says no.

    It is shown at 97 pixels per inch, so that a PNG stays sharp on dense screens. A fault of its layout is a warning,
    which no stored output may hold.
    """

    def _repr_svg_(self) -> str | None:
        with mpl.rc_context(STYLE):
            for fault in faults(self, PIXELS):
                warnings.warn(f"a figure: {fault}", stacklevel=2)
        return svg.to_svg(self, PALETTE, STYLE, PIXELS) if svg.drawable(self) else None

    def _repr_png_(self) -> tuple[bytes, dict[str, int]] | None:
        if svg.drawable(self):
            return None
        width, height = self.get_size_inches() * PIXELS
        return to_png(self), {"width": round(width), "height": round(height)}


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Decorator: draw under ``STYLE``, independent of the caller's rcParams, which stay unchanged.

    The layout is computed once and then fixed: a layout engine moves artists a little at every drawing.
    """

    @functools.wraps(draw)
    def wrapper(*args: Any, **kwargs: Any) -> Figure:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(STYLE)
            figure = draw(*args, **kwargs)
            figure.get_layout_engine().execute(figure)
            figure.set_layout_engine("none")
            return figure

    return wrapper


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **layout: Any) -> tuple[Figure, Any]:
    """A figure of ``width`` by ``height`` inches and its axes, one or an array; ``layout`` goes to ``Figure.subplots``.

    Its Agg canvas lays it out at the resolution of the PNG; one renderer caches the typeset formulas.
    """
    figure = BookFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.09, h_pad=0.09, wspace=0.05, hspace=0.05)
    return figure, figure.subplots(rows, columns, **layout)


def drawn(
    width: float, height: float, rows: int = 1, columns: int = 1, *, x: Any = None, y: Any = None, aspect: str = "auto",
    large: bool = False, **layout: Any,
) -> Callable[[Callable[..., None]], Callable[..., Figure]]:  # fmt: skip
    """Decorator: a function draws on the axes of a `canvas`, its first argument; called without it, returns the figure.

    With ``x`` and ``y``, the ranges of axes that are not shown, it is a diagram. ``large`` are labels for a phone.
    """

    def on_canvas(draw: Callable[..., None]) -> Callable[..., Figure]:
        @styled
        @functools.wraps(draw)
        def wrapper(*args: Any, **kwargs: Any) -> Figure:
            mpl.rcParams.update(LARGE if large else {})
            figure, axes = canvas(width, height, rows, columns, **layout)
            for ax in np.ravel(axes) if x else ():
                ax.set(xlim=x, ylim=y, aspect=aspect)
                ax.axis("off")
            draw(axes, *args, **kwargs)
            return figure

        return wrapper

    return on_canvas


def label(axes: Axes, x: float, y: float, text: str, color: str = INK, **style: Any) -> None:
    """Write ``text`` at data coordinates in the colour of its curve, on a patch that hides lines behind the words."""
    patch = {"facecolor": CARD, "edgecolor": "none", "pad": 1.2, "alpha": 0.85}
    axes.text(x, y, text, **{"color": color, "bbox": patch, "fontsize": 9, "va": "center", "zorder": 5} | style)


def box(axes: Axes, x: float, y: float, words: str, color: str, shape: str = "round,pad=0.35", size: int = 10) -> None:
    """Draw a node of a diagram: ``words`` in a frame of colour ``color``."""
    patch = {"boxstyle": shape, "facecolor": CARD, "edgecolor": color, "linewidth": 1.4}
    axes.text(x, y, words, ha="center", va="center", bbox=patch, fontsize=size, zorder=3)


def arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str, *, zorder: float = 2, **style: Any
) -> None:
    """Draw an arrow of a diagram, behind its nodes; ``style`` are further ``arrowprops`` of Matplotlib's."""
    look = {"arrowstyle": "-|>", "color": color, "lw": 1.5} | style
    axes.annotate("", end, start, arrowprops=look, zorder=zorder)


def bent(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str, bend: float = 0.0, **style: Any
) -> None:
    """Draw an arrow that begins and ends exactly there, straight or bent; ``style`` goes to ``FancyArrowPatch``."""
    look = {"arrowstyle": "-|>", "mutation_scale": 12, "lw": 1.4, "shrinkA": 0, "shrinkB": 0, "zorder": 2} | style
    axes.add_patch(FancyArrowPatch(start, end, color=color, connectionstyle=f"arc3,rad={bend}", **look))


def to_png(figure: Figure) -> bytes:
    """The figure as PNG; the same bytes for the same figure and version of matplotlib."""
    stream = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(stream, facecolor=figure.get_facecolor(), format="png", dpi=DPI)
    return stream.getvalue()
