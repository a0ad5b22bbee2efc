"""iRprop- against torch.optim.Rprop, momentum and gradient descent against SGD, clipping against clip_grad_norm_.

torch.optim.Rprop cites Riedmiller and Braun 1993, whose algorithm is Rprop+; what it runs is iRprop-. Where PyTorch
differs from the published rule the difference is measured here.
"""

import numpy as np
import pytest
from throughtime.learning.clipping import clip_by_norm, norm
from throughtime.learning.optimizers import GradientDescent, IRpropMinus, Momentum

STEPS, EVERY = 1000, 50


def quadratic(seed):
    """A start on a random quadratic: its curvature, its lowest point, and what is added to the gradient, nothing.

    Sums of products instead of matrix products, whose rounding depends on the processor.
    """
    rng = np.random.default_rng(seed)
    start, lowest, root = rng.normal(size=6), rng.normal(size=6), rng.normal(size=(6, 6))
    return start, (root[:, None] * root).sum(axis=-1), lowest, np.zeros((STEPS, 6))


def noisy(seed):
    """Gradients that depend on no position, with zeros among them."""
    rng = np.random.default_rng(seed)
    gradients = [rng.normal(size=6) * rng.integers(0, 4, 6) for _ in range(STEPS)]
    return rng.normal(size=6), np.zeros((6, 6)), np.zeros(6), np.stack(gradients)


def follow(ours, start, curvature, lowest, noise, every):
    """Each ``every``-th of the parameters, from the last one back."""
    theta, path = start, []
    for more in noise:
        theta = ours.step(theta, (curvature * (theta - lowest)).sum(axis=1) + more)
        path.append(theta)
    return np.stack(path[::-1][::every])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("problem", [quadratic, noisy])
@pytest.mark.parametrize(("first", "bounds"), [(0.01, (1e-6, 50.0)), (0.5, (1e-3, 1.0))])
def test_irprop_minus_is_torch_rprop_step_for_step(seed, problem, first, bounds, kept):
    given, options = problem(seed), {"lr": first, "step_sizes": bounds}
    theirs = kept("rprop_torch.path", "Rprop", options, *given, EVERY)
    ours = IRpropMinus(6, first, smallest=bounds[0], largest=bounds[1])
    assert np.array_equal(follow(ours, *given, EVERY), theirs["path"])
    assert np.array_equal(ours.steps, theirs["step_size"])
    assert np.array_equal(ours.before, theirs["prev"])


@pytest.mark.parametrize(("dtype", "tiny"), [("float32", 1e-24), ("float64", 1e-170)])
def test_torch_loses_the_sign_of_a_vanishing_gradient(dtype, tiny, kept):
    """It multiplies derivatives, and the product underflows to zero: the step size never grows."""
    theirs, ours = kept("rprop_torch.vanishing", dtype, tiny, 10), IRpropMinus(1, 0.01)
    for _ in range(10):
        ours.step(np.zeros(1), np.full(1, tiny))
    assert theirs["parameter"] == pytest.approx(-0.1, rel=1e-6)
    assert theirs["step_size"] == pytest.approx(0.01)
    assert ours.steps[0] == pytest.approx(0.01 * 1.2**9)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_gradient_descent_and_momentum_are_those_of_sgd(momentum, kept):
    """PyTorch multiplies by the rate after summing, which with one constant rate is the same but for rounding."""
    given = *quadratic(1), EVERY
    theirs = kept("rprop_torch.path", "SGD", {"lr": 0.01, "momentum": momentum}, *given)
    ours = Momentum(6, 0.01, momentum) if momentum else GradientDescent(6, 0.01)
    assert np.abs(follow(ours, *given) - theirs["path"]).max() <= 1e-12


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_clip_grad_norm_adds_a_millionth_to_the_denominator(size, share, kept):
    """And so shortens a gradient that is at the threshold, and not above it."""
    g = np.random.default_rng(2).normal(size=9)
    g *= size / norm(g)
    ours, theirs = clip_by_norm(g, share * size), kept("rprop_torch.clipped", g, share * size)["gradient"]
    assert norm(ours) == pytest.approx(share * size, rel=1e-14)
    assert np.allclose(theirs, ours * size / (size + 1e-6), rtol=1e-12, atol=0.0)
    assert 1 - norm(theirs) / norm(ours) == pytest.approx(1e-6 / (size + 1e-6), rel=1e-4)
