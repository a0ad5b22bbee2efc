"""A Jordan net that solves temporal XOR, its weights set by hand: a witness of what eight hidden units can do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from throughtime.models import validate
from throughtime.models.simple_recurrent import Jordan

UNITS = 8


def jordan_by_hand(epsilon: float, steepness: float = 12.0, sure: float = 8.0) -> tuple[Jordan, np.ndarray]:
    """A Jordan net with first context 1/2, and parameters for which each output tells the next step what it needs.

    Before a triple the output is 1/2; after its first bit 1/2 - epsilon or 1/2 + epsilon, by that bit; after its
    second bit close to the exclusive or, of which it is `sure`: sigma(-sure) or sigma(sure). These five contexts g,
    each with both inputs x, are ten places on the line g + 2 x. The output's net input is a staircase over that line,
    a hidden unit a stair; `steepness` is the net input of the unit at the two places beside its stair.

    epsilon in (0, 0.4); ValueError if not.
    """
    validate.number("epsilon", epsilon, "(0, 0.4)")
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
