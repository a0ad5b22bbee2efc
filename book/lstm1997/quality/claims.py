"""Truncated and exact gradient of the LSTM of 1997 where gates are more or less open, and shares of what is lost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from throughtime.models.lstm1997 import LSTM1997, Cut
from throughtime.tasks import AtEnd
from throughtime_book.lstm1997.quality.experiment import compare, gradients
from throughtime_book.lstm1997.training.tasks import Setup
from throughtime_book.shared.alignment import Quality, hidden_part


def openness(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> tuple[float, float]:
    """Means of input and output gates over blocks, steps and sequences."""
    traces = [model.forward(theta, x[:end]) for x, end in zip(sequences.x, sequences.lengths, strict=True)]
    ig, og = (float(np.mean([getattr(trace, gate)[1:].mean() for trace in traces])) for gate in ("y_ig", "y_og"))
    return ig, og


def between(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> Quality:
    """Cosine and ratio of the mean gradients with respect to the weights of gates, cells and hidden units."""
    found = compare(model, theta, sequences)
    return Quality(found["hidden_cosine"], found["hidden_ratio"])


def of_random_nets(length: int, seeds: Iterable[int], ig: float = 0.0, og: float = 0.0) -> list[Quality]:
    """One for each seed: two blocks, all parameters uniform on [-1, 1], one sequence of a latch.

    ``ig`` and ``og`` are added to the biases of the gates.
    """
    setup, found = Setup(1.0, "latch", length, ig=(ig, ig), og=(og, og), scale=1.0), []
    for seed in seeds:
        random = np.random.default_rng(seed)
        theta = setup.start(random)
        found.append(between(setup.model(), theta, setup.draw(1, random)))
    return found


def rank_correlation(one: Iterable[float], other: Iterable[float]) -> float:
    """Spearman's: the correlation of the ranks, from -1 to 1; no value may occur twice."""
    ranks = [np.argsort(np.argsort(list(values))) for values in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


def share_restored(model: LSTM1997, theta: np.ndarray, sequences: AtEnd, opened: Cut) -> float:
    """The share of |exact - truncated| (hidden weights) that is recovered without this one cut."""
    cuts = model.cuts("truncated")
    ways = (cuts, [cut for cut in cuts if cut != opened], ())
    truncated, partly, exact = (gradients(model, theta, sequences, way).mean(axis=0) for way in ways)
    back, lost = (hidden_part(model, found - truncated) for found in (partly, exact))
    return float(np.linalg.norm(back) / np.linalg.norm(lost))
