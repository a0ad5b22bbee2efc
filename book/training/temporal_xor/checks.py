"""What can be reached on temporal XOR: by any predictor from the last bits, and by a Jordan net set by hand."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from throughtime.tasks.temporal_xor import TRIPLES
from throughtime.textbook.simple_recurrent import Jordan

UNITS = 8


def least_error(memory: int, knows_position: bool = False) -> tuple[Fraction, ...]:
    """The smallest mean squared errors at positions 1, 2 and 3 of a predictor from the last ``memory`` >= 0 bits.

    The optimal prediction is the probability that the next bit is 1, given these bits and, with ``knows_position``, the
    position of the next bit; otherwise all three positions are equally likely. Exact, by enumeration of all strings.
    """
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


def jordan_by_hand(epsilon: float, steepness: float = 12.0, sure: float = 8.0) -> tuple[Jordan, np.ndarray]:
    """A Jordan net with first context 1/2, and parameters for which each output tells the next step what it needs.

    Before a triple the output is 1/2; after its first bit 1/2 - epsilon or 1/2 + epsilon, by that bit; after its
    second bit close to the exclusive or, of which it is `sure`: sigma(-sure) or sigma(sure). These five contexts g,
    each with both inputs x, are ten places on the line g + 2 x. The output's net input is a staircase over that line,
    a hidden unit a stair; `steepness` is the net input of the unit at the two places beside its stair.

    epsilon in (0, 0.4).
    """
    carried = np.log((0.5 + epsilon) / (0.5 - epsilon))
    certain = 1 / (1 + np.exp(sure))
    contexts = np.array([certain, 0.5 - epsilon, 0.5, 0.5 + epsilon, 1 - certain])
    places = np.concatenate([contexts, contexts + 2.0])
    heights = [0.0, -sure, -carried, sure, 0.0, 0.0, sure, carried, -sure, 0.0]  # five for x = 0, five for x = 1
    v, w = [], [heights[0]]
    for (left, right), (low, high) in zip(pairwise(places), pairwise(heights), strict=True):
        if low != high:
            slope = 2 * steepness / (right - left)
            v.append([-slope * (left + right) / 2, 2.0 * slope, slope])
            w.append(high - low)
    net = Jordan(1, UNITS, 1, start=0.5)
    return net, net.layout.flatten({"v": np.transpose(v), "w": np.array(w)[:, None]})
