"""Figures on truncation in the LSTM of 1997: the cut paths, the way of an error, its size along the states."""

from functools import cache

import numpy as np
from book.lstm1997.cell.figures import CAROUSEL, _box
from book.shared import figure_style as s
from book.shared.figure_style import arrow, bent, drawn, label
from matplotlib.axes import Axes
from throughtime.textbook.lstm1997 import LSTM1997

ROWS = {"x": 0.0, "net": 1.0, "s": 2.0, "act": 3.0, "y": 4.0}


@drawn(5.4, 5.2, x=(-1.05, 2.5), y=(-0.4, 4.45))
def cuts(ax: Axes) -> None:
    """Three steps of the net. Crossed out: the cut paths from one step to the next net inputs. Thick: the carousel."""
    for x, when in enumerate(("t-1", "t", "t+1")):
        _box(ax, (x, ROWS["net"]), rf"$\mathrm{{net}}({when})$", s.INK)
        _box(ax, (x, ROWS["s"]), f"$s({when})$", CAROUSEL)
        _box(ax, (x, ROWS["act"]), rf"$r({when})$", s.INK)
        _box(ax, (x, ROWS["y"]), f"$y({when})$", s.PURPLE)
        bent(ax, (x, 1.2), (x, 1.8), s.INK)
        bent(ax, (x, 2.2), (x, 2.8), s.INK)
        arrow(ax, (x - 0.16, 1.2), (x - 0.16, 2.8), s.INK, lw=1.2, connectionstyle="arc3,rad=-0.45", zorder=3)
        if x < 2:
            _between(ax, x)
    ax.text(-0.55, ROWS["s"], "states", color=CAROUSEL, ha="right", va="center", fontsize=11)
    ax.text(-0.55, ROWS["act"], "activa-\ntions", ha="right", va="center", fontsize=11)
    ax.text(-0.55, ROWS["net"], "net\ninputs", ha="right", va="center", fontsize=11)
    ax.text(-0.55, ROWS["y"], "outputs", ha="right", va="center", fontsize=11)
    ax.text(-0.55, ROWS["x"], "inputs", ha="right", va="center", fontsize=11)


def _between(ax: Axes, x: float) -> None:
    """Draw the connections from the step at ``x`` to the next one, and the external input of the next one."""
    _box(ax, (x, ROWS["x"]), "$x(t-1)$" if x == 0 else "$x(t)$", s.FAINT)
    bent(ax, (x + 0.14, 0.2), (x + 0.84, 0.8), s.FAINT)
    arrow(ax, (x + 0.22, 2), (x + 0.78, 2), CAROUSEL, lw=3.4, zorder=3)
    bent(ax, (x + 0.12, 3.2), (x + 0.88, 3.8), s.PURPLE)
    bent(ax, (x + 0.1, 2.8), (x + 0.9, 1.2), s.VERMILION)
    for side in (-0.035, 0.035):  # two strokes across the way
        stroke = x + 0.26 + side + np.array([-0.05, 0.05]), 2.48 + side + np.array([-0.1, 0.1])
        ax.plot(*stroke, color=s.VERMILION, lw=2.6)
    if x == 0:
        label(ax, x + 0.4, 2.62, "cut", s.VERMILION, ha="left", fontsize=11)


