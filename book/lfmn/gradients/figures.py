"""Sensitivities that have to be carried, and the printed hidden gradients (lfmn-12 to lfmn-14), without a slope."""

from collections.abc import Iterable, Iterator

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from throughtime.arrays.network import Network
from throughtime.checks import angle, trace_by_parameter
from throughtime.textbook.lfmn import LFMN
from throughtime.textbook.recurrent import FullyRecurrent

HIDDEN = ("w_hid", "u_hid", "v_hid")
SMALL = 1e-9  # by which weights of outputs are made so small that their squares are lost


def hidden_gradients(
    model: LFMN, theta: np.ndarray, x: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The gradient with respect to the n hidden weights, (n,) each: as derived and as printed (lfmn-12 to lfmn-14).

    Both are the sum over t and static outputs i of 2 (y_i - d_i) [f'(a_i)] w_ij dh_j/dw. The printed form lacks f':
    with weights of the outputs so small that f' is 1/2, it is the gradient as derived for the same y_i - d_i. Arguments
    and shapes as for `LFMN.loss`, without a mask; all outputs are static.
    """
    small = theta.copy()
    model.layout.views(small)["w_out"] *= SMALL
    y, near_zero = (model.forward(point, x).y[1:] for point in (theta, small))
    derived = model.gradient(theta, x, targets).gradient
    printed = model.gradient(small, x, near_zero - (y - targets)).gradient * 2 / SMALL
    hidden = np.concatenate([np.arange(theta.size)[model.layout.slice(name)] for name in HIDDEN])
    return derived[hidden], printed[hidden]


def angles(scale: float, nets: int, seed: int) -> np.ndarray:
    """Angles in degrees between the derived and the printed gradient of ``nets`` random networks, (nets,)."""
    return np.array([angle(*pair) for pair in _samples(scale, nets, seed)])


SCALES = (0.25, 0.5, 1, 2, 4, 8)


@drawn(9.6, 4.0, columns=2)
def lost_slope(axes: np.ndarray, nets: int = 100, seed: int = 12) -> None:
    """Left: printed over derived gradient, one dot per hidden weight of one net.

    Right: angle between the two in degrees over the scale of the weights, quantiles over ``nets`` random nets.
    """
    left, right = axes
    derived, printed = next(_samples(2.0, 1, seed))
    reach = 1.08 * np.abs(printed).max()
    left.axline((0, 0), slope=1, color=s.FAINT, lw=1)
    left.axline((0, 0), slope=2, color=s.FAINT, lw=1, ls=(0, (4, 2)))
    left.plot(derived, printed, "o", color=s.VERMILION, ms=5)
    label(left, 0.62 * reach, 0.62 * reach, "equal", s.FAINT, ha="center")
    label(left, 0.52 * reach, 0.93 * reach, "twice as large", s.FAINT, ha="left")
    left.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel="as derived", ylabel="as printed")
    left.set_title("Every hidden weight of one net")

    found = np.array([angles(scale, nets, seed) for scale in SCALES])
    low, middle, high = np.quantile(found, [0.1, 0.5, 0.9], axis=1)
    right.fill_between(SCALES, low, high, color=s.VERMILION, alpha=0.15, lw=0)
    right.plot(SCALES, middle, color=s.VERMILION, marker="o", ms=4)
    right.axhline(90, color=s.FAINT, lw=1, ls=(0, (4, 2)))
    words = "above 90°: descent along the\nprinted gradient increases the loss"
    label(right, SCALES[0], 107, words, s.FAINT, ha="left")
    right.set_xscale("log", base=2)
    right.set(ylim=(0, 135), xlabel="scale of the weights", ylabel="angle between the two (degrees)")
    right.set(yticks=range(0, 136, 45), title=f"Direction: median and 80 % of {nets} nets")
    right.set_xticks(SCALES, [f"{scale:g}" for scale in SCALES])


def carried(steps: int = 6, seed: int = 3) -> dict[str, np.ndarray]:
    """Which activations of six units with two inputs depend on which weight after some steps, by the complex step.

    For a fully recurrent layer and for a hidden layer with local feedback: (units, weights) of bools, the weights
    ordered by the unit that they lead to.
    """
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(steps, 2))
    full, local = FullyRecurrent(n_in=2, n_out=6), LFMN(2, hidden=(0, 3, 3), output=(1, 0, 0))
    place = local.layout.index
    own = [place(name, j) for name in ("u_hid", "v_hid") for j in range(3)]
    order = [at for j, feedback in enumerate(own) for at in (place("w_hid", j, 0), place("w_hid", j, 1), feedback)]

    def depends(net: Network, array: str, places: Iterable[int]) -> np.ndarray:
        theta = net.init(draw, 1.0)
        return np.array([trace_by_parameter(net, theta, x, place)[array][-1] != 0 for place in places]).T

    return {
        "full recurrence": depends(full, "y", range(full.layout.size)),
        "local feedback": depends(local, "h", order),
    }


@drawn(7.6, 3.6, rows=2)
def sensitivities_to_carry(panels: np.ndarray) -> None:
    """The pairs of unit and weight whose derivative is not zero, for full recurrence and for local feedback."""
    for ax, (name, filled), color in zip(panels, carried().items(), (s.VERMILION, s.GREEN), strict=True):
        units, weights = filled.shape
        square = Path.unit_rectangle().transformed(Affine2D().scale(0.84).translate(0.08, 0.08))
        squares = [square.transformed(Affine2D().translate(place, j)) for j, place in np.argwhere(filled)]
        ax.add_patch(PathPatch(Path.make_compound_path(*squares), color=color, lw=0))
        ax.set(xlim=(-0.3, 48.3), ylim=(units + 0.2, -0.2), aspect="equal", ylabel="unit", xlabel="weight")
        ax.set_yticks([0.5, units - 0.5], ["1", f"{units}"])
        ax.set_xticks([0.5, weights - 0.5], ["1", f"{weights}"])
        ax.set_title(f"{name.capitalize()}: {filled.sum()} numbers for {weights} weights")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)


def _samples(scale: float, nets: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    model = LFMN(3, hidden=(2, 3, 3), output=(3, 0, 0))
    for number in range(nets):
        draw = np.random.default_rng([seed, number])
        theta = model.init(draw, scale)
        names = model.layout.views(theta)
        names["u_hid"] /= max(1.0, 1.1 * scale)  # below 1, so that no net input grows without bound
        yield hidden_gradients(model, theta, draw.normal(size=(10, 3)), draw.uniform(-1, 1, (10, 3)))
