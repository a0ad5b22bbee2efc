"""The chapter on clipping: its check, the cliff, and its two guarantees inside and outside their conditions."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from book.shared.figure_style import to_png
from book.training.clipping import checks, elman, figures
from book.training.clipping import experiment as cliff
from sympy import simplify, symbols
from throughtime.arrays.parameters import Layout
from throughtime.checks import complex_step
from throughtime.learning.clipping import clip_by_block, clip_by_norm, clip_by_value
from throughtime.learning.optimizers import Adam, Momentum

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "training" / "clipping.ipynb"
g, size, eta = checks.slope, checks.length, checks.threshold
RULE = checks.rule((eta * g / size, size > eta), (g, True))


def test_the_check_tells_rules_apart():
    assert checks.clips_by_norm(RULE)
    assert checks.is_the_librarys(RULE)
    wrong = {
        "always": checks.rule((eta * g / size, True)),
        "never": checks.rule((g, True)),
        "by the square": checks.rule((eta * g / size**2, size > eta), (g, True)),
        "not rescaled": checks.rule((eta * g, size > eta), (g, True)),
        "with a constant": checks.rule((eta * g / (size + 1e-6), size > eta), (g, True)),
    }
    for words, rule in wrong.items():
        assert not checks.clips_by_norm(rule), words
        assert not checks.same_rule(rule, RULE), words
    assert not checks.clips_by_norm(RULE.func(g, RULE.rhs, evaluate=False))  # a rule for the old gradient


@pytest.mark.parametrize("place", [(5.2, -2.5), (4.0, -2.0), (6.5, -1.2)])
def test_the_gradient_of_the_cliff(place):
    by_steps = complex_step(lambda p: cliff.error(*p), np.array(place))
    assert np.allclose(cliff.gradient(*place), by_steps, rtol=1e-11)


def test_lengths_of_the_gradient_on_both_sides_of_the_wall():
    w = np.linspace(3.5, 7.0, 70001)
    long = np.hypot(*cliff.gradient(w, -2.2))
    wall = w[long > 5]
    assert 0.01 < wall[-1] - wall[0] < 0.02
    assert 50 < long.max() < 51
    assert 0.25 < long[w < wall[0] - 0.02].min() < long[w < wall[0] - 0.02].max() < 0.8
    assert long[w > wall[-1] + 0.05].max() < 0.15


def test_two_descents():
    start = np.array([[5.5, -2.0]])
    plain = cliff.descend(start, 0.5, 200)
    clipped = cliff.descend(start, 0.5, 200, partial(clip_by_norm, threshold=0.3))
    assert plain.norms.max() == pytest.approx(740, abs=10)
    assert plain.errors[-1, 0] > 0.08
    assert np.abs(plain.places[-1]).max() > 100
    assert clipped.errors[-1, 0] < 0.01
    steps = np.linalg.norm(np.diff(clipped.places[:, 0], axis=0), axis=1)
    assert steps.max() <= 0.15 * (1 + 1e-12)
    assert 0.05 < (clipped.norms > 0.3).mean() < 0.15  # about one in ten; the count hangs on rounding
    assert clipped.errors[-50:].max() < 0.02


def test_most_descents_arrive_in_the_good_range_of_thresholds_and_some_hang_on_rounding():
    """The classes of the page's table are robust to perturbations of the starts in the thirteenth digit."""
    bounds = np.array([0.05, 0.15, 0.45, 0.85])
    crowds = {
        threshold: (figures.crowd(threshold), figures.crowd(threshold, 1e-13)) for threshold in figures.THRESHOLDS
    }
    for threshold, (one, other) in crowds.items():
        assert (one.lengths[:20] == other.lengths[:20]).mean() < 1
        assert np.allclose(one.lengths[:20], other.lengths[:20], rtol=1e-3)
        for here, there in zip(
            (one.arrived, one.thrown, one.lengths > threshold),
            (other.arrived, other.thrown, other.lengths > threshold),
            strict=True,
        ):
            shift = abs(here.mean() - there.mean())
            assert here.mean() == 0 == there.mean() or np.abs(bounds - here.mean()).min() > max(2 * shift, 0.01)
        if 0.1 <= threshold <= 1:
            assert one.arrived.mean() > 0.9
    one, other = crowds[np.inf]
    assert one.thrown.mean() > 0.15
    assert (one.arrived != other.arrived).any()


def test_a_crowd_is_many_descents_by_the_librarys_clipping():
    draw = np.random.default_rng(0)
    starts = np.column_stack([draw.uniform(4.5, 6.5, figures.STARTS), draw.uniform(-2.6, -1.6, figures.STARTS)])[:3]
    run = cliff.descend(starts, figures.RATE, 15, partial(clip_by_norm, threshold=0.1))
    assert np.allclose(figures.crowd(0.1).lengths[:15, :3], run.norms, rtol=1e-9)


def test_clipped_descent_keeps_its_bound_on_a_smooth_error():
    """For E(theta) = sum of log cosh, which is 1-smooth, at the largest rate of the guarantee."""
    draw = np.random.default_rng(1)
    theta, smooth, threshold = draw.normal(0, 5, 6), 1.0, 0.7
    for _ in range(60):
        slope = np.tanh(theta)
        new = theta - clip_by_norm(slope, threshold) / smooth
        fall = np.log(np.cosh(theta)).sum() - np.log(np.cosh(new)).sum()
        long = np.linalg.norm(slope)
        assert fall >= min(long**2, threshold * long) / (2 * smooth) - 1e-12
        theta = new


def test_directions():
    vector = np.ones(16)
    vector[0] = 1000.0
    layout = Layout({"first": (1,), "others": (15,)})
    for clip, turns in (
        (partial(clip_by_norm, threshold=1.0), False),
        (partial(clip_by_value, threshold=1.0), True),
        (partial(clip_by_block, layout=layout, threshold=1.0), True),
    ):
        found = clip(vector)
        cosine = found @ vector / np.linalg.norm(found) / np.linalg.norm(vector)
        assert cosine > 0
        assert cosine < 0.8 if turns else np.isclose(cosine, 1.0)


def test_clipping_examples_one_by_one_ends_elsewhere():
    targets = np.array([10.0] + [0.0] * 9)
    theta = 1.0
    for _ in range(5000):
        theta -= 0.05 * clip_by_value(theta - targets, 0.1).mean()
    assert np.isclose(theta, 1 / 90, rtol=1e-6)


def test_figures_are_drawn():
    start = np.array([[5.5, -2.0]])
    runs = [cliff.descend(start, 0.5, 60, clip) for clip in (lambda v: v, partial(clip_by_norm, threshold=0.3))]
    assert to_png(figures.descents(*runs)).startswith(b"\x89PNG")
    assert to_png(figures.outcomes()).startswith(b"\x89PNG")


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


def test_the_curvature_of_the_linear_unit_is_its_slope_times_the_page_s_factor():
    w, x_0, t = symbols("w x_0 t", positive=True)
    state = x_0 * w**t
    assert simplify(state.diff(w, 2) / state.diff(w) - (t - 1) / w) == 0


def test_clipping_holds_a_net_of_eight_units_and_rounding_does_not_tell():
    (errors, norms), (held, clipped) = elman.train(), elman.train(partial(clip_by_norm, threshold=0.5))
    assert norms[0] == clipped[0] > 15
    assert errors[-1] > 100 > 0.1 > held[-12:].max()
    assert np.allclose(elman.train(nudge=1e-12)[1], norms, rtol=1e-3)
