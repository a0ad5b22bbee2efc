"""Elman and Jordan networks trained on temporal XOR (rnn-xor), with the exact gradient and with Elman's truncation.

    python -m book.training.temporal_xor.experiment

Every net is one line of the file in ``book/data``, with its trained parameters. All nets are trained on the same
string, for as many passes as Elman's; they differ in initial weights, gradient and architecture.
"""

import sys
from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
from book.shared.records import Records, begin, missing, versions
from throughtime.evidence.compiled import compiled as of_system
from throughtime.learning.optimizers import IRpropMinus
from throughtime.programs import CompiledNetwork
from throughtime.tasks.temporal_xor import as_prediction, predicted_positions, temporal_xor
from throughtime.textbook.simple_recurrent import Elman, Jordan

TRIPLES, TEST_TRIPLES = 1000, 66_667  # a test has 200,001 fresh bits,
FEW = 2000  # of which the first 6000 serve where hundreds of units are looked at
BLOCK = 100  # triples; the errors of far triples are taken for independent, those of near ones are not
EPOCHS, EARLY = 600, 20
FIRST_STEP, LARGEST_STEP, SCALE, START = 0.05, 1.0, 1.0, 0.5
NETS = {"Elman": Elman, "Jordan": Jordan}
GRADIENTS = {"exact": "bptt", "truncated": "truncated"}
HIDDEN, SEEDS = (2, 4, 8), range(10)

RUNS = Records("temporal_xor.csv", ("net", "hidden", "gradient", "seed"))


def network(net: str, hidden: int) -> Elman | Jordan:
    """A net with one input, ``hidden`` logistic units and one output; the initial context is 0.5, as Elman's."""
    return NETS[net](1, hidden, 1, start=START)


@cache
def compiled(net: Elman | Jordan) -> CompiledNetwork:
    """The net by the recursions that the engine derives, compiled at once: strings are long and come often."""
    return of_system(net, compiled=True)


def training_string() -> np.ndarray:
    """The training string of all nets."""
    return temporal_xor(TRIPLES, seed=0)


def fresh_string(triples: int = TEST_TRIPLES) -> np.ndarray:
    """The test string of all nets, or its first triples."""
    return temporal_xor(triples, seed=1)


def train(net: str, hidden: int, gradient: str, seed: int, epochs: Sequence[int]) -> list[tuple[np.ndarray, float]]:
    """Train by iRprop-: the parameters after each number of passes in ``epochs``, with their loss per prediction."""
    model = compiled(network(net, hidden))
    x, targets = as_prediction(training_string())
    theta = model.init(seed, SCALE)
    rprop = IRpropMinus(theta.size, FIRST_STEP, largest=LARGEST_STEP)
    looks = []
    for epoch in range(max(epochs) + 1):
        result = model.gradient(theta, x, targets, method=GRADIENTS[gradient])
        if epoch in epochs:
            looks.append((theta, result.loss / targets.size))
        theta = rprop.step(theta, result.gradient)
    return looks


def errors(model: Elman | Jordan, theta: np.ndarray, bits: np.ndarray) -> list[float]:
    """The mean squared errors of the predictions of the bits at positions 1, 2 and 3 of a triple."""
    return _by_position(_squares(model, theta, bits))


def two_bits(bits: np.ndarray) -> list[float]:
    """The same errors for the best answers from the last two bits, 2/3 or 1/3 by their exclusive or."""
    return _by_position(_squares_of_two_bits(bits))


