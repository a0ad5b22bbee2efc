"""Optimizers against the published tables, written out for one weight at a time, and mistakes planted in them."""

import doctest
import inspect
import types
from functools import partial

import numpy as np
import pytest
from throughtime import optimizers
from throughtime.optimizers import (
    GradientDescent,
    IRpropMinus,
    IRpropPlus,
    Momentum,
    PrintedRprop,
    RpropMinus,
    RpropPlus,
)  # fmt: skip

PUBLISHED = [RpropPlus, RpropMinus, IRpropPlus, IRpropMinus]
SETTINGS = {"grow": 1.2, "shrink": 0.5, "smallest": 0.01, "largest": 0.2}

# ---------------------------------------------------------------- the tables, one weight


def sign(number):
    return float(number > 0) - float(number < 0)


def by_the_table(variant, gradients, losses, step=0.1, grow=1.2, shrink=0.5, smallest=0.01, largest=0.2):
    """The positions of one weight from 0 on, branch by branch as the papers print them."""
    position, before, move, last_loss = 0.0, 0.0, 0.0, np.inf
    for g, loss in zip(gradients, losses, strict=True):
        product = sign(g) * sign(before)
        if product > 0:
            step = min(step * grow, largest)
        elif product < 0:
            step = max(step * shrink, smallest)
        if product >= 0 or variant == "RpropMinus":
            move = -sign(g) * step
            position += move
            before = g
        elif variant == "RpropPlus":
            position -= move
            before = 0.0
        elif variant == "IRpropPlus":
            position -= move if loss > last_loss else 0.0
            before = 0.0
        elif variant == "IRpropMinus":
            before = 0.0
        last_loss = loss
        yield position


def told(seed, length=60, size=4):
    """Gradients and losses told in advance, with runs of one sign, changes, and zeros in all places."""
    rng = np.random.default_rng(seed)
    gradients = rng.choice([-2.0, -1e-200, 0.0, 0.5, 3.0], (length, size), p=[0.2, 0.1, 0.15, 0.15, 0.4])
    return gradients, rng.normal(size=length)


def positions(optimizer, gradients, losses):
    theta = np.zeros(gradients.shape[1])
    for g, loss in zip(gradients, losses, strict=True):
        theta = optimizer.step(theta, g, loss)
        yield theta


def follows_the_table(module, name, seeds=range(3)):
    for seed in seeds:
        gradients, losses = told(seed)
        walked = np.array(list(positions(getattr(module, name)(4, 0.1, **SETTINGS), gradients, losses)))
        expected = np.array([list(by_the_table(name, column, losses)) for column in gradients.T]).T
        if not np.allclose(walked, expected, rtol=1e-12, atol=1e-12):
            return False
    return True


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_variants_follow_their_tables(variant):
    assert follows_the_table(optimizers, variant.__name__, range(20))


def test_the_variants_differ():
    gradients, losses = told(0)
    ends = {list(positions(v(4, 0.1, **SETTINGS), gradients, losses))[-1].tobytes() for v in PUBLISHED}
    assert len(ends) == 4


MISTAKES = [
    ("np.where(turn > 0, self.grow", "np.where(turn >= 0, self.grow"),
    ("np.where(turn > 0, self.grow", "np.where(turn > 0, 1.0"),
    ("np.where(turn < 0, self.shrink, 1.0)", "self.shrink"),
    ("np.where(turn < 0, self.shrink, 1.0)", "1.0"),
    ("np.sign(gradient) * np.sign(self.before)", "np.sign(gradient * self.before)"),
    ("np.clip(self.steps * factor, self.smallest, self.largest)", "self.steps * factor"),
    ("np.clip(self.steps * factor, self.smallest, self.largest)", "np.maximum(self.steps * factor, self.smallest)"),
    ("np.clip(self.steps * factor, self.smallest, self.largest)", "np.minimum(self.steps * factor, self.largest)"),
    ("self.before = gradient.copy()", "self.before = gradient.copy() if (turn >= 0).all() else self.before"),
    ("move = -np.sign(gradient) * self.steps", "move = np.sign(gradient) * self.steps"),
    ("move = -np.sign(gradient) * self.steps", "move = -gradient * self.steps"),
    ("self._after_change(turn < 0, move)", "self._after_change(turn <= 0, move)"),
    ("self._after_change(turn < 0, move)", "pass"),
    ("        move[changed] = 0.0\n        self.before[changed] = 0.0\n", "        move[changed] = 0.0\n"),
    ("        move[changed] = 0.0\n        self.before[changed] = 0.0\n", "        self.before[changed] = 0.0\n"),
    ("move[changed] = -self.last_move[changed]", "move[changed] = self.last_move[changed]"),
    ("move[changed] = -self.last_move[changed]", "move[changed] = 0.0"),
    ("        self.before[changed] = 0.0\n        self.last_move", "        self.last_move"),
    ("self.last_move = move.copy()", "pass"),
    ("loss > self.last_loss", "loss < self.last_loss"),
    ("self._risen = bool(loss > self.last_loss)", "self._risen = True"),
    ("self._risen = bool(loss > self.last_loss)", "self._risen = False"),
    ("self.last_loss = loss\n", "self.last_loss = np.minimum(loss, self.last_loss)\n"),
]


