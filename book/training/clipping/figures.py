"""Figures on the cliff of the one-unit net: a section across it, two descents, and success rates of many descents."""

from functools import cache, partial

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import arrow, drawn, label
from book.training.clipping.experiment import Paths, descend, error, gradient, train
from matplotlib.axes import Axes
from throughtime.learning.clipping import clip_by_norm

RATE, UPDATES, STARTS = 0.5, 200, 300
THRESHOLDS = (np.inf, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
W, B = np.linspace(3.4, 7.0, 721), np.linspace(-3.2, -1.0, 529)  # fine enough for the wall
LEVELS = np.array([0.02, 0.05, 0.08, 0.1, 0.2, 0.3, 0.4])


@drawn(7.0, 6.4, rows=2, sharex=True)
def across(axes: np.ndarray) -> None:
    """The error and the norm of its gradient over w at fixed b, one curve per length T of the sequence."""
    (top, bottom), b = axes, -2.2
    w = np.linspace(W[0], W[-1], 1441)
    for place, (length, color) in enumerate({5: s.SKY, 15: s.BLUE, 50: s.VERMILION}.items()):
        top.plot(w, error(w, b, length), color=color)
        bottom.semilogy(w, np.hypot(*gradient(w, b, length)), color=color)
        label(top, 5.0, 0.13 + 0.04 * place, f"$T = {length}$", color, fontsize=12)
    top.set_ylabel("error $E$", fontsize=11)
    bottom.set_ylabel("length of the gradient", fontsize=11)
    bottom.set_xlabel(f"weight $w$, at $b = {b:g}$", fontsize=11)


@drawn(6.4, 5.6)
def descents(ax: Axes, plain: Paths, clipped: Paths) -> None:
    """The first descent of either, from the same start, on lines of equal error; an arrow where one leaves."""
    places = np.meshgrid(W, B)
    lines = ax.contour(*places, error(*places), LEVELS, colors=s.FAINT, linewidths=0.8)
    ax.clabel(lines, LEVELS[[0, 1, 2, 4, 5, 6]], fmt="%g", fontsize=9, inline_spacing=3)
    gone = int(np.argmax(~((W[0] <= plain.places[:, 0, 0]) & (plain.places[:, 0, 0] <= W[-1]))))
    inside, next_ = plain.places[:gone, 0], plain.places[gone, 0]
    ax.plot(*inside.T, color=s.VERMILION, marker="o", ms=5, lw=1.4, zorder=3)
    away = (next_ - inside[-1]) / np.linalg.norm(next_ - inside[-1])
    arrow(ax, inside[-1], inside[-1] + 0.9 * away, s.VERMILION, lw=2.4, zorder=3)
    ax.plot(*clipped.places[:, 0].T, color=s.BLUE, marker="o", ms=2.6, lw=0.9, zorder=4)
    ax.plot(*plain.places[0, 0], marker="s", ms=9, color=s.CARD, mec=s.INK, zorder=5)
    label(ax, 5.27, -1.57, "no clipping:\none step,\noff the map", s.VERMILION, fontsize=10.5, ha="center")
    label(ax, 4.0, -1.82, "clipped", s.BLUE, fontsize=10.5, ha="center")
    label(ax, 5.6, -2.0, "start", s.INK, fontsize=10.5)
    label(ax, 5.62, -2.87, "wall", s.INK, fontsize=10.5)
    ax.set(xlim=(W[0], W[-1]), ylim=(B[0], B[-1]))
    ax.set_xlabel("weight $w$", fontsize=11)
    ax.set_ylabel("bias $b$", fontsize=11)


@cache
def crowd(threshold: float, nudge: float = 0.0) -> Paths:
    """Descents from starts uniform in w in [4.5, 6.5], b in [-2.6, -1.6], moved by ``nudge`` times a normal number."""
    draw = np.random.default_rng(0)
    place = np.array([draw.uniform(4.5, 6.5, STARTS), draw.uniform(-2.6, -1.6, STARTS)])
    place *= 1 + nudge * draw.normal(size=place.shape)
    return descend(place.T, RATE, UPDATES, threshold)


@drawn(7.0, 4.0)
def outcomes(ax: Axes) -> None:
    """Share of descents that arrive and share of updates that are clipped, over the threshold."""
    runs = {threshold: crowd(threshold) for threshold in sorted(THRESHOLDS) if np.isfinite(threshold)}
    ax.semilogx([*runs], [run.arrived.mean() for run in runs.values()], "o-", color=s.BLUE)
    clipped = [(run.norms > threshold).mean() for threshold, run in runs.items()]
    ax.semilogx([*runs], clipped, "o-", color=s.VERMILION)
    bare = crowd(np.inf).arrived.mean()
    ax.axhline(bare, color=s.FAINT, lw=1.2, ls=(0, (4, 3)))
    label(ax, 0.011, 0.62, "arrived", s.BLUE, fontsize=11)
    label(ax, 0.022, 1.03, "steps clipped", s.VERMILION, fontsize=11)
    label(ax, 0.011, bare - 0.06, "arrived without clipping", s.FAINT, fontsize=10)
    ax.set(xlabel=r"threshold $\eta$", ylabel="share", ylim=(-0.03, 1.1))


@drawn(7.0, 4.0)
def elman_norms(ax: Axes) -> None:
    """Norms of the gradient of an Elman net over training, without clipping and, before it is clipped, with it."""
    threshold = 0.5
    ax.semilogy(train()[1], "o-", color=s.VERMILION)
    ax.semilogy(train(partial(clip_by_norm, threshold=threshold))[1], "o-", color=s.BLUE)
    ax.axhline(threshold, color=s.FAINT, lw=1.2, ls=(0, (4, 3)))
    label(ax, 5.5, 60, "no clipping", s.VERMILION, fontsize=11)
    label(ax, 11, 2.0, "clipped", s.BLUE, fontsize=11)
    label(ax, 16, 0.3, r"threshold $\eta$", s.FAINT, fontsize=10)
    ax.set(xlabel="update", ylabel="length of the gradient", ylim=(0.1, 300))
