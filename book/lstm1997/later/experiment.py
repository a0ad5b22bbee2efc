"""Today's cell on a task of 1997: torch.nn.LSTM and Adam on the sequences of row 6a, until the row's rule holds.

    python -m book.lstm1997.later.experiment

PyTorch is no requirement of the book: only these runs need it. Sequences, their order, the stopping rule and the cap
are those of the row's trial of the same number. Cell, initial weights, cross entropy of a softmax and Adam are
PyTorch's, with its defaults but for the rate. That is chosen as for the ideas of ``book.experiments.later``, by
trials whose seeds are 100, 101 and 102.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
from book.experiments.later import LATER, SETTINGS
from book.experiments.reading import READINGS
from book.experiments.trial import Trial
from book.lstm1997.later.results import chosen
from book.shared.records import Records, begin, missing, versions
from throughtime.programs.learner import Ran

RUNS = Records("lstm1997_modern.csv", ("row", "reading", "trial"))
RATES = [idea.adam for idea in SETTINGS["adam"]]
CHOOSE, PLANNED = LATER["6a-choose"], LATER["6a-later"]


class Modern:
    """A layer of LSTM and one of outputs that learn by Adam; it is used as a learner is."""

    def __init__(self, inputs: int, outputs: int, units: int, rate: float, seed: int):
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.net = torch.nn.ModuleList([torch.nn.LSTM(inputs, units), torch.nn.Linear(units, outputs)])
        self.adam = torch.optim.Adam(self.net.parameters(), lr=rate, fused=True)

    @property
    def weights(self) -> int:
        """Their number."""
        return sum(one.numel() for one in self.net.parameters())

    @property
    def state(self) -> Any:
        """Weights and moments, a copy; set it to go on from there."""
        return deepcopy((self.net.state_dict(), self.adam.state_dict()))

    @state.setter
    def state(self, state: Any) -> None:
        self.net.load_state_dict(state[0])
        self.adam.load_state_dict(deepcopy(state[1]))

    theta = state

    def run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, starts: np.ndarray) -> Ran:
        """Take whole sequences of symbols, and learn from those whose last step is in ``mask``."""
        import torch

        cell, out = self.net
        symbols, goals = torch.eye(cell.input_size)[x], torch.tensor(targets, dtype=torch.float32)
        seen, loss = np.zeros_like(targets), 0.0
        begins = np.flatnonzero(starts)
        for first, end in zip(begins, [*begins[1:], len(x)], strict=True):
            with torch.set_grad_enabled(bool(mask[end - 1])):
                y = out(cell(symbols[first:end])[0][-1])
                error = torch.nn.functional.cross_entropy(y, goals[end - 1])
            seen[end - 1] = torch.softmax(y.detach(), 0)
            if mask[end - 1]:
                loss += float(error)
                self.adam.zero_grad()
                error.backward()
                self.adam.step()
        return Ran(loss, seen)


class ModernTrial(Trial):
    """A trial of row 6a by today's cell, with as many units as the net of 1997 has cells."""

    def __init__(self, rate: float, number: int):
        self.rate = rate
        super().__init__(PLANNED.row, READINGS["letter"], number)

    def _begin(self, net: Any) -> None:
        super()._begin(net)  # draws the weights of 1997, so that the same sequences follow
        task, units = self.row.task, net.blocks * net.cells
        self.learner, self.observer = (
            Modern(task.inputs, task.outputs, units, self.rate, self.number) for _ in range(2)
        )


def measured(name: str, reading: str, rate: float, trial: int) -> dict[str, object]:
    """A trial as a line of the file."""
    row = LATER[name]
    one, begun = ModernTrial(rate, row.first + trial), time.perf_counter()
    line = {"row": name, "reading": reading, "trial": trial, "cap": row.cap, "weights": one.learner.weights}
    line |= asdict(one.run())
    made = {"seconds": round(time.perf_counter() - begun, 2), "torch": version("torch").split("+")[0]}
    return line | made | versions()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the file lacks: first the trials that choose the rate."""
    first = begin(__doc__, sys.argv[1:] if arguments is None else arguments, RUNS)
    readings = {f"modern-{rate:g}": rate for rate in RATES}
    choose = {("6a-choose", name, k): rate for name, rate in readings.items() for k in range(CHOOSE.trials)}
    for (name, reading, trial), rate in missing(RUNS, choose, first):
        RUNS.add([measured(name, reading, rate, trial)])
    best = chosen(RUNS.read(), "6a-choose")["modern"]
    later = {("6a-later", best, k): readings[best] for k in range(PLANNED.trials)}
    for (name, reading, trial), rate in missing(RUNS, later, first):
        RUNS.add([measured(name, reading, rate, trial)])


if __name__ == "__main__":
    main()
