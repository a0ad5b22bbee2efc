"""iRprop- against torch.optim.Rprop, momentum and gradient descent against SGD, clipping against clip_grad_norm_.

torch.optim.Rprop cites Riedmiller and Braun 1993, whose algorithm is Rprop+; what it runs is iRprop-. Where PyTorch
differs from the published rule the difference is measured here.
"""

import numpy as np
import pytest
from throughtime.arrays.parameters import Layout
from throughtime.learning.clipping import clip_by_block, clip_by_norm, clip_by_value, norm
from throughtime.learning.optimizers import GradientDescent, IRpropMinus, IRpropPlus, Momentum, RpropMinus, RpropPlus

STEPS, EVERY = 1000, 50


def quadratic(seed, size=6):
    """A random quadratic: curvature, lowest point, and what is added to the gradient at each step, nothing.

    Sums of products instead of matrix products, whose rounding depends on the processor.
    """
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    return (root[:, None] * root).sum(axis=-1), rng.normal(size=size), np.zeros((STEPS, size))


def noisy(seed, size=6):
    """Gradients that depend on no position, with zeros among them."""
    rng = np.random.default_rng(seed)
    gradients = [rng.normal(size=size) * rng.integers(0, 4, size) for _ in range(STEPS)]
    return np.zeros((size, size)), np.zeros(size), np.stack(gradients)


def follow(ours, start, curvature, lowest, noise, every):
    """Each ``every``-th of the parameters, from the last one back.

    The loss that iRprop+ is told rises at every step: if it fell at each change of sign, iRprop+ would be iRprop-.
    """
    theta, path = start, []
    for n, more in enumerate(noise):
        theta = ours.step(theta, (curvature * (theta - lowest)).sum(axis=1) + more, float(n))
        path.append(theta)
    return np.stack(path[::-1][::every])


def start_of(seed, size=6):
    return np.random.default_rng(100 + seed).normal(size=size)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("problem", [quadratic, noisy])
@pytest.mark.parametrize(("first", "bounds"), [(0.01, (1e-6, 50.0)), (0.5, (1e-3, 1.0))])
def test_irprop_minus_is_torch_rprop_step_for_step(seed, problem, first, bounds, kept):
    given = start_of(seed), *problem(seed)
    options = {"lr": first, "step_sizes": bounds}
    theirs = kept("rprop_torch.path", "Rprop", options, *given, EVERY, whole=True)
    state = kept("rprop_torch.rprop_state", options, *given, whole=True)
    ours = IRpropMinus(6, first, smallest=bounds[0], largest=bounds[1])
    assert np.array_equal(follow(ours, *given, EVERY), theirs["path"])
    assert np.array_equal(ours.steps, state["step_size"])
    assert np.array_equal(ours.before, state["prev"])


@pytest.mark.parametrize("variant", [RpropPlus, RpropMinus, IRpropPlus])
def test_no_other_variant_is_what_torch_runs(variant, kept):
    given = start_of(0), *noisy(0), EVERY
    theirs = kept("rprop_torch.path", "Rprop", {"lr": 0.01, "step_sizes": (1e-6, 50.0)}, *given, whole=True)
    assert np.abs(follow(variant(6, 0.01), *given) - theirs["path"]).max() > 0.01


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
    given = start_of(1), *quadratic(1), EVERY
    theirs = kept("rprop_torch.path", "SGD", {"lr": 0.01, "momentum": momentum}, *given, whole=True)
    ours = Momentum(6, 0.01, momentum) if momentum else GradientDescent(6, 0.01)
    assert np.abs(follow(ours, *given) - theirs["path"]).max() <= 1e-12


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_clip_grad_norm_adds_a_millionth_to_the_denominator(size, kept):
    g = np.random.default_rng(2).normal(size=9)
    g *= size / np.linalg.norm(g)
    ours = clip_by_norm(g, 0.5 * size)
    theirs = kept("rprop_torch.clipped", g, 0.5 * size, whole=True)["gradient"]
    assert norm(ours) == pytest.approx(0.5 * size, rel=1e-14)
    assert np.allclose(theirs, ours * size / (size + 1e-6), rtol=1e-12, atol=0.0)
    assert norm(theirs) < norm(ours)
    assert 1 - norm(theirs) / norm(ours) == pytest.approx(1e-6 / (size + 1e-6), rel=1e-4)


def test_clip_grad_norm_shortens_a_gradient_that_is_not_above_the_threshold(kept):
    g = np.array([0.6, 0.8])
    assert np.array_equal(clip_by_norm(g, 1.0), g)
    assert norm(kept("rprop_torch.clipped", g, 1.0)["gradient"]) == pytest.approx(1 - 1e-6, abs=1e-9)


def test_clip_grad_norm_makes_nan_of_an_infinite_gradient(kept):
    assert np.isnan(kept("rprop_torch.clipped", np.array([np.inf, 1.0]), 1.0)["gradient"]).any()
    with pytest.raises(ValueError, match="gradient: expected finite numbers, got inf"):
        clip_by_norm(np.array([np.inf, 1.0]), 1.0)


def test_clipping_by_block_and_by_value(kept):
    rng = np.random.default_rng(3)
    layout = Layout({"v": (3, 2), "w": (4,)})
    g = rng.normal(size=layout.size)
    theirs = kept("rprop_torch.clipped_by_block", list(layout.views(g).values()), 0.3, 0.1, whole=True)
    assert np.allclose(clip_by_block(g, layout, 0.3), theirs["by_norm"], rtol=1e-5)
    assert np.array_equal(clip_by_value(theirs["by_norm"], 0.1), theirs["by_value"])
