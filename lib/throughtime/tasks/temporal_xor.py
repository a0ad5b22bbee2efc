"""Temporal XOR (Elman 1990, rnn-xor): predict the next bit of a string of triples, two random bits and their XOR.

Bits are numbered from 1; the position of a bit in its triple is 1, 2 or 3, and only bits at position 3 are predictable.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from throughtime.arrays import validate
from throughtime.tasks._draw import generator

TRIPLES = tuple((a, b, a ^ b) for a, b in product((0, 1), repeat=2))


def temporal_xor(triples: int, seed: int | np.random.Generator) -> np.ndarray:
    """A random string of ``triples`` triples: 0.0 and 1.0, shape (3 * triples,).

    TypeError for a number or seed of a wrong type, ValueError for fewer than 1 triple.
    """
    validate.count("triples", triples, 1)
    drawn = generator(seed).integers(0, len(TRIPLES), triples)
    return np.array(TRIPLES, float)[drawn].ravel()


def as_prediction(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and targets, shape (1, T-1, 1) each: all bits but the last, and for each the bit that follows.

    ``bits`` (T,). TypeError if they are not numbers, ValueError for another shape or fewer than 2 bits.
    """
    bits = validate.array("bits", bits, ("T",))
    validate.count("length of bits", len(bits), 2)
    return bits[None, :-1, None], bits[None, 1:, None]


def predicted_positions(length: int) -> np.ndarray:
    """The position, 1 to 3, of the bit after each bit of a string of ``length`` >= 1 bits, shape (length - 1,)."""
    return np.arange(1, validate.count("length", length, 1)) % 3 + 1