@pytest.mark.parametrize(("right", "wrong"), MISTAKES)
def test_a_planted_mistake_leaves_the_tables(right, wrong):
    source = inspect.getsource(optimizers)
    assert source.count(right) == 1
    mutant = types.ModuleType("mutant")
    mutant.__package__ = "throughtime"
    exec(compile(source.replace(right, wrong), "<mutant>", "exec"), vars(mutant))
    assert not all(follows_the_table(mutant, variant.__name__) for variant in PUBLISHED)


# ---------------------------------------------------------------- what each variant is for


def test_a_vanishing_gradient_is_followed_at_the_same_pace():
    """The product of two such derivatives is zero in float64; their signs are not."""
    rprop = IRpropMinus(1, 0.1)
    assert 1e-200 * 1e-200 == 0.0
    for _ in range(2):
        rprop.step(np.zeros(1), np.array([1e-200]))
    assert rprop.steps[0] == pytest.approx(0.12)


@pytest.mark.parametrize("variant", PUBLISHED)
def test_a_quadratic_is_minimised(variant):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3))
    curvature, lowest = root @ root.T + np.eye(3), np.array([1.0, -2.0, 0.5])
    rprop, theta = variant(3, smallest=1e-12), np.zeros(3)
    for _ in range(600):
        away = theta - lowest
        theta = rprop.step(theta, curvature @ away, 0.5 * away @ curvature @ away)
    assert np.abs(theta - lowest).max() < 1e-6


def test_gradient_descent_takes_a_rate_for_each_weight():
    theta, g = np.array([1.0, 2.0]), np.array([4.0, -8.0])
    assert GradientDescent(2, 0.5).step(theta, g).tolist() == [-1.0, 6.0]
    assert GradientDescent(2, [0.25, 0.5]).step(theta, g).tolist() == [0.0, 6.0]


def test_momentum_sums_past_gradients_with_falling_weights():
    momentum, theta = Momentum(1, 0.1, 0.5), np.zeros(1)
    for g in (1.0, 2.0, 4.0):
        theta = momentum.step(theta, np.array([g]))
    assert momentum.velocity[0] == pytest.approx(-0.1 * (4 + 0.5 * 2 + 0.25 * 1))
    assert theta[0] == pytest.approx(-0.1 * (1 + (2 + 0.5) + (4 + 1 + 0.25)))


# ---------------------------------------------------------------- the printed rule


def walk(optimizer, *gradients):
    return list(np.diff([0.0, *(float(p[0]) for p in positions(optimizer, np.array(gradients)[:, None], gradients))]))


def test_printed_rule_in_its_two_cases():
    assert walk(PrintedRprop(1, 1.0, start=1), 1.0, 2.0, -3.0) == pytest.approx([-1.2, -1.44, 0.72])
    assert walk(PrintedRprop(1, 1.0, start=1, move_first=True), 1.0, 2.0, -3.0) == pytest.approx([-1.0, -1.2, 1.44])


def test_printed_rule_leaves_the_first_step_open():
    assert [walk(PrintedRprop(1, 1.0, start=s), 1.0)[0] for s in (1, 0, -1)] == [-1.2, -0.5, -0.5]
    assert walk(RpropMinus(1, 1.0), 1.0) == [-1.0]


