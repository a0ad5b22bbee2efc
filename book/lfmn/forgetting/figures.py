"""Figures on forgetting: sensitivity over the lag, the window of inputs that matter, relaxation after a past input."""

import numpy as np
from book.lfmn.forgetting import rates as fg
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.axes import Axes
from throughtime.textbook.lfmn import LFMN

SHADES = (s.BLUE, s.GREEN, s.PURPLE, s.VERMILION, s.ORANGE)


@drawn(9.6, 4.3, columns=2, sharey=True)
def sensitivity_by_lag(axes: np.ndarray, length: int = 31, seed: int = 4) -> None:
    """|dy(T)/dx(T-q)| of single units driven by noise (dots) and the bound M |u|^q or M |v M|^q of lfmn-22 (lines)."""
    noise = np.random.default_rng(seed).normal(scale=0.4, size=(length, 1))
    titles = "Net-input feedback", "Activation feedback"
    for ax, kind, letter, unit, title in zip(axes, fg.KINDS, "uv", (1, 2), titles, strict=True):
        for fall, color in zip((0.5, 0.8, 0.95, 1.0), SHADES, strict=False):
            weight = fall * unit
            _measured_and_bound(ax, kind, weight, noise, color)
            place = 8.5 if fall == 0.5 else length
            height = max(0.5 * fall ** (place - 1), 2.5e-5) * (1.9 if fall == 1 else 1.0)
            label(ax, place, height, f"${letter} = {weight:g}$", color, ha="left")
        ax.set(xlabel="lag $q$", yscale="log", ylim=(1e-5, 2), xlim=(-1, length + 6), title=title)
    axes[0].set_ylabel(r"sensitivity $|dy(T)/dx(T-q)|$")
    _measured_and_bound(axes[1], "act", 3.0, np.full((length, 1), 0.5), s.INK, bound=False)
    label(axes[1], -0.6, 1.6e-5, "$v = 3$,\nlatched", s.INK, ha="left", va="bottom")


def _measured_and_bound(ax: Axes, kind: str, weight: float, x: np.ndarray, color: str, bound: bool = True) -> None:
    net, theta = fg.unit(kind), fg.unit_parameters(kind, weight)
    lags = np.arange(len(x))
    if bound:
        ax.plot(lags, fg.gain(net, theta) * fg.rate(net, theta) ** lags, color=color, lw=1.3, alpha=0.8)
    ax.plot(lags, fg.sensitivities(net, theta, x)[:, 0, 0], "o", ms=3.4, color=color)


@drawn(7.6, 4.1)
def window_of_inputs(ax: Axes, tolerance: float = 0.01, pairs: int = 100, seed: int = 5) -> None:
    """Largest difference of the outputs of ``pairs`` random pairs of inputs with the same last W entries, over W.

    With its proved bound, and the window for ``tolerance``.
    """
    draw = np.random.default_rng(seed)
    net = LFMN(n_in=1, hidden=(1, 2, 2), output=(1, 1, 1))
    theta = net.init(draw, scale=1.0)
    views = net.layout.views(theta)
    views["u_hid"][:], views["v_hid"][:], views["u_out"][:], views["v_out"][:] = (0.8, -0.6), (1.5, -1.2), 0.7, 1.4
    length, spread = 60, 2.0
    shared = np.arange(1, 46)
    apart = np.full(shared.size, 1e-9)
    for _ in range(pairs):
        one, other = draw.uniform(-1, 1, size=(2, length, 1))
        late = np.arange(length) >= length - shared[:, None]
        difference = net.forward(theta, one).y[-1] - net.forward(theta, np.where(late[..., None], one, other)).y[:, -1]
        apart = np.maximum(apart, np.abs(difference).max(axis=1))
    rate = fg.rate(net, theta)
    bound = fg.gain(net, theta) * spread * rate**shared / (1 - rate)
    enough = fg.window(net, theta, tolerance, spread)
    ax.plot(shared, bound, color=s.GREEN)
    ax.plot(shared, apart, "o", ms=3.6, color=s.PURPLE)
    ax.axhline(tolerance, color=s.FAINT, lw=0.9, ls=":")
    ax.plot([enough] * 2, [1e-6, tolerance], color=s.GREEN, lw=1.1, ls=":")
    label(ax, 44, tolerance * 1.9, rf"$\varepsilon = {tolerance:g}$", s.FAINT, ha="right")
    label(ax, enough + 0.7, 4e-6, f"$W = {enough}$", s.GREEN, ha="left")
    label(ax, 15, bound[14] * 2.6, r"bound $\kappa D \rho^W/(1-\rho)$", s.GREEN, ha="left")
    label(ax, 2, 6e-5, f"largest difference\nin {pairs} pairs", s.PURPLE, ha="left")
    ax.set(yscale="log", ylim=(1e-6, 10), xlabel="shared last inputs $W$", ylabel="difference of the outputs")
    ax.set_title("What is older than the window hardly counts")


@drawn(9.6, 4.3, columns=2)
def relaxation(axes: np.ndarray, u: float = 0.85, split: int = 12, length: int = 45, seed: int = 2) -> None:
    """Left: net inputs with different pasts and the same input from time ``split`` on, net-input feedback ``u``.

    Right: |dloss/dx(t)| of an error at the last time only, for four units.
    """
    left, right = axes
    draw = np.random.default_rng(seed)
    present = draw.normal(scale=0.5, size=length - split)
    net, theta = fg.unit("net"), fg.unit_parameters("net", u)
    for color, push in zip((*SHADES, s.SKY), (1.2, 0.7, 0.2, -0.3, -0.8, -1.3), strict=True):
        past = push + draw.normal(scale=0.3, size=split)
        states = net.forward(theta, np.concatenate([past, present])[:, None]).net_out[:, 0]
        left.plot(states, color=color, lw=1.4)
    left.axvline(split, color=s.FAINT, lw=0.9, ls=":")
    label(left, split + 1, 7.6, "from here on the same input", s.FAINT, ha="left")
    left.set(xlabel="time $t$", ylabel=r"net input $\tilde y(t)$", ylim=(-9.2, 8.6), title=f"Relaxation, $u = {u:g}$")

    end = 60
    x = draw.normal(size=(end, 1))
    marks = (
        ("net", 0.7, "u", 34, 0.2),
        ("net", 0.9, "u", 14, 2.6),
        ("act", 1.8, "v", 24, 0.2),
        ("net", 1.0, "u", 3, 2.4),
    )
    for (kind, weight, letter, at, off), color in zip(marks, SHADES, strict=False):
        net, theta = fg.unit(kind), fg.unit_parameters(kind, weight, 0.5)
        output = net.forward(theta, x).y[-1, 0]
        flow = np.abs(2 * (output - 1.0) * fg.sensitivities(net, theta, x)[::-1, 0, 0])
        right.plot(np.arange(1, end + 1), np.maximum(flow, 1e-12), color=color, lw=1.5)
        label(right, at, flow[at - 1] * off, f"${letter} = {weight:g}$", color, ha="left")
    right.set(yscale="log", ylim=(1e-8, 10), xlabel="time $t$ of the input", ylabel=r"$|d\,\mathrm{loss}/dx(t)|$")
    right.set_title(f"Error at $T = {end}$ only")
