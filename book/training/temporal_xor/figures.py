"""Figures on temporal XOR: the error by position in the triple, and mean activations of the hidden units."""

from collections.abc import Mapping, Sequence

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import canvas, drawn, styled
from book.training.temporal_xor.checks import least_error
from matplotlib.figure import Figure

PAIRS = ("00", "01", "10", "11")


@drawn(6.4, 4.4, rows=2, columns=2, sharex=True, sharey=True)
def errors_by_position(panels: np.ndarray, cells: Mapping[str, np.ndarray]) -> None:
    """Mean squared errors at positions 1 to 3, one panel per title, one dot per seed; ``cells`` by title, (seeds, 3).

    Lines are the smallest errors of a predictor from two bits, without and with the position.
    """
    for ax, (title, errors) in zip(panels.flat, cells.items(), strict=True):
        for values, color in ((least_error(2), s.ORANGE), (least_error(2, True), s.MARGIN)):
            for position, value in enumerate(values, 1):
                ax.plot([position - 0.4, position + 0.4], [float(value)] * 2, color=color, lw=2)
        spread = np.linspace(-0.22, 0.22, len(errors))
        for position in range(3):
            ax.plot(position + 1 + spread, errors[:, position], "o", color=s.POSITIVE, ms=4, alpha=0.85)
        ax.set(title=title, ylim=(-0.02, 0.36), xlim=(0.5, 3.5))
        ax.set_xticks([1, 2, 3], ["first", "second", "third"])
    for below, beside in zip(panels[-1], panels[:, 0], strict=True):
        below.set_xlabel("bit to predict")
        beside.set_ylabel("mean squared error")
    first = panels.flat[0]
    first.text(2.55, 1 / 9 + 0.022, "from two bits", color=s.OCHRE, fontsize=8.5, ha="right", va="center")
    first.text(2.55, 0.0, "with position", color=s.MARGIN, fontsize=8.5, ha="right", va="center")


@styled
def mean_activations(means: np.ndarray, names: Sequence[str]) -> Figure:
    """Mean activations, one row per unit, by position of the next bit and the two latest bits."""
    table = means.reshape(len(means), 12)
    figure, ax = canvas(5.4, 1.3 + 0.32 * len(means))
    ax.imshow(table, vmin=0, vmax=1, aspect="auto", cmap="cividis")
    for (row, column), value in np.ndenumerate(table):
        ink = "white" if value < 0.5 else s.INK
        ax.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=9, color=ink)
    for border in (3.5, 7.5):
        ax.axvline(border, color=s.CARD, lw=5)
    ax.set_xticks(range(12), PAIRS * 3)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.set_xlabel("bit before and present bit")
    for place, text in zip((1.5, 5.5, 9.5), ("next: first", "next: second", "next: third"), strict=True):
        ax.text(place, -0.62, text, ha="center", va="bottom", fontsize=9.5)
    ax.spines[:].set_visible(False)
    return figure
