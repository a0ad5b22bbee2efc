"""Today's cell on a task of 1997: torch.nn.LSTM and Adam on the sequences of row 6a, until the row's rule holds.

    python -m book.lstm1997.later.experiment

PyTorch is no requirement of the book: only these runs need it. Sequences, stopping rule and cap are those of the row's
trial of the same number, which is also the seed of PyTorch. Cell, initial weights and Adam have PyTorch's defaults, but
for the rate, which three trials choose as in ``book.experiments.later``, and for the biases of forget gates. These
begin at 5, as was chosen for the net of 1997; readings "library" leave them as PyTorch draws them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
from book.experiments.later import LATER
from book.experiments.reading import READINGS
from book.experiments.trial import Trial
from book.shared.records import Records, begin, missing, versions
from throughtime.programs.learner import Ran

RUNS = Records("lstm1997_modern.csv", ("row", "reading", "trial"))
TRIED = {f"modern-{rate:g}": (rate, 5.0) for rate in (0.001, 0.003, 0.01)} | {"library-0.01": (0.01, None)}
BATCH = 8  # sequences of an update


def tried(lines: Iterable[dict[str, str]], row: str) -> dict[str, tuple[int, int]]:
    """Of each reading of a row how many trials were solved, and the sequences of all."""
    counts: dict[str, tuple[int, int]] = {}
    for line in (line for line in lines if line["row"] == row):
        solved, taken = counts.get(line["reading"], (0, 0))
        counts[line["reading"]] = solved + (line["solved"] == "True"), taken + int(line["sequences"])
    return counts


def chosen(lines: Iterable[dict[str, str]], row: str) -> dict[str, str]:
    """Of each idea the reading that solved most trials of a row, and of those that with the fewest sequences."""
    counts, best = tried(lines, row), {}
    for reading in sorted(counts, key=lambda one: (-counts[one][0], counts[one][1])):
        best.setdefault(reading.partition("-")[0], reading)
    return best


class Modern:
    """A layer of LSTM and a softmax, on the cross entropy; it is used as a learner is."""

    def __init__(self, inputs: int, units: int, outputs: int, rate: float, forget: float | None, seed: int):
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.net = torch.nn.ModuleList([torch.nn.LSTM(inputs, units), torch.nn.Linear(units, outputs)])
        self.adam = torch.optim.Adam(self.net.parameters(), lr=rate, fused=True)
        if forget is not None:
            with torch.no_grad():  # the bias of a gate is the sum of two
                self.net[0].bias_ih_l0[units : 2 * units] = forget
                self.net[0].bias_hh_l0[units : 2 * units] = 0.0

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
        """Take whole sequences of symbols, and move the weights after each batch unless ``mask`` is 0."""
        import torch

        (cell, out), seen, loss, begins = self.net, np.zeros_like(targets), 0.0, np.flatnonzero(starts)
        ends = np.r_[begins[1:], len(x)] - 1
        for part in np.split(np.arange(len(begins)), range(BATCH, len(begins), BATCH)):
            last = ends[part] - begins[part]
            steps = np.minimum(begins[part] + np.arange(last.max() + 1)[:, None], len(x) - 1)
            with torch.set_grad_enabled(bool(mask.any())):
                y = out(cell(torch.eye(cell.input_size)[x[steps]])[0][last, np.arange(len(part))])
                error = torch.nn.functional.cross_entropy(y, torch.tensor(targets[ends[part]], dtype=torch.float32))
            seen[ends[part]], loss = torch.softmax(y.detach(), 1), loss + error.item() * len(part)
            if mask.any():
                self.adam.zero_grad()
                error.backward()
                self.adam.step()
        return Ran(loss, seen)


class ModernTrial(Trial):
    """A trial of row 6a by a layer with as many units as the net of 1997 has cells."""

    def __init__(self, name: str, number: int):
        self.settings = TRIED[name]
        super().__init__(LATER["6a-later"].row, READINGS["letter"], number)

    def _begin(self, net: Any) -> None:
        super()._begin(net)  # draws the weights of 1997, so that the same sequences follow
        sizes = self.row.task.inputs, net.blocks * net.cells, self.row.task.outputs
        self.learner, self.observer = (Modern(*sizes, *self.settings, self.number) for _ in range(2))


def measured(row: str, reading: str, trial: int) -> dict[str, object]:
    """A trial as a line of the file."""
    one, begun = ModernTrial(reading, LATER[row].first + trial), time.perf_counter()
    line = {"row": row, "reading": reading, "trial": trial, "cap": LATER[row].cap} | asdict(one.run())
    weights = sum(each.numel() for each in one.learner.net.parameters())
    line |= {"weights": weights, "seconds": round(time.perf_counter() - begun, 2)}
    return line | {"torch": version("torch").split("+")[0]} | versions()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the file lacks: first the trials that choose the rate."""
    first = begin(__doc__, sys.argv[1:] if arguments is None else arguments, RUNS)
    for row in ("6a-choose", "6a-later"):
        names = TRIED if row == "6a-choose" else [chosen(RUNS.read(), "6a-choose")["modern"]]
        todo = {(row, name, number): None for name in names for number in range(LATER[row].trials)}
        for key, _ in missing(RUNS, todo, first):
            RUNS.add([measured(*key)])


if __name__ == "__main__":
    main()
