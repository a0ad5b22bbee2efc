"""Figures on vanishing and explosion: bound, gaps, one unit, large weights, and random networks."""

from itertools import accumulate

import numpy as np
from book.bptt import networks as ef
from book.bptt.vanishing import experiment as nets
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.axes import Axes
from throughtime.arrays.activations import ActivationFunction, identity, logistic, tanh

BELOW, ABOVE, LAG, SMALL = 0.9, 2.2, 24, 6


def under_the_bound(reach: float) -> np.ndarray:
    """Norms of the flow of random tanh networks with |W| = ``reach`` over the lags 0 to LAG, shape (LAG + 1, NETS)."""
    drawn = nets.gaussian(SMALL, nets.NETS, seed=7)
    weights = reach * drawn / ef.norms(drawn)[:, None, None]
    return ef.norms(nets.flows(weights, tanh, tuple(range(LAG + 1)), given=0.5))


@drawn(7.2, 3.6, columns=2)
def norm_and_bounds(axes: np.ndarray) -> None:
    """Norms of the flow of random networks over the lag, below the bound, for gamma |W| below 1 and above 1."""
    lags = np.arange(LAG + 1)
    for ax, reach in zip(axes, (BELOW, ABOVE), strict=True):
        ax.semilogy(lags, under_the_bound(reach), color=s.GRADIENT, lw=0.8, alpha=0.6)
        ax.semilogy(lags, reach**lags, color=s.MARGIN, lw=2.2, ls=(0, (5, 2)))
        ax.axhline(1, color=s.HAIR, lw=1, zorder=0)
        ax.set(xlabel="lag $n$", title=rf"$\gamma \Vert W \Vert = {reach}$")
        height = 2.2 if reach < 1 else reach**15
        label(ax, 12, height, r"$(\gamma \Vert W \Vert)^n$", s.MARGIN, ha="center", va="bottom")
    axes[0].set(ylabel="norm of the flow", ylim=(1e-13, 30))


@drawn(7.2, 5.6, rows=2, columns=2)
def gaps(axes: np.ndarray, lag: int = 40) -> None:
    """Norm of the flow over the lag for four networks that separate the conditions on norms and eigenvalues."""
    rows = {"Large norm, one step": ef.CHAIN, "Growth, then vanishing": ef.TRANSIENT}
    rows |= {"Large eigenvalue, small slopes": ef.SATURATED, "All eigenvalues 0, explosion": ef.UNEVEN}
    for ax, (title, net) in zip(axes.flat, rows.items(), strict=True):
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


@drawn(7.2, 3.7, columns=2)
def one_unit_map(axes: np.ndarray, steps: int = 14) -> None:
    """Trajectories of y(t+1) = tanh(w y(t)) for four self weights w and two starts, and |dy(t)/dy(0)| along them."""
    left, right = axes
    for weight, color in ((0.5, s.SKY), (1.0, s.GREEN), (1.5, s.ORANGE), (3.0, s.PURPLE)):
        for first, dash in ((0.05, "-"), (0.9, (0, (4, 2)))):
            y = [*accumulate(range(steps), lambda now, _, w=weight: float(tanh(w * now)), initial=first)]
            slopes = weight * tanh.derivative(weight * np.array(y[:-1]))
            product = np.cumprod([1.0, *slopes])
            left.plot(y, color=color, ls=dash, marker="o", ms=2.5, lw=1.3)
            right.semilogy(np.abs(product), color=color, ls=dash, marker="o", ms=2.5, lw=1.3)
        seen = int(np.flatnonzero(np.abs(product) > 1e-8)[-1])
        label(right, seen + 0.3, abs(product[seen]), f"$w = {weight:g}$", color, ha="left")
    left.set(xlabel="time $t$", ylabel="output $y(t)$", title=r"$y(t+1) = \tanh(w\,y(t))$")
    right.set(xlabel="time $t$", ylabel=r"$|\mathrm{d}y(t)/\mathrm{d}y(0)|$", title="Error back at the start")
    right.axhline(1, color=s.HAIR, lw=1, zorder=0)
    right.set(xlim=(-0.5, steps + 3), ylim=(1e-9, 30))


@drawn(7.2, 3.8)
def large_weights(axes: Axes) -> None:
    """|w| sigma'(w y + c) over the weight w; dots at its local maxima, the weights of bptt-coth."""
    weights = np.linspace(-16, 16, 1601)
    curves = (((1.0, 0.0), s.BLUE), ((0.5, 0.0), s.VERMILION), ((0.5, 1.0), s.GREEN))
    for line, ((sent, rest), color) in enumerate(curves):
        factor = np.abs(weights) * logistic.derivative(weights * sent + rest)
        axes.plot(weights, factor, color=color)
        peaks = np.flatnonzero((factor[1:-1] > factor[:-2]) & (factor[1:-1] > factor[2:])) + 1
        axes.plot(weights[peaks], factor[peaks], "o", ms=6, color=color)
        label(axes, -15.5, 0.88 - 0.07 * line, f"$y = {sent:g},\\ c = {rest:g}$", color, ha="left")
    axes.plot(weights, np.abs(weights) / 4, color=s.FAINT, ls=(0, (1, 2)))
    label(axes, 3.4, 0.8, r"$y = 0$: $|w| / 4$", s.FAINT, ha="left")
    axes.set(xlabel="weight $w$", ylabel=r"$|w|\,\sigma'(w\,y + c)$", ylim=(0, 0.95))
    axes.set_title("The factor of one link over its weight")