@drawn(5.6, 4.4, x=(-0.75, 4.1), y=(-0.5, 2.5))
def scaling(ax: Axes) -> None:
    """The way of one error through a cell: scaled on entering at time t and on leaving at time t - q, by 1 between."""
    places = {"t-q": 0.0, "t-q+1": 1.15, "t-1": 2.35, "t": 3.5}
    for when, x in places.items():
        _box(ax, (x, 1), f"$s({when})$", CAROUSEL)
    for left, right in ((1.15, 0.0), (3.5, 2.35)):
        arrow(ax, (left - (0.5 if left < 2 else 0.26), 1), (right + 0.36, 1), CAROUSEL, lw=3.4, zorder=3)
        ax.text((left + right) / 2 + 0.02, 1.14, "1", color=CAROUSEL, ha="center", va="bottom", fontsize=12)
    ax.text(1.77, 1.0, r"$\cdots$", color=CAROUSEL, ha="center", va="center", fontsize=14)
    _box(ax, (3.5, 2), r"$y^{\mathrm{cell}}(t)$", s.VERMILION)
    bent(ax, (3.5, 1.82), (3.5, 1.2), s.VERMILION)
    ax.text(3.38, 1.52, r"$y^{\mathrm{og}}(t)\; h'(s(t))$", color=s.VERMILION, ha="right", va="center", fontsize=12)
    ax.text(3.5, 2.32, "an error arrives", color=s.VERMILION, ha="center", fontsize=11)
    _box(ax, (0.0, 0), r"$\mathrm{net}^{\mathrm{cell}}(t-q)$", s.BLUE)
    _box(ax, (1.75, 0), r"$\mathrm{net}^{\mathrm{ig}}(t-q)$", s.BLUE)
    bent(ax, (0.0, 0.82), (0.0, 0.2), s.BLUE)
    bent(ax, (0.14, 0.82), (1.5, 0.2), s.BLUE)
    ax.text(-0.1, 0.5, r"$y^{\mathrm{ig}}\; g'$", color=s.BLUE, ha="right", va="center", fontsize=12)
    ax.text(0.98, 0.56, r"$g\; f'$", color=s.BLUE, ha="left", va="center", fontsize=12)
    ax.text(0.8, -0.38, "it leaves, and is cut", color=s.BLUE, ha="center", va="center", fontsize=11)


@drawn(5.6, 4.2)
def error_along_the_states(ax: Axes) -> None:
    """Norm of the error signal at the states over the lag, relative to lag 0: truncated and exact, in random nets."""
    lags = np.arange(STEPS - 1)
    for scale, color in ((1.0, s.VERMILION), (0.1, s.BLUE)):
        low, middle, high = np.quantile(signals(STEPS, NETS, scale), (0.1, 0.5, 0.9), axis=0)
        ax.fill_between(lags, low, high, color=color, alpha=0.22, lw=0)
        ax.semilogy(lags, middle, color=color, lw=1.6)
    ax.semilogy(lags, signals(STEPS, 1, method="truncated").T, color=CAROUSEL, lw=2.6)
    label(ax, 2, 0.76, "cut: constant", CAROUSEL, fontsize=11)
    label(ax, 27, 0.23, "exact, weights in $[-1, 1]$", s.VERMILION, fontsize=11)
    label(ax, 12, 3.2, "exact, in $[-0.1, 0.1]$: the inner band", s.BLUE, fontsize=11)
    ax.set(xlabel="steps back", xlim=(0, lags[-1]), ylabel="size of the error signal, at lag 0 one")


STEPS, NETS = 60, 200


@cache
def signals(steps: int, seeds: int, scale: float = 1.0, method: str = "bptt") -> np.ndarray:
    """Norms of the error signal at all states by a method, by lag, (seeds, steps - 1).

    The error counts at the last step only. Lag 0 is the last but one time, to which all norms are relative. Weights
    are uniform on [-scale, scale], inputs normal; the seeds are 0, 1, ...
    """
    model = LSTM1997(n_in=1, blocks=2, cells=2, n_out=1)
    mask, targets, found = np.eye(1, steps, steps - 1)[0], np.zeros((steps, 1)), []
    for seed in range(seeds):
        draw = np.random.default_rng(seed)
        theta, x = model.init(draw, scale=scale), draw.normal(size=(steps, 1))
        by_state = model.error_signals(theta, x, targets, mask, method=method).s
        size = np.linalg.norm(by_state.reshape(steps + 1, -1), axis=1)[steps - 1 : 0 : -1]
        found.append(size / size[0])
    return np.array(found)
