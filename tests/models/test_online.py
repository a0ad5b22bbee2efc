"""What every online gradient promises: steps and runs mix, memory does not grow, the parameters are its own."""

import gc
import tracemalloc
from functools import partial

import numpy as np
import pytest
from throughtime.models import lfmn, lstm, recurrent
from throughtime.models.activations import tanh
from throughtime.models.lfmn import LFMN
from throughtime.models.lstm1997 import LSTM1997, TIMINGS
from throughtime.models.peephole import SOURCES, PeepholeLSTM
from throughtime.models.recurrent import FullyRecurrent

LSTMS = [LSTM1997(2, 2, 2, 2, 1, timing=timing, bias=["ig", "out"]) for timing in TIMINGS]
LSTMS += [PeepholeLSTM(2, 2, 2, 2, sources=sources, bias=["ig", "out"]) for sources in SOURCES]
WINDOWS = (None, 0, 2, 5, 20)

CASES = {"lfmn": (LFMN(4, (2, 3, 3), (2, 3, 3)), lfmn.OnlineGradient)}
CASES |= {
    f"recurrent-{window}": (FullyRecurrent(4, 5, tanh), partial(recurrent.OnlineGradient, window=window))
    for window in WINDOWS
}
CASES |= {
    f"{name}-{method}": (model, partial(lstm.OnlineGradient, method=method))
    for name, model in zip((*TIMINGS, *SOURCES), LSTMS, strict=True)
    for method in ("truncated", "rtrl")
}
every_case = pytest.mark.parametrize(("model", "start"), CASES.values(), ids=CASES)


def problem(model, length, scale=0.5):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, scale), rng.normal(size=(length, model.n_in))
    return theta, x, rng.normal(size=(length, model.n_out)), rng.integers(0, 2, length)


@every_case
def test_steps_and_runs_of_any_length_mix(model, start):
    theta, x, targets, mask = problem(model, 11)
    if model is not CASES["lfmn"][0]:
        mask = np.random.default_rng(0).integers(0, 2, targets.shape)
    whole, online = start(model, theta), start(model, theta)
    whole.run(x, targets, mask)
    for part in (slice(0, 4), slice(4, 5), slice(5, 8)):
        online.run(x[part], targets[part], mask[part])
    for t in range(8, 11):
        online.step(x[t], targets[t], mask[t])
    assert np.array_equal(online.gradient, whole.gradient)
    assert online.gradient.any()
    assert online.loss == pytest.approx(whole.loss, rel=1e-14)


def grows(model, start, steps=150, blocks=5) -> float:
    """Bytes a step by which the memory in use grows while a long sequence is fed step by step.

    The least over blocks of steps: what is kept of each step shows in every block, what the interpreter sets aside
    once, to use it again, only in some.
    """
    theta, x, targets, _ = problem(model, 1, scale=0.1)
    online = start(model, theta)
    size = online.state_size
    in_use = []
    gc.freeze()  # what is there before need not be searched each time
    tracemalloc.start()
    for _ in range(1 + blocks):
        for _ in range(steps):
            online.step(x[0], targets[0])
        gc.collect()
        in_use.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    gc.unfreeze()
    assert online.state_size == size
    return min(np.diff(in_use)) / steps


LEAST = 8  # bytes of the least that could be kept of a step, one number


@every_case
def test_memory_does_not_grow_with_the_sequence(model, start):
    assert grows(model, start) < LEAST / 2


def test_a_number_kept_of_each_step_would_be_seen():
    model, start = CASES["lfmn"]

    def keeping(model, theta):
        online, kept = start(model, theta), []
        step = online.step
        online.step = lambda x, target: kept.append(step(x, target) or float(len(kept)))
        return online

    assert grows(model, keeping) > LEAST


def test_the_memory_of_the_lfmn_is_linear_in_its_weights():
    model, start = CASES["lfmn"]
    assert start(model, model.init(0)).state_size < 10 * model.layout.size


@every_case
def test_the_parameters_are_its_own(model, start):
    theta, x, targets, _ = problem(model, 4)
    online, untouched = start(model, theta), start(model, theta)
    untouched.run(x, targets)
    theta += 1.0
    online.run(x, targets)
    online.gradient[:] = 0.0
    assert online.gradient.any()
    assert np.array_equal(online.gradient, untouched.gradient)
