"""What every online gradient promises: steps and runs mix, memory does not grow, the parameters are its own."""

import gc
import tracemalloc
from copy import deepcopy

import numpy as np
import pytest
from throughtime.arrays.activations import tanh
from throughtime.checks import relative_error
from throughtime.programs.online import OnlineGradient
from throughtime.textbook.lfmn import LFMN
from throughtime.textbook.recurrent import FullyRecurrent
from throughtime.textbook.simple_recurrent import Elman, Jordan


def nets(n_in, units, *of_each_kind):
    """Nets of all kinds, each with the keywords of a way to compute its gradient."""
    found = {
        "lfmn": (LFMN(n_in, *of_each_kind).compile(), {}),
        "recurrent": (FullyRecurrent(n_in, 2, tanh).compile(), {}),
    }
    for kind in (Elman, Jordan):
        net = kind(n_in, units, 1, tanh, "identity", start=0.5).compile()
        found |= {f"{kind.__name__.lower()}-{method}": (net, {"method": method}) for method in ("truncated", "rtrl")}
    return found


CASES, SMALL = nets(2, 2, (1, 1, 1), (1, 1, 1)), nets(1, 1, (0, 1, 0), (0, 0, 1))
every_case = pytest.mark.parametrize(("model", "how"), CASES.values(), ids=CASES)


def problem(model, length, scale=0.5):
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, scale), rng.normal(size=(length, model.n_in))
    return theta, x, rng.normal(size=(length, model.n_out)), rng.integers(0, 2, length)


@every_case
def test_steps_and_runs_of_any_length_mix(model, how):
    theta, x, targets, _ = problem(model, 11)
    mask = np.random.default_rng(0).integers(0, 2, len(targets))
    whole, online = model.online(theta, **how), model.online(theta, **how)
    whole.run(x, targets, mask)
    for part in (slice(0, 4), slice(4, 5), slice(5, 8)):
        online.run(x[part], targets[part], mask[part])
    for t in range(8, 11):
        online.step(x[t], targets[t], mask[t])
    assert np.array_equal(online.gradient, whole.gradient)
    assert online.gradient.any()
    assert online.loss == pytest.approx(whole.loss, rel=1e-14)
    at_once = model.gradient(theta, x, targets, mask, **{"method": "rtrl"} | how)
    assert relative_error(online.gradient, at_once.gradient) <= 1e-13
    assert online.loss == pytest.approx(at_once.loss, rel=1e-13)


def advance(online, x, target):
    """A step without the checks of its arguments, which take most of its time."""
    online.advance(x[None], target[None], np.ones((1, 1)))


def grows(model, how, step, steps=100, blocks=8) -> float:
    """Bytes a step by which the memory in use grows while a long sequence is fed step by step.

    The least over blocks of steps: what is kept of each step shows in every block, what the interpreter sets aside
    once, to use it again, only in some.
    """
    theta, x, targets, _ = problem(model, 1, scale=0.1)
    online = model.online(theta, **how)
    size = online.state_size
    in_use = []
    gc.freeze()  # what is there before need not be searched each time
    tracemalloc.start()
    for _ in range(1 + blocks):
        for _ in range(steps):
            step(online, x[0], targets[0])
        gc.collect()
        in_use.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert online.state_size == size
    return min(np.diff(in_use)) / steps


LEAST = 8  # bytes of the least that could be kept of a step, one number


@pytest.mark.parametrize(("model", "how"), SMALL.values(), ids=SMALL)
def test_memory_does_not_grow_with_the_sequence(model, how):
    assert grows(model, how, advance) < LEAST / 2


@pytest.mark.parametrize("step", [advance, OnlineGradient.step])
def test_a_number_kept_of_each_step_would_be_seen(step):
    kept = []

    def keeping(online, x, target):
        kept.append(step(online, x, target) or float(len(kept)))

    assert grows(*SMALL["lfmn"], keeping) > LEAST


@every_case
def test_state_is_read_only(model, how):
    theta = model.init(0)
    online = model.online(theta, **how)
    for name in ("time", "loss", "gradient", "state_size"):
        with pytest.raises(AttributeError, match=f"property '{name}' of .* object has no setter"):
            setattr(online, name, getattr(online, name))
    for name in ("weights", "learning_rate", "momentum"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            setattr(online, name, 1)


@every_case
def test_weights_can_be_set_and_are_checked_and_copied(model, how):
    theta, x, targets, _ = problem(model, 4)
    online, other = model.online(np.zeros_like(theta), **how), model.online(theta, **how)
    assert not online.theta.any()
    online.theta = given = theta.copy()
    given += 1.0
    assert np.array_equal(online.theta, theta)
    online.theta += 0.0
    for net in (online, other):
        net.run(x, targets)
    assert np.array_equal(online.gradient, other.gradient)
    for wrong in (theta[1:], np.full_like(theta, np.nan)):
        with pytest.raises(ValueError, match="theta: expected"):
            online.theta = wrong
    with pytest.raises(TypeError, match="theta: expected real numbers, got dtype complex128"):
        online.theta = theta + 0j
    assert np.array_equal(online.theta, theta)


@every_case
def test_what_is_taken_adds_up_to_the_whole(model, how):
    theta, x, targets, _ = problem(model, 6)
    whole, parts = model.online(theta, **how), model.online(theta, **how)
    whole.run(x, targets)
    taken = []
    for t in range(6):
        parts.step(x[t], targets[t])
        taken.append(parts.take())
        assert parts.loss == 0.0
        assert not parts.gradient.any()
    assert sum(part.loss for part in taken) == pytest.approx(whole.loss, rel=1e-13)
    assert relative_error(sum(part.gradient for part in taken), whole.gradient) <= 1e-13
    assert {part.method for part in taken} == {how.get("method", "rtrl")}


@every_case
def test_a_copy_goes_on_by_itself(model, how):
    theta, x, targets, _ = problem(model, 6)
    online = model.online(theta, **how)
    online.run(x[:3], targets[:3])
    copy = deepcopy(online)
    online.run(x[3:], targets[3:])
    assert copy.time == 3
    copy.run(x[3:], targets[3:])
    assert np.array_equal(copy.gradient, online.gradient)


RATE = 0.3


def learning_step_by_step(model, theta, x, targets, output):
    """Parameters and outputs of on-line learning: the weights change after each step."""
    online, found = model.compile().online(theta), []
    for x_t, target in zip(x, targets, strict=True):
        online.step(x_t, target)
        online.theta -= RATE * online.take().gradient
        found.append((online.theta, getattr(online, output).ravel()))
    return found


def test_on_line_learning_by_rtrl_is_the_loop_of_williams_and_zipser():
    """Sensitivities stay those of the weights of their own steps."""
    model = FullyRecurrent(2, 3, tanh)
    theta, x, targets, _ = problem(model, 8, scale=1.0)
    W, y, p = theta.reshape(3, 5).copy(), np.zeros(3), np.zeros((3, 3, 5))
    for t, (found, outputs) in enumerate(learning_step_by_step(model, theta, x, targets, "y")):
        source = np.concatenate([x[t], y])
        z = W @ source
        p = np.einsum("kl,lij->kij", W[:, 2:], p)
        p[range(3), range(3)] += source
        p *= (1 - np.tanh(z) ** 2)[:, None, None]
        y = np.tanh(z)
        W -= RATE * np.einsum("k,kij->ij", y - targets[t], p)
        assert relative_error(outputs, y) <= 1e-13
        assert relative_error(found, W.ravel()) <= 1e-13
    assert relative_error(found, theta) > 0.1
