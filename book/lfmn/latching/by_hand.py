"""LFMNs with weights constructed instead of trained: what latches can store, and a way round their limits."""

import numpy as np
from throughtime.models.lfmn import LFMN
from throughtime_book.lfmn.latching import numbers as lt

SELF_WEIGHT = 4.0
MARK = 8.0  # sets a unit of weight 4 from any state: -4 + 8 - 0.6 > xi = 1.763
BIAS = 0.6  # above the noise of at most 0.4; their sum stays below B(4) = 1.066
READ_OUT = 4.0


def one_unit(v: float) -> tuple[LFMN, np.ndarray]:
    """A net of one hidden unit with self weight ``v``, forced by its input, and one static output; with parameters."""
    return _assemble(
        LFMN(1, hidden=(0, 0, 1), output=(1, 0, 0)), w_hid=np.ones((1, 1)), v_hid=np.array([v]), w_out=np.ones((1, 1))
    )


def classes_in_signs(code: np.ndarray, noise: float) -> tuple[LFMN, np.ndarray]:
    """Example 1 (lfmn-example-1): latching unit j stores column j of ``code`` for output j; net and parameters.

    ``code`` holds signs, shape (classes, units). The net is right on ``first_input`` of any length with noise up to
    ``noise``: the first input sets each unit to +-xi, all later forcing stays within B. ValueError if no self weight
    up to 100 suffices.
    """
    classes, units = code.shape
    for v in np.arange(2.5, 100.5, 0.5):
        xi = lt.critical_point(v)
        if classes * noise * xi <= lt.largest_disturbance(v):
            return _assemble(
                LFMN(classes, hidden=(0, 0, units), output=(units, 0, 0)),
                w_hid=xi * code.T,
                v_hid=np.full(units, v),
                w_out=READ_OUT * np.eye(units),
            )
    raise ValueError(f"noise: {classes} lines with noise of {noise} ask for a self weight above 100")


def four_orders() -> tuple[LFMN, np.ndarray]:
    """Example 2 (lfmn-example-2): three latching units classify XX, XY, YX and YY with any gaps, in noise up to 0.05.

    Units: X has occurred, Y has occurred, the last mark was X. Outputs: the first mark was X, the last mark was X.
    Input lines X, Y and 1 as in ``marked_noise``. A bias stronger than the noise drives the first two units from 0 to
    the negative state. Returns the net and its parameters.
    """
    return _assemble(
        LFMN(3, hidden=(0, 0, 3), output=(2, 0, 0)),
        w_hid=np.array([[MARK, 0.0, -BIAS], [0.0, MARK, -BIAS], [MARK, -MARK, 0.0]]),
        v_hid=np.full(3, SELF_WEIGHT),
        w_out=READ_OUT * np.array([[1.0, -1.0, -1.0], [0.0, 0.0, 1.0]]),
    )


def classes_in_one_value(classes: int) -> tuple[LFMN, np.ndarray]:
    """Example 1 outside the theorem: one unit with net-input feedback u = 1 stores a value instead of a sign.

    Input lines: one per class, then a constant 1 that feeds a static unit. The largest of the ``classes`` outputs is
    the class, at any length without noise; noise makes the stored value drift. The net input of output k is a
    tangent of a parabola in the stored activation. Returns the net and its parameters.
    """
    values = np.linspace(-1.5, 1.5, classes)
    s, constant = lt.activation(values), lt.activation(1.0)
    return _assemble(
        LFMN(classes + 1, hidden=(1, 1, 0), output=(classes, 0, 0)),
        w_hid=np.vstack([np.append(np.zeros(classes), 1.0), np.append(values, 0.0)]),
        u_hid=np.ones(1),
        w_out=READ_OUT * np.column_stack([-(s**2) / constant, 2 * s]),
    )


def letter_action(v: float, pulse: float, nudge: float = 1e-3, gap: int = 1000) -> tuple[int, int]:
    """Effect of a mark of one step, of strength ``pulse``, on the sign of a unit: the final signs from - and from +.

    (-1, 1) keeps, (1, 1) sets, (-1, -1) resets; (1, -1) would toggle. Before and after the mark come ``gap`` steps
    with the forcing -|nudge|. Only |v| is used: a negative self weight is taken in the frame that flips every step.
    """
    still = np.full(gap, -abs(nudge))
    states = lt.trajectory(abs(v), np.array([-20.0, 20.0]), np.concatenate([still, [pulse], still]))
    first, second = np.sign(states[-1]).astype(int)
    return int(first), int(second)


def _assemble(model: LFMN, **weights: np.ndarray) -> tuple[LFMN, np.ndarray]:
    absent = {name: np.zeros(shape) for name, shape in model.layout.shapes.items() if name not in weights}
    return model, model.layout.flatten(weights | absent)
