"""Figures of the timing tasks: what a net is given and asked for, and what a trained net does."""

from typing import Any

import numpy as np
from book.experiments.timing import COUNTED, INPUT, TARGET, Generated, Measured, Timing, Wave
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.axes import Axes

SHOWN: dict[str, Timing] = {
    "MSD: measure delays of 0 or 1 behind 10 steps": Measured(10),
    "GTS: a spike each 10 steps": Generated(10),
    "PFG: a cosine, period 10": Wave("cosine", 10),
    "PFG: a triangle, period 10": Wave("triangle", 10),
    "PFG: a rectangle, period 10": Wave("rectangle", 10),
}


@drawn(6.4, 8.6, rows=len(SHOWN), sharex=True)
def tapes(panels: np.ndarray, intervals: int = 4) -> None:
    """Inputs and targets of the tasks over some intervals."""
    for axes, (title, task) in zip(panels, SHOWN.items(), strict=True):
        tape = task.tape(intervals, np.random.default_rng(2))
        times = np.arange(1, tape.shape[1] + 1)
        asked = tape[COUNTED] > 0
        if tape[INPUT].any():
            axes.bar(times, tape[INPUT], width=0.5, color=s.BLUE)
        axes.plot(times[asked], tape[TARGET, asked], "o", color=s.VERMILION, ms=4.5)
        axes.set(title=title, ylabel="value", ylim=(-0.12, 1.15), yticks=(0, 1))
    label(panels[0], 2.5, 0.6, "input", s.BLUE, ha="left", fontsize=11)
    label(panels[0], 2.5, 0.2, "target", s.VERMILION, ha="left", fontsize=11)
    panels[-1].set(xlabel="time $t$")


@drawn(6.4, 7.4, rows=3, sharex=True)
def inside(panels: np.ndarray, trace: Any, task: Timing) -> None:
    """Output, gates and state of a net over the first intervals of a stream, which its trace has followed."""
    tape = task.tape(len(trace.y), np.random.default_rng(2))[:, : len(trace.y) - 1]
    times = np.arange(1, tape.shape[1] + 1)
    asked = tape[COUNTED] > 0
    _curves(panels[0], times, {"output": (trace.y[1:], s.BLUE)})
    panels[0].plot(times[asked], tape[TARGET, asked], "o", color=s.VERMILION, ms=4, label="target")
    gates = {"forget gate": (trace.y_fg, s.GREEN), "input gate": (trace.y_ig, s.PURPLE)}
    gates["output gate"] = trace.y_og, s.ORANGE
    _curves(panels[1], times, {name: (values[1:], colour) for name, (values, colour) in gates.items()})
    _curves(panels[2], times, {"state": (trace.s[1:], s.BLUE), "cell output": (trace.y_block[1:], s.SKY)})
    for axes, title in zip(panels, ("Output and target", "Gates", "State and cell output"), strict=True):
        axes.set(title=title, ylabel="value")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.97), frameon=False, ncols=3)
    panels[-1].set(xlabel="time $t$")


def _curves(axes: Axes, times: np.ndarray, curves: dict[str, tuple[np.ndarray, str]]) -> None:
    for name, (values, colour) in curves.items():
        axes.plot(times, values.reshape(len(times)), ".-", color=colour, lw=1.3, ms=4, label=name)
