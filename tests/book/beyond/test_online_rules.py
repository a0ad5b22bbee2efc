"""The chapter on online rules: which cut gives which rule, for which weights it is exact, what programs cost."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from book.beyond import bench as settings
from book.beyond import costs
from book.beyond import leaky as net
from book.beyond.online_rules import checks, figures
from book.shared.reading import equals
from sympy import Integer
from throughtime.derivation import Bench, Delta, Truncated, d, sum_over
from throughtime.programs import compile
from throughtime.systems.lstm_family import LIBRARY, LSTM1997

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "beyond" / "online-rules.ipynb"
a, b, i, k, q, t = net.a, net.b, net.i, net.k, net.q, net.t
W, W_in, h, u, x, tau, phi = net.W, net.W_in, net.h, net.u, net.x, net.tau, net.phi


@pytest.fixture(scope="module")
def S():
    return settings.of_leaky()


# --- the rules


def slope(unit):
    return phi.prime(u[unit, t])


def trace_of(weight, cuts, when):
    return Truncated(h[a, when], weight, *cuts)


def recursion(cuts, carried, source, weight=W[a, b]):
    """A trace as what is carried of the previous one and a new term."""
    return equals(trace_of(weight, cuts, t), carried * trace_of(weight, cuts, t - 1) + slope(a) * source / tau)


LEAK, OWN = 1 - 1 / tau, slope(a) * W[a, a] / tau


@pytest.mark.parametrize(
    ("cuts", "kept"), [(net.SNAP, LEAK + OWN), (net.RFLO, LEAK), (net.ONE, Integer(0))], ids=["snap", "rflo", "one"]
)
def test_each_set_of_cuts_keeps_what_the_table_says_and_nothing_else(S, cuts, kept):
    for factor in (LEAK + OWN, LEAK, Integer(0), OWN):
        assert checks.holds(S, recursion(cuts, factor, h[b, t - 1])) == (factor == kept)
    assert checks.holds(S, recursion(cuts, kept, x[q, t], W_in[a, q]))


@pytest.mark.parametrize("cuts", [net.SNAP, net.RFLO, net.ONE])
def test_under_every_cut_a_weight_reaches_its_own_unit_alone(S, cuts):
    other = Truncated(h[i, t], W[a, b], *cuts)
    assert checks.holds(S, equals(other, Delta(i, a) * trace_of(W[a, b], cuts, t)))
    assert not checks.holds(S, equals(d(h[i, t], W[a, b]), Delta(i, a) * d(h[a, t], W[a, b])))


def test_the_lstm_of_e_prop_cuts_one_edge_and_that_of_1997_its_gates_too():
    assert [str(one) for one in LIBRARY.cuts()] == ["y_block(t - 1) in r"]
    assert len(LSTM1997.cuts()) == 3


# --- the function of the page, and the weights for which a cut is exact


def numbers(seed=3, units=3, inputs=2, length=6):
    draw = np.random.default_rng(seed)
    shapes = (units, units), (units, inputs), (2, units), (length, inputs), (length, 2)
    return [draw.normal(size=shape) for shape in shapes]


def step(W, W_in, state, now, tau):
    return (1 - 1 / tau) * state + np.tanh(W @ state + W_in @ now) / tau


def loss_of(W, W_in, W_out, x, target, tau, window=None):
    """The mean loss; with a window the error of each time goes back so many steps, to a constant state."""
    states, found = [np.zeros(len(W), complex)], 0
    for time, goal in enumerate(target, 1):
        states.append(step(W, W_in, states[-1], x[time - 1], tau))
        state = states[time]
        if window is not None and time > window:
            state = states[time - window].real.astype(complex)
            for now in x[time - window : time]:
                state = step(W, W_in, state, now, tau)
        found += ((goal - W_out @ state) ** 2).sum() / 2
    return found / len(target)


def by_complex_step(parts, tau, window=None):
    """The gradient with respect to (W, W_in). A held state is no analytic function, so `complex_step` would refuse."""
    W, W_in, *rest = parts
    found = np.zeros((len(W), len(W) + W_in.shape[1]))
    for place in np.ndindex(found.shape):
        both = np.hstack([W, W_in]).astype(complex)
        both[place] += 1e-30j
        found[place] = loss_of(both[:, : len(W)], both[:, len(W) :], *rest, tau, window).imag / 1e-30
    return found


@pytest.mark.parametrize("tau_", [1.0, 2.5])
def test_function_of_the_page_is_exact_and_one_step_is_a_window_of_one(run_cell, tau_):
    gradient, parts = run_cell("def gradient(")["gradient"], numbers()
    assert gradient(*parts, tau_, "exact") == pytest.approx(by_complex_step(parts, tau_), abs=1e-12)
    assert gradient(*parts, tau_, "one") == pytest.approx(by_complex_step(parts, tau_, window=1), abs=1e-12)
    assert np.abs(gradient(*parts, tau_, "snap") - by_complex_step(parts, tau_)).max() > 1e-3


@pytest.mark.parametrize(
    ("scale", "tau_", "exact"),
    [
        (np.eye(3), 2.5, {"snap"}),
        (0, 2.5, {"snap", "rflo"}),
        (0, 1.0, {"snap", "rflo", "one"}),
        (1, 2.5, set()),
        (1, 1.0, set()),
    ],
)
def test_exercise_weights_for_which_a_cut_is_exact(run_cell, scale, tau_, exact):
    gradient, (W, *rest) = run_cell("def gradient(")["gradient"], numbers()
    goal = gradient(W * scale, *rest, tau_, "exact")
    close = {rule for rule in net.CUTS if np.allclose(gradient(W * scale, *rest, tau_, rule), goal, atol=1e-12)}
    assert close == exact


# --- cuts of other networks


@cache
def program(system, label):
    sizes = {net.n: 3, net.m: 2, net.r: 2}
    constants = {"tau": np.array(2.5)}
    return compile(
        system(), net.loss, sizes, activations={"phi": "tanh"}, given=constants, cuts={label: getattr(net, label)}
    )


def test_a_window_of_two_steps_is_a_cut_of_the_network_with_each_unit_twice():
    machine, parts = program(net.windowed, "WINDOW"), numbers()
    W, W_in, W_out, x, goals = parts
    theta = machine.layout.flatten({"W": W, "W_in": W_in, "W_out": W_out})
    assert machine.loss(theta, x, goals) / len(x) == pytest.approx(loss_of(*parts, 2.5).real)
    views = machine.layout.views(machine.gradient(theta, x, goals, method="WINDOW").gradient / len(x))
    found = np.hstack([views["W"], views["W_in"]])
    assert found == pytest.approx(by_complex_step(parts, 2.5, window=2), abs=1e-12)
    for other in (1, 3, None):
        assert np.abs(found - by_complex_step(parts, 2.5, window=other)).max() > 1e-3


def test_chunks_of_two_steps_by_the_cut_of_copies():
    """The first step of a chunk keeps the immediate part, the second the part carried from the first as well."""
    C = Bench(net.chunked(), settings.SMALL)
    held = {when: Truncated(h[i, when], W[a, b], *net.CHUNK) for when in (t, t - 1)}
    kappa = net.kappa[t]
    carried = (1 - 1 / tau) * held[t - 1] + sum_over(
        k, slope(i) * W[i, k] * Truncated(h[k, t - 1], W[a, b], *net.CHUNK)
    ) / tau
    before = kappa * h[b, t - 1] + (1 - kappa) * net.copy[b, t - 1]
    new = Delta(i, a) * slope(a) * before / tau
    assert C.on_instances([(held[t], kappa * carried + new)]).passed is True
    assert C.on_instances([(held[t], carried + new)]).passed is False


# --- costs, and the estimates that are no cuts


def test_places_in_arrays_are_no_operations():
    """The sweeps of BPTT, which read t - 1, by hand."""
    n, m = costs.n, costs.m
    forward = 2 * n**2 + 2 * n + (2 * n * m + 3 * n) + 5 * n + 2 * n + 6
    backward = 1 + 2 * n + (2 * n**2 + 8 * n) + 2 * n + 8 * n**2 + 2 * n * m + 2 * n
    assert checks.cost("bptt").operations == (forward + backward).expand()


def test_counts_and_their_order():
    n, m = costs.n, costs.m
    exact = checks.cost("exact")
    assert exact[0] == (n**3 + m * n**2).expand()
    assert exact[1].coeff(n, 4) == 2
    assert exact[1].coeff(n, 3).coeff(m, 1) == 2
    for rule in ("snap", "rflo", "one", "bptt"):
        carried, operations = (poly.as_poly(n, m) for poly in checks.cost(rule))
        assert operations.total_degree() == 2
        assert carried.as_expr() == (0 if rule in ("one", "bptt") else (n**2 + n * m).expand())
    found = [checks.cost(rule).operations.subs({n: 8, m: 8}) for rule in ("one", "bptt", "rflo", "snap", "exact")]
    assert found == sorted(found)


def test_a_program_of_other_sizes_has_the_same_loops(monkeypatch):
    monkeypatch.setattr("throughtime.programs.build.CACHE", None)  # of another order, maybe
    small, large = (checks.program("exact", *sizes) for sizes in ((2, 3), (40, 30)))
    assert large.replace("\nn = 40\nm = 30\n", "\nn = 2\nm = 3\n") == small


@pytest.mark.parametrize("seed", range(3))
def test_rank_one_estimates_have_the_exact_mean_and_a_spread_above_the_gradient(seed):
    small = checks.problem(seed)
    assert len(checks.all_estimates(small)) == 2**6
    assert checks.bias(small, "rank one") < 1e-12
    assert checks.spread(small) > 1
    for rule in net.CUTS:
        assert 0.02 < checks.bias(small, rule) < 0.5


def test_the_lost_path_has_the_factors_of_the_three_steps():
    J = np.eye(2) / 2 + np.array([[1, 1], [2, 0]]) / 2
    factors = [{"1": 1.0, "½": 0.5}[word] for word in (*figures.OWN, *figures.OTHERS)]
    assert factors == [J[0, 0], J[1, 1], J[1, 0], J[0, 1]]
    drawn = figures.lost_path().axes[0]
    assert sum(line.get_marker() == "x" for line in drawn.lines) == 4
