"""The operation counter: the results are the library's, and every operation is counted once."""

import types

import numpy as np
import pytest
from throughtime.models import _lfmn_kernels, _recurrent_kernels, lstm_kernels, lstm_online_kernels
from throughtime.models.lfmn import LFMN
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.lstm1997.complexity.numbers import Number, Operations, counting

LSTM = LSTM1997(n_in=2, blocks=2, cells=2, n_out=3, hidden=2, bias=True)
CASES = {
    "lstm1997 truncated": (LSTM, lstm_online_kernels, {"method": "truncated"}),
    "lstm1997 bptt": (LSTM, lstm_kernels, {"method": "bptt"}),
    "lstm1997 rtrl": (LSTM, lstm_online_kernels, {"method": "rtrl"}),
    "peephole truncated": (PeepholeLSTM(2, 2, 2, 3), lstm_online_kernels, {"method": "truncated"}),
    "recurrent bptt": (FullyRecurrent(2, 3), _recurrent_kernels, {"method": "bptt"}),
    "recurrent rtrl": (FullyRecurrent(2, 3), _recurrent_kernels, {"method": "rtrl"}),
    "recurrent truncated": (FullyRecurrent(2, 3), _recurrent_kernels, {"method": "truncated", "window": 2}),
}


def problem(model, steps=3):
    random = np.random.default_rng(1)
    return model.init(2), random.normal(size=(steps, model.n_in)), random.normal(size=(steps, model.n_out))


def count(model, kernels, how, steps=3):
    with counting(kernels) as tally:
        model.gradient(*problem(model, steps), **how)
    return tally


@pytest.mark.parametrize(("model", "kernels", "how"), CASES.values(), ids=CASES)
def test_the_counted_run_gives_the_gradient_of_the_compiled_one(model, kernels, how):
    expected = model.gradient(*problem(model), **how)
    with counting(kernels) as tally:
        found = model.gradient(*problem(model), **how)
    assert found.loss == pytest.approx(expected.loss, rel=1e-14)
    np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-13, atol=1e-16)
    assert min(tally.multiplications, tally.additions, tally.functions) > 0


def test_tuples_of_arrays_are_counted_too():
    net = LFMN(n_in=2, hidden=(1, 1, 1), output=(1, 1, 1))
    theta, x = net.init(0), np.ones((4, 2))
    expected = net.forward(theta, x).y
    with counting(_lfmn_kernels) as tally:
        np.testing.assert_allclose(net.forward(theta, x).y, expected, rtol=1e-14)
    assert tally.functions == 4 * 6


@pytest.mark.parametrize(("units", "inputs", "steps"), [(1, 0, 1), (3, 2, 4), (5, 1, 2)])
def test_counts_of_the_recurrent_net_are_the_known_ones(units, inputs, steps):
    """Forward n m; RTRL n m (n + 1)^2 and 4 n for the error; BPTT 2 n m + n^2 + n; m = inputs + n."""
    net, columns = FullyRecurrent(inputs, units), inputs + units
    rtrl = count(net, _recurrent_kernels, {"method": "rtrl"}, steps)
    bptt = count(net, _recurrent_kernels, {"method": "bptt"}, steps)
    assert rtrl.multiplications == steps * (units * columns * (units + 1) ** 2 + 4 * units)
    assert bptt.multiplications == steps * (2 * units * columns + units**2 + units)
    assert (rtrl.functions, bptt.functions) == (2 * units * steps, 2 * units * steps)


def test_every_operation_counts_once_whichever_side_the_number_is_on():
    tally = Operations()
    a, b = Number(3.0, tally), Number(4.0, tally)
    assert [float(x) for x in (a + b, 1.0 + a, a + 1.0, a - b, 1.0 - a, a * b, 2.0 * a)] == [7, 4, 4, -1, -2, 12, 6]
    assert tally == Operations(multiplications=2, additions=5)
    assert tally.total == 7
    assert a == 3.0
    assert not Number(0.0, tally)


def test_a_planted_operation_is_counted(monkeypatch):
    def multiply_and_waste(matrix, vector, result):
        for r in range(matrix.shape[0]):
            result[r] = 0.0
            for c in range(matrix.shape[1]):
                result[r] += 1.0 * matrix[r, c] * vector[c]

    honest = count(*CASES["recurrent bptt"])
    wasteful = types.FunctionType(
        multiply_and_waste.__code__, {"__name__": _recurrent_kernels.__name__, "range": range}
    )
    monkeypatch.setattr(_recurrent_kernels, "multiply", wasteful)
    found = count(*CASES["recurrent bptt"])
    assert found.multiplications == honest.multiplications + 3 * (3 * 5 + 3 * 3)  # forward weights, backward weights
    assert (found.additions, found.functions) == (honest.additions, honest.functions)


def test_the_kernels_are_back_afterwards_even_after_an_error():
    before = {name: vars(lstm_kernels)[name] for name in ("forward", "error_signals", "multiply")}
    with pytest.raises(ValueError, match="theta"), counting(lstm_kernels):
        LSTM.forward(np.zeros(1), np.ones((1, 2)))
    assert {name: vars(lstm_kernels)[name] for name in before} == before
