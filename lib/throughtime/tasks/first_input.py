"""Classes told by the first input alone (lfmn-example-1): all that follows is noise."""

import math

import numpy as np

from throughtime.models import validate
from throughtime.tasks._draw import Labelled, generator


def first_input(classes: int, length: int, copies: int, noise: float, seed: int | np.random.Generator) -> Labelled:
    """``copies`` sequences of each class, one input line a class.

    At t = 1 the line of the class is 1 and the others are 0. From t = 2 on every line carries noise, uniform
    on [-noise, noise]. Inputs of shape (classes * copies, length, classes), labels 0 to classes - 1.
    ValueError for fewer than 2 classes, 1 step or 1 copy, or for a noise below 0.
    """
    validate.count("classes", classes, 2)
    validate.count("length", length, 1)
    validate.count("copies", copies, 1)
    bound = validate.number("noise", noise, "[0, inf)")
    labels = np.repeat(np.arange(classes), copies)
    x = generator(seed).uniform(-bound, bound, (len(labels), length, classes))
    x[:, 0] = np.eye(classes)[labels]
    return Labelled(x, labels)


def binary_code(classes: int) -> np.ndarray:
    """The binary digits of each class as signs, +-1, shape (classes, ceil(log2 classes)).

    >>> binary_code(5).astype(int).tolist()
    [[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1], [-1, -1, 1]]
    """
    validate.count("classes", classes, 2)
    digits = np.arange(math.ceil(math.log2(classes)))
    return np.where(np.arange(classes)[:, None] >> digits & 1, 1.0, -1.0)
