"""A mistake planted anywhere in the loops of the fully recurrent network is noticed by the checks of test_recurrent."""

from collections import Counter

import numpy as np
from throughtime.arrays.activations import ACTIVATIONS
from throughtime.checks import complex_step, relative_error
from throughtime.models import _recurrent_kernels, recurrent
from throughtime.models.recurrent import FullyRecurrent

TOLERANCE = 1e-12
LENGTH = 6

EQUAL = Counter()


def truncated_by_definition(model, theta, x, targets, mask, window):
    """Each loss differentiated by the complex step through its last window + 1 steps, from a frozen state."""
    frozen = model.forward(theta, x).y
    gradient = np.zeros_like(theta)
    for t in range(1, LENGTH + 1):
        start = max(0, t - window - 1)

        def loss(weights, t=t, start=start):
            y = frozen[start]
            for x_s in x[start:t]:
                z = model.layout.views(weights)["W"] @ np.concatenate([x_s, y])
                y = np.array([f(z_i) for f, z_i in zip(model.activation, z, strict=True)])
            return complex((mask[t - 1] * (y - targets[t - 1]) ** 2 / 2).sum())

        gradient += complex_step(loss, theta)
    return gradient


def overflow_is_missed():
    """Whether a net input may overflow unseen at the last step, which does not count, though tanh hides it."""
    model, x = FullyRecurrent(1, 1, "tanh"), [[0.5], [0.5], [1e308]]
    for way in ({"method": "rtrl"}, {"method": "truncated", "window": 1}):
        try:
            model.online([50.0, 50.0], **way).run(x, np.zeros((3, 1)), [1, 1, 0])
        except FloatingPointError:
            continue
        return True
    return False


def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch):
    model = FullyRecurrent(2, 5, list(ACTIVATIONS.values()))
    rng = np.random.default_rng(0)
    theta, x, targets = model.init(rng, 0.8), rng.normal(size=(LENGTH, 2)), rng.normal(size=(LENGTH, 5))
    mask = rng.integers(0, 2, (LENGTH, 5))
    mask[2] = 0
    trace = dict(model.forward(theta, x).items())
    loss = 0.5 * (mask * (trace["y"][1:] - targets) ** 2).sum()
    signals = model.error_signals(theta, x, targets, mask)
    exact = complex_step(lambda z: model.loss(z, x, targets, mask), theta)
    calls = [({"method": "bptt"}, exact), ({"method": "rtrl"}, exact)]
    for window in (0, 2, LENGTH):
        expected = truncated_by_definition(model, theta, x, targets, mask, window)
        calls.append(({"method": "truncated", "window": window}, expected))

    def rejected():
        try:
            forward = model.forward(theta, x)
            results = [(model.gradient(theta, x, targets, mask, **call), expected) for call, expected in calls]
            mutated = model.error_signals(theta, x, targets, mask)
            missed = overflow_is_missed()
        except (IndexError, ValueError, FloatingPointError):
            return True
        return (
            missed
            or any(relative_error(values, trace[name]) > TOLERANCE for name, values in forward.items())
            or any(relative_error(result.gradient, expected) > TOLERANCE for result, expected in results)
            or any(abs(result.loss - loss) > TOLERANCE * loss for result, _ in results)
            or any(relative_error(a, b) > TOLERANCE for a, b in zip(mutated, signals, strict=True))
        )

    assert not rejected()
    tried, survivors = 0, Counter()
    for description, mutant in mutants(_recurrent_kernels):
        monkeypatch.setattr(recurrent, "kernels", mutant)
        tried += 1
        if not rejected():
            survivors[description] += 1
    assert tried > 40
    assert survivors == EQUAL
