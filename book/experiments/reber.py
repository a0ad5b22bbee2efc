"""Experiment 1: strings of the embedded Reber grammar, each next symbol of which is to be predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from book.experiments.sequences import Stream

LETTERS = "BTPSXVE"
# From a node, each edge with its letter and the node behind it; edges of a node are equally likely.
EDGES: tuple[tuple[tuple[str, int], ...], ...] = (
    (("B", 1),),
    (("T", 2), ("P", 3)),
    (("S", 2), ("X", 4)),
    (("T", 3), ("V", 5)),
    (("X", 3), ("S", 6)),
    (("P", 4), ("V", 6)),
    (("E", 7),),
)
LAST = 7  # the node behind E


def inner(random: np.random.Generator) -> tuple[str, list[str]]:
    """A string of the Reber grammar, and for each of its letters those that could have stood there."""
    text, possible, node = "", [], 0
    while node != LAST:
        edges = EDGES[node]
        possible.append("".join(letter for letter, _ in edges))
        letter, node = edges[random.integers(len(edges))]
        text += letter
    return text, possible


def embedded(random: np.random.Generator) -> tuple[str, list[str]]:
    """B, then T or P, a string of the Reber grammar, the same T or P, and E; with what each letter could have been."""
    text, possible = inner(random)
    second = "TP"[random.integers(2)]
    return f"B{second}{text}{second}E", ["B", "TP", *possible, second, "E"]


@dataclass(frozen=True)
class Reber:
    """Strings as streams: at each step a letter is shown and the next is the target.

    A string is right if at each step every letter that could follow has a larger output than every one that could not.
    """

    inputs, outputs, tolerance, symbols, judged = len(LETTERS), len(LETTERS), 0.0, True, "possible"
    shortest = 8  # steps

    def draw(self, copies: int, random: np.random.Generator, avoid: frozenset[str] = frozenset()) -> Stream:
        """``copies`` strings, none of them in ``avoid``."""
        strings = []
        while len(strings) < copies:
            text, possible = embedded(random)
            if text not in avoid:
                strings.append((text, possible))
        return as_stream(strings)


def as_stream(strings: list[tuple[str, list[str]]]) -> Stream:
    """Strings and their possible letters as one stream."""
    numbers = [np.array([LETTERS.index(letter) for letter in text]) for text, _ in strings]
    x = np.concatenate([one[:-1] for one in numbers])
    follows = np.concatenate([one[1:] for one in numbers])
    possible = np.array([[letter in some for letter in LETTERS] for _, many in strings for some in many[1:]])
    lengths = np.array([len(one) - 1 for one in numbers])
    return Stream(x, lengths, np.eye(len(LETTERS))[follows], every=True, possible=possible)


def words(stream: Stream) -> frozenset[str]:
    """The strings of a stream."""
    follows = stream.targets.argmax(axis=1)
    letters = lambda begin, end: [stream.x[begin], *follows[begin : end + 1]]  # noqa: E731
    ends = zip(stream.begins, stream.ends, strict=True)
    return frozenset("".join(LETTERS[k] for k in letters(begin, end)) for begin, end in ends)
