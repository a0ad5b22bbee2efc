"""Figures on one self-connected unit: equilibria, latching, the bound on disturbances, the vanishing gradient."""

import numpy as np
from book.lfmn import one_unit as lt
from book.lfmn.latching import experiment as learning
from book.shared import figure_style as s
from book.shared.figure_style import arrow, drawn, label
from book.shared.intervals import wilson
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from throughtime.arrays.activations import tanh_half


@drawn(9.6, 4.2, columns=2)
def phase_line(axes: np.ndarray, v: float = 4.0) -> None:
    """Left: the map a -> v f(a) with cobwebs. Right: its drift and the basins of both signs. Needs v > 2."""
    xi, rest, bound = lt.critical_point(v), lt.latched_state(v), float(lt.largest_disturbance(v))
    (left, right), reach = axes, 1.35 * rest
    a = np.linspace(-reach, reach, 801)
    p = lt.drift(v, a)

    left.plot(a, a, color=s.FAINT, lw=1)
    left.plot(a, a + p, color=s.INK)
    for start, color in ((0.35, s.POSITIVE), (-0.35, s.NEGATIVE), (1.3 * rest, s.POSITIVE)):
        left.plot(*_cobweb(lt.trajectory(v, start, np.zeros(14))), color=color, lw=1.2)
    _equilibria(left, v, height=1.0)
    label(left, -0.8 * reach, -0.97 * reach, r"$a$", s.FAINT)
    label(left, -reach, -0.8 * rest, r"$v\,f(a)$")
    left.set(xlabel="state $a(t)$", ylabel="next state $a(t+1)$", title=f"One step of the map, $v = {v:g}$")

    right.axhline(0, color=s.FAINT, lw=0.8)
    right.plot(a, p, color=s.INK)
    right.fill_between(a, 0, p, where=(a > 0), color=s.POSITIVE, alpha=0.14, lw=0)
    right.fill_between(a, 0, p, where=(a < 0), color=s.NEGATIVE, alpha=0.14, lw=0)
    _equilibria(right, v, height=0.0)
    for side in (-1, 1):
        right.plot([side * xi] * 2, [0, side * bound], color=s.MARGIN, lw=1.2, ls=":")
        right.plot([0, side * xi], [side * bound] * 2, color=s.MARGIN, lw=1.2, ls=":")
    label(right, -0.1 * rest, bound, rf"$B = {bound:.3f}$", s.MARGIN, ha="right")
    label(right, xi, -0.14 * bound, rf"$\xi = {xi:.3f}$", s.MARGIN, ha="center", va="top")
    for x in np.array([-1.18, -0.75, -0.25, 0.25, 0.75, 1.18]) * rest:
        move = 0.12 * rest * np.sign(lt.drift(v, x))
        arrow(right, (x - move, 0), (x + move, 0), s.POSITIVE if x > 0 else s.NEGATIVE, lw=1.6, zorder=3)
    right.set(xlabel="state $a$", ylabel="drift $v f(a) - a$", title="Drift and the basins of the two signs")


