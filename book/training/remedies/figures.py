"""Where the remedies act: a drawing for the page that compares them."""

from __future__ import annotations

from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, canvas, label, styled
from matplotlib.figure import Figure

PLACES = (
    ("weights at the start", "orthogonal, identity", s.INK),
    ("factors of one step", "carousel, forget gate", s.GREEN),
    ("sum over all paths", "truncation", s.VERMILION),
    ("gradient of the loss", "$\\Omega$ added to the loss", s.PURPLE),
    ("step of the weights", "Rprop, clipping", s.BLUE),
)


@styled
def places() -> Figure:
    """The five places between the weights and the next step at which a remedy can act."""
    figure, ax = canvas(6.2, 5.4)
    for place, (words, remedies, color) in enumerate(PLACES):
        y = -1.3 * place
        box(ax, 0.0, y, words, color, size=12)
        label(ax, 2.1, y, remedies, color, fontsize=12)
        if place:
            arrow(ax, (0.0, y + 0.95), (0.0, y + 0.38), s.INK)
    ax.set(xlim=(-1.8, 5.4), ylim=(-5.7, 0.5))
    ax.axis("off")
    return figure
