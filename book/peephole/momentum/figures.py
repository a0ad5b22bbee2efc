"""Figure on momentum: the distance that it carries a weight on a constant slope."""

import numpy as np
from book.shared.figure_style import BLUE, FAINT, INK, ORANGE, PURPLE, drawn, label
from matplotlib.axes import Axes
from throughtime.learning.optimizers import Momentum

MOMENTA = {0.0: FAINT, 0.99: ORANGE, 0.999: PURPLE, 0.9999: BLUE}
STEPS = 20_000


def moved(momentum: float, steps: int = STEPS) -> np.ndarray:
    """Distance of a weight from its start after 0, ..., ``steps`` steps at gradient -1 and rate 1; (steps + 1,)."""
    optimizer, theta = Momentum(1, 1.0, momentum), np.zeros(1)
    places = np.zeros(steps + 1)
    for step in range(1, steps + 1):
        theta = optimizer.step(theta, -np.ones(1))
        places[step] = theta[0]
    return places


@drawn(6.2, 3.9)
def carried(axes: Axes, paths: dict[float, np.ndarray]) -> None:
    """Distances from ``moved``, by momentum, divided by the distance without momentum, over the number of steps."""
    for momentum, path in paths.items():
        steps = np.unique(np.geomspace(1, len(path) - 1, 200).astype(int))
        gain = path[steps] / steps
        axes.plot(steps, gain, color=MOMENTA[momentum])
        words = f"$\\eta = {momentum:g}$" if momentum else "no momentum"
        label(axes, steps[-1] * 1.25, gain[-1], words, color=MOMENTA[momentum] if momentum else INK, ha="left")
    axes.set(xscale="log", yscale="log", xlim=(1, 2.5e5), xlabel="steps down a constant slope")
    axes.set_xticks([1, 10, 100, 1000, 10**4])
    axes.set_title("how many times as far as without momentum")
