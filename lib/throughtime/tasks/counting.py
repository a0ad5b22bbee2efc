"""Marks separated by noise, to be classified by their number or by their order (lfmn-example-2)."""

from collections.abc import Sequence

import numpy as np

from throughtime.arrays import validate
from throughtime.tasks._draw import Labelled, generator

COUNT = ("X", "XX")
ORDER = ("XY", "YX")
FOUR_ORDERS = ("XX", "XY", "YX", "YY")


def marked_noise(
    words: Sequence[str], length: int, gap: int, copies: int, noise: float, seed: int | np.random.Generator
) -> Labelled:
    """``copies`` sequences of each word; every letter is a mark of one step, at random times in the word's order.

    words     at least 2, not empty; the label of a sequence is the index of its word
    length    steps of a sequence, the same for all words
    gap       smallest number of steps without a mark before, between and after the marks, at least 0
    copies    sequences per word, at least 1
    noise     from 0 to 8e307

    There is one input line per letter, in alphabetical order, and a last line that is always 1. At a mark the line of
    its letter is 1 and those of the other letters are 0; at all other steps they are uniform on [-noise, noise].
    Inputs of shape (len(words) * copies, length, letters + 1).

    TypeError for words, numbers or seeds of a wrong type, ValueError outside these ranges or if a word with its gaps
    does not fit into ``length``.
    """
    validate.count("length", length, 1)
    validate.count("gap", gap, 0)
    validate.count("copies", copies, 1)
    if isinstance(words, str) or not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"words: expected a sequence of strings, got {words!r}")
    validate.count("number of words", len(words), 2)
    letters = sorted(set("".join(words)))
    for word in words:
        needed = len(word) + gap * (len(word) + 1)
        if not word or needed > length:
            raise ValueError(
                f"words: expected non-empty words that fit, but {word!r} with gaps of {gap} needs "
                f"{needed} of length = {length} steps"
            )
    bound, random = validate.number("noise", noise, "[0, 8e307]"), generator(seed)
    labels = np.repeat(np.arange(len(words)), copies)
    x = random.uniform(-bound, bound, (len(labels), length, len(letters) + 1))
    x[:, :, -1] = 1
    for sequence, label in zip(x, labels, strict=True):
        word = words[int(label)]
        for letter, time in zip(word, _times(len(word), length, gap, random), strict=True):
            sequence[time, :-1] = 0
            sequence[time, letters.index(letter)] = 1
    return Labelled(x, labels)


def last_occurrences(word: str) -> str:
    """The distinct letters of a word in the order of their last occurrences, all that latches can store of a word.

    TypeError if ``word`` is not a string.

    >>> [last_occurrences(word) for word in ("X", "XX", "XYX", "YXX", "XXY")]
    ['X', 'X', 'YX', 'YX', 'XY']
    """
    if not isinstance(word, str):
        raise TypeError(f"word: expected a string, got {word!r}")
    return "".join(sorted(set(word), key=word.rindex))


def _times(marks: int, length: int, gap: int, random: np.random.Generator) -> np.ndarray:
    """Random increasing times of the marks, (marks,), counted from 0, with at least ``gap`` steps around each."""
    slack = length - marks - gap * (marks + 1)
    places = np.sort(random.integers(0, slack + 1, marks))
    return places + np.arange(marks) + gap * np.arange(1, marks + 1)
