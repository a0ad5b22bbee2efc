"""Optimizers against the published tables, written out for one weight at a time, and mistakes planted in them."""

import inspect
import math
import sys
import types
from functools import partial

import numpy as np
import pytest
from throughtime.learning import optimizers
from throughtime.learning.optimizers import (
    Adam,
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
    ('"before": gradient.copy()', '"before": gradient.copy() if (turn >= 0).all() else self.before'),
    ("move, state = -np.sign(gradient) * steps", "move, state = np.sign(gradient) * steps"),
    ("move, state = -np.sign(gradient) * steps", "move, state = -gradient * steps"),
    ("self._after_change(turn < 0, move, state, loss)", "self._after_change(turn <= 0, move, state, loss)"),
    ("self._after_change(turn < 0, move, state, loss)", "pass"),
    ('        move[changed] = 0.0\n        state["before"][changed] = 0.0\n', "        move[changed] = 0.0\n"),
    (
        '        move[changed] = 0.0\n        state["before"][changed] = 0.0\n',
        '        state["before"][changed] = 0.0\n',
    ),
    ("move[changed] = -self.last_move[changed]", "move[changed] = self.last_move[changed]"),
    ("move[changed] = -self.last_move[changed]", "move[changed] = 0.0"),
    ('        state["before"][changed] = 0.0\n        state["last_move"]', '        state["last_move"]'),
    ('state["last_move"] = move.copy()', "pass"),
    ("if not loss > self.last_loss", "if not loss < self.last_loss"),
    ("if not loss > self.last_loss", "if False"),
    ("if not loss > self.last_loss", "if True"),
    ('state["last_loss"] = loss', 'state["last_loss"] = np.minimum(loss, self.last_loss)'),
]


def planted(right, wrong, monkeypatch):
    """The module of the optimizers with one slip in its source."""
    source = inspect.getsource(optimizers)
    assert source.count(right) == 1
    mutant = types.ModuleType("mutant")
    monkeypatch.setitem(sys.modules, "mutant", mutant)  # where dataclasses looks for the names of annotations
    exec(compile(source.replace(right, wrong), "<mutant>", "exec"), vars(mutant))
    return mutant


@pytest.mark.parametrize(("right", "wrong"), MISTAKES)
def test_a_planted_mistake_leaves_the_tables(right, wrong, monkeypatch):
    mutant = planted(right, wrong, monkeypatch)
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


# ---------------------------------------------------------------- Adam


def adam_by_the_book(gradients, rate, beta1, beta2, epsilon):
    """Algorithm 1 of Kingma and Ba 2015, line by line, for one weight that starts at 0."""
    theta, m, v = 0.0, 0.0, 0.0
    for t, g in enumerate(gradients, 1):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        m_hat = m / (1 - beta1**t)
        v_hat = v / (1 - beta2**t)
        theta = theta - rate * m_hat / (math.sqrt(v_hat) + epsilon)
        yield theta


@pytest.mark.parametrize("settings", [(0.001, 0.9, 0.999, 1e-8), (0.5, 0.0, 0.9, 1e-3), (0.1, 0.8, 0.0, 1.0)])
def test_adam_is_algorithm_1(settings):
    gradients = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 1e-6, 1e6]
    rate, beta1, beta2, epsilon = settings
    adam = Adam(3, rate, beta1=beta1, beta2=beta2, epsilon=epsilon)
    walked = np.array(list(positions(adam, gradients, np.zeros(50))))
    expected = np.array([list(adam_by_the_book(column, *settings)) for column in gradients.T]).T
    assert np.allclose(walked, expected, rtol=1e-13, atol=0.0)


def test_two_steps_of_adam_by_hand():
    """g = 5, 1 with both betas 1/2: m / (1 - 1/4) = 7/3 and sqrt(v / (1 - 1/4)) = 3 after the second step."""
    adam, theta = Adam(1, 1.0, beta1=0.5, beta2=0.5, epsilon=1.0), np.zeros(1)
    theta = adam.step(theta, np.array([5.0]))
    assert theta[0] == -5 / 6
    theta = adam.step(theta, np.array([1.0]))
    assert theta[0] == pytest.approx(-5 / 6 - 7 / 12, rel=1e-15)
    assert (adam.mean[0], adam.square[0], adam.taken) == (1.75, 6.75, 2.0)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("taken = self.taken + 1.0", "taken = np.array(1.0)"),
        ("mean / (1.0 - self.beta1**taken)", "mean"),
        ("square / (1.0 - self.beta2**taken)", "square"),
        ("(1.0 - self.beta1) * gradient", "gradient"),
        ("(np.sqrt(corrected_square) + self.epsilon)", "np.sqrt(corrected_square + self.epsilon)"),
    ],
)
def test_a_planted_mistake_is_not_adam(right, wrong, monkeypatch):
    gradients = np.random.default_rng(0).normal(size=20)
    adam = planted(right, wrong, monkeypatch).Adam(1, 0.1, epsilon=0.25)
    walked = np.ravel(list(positions(adam, gradients[:, None], np.zeros(20))))
    assert not np.allclose(walked, list(adam_by_the_book(gradients, 0.1, 0.9, 0.999, 0.25)), rtol=1e-9)


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
    lambda: Adam(4),
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


