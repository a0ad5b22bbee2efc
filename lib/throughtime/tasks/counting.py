"""Marks between long stretches of noise, told apart by their number or by their order (lfmn-example-2)."""

from collections.abc import Sequence

import numpy as np

from throughtime.models import validate
from throughtime.tasks._draw import Labelled, generator

COUNT = ("X", "XX")
ORDER = ("XY", "YX")
FOUR_ORDERS = ("XX", "XY", "YX", "YY")


def marked_noise(
    words: Sequence[str], length: int, gap: int, copies: int, noise: float, seed: int | np.random.Generator
) -> Labelled:
    """``copies`` sequences of each word, each letter of it a mark of one step, at random times in order.

    Lines: one a letter, in alphabetical order, and a last one that is always 1. At a mark the line of its
    letter is 1 and the other letters are 0; else they carry noise, uniform on [-noise, noise]. Before the
    first mark, between marks and after the last there are at least ``gap`` steps. The length is the same for
    all words, so that it tells nothing. Inputs (len(words) * copies, length, letters + 1), labels from 0.

    ValueError if a word is empty or does not fit into ``length``, or for fewer than 2 words.
    """
    validate.count("gap", gap, 0)
    validate.count("copies", copies, 1)
    validate.count("number of words", len(words), 2)
    letters = sorted(set("".join(words)))
    for word in words:
        needed = len(word) + gap * (len(word) + 1)
        if not word or needed > length:
            raise ValueError(
                f"words: expected non-empty words that fit, but {word!r} with gaps of {gap} needs "
                f"{needed} of length = {length} steps"
            )
    bound, random = validate.number("noise", noise, "[0, inf)"), generator(seed)
    labels = np.repeat(np.arange(len(words)), copies)
    x = random.uniform(-bound, bound, (len(labels), length, len(letters) + 1))
    x[:, :, -1] = 1
    for sequence, label in zip(x, labels, strict=True):
        word = words[label]
        for letter, time in zip(word, _times(len(word), length, gap, random), strict=True):
            sequence[time, :-1] = 0
            sequence[time, letters.index(letter)] = 1
    return Labelled(x, labels)


def last_occurrences(word: str) -> str:
    """The letters of a word in the order of their last occurrences: all that latches can keep of it.

    >>> [last_occurrences(word) for word in ("X", "XX", "XYX", "YXX", "XXY")]
    ['X', 'X', 'YX', 'YX', 'XY']
    """
    return "".join(sorted(set(word), key=word.rindex))


def _times(marks: int, length: int, gap: int, random: np.random.Generator) -> np.ndarray:
    """Increasing times from 0 with at least ``gap`` steps before, between and after."""
    slack = length - marks - gap * (marks + 1)
    places = np.sort(random.integers(0, slack + 1, marks))
    return places + np.arange(marks) + gap * np.arange(1, marks + 1)
