"""What compiled programs take, as figures of the measurements that the benchmarks have stored."""

from pathlib import Path

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from book.shared.records import read
from book.shared.rendered import Rendered, table
from matplotlib.axes import Axes

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
ONLINE = {  # implementation: what the figure says, the colour
    "JAX scan": ("JAX, one net", s.FAINT),
    "JAX vmap, 100 nets": ("JAX, 100 nets", s.FAINT),
    "C": ("C by hand, one net", s.ORANGE),
    "learner": ("program, one net", s.BLUE),
    "learner, 100 nets": ("program, 100 nets", s.BLUE),
    "learner, 16 nets": ("program, 16 nets", s.BLUE),
}
GROWING = {  # what grows: the colour, and where its name stands
    "LFMN, RTRL": (s.BLUE, 700, 30),
    "independent units, RTRL": (s.GREEN, 700, 1.15),
    "LSTM 1997, truncated": (s.PURPLE, 30_000, 25),
}
ONE, SEVERAL = "learner", "learner, 100 nets"
# What is said, of which table, what over what, and between which bounds it is true.
SAID = (
    ("a step of one net, over that of C by hand: at most 1.3", "learning", ONE, "C", 0, 1.3),
    ("JAX for one net, over a program: 8 or more", "learning", "JAX scan", ONE, 8, np.inf),
    ("JAX for 100 nets, over a program: 3 or more", "learning", "JAX vmap, 100 nets", SEVERAL, 3, np.inf),
    ("JAX for 100 nets, over a program for one: 1 or more", "learning", "JAX vmap, 100 nets", ONE, 1, np.inf),
    ("one net, over each of 16 side by side: 3 or more", "learning", ONE, "learner, 16 nets", 3, np.inf),
    ("exact RTRL, over the product of matrices in it: at most 1.3", "dense", "program", "product", 0, 1.3),
    ("BPTT by hand, over a program: 2 or more", "batches", "loops of 90e9f15", "program", 2, np.inf),
    ("BPTT by JAX, over a program: 1 or more", "batches", "JAX", "program", 1, np.inf),
)
MEASURED = {"A": "A", "B": "B", "": "C"}


def rows(table: str) -> list[dict[str, str]]:
    """The rows of one table of programs.csv."""
    return [row for row in read(BENCHMARKS / "programs.csv") if row["table"] == table]


def holds() -> Rendered:
    """What is said of ratios, the least and the largest of each measurement, and whether it is true of all three."""
    seconds: dict[tuple[str, ...], dict[str, float]] = {}
    for row in (*read(BENCHMARKS / "programs_before.csv"), *read(BENCHMARKS / "programs.csv")):
        key = row.get("measurement", ""), row["table"], row["problem"]
        seconds.setdefault(key, {})[row["implementation"]] = float(row["seconds"])

    def ratios(when: str, name: str, above: str, below: str) -> list[float]:
        taken = (some for (one, table, _), some in seconds.items() if (one, table) == (when, name))
        return sorted(some[above] / some[below] for some in taken)

    def line(words: str, name: str, above: str, below: str, least: float, most: float) -> list[str]:
        found = [ratios(when, name, above, below) for when in MEASURED]
        true = all(least <= some[0] and some[-1] <= most for some in found)
        ranges = (" to ".join(dict.fromkeys(f"{one:.2g}" for one in (some[0], some[-1]))) for some in found)
        return [words, *ranges, "yes" if true else "no"]

    return table(["ratio of times", *MEASURED.values(), "on all"], [line(*one) for one in SAID])


def bars(ax: Axes, lengths: dict[str, float], colors: list[str], unit: str) -> None:
    """Horizontal bars, the first on top, each with its number."""
    for place, (length, color) in enumerate(zip(lengths.values(), colors, strict=True)):
        ax.barh(-place, length, color=color, height=0.62)
        label(ax, length * 1.06, -place, f"{float(f'{length:.2g}'):g}{unit}", s.INK)
    ax.set_yticks([-place for place in range(len(lengths))], [*lengths])
    ax.tick_params(axis="y", length=0)


@drawn(6.6, 2.9)
def learning(ax: Axes) -> None:
    """A step of one net that learns on line, truncated gradient and momentum, 17 weights."""
    taken = {row["implementation"]: 1e9 * float(row["seconds"]) for row in rows("learning")}
    lengths = {words: taken[name] for name, (words, _) in ONLINE.items()}
    bars(ax, lengths, [color for _, color in ONLINE.values()], " ns")
    ax.set(xscale="log", xlim=(8, 1600), xlabel="nanoseconds for a step of one net")


@drawn(6.6, 3.4)
def growth(ax: Axes) -> None:
    """A step of carried derivatives, over the number of weights."""
    for name, (color, *place) in GROWING.items():
        points = [row for row in rows("growth") if row["problem"] == name]
        sizes, times = ([float(row[key]) for row in points] for key in ("weights", "seconds"))
        ax.plot(sizes, [1e6 * one for one in times], "o-", color=color, markersize=4)
        label(ax, *place, name, color)
    ax.set(xscale="log", yscale="log", xlabel="weights", ylabel="microseconds for a step")
    ax.grid(visible=True)


@drawn(6.6, 3.4)
def backwards(ax: Axes) -> None:
    """How many times as long as a program other implementations of BPTT take."""
    seconds = {(row["problem"], row["implementation"]): float(row["seconds"]) for row in rows("batches")}
    kinds = {kind for _, kind in seconds}
    [earlier] = [kind for kind in kinds if kind.startswith("loops")]
    ratios = {
        f"{problem}, {words}": seconds[problem, kind] / seconds[problem, "program"]
        for problem in dict.fromkeys(problem for problem, _ in seconds)
        for kind, words in ((earlier, "by hand"), ("JAX", "JAX"))
    }
    bars(ax, ratios, [s.FAINT if name.endswith("JAX") else s.ORANGE for name in ratios], "")
    ax.axvline(1.0, color=s.BLUE, lw=1.2)
    ax.set(xlim=(0, 1.15 * max(ratios.values())), xlabel="time / time of the program")
