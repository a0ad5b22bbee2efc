"""Where the remedies act: a drawing for the page that compares them."""

from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes

PLACES = (
    ("weights at the start", "orthogonal, identity", s.INK),
    ("factors of one step", "carousel, forget gate", s.GREEN),
    ("sum over all paths", "truncation", s.VERMILION),
    ("gradient of the loss", "$\\Omega$ added to the loss", s.PURPLE),
    ("step of the weights", "Rprop, clipping", s.BLUE),
)


@drawn(6.2, 3.2, x=(-1.8, 5.4), y=(-3.6, 0.4))
def places(ax: Axes) -> None:
    """The five places between the weights and the next step at which a remedy can act."""
    for place, (words, remedies, color) in enumerate(PLACES):
        y = -0.8 * place
        box(ax, 0.0, y, words, color, size=12)
        label(ax, 2.1, y, remedies, color, fontsize=12)
        if place:
            arrow(ax, (0.0, y + 0.58), (0.0, y + 0.22), s.INK)
