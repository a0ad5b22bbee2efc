"""Nets that learn on line: beside weights moved by hand, alone and side by side, sequence after sequence."""

import ast
from functools import cache

import cells
import compiled
import numpy as np
import pytest
import throughtime as tt
from throughtime.programs import CompiledNetwork, fast, learner
from throughtime.programs.learner import Learner
from throughtime.programs.moving import LANES
from throughtime.systems import lstm_family as fam

T = 12
peephole = cache(compiled.peephole)


@cache
def gru() -> CompiledNetwork:
    return tt.compile(cells.gru_before(), cells.loss, {cells.n: 2, cells.m: 1}, activations={"f": "tanh"})


@pytest.fixture(params=[learner.SMALL, 0], ids=["written out", "in loops"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both texts of a learner: that of a small net, and that of a larger one."""
    monkeypatch.setattr(learner, "SMALL", request.param)


def problem(net: CompiledNetwork, nets: int = 3, steps: int = T) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    shapes = (nets, net.layout.size), (nets, steps, net.n_in), (nets, steps, net.n_out)
    return tuple(random.uniform(-0.7, 0.7, shape) for shape in shapes)


def by_hand(net, theta, x, targets, method, rate, momentum) -> tuple[np.ndarray, float]:
    """Weights moved between the steps of an online object."""
    online, change, before = net.online(theta, method), np.zeros_like(theta), np.zeros_like(theta)
    for x_now, target in zip(x, targets, strict=True):
        online.step(x_now, target)
        change = momentum * change - rate * (online.gradient - before)
        before = online.gradient.copy()
        online.theta = theta = theta + change
    return theta, online.loss


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize(("net", "method"), [(peephole, "truncated"), (peephole, "rtrl"), (gru, "rtrl")])
def test_a_net_that_moves_at_every_step(net, method: str, momentum: float) -> None:
    net = net()
    thetas, x, targets = problem(net)
    expected = [by_hand(net, *given, method, 0.3, momentum) for given in zip(thetas, x, targets, strict=True)]
    many = net.learner(thetas, method, rate=0.3, momentum=momentum)
    ran = many.run(x, targets)
    np.testing.assert_allclose(many.theta, [theta for theta, _ in expected], rtol=0, atol=1e-12)
    np.testing.assert_allclose(ran.loss, [loss for _, loss in expected], rtol=1e-12)
    alone = net.learner(thetas[1], method, rate=0.3, momentum=momentum)
    assert alone.run(x[1], targets[1]).loss == pytest.approx(expected[1][1], rel=1e-12)
    np.testing.assert_allclose(alone.theta, expected[1][0], rtol=0, atol=1e-12)


@pytest.mark.usefixtures("form")
def test_a_net_is_the_same_in_any_company_bit_for_bit() -> None:
    net = peephole()
    thetas, x, targets = problem(net, LANES + 2)
    options = {"rate": 0.3, "momentum": 0.5, "watch": fam.y}
    many = net.learner(thetas, "truncated", **options)
    all_ran = many.run(x, targets)
    for place in (0, LANES - 1, LANES + 1):
        one = net.learner(thetas[place : place + 1], "truncated", **options)
        ran = one.run(x[place], targets[place])
        assert ran.loss[0] == all_ran.loss[place]
        assert (one.theta[0] == many.theta[place]).all()
        assert (ran.watched[0] == all_ran.watched[place]).all()


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("several", [False, True])
def test_moving_after_each_sequence_is_descent_on_its_gradient(several: bool) -> None:
    net = peephole()
    thetas, x, targets = problem(net)
    theta = thetas[0]
    learner = net.learner(theta[None] if several else theta, "rtrl", rate=0.3, moved="sequence")
    learner.run(x[0], targets[0], starts=np.arange(T) % 4 == 0)
    for part in np.split(np.arange(T), 3):
        theta = theta - 0.3 * net.gradient(theta, x[0, part], targets[0, part], method="rtrl").gradient
    np.testing.assert_allclose(learner.theta.ravel(), theta, rtol=0, atol=1e-13)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("several", [False, True])
def test_moving_after_the_first_step_of_the_next_sequence(several: bool, momentum: float) -> None:
    """Beside online objects, one for each sequence, whose weights are moved once, after their first step."""
    net = peephole()
    thetas, x, targets = problem(net)
    theta, left, change = thetas[0], 0.0, 0.0
    start = theta[None] if several else theta
    learner = net.learner(start, "truncated", rate=0.3, momentum=momentum, moved="next")
    for part in (slice(0, 8), slice(8, T)):
        learner.run(x[0, part], targets[0, part], starts=np.arange(T)[part] % 4 == 0)
    for part in np.split(np.arange(T), 3):
        online = net.online(theta, "truncated")
        for place, step in enumerate(part):
            online.step(x[0, step], targets[0, step])
            if place == 0:
                moved = online.gradient.copy()
                change = momentum * change - 0.3 * (left + moved)
                online.theta = theta = theta + change
        left = online.gradient - moved
    np.testing.assert_allclose(learner.theta.ravel(), theta, rtol=0, atol=1e-13)


@pytest.mark.usefixtures("form")
def test_runs_follow_each_other_or_begin_anew() -> None:
    net = peephole()
    thetas, x, targets = problem(net)
    whole, halves = (net.learner(thetas, "truncated", rate=0.3, momentum=0.5) for _ in range(2))
    losses = whole.run(x, targets).loss
    first = halves.run(x[:, :5], targets[:, :5]).loss
    second = halves.run(x[:, 5:], targets[:, 5:], starts=np.zeros(T - 5)).loss
    assert (whole.theta == halves.theta).all()
    np.testing.assert_allclose(first + second, losses, rtol=1e-14)
    anew, marked = (net.learner(thetas, "truncated", rate=0.3) for _ in range(2))
    anew.run(x[:, :5], targets[:, :5])
    anew.run(x[:, 5:], targets[:, 5:])
    starts = np.zeros((3, T))
    starts[:, [0, 5]] = 1.0
    marked.run(x, targets, starts=starts)
    assert (anew.theta == marked.theta).all()
    assert not np.allclose(anew.theta, whole.theta)


@pytest.mark.usefixtures("form")
def test_one_sequence_serves_all_nets() -> None:
    net = peephole()
    thetas, x, targets = problem(net)
    shared, apart = (net.learner(thetas, "truncated", rate=0.3) for _ in range(2))
    shared.run(x[0], targets[0])
    apart.run(np.stack([x[0]] * 3), np.stack([targets[0]] * 3))
    assert (shared.theta == apart.theta).all()


@pytest.mark.usefixtures("form")
def test_watched_values_are_those_of_the_net() -> None:
    net = peephole()
    thetas, x, targets = problem(net)
    learner = net.learner(thetas, "truncated", rate=1e-300, watch=fam.s)
    seen = learner.run(x, targets).watched
    assert seen.shape == (3, T, 1, 1)
    for place, theta in enumerate(thetas):
        np.testing.assert_allclose(seen[place], net.forward(theta, x[place]).s[1:], atol=1e-14)


@pytest.mark.usefixtures("form")
def test_a_masked_step_moves_nothing() -> None:
    model = compiled.recurrent(2)
    thetas, x, targets = problem(model)
    learner = model.learner(thetas, "rtrl", rate=0.3)
    learner.run(x, targets, mask=np.zeros(T))
    assert (learner.theta == thetas).all()
    learner.run(x, targets, mask=np.ones(T))
    assert not (learner.theta == thetas).all()


@pytest.mark.usefixtures("form")
def test_numbers_of_symbols_are_inputs_of_which_one_is_1() -> None:
    net = compiled.independent(2)
    thetas, _, targets = problem(net)
    numbers = np.random.default_rng(5).integers(0, net.n_in, (3, T))
    given = {False: np.eye(net.n_in)[numbers], True: numbers}
    both = {symbols: net.learner(thetas, "rtrl", rate=0.3, symbols=symbols) for symbols in given}
    losses = [both[symbols].run(x, targets).loss for symbols, x in given.items()]
    assert (losses[0] == losses[1]).all()
    assert (both[True].theta == both[False].theta).all()
    for wrong in (numbers + 0.0, numbers - 8, numbers + 8, numbers[:, :0], numbers[None]):
        with pytest.raises(ValueError, match="x: expected whole numbers from 0 to 7 of shape"):
            both[True].run(wrong, targets)


@pytest.mark.usefixtures("form")
def test_a_net_that_overflows_leaves_the_others_alone() -> None:
    net = gru()
    thetas, x, targets = problem(net)
    wild = thetas.copy()
    wild[1] *= 1e300
    learner, calm = (net.learner(some, "rtrl", rate=1e10) for some in (wild, thetas))
    losses, expected = (one.run(x, targets).loss for one in (learner, calm))
    assert (losses[[0, 2]] == expected[[0, 2]]).all()


def test_lanes_have_no_branch_but_that_of_a_new_sequence() -> None:
    text = peephole().learner(problem(peephole())[0], "truncated", rate=0.1).source
    [learn] = [one for one in ast.parse(text).body if getattr(one, "name", "") == "learn"]
    loops = [node for node in ast.walk(learn) if isinstance(node, ast.For)]
    branches = [ast.unparse(node.test) for node in ast.walk(learn) if isinstance(node, ast.If)]
    assert [loop.target.id for loop in loops] == ["t", "lane"]
    assert branches == ["begins[t * LANES + lane] > 0.0"]
    assert "np.exp" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": -0.1}, "rate: expected"),
        ({"rate": 0.1, "momentum": 1.0}, "momentum: expected"),
        ({"rate": 0.1, "moved": "never"}, "moved: expected"),
        ({"rate": 0.1, "method": "bptt"}, "method: expected"),
        ({"rate": 0.1, "watch": fam.x}, "watch: expected one of the states"),
        ({"rate": 0.1, "theta": np.zeros(3)}, "theta: expected shape"),
    ],
)
def test_arguments_that_do_not_fit(options: dict, message: str) -> None:
    options = {"theta": np.zeros(17), "method": "truncated"} | options
    with pytest.raises(ValueError, match=message):
        Learner(peephole(), options.pop("theta"), options.pop("method"), **options)


def test_runs_that_do_not_fit() -> None:
    net = peephole()
    thetas, x, targets = problem(net)
    learner = net.learner(thetas, "truncated", rate=0.1)
    for arguments, message in [
        ((x[:2], targets[:2]), "x: expected one sequence or one for each of 3 nets, got 2"),
        ((x, targets[:, 1:]), "targets: expected shape"),
        ((x, targets, None, np.full(T, 2.0)), "starts: expected zeros and ones"),
        ((x, targets, None, np.zeros(3)), "starts: expected shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            learner.run(*arguments)
    assert (learner.theta == thetas).all()


def test_activations_without_branches() -> None:
    z = np.concatenate([np.linspace(-700, 700, 4001), np.linspace(-2, 2, 401), [-0.0, 1e-300, -1e-9]])
    found = np.array([fast._exp(one) for one in z])
    assert np.max(np.abs(found / np.exp(z) - 1)) <= 4.5e-16
    decay = np.exp(-np.abs(z))
    logistic = np.where(z >= 0, 1, decay) / (1 + decay)
    for function, expected in ((fast._logistic, logistic), (fast._logistic_slope, decay / (1 + decay) ** 2)):
        assert np.max(np.abs(np.array([function(one) for one in z]) / expected - 1)) <= 1e-15
    small = np.concatenate([z, 10.0 ** np.linspace(-300, 0, 1001)])
    assert np.max(np.abs(np.array([fast._tanh(one) for one in small if one]) / np.tanh(small[small != 0]) - 1)) <= 7e-16


def test_exp_overflows_underflows_and_has_no_number_where_there_is_none() -> None:
    found = [fast._exp(one) for one in (709.4, 709.5, np.inf, -708.3, -709.0, -np.inf)]
    assert found[0] == pytest.approx(np.exp(709.4), rel=1e-15)
    assert found[1:3] == [np.inf, np.inf]
    assert found[3] == pytest.approx(np.exp(-708.3), rel=1e-15)
    assert found[4:] == [0.0, 0.0]
    for function in (fast._exp, fast._logistic, fast._logistic_slope, fast._tanh):
        assert np.isnan(function(np.nan))
