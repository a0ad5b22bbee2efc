"""A mistake planted anywhere in the loops of the LFMN is noticed by the checks of test_lfmn."""

import numpy as np
from throughtime.gradcheck import complex_step, relative_error
from throughtime.models import _lfmn_kernels, lfmn
from throughtime.models.lfmn import LFMN, METHODS

TOLERANCE = 1e-12

# Time t is in row t % 2: an even change of t is none.
EQUAL = {
    "time + n -> time - n",
    "time + n + 1 -> time + n - 1",
}


def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch):
    model = LFMN(2, (2, 2, 3), (3, 2, 2))
    rng = np.random.default_rng(0)
    theta, x, targets = model.init(rng, 1.5), rng.normal(size=(5, 2)), rng.normal(size=(5, 7))
    mask = [1, 0, 1, 1, 1]
    trace = dict(model.forward(theta, x).items())
    exact = complex_step(lambda z: model.loss(z, x, targets, mask), theta)

    def rejected():
        try:
            forward = model.forward(theta, x)
            gradients = [model.gradient(theta, x, targets, mask, method=method) for method in METHODS]
        except (IndexError, FloatingPointError):
            return True
        loss = model.loss(theta, x, targets, mask)
        return (
            any(relative_error(values, trace[name]) > TOLERANCE for name, values in forward.items())
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
    assert tried > 100
    assert survivors == EQUAL