@drawn(9.6, 4.2, columns=2)
def bifurcation(axes: np.ndarray, reach: float = 6.0) -> None:
    """Left: equilibria over the self weight from -``reach`` to ``reach``. Right: the bound B(v) on the disturbance."""
    left, right = axes
    v = np.linspace(2, reach, 300)
    rest = np.array([0.0, *(lt.latched_state(w) for w in v[1:])])
    left.plot([-2, 2], [0, 0], color=s.INK)
    for unstable in ([2, reach], [-reach, -2]):
        left.plot(unstable, [0, 0], color=s.INK, ls=(0, (2, 2)), lw=1.2)
    for side, color in ((1, s.POSITIVE), (-1, s.NEGATIVE)):
        left.plot(v, side * rest, color=color)
    for side, color in ((1, s.POSITIVE), (-1, s.NEGATIVE)):
        left.plot(-v, side * rest, color=color, ls=(0, (5, 2)))
    arrow(left, (-5, 0.92 * 4.9), (-5, -0.92 * 4.9), s.FAINT, arrowstyle="<|-|>", lw=1, zorder=3)
    label(left, -4.85, 0.8, "the sign flips\nat every step", s.FAINT)
    label(left, 4.3, 2.9, "latched $+$", s.POSITIVE, ha="left")
    label(left, 4.3, -2.9, "latched $-$", s.NEGATIVE, ha="left")
    label(left, 0, 0.75, "forgets", ha="center")
    label(left, 4.6, 0.55, "unstable", s.FAINT, ha="center")
    left.set(xlabel="self weight $v$", ylabel="state at rest", title="Pitchfork at $v = 2$, flip at $v = -2$")
    left.set_xticks(range(-6, 7, 2))

    w = np.linspace(2.0001, reach, 400)
    right.fill_between(w, -lt.largest_disturbance(w), lt.largest_disturbance(w), color=s.MARGIN, alpha=0.15, lw=0)
    for side in (1, -1):
        right.plot(w, side * lt.largest_disturbance(w), color=s.MARGIN)
        right.plot(w, side * lt.printed_disturbance(w), color=s.ORANGE, ls=(0, (4, 2)), lw=1.4)
    right.set(xlim=(0, reach), xlabel="self weight $v$", ylabel="constant forcing $I$")
    right.set_title("Two stable states inside the cusp, one outside")
    label(right, 3.75, 1.32, "$B(v)$", s.MARGIN, ha="right")
    label(right, 5.2, 0.6, "as printed", s.ORANGE, ha="center")
    label(right, 1.2, 0, "one\nequilibrium", ha="center")
    label(right, 3.9, 0, "three", ha="center")


@drawn(9.6, 3.9, columns=2, sharey=True)
def edge_of_the_bound(axes: np.ndarray, v: float = 4.0, share: float = 0.001, steps: int = 260) -> None:
    """Trajectories a(t) from four starts under the constant disturbances -(1 - ``share``) B and -(1 + ``share``) B."""
    bound, xi = float(lt.largest_disturbance(v)), lt.critical_point(v)
    for ax, factor in zip(axes, (1 - share, 1 + share), strict=True):
        ax.axhspan(-9, 0, color=s.NEGATIVE, alpha=0.07, lw=0)
        ax.axhline(xi, color=s.FAINT, lw=0.9, ls=":")
        for start in (xi, 2.6, 4.0, 6.0):
            states = lt.trajectory(v, start, np.full(steps, -factor * bound))
            ax.plot(states, color=s.POSITIVE if states[-1] > 0 else s.NEGATIVE, lw=1.5, alpha=0.9)
        ax.set(xlabel="step $t$", xlim=(0, steps), ylim=(-6.2, 6.4))
        ax.set_title(rf"$I = -{factor:.3f}\,B$: the sign " + ("stands" if factor < 1 else "falls"))
        label(ax, steps * 0.97, xi + 0.75, rf"$\xi = {xi:.3f}$", s.FAINT, ha="right")
    axes[0].set_ylabel("state $a(t)$")
    label(axes[0], steps * 0.97, -3.2, "other sign", s.NEGATIVE, ha="right")


@drawn(5.6, 4.0)
def escape_time(ax: Axes, weak: float = 2.05, strong: float = 4.0) -> None:
    """Steps until the sign flips over the excess above the bound, and the passage time of a saddle-node bifurcation."""
    excess = np.logspace(-7, 0, 15)
    for v, color in ((weak, s.ORANGE), (strong, s.BLUE)):
        bound = float(lt.largest_disturbance(v))
        steps = [lt.steps_to_flip(v, 30.0, -(bound + e)) for e in excess]
        ax.loglog(excess, lt.passage_steps(v, excess), color=color, lw=1.2)
        ax.loglog(excess, steps, "o", color=color, ms=4.5)
    ax.grid(True)
    ax.set(xlabel=r"excess $\varepsilon$ over the bound", ylabel="steps until the sign falls")
    ax.set_title(r"Dots: measured. Lines: $\pi\,\sqrt{2 / (f(\xi)\,\varepsilon)}$")
    label(ax, 1e-4, 4e3, f"$v = {weak:g}$", s.ORANGE)
    label(ax, 1e-5, 400, f"$v = {strong:g}$", s.BLUE, ha="right")


