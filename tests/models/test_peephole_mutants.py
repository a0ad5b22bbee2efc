"""A mistake planted anywhere in the loops of the peephole LSTM is noticed by the checks of test_peephole."""

import numpy as np
from throughtime.gradcheck import relative_error
from throughtime.models import _peephole_kernels, peephole, peephole_online
from throughtime.models.activations import identity, tanh
from throughtime.models.peephole import METHODS, PeepholeLSTM

TOLERANCE = 1e-12
LENGTH = 4


def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch):
    models = [
        PeepholeLSTM(2, 2, 2, 2, bias=True, h=tanh),
        PeepholeLSTM(1, 3, 1, 2, sources="cells", direct=False, bias=["out"], g=identity),
    ]
    rng = np.random.default_rng(0)
    problems = []
    for model in models:
        theta, x = model.init(rng, 0.8), rng.normal(size=(LENGTH, model.n_in))
        mask = rng.integers(0, 2, (LENGTH, 2))
        mask[2], mask[-1] = 0, 1
        problems.append((model, theta, x, rng.normal(size=(LENGTH, 2)), mask))

    def quantities():
        """All that the loops compute, one after another; test_peephole proves them right without a mutation."""
        for model, theta, x, targets, mask in problems:
            yield from (values for _, values in model.forward(theta, x).items())
            for method in METHODS:
                result = model.gradient(theta, x, targets, mask, method=method)
                yield from (result.gradient, np.array(result.loss))
            for method in ("bptt", "truncated"):
                yield from model.error_signals(theta, x, targets, mask, method=method)

    right = list(quantities())

    def rejected():
        try:
            return any(relative_error(a, b) > TOLERANCE for a, b in zip(quantities(), right, strict=True))
        except (IndexError, ValueError, FloatingPointError):
            return True

    assert not rejected()
    tried, survivors = 0, []
    for description, mutant in mutants(_peephole_kernels):
        for module in (peephole, peephole_online):
            monkeypatch.setattr(module, "kernels", mutant)
        tried += 1
        if not rejected():
            survivors.append(description)
    assert tried > 100
    assert survivors == []
