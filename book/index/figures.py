"""Figure of the front page: the error flow of one unit over its self weight and time."""

import numpy as np
from book.lfmn import one_unit as lt
from book.shared.figure_style import drawn
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

NIGHT, SNOW = "#10151f", "#f4f1e8"
FLOW = LinearSegmentedColormap.from_list(
    "flow", ["#10151f", "#12304d", "#17618a", "#5aa9c4", "#f4f1e8", "#f6c667", "#e8782f", "#a3262a"]
)


@drawn(9.6, 5.2)
def error_flow(ax: Axes, start: float = 0.01, steps: int = 48, weights: int = 700) -> None:
    """Heat map of log10 da(t)/da(0) of a unit with activation feedback: self weights 0 to 6, times 0 to ``steps``.

    The unit starts at a(0) = ``start``, near the unstable equilibrium 0. Below v = 2 the gradient decays. Above, it
    grows until the state passes the critical point xi, where it is largest, and decays once the unit has latched.
    ``weights`` is the number of columns.
    """
    v = np.linspace(0, 6, weights)
    flow = np.empty((steps + 1, weights))
    crest = np.full(weights, np.nan)
    for column, weight in enumerate(v):
        states = lt.trajectory(weight, start, np.zeros(steps))
        flow[:, column] = np.log10(np.maximum(lt.gradient(weight, states), 1e-30))
        if weight > lt.ONSET:
            crest[column] = _crossing(states, lt.critical_point(weight))

    ax.figure.set_facecolor(NIGHT)
    ax.set_facecolor(NIGHT)
    image = ax.imshow(
        flow, origin="lower", aspect="auto", cmap=FLOW, vmin=-4, vmax=3, extent=(0, 6, -0.5, steps + 0.5),
        interpolation="bicubic",
    )  # fmt: skip
    ax.contour(v, np.arange(steps + 1), flow, levels=[0], colors=[SNOW], linewidths=1.1, linestyles="--")
    ax.plot(v, crest, color=NIGHT, lw=2.2)
    _write(ax, 0.93, 0.72 * steps, "forgets", "the error dies\nout, and so\ndoes the state")
    _write(ax, 4.55, 0.72 * steps, "remembers", "the sign is safe,\nand its error dies out")
    _write(ax, 2.82, 0.1 * steps, "decides", "the error grows", NIGHT)
    ax.text(5.95, 0.025 * steps, r"the state passes $\xi$", color=NIGHT, fontsize=14, ha="right")
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(colors=SNOW, labelcolor=SNOW, length=0, labelsize=13)
    ax.set_xlabel("self weight $v$", color=SNOW, fontsize=15)
    ax.set_ylabel("time $t$", color=SNOW, fontsize=15)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.015, ticks=[-4, -2, 0, 2])
    bar.set_ticklabels(["$10^{-4}$", "$10^{-2}$", "1", "$10^{2}$"])
    bar.ax.tick_params(colors=SNOW, labelcolor=SNOW, length=0, labelsize=13)
    bar.set_label("gradient $da(t)\\,/\\,da(0)$", color=SNOW, fontsize=15)
    bar.outline.set_visible(False)


def _crossing(states: np.ndarray, level: float) -> float:
    """The first time at which ``states`` (T + 1,) reach ``level``, linearly interpolated; NaN if they never do."""
    beyond = np.flatnonzero(states >= level)
    if beyond.size == 0:
        return np.nan
    after = beyond[0]
    before = after - 1
    return before + (level - states[before]) / (states[after] - states[before])


def _write(ax, x: float, y: float, head: str, body: str, color: str = SNOW) -> None:
    ax.text(x, y, head, color=color, fontsize=25, fontweight="bold", ha="center", va="bottom")
    ax.text(x, y - 0.8, body, color=color, fontsize=16, ha="center", va="top")
