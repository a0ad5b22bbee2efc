"""What the cuts of the peephole LSTM lose: the gradient with some of them beside the exact one, on spike delays.

    python -m throughtime.experiments.peephole_cuts          all seeds; goes on where it stopped
    python -m throughtime.experiments.peephole_cuts --again  the same from the beginning

The net of the experiments of 2002 learns to measure the delays of spikes from the exact gradient, with the forget
gate shut at the start, as in the paper, or open. On the way it is asked how the truncated gradient lies to the exact
one, and how much of that comes from either kind of cut.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from throughtime.experiments.lstm1997_quality import Quality, quality
from throughtime.experiments.lstm1997_quality import hidden_part as inner
from throughtime.experiments.records import Records, begin, missing, versions
from throughtime.models.activations import identity
from throughtime.models.peephole import GATE_BIASES, Cut, PeepholeLSTM
from throughtime.optimizers import IRpropMinus
from throughtime.tasks.spike_delays import Stream, spike_delays

PERIOD, DELAYS, SPIKES, STREAMS = 10, (0, 1), 10, 10
SEEDS = 20
LOOKS = (0, 3, 10, 30, 100, 300)  # epochs
STARTS = {"shut": GATE_BIASES, "open": GATE_BIASES | {"fg": 2.0}}
FIRST_STEP = 0.01
TOLERATED = 0.49  # the paper's bound for an error
RECORD = Records("peephole_cuts.csv", ("start", "seed", "epoch", "cut"))


def model() -> PeepholeLSTM:
    """The net of 17 parameters: one block, one cell, gates that read the input and the cell output alone."""
    return PeepholeLSTM(1, 1, 1, 1, sources="cells", direct=False, bias=True, g=identity)


def streams(seed: int) -> list[Stream]:
    """The streams of a seed."""
    random = np.random.default_rng([seed, 2002])
    return [spike_delays(PERIOD, DELAYS, SPIKES, random) for _ in range(STREAMS)]


def kinds_of_cuts(net: PeepholeLSTM) -> dict[str, tuple[Cut, ...]]:
    """All cuts of the paper, and the two kinds of them alone: at cell outputs, and at peepholes."""
    cuts = net.cuts("truncated")
    seen = tuple(cut for cut in cuts if cut.source == "s")
    return {"both": cuts, "peepholes": seen, "cell outputs": tuple(cut for cut in cuts if cut not in seen)}


def gradient(net: PeepholeLSTM, theta: np.ndarray, data: Iterable[Stream], cuts: Iterable[Cut] = ()) -> np.ndarray:
    """Of the loss of all streams, the paths in ``cuts`` held constant."""
    cuts = tuple(cuts)
    return sum(net.gradient_with_cuts(theta, *stream, cuts=cuts).gradient for stream in data)


def compare(net: PeepholeLSTM, theta: np.ndarray, data: Sequence[Stream]) -> dict[str, Quality]:
    """Cosine and ratio of the gradient with each kind of cuts to the exact one, by the inner parameters."""
    exact = inner(net, gradient(net, theta, data))
    return {
        kind: quality(inner(net, gradient(net, theta, data, cuts)), exact) for kind, cuts in kinds_of_cuts(net).items()
    }


def share_right(net: PeepholeLSTM, theta: np.ndarray, data: Iterable[Stream]) -> float:
    """The share of spikes whose delay is told within the paper's tolerance."""
    errors = [(net.forward(theta, x).y[1:] - targets)[mask == 1] for x, targets, mask in data]
    return float((np.abs(np.concatenate(errors)) < TOLERATED).mean())


def training(start: str, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Train one net by iRprop- on the exact gradient: its parameters and their gradient, epoch by epoch.

    It ends where the exact gradient of gates and cells has become zero: such a net learns no more.
    """
    net, data = model(), streams(seed)
    theta = net.init(seed, gate_biases=STARTS[start])
    optimizer = IRpropMinus(theta.size, first_step=FIRST_STEP)
    exact = gradient(net, theta, data)
    while inner(net, exact).any():
        yield theta, exact
        theta = optimizer.step(theta, exact)
        exact = gradient(net, theta, data)


def looks(start: str, seed: int, upto: int = LOOKS[-1]) -> Iterator[dict[str, object]]:
    """A line for each look at a training, and for each kind of cuts."""
    net, data = model(), streams(seed)
    for epoch, (theta, exact) in enumerate(islice(training(start, seed), upto + 1)):
        if epoch in LOOKS:
            right, norm = share_right(net, theta, data), float(np.linalg.norm(inner(net, exact)))
            loss = sum(net.loss(theta, *stream) for stream in data)
            for kind, found in compare(net, theta, data).items():
                key = {"start": start, "seed": seed, "epoch": epoch, "cut": kind}
                yield key | found._asdict() | {"exact_norm": norm, "loss": loss, "right": right}


def main(arguments: Sequence[str] = ()) -> None:
    """All runs that the file does not have yet; the lines of a run are written together."""
    first = begin(__doc__, arguments, RECORD)
    settings = {"period": PERIOD, "spikes": SPIKES, "streams": STREAMS, "first_step": FIRST_STEP} | versions()
    todo = dict.fromkeys((start, seed) for seed in range(SEEDS) for start in STARTS)
    for run, _ in missing(RECORD, todo, first):
        RECORD.add([line | settings for line in looks(*run)])


if __name__ == "__main__":
    main(sys.argv[1:])
