"""Two failures of the LSTM of 1997 early in training, and the gate biases that the paper recommends against them.

    python -m book.lstm1997.training.experiment

Internal state drift (lstm97-drift): the inputs of a cell have mostly one sign, its state grows, and h'(s) vanishes.
Abuse: an error that needs no memory, such as a wrong mean, is reduced by using a cell as a bias, and the cell is not
free to store anything. Negative biases of the input gates are recommended against drift, of the output gates against
abuse. Both failures are provoked here, with and without these biases, over ``SEEDS`` seeds. A second file stores one
net trained on the adding problem.

Every seed of the abuse task with three output gates that start at -2 is also trained for 1000 sequences and then goes
on twice, with the same further sequences: as it is, and with the parameters of one block as at a fresh start. That
block is the one that gives the output least.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from book.lstm1997.tasks import NOISE, SETUPS, Trial
from book.shared.records import Records, begin, missing, versions
from throughtime.tasks import AtEnd
from throughtime.textbook.lstm1997 import LSTM1997

STEPS = 20
SEEDS = 20
CAP = 20_000
RUNS = Records("lstm1997_training.csv", ("setup", "seed"))
ADDER = Records("lstm1997_adder.csv", ("sequences",))
ADDING = next(setup for setup in SETUPS if setup.task == "adding")
CONSTANT, HIGH, LOW = 0.9, 0.9, 0.1  # targets of the abuse task: before the last step, and of both classes at it


@dataclass(frozen=True)
class Drift(Trial):
    """One cell has to keep one of two classes for 20 steps, with inputs and a cell bias that push its state one way.

    Two input lines code the class at the first step and carry noise, uniform on [0, 0.2], afterwards. ``cell`` is
    added to the bias of the cell, ``ig`` to the bias of its input gate.
    """

    cell: float
    ig: float

    @property
    def name(self) -> str:
        """Key of the run in the file: "drift", with both biases."""
        return f"drift, cell {self.cell:g}, ig {self.ig:g}"

    def model(self) -> LSTM1997:
        """One block of one cell, biases everywhere."""
        return LSTM1997(2, 1, 1, 1, timing="same", bias=True)

    @property
    def biases(self) -> dict[str, float]:
        """What is added to the biases."""
        return {"b_cell": self.cell, "b_ig": self.ig}

    def draw(self, copies: int, random: np.random.Generator) -> AtEnd:
        """``copies`` sequences of 20 steps with random classes, targets 0 and 1."""
        labels = random.integers(0, 2, copies)
        x = random.uniform(0.0, NOISE, (copies, STEPS, 2))
        x[:, 0] = np.eye(2)[labels]
        return AtEnd(x, np.full(copies, STEPS), labels[:, None].astype(float))


@dataclass(frozen=True)
class Abuse(Trial):
    """An output has to be 0.9 at every step but the last, and 0.1 or 0.9, by class, at the last.

    Three input lines: two code the class at the first step and carry noise, uniform on [-0.2, 0.2], afterwards; the
    third is 1 at the last step and else 0. ``og`` is added to the biases of the output gates, one value per block.
    Without ``out_bias`` the output has no bias, and a cell can be abused as one.
    """

    og: tuple[float, ...]
    out_bias: bool = False

    @property
    def name(self) -> str:
        """Key of the run in the file: "abuse", with the biases of the output gates."""
        return "abuse, og " + " ".join(f"{bias:g}" for bias in self.og) + (", output bias" if self.out_bias else "")

    def model(self) -> LSTM1997:
        """``len(og)`` blocks of one cell; biases of gates and cells, and of the output if ``out_bias``."""
        bias = ("ig", "og", "cell", "out") if self.out_bias else ("ig", "og", "cell")
        return LSTM1997(3, len(self.og), 1, 1, timing="same", bias=bias)

    @property
    def biases(self) -> dict[str, tuple[float, ...]]:
        """What is added to the biases of the output gates."""
        return {"b_og": self.og}

    def draw(self, copies: int, random: np.random.Generator) -> AtEnd:
        """``copies`` sequences of 20 steps with random classes, targets 0.1 and 0.9 at the last step."""
        labels = random.integers(0, 2, copies)
        x = random.uniform(-NOISE, NOISE, (copies, STEPS, 3))
        x[:, :, 2] = np.arange(STEPS) == STEPS - 1
        x[:, 0, :2] = np.eye(2)[labels]
        return AtEnd(x, np.full(copies, STEPS), np.where(labels, HIGH, LOW)[:, None])

    def goals(self, sequences: AtEnd) -> tuple[np.ndarray, np.ndarray]:
        """Targets and mask of every step: 0.9 before the last step, and the error counts at all steps."""
        targets, mask = sequences.by_step()
        return np.where(mask, targets, CONSTANT), np.ones_like(mask)


DRIFTS = tuple(Drift(1.0, cell, ig) for cell in (0.0, 1.0) for ig in (0.0, -1.0, -2.0, -3.0, -4.0, -5.0))
OGS = ((0.0, 0.0), (-1.0, -2.0), (-2.0, -4.0), (0.0, 0.0, 0.0), (-2.0, -2.0, -2.0), (-1.0, -2.0, -3.0))
ABUSES = (*(Abuse(0.5, og) for og in OGS), Abuse(0.5, (0.0, 0.0), out_bias=True))


def use(setup: Abuse, theta: np.ndarray, sequences: AtEnd) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over ``sequences`` of each cell's contribution to the output, (blocks,) each.

    The contribution is w_out y_cell at the second last step. A large mean with a small deviation shows a cell that
    serves as a bias.
    """
    model = setup.model()
    weights = model.layout.views(theta)["w_out"][0, model.output_sources["y_cell"]]
    shares = weights * model.forward(theta, sequences.x).y_cell[:, STEPS - 1, 0]
    return shares.mean(axis=0), shares.std(axis=0)


