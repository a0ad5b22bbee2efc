"""A net of Table 4 that has learnt a lag of 1000 steps in noise: its weights, and what it answers (lstm97-lag-1000)."""

from collections.abc import Sequence

import numpy as np
from book.experiments.reading import reading
from book.experiments.rows import ROWS
from book.shared.records import FOLDER, read
from book.shared.rendered import Rendered, table
from book.shared.samples import Samples
from sympy import Basic, Symbol
from throughtime.arrays.activations import logistic
from throughtime.programs import CompiledNetwork

ROW, READING = ROWS["3a-1000-3"], "letter"
STORED = FOLDER / "lstm1997_lag_1000.csv"
TESTED = 256
WRONG, UNTOLD = Symbol("W", nonnegative=True), Symbol("W_0", nonnegative=True)


def net() -> CompiledNetwork:
    """The net of the row, as it is derived."""
    return ROW.net.compiled(ROW.task.inputs, ROW.task.outputs, reading(READING))


def theta() -> np.ndarray:
    """The stored weights, flat."""
    return np.array([float(line["value"]) for line in read(STORED)])


def weights() -> dict[str, np.ndarray]:
    """The stored weights by name."""
    return net().layout.views(theta())


def sequences(count: int, told: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """New sequences: inputs with zeros behind each, (count, steps), lengths and targets, (count,).

    Those that are not ``told`` have noise in place of the first three elements, which alone tell the class.
    """
    draw = np.random.default_rng(0)
    stream = ROW.task.draw(count, draw)
    x = np.zeros((count, stream.lengths.max()))
    x[np.arange(x.shape[1]) < stream.lengths[:, None]] = stream.x[:, 0]
    if not told:
        x[:, : ROW.task.informative] = draw.normal(0.0, np.sqrt(0.2), (count, ROW.task.informative))
    return x, stream.lengths, stream.targets[:, 0]


def forward(w: dict[str, np.ndarray], x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outputs, (B, T), input gates and states, (B, T, blocks), over a batch x, (B, T), in NumPy."""
    r, s = np.zeros((len(x), 9)), np.zeros((len(x), 3))
    y, gates, states = [], [], []
    for now in x.T[:, :, None]:
        y_in = logistic(now @ w["w_in"].T + r @ w["r_in"].T + w["b_in"])
        y_out = logistic(now @ w["w_out"].T + r @ w["r_out"].T + w["b_out"])
        s = s + y_in * 2 * np.tanh((now @ w["w_c"][:, 0].T + r @ w["r_c"][:, 0].T + w["b_c"][:, 0]) / 2)
        y_c = y_out * np.tanh(s / 2)
        r = np.concatenate([y_in, y_out, y_c], axis=1)
        y.append(logistic(y_c @ w["w_k"][0, :, 0]))
        gates.append(y_in)
        states.append(s)
    return np.array(y).T, np.array(gates).swapaxes(0, 1), np.array(states).swapaxes(0, 1)


def answers(told: bool = True, alone: bool = False) -> tuple[int, int]:
    """Of new sequences: those whose last output is off by 0.2 or more, and those that are taken for class 1.

    ``alone``: the output reads the second block and no other.
    """
    x, lengths, targets = sequences(TESTED, told)
    w = weights()
    w["w_k"][:, [0, 2]] *= not alone
    last = forward(w, x)[0][np.arange(TESTED), lengths - 1]
    return int((np.abs(last - targets) >= ROW.task.tolerance).sum()), int((last > 0.5).sum())


def by_step(steps: Sequence[int]) -> Rendered:
    """Means over new sequences of each class, after some steps."""
    x, _, targets = sequences(TESTED)
    y, gates, s = forward(weights(), x)
    rows = []
    for number, kind in ((1, targets == 1), (2, targets == 0)):
        for step in steps:
            gate, state, output = (one[kind, step - 1].mean() for one in (gates[..., 1], s[..., 1], y))
            rows.append([number, step, f"{gate:.3f}", f"{state:.2f}", f"{output:.2f}"])
    return table(["class", "step", r"$y^{\mathrm{in}_2}$", "$s_2$", "output"], rows)


def gate() -> Rendered:
    """What the input gate of the second block reads with large weights."""
    w = weights()
    read = {"bias": w["b_in"][1], "input": w["w_in"][1, 0], r"$y^{\mathrm{in}_1}$": w["r_in"][1, 0]}
    read[r"$y^{\mathrm{out}_2}$"] = w["r_in"][1, 4]
    return table([*read], [[f"{one:.1f}" for one in read.values()]])


def is_true(formula: Basic) -> bool:
    """A line on the sequences that the net gets wrong, now: those as drawn, and those that are not told their class."""
    return Samples((WRONG, UNTOLD), np.array([[float(answers(told)[0]) for told in (True, False)]])).holds(formula)


def is_the_derived_net() -> bool:
    """Whether the net as it is derived has the outputs of ``forward`` on four sequences."""
    x = sequences(4)[0]
    return bool(np.allclose(net().forward(theta(), x[:, :, None]).y[:, 1:, 0], forward(weights(), x)[0], atol=1e-9))
