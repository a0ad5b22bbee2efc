"""Figures on error flow: paths, heat maps over lag and weight scale, norms with their bounds, large weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from throughtime.models.activations import Activation, logistic, tanh
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.bptt.error_flow import numbers as ef
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled


@styled
def unrolled_paths(units: int = 3, lag: int = 3) -> Figure:
    """The net unrolled over ``lag`` steps: all paths from one unit back to another, one with its factors (bptt-14)."""
    figure, axes = canvas(9.6, 4.3)
    start, end, chosen = 0, units - 1, (0, units - 1, 1 % units, units - 1)[: lag + 1]
    height = [-float(unit) for unit in range(units)]
    for step in range(lag):
        right, left = lag - step, lag - step - 1
        for a in range(units):
            for b in range(units):
                used = (step > 0 or a == start) and (step < lag - 1 or b == end)
                axes.plot(
                    [right, left],
                    [height[a], height[b]],
                    color=s.SKY if used else s.HAIR,
                    lw=1.6 if used else 0.8,
                    zorder=1,
                )
    for step, (a, b) in enumerate(pairwise(chosen), 1):
        right, left = lag - step + 1, lag - step
        axes.annotate(
            "", (left + 0.09, height[b] - 0.09 * (height[b] - height[a])), (right, height[a]),
            arrowprops={"arrowstyle": "-|>", "color": s.GRADIENT, "lw": 2.4, "shrinkA": 8, "shrinkB": 2}, zorder=2,
        )  # fmt: skip
        link = rf"$w_{{{a + 1}{b + 1}}}\,f'_{{{b + 1}}}(z_{{{b + 1}}}(t{-step}))$"
        label(axes, (right + left) / 2, (height[a] + height[b]) / 2 + 0.17, link, s.GRADIENT, ha="center", fontsize=10)
    for time in range(lag + 1):
        for unit in range(units):
            ends = (time, unit) in ((lag, start), (0, end))
            axes.plot(time, height[unit], "o", ms=24, mfc=s.GRADIENT if ends else s.CARD, mec=s.INK, mew=1.1, zorder=3)
            ink = s.CARD if ends else s.INK
            axes.text(
                time, height[unit], f"$z_{unit + 1}$", ha="center", va="center", color=ink, fontsize=9.5, zorder=4
            )
        back = "" if time == lag else f" - {lag - time}"
        axes.text(time, 0.62, f"$t{back}$", ha="center", va="center", color=s.INK, fontsize=11)
    axes.set(xlim=(-0.35, lag + 0.35), ylim=(height[-1] - 0.45, 0.85))
    axes.set(xticks=[], yticks=[])
    axes.axis("off")
    axes.set_title(f"{units ** (lag - 1)} paths take the error from $z_{start + 1}(t)$ back to $z_{end + 1}(t-{lag})$")
    return figure


# ---- heat maps


def mean_log_norm(activation: Activation, scale: float, lag: int, units: int = 32, seeds: int = 3) -> np.ndarray:
    """log10 of the norm of the flow at the lags 0, ..., ``lag``, mean over ``seeds`` random nets, shape (lag + 1,).

    Recurrent weights are ``scale`` * N(0, 1 / units), inputs N(0, 0.01); norms below 1e-300 count as 1e-300.
    """
    warm_up, found = 40, np.zeros(lag + 1)
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        weights = scale * random.normal(size=(units, units)) / np.sqrt(units)
        sizes = _flow_norms(weights, activation, 0.1 * random.normal(size=(warm_up + lag, units)), lag)
        found += np.log10(np.maximum(sizes, 1e-300)) / seeds
    return found


def _flow_norms(weights: np.ndarray, activation: Activation, x: np.ndarray, lag: int) -> np.ndarray:
    """Norms of the flow from the last net input back over the lags 0, ..., ``lag``, shape (lag + 1,).

    ``weights`` (d, d); ``x`` (T, d) with T > lag: input k goes to unit k with weight 1.
    """
    model = FullyRecurrent(n_in=len(weights), n_out=len(weights), activation=activation)
    net = model.forward(model.layout.flatten({"W": np.hstack([np.eye(len(weights)), weights])}), x).z
    return ef.norms(ef.flow(ef.links(weights, activation.derivative(net[::-1][1 : lag + 1]))))


@styled
def heat_maps(lag: int = 60, points: int = 45) -> Figure:
    """Norm of the error flow over lag and weight scale for logistic and tanh units, ``points`` scales per panel."""
    figure, axes = canvas(9.6, 4.4, columns=2)
    for ax, activation, reach in zip(axes, (logistic, tanh), (24.0, 6.0), strict=True):
        scales = np.geomspace(reach / 24, reach, points)
        sizes = np.array([mean_log_norm(activation, scale, lag)[1:] for scale in scales])
        lags = np.arange(1, lag + 1)
        image = ax.pcolormesh(lags, scales, sizes, cmap="RdBu_r", vmin=-10, vmax=10, shading="nearest", rasterized=True)
        lines = ax.contour(lags, scales, sizes, levels=[-6, -3, 0, 3, 6], colors=s.INK, linewidths=0.7)
        ax.clabel(lines, fmt=lambda level: f"$10^{{{level:.0f}}}$", fontsize=8)
        ax.set_yscale("log", base=2)
        for value, text in ((0.5, r"$\gamma\,\Vert W \Vert \approx 1$"), (1.0, r"$\gamma\,\rho(W) \approx 1$")):
            ax.axhline(value / activation.max_slope, color=s.INK, lw=1.1, ls=(0, (4, 3)))
            label(ax, 0.98 * lag, value / activation.max_slope, text, ha="right", va="bottom", fontsize=8.5)
        ax.set(xlabel="lag $n$", title=f"{activation.name} units, $\\gamma = {activation.max_slope:g}$")
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        ax.set_yticks([value for value in (0.25, 0.5, 1, 2, 4, 8, 16) if scales[0] <= value <= scales[-1]])
    axes[0].set_ylabel(r"weight scale $g$, $w_{ij} \sim g\,N(0, 1/d)$")
    bar = figure.colorbar(image, ax=axes, shrink=0.9, pad=0.02)
    bar.set_label(r"$\log_{10}$ norm of the flow")
    bar.outline.set_visible(False)
    return figure


# ---- bounds


def _norm_with_bounds(ax: Axes, weights: np.ndarray, activation: Activation, lag: int, title: str) -> None:
    units = len(weights)
    measured = _flow_norms(weights, activation, 0.5 * np.random.default_rng(4).normal(size=(lag + 20, units)), lag)
    lags, gamma = np.arange(lag + 1), activation.max_slope
    by_norm = (gamma * ef.largest_singular_value(weights)) ** lags
    by_paths = (units * gamma * np.abs(weights).max()) ** lags
    ax.semilogy(lags, measured, color=s.GRADIENT, marker="o", ms=3)
    ax.semilogy(lags, by_norm, color=s.MARGIN, ls=(0, (5, 2)))
    ax.semilogy(lags, by_paths, color=s.FAINT, ls=(0, (1, 2)))
    ax.axhline(1, color=s.HAIR, lw=1, zorder=0)
    middle = lag // 2
    label(ax, middle, by_paths[middle], r"$(d\,\gamma\,\max |w|)^n$", s.FAINT, ha="center")
    label(ax, middle, by_norm[middle], r"$(\gamma \Vert W \Vert)^n$", s.MARGIN, ha="center")
    label(ax, 0.72 * lag, measured[int(0.72 * lag)], "measured", s.GRADIENT, ha="center", va="top")
    ax.set(xlabel="lag $n$", title=title)


@styled
def norm_and_bounds(lag: int = 24, units: int = 6) -> Figure:
    """The norm of the flow over the lag with its two proved bounds, for gamma |W| below 1 and above 1."""
    figure, axes = canvas(9.6, 4.2, columns=2)
    draw = np.random.default_rng(7).normal(size=(units, units))
    for ax, reach in zip(axes, (0.9, 2.2), strict=True):
        weights = reach * draw / ef.largest_singular_value(draw)
        _norm_with_bounds(ax, weights, tanh, lag, rf"tanh units, $\gamma \Vert W \Vert = {reach}$")
    axes[0].set_ylabel("norm of the error flow")
    return figure


@styled
def gaps(lag: int = 40) -> Figure:
    """Norm of the flow over the lag for four networks that separate the conditions on norms and eigenvalues."""
    figure, axes = canvas(9.6, 6.2, rows=2, columns=2)
    rows = (
        (ef.CHAIN, "Large norm, yet nothing after one step"),
        (ef.TRANSIENT, "Growth first, then vanishing"),
        (ef.SATURATED, "Large eigenvalue, small slopes"),
        (ef.UNEVEN, "No eigenvalue but 0, yet explosion"),
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
        ax.text(
            0.97,
            0.83 if net is not ef.UNEVEN else 0.2,
            words,
            transform=ax.transAxes,
            ha="right",
            va="center",
            fontsize=9,
        )
        ax.set(title=title, xlim=(-1, lag + 1), xlabel="lag $n$")
    axes[0, 0].set(ylim=(1e-2, 1e1))
    for ax in axes[:, 0]:
        ax.set_ylabel("norm of the flow")
    return figure


# ---- one unit


@styled
def one_unit_map(steps: int = 14) -> Figure:
    """Trajectories of y(t+1) = tanh(w y(t)) for four self weights w and two starts, and |dy(t)/dy(0)| along them."""
    figure, (left, right) = canvas(9.6, 4.2, columns=2)
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
    right.set(
        xlabel="time $t$", ylabel=r"$|\mathrm{d}y(t)/\mathrm{d}y(0)|$", title="The error that comes back to the start"
    )
    right.axhline(1, color=s.HAIR, lw=1, zorder=0)
    right.set(xlim=(-0.5, steps + 3), ylim=(1e-9, 30))
    return figure


@styled
def large_weights() -> Figure:
    """|w| sigma'(w y + c) over the weight w; dots at its local maxima, the weights of bptt-coth."""
    figure, axes = canvas(9.6, 4.2)
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
