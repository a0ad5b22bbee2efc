"""iRprop- against torch.optim.Rprop, momentum and gradient descent against SGD, clipping against clip_grad_norm_.

torch.optim.Rprop cites Riedmiller and Braun 1993, whose algorithm is Rprop+; what it runs is iRprop-. Where PyTorch
differs from the published rule the difference is measured here.
"""

import numpy as np
import pytest
import torch
from throughtime.learning.clipping import clip_by_block, clip_by_norm, clip_by_value, norm
from throughtime.learning.optimizers import GradientDescent, IRpropMinus, IRpropPlus, Momentum, RpropMinus, RpropPlus
from throughtime.models.parameters import Layout

STEPS = 1000


def quadratic(seed, size=6):
    """The gradient of a random quadratic, the same floating-point operations on both sides."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    curvature, lowest = root @ root.T, rng.normal(size=size)
    return lambda theta: curvature @ (theta - lowest)


def noisy(seed, size=6):
    """Gradients that depend on no position, with zeros among them."""
    rng = np.random.default_rng(seed)
    return lambda theta: rng.normal(size=size) * rng.integers(0, 4, size)


def follow(ours, theirs, leaf, gradient, steps=STEPS):
    """The largest difference of the parameters over all steps; both sides see the gradient at our parameters.

    The loss that iRprop+ is told rises at every step: if it fell at each change of sign, iRprop+ would be iRprop-.
    """
    theta, worst = leaf.detach().numpy().copy(), 0.0
    for n in range(steps):
        g = gradient(theta)
        leaf.grad = torch.tensor(g)
        theirs.step()
        theta = ours.step(theta, g, float(n))
        worst = max(worst, np.abs(theta - leaf.detach().numpy()).max())
    return worst


def leaf_of(seed, size=6):
    return torch.tensor(np.random.default_rng(100 + seed).normal(size=size), requires_grad=True)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("problem", [quadratic, noisy])
@pytest.mark.parametrize(("first", "bounds"), [(0.01, (1e-6, 50.0)), (0.5, (1e-3, 1.0))])
def test_irprop_minus_is_torch_rprop_step_for_step(seed, problem, first, bounds):
    leaf = leaf_of(seed)
    theirs = torch.optim.Rprop([leaf], lr=first, step_sizes=bounds)
    ours = IRpropMinus(6, first, smallest=bounds[0], largest=bounds[1])
    assert follow(ours, theirs, leaf, problem(seed)) == 0.0
    stored = theirs.state[leaf]
    assert np.array_equal(stored["step_size"].numpy(), ours.steps)
    assert np.array_equal(stored["prev"].numpy(), ours.before)


@pytest.mark.parametrize("variant", [RpropPlus, RpropMinus, IRpropPlus])
def test_no_other_variant_is_what_torch_runs(variant):
    leaf = leaf_of(0)
    theirs = torch.optim.Rprop([leaf], lr=0.01)
    assert follow(variant(6, 0.01), theirs, leaf, noisy(0), steps=50) > 0.01


@pytest.mark.parametrize(("dtype", "tiny"), [(torch.float32, 1e-24), (torch.float64, 1e-170)])
def test_torch_loses_the_sign_of_a_vanishing_gradient(dtype, tiny):
    """It multiplies derivatives, and the product underflows to zero: the step size never grows."""
    leaf = torch.zeros(1, dtype=dtype, requires_grad=True)
    theirs, ours = torch.optim.Rprop([leaf], lr=0.01), IRpropMinus(1, 0.01)
    for _ in range(10):
        leaf.grad = torch.full((1,), tiny, dtype=dtype)
        theirs.step()
        ours.step(np.zeros(1), np.full(1, tiny))
    assert leaf.item() == pytest.approx(-0.1, rel=1e-6)
    assert theirs.state[leaf]["step_size"].item() == pytest.approx(0.01)
    assert ours.steps[0] == pytest.approx(0.01 * 1.2**9)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_gradient_descent_and_momentum_are_those_of_sgd(momentum):
    """PyTorch multiplies by the rate after summing, which with one constant rate is the same but for rounding."""
    leaf = leaf_of(1)
    theirs = torch.optim.SGD([leaf], lr=0.01, momentum=momentum)
    ours = Momentum(6, 0.01, momentum) if momentum else GradientDescent(6, 0.01)
    assert follow(ours, theirs, leaf, quadratic(1)) <= 1e-12


def clipped_by_torch(g, threshold):
    leaf = torch.zeros(len(g), dtype=torch.float64, requires_grad=True)
    leaf.grad = torch.tensor(g)
    torch.nn.utils.clip_grad_norm_([leaf], threshold)
    return leaf.grad.numpy()


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_clip_grad_norm_adds_a_millionth_to_the_denominator(size):
    g = np.random.default_rng(2).normal(size=9)
    g *= size / np.linalg.norm(g)
    ours, theirs = clip_by_norm(g, 0.5 * size), clipped_by_torch(g, 0.5 * size)
    assert norm(ours) == pytest.approx(0.5 * size, rel=1e-14)
    assert np.allclose(theirs, ours * size / (size + 1e-6), rtol=1e-12, atol=0.0)
    assert norm(theirs) < norm(ours)
    assert 1 - norm(theirs) / norm(ours) == pytest.approx(1e-6 / (size + 1e-6), rel=1e-4)


def test_clip_grad_norm_shortens_a_gradient_that_is_not_above_the_threshold():
    g = np.array([0.6, 0.8])
    assert np.array_equal(clip_by_norm(g, 1.0), g)
    assert norm(clipped_by_torch(g, 1.0)) == pytest.approx(1 - 1e-6, abs=1e-9)


def test_clip_grad_norm_makes_nan_of_an_infinite_gradient():
    assert np.isnan(clipped_by_torch(np.array([np.inf, 1.0]), 1.0)).any()
    with pytest.raises(ValueError, match="gradient: expected finite numbers, got inf"):
        clip_by_norm(np.array([np.inf, 1.0]), 1.0)


def test_clipping_by_block_and_by_value():
    rng = np.random.default_rng(3)
    layout = Layout({"v": (3, 2), "w": (4,)})
    g = rng.normal(size=layout.size)
    leaves = [torch.zeros(shape, dtype=torch.float64, requires_grad=True) for shape in layout.shapes.values()]
    for leaf, block in zip(leaves, layout.views(g).values(), strict=True):
        leaf.grad = torch.tensor(block)
        torch.nn.utils.clip_grad_norm_([leaf], 0.3)
    theirs = np.concatenate([leaf.grad.numpy().ravel() for leaf in leaves])
    assert np.allclose(clip_by_block(g, layout, 0.3), theirs, rtol=1e-5)
    torch.nn.utils.clip_grad_value_(leaves, 0.1)
    assert np.array_equal(clip_by_value(theirs, 0.1), np.concatenate([leaf.grad.numpy().ravel() for leaf in leaves]))
