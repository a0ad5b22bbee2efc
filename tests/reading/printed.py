"""A cell of a paper: the text as it is printed, and a NumPy program of one step, written by hand beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

Step = Callable[[SimpleNamespace, SimpleNamespace, Callable], dict[str, np.ndarray]]


def sigma(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def relu(z: np.ndarray) -> np.ndarray:
    return np.maximum(z, 0.0)


@dataclass(frozen=True)
class Printed:
    """`step(w, now, past)` takes the learned arrays, the given ones of this time, and `past("h")` or `past("h", 2)`."""

    paper: str
    text: str
    step: Step


CELLS: dict[str, Printed] = {}


def cell(paper: str, text: str) -> Callable[[Step], Step]:
    """Register a program under its name as the cell of a text."""

    def register(step: Step) -> Step:
        assert step.__name__ not in CELLS
        CELLS[step.__name__] = Printed(paper, text, step)
        return step

    return register
