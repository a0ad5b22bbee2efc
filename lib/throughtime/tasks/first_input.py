"""Classes determined by the first input, with noise at all later steps (lfmn-example-1)."""

import math

import numpy as np

from throughtime.arrays import validate
from throughtime.tasks._draw import Labelled, generator


def first_input(classes: int, length: int, copies: int, noise: float, seed: int | np.random.Generator) -> Labelled:
    """``copies`` >= 1 sequences of each class, of ``length`` >= 1 steps, with one input line per class.

    At t = 1 the line of the class is 1 and the others are 0. From t = 2 on all lines are uniform on [-noise, noise].
    Inputs of shape (classes * copies, length, classes), labels 0, ..., classes - 1.

    TypeError for numbers or seeds of a wrong type, ValueError for fewer than 2 classes, 1 step or 1 copy, or a
    noise outside [0, 8e307].
    """
    validate.count("classes", classes, 2)
    validate.count("length", length, 1)
    validate.count("copies", copies, 1)
    bound = validate.number("noise", noise, "[0, 8e307]")
    labels = np.repeat(np.arange(classes), copies)
    x = generator(seed).uniform(-bound, bound, (len(labels), length, classes))
    x[:, 0] = np.eye(classes)[labels]
    return Labelled(x, labels)


def binary_code(classes: int) -> np.ndarray:
    """The binary digits of the class numbers as 1 and -1, lowest digit first, shape (classes, ceil(log2 classes)).

    TypeError if ``classes`` is not an integer, ValueError if it is below 2.

    >>> binary_code(5).astype(int).tolist()
    [[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1], [-1, -1, 1]]
    """
    validate.count("classes", classes, 2)
    digits = np.arange(math.ceil(math.log2(classes)))
    return np.where(np.arange(classes)[:, None] >> digits & 1, 1.0, -1.0)
