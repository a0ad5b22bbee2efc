"""The textbook forward passes of the class docstrings compute what the compiled loops compute, whatever the sizes."""

import doctest

import numpy as np
import pytest
from throughtime.arrays.activations import identity, tanh
from throughtime.checks import relative_error
from throughtime.models.lstm1997 import LSTM1997, TIMINGS
from throughtime.models.peephole import PeepholeLSTM

MODELS = [LSTM1997(2, 3, 1, 2, timing=timing, bias=True, f_out=tanh) for timing in TIMINGS]
MODELS += [
    PeepholeLSTM(2, 3, 1, 2, feedback="cells", direct=False, bias=True, g=g, h=h)
    for g in (tanh, identity)
    for h in (tanh,)
]


def textbook(kind):
    """The function ``textbook`` of the class docstring."""
    names = {"np": np}
    for example in doctest.DocTestParser().get_examples(kind.__doc__):
        if example.source.startswith("def "):
            exec(example.source, names)
    return names["textbook"]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_textbook_is_the_model(model):
    theta, x = model.init(0, 1.0), np.random.default_rng(1).normal(size=(6, model.n_in))
    written, run = textbook(type(model))(model, theta, x), model.forward(theta, x).y
    assert relative_error(written[1:], run[1:]) <= 1e-13


def test_every_model_shows_one_of_at_most_thirteen_lines():
    for kind in {type(model) for model in MODELS}:
        examples = doctest.DocTestParser().get_examples(kind.__doc__)
        lines = [example.source.count("\n") for example in examples if example.source.startswith("def textbook")]
        assert len(lines) == 1
        assert lines[0] <= 13