def record_adder(seed: int = 0) -> None:
    """Train a net on the adding problem; store its parameters after 1000 sequences and at the end in ``ADDER``."""
    kept: dict[int, np.ndarray] = {}
    ended = ADDING.run(seed, 2 * CAP, look=kept.__setitem__)
    looks = {taken: tuple(kept[taken].tolist()) for taken in (1000, ended.sequences)}
    settings = {"setup": ADDING.name, "rate": ADDING.rate, "ig": ADDING.ig, "scale": ADDING.scale} | versions()
    ADDER.add({"sequences": taken, "seed": seed, "theta": theta} | settings for taken, theta in looks.items())


def adder() -> dict[int, np.ndarray]:
    """The stored parameters of the net trained on the adding problem, by number of training sequences."""
    return {int(row["sequences"]): np.array(row["theta"].split(), float) for row in ADDER.read()}


# ---- an intervention on abused cells: a fresh block in the place of one that has drifted, and training goes on

ABUSED = Abuse(0.5, (-2.0, -2.0, -2.0))
RELEASED_SEEDS = 100
FIRST = 1000  # sequences before the intervention
WAYS = ("as it is", "one block fresh")
RELEASED = Records("lstm1997_release.csv", ("seed", "way"))


def refreshed(theta: np.ndarray, seed: int) -> np.ndarray:
    """A copy with the block that gives the output least as at a fresh start, its output weight included."""
    model, theta = ABUSED.model(), theta.copy()
    block = int(np.argmin(np.abs(use(ABUSED, theta, ABUSED.draw(40, np.random.default_rng(10**6)))[0])))
    old, new = model.layout.views(theta), model.layout.views(ABUSED.start(seed + 10**6))
    for name in ("w_ig", "w_og", "b_ig", "b_og"):
        old[name][block] = new[name][block]
    for name in ("w_cell", "b_cell"):
        old[name][:, block] = new[name][:, block]
    place = model.output_sources["y_cell"].start + block
    old["w_out"][:, place] = new["w_out"][:, place]
    return theta


def goes_on(seed: int, way: str, cap: int = CAP) -> tuple[bool, int]:
    """Whether the task is solved, and the sequences taken, with one of ``WAYS`` after the first 1000 sequences."""
    fresh = way == WAYS[1]
    ended = ABUSED.run(seed, cap, look=lambda n, theta: refreshed(theta, seed) if fresh and n == FIRST else None)
    return ended.solved, ended.sequences


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the files yet."""
    first = begin(__doc__, arguments, RUNS, ADDER, RELEASED)
    if not ADDER.read():
        record_adder()
    todo = {(setup.name, seed): setup for seed in range(SEEDS) for setup in (*DRIFTS, *ABUSES)}
    for (name, seed), setup in missing(RUNS, todo, first):
        ended = setup.run(seed, CAP)
        row = {"setup": name, "seed": seed, "solved": int(ended.solved), "taken": ended.sequences}
        RUNS.add([row | {"rate": setup.rate, "cap": CAP} | versions()])
    both = {(seed, way): None for seed in range(RELEASED_SEEDS) for way in WAYS}
    for (seed, way), _ in missing(RELEASED, both, first):
        solved, taken = goes_on(seed, way)
        RELEASED.add([{"seed": seed, "way": way, "solved": int(solved), "taken": taken} | versions()])


if __name__ == "__main__":
    main(sys.argv[1:])