SCALES = {0.8: s.BLUE, 1.2: s.GREEN, 2.0: s.VERMILION}


@drawn(7.2, 6.4, rows=2)
def contributions(axes: np.ndarray) -> None:
    """What each lag adds to a gradient: one logistic unit, and networks at three scales, median and middle 80 %."""
    top, bottom = axes
    terms = nets.contributions_of_one_unit()
    top.bar(range(12), terms[:12], color=s.GRADIENT, width=0.7)
    for lag in range(3):
        label(top, lag, terms[lag] + 0.06, f"{terms[lag]:.2g}", s.GRADIENT, ha="center")
    label(top, 4, 0.5, rf"all {len(terms)} lags together: {terms.sum():.3f}", s.INK, ha="left", fontsize=10)
    factor, exponent = f"{terms[20]:.0e}".split("e")
    label(top, 4, 0.36, rf"lag 20 alone: ${factor} \cdot 10^{{{int(exponent)}}}$", s.INK, ha="left", fontsize=10)
    top.set(xlabel="lag", ylabel=r"part of $\mathrm{d}z(T)/\mathrm{d}w$", ylim=(0, 0.8), title="One logistic unit")
    for scale, color in SCALES.items():
        found = nets.contributions(scale)
        shares = (found / found.sum(axis=1, keepdims=True))[:, :-1]  # the first step adds nothing
        low, middle, high = np.quantile(shares, [0.1, 0.5, 0.9], axis=0)
        bottom.fill_between(range(len(middle)), low, high, color=color, alpha=0.18, lw=0)
        bottom.semilogy(middle, color=color)
        label(bottom, nets.STEPS + 0.5, middle[-4], f"$g = {scale:g}$", color, ha="left")
    bottom.set(xlabel="lag", ylabel="share of the gradient", ylim=(1e-9, 1), xlim=(-1, nets.STEPS + 9))
    bottom.set_title("Networks of 32 tanh units")


def _heat(ax: Axes, activation: ActivationFunction, scales: np.ndarray, lags: tuple[int, ...]):
    sizes = np.array([nets.log_norms(activation, scale, lags).mean(axis=1) for scale in scales])
    image = ax.pcolormesh(lags, scales, sizes, cmap="RdBu_r", vmin=-10, vmax=10, shading="nearest", rasterized=True)
    ax.contour(lags, scales, sizes, levels=[-6, -3, 0, 3, 6], colors=s.INK, linewidths=0.8, linestyles="-")
    at = np.array([nets.rate(activation, scale) for scale in scales])
    theory = at[:, None] * np.array(lags)[None] / np.log(10)
    dotted = {"colors": s.INK, "linewidths": 1.2, "linestyles": [(0, (1, 2))], "alpha": 0.8}
    ax.contour(lags, scales, theory, levels=[-6, -3, 3, 6], **dotted)
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
    rate_0, norm_1 = 1.14 * nets.critical_scale(activation), 0.5 / activation.max_slope / 1.14
    label(ax, lags[-1], rate_0, "theory: rate 0", s.INK, ha="right", fontsize=8.5)
    label(ax, lags[-1], norm_1, r"$\gamma\,\Vert W \Vert \approx 1$", s.INK, ha="right", fontsize=8.5)
    ax.set(xlabel="lag $n$", ylabel="weight scale $g$", title=f"{activation.name} units")
    return image


@drawn(7.2, 7.8, rows=2)
def heat_maps(axes: np.ndarray, points: int = 21, lags: tuple[int, ...] = tuple(range(4, 61, 4))) -> None:
    """Norm of the flow over lag and weight scale, mean of the logarithm of ``experiment.NETS`` networks a point."""
    for ax, activation, reach in zip(axes, (tanh, logistic), (6.0, 24.0), strict=True):
        image = _heat(ax, activation, np.geomspace(reach / 24, reach, points), lags)
    bar = axes[0].figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label(r"$\log_{10}$ norm of the flow")
    bar.outline.set_visible(False)


@drawn(7.2, 3.8, columns=2)
def lyapunov(axes: np.ndarray, points: int = 7) -> None:
    """The largest Lyapunov exponent over the weight scale: mean field theory, and networks of two sizes."""
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


@drawn(7.2, 3.8)
def singular_values(axes: Axes, lag: int = 20) -> None:
    """Singular values of the flow over ``lag`` steps, Gaussian and orthogonal weights, linear and tanh units."""
    rank = np.arange(1, nets.UNITS + 1)
    for draw, color, words in ((nets.gaussian, s.BLUE, "Gaussian"), (nets.orthogonal, s.VERMILION, "orthogonal")):
        for activation, dash, above in ((identity, "-", 3), (tanh, (0, (4, 2)), 0.12)):
            flow = nets.flows(draw(nets.UNITS, nets.NETS, 0), activation, (lag,))[0]
            middle = np.median(np.linalg.svd(flow, compute_uv=False), axis=0)
            axes.semilogy(rank, middle, color=color, ls=dash)
            falls = words == "Gaussian"  # then the words stand right above the curve or left below it
            place, side = (11, "left" if above > 1 else "right") if falls else (22, "center")
            name = "linear" if activation is identity else "tanh"
            label(axes, place, middle[place - 1] * above, f"{words}, {name}", color, ha=side)
    axes.set(xlabel="singular value, largest first", ylabel="size", ylim=(1e-8, 50))
    axes.set_title(f"Flow over {lag} steps, $g = 1$")