@drawn(6.4, 4.3)
def basin(ax: Axes, v: float = 4.0) -> None:
    """Pairs of state and disturbance that keep the sign, and the steps to the flip for all others."""
    xi, bound = lt.critical_point(v), float(lt.largest_disturbance(v))
    start, push = np.linspace(0.005, 2.4 * xi, 300), np.linspace(0, 1.6 * bound, 240)
    steps = _fall_times(v, start, push, limit=600)
    image = ax.pcolormesh(start, push, steps, norm=LogNorm(1, 100), cmap="cividis_r", rasterized=True)
    ax.figure.colorbar(image, ax=ax, label="steps until the sign falls", pad=0.02)
    edge = np.linspace(0, bound, 120)
    ax.plot([lt.smallest_safe_state(v, b) for b in edge], edge, color=s.MARGIN, lw=2.4)
    ax.plot([xi, start[-1]], [bound, bound], color=s.MARGIN, lw=2.4)
    ax.plot([0, start[-1]], [float(lt.printed_disturbance(v))] * 2, color=s.ORANGE, lw=1.4, ls=(0, (4, 2)))
    ax.plot(xi, bound, "o", color=s.MARGIN, ms=7, mec=s.CARD)
    ax.plot(0.1, 0.5, "s", color=s.VERMILION, ms=6, mec=s.CARD)
    label(ax, 1.35 * xi, 0.32 * bound, "safe: no forcing this strong\nflips the sign", s.MARGIN, ha="left")
    label(ax, 1.66 * xi, 0.6 * bound, "bound as printed", s.ORANGE, ha="left")
    ax.set(xlabel="state $a$", ylabel="bound $b$ on the disturbance", ylim=(0, push[-1]), xlim=(0, start[-1]))
    ax.set_title(rf"The margin $D(a)$ of a state, $v = {v:g}$")


@drawn(9.6, 4.2, columns=2)
def store_or_learn(axes: np.ndarray, v: float = 4.0) -> None:
    """Disturbance tolerated and slope of the map: left at rest over the self weight, right over the state for ``v``."""
    left, right = axes
    weights = np.linspace(0, 6, 481)
    left.plot(weights, lt.resting_slope(weights), color=s.GRADIENT)
    left.plot(weights, lt.largest_disturbance(weights), color=s.MARGIN)
    left.axvline(2, color=s.FAINT, lw=0.9, ls=":")
    left.set(xlabel="self weight $v$", ylim=(-0.02, 1.6), xlim=(0, 6), title="A unit at rest, over its self weight")
    label(left, 2.15, 1.05, "gradient kept\nper step", s.GRADIENT)
    label(left, 4.2, 1.43, "largest disturbance\nwithstood, $B(v)$", s.MARGIN, ha="right")
    label(left, 1.0, 0.08, "stores nothing", s.MARGIN, ha="center")
    label(left, 4.9, 0.2, "keeps no gradient", s.GRADIENT, ha="center")

    xi, bound = lt.critical_point(v), float(lt.largest_disturbance(v))
    a = np.linspace(0, 2.4 * xi, 400)
    right.axvspan(0, xi, color=s.GRADIENT, alpha=0.08, lw=0)
    right.axhline(1, color=s.FAINT, lw=0.8, ls=":")
    right.plot(a, lt.slope(v, a), color=s.GRADIENT)
    right.plot(a, lt.margin(v, a), color=s.MARGIN)
    right.set(xlabel="state $a$", ylim=(0, 0.54 * v), xlim=(0, a[-1]), title=f"$v = {v:g}$, over its state")
    label(right, 0.5 * xi, 0.475 * v, "local slope $v f'(a)$", s.GRADIENT)
    label(right, 0.98 * a[-1], 1.14 * bound, r"margin $D(a)$, slope $v f'(a) - 1$ up to $\xi$", s.MARGIN, ha="right")
    label(right, 1.03 * xi, 0.03 * v, rf"$\xi = {xi:.2f}$", s.FAINT)


