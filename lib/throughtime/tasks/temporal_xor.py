"""Temporal XOR (Elman 1990): a string of triples, two random bits and then their exclusive or; predict the next bit.

Bits count from 1, and the position of a bit in its triple is 1, 2 or 3: only the third can be known beforehand.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from throughtime.models import validate
from throughtime.tasks._draw import generator

TRIPLES = tuple((a, b, a ^ b) for a, b in product((0, 1), repeat=2))


def temporal_xor(triples: int, seed: int | np.random.Generator) -> np.ndarray:
    """A string of 3 ``triples`` bits, zeros and ones; ValueError for fewer than 1 triple."""
    validate.count("triples", triples, 1)
    drawn = generator(seed).integers(0, len(TRIPLES), triples)
    return np.array(TRIPLES, float)[drawn].ravel()


def as_prediction(bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and targets, each (1, T-1, 1), of one sequence: every bit but the last, and the bit that follows it."""
    bits = validate.array("bits", bits, ("T",))
    validate.count("length of bits", len(bits), 2)
    return bits[None, :-1, None], bits[None, 1:, None]


def predicted_positions(length: int) -> np.ndarray:
    """The position, 1 to 3, of the bit that each step of a string of ``length`` bits has to predict."""
    return np.arange(1, validate.count("length", length, 1)) % 3 + 1


def least_error(memory: int, knows_position: bool = False) -> tuple[Fraction, ...]:
    """The mean squared error at positions 1, 2 and 3 of the best predictor that sees the last ``memory`` bits.

    It answers with the probability that the next bit is 1, given what it sees: no answer has a smaller mean square
    error. Without the position it is an even chance that the bit has any of the three. Exact, from all strings.
    """
    validate.count("memory", memory, 0)
    whole = 1 + -(-memory // 3)  # triples enough to hold the bits seen and the next one
    counts: dict[tuple, list[int]] = {}
    strings = [sum(triples, ()) for triples in product(TRIPLES, repeat=whole)]
    ends = [3 * (whole - 1) + position for position in range(3)]  # where the next bit is
    for string in strings:
        for position, end in enumerate(ends):
            seen = (string[end - memory : end], position if knows_position else None)
            counts.setdefault(seen, [0, 0])[string[end]] += 1
    errors = []
    for position, end in enumerate(ends):
        total = Fraction(0)
        for string in strings:
            zeros, ones = counts[string[end - memory : end], position if knows_position else None]
            total += (Fraction(ones, zeros + ones) - string[end]) ** 2
        errors.append(total / len(strings))
    return tuple(errors)
