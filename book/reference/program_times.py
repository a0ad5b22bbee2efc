"""What compiled programs take, as figures of the measurements that the benchmarks have stored."""

from pathlib import Path

from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from book.shared.records import read
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
    "independent units, RTRL": (s.GREEN, 1300, 3.2),
    "LSTM 1997, truncated": (s.PURPLE, 30_000, 25),
}


def rows(table: str) -> list[dict[str, str]]:
    """The rows of one table of programs.csv."""
    return [row for row in read(BENCHMARKS / "programs.csv") if row["table"] == table]


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