OVERFLOWS = [
    (lambda: GradientDescent(1, 1e300), "theta"),
    (lambda: Momentum(1, 1e300, 0.9), "velocity"),
    (lambda: Adam(1), "square"),
    *((lambda v=v: v(1, 1e308, grow=10.0, largest=np.inf), "steps") for v in PUBLISHED),
    (lambda: PrintedRprop(1, 1e308, grow=10.0), "steps"),
    (lambda: PrintedRprop(1, 1e308, grow=10.0, move_first=True), "steps"),
]


@pytest.mark.parametrize(("make", "name"), OVERFLOWS)
def test_a_step_out_of_float64_is_refused_and_can_be_repeated(make, name):
    """The state after the exception is that before the call, and the next step is that of an optimizer without it."""
    tried, other, theta = make(), make(), np.zeros(1)
    for optimizer in (tried, other):
        theta = optimizer.step(np.zeros(1), np.array([1e-200]), 1.0)
    before = tried.state()
    with pytest.raises(FloatingPointError, match=rf"{name}\[0\] overflows float64"):
        tried.step(theta, np.array([1e300]), 0.5)
    assert all(np.array_equal(values, before[key]) for key, values in tried.state().items())
    again = [optimizer.step(theta, np.array([-1e-200]), 0.5) for optimizer in (tried, other)]
    assert again[0] == again[1]


def test_the_stored_loss_is_not_the_array_of_the_caller():
    rprop, loss = IRpropPlus(1), np.array(1.0)
    rprop.step(np.zeros(1), np.ones(1), loss)
    loss[...] = 100.0
    assert rprop.last_loss == 1.0


@pytest.mark.parametrize(
    ("optimizer", "wrong"),
    [
        (RpropPlus(2), {"steps": np.full(2, -5.0)}),
        (RpropMinus(2), {"steps": np.array([0.1, 50.5])}),
        (IRpropMinus(2), {"steps": np.array([1e-7, 0.1])}),
        (PrintedRprop(2), {"steps": np.array([-1e-9, 0.1])}),
        (PrintedRprop(2), {"before": np.array([0.0, 2.0])}),
        (Adam(2), {"square": np.array([0.0, -1.0])}),
        (Adam(2), {"taken": np.array(-1.0)}),
    ],
)
def test_restoring_refuses_what_no_run_reaches(optimizer, wrong):
    before = optimizer.state()
    (name,) = wrong
    with pytest.raises(ValueError, match=rf"state\['{name}'\]: expected .* to .*, got"):
        optimizer.restore(before | wrong)
    assert all(np.array_equal(values, before[key]) for key, values in optimizer.state().items())


@pytest.mark.parametrize(
    ("optimizer", "text"),
    [
        (GradientDescent(3, 0.5), "GradientDescent(size=3, rate=0.5)"),
        (GradientDescent(2, [0.5, 0.25]), "GradientDescent(size=2, rate=array([0.5 , 0.25]))"),
        (Momentum(1, 0.5, 0.9), "Momentum(size=1, rate=0.5, momentum=0.9)"),
        (Adam(2), "Adam(size=2, rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08)"),
        *(
            (v(2, 0.2), f"{v.__name__}(size=2, first_step=0.2, grow=1.2, shrink=0.5, smallest=1e-06, largest=50.0)")
            for v in PUBLISHED
        ),
        (PrintedRprop(2), "PrintedRprop(size=2, first_step=0.001, grow=1.2, shrink=0.5, start=0.0, move_first=False)"),
    ],
)
def test_an_optimizer_is_printed_as_its_call(optimizer, text):
    assert repr(optimizer) == text
    array = np.array
    again = eval(text, {"array": array} | {type(optimizer).__name__: type(optimizer)})
    assert repr(again) == text


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
    *(
        (lambda make=make, loss=loss: make(2).step(np.zeros(2), np.zeros(2), loss), error, "loss: expected")
        for make in (partial(GradientDescent, rate=0.1), Adam, RpropMinus, RpropPlus, IRpropMinus, PrintedRprop)
        for loss, error in (("1", TypeError), (np.nan, ValueError), ([1.0], ValueError))
    ),
    (lambda: Adam(2, 0.0), ValueError, "rate: expected positive numbers"),
    (lambda: Adam(2, beta1=1.0), ValueError, r"beta1: expected a number in \[0, 1\)"),
    (lambda: Adam(2, beta2=-0.1), ValueError, r"beta2: expected a number in \[0, 1\)"),
    (lambda: Adam(2, epsilon=0.0), ValueError, r"epsilon: expected a number in \(0, inf\)"),
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