def test_printed_rule_grows_without_any_knowledge_where_rprop_waits():
    printed, rprop = PrintedRprop(1, 0.001), RpropMinus(1, 0.001)
    gradients = [0.0] * 50 + [1.0]
    assert walk(printed, *gradients)[-1] == pytest.approx(-0.001 * 1.2**50 * 0.5)
    assert walk(rprop, *gradients)[-1] == -0.001
    with pytest.raises(FloatingPointError, match=r"steps\[0\] overflows"):
        walk(PrintedRprop(1, 0.001), *[0.0] * 4000)


def test_printed_rule_is_rprop_minus_without_bounds_where_no_derivative_is_zero():
    rng = np.random.default_rng(5)
    gradients = rng.choice([-1.0, 1.0, 1.0], (40, 3))
    printed = PrintedRprop(3, 0.1, start=1)
    printed.before = -np.sign(gradients[0]) * 2  # neither sign: a first step that neither grows nor shrinks
    printed.steps = printed.steps / 0.5
    bare = RpropMinus(3, 0.1, smallest=0.0, largest=np.inf)
    losses = np.zeros(40)
    assert np.allclose(list(positions(printed, gradients, losses)), list(positions(bare, gradients, losses)))


# ---------------------------------------------------------------- state and refusals

ALL = [
    lambda: GradientDescent(4, 0.1),
    lambda: Momentum(4, 0.1, 0.9),
    lambda: PrintedRprop(4),
    *(lambda v=v: v(4, **SETTINGS) for v in PUBLISHED),
]
every = pytest.mark.parametrize("make", ALL, ids=[type(make()).__name__ for make in ALL])


@every
@pytest.mark.parametrize("pause", [0, 1, 17])
def test_a_restored_state_goes_on_as_if_nothing_had_happened(make, pause, tmp_path):
    gradients, losses = told(3, 40)
    whole = list(positions(make(), gradients, losses))
    first, second, theta = make(), make(), np.zeros(4)
    for g, loss in zip(gradients[:pause], losses[:pause], strict=True):
        theta = first.step(theta, g, loss)
    np.savez(tmp_path / "state.npz", **first.state())
    with np.load(tmp_path / "state.npz") as stored:
        second.restore(stored)
    for n, (g, loss) in enumerate(zip(gradients[pause:], losses[pause:], strict=True), pause):
        theta = second.step(theta, g, loss)
        assert np.array_equal(theta, whole[n])


@every
def test_state_is_a_copy_both_ways_and_arguments_are_not_written_to(make):
    gradients, losses = told(4, 6)
    optimizer = make()
    list(positions(optimizer, gradients, losses))
    taken = optimizer.state()
    for values in taken.values():
        values[...] = 7.0
    assert not any((getattr(optimizer, name) == 7.0).any() for name in taken)
    theta, g = np.ones(4), np.full(4, 0.5)
    theta.setflags(write=False)
    g.setflags(write=False)
    moved = optimizer.step(theta, g, 0.0)
    assert not np.shares_memory(moved, theta)
    assert (theta == 1.0).all()


def test_restoring_refuses_what_does_not_fit_and_changes_nothing():
    rprop = RpropPlus(4)
    state = rprop.state()
    with pytest.raises(ValueError, match=r"state: expected a mapping with the names \['steps', 'before', 'l.*, got"):
        rprop.restore({"steps": np.ones(4)})
    with pytest.raises(ValueError, match=r"state\['last_move'\]: expected shape \(4,\), got \(3,\)"):
        rprop.restore(state | {"steps": np.ones(4), "last_move": np.ones(3)})
    for wrong in (np.array([1.0, np.nan, 1.0, 1.0]), "1234", np.ones(4, bool), np.ones((4, 1)), 1.0):
        with pytest.raises((TypeError, ValueError), match=r"state\['steps'\]: expected"):
            rprop.restore(state | {"steps": wrong})
    for wrong in (None, 3, ["steps", "before", "last_move"]):
        with pytest.raises(ValueError, match="state: expected a mapping"):
            rprop.restore(wrong)
    assert all(np.array_equal(values, state[name]) for name, values in rprop.state().items())


@pytest.mark.parametrize("make", [partial(GradientDescent, 1, 1e300), partial(Momentum, 1, 1e300, 0.9)])
def test_a_step_out_of_float64_is_an_error(make):
    with pytest.raises(FloatingPointError, match=r"theta\[0\] overflows float64"):
        make().step(np.zeros(1), np.array([1e300]))


