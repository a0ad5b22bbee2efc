"""The loops of the fully recurrent network as they were by hand at an earlier commit, before there were programs."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

COMMIT = "90e9f15"
FILES = ("_jit", "_linalg", "_recurrent_kernels", "activations", "validate")
NAME = f"throughtime_{COMMIT}"


def kernels() -> tuple[ModuleType, int]:
    """The module of loops of that commit and its code of the logistic function, from the history of this repository."""
    folder = Path(tempfile.mkdtemp()) / NAME / "models"
    folder.mkdir(parents=True)
    for file in FILES:
        path = f"{COMMIT}:lib/throughtime/models/{file}.py"
        text = subprocess.run(
            ["git", "show", path], check=True, capture_output=True, text=True, cwd=Path(__file__).parent
        )
        (folder / f"{file}.py").write_text(
            text.stdout.replace("throughtime.models", f"{NAME}.models"), encoding="utf-8"
        )
    sys.path.insert(0, str(folder.parents[1]))
    loops = importlib.import_module(f"{NAME}.models._recurrent_kernels")
    return loops, importlib.import_module(f"{NAME}.models.activations").logistic.code


def by_kernels(weights: np.ndarray, x: np.ndarray, targets: np.ndarray) -> Callable[[], np.ndarray]:
    """The gradient of a batch by the loops of that commit, without a check of arguments: weights (n, n_in + n)."""
    (loops, logistic), (count, length, n_in), units = kernels(), x.shape, targets.shape[2]
    codes = np.full(units, logistic)

    def run() -> np.ndarray:
        source, net = np.zeros((count, length + 1, n_in + units)), np.zeros((count, length + 1, units))
        source[:, :-1, :n_in] = x
        for sequence in zip(source, net, strict=True):
            loops.forward(codes, weights, *sequence)
        error, by_net, by_act = (np.zeros_like(net) for _ in range(3))
        error[:, 1:] = source[:, 1:, n_in:] - targets
        gradient = np.zeros_like(weights)
        for b in range(count):
            loops.error_signals(codes, weights, net[b], error[b], by_net[b], by_act[b])
            loops.add_weight_gradient(by_net[b], source[b], gradient)
        return gradient

    return run
