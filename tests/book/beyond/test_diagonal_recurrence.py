"""The chapter on diagonal recurrence: its derivations, what a gradient costs, and every number in its prose."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import throughtime as tt
from book.beyond import costs
from book.beyond import diagonal as unit
from book.beyond.diagonal_recurrence import checks, experiment
from throughtime.derivation import d

PAGE = Path(__file__).parents[3] / "book" / "beyond" / "diagonal-recurrence.ipynb"
i, p, q, t = unit.i, unit.p, unit.q, unit.t
REAL = [name for name, one in unit.UNITS.items() if one.feedback != "pair"]
WEIGHTS = {
    "real linear": (unit.self_weight[p], unit.W["c"][p, q]),
    "complex linear": (unit.alpha[p], unit.beta[p], unit.gamma[p], unit.W["re"][p, q], unit.W["im"][p, q]),
    "IndRNN": (unit.self_weight[p], unit.W["c"][p, q], unit.b["c"][p]),
    "minGRU": (unit.W["z"][p, q], unit.W["c"][p, q], unit.b["z"][p]),
}
STATES = {"complex linear": unit.re, "IndRNN": unit.h}


@cache
def make_bench(name):
    return unit.UNITS[name].make_bench()


@pytest.fixture
def interpreted(monkeypatch):
    """Programs run as Python: compiling them takes longer than these small nets."""
    monkeypatch.setattr("throughtime.programs.build.COMPILED", False)
    checks.compiled.cache_clear()
    yield
    checks.compiled.cache_clear()


# ---- derivations


@pytest.mark.parametrize("name", unit.UNITS)
def test_every_derivative_is_0_for_another_unit_and_slips_are_refused(name):
    S, state = make_bench(name), STATES.get(name, unit.state)
    for weight in WEIGHTS[name]:
        found = S.derive(state[i, t], weight)
        assert found.result.has(tt.Delta(i, p))
        assert S.on_instances([(found.left, found.result)]).passed is True
        own = found.result.xreplace({tt.Delta(i, p): 1})
        assert S.on_instances([(found.left, own)]).passed is False
        slipped = found.result.xreplace({d(state[p, t - 1], weight): 2 * d(state[p, t - 1], weight)})
        assert slipped != found.result
        assert S.on_instances([(found.left, slipped)]).passed is False


def test_in_a_second_layer_and_in_a_full_net_every_state_depends_on_every_weight():
    S = tt.Bench(unit.stacked(), sizes=[{unit.n: 2, unit.m: 1, unit.r: 1}])
    found = S.derive(unit.upper[i, t], unit.W["c"][p, q])
    assert not found.result.has(tt.Delta)
    assert S.on_instances([(found.left, found.result)]).passed is True


@pytest.mark.parametrize(("hidden", "name"), [((0, 2, 0), "real linear"), ((0, 0, 2), "IndRNN")])
def test_the_units_of_the_local_feedback_network_are_members(hidden, name, interpreted):
    lfmn, random = tt.LFMN(n_in=2, hidden=hidden, output=(1, 0, 0)), np.random.default_rng(1)
    theta, x = random.normal(size=lfmn.layout.size), random.normal(size=(8, 2))
    parts = lfmn.layout.views(theta)
    sizes = {unit.n: 2, unit.m: 2, unit.r: 1}
    activations = {"phi": "tanh_half"} if name == "IndRNN" else {}
    net = tt.compile(unit.UNITS[name].build(), unit.loss, sizes, activations=activations)
    own = np.zeros(net.layout.size)
    views = net.layout.views(own)
    views["W_c"][:], views["u"][:] = parts["w_hid"], parts["u_hid" if name == "real linear" else "v_hid"]
    assert np.allclose(net.forward(own, x).s, lfmn.forward(theta, x).net_hid, rtol=1e-13)


# ---- costs


def test_factors_of_two_degrees_are_refused():
    full = checks.polynomials("fully recurrent")
    with pytest.raises(ValueError, match="expected the degree 2"):
        checks.factor(full.rtrl, full.forward)


def test_memory_of_a_thousand_units():
    found = [checks.polynomials(name).carried for name in ("real linear", "two layers", "fully recurrent")]
    assert [each.subs(checks.SIZE, 1000) for each in found] == [1_002_000, 1_004_003_000, 2_001_000_000]


def test_factors_of_the_recap_lie_between_4_and_8():
    found = [checks.polynomials(name) for name in unit.UNITS]
    factors = sorted(checks.factor(one.rtrl, one.forward) for one in found)
    assert (factors[0], factors[-1]) == (4, 8)
    stacked = checks.polynomials("two layers")
    assert (checks.exponent(stacked.rtrl), checks.exponent(stacked.carried)) == (3, 3)


def test_bptt_takes_fewer_operations_and_more_memory():
    n = checks.SIZE
    for name in unit.UNITS:
        one = checks.polynomials(name)
        assert 2 <= checks.factor(one.rtrl, one.bptt) <= 4
        for size in (64, 1000):
            assert 0.25 <= float((one.bptt / one.rtrl).subs(n, size)) <= 0.515
    linear = checks.polynomials("real linear")
    assert (linear.carried - linear.states * (n + 2)).expand() == 0


def test_the_counter_counts_a_program_by_hand():
    """s = u s + W x + b takes 2 n m + 3 n, y = W h + b takes 2 n + 1, the loss 6 with its sums."""
    text, n, m = checks.loops("real linear", "bptt"), costs.n, costs.m
    assert costs.operations(text, costs.FORWARD) == (2 * n * m + 3 * n + 2 * n + 7).expand()
    assert costs.handed_on(checks.loops("real linear", "rtrl"), derivatives=True) == n * m + 2 * n
    assert costs.handed_on(checks.loops("complex linear", "rtrl"), derivatives=False) == 2 * n


def test_a_program_of_other_sizes_has_the_same_loops(monkeypatch):
    monkeypatch.setattr("throughtime.programs.build.CACHE", None)  # of another order, maybe
    made = checks.compiled.__wrapped__
    small, large = (made("fully recurrent", size, size).source("rtrl", "loops") for size in (2, 40))
    assert large.replace("\nn = 40\nm = 40\n", "\nn = 2\nm = 2\n") == small


# ---- programs


@pytest.mark.parametrize("name", ["polar", *unit.UNITS])
def test_gradients_are_those_of_the_complex_step(name, interpreted):
    net = checks.compiled(name, 2, 2)
    random = np.random.default_rng(5)
    theta, data = net.init(random, scale=0.6), (random.normal(size=(5, 2)), random.normal(size=(5, 1)), np.ones(5))
    exact = tt.complex_step(lambda point: net.loss(point, *data), theta)
    for method in ("rtrl", "bptt"):
        assert np.allclose(net.gradient(theta, *data, method=method).gradient, exact, rtol=1e-11, atol=1e-13)


# ---- two layers


def test_the_cut_gradient_of_two_layers_is_the_compiled_one(interpreted):
    cuts = {"layers": [tt.cut(unit.upper[i, t - 1], into=unit.upper)]}
    sizes = {unit.n: checks.WIDE, unit.m: checks.INPUTS, unit.r: 1}
    net = tt.compile(unit.stacked(), unit.loss, sizes, activations={"phi": "tanh"}, cuts=cuts)
    weights, (x, targets) = checks.random_stacks("0.85 to 0.95", 2), checks.sequences(2)
    mask = np.r_[np.ones(3), np.zeros(checks.STEPS - 4), 1]
    for cut, method in ((True, "layers"), (False, "bptt")):
        found = checks.lower_gradient(weights, x, targets, mask, cut=cut)
        theta = net.layout.flatten({name: weights[name][1] for name in net.layout.shapes})
        compiled = net.layout.views(net.gradient(theta, x[:, 1], targets[:, 1], mask, method=method).gradient)
        for name in checks.LOWER:
            assert np.allclose(found[name][1], compiled[name], rtol=1e-10, atol=1e-12)


def test_the_cut_of_the_upper_layer_leaves_no_past_and_keeps_the_upper_weights_exact():
    S = tt.Bench(unit.stacked(), sizes=[{unit.n: 2, unit.m: 1, unit.r: 1}])
    cuts = tt.cut_set("lay", tt.cut(unit.upper[i, t - 1], into=unit.upper))
    found = S.derive(unit.upper[i, t], unit.W["c"][p, q], cuts=cuts)
    assert not any(one.time == t - 1 for one in found.result.atoms(tt.Ref) if one.quantity == unit.upper)
    upper = S.derive(unit.upper[i, t], unit.upper_weights[p, unit.k])
    assert upper.result.has(tt.Delta(i, p))


def test_what_the_cut_of_two_layers_loses():
    for late in (False, True):
        found = [checks.of_layers(moduli, late) for moduli in checks.MODULI]
        cosines, lengths = (
            [np.median([getattr(one, what) for one in nets]) for nets in found] for what in ("cosine", "ratio")
        )
        assert cosines == sorted(cosines, reverse=True)
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[-1] < 0.1
    assert sum(one.cosine < 0 for one in checks.of_layers("0.99 to 0.999")) == 10


# ---- on line


def test_half_open_gates_do_not_learn_the_adding_problem_and_shut_ones_do():
    open_half, nearly_shut = (experiment.errors(experiment.learn(bias, 8)) for bias in experiment.BIASES)
    assert experiment.of_the_mean() == pytest.approx(0.036, abs=5e-4)
    assert open_half.min() > experiment.of_the_mean()
    assert nearly_shut.max() < experiment.SOLVED


def test_marked_numbers_are_old_when_the_error_comes():
    x, _, mask, _ = experiment.stream(2000, 1)
    ends, marks = np.flatnonzero(mask), np.flatnonzero(x[:, 1] == 1)
    assert (ends[np.searchsorted(ends, marks)] - marks).min() == 11
    assert 0.5**11 < 0.001
    share = 1 / (1 + np.exp(2))
    assert share == pytest.approx(0.12, abs=0.005)
    assert (1 - share) ** 11 == pytest.approx(0.25, abs=0.005)