REFUSED = [
    (lambda: RpropMinus(0), ValueError, "size: expected at least 1, got 0"),
    (lambda: RpropMinus(2, 60.0), ValueError, "first_step: expected 1e-06 to 50.0, got 60.0"),
    (lambda: RpropMinus(2, [0.1, -0.1]), ValueError, "first_step: expected positive numbers"),
    (lambda: RpropMinus(2, [0.1]), ValueError, r"first_step: expected shape \(2,\)"),
    (lambda: RpropMinus(2, grow=1.0), ValueError, r"grow: expected a number in \(1, inf\)"),
    (lambda: RpropMinus(2, shrink=1.0), ValueError, r"shrink: expected a number in \(0, 1\)"),
    (
        lambda: RpropMinus(2, smallest=1.0, largest=0.5),
        ValueError,
        r"largest: expected .* in \[1.0, inf\], got 0.5",
    ),
    (lambda: GradientDescent(2, 0.0), ValueError, "rate: expected positive numbers"),
    (lambda: Momentum(2, 0.1, 1.0), ValueError, r"momentum: expected a number in \[0, 1\)"),
    (lambda: Momentum(2, 0.1, "0.9"), TypeError, "momentum: expected a number"),
    (lambda: Momentum(2, 0.1, np.array([0.5, 0.9])), TypeError, "momentum: expected a number"),
    (lambda: GradientDescent(True, 0.1), TypeError, "size: expected an integer"),
    (lambda: GradientDescent(2, True), TypeError, "rate: expected real numbers, got dtype bool"),
    (lambda: GradientDescent(2, [[0.1, 0.1]]), ValueError, r"rate: expected shape \(2,\)"),
    (lambda: RpropMinus(2, grow="1.2"), TypeError, "grow: expected a number"),
    (lambda: RpropMinus(2, smallest=-1.0), ValueError, "smallest: expected a number"),
    (lambda: RpropMinus(2, largest=np.nan), ValueError, "largest: expected a number"),
    (lambda: PrintedRprop(2, grow=0.5), ValueError, "grow: expected a number"),
    (lambda: PrintedRprop(2, shrink=1.5), ValueError, "shrink: expected a number"),
    (lambda: PrintedRprop(2, start=np.nan), ValueError, "start: expected a number"),
    (lambda: PrintedRprop(2, move_first=1), TypeError, "move_first: expected True or False"),
    (lambda: RpropMinus(2).step(np.zeros(2), np.ones(2, int)), TypeError, "gradient: .* got dtype int64"),
    (lambda: RpropMinus(2).step(np.zeros((2, 1)), np.ones(2)), ValueError, r"theta: expected shape \(2,\)"),
    (lambda: IRpropPlus(2).step(np.zeros(2), np.zeros(2), np.ones(2)), ValueError, r"loss: expected shape \(\)"),
    (lambda: IRpropPlus(2).step(np.zeros(2), np.zeros(2), True), TypeError, "loss: expected real numbers"),
    (lambda: RpropMinus(2).step(np.zeros(3), np.zeros(2)), ValueError, r"theta: expected shape \(2,\)"),
    (lambda: RpropMinus(2).step(np.zeros(2), np.array([1.0, np.nan])), ValueError, "gradient: .* got nan at index"),
    (lambda: RpropMinus(2).step(np.zeros(2), [1.0, 2.0]), TypeError, "gradient: expected a NumPy vector"),
    (lambda: IRpropPlus(2).step(np.zeros(2), np.zeros(2)), TypeError, "loss: iRprop\\+ decides by the loss"),
    (lambda: IRpropPlus(2).step(np.zeros(2), np.zeros(2), np.nan), ValueError, "loss: expected finite numbers"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_refused_gradient_leaves_the_state_alone():
    rprop = IRpropPlus(1)
    rprop.step(np.zeros(1), np.ones(1), 1.0)
    before = rprop.state()
    for g, loss in [(np.array([np.inf]), 1.0), (np.ones(1), np.inf)]:
        with pytest.raises(ValueError, match="finite"):
            rprop.step(np.zeros(1), g, loss)
    assert all(np.array_equal(before[name], values) for name, values in rprop.state().items())


def test_the_examples_in_docstrings_run():
    failed, tried = doctest.testmod(optimizers)
    assert tried >= 2
    assert not failed
