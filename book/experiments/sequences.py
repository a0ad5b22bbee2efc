"""Many sequences as one stream, drawn for a whole chunk of training at once, and what counts as an error of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

JUDGED = ("end", "steps", "possible")


@dataclass(frozen=True)
class Stream:
    """N sequences, one after another.

    x           inputs of all steps, (steps, d_in), or the number of the input that is 1, (steps,)
    lengths     steps of each sequence, (N,)
    targets     of the last step of each, (N, d_out), or of every step, (steps, d_out) with ``every``
    every       whether each step has a target
    possible    which outputs could be the next symbol, (steps, d_out), where a task asks for that
    """

    x: np.ndarray
    lengths: np.ndarray
    targets: np.ndarray
    every: bool = False
    possible: np.ndarray | None = None

    @property
    def ends(self) -> np.ndarray:
        """The last step of each sequence, (N,)."""
        return np.cumsum(self.lengths) - 1

    @property
    def begins(self) -> np.ndarray:
        """The first step of each sequence, (N,)."""
        return np.cumsum(self.lengths) - self.lengths

    def by_step(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Targets and mask of every step, and where sequences begin, (steps, d_out), (steps,), (steps,)."""
        steps = len(self.x)
        starts = np.zeros(steps)
        starts[self.begins] = 1.0
        if self.every:
            return self.targets, np.ones(steps), starts
        targets, mask = np.zeros((steps, self.targets.shape[1])), np.zeros(steps)
        targets[self.ends], mask[self.ends] = self.targets, 1.0
        return targets, mask, starts

    def part(self, first: int, last: int) -> Stream:
        """The sequences from one on to before another."""
        return self.pick(np.arange(len(self.lengths))[first:last])

    def pick(self, which: np.ndarray) -> Stream:
        """Some sequences by their numbers, in that order."""
        lengths = self.lengths[which]
        shift = np.repeat(self.begins[which] - (np.cumsum(lengths) - lengths), lengths)
        steps = np.arange(lengths.sum()) + shift
        possible = None if self.possible is None else self.possible[steps]
        return Stream(self.x[steps], lengths, self.targets[steps if self.every else which], self.every, possible)


def errors(stream: Stream, outputs: np.ndarray, judged: str = "end") -> np.ndarray:
    """What is compared with a task's tolerance, (N, d_out) or (N, 1), from the outputs of all steps, (steps, d_out).

    judged      "end": the absolute errors of the last step; "steps": the largest of all steps; "possible": by how much
                the largest output that could not follow exceeds the smallest that could, the largest of all steps
    """
    if judged == "end":
        targets = stream.targets[stream.ends] if stream.every else stream.targets
        return np.abs(outputs[stream.ends] - targets)
    if judged == "steps":
        return np.maximum.reduceat(np.abs(outputs - stream.targets), stream.begins)
    if judged != "possible":
        raise ValueError(f"judged: expected one of {', '.join(JUDGED)}, got {judged!r}")
    others = np.where(stream.possible, -np.inf, outputs).max(axis=1)
    least = np.where(stream.possible, outputs, np.inf).min(axis=1)
    return np.maximum.reduceat(others - least, stream.begins)[:, None]
