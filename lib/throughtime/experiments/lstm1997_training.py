"""How LSTM of 1997 goes wrong early in training, and the biases that the paper sets against it.

    python -m throughtime.experiments.lstm1997_training          train all nets, some minutes; goes on where it stopped
    python -m throughtime.experiments.lstm1997_training --again  the same from the beginning

Two things can happen before anything is learnt. Internal state drift: what enters a cell is of one sign mostly, its
state runs off, and h'(s) closes the way for the error. Abuse: an error that does not need memory, such as a wrong mean,
is reduced through a cell, which is then no longer free. A negative bias of the input gate is to cure the one, of the
output gate the other. Here each is provoked, and cured or not, over many seeds. A third file keeps one net that has
learnt the adding problem, to look at.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from throughtime.experiments.lstm1997_tasks import NOISE, SETUPS, Trial
from throughtime.experiments.records import Records, begin, missing, versions
from throughtime.models.lstm1997 import LSTM1997
from throughtime.tasks import AtEnd

STEPS = 20
SEEDS = 20
CAP = 20_000
RUNS = Records("lstm1997_training.csv", ("setup", "seed"))
ADDER = Records("lstm1997_adder.csv", ("sequences",))
ADDING = next(setup for setup in SETUPS if setup.task == "adding")
CONSTANT, HIGH, LOW = 0.9, 0.9, 0.1  # targets of the abuse task: at every step but the last, and at the last


@dataclass(frozen=True)
class Drift(Trial):
    """One cell keeps one of two classes for 20 steps, under inputs and a cell bias that push its state one way.

    Lines: two that tell the class at the first step and carry noise from [0, 0.2] later. ``cell`` is added to the
    bias of the cell, ``ig`` to that of its input gate.
    """

    cell: float
    ig: float

    @property
    def name(self) -> str:
        """Both biases."""
        return f"drift, cell {self.cell:g}, ig {self.ig:g}"

    def model(self) -> LSTM1997:
        """One block of one cell, biases everywhere."""
        return LSTM1997(2, 1, 1, 1, timing="same", bias=True)

    def start(self, seed: int | np.random.Generator) -> np.ndarray:
        """Drawn from [-0.1, 0.1], with both biases on top."""
        model = self.model()
        theta = model.init(seed)
        views = model.layout.views(theta)
        views["b_cell"] += self.cell
        views["b_ig"] += self.ig
        return theta

    def draw(self, copies: int, random: np.random.Generator) -> AtEnd:
        """Targets 0 and 1."""
        labels = random.integers(0, 2, copies)
        x = random.uniform(0.0, NOISE, (copies, STEPS, 2))
        x[:, 0] = np.eye(2)[labels]
        return AtEnd(x, np.full(copies, STEPS), labels[:, None].astype(float))


@dataclass(frozen=True)
class Abuse(Trial):
    """An output without a bias has to say 0.9 at every step but the last, and which class it was at the last.

    Lines: two as for a latch, with noise from [-0.2, 0.2]; a third one is 1 at the last step. ``og`` is added to the
    biases of the output gates, one for each block; ``out_bias`` gives the output a bias of its own, so that it need
    not take a cell for one.
    """

    og: tuple[float, ...]
    out_bias: bool = False

    @property
    def name(self) -> str:
        """The biases."""
        return "abuse, og " + " ".join(f"{bias:g}" for bias in self.og) + (", output bias" if self.out_bias else "")

    def model(self) -> LSTM1997:
        """Blocks of one cell."""
        bias = ("ig", "og", "cell", "out") if self.out_bias else ("ig", "og", "cell")
        return LSTM1997(3, len(self.og), 1, 1, timing="same", bias=bias)

    def start(self, seed: int | np.random.Generator) -> np.ndarray:
        """Drawn from [-0.1, 0.1], with the biases of the output gates on top."""
        model = self.model()
        theta = model.init(seed)
        model.layout.views(theta)["b_og"] += self.og
        return theta

    def draw(self, copies: int, random: np.random.Generator) -> AtEnd:
        """Targets 0.1 and 0.9 at the end."""
        labels = random.integers(0, 2, copies)
        x = random.uniform(-NOISE, NOISE, (copies, STEPS, 3))
        x[:, :, 2] = np.arange(STEPS) == STEPS - 1
        x[:, 0, :2] = np.eye(2)[labels]
        return AtEnd(x, np.full(copies, STEPS), np.where(labels, HIGH, LOW)[:, None])

    def goals(self, sequences: AtEnd) -> tuple[np.ndarray, np.ndarray]:
        """The error counts at every step."""
        targets, mask = sequences.by_step()
        return np.where(mask, targets, CONSTANT), np.ones_like(mask)


DRIFTS = tuple(Drift(1.0, cell, ig) for cell in (0.0, 1.0) for ig in (0.0, -1.0, -2.0, -3.0, -4.0, -5.0))
ABUSES = (
    Abuse(0.5, (0.0, 0.0)),
    Abuse(0.5, (-1.0, -2.0)),
    Abuse(0.5, (-2.0, -4.0)),
    Abuse(0.5, (0.0, 0.0, 0.0)),
    Abuse(0.5, (-2.0, -2.0, -2.0)),
    Abuse(0.5, (-1.0, -2.0, -3.0)),
    Abuse(0.5, (0.0, 0.0), out_bias=True),
)


def use(setup: Abuse, theta: np.ndarray, sequences: AtEnd) -> tuple[np.ndarray, np.ndarray]:
    """How each block's cell is used: mean and standard deviation over sequences of its share in the output's net input.

    That is w_out y_cell at the step before the last, both of shape (blocks,). A large mean with a small deviation is a
    cell that serves as a bias.
    """
    model = setup.model()
    weights = model.layout.views(theta)["w_out"][0, model.output_sources["y_cell"]]
    shares = np.array([weights * model.forward(theta, x).y_cell[STEPS - 1, 0] for x in sequences.x])
    return shares.mean(axis=0), shares.std(axis=0)


def record(setup: Drift | Abuse, seed: int) -> None:
    """One run, written to the file."""
    ended = setup.run(seed, CAP)
    row = {"setup": setup.name, "seed": seed, "solved": int(ended.solved), "taken": ended.sequences}
    RUNS.add([row | {"rate": setup.rate, "cap": CAP} | versions()])


def record_adder(seed: int = 0) -> None:
    """Train a net on the adding problem, and keep its parameters after 1000 sequences and when it solves it."""
    kept: dict[int, np.ndarray] = {}
    ended = ADDING.run(seed, 2 * CAP, look=lambda taken, theta: kept.__setitem__(taken, theta))
    looks = {taken: tuple(kept[taken].tolist()) for taken in (1000, ended.sequences)}
    settings = {"setup": ADDING.name, "rate": ADDING.rate, "ig": ADDING.ig, "scale": ADDING.scale} | versions()
    ADDER.add({"sequences": taken, "seed": seed, "theta": theta} | settings for taken, theta in looks.items())


def adder() -> dict[int, np.ndarray]:
    """The stored parameters of the net that adds, by the number of sequences taken."""
    return {int(row["sequences"]): np.array(row["theta"].split(), float) for row in ADDER.read()}


def main(arguments: Sequence[str] = ()) -> None:
    """All runs that the file does not have yet."""
    first = begin(__doc__, arguments, RUNS, ADDER)
    if not ADDER.read():
        record_adder()
    todo = {(setup.name, seed): (setup, seed) for seed in range(SEEDS) for setup in (*DRIFTS, *ABUSES)}
    for _, run in missing(RUNS, todo, first):
        record(*run)


if __name__ == "__main__":
    main(sys.argv[1:])