@drawn(6.4, 4.0)
def gradient_of_a_latch(ax: Axes, v: float = 4.0, shares: tuple[float, ...] = (0.0, 0.5, 0.9, 0.99, 1.0)) -> None:
    """da(t+q)/da(t) of a unit latched at + over the lag q = 0, ..., 100, one curve per constant forcing -share * B."""
    bound, lags = float(lt.largest_disturbance(v)), np.arange(101)
    for share, shade in zip(shares, np.linspace(1, 0.4, len(shares)), strict=True):
        flow = lt.gradient(v, lt.trajectory(v, lt.latched_state(v), np.full(lags[-1], -share * bound)))
        ax.semilogy(lags, flow, color=s.GRADIENT, alpha=shade)
        end = int(np.flatnonzero(flow > 4e-9)[-1])
        place = (end + 2.4, 4e-9) if end < lags[-1] else (end + 2, flow[end])
        label(ax, *place, f"{share:g}", s.GRADIENT)
    ax.grid(True)
    ax.set(xlabel="lag $q$", ylim=(1e-9, 2), xlim=(0, 114), xticks=range(0, 101, 20))
    ax.set_ylabel("gradient $da(t+q)\\,/\\,da(t)$")
    ax.set_title(rf"$v = {v:g}$: a latched unit pushed with these shares of $B$")


@drawn(7.2, 3.9)
def two_fates(ax: Axes, v: float = 4.0, share: float = 0.9, starts: int = 41, steps: int = 60, seed: int = 3) -> None:
    """Trajectories from ``starts`` states under the same noise of at most ``share`` * B: only one bit is kept."""
    bound = float(lt.largest_disturbance(v))
    noise = np.random.default_rng(seed).uniform(-share * bound, share * bound, steps)
    states = lt.trajectory(v, np.linspace(-6, 6, starts), noise)
    ax.axhline(0, color=s.FAINT, lw=0.8)
    for path in states.T:
        ax.plot(path, color=s.POSITIVE if path[-1] > 0 else s.NEGATIVE, lw=1, alpha=0.75)
    ax.set(xlabel="step $t$", ylabel="state $a(t)$", xlim=(0, steps))
    ax.set_title(rf"{starts} starts, one noise ($|I| \leq {share:g}\,B$), two fates: one bit is left of the start")


@drawn(9.6, 4.0, columns=2, sharey=True)
def learnt_by_start(panels: np.ndarray) -> None:
    """Share of runs that learn to store a sign over the self weight at the start: held there, and trained as well."""
    titles = {"Self weight held": False, "Self weight trained as well": True}
    for ax, (title, trained) in zip(panels, titles.items(), strict=True):
        ax.axvline(lt.ONSET, color=s.FAINT, lw=0.9, ls=":")
        for length, color, shift in zip(learning.LENGTHS, (s.BLUE, s.VERMILION), (-0.015, 0.015), strict=True):
            counts = learning.learnt(length, trained).stored
            ends = np.array([wilson(count, learning.RUNS) for count in counts])
            share, places = np.array(counts) / learning.RUNS, np.array(learning.STARTS) + shift
            ax.errorbar(places, share, np.abs(ends.T - share), color=color, fmt="o-", ms=4.5, lw=1.4, capsize=2)
        ax.set(xlabel="self weight $v$ at the start", ylim=(-0.04, 1.04), title=title)
    panels[0].set_ylabel("share of runs that store the sign")
    label(panels[0], 3.05, 0.84, f"{learning.LENGTHS[0]} steps", s.BLUE, ha="left")
    label(panels[0], 2.75, 0.5, f"{learning.LENGTHS[1]} steps", s.VERMILION, ha="right")


def _cobweb(states: np.ndarray) -> np.ndarray:
    corners = np.repeat(states, 2)
    return np.array([corners[:-1], [states[0], *corners[2:]]])


def _equilibria(ax: Axes, v: float, height: float) -> None:
    """Draw equilibria a at (a, height * a) for v > 2: full dots for stable, open dots for unstable ones."""
    rest = lt.latched_state(v)
    for state, fill in ((-rest, s.INK), (0.0, s.CARD), (rest, s.INK)):
        ax.plot(state, height * state, "o", color=fill, mec=s.INK, ms=7, zorder=4)


def _fall_times(v: float, start: np.ndarray, push: np.ndarray, limit: int) -> np.ndarray:
    """Steps until the sign flips, shape (push, start); NaN where it does not within ``limit`` steps."""
    a, force = np.meshgrid(start, push)
    times = np.full(a.shape, np.nan)
    a, force, upright = a.ravel(), force.ravel(), np.arange(a.size)  # of those alone that have not fallen
    for step in range(1, limit + 1):
        a = v * tanh_half(a) - force
        times.flat[upright[a < 0]] = step
        a, force, upright = (each[a >= 0] for each in (a, force, upright))
    return times
