"""The chapter on clipping: its check, momentum and Adam."""

import numpy as np
import pytest
from book.training.clipping import checks
from throughtime.learning.clipping import clip_by_norm
from throughtime.learning.optimizers import Adam, Momentum

g, size, eta = checks.slope, checks.length, checks.threshold
RULE = checks.rule((eta * g / size, size > eta), (g, True))


def test_the_check_tells_rules_apart():
    assert checks.clips_by_norm(RULE)
    assert checks.is_the_librarys(RULE)
    wrong = {
        "always": checks.rule((eta * g / size, True)),
        "never": checks.rule((g, True)),
        "with a constant": checks.rule((eta * g / (size + 1e-6), size > eta), (g, True)),
    }
    for words, rule in wrong.items():
        assert not checks.clips_by_norm(rule), words
        assert not checks.same_rule(rule, RULE), words
    assert not checks.clips_by_norm(RULE.func(g, RULE.rhs, evaluate=False))  # a rule for the old gradient


def test_the_listing_of_the_page_clips_by_norm(run_cell):
    names = run_cell("def clip(")
    for g in np.random.default_rng(0).normal(size=(20, 4)):
        assert np.allclose(names["clip"](g, 1.5), clip_by_norm(g, 1.5), rtol=1e-14)


def test_with_momentum_a_step_is_at_most_ten_times_the_clipped_one():
    rate, threshold, v = 0.1, 0.3, np.zeros(2)
    optimizer, longest = Momentum(2, rate, 0.9), 0.0
    for _ in range(300):
        new = optimizer.step(v, clip_by_norm(np.array([3.0, -4.0]), threshold))
        longest, v = max(longest, np.linalg.norm(new - v)), new
    assert longest <= 10 * rate * threshold * (1 + 1e-12)
    assert longest == pytest.approx(10 * rate * threshold, rel=1e-9)


def test_in_adam_a_factor_that_all_gradients_share_cancels_and_clipping_keeps_one_long_gradient_out():
    gradients = np.random.default_rng(0).normal(size=(50, 3))
    paths = []
    for factor in (1.0, 1e-3):
        optimizer, v = Adam(3, 0.01, epsilon=1e-12), np.zeros(3)
        for g in gradients:
            v = optimizer.step(v, factor * g)
        paths.append(v)
    assert np.allclose(*paths, rtol=1e-6)
    lengths = []
    for threshold in (1e9, 10.0):
        optimizer, v = Adam(3, 0.01), np.zeros(3)
        for n, g in enumerate(gradients):
            moved = optimizer.step(v, clip_by_norm(1e4 * g if n == 25 else g, threshold))
            lengths, v = [*lengths, np.linalg.norm(moved - v)], moved
    assert np.median(lengths[40:50]) < 0.5 * np.median(lengths[90:])
