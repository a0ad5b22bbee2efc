"""A mistake planted anywhere in the loops of the LFMN is noticed by the checks of test_lfmn."""

from functools import partial

import numpy as np
from throughtime.checks import complex_step, relative_error
from throughtime.models import _lfmn_kernels, lfmn
from throughtime.models.lfmn import LFMN, METHODS

TOLERANCE = 1e-12

# Time t is in row t % 2: an even change of t is none.
EQUAL = {
    "time + n -> time - n",
    "time + n + 1 -> time + n - 1",
}


def overflow_is_missed():
    """Whether one net input may overflow unseen at the last step, which does not count, though tanh hides it."""
    x, targets, mask = [[0.5], [0.5], [1e308]], np.zeros((3, 1)), [1, 1, 0]
    calls = []
    for kinds in (((1, 0, 0), (1, 0, 0)), ((0, 0, 0), (0, 0, 1))):
        model = LFMN(1, *kinds, "tanh")
        calls.append(partial(model.online([1e10, 0.5]).run, x, targets, mask))
        calls.append(partial(model.gradient, [1e10, 0.5], [x, x], [targets, targets], mask))
    for call in calls:
        try:
            call()
        except FloatingPointError:
            continue
        return True
    return False


def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch):
    model = LFMN(2, (2, 2, 3), (3, 2, 2))
    rng = np.random.default_rng(0)
    theta, x, targets = model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 7))
    mask = rng.integers(0, 2, targets.shape)
    mask[1], mask[-1] = 0, 1
    trace = dict(model.forward(theta, x).items())
    exact = complex_step(lambda z: model.loss(z, x, targets, mask), theta)

    other = x[::-1].copy()
    exact_batch = exact + complex_step(lambda z: model.loss(z, other, targets, mask), theta)
    loss_of_other = model.loss(theta, other, targets, mask)

    def rejected():
        try:
            forward = model.forward(theta, x)
            gradients = [model.gradient(theta, x, targets, mask, method=method) for method in METHODS]
            batch = model.gradient(theta, [x, other], [targets, targets], mask=[mask, mask])
            missed = overflow_is_missed()
        except (IndexError, FloatingPointError):
            return True
        loss = model.loss(theta, x, targets, mask)
        return (
            missed
            or relative_error(batch.gradient, exact_batch) > TOLERANCE
            or abs(batch.loss - loss - loss_of_other) > TOLERANCE * loss
            or any(relative_error(values, trace[name]) > TOLERANCE for name, values in forward.items())
            or any(relative_error(result.gradient, exact) > TOLERANCE for result in gradients)
            or any(abs(result.loss - loss) > TOLERANCE * loss for result in gradients)
        )

    assert not rejected()
    tried, survivors = 0, set()
    for description, mutant in mutants(_lfmn_kernels):
        monkeypatch.setattr(lfmn, "kernels", mutant)
        tried += 1
        if not rejected():
            survivors.add(description)
    assert tried > 80
    assert survivors == EQUAL
