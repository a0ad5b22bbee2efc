"""Figures of random networks: the gradient by lag, heat maps, Lyapunov exponents, singular values."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from throughtime.models.activations import Activation, identity, logistic, tanh
from throughtime_book.bptt.vanishing import lags as by_lag
from throughtime_book.bptt.vanishing import random_nets as nets
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled

SCALES = {0.8: s.BLUE, 1.2: s.GREEN, 2.0: s.VERMILION}


@styled
def contributions() -> Figure:
    """What each lag adds to a gradient: one logistic unit, and networks at three scales, median and middle 80 %."""
    figure, (top, bottom) = canvas(7.2, 6.4, rows=2)
    terms = by_lag.of_one_unit()
    top.bar(range(12), terms[:12], color=s.GRADIENT, width=0.7)
    for lag in range(3):
        label(top, lag, terms[lag] + 0.06, f"{terms[lag]:.2g}", s.GRADIENT, ha="center")
    label(top, 4, 0.5, rf"all {len(terms)} lags together: {terms.sum():.3f}", s.INK, ha="left", fontsize=10)
    label(top, 4, 0.36, f"lag 20 alone: {terms[20]:.0e}", s.INK, ha="left", fontsize=10)
    top.set(xlabel="lag", ylabel=r"part of $\mathrm{d}z(T)/\mathrm{d}w$", ylim=(0, 0.8), title="One logistic unit")
    for scale, color in SCALES.items():
        found = by_lag.of_networks(scale)
        shares = (found / found.sum(axis=1, keepdims=True))[:, :-1]  # the first step adds nothing
        low, middle, high = np.quantile(shares, [0.1, 0.5, 0.9], axis=0)
        bottom.fill_between(range(len(middle)), low, high, color=color, alpha=0.18, lw=0)
        bottom.semilogy(middle, color=color)
        label(bottom, by_lag.STEPS + 0.5, middle[-4], f"$g = {scale:g}$", color, ha="left")
    bottom.set(xlabel="lag", ylabel="share of the gradient", ylim=(1e-9, 1), xlim=(-1, by_lag.STEPS + 9))
    bottom.set_title("Networks of 32 tanh units")
    return figure


def _heat(ax: Axes, activation: Activation, scales: np.ndarray, lags: tuple[int, ...]):
    sizes = np.array([nets.log_norms(activation, scale, lags).mean(axis=1) for scale in scales])
    image = ax.pcolormesh(lags, scales, sizes, cmap="RdBu_r", vmin=-10, vmax=10, shading="nearest", rasterized=True)
    ax.contour(lags, scales, sizes, levels=[-6, -3, 0, 3, 6], colors=s.INK, linewidths=0.8, linestyles="-")
    at = np.array([nets.rate(activation, scale) for scale in scales])
    theory = at[:, None] * np.array(lags)[None] / np.log(10)
    ax.contour(
        lags, scales, theory, levels=[-6, -3, 3, 6], colors=s.INK, linewidths=1.2, linestyles=[(0, (1, 2))], alpha=0.8
    )
    middle, above = sizes[:, len(lags) // 2], 0.0
    for level in (-6, -3, 0, 3):
        if middle[0] < level < middle[-1]:
            place = np.interp(level, middle, scales)
            if place > 1.25 * above:  # else the words would lie on those below
                label(ax, lags[len(lags) // 2], place, f"$10^{{{level}}}$", ha="center", fontsize=9)
                above = place
    ax.axhline(nets.critical_scale(activation), color=s.INK, lw=2, ls=(0, (4, 2)))
    ax.axhline(0.5 / activation.max_slope, color=s.FAINT, lw=1.2)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_yticks([value for value in (0.25, 0.5, 1, 2, 4, 8, 16) if scales[0] <= value <= scales[-1]])
    last = lags[-1]
    label(ax, last, nets.critical_scale(activation), "theory: rate 0", s.INK, ha="right", fontsize=8.5)
    label(ax, last, 0.5 / activation.max_slope, r"$\gamma\,\Vert W \Vert \approx 1$", s.FAINT, ha="right", fontsize=8.5)
    ax.set(xlabel="lag $n$", ylabel="weight scale $g$", title=f"{activation.name} units")
    return image


@styled
def heat_maps(points: int = 21, lags: tuple[int, ...] = tuple(range(4, 61, 4))) -> Figure:
    """Norm of the flow over lag and weight scale, mean of the logarithm of ``random_nets.NETS`` networks a point."""
    figure, axes = canvas(7.2, 7.8, rows=2)
    for ax, activation, reach in zip(axes, (tanh, logistic), (6.0, 24.0), strict=True):
        image = _heat(ax, activation, np.geomspace(reach / 24, reach, points), lags)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label(r"$\log_{10}$ norm of the flow")
    bar.outline.set_visible(False)
    return figure


@styled
def lyapunov(points: int = 7) -> Figure:
    """The largest Lyapunov exponent over the weight scale: mean field theory, and networks of two sizes."""
    figure, axes = canvas(7.2, 3.8, columns=2)
    for ax, activation, (low, high) in zip(axes, (tanh, logistic), ((0.5, 6.0), (2.0, 24.0)), strict=True):
        fine = np.geomspace(low, high, 40)
        ax.plot(fine, [nets.rate(activation, scale) for scale in fine], color=s.INK)
        for units, color in ((32, s.SKY), (128, s.VERMILION)):
            scales = np.geomspace(low, high, points) * (1.02 if units == 32 else 0.98)
            found = np.array([nets.exponents(activation, scale, units) for scale in scales])
            spread = found.std(axis=1)
            ax.errorbar(scales, found.mean(axis=1), spread, color=color, ls="", marker="o", ms=3.5, lw=1.2)
            label(ax, 0.97, 0.18 if units == 32 else 0.1, f"{units} units", color, ha="right", transform=ax.transAxes)
        label(ax, 0.03, 0.92, "theory", s.INK, ha="left", transform=ax.transAxes)
        ax.axhline(0, color=s.HAIR, lw=1, zorder=0)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        ax.set(xlabel="weight scale $g$", title=f"{activation.name} units")
    axes[0].set_ylabel("largest Lyapunov exponent")
    return figure


@styled
def singular_values(lag: int = 20) -> Figure:
    """Singular values of the flow over ``lag`` steps, Gaussian and orthogonal weights, linear and tanh units."""
    figure, axes = canvas(7.2, 3.8)
    rank = np.arange(1, nets.UNITS + 1)
    for draw, color, words in ((nets.gaussian, s.BLUE, "Gaussian"), (nets.orthogonal, s.VERMILION, "orthogonal")):
        for activation, dash in ((identity, "-"), (tanh, (0, (4, 2)))):
            values = np.linalg.svd(nets.flows(draw(nets.UNITS, nets.NETS, 0), activation, (lag,))[0], compute_uv=False)
            middle = np.median(values, axis=0)
            axes.semilogy(rank, middle, color=color, ls=dash)
            name = "linear" if activation is identity else "tanh"
            above = 3 if activation is identity else 0.12
            place = 11 if words == "Gaussian" else 22
            label(axes, place, middle[place - 1] * above, f"{words}, {name}", color, ha="center")
    axes.set(
        xlabel="singular value, largest first", ylabel="size", ylim=(1e-8, 50), title=f"Flow over {lag} steps, $g = 1$"
    )
    return figure