def excess(model: Elman | Jordan, theta: np.ndarray, bits: np.ndarray) -> tuple[float, float]:
    """The mean error of a net minus that of the answers from two bits on the same string, and its standard error."""
    apart = _squares(model, theta, bits)[1:] - _squares_of_two_bits(bits)
    blocks = apart[: len(apart) // (3 * BLOCK) * 3 * BLOCK].reshape(-1, 3 * BLOCK).mean(axis=1)
    return float(apart.mean()), float(blocks.std(ddof=1) / len(blocks) ** 0.5)


def _squares(model: Elman | Jordan, theta: np.ndarray, bits: np.ndarray) -> np.ndarray:
    x, targets = as_prediction(bits)
    return (compiled(model).forward(theta, x).g[0, 1:, 0, 0] - targets[0, :, 0]) ** 2


def _squares_of_two_bits(bits: np.ndarray) -> np.ndarray:
    """The squares from the third bit of the string on."""
    string = bits.astype(int)
    return (np.where(string[:-2] != string[1:-1], 2 / 3, 1 / 3) - bits[2:]) ** 2


def _by_position(squares: np.ndarray) -> list[float]:
    """Means at the positions 1, 2 and 3; the last square is that of a third bit."""
    position = (np.arange(len(squares)) - len(squares)) % 3 + 1
    return [float(squares[position == p].mean()) for p in (1, 2, 3)]


def shares(values: np.ndarray, bits: np.ndarray) -> dict[str, float]:
    """Shares of the variance of ``values`` explained by features of the string ``bits`` of length T.

    ``values`` (T-2,), one per step 2, ..., T-1. The features are the present bit ("bit"), the previous one ("bit
    before"), their exclusive or ("xor") and the "position" of the next bit; "combined" is the additional share that
    position and both bits explain jointly, "earlier" the rest, which depends on older bits. A feature explains the
    variance of the means of the steps at which it is the same.
    """
    now, before = bits[1:-1].astype(int), bits[:-2].astype(int)
    features = {"bit": now, "bit before": before, "xor": now ^ before, "position": predicted_positions(len(bits))[1:]}

    def explained(feature: np.ndarray) -> float:
        with np.errstate(invalid="ignore"):
            each = np.bincount(feature, values) / np.bincount(feature)
        return float(each[feature].var() / values.var())

    alone, together = {name: explained(each) for name, each in features.items()}, explained(_cells(bits))
    return alone | {"combined": together - sum(alone.values()), "earlier": 1 - together}


def hidden_and_output(model: Elman | Jordan, theta: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """The activations of the K hidden units and, in the last row, the output at the steps 2, ..., T-1: (K+1, T-2)."""
    trace = compiled(model).forward(theta, as_prediction(bits)[0])
    return np.vstack([trace.f[0, 2:, 0].T, trace.g[0, 2:, 0].T])


def means(values: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """The mean of each row of ``values`` (rows, T-2) by position of the next bit, previous and present bit.

    Shape (rows, 3, 2, 2), in this order of axes.
    """
    cell = _cells(bits)
    return np.array([[row[cell == c].mean() for c in range(12)] for row in values]).reshape(-1, 3, 2, 2)


def _cells(bits: np.ndarray) -> np.ndarray:
    """For each step 2, ..., T-1 the number of its case: position of the next bit, previous and present bit."""
    return 4 * (predicted_positions(len(bits))[1:] - 1) + 2 * bits[:-2].astype(int) + bits[1:-1].astype(int)


def stored() -> list[dict]:
    """The rows of the file with numeric columns converted, "errors", "excess" and "theta" to arrays."""

    def numbers(text: str) -> np.ndarray:
        return np.array(text.split(), float)

    return RUNS.read(hidden=int, seed=int, early=float, errors=numbers, excess=numbers, theta=numbers)


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: train the nets that are not in the file yet."""
    first = begin(__doc__, arguments, RUNS)
    fresh = fresh_string()
    settings = {"triples": TRIPLES, "test_triples": TEST_TRIPLES, "epochs": EPOCHS}
    settings |= {"first_step": FIRST_STEP, "largest_step": LARGEST_STEP}
    todo = {(net, hidden, way, seed): None for seed, hidden, net, way in product(SEEDS, HIDDEN, NETS, GRADIENTS)}
    for run, _ in missing(RUNS, todo, first):
        (_, early), (theta, _) = train(*run, (EARLY, EPOCHS))
        judged = network(*run[:2]), theta, fresh
        measured = {"early": early, "errors": tuple(errors(*judged)), "excess": excess(*judged)}
        measured["theta"] = tuple(theta.tolist())
        RUNS.add([dict(zip(RUNS.key, run, strict=True)) | measured | settings | versions()])


if __name__ == "__main__":
    main(sys.argv[1:])
