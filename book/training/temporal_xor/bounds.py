"""What a predictor from the last bits can reach on temporal XOR."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

from throughtime.models import validate
from throughtime.tasks.temporal_xor import TRIPLES


def least_error(memory: int, knows_position: bool = False) -> tuple[Fraction, ...]:
    """The smallest mean squared errors at positions 1, 2 and 3 of a predictor from the last ``memory`` >= 0 bits.

    The optimal prediction is the probability that the next bit is 1, given these bits and, with ``knows_position``, the
    position of the next bit; otherwise all three positions are equally likely. Exact, by enumeration of all strings.
    TypeError if ``memory`` is not an integer or ``knows_position`` not a bool, ValueError for a negative memory.
    """
    validate.count("memory", memory, 0)
    if not isinstance(knows_position, bool):
        raise TypeError(f"knows_position: expected True or False, got {knows_position!r}")
    whole = 1 + -(-memory // 3)  # triples enough to hold the bits seen and the next one
    strings = [sum(triples, ()) for triples in product(TRIPLES, repeat=whole)]
    cases = [
        (position, (string[end - memory : end], position if knows_position else None), string[end])
        for string in strings
        for position, end in enumerate(range(3 * whole - 3, 3 * whole))  # end: index of the next bit
    ]
    counts = Counter((seen, bit) for _, seen, bit in cases)
    squares = [Fraction(0)] * 3
    for position, seen, bit in cases:
        squares[position] += (Fraction(counts[seen, 1], counts[seen, 0] + counts[seen, 1]) - bit) ** 2
    return tuple(square / len(strings) for square in squares)
