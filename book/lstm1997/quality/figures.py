"""Figures on the truncated and the exact gradient of the LSTM: angle and norm ratio over nets and during training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from throughtime_book.lstm1997.quality.claims import Look
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled

LINES = (s.BLUE, s.GREEN, s.VERMILION, s.PURPLE)
Rows = Sequence[Mapping[str, str]]
Reading = Callable[[Mapping[str, str]], float]


def degrees(cosine: np.ndarray | float) -> np.ndarray:
    """Angles in degrees, 0 to 180, of cosines; values outside [-1, 1] are clipped. Same shape."""
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


@styled
def angles_by_scale(cosines: Mapping[float, Sequence[float]]) -> Figure:
    """Angle between both gradients of each random net, by scale of its weights; angles above 90 degrees highlighted.

    ``cosines[scale]`` are the cosines of the nets of that scale, as returned by ``random_nets``.
    """
    figure, ax = canvas(6.2, 4.4)
    spread = np.random.default_rng(0)
    for place, scale in enumerate(cosines):
        angle = degrees(np.asarray(cosines[scale]))
        x = place + spread.uniform(-0.3, 0.3, len(angle))
        for part, color in ((angle <= 90, s.BLUE), (angle > 90, s.VERMILION)):
            ax.plot(x[part], angle[part], "o", ms=3, color=color, alpha=0.55, mew=0)
        ax.plot([place - 0.36, place + 0.36], [np.median(angle)] * 2, color=s.INK, lw=2.2)
    ax.axhline(90, color=s.FAINT, lw=1, ls=(0, (4, 3)))
    label(ax, -0.4, 96, "beyond: uphill", s.VERMILION)
    ax.set_xticks(range(len(cosines)), [f"{scale:g}" for scale in cosines])
    ax.set(ylim=(-4, 184), yticks=[0, 45, 90, 135, 180], xlabel="weights uniform on $[-w, w]$, $w$ =")
    ax.set_ylabel("angle in degrees")
    ax.set_title("Each dot is a net: truncated against exact gradient")
    return figure


@styled
def by_lag_and_openness(found: Mapping[str, Mapping[float, Mapping[int, tuple[float, float]]]]) -> Figure:
    """Median angle in degrees (top) and median norm ratio (bottom) over the length of the sequence.

    One column per gate, one line per bias: ``found[gate][bias][length] = (angle, ratio)``.
    """
    figure, panels = canvas(6.8, 5.2, rows=2, columns=len(found), sharex=True, sharey="row", squeeze=False)
    for (gate, lines), column in zip(found.items(), panels.T, strict=True):
        for (bias, line), color in zip(lines.items(), LINES, strict=False):
            lags, values = list(line), np.array(list(line.values())).T
            for ax, medians in zip(column, values, strict=True):
                ax.semilogx(lags, medians, "o-", color=color, ms=4)
                label(ax, lags[-1] * 1.15, medians[-1], f"{bias:+g}" if bias else "0", color)
        column[0].set(title=f"bias of the {gate} shifted by", xlim=(lags[0] * 0.85, lags[-1] * 2.2), ylim=(0, None))
        column[1].axhline(1, color=s.FAINT, lw=1, ls=(0, (4, 3)))
        column[1].set(xlabel="length of the sequence")
        column[1].set_xticks(lags, map(str, lags))
        column[1].set_xticks([], minor=True)
    panels[0, 0].set_ylabel("median angle in degrees")
    panels[1, 0].set_ylabel("median ratio of norms")
    return figure


@styled
def by_open_output_gates(looks: Mapping[str, Sequence[Look]]) -> Figure:
    """Angle in degrees (top) and norm ratio (bottom) over the mean output gate of nets in training.

    ``looks`` by name of the setup; one dot per comparison.
    """
    figure, (angle, ratio) = canvas(6.2, 5.4, rows=2, sharex=True)
    for place, ((name, seen), color) in enumerate(zip(looks.items(), LINES, strict=False)):
        og = [look.og for look in seen]
        angle.plot(og, degrees([look.quality.cosine for look in seen]), "o", color=color, ms=4, alpha=0.6, mew=0)
        ratio.plot(og, [look.quality.ratio for look in seen], "o", color=color, ms=4, alpha=0.6, mew=0)
        angle.text(0.02, 0.93 - 0.11 * place, name, color=color, fontsize=9, va="top", transform=angle.transAxes)
    angle.set(ylim=(0, None), ylabel="angle in degrees", title="Nets in training, each dot one look")
    ratio.axhline(1, color=s.FAINT, lw=1, ls=(0, (4, 3)))
    ratio.set(ylim=(0, None), ylabel="ratio of norms", xlabel="mean of the output gates")
    return figure


@styled
def angles_in_training(gradients: Rows, setups: Sequence[str]) -> Figure:
    """Angle in degrees of the hidden gradients during training: a panel per setup, a line per seed, a dot at its end.

    ``gradients`` are the rows of ``experiment.GRADIENTS``.
    """
    figure, panels = canvas(6.0, 7.8, rows=(len(setups) + 1) // 2, columns=2, sharey=True)
    _over_training(panels, gradients, setups, lambda row: degrees(float(row["hidden_cosine"])))
    for ax in np.ravel(panels):
        ax.axhline(90, color=s.FAINT, lw=1, ls=(0, (4, 3)))
        ax.set(ylim=(0, 150), yticks=[0, 45, 90, 135])
    for ax in panels[:, 0]:
        ax.set_ylabel("degrees")
    return figure


@styled
def ratios_in_training(gradients: Rows, setups: Sequence[str]) -> Figure:
    """Norm of the truncated over that of the exact hidden gradient; panels and lines as in ``angles_in_training``."""
    figure, panels = canvas(6.0, 7.8, rows=(len(setups) + 1) // 2, columns=2, sharey=True)
    _over_training(panels, gradients, setups, lambda row: float(row["hidden_ratio"]))
    for ax in np.ravel(panels):
        ax.axhline(1, color=s.FAINT, lw=1, ls=(0, (4, 3)))
        ax.set(ylim=(0, 1.45), yticks=[0, 0.5, 1])
    for ax in panels[:, 0]:
        ax.set_ylabel("ratio of norms")
    return figure


def _over_training(panels: np.ndarray, gradients: Rows, setups: Sequence[str], of: Reading) -> None:
    """Draw ``of(row)`` over the sequences taken: one panel per setup, one line per seed, a dot at its end."""
    for ax, setup in zip(np.ravel(panels), setups, strict=True):
        rows = [row for row in gradients if row["setup"] == setup and row["method"] == "truncated"]
        for seed in sorted({row["seed"] for row in rows}):
            line = sorted((int(row["sequences"]) / 1000, of(row)) for row in rows if row["seed"] == seed)
            taken, values = np.array(line).T
            ax.plot(taken, values, color=s.GRADIENT, lw=0.9, alpha=0.55)
            ax.plot(taken[-1], values[-1], "o", color=s.GRADIENT, ms=3.5)
        ax.set(title=setup, xlabel="thousand sequences")


@styled
def sequences_needed(runs: Rows, cap: int) -> Figure:
    """Sequences until solved with either gradient: one row per setup, one dot per seed, the count of unsolved runs.

    ``runs`` are the rows of ``experiment.RUNS``, ``cap`` the number of sequences after which a run ends.
    """
    setups = list(dict.fromkeys(row["setup"] for row in runs))
    figure, ax = canvas(6.4, 1.0 + 0.72 * len(setups))
    for place, setup in enumerate(reversed(setups)):
        for method, color, shift in (("truncated", s.GRADIENT, 0.17), ("bptt", s.INK, -0.17)):
            rows = [row for row in runs if row["setup"] == setup and row["method"] == method]
            taken = np.array([int(row["taken"]) for row in rows])
            solved = np.array([row["solved"] == "1" for row in rows])
            y = np.full(len(rows), place + shift)
            ax.plot(taken[solved], y[solved], "o", color=color, ms=4.5, alpha=0.55, mew=0)
            if not solved.all():
                ax.text(cap * 1.15, place + shift, f"{np.sum(~solved)} never", color=color, fontsize=9, va="center")
            if solved.any():
                middle = np.median(np.where(solved, taken, np.inf))
                if np.isfinite(middle):
                    ax.plot([middle] * 2, [place + shift - 0.14, place + shift + 0.14], color=color, lw=2.4)
    ax.set_xscale("log")
    ax.set(xlim=(900, cap * 2.6), ylim=(-0.6, len(setups) - 0.2), xlabel="sequences until solved (bar: median)")
    ax.set_yticks(range(len(setups)), list(reversed(setups)))
    ax.set_xticks([1000, 3000, 10_000, 30_000], ["1000", "3000", "10 000", "30 000"])
    ax.set_xticks([], minor=True)
    ax.tick_params(axis="y", length=0)
    label(ax, 1000, len(setups) - 0.42, "truncated", s.GRADIENT)
    label(ax, 1900, len(setups) - 0.42, "exact", s.INK)
    return figure
