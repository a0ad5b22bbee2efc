"""Figures on vanishing and explosion: the product of links, its bound, the gaps, one unit, large weights."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from throughtime.models.activations import logistic, tanh
from throughtime_book.bptt import networks as ef
from throughtime_book.bptt.vanishing import random_nets
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import arrow, box, canvas, label, styled


@styled
def links() -> Figure:
    """Net inputs and outputs of three steps in block notation: back through W, then through the slopes D."""
    figure, axes = canvas(7.2, 2.6)
    for back in range(3):
        place = 2.2 * (2 - back)
        box(axes, place + 1.1 * (back > 0) - 1.1 * (back > 0), 1, f"$z(t{'' if back == 0 else f'-{back}'})$", s.INK)
        if back:
            box(axes, place + 1.1, 1, f"$y(t-{back})$", s.INK)
            arrow(axes, (place + 0.36, 1), (place + 0.74, 1), s.FAINT)
            arrow(axes, (place + 1.46, 1), (place + 1.84, 1), s.FAINT)
            label(axes, place + 0.55, 1.26, "$f$", s.FAINT, ha="center")
            label(axes, place + 1.65, 1.26, "$W$", s.FAINT, ha="center")
            arrow(axes, (place + 1.95, 0.5), (place + 0.1, 0.5), s.GRADIENT)
            label(axes, place + 1.05, 0.5, f"$W D_{back}$", s.GRADIENT, ha="center", fontsize=11)
    axes.text(-0.35, 1.52, "forwards", color=s.FAINT, va="center")
    axes.text(-0.35, 0.22, "the error comes back", color=s.GRADIENT, va="center")
    axes.set(xlim=(-0.45, 4.85), ylim=(0.1, 1.65))
    axes.axis("off")
    return figure


# ---- bounds

BELOW, ABOVE, LAG, SMALL = 0.9, 2.2, 24, 6


def under_the_bound(reach: float, nets: int = random_nets.NETS) -> np.ndarray:
    """Norms of the flow of random tanh networks with |W| = ``reach`` over the lags 0 to LAG, shape (LAG + 1, nets)."""
    drawn = random_nets.gaussian(SMALL, nets, seed=7)
    weights = reach * drawn / ef.norms(drawn)[:, None, None]
    sizes = ef.norms(random_nets.flows(weights, tanh, tuple(range(1, LAG + 1)), given=0.5))
    return np.vstack([np.ones(nets), sizes])


@styled
def norm_and_bounds() -> Figure:
    """Norms of the flow of random networks over the lag, below the bound, for gamma |W| below 1 and above 1."""
    figure, axes = canvas(7.2, 3.6, columns=2)
    lags = np.arange(LAG + 1)
    for ax, reach in zip(axes, (BELOW, ABOVE), strict=True):
        ax.semilogy(lags, under_the_bound(reach), color=s.GRADIENT, lw=0.8, alpha=0.6)
        ax.semilogy(lags, reach**lags, color=s.MARGIN, lw=2.2, ls=(0, (5, 2)))
        ax.axhline(1, color=s.HAIR, lw=1, zorder=0)
        ax.set(xlabel="lag $n$", title=rf"$\gamma \Vert W \Vert = {reach}$")
    label(axes[0], 12, 2.2, r"$(\gamma \Vert W \Vert)^n$", s.MARGIN, ha="center", va="bottom")
    label(axes[1], 12, ABOVE**15, r"$(\gamma \Vert W \Vert)^n$", s.MARGIN, ha="center", va="bottom")
    axes[0].set(ylabel="norm of the flow", ylim=(1e-13, 30))
    return figure


@styled
def gaps(lag: int = 40) -> Figure:
    """Norm of the flow over the lag for four networks that separate the conditions on norms and eigenvalues."""
    figure, axes = canvas(7.2, 5.6, rows=2, columns=2)
    rows = (
        (ef.CHAIN, "Large norm, one step"),
        (ef.TRANSIENT, "Growth, then vanishing"),
        (ef.SATURATED, "Large eigenvalue, small slopes"),
        (ef.UNEVEN, "All eigenvalues 0, explosion"),
    )
    for ax, (net, title) in zip(axes.flat, rows, strict=True):
        sizes = ef.norms(net.flow(lag))
        shown = sizes > 1e-12
        ax.axhline(1, color=s.HAIR, lw=1, zorder=0)
        ax.semilogy(np.arange(lag + 1)[shown], sizes[shown], color=s.GRADIENT, marker="o", ms=3)
        if not shown.all() and sizes[~shown].max() == 0:
            label(ax, 2.4, sizes[1], "exactly 0 from $n = 2$ on", s.GRADIENT, ha="left")
        norm, radius = net.gamma * ef.largest_singular_value(net.weights), net.gamma * ef.spectral_radius(net.weights)
        words = rf"$\gamma\Vert W\Vert = {norm:.2f}$,  $\gamma\rho(W) = {max(radius, 0):.2f}$"
        ax.set(title=f"{title}\n{words}", xlim=(-1, lag + 1), xlabel="lag $n$")
    axes[0, 0].set(ylim=(1e-2, 1e1))
    for ax in axes[:, 0]:
        ax.set_ylabel("norm of the flow")
    return figure


# ---- one unit


@styled
def one_unit_map(steps: int = 14) -> Figure:
    """Trajectories of y(t+1) = tanh(w y(t)) for four self weights w and two starts, and |dy(t)/dy(0)| along them."""
    figure, (left, right) = canvas(7.2, 3.7, columns=2)
    for weight, color in ((0.5, s.SKY), (1.0, s.GREEN), (1.5, s.ORANGE), (3.0, s.PURPLE)):
        for first in (0.05, 0.9):
            y, product = [first], [1.0]
            for _ in range(steps):
                z = weight * y[-1]
                product.append(product[-1] * weight * float(tanh.derivative(z)))
                y.append(float(tanh(z)))
            dash = "-" if first < 0.5 else (0, (4, 2))
            left.plot(y, color=color, ls=dash, marker="o", ms=2.5, lw=1.3)
            right.semilogy(np.abs(product), color=color, ls=dash, marker="o", ms=2.5, lw=1.3)
        seen = int(np.flatnonzero(np.abs(product) > 1e-8)[-1])
        label(right, seen + 0.3, abs(product[seen]), f"$w = {weight:g}$", color, ha="left")
    left.set(xlabel="time $t$", ylabel="output $y(t)$", title=r"$y(t+1) = \tanh(w\,y(t))$")
    right.set(xlabel="time $t$", ylabel=r"$|\mathrm{d}y(t)/\mathrm{d}y(0)|$", title="Error back at the start")
    right.axhline(1, color=s.HAIR, lw=1, zorder=0)
    right.set(xlim=(-0.5, steps + 3), ylim=(1e-9, 30))
    return figure


@styled
def large_weights() -> Figure:
    """|w| sigma'(w y + c) over the weight w; dots at its local maxima, the weights of bptt-coth."""
    figure, axes = canvas(7.2, 3.8)
    weights = np.linspace(-16, 16, 1601)
    for (sent, rest), color in (((1.0, 0.0), s.BLUE), ((0.5, 0.0), s.VERMILION), ((0.5, 1.0), s.GREEN)):
        factor = np.abs(weights) * logistic.derivative(weights * sent + rest)
        axes.plot(weights, factor, color=color)
        peaks = np.flatnonzero((factor[1:-1] > factor[:-2]) & (factor[1:-1] > factor[2:])) + 1
        axes.plot(weights[peaks], factor[peaks], "o", ms=6, color=color)
        high = peaks[np.argmin(np.where(weights[peaks] < 0, factor[peaks], np.inf))]
        shift = 0.035
        label(axes, weights[high], factor[high] + shift, f"$y = {sent:g},\\ c = {rest:g}$", color, ha="center")
    axes.plot(weights, np.abs(weights) / 4, color=s.FAINT, ls=(0, (1, 2)))
    label(axes, 3.4, 0.8, r"$y = 0$: $|w| / 4$", s.FAINT, ha="left")
    axes.set(
        xlabel="weight $w$",
        ylabel=r"$|w|\,\sigma'(w\,y + c)$",
        ylim=(0, 0.95),
        title="The factor of one link over its weight",
    )
    return figure
