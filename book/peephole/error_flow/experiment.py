"""Truncated and exact gradients of the peephole LSTM, with each kind of cut alone, on spike delays (peephole-msd).

    python -m book.peephole.error_flow.experiment

The net of the experiments of 2002 learns to measure the delays of spikes from the exact gradient, with the forget gate
closed at the start, as in the paper, or open. At the epochs in ``LOOKS`` the gradients with all cuts and with each kind
of cut are compared with the exact one. The nets with an open forget gate are then trained from the same starts by the
gradient with all cuts (``TRUNCATED``).
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from book.shared.alignment import Quality, quality
from book.shared.alignment import hidden_part as inner
from book.shared.records import Records, begin, missing, versions
from throughtime.arrays.activations import identity
from throughtime.learning.optimizers import IRpropMinus
from throughtime.tasks.spike_delays import Stream, spike_delays
from throughtime.textbook.peephole import GATE_BIASES, PeepholeCut, PeepholeLSTM

PERIOD, DELAYS, SPIKES, STREAMS = 10, (0, 1), 10, 10
SEEDS = 100
LOOKS = (0, 3, 10, 30, 100, 300)  # epochs
STARTS = {"shut": GATE_BIASES, "open": GATE_BIASES | {"fg": 2.0}}
FIRST_STEP = 0.01
TOLERATED = 0.49  # the paper's bound on the error of a correct output
RECORD = Records("peephole_cuts.csv", ("start", "seed", "epoch", "cut"))
TRUNCATED = Records("peephole_truncated.csv", ("start", "seed"))


def model() -> PeepholeLSTM:
    """The net of 17 parameters (peephole-parameters): one block, one cell, peepholes, no recurrent input from gates."""
    return PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)


def streams(seed: int) -> Stream:
    """The ``STREAMS`` spike-delay streams of a seed as one batch; behind the end of a stream nothing has a target."""
    random = np.random.default_rng([seed, 2002])
    every = [spike_delays(PERIOD, DELAYS, SPIKES, random) for _ in range(STREAMS)]
    longest = max(len(stream.x) for stream in every)
    return Stream(*(np.stack([_filled(part, longest) for part in parts]) for parts in zip(*every, strict=True)))


def _filled(part: np.ndarray, length: int) -> np.ndarray:
    """An array with rows of zeros behind it, up to a length."""
    return np.concatenate([part, np.zeros((length - len(part), *part.shape[1:]))])


def kinds_of_cuts(net: PeepholeLSTM) -> dict[str, tuple[PeepholeCut, ...]]:
    """The cuts of the truncated gradient, all ("both") and by kind: at "peepholes" and at "cell outputs"."""
    cuts = net.cuts("truncated")
    seen = tuple(cut for cut in cuts if cut.source == "s")
    return {"both": cuts, "peepholes": seen, "cell outputs": tuple(cut for cut in cuts if cut not in seen)}


def gradient(net: PeepholeLSTM, theta: np.ndarray, data: Stream, cuts: Iterable[PeepholeCut] = ()) -> np.ndarray:
    """The gradient of the loss summed over the streams, the paths in ``cuts`` held constant; flat like ``theta``."""
    return net.gradient_with_cuts(theta, *data, cuts=tuple(cuts)).gradient


def compare(net: PeepholeLSTM, theta: np.ndarray, data: Stream) -> dict[str, Quality]:
    """Cosine and norm ratio of the gradient to the exact one, by kind of cuts, with respect to gates and cells."""
    exact = inner(net, gradient(net, theta, data))
    size = np.abs(exact).max() or 1.0  # squares of the gradient of a net that has finished can underflow
    cut = {kind: inner(net, gradient(net, theta, data, cuts)) for kind, cuts in kinds_of_cuts(net).items()}
    return {kind: quality(found / size, exact / size) for kind, found in cut.items()}


def share_right(net: PeepholeLSTM, theta: np.ndarray, data: Stream) -> float:
    """The share, from 0 to 1, of spikes with an error of the output below the paper's ``TOLERATED``."""
    errors = (net.forward(theta, data.x).y[:, 1:] - data.targets)[data.mask == 1]
    return float((np.abs(errors) < TOLERATED).mean())


def training(start: str, seed: int, cuts: Iterable[PeepholeCut] = ()) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Train one net by iRprop- on the gradient with these cuts: parameters and gradient at every epoch.

    ``start`` is a key of ``STARTS``. The iteration ends when the gradient of gates and cells is zero.
    """
    net, data, cuts = model(), streams(seed), tuple(cuts)
    theta = net.init(seed, gate_biases=STARTS[start])
    optimizer = IRpropMinus(theta.size, first_step=FIRST_STEP)
    followed = gradient(net, theta, data, cuts)
    while inner(net, followed).any():
        yield theta, followed
        theta = optimizer.step(theta, followed)
        followed = gradient(net, theta, data, cuts)


FINISHED, AT_REST = 0.1, 1e-3


def stage(row: Mapping[str, str]) -> str:
    """How far the net of a row of ``RECORD`` is: "finished", with a loss of at most ``FINISHED``; "at rest", with more
    loss and an exact gradient of a norm below ``AT_REST``; "learning" else.
    """
    if float(row["loss"]) <= FINISHED:
        return "finished"
    return "at rest" if float(row["exact_norm"]) < AT_REST else "learning"


def truncated(seed: int, start: str = "open", epochs: int = LOOKS[-1]) -> dict[str, object]:
    """The row of one run for ``TRUNCATED``: the end of training by the gradient with all cuts."""
    net, data = model(), streams(seed)
    epoch, (theta, _) = [*enumerate(islice(training(start, seed, net.cuts("truncated")), epochs + 1))][-1]
    loss = net.loss(theta, *data)
    return {"start": start, "seed": seed, "epoch": epoch, "loss": loss, "right": share_right(net, theta, data)}


def looks(start: str, seed: int, upto: int = LOOKS[-1]) -> Iterator[dict[str, object]]:
    """The rows of one run for ``RECORD``: one per kind of cuts and epoch in ``LOOKS``, up to the epoch ``upto``."""
    net, data = model(), streams(seed)
    for epoch, (theta, exact) in enumerate(islice(training(start, seed), upto + 1)):
        if epoch in LOOKS:
            right, norm = share_right(net, theta, data), math.hypot(*inner(net, exact))
            loss = net.loss(theta, *data)
            for kind, found in compare(net, theta, data).items():
                key = {"start": start, "seed": seed, "epoch": epoch, "cut": kind}
                yield key | found._asdict() | {"exact_norm": norm, "loss": loss, "right": right}


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the file yet; all lines of a run are written together."""
    first = begin(__doc__, arguments, RECORD, TRUNCATED)
    settings = {"period": PERIOD, "spikes": SPIKES, "streams": STREAMS, "first_step": FIRST_STEP} | versions()
    todo = dict.fromkeys((start, seed) for seed in range(SEEDS) for start in STARTS)
    for run, _ in missing(RECORD, todo, first):
        RECORD.add([line | settings for line in looks(*run)])
    for _, seed in missing(TRUNCATED, {("open", seed): seed for seed in range(SEEDS)}, first):
        TRUNCATED.add([truncated(seed) | settings])


if __name__ == "__main__":
    main(sys.argv[1:])
