"""A model's trace as a witness: it reads the model's own arrays, differentiates the model's own code, no more."""

import numpy as np
import pytest
import throughtime as tt
from sympy import Integer
from throughtime import chain, d, sum_over
from throughtime.derivation import LENGTH as T
from throughtime.derivation import MisuseError, OutOfRange, Reducer, UndefinedQuantityError, Unreadable, close
from throughtime.evidence.trace import ModelTrace, stacked

N_IN, N, LENGTH = 2, 3, 4
n_in, n = tt.Dimension("n_in"), tt.Dimension("n")
X = tt.domain("X", n_in)
H = tt.domain("H", n, after=X)  # units are counted on behind the inputs
i, j, k = tt.Index("i", H), tt.Index("j", H), tt.Index("k", X)
t, s, loss = tt.time("t"), tt.time("s"), tt.scalar("L")
w, u, x, late = tt.parameter("w", H, X), tt.parameter("u", H), tt.sequence("x", X), tt.sequence("late")
z, h = tt.variable("z", H), tt.variable("h", H)
f = tt.Activation("f")

RNG = np.random.default_rng(5)
PARAMETERS = {"w": RNG.normal(size=(N, N_IN)), "u": RNG.normal(size=N)}
INPUTS = {"x": RNG.normal(size=(LENGTH, N_IN)), "late": RNG.normal(size=LENGTH)}


def forward(parameters, inputs):
    """h(t) = tanh(w x(t) + u h(t-1)) + late(t+1), with the state before the first step kept."""
    states, nets = [np.zeros(N, dtype=complex)], [np.zeros(N, dtype=complex)]
    for given, shift in zip(inputs["x"], inputs["late"], strict=True):
        nets.append(parameters["w"] @ given + parameters["u"] * states[-1])
        states.append(np.tanh(nets[-1]) + shift)
    return {"h": np.array(states), "z": np.array(nets)}


def tanh(value, order):
    return np.tanh(value) if order == 0 else 1 - np.tanh(value) ** 2


@pytest.fixture(scope="module")
def witness() -> ModelTrace:
    return ModelTrace({n_in: N_IN, n: N}, LENGTH, PARAMETERS, INPUTS, forward, {"f": tanh}, first={"late": 2})


@pytest.fixture(scope="module")
def system() -> tt.System:
    made = tt.System("net")
    made[z[i, t]] = sum_over(k, w[i, k] * x[k, t]) + u[i] * h[i, t - 1]
    made[h[i, t]] = f(z[i, t]) + late[t]
    made[loss[()]] = sum_over((s, 1, T), i, h[i, s] ** 2)
    return made


def at(unit: int, when: int, place: int = 1) -> dict:
    return {i: Integer(N_IN + unit), j: Integer(N_IN + unit), k: Integer(place), t: Integer(when)}


TRACE = {name: array.real for name, array in forward(PARAMETERS, INPUTS).items()}


def test_elements_are_those_of_the_arrays(witness) -> None:
    for unit in range(1, N + 1):
        for when in range(LENGTH + 1):
            assert witness.value(h[i, t], at(unit, when)) == TRACE["h"][when, unit - 1]
        for place in range(1, N_IN + 1):
            assert witness.value(w[i, k], at(unit, 1, place)) == PARAMETERS["w"][unit - 1, place - 1]
    assert witness.value(x[k, t], at(1, 3, 2)) == INPUTS["x"][2, 1]
    assert witness.value(late[t], at(1, 2)) == INPUTS["late"][0]
    assert witness.value(late[t], at(1, LENGTH + 1)) == INPUTS["late"][-1]


def difference(name: str, place: tuple, step: float = 1e-6) -> np.ndarray:
    """The derivative of all states by one given number, by central differences through the real code."""
    moved = []
    for sign in (1, -1):
        arrays = {key: array.copy() for key, array in {**PARAMETERS, **INPUTS}.items()}
        arrays[name][place] += sign * step
        moved.append(forward(arrays, arrays)["h"].real)
    return (moved[0] - moved[1]) / (2 * step)


@pytest.mark.parametrize(
    ("wrt", "name", "place"),
    [
        (w[j, k], "w", (1, 0)),
        (u[j], "u", (1,)),
        (x[k, Integer(2)], "x", (1, 0)),
        (late[Integer(2)], "late", (0,)),
    ],
    ids=["matrix", "vector", "input", "late input"],
)
def test_derivatives_are_those_of_differences(witness, wrt, name, place) -> None:
    expected = difference(name, place)
    assert np.abs(expected).max() > 1e-3
    for when in range(LENGTH + 1):
        value = witness.value(d(h[i, t], wrt), at(2, when))
        assert value == pytest.approx(expected[when, 1], rel=1e-6, abs=1e-8)


def test_derivative_of_a_formula_goes_through_all_of_it(witness) -> None:
    formula = f(u[i]) * h[i, t] ** 2 + sum_over(k, w[i, k])
    env = at(2, 3)
    own = (1 - np.tanh(PARAMETERS["u"][1]) ** 2) * TRACE["h"][3, 1] ** 2
    through = 2 * np.tanh(PARAMETERS["u"][1]) * TRACE["h"][3, 1] * difference("u", (1,))[3, 1]
    assert witness.value(d(formula, u[i]), env) == pytest.approx(own + through, rel=1e-6)
    assert witness.value(d(formula, w[i, k]), env) == pytest.approx(
        2 * np.tanh(PARAMETERS["u"][1]) * TRACE["h"][3, 1] * difference("w", (1, 0))[3, 1] + 1, rel=1e-6
    )


def bench(system, *, flaw="", hidden=()) -> tt.Bench:
    """The system on the program, which may have a flaw or show less."""

    def run(parameters, inputs):
        trace = forward({**parameters, "u": parameters["u"][::-1]} if flaw == "u" else parameters, inputs)
        trace["h"][2] = trace["h"][2] + {"state": 1e-6, "overflow": np.inf}.get(flaw, 0.0)
        with np.errstate(invalid="ignore"):
            trace["L"] = (trace["h"][1:] ** 2).sum() * (2 if flaw == "loss" else 1)
        return {name: array for name, array in trace.items() if name not in hidden}

    program = ModelTrace({n_in: N_IN, n: N}, LENGTH, PARAMETERS, INPUTS, run, {"f": tanh})
    return tt.Bench(system, [{n_in: 1, n: 2}], model=program)


def about_nodes(setting) -> dict:
    """Derivatives that no trace tells: of the loss by states, and by a weight over those."""
    backward, gradient = setting.derive_backward(loss[()], h[i, t]), setting.derive_gradient(loss[()], u[j])
    return {"adjoint": backward, "gradient": gradient}


FLAWS = {
    "u": r"model: z\[.\]\(2\) is \S+, by the definitions of net",
    "state": r"model: h\[.\]\(2\) is",
    "loss": "model: L is",
    "overflow": r"(h\[.\]\(2\)|L): the program has \((inf|nan)",
}


@pytest.mark.parametrize("kind", ["adjoint", "gradient"])
def test_equations_with_derivatives_by_nodes_are_checked_on_the_program(system, kind) -> None:
    setting = bench(system)
    derivation = about_nodes(setting)[kind]
    made = setting.equation(f"program {kind}", chain(derivation.left, derivation.result))
    assert made.checks["numeric"].passed is True
    assert made.checks["numeric"].count == {"adjoint": N * LENGTH, "gradient": N}[kind]


@pytest.mark.parametrize("kind", ["adjoint", "gradient"])
@pytest.mark.parametrize(("flaw", "message"), FLAWS.items(), ids=FLAWS)
def test_a_program_that_does_not_compute_the_system_is_refused(system, kind, flaw, message) -> None:
    setting = bench(system, flaw=flaw)
    derivation = about_nodes(setting)[kind]
    with pytest.raises(tt.DerivationError, match=message):
        setting.equation(f"{flaw} {kind}", chain(derivation.left, derivation.result))


def test_a_trace_without_a_quantity_says_so(system) -> None:
    setting = bench(system, hidden=("L",))
    for kind, derivation in about_nodes(setting).items():
        with pytest.raises(UndefinedQuantityError, match=r"ModelTrace\(forward=...\): nothing for L, got \['h', 'z'\]"):
            setting.equation(f"no loss {kind}", chain(derivation.left, derivation.result))
    local = setting.derive(h[i, t], z[j, t])  # what is hidden takes no part in it
    assert setting.equation("no loss", chain(local.left, local.result)).checks["numeric"].count == N * N * LENGTH


def test_derived_recursion_holds_of_the_code_and_a_slip_does_not(witness, system) -> None:
    derivation = tt.derive(Reducer(system), z[i, t], u[i])
    assert tt.holds_on([witness], [chain(derivation.left, derivation.result)], close).passed is True
    slip = h[i, t - 1] + d(z[i, t - 1], u[i])
    assert tt.holds_on([witness], [chain(derivation.left, slip)], close).passed is False


def test_trace_is_computed_once_for_each_element_that_moves(system) -> None:
    runs = []

    def counted(parameters, inputs):
        runs.append(1)
        return forward(parameters, inputs)

    witness = ModelTrace({n_in: N_IN, n: N}, LENGTH, PARAMETERS, INPUTS, counted)
    for when in range(1, LENGTH + 1):
        for unit in range(1, N + 1):
            witness.value(h[i, t] * d(h[i, t], u[j]), at(unit, when))
    assert len(runs) == 1 + N


def test_given_arrays_are_left_as_they_were(witness) -> None:
    before = {name: array.copy() for name, array in {**PARAMETERS, **INPUTS}.items()}
    witness.value(d(h[i, t], u[j]), at(1, 2))
    witness.value(d(h[i, t], x[k, t]), at(1, 2))
    for name, array in {**PARAMETERS, **INPUTS}.items():
        assert (array == before[name]).all()
        assert array.dtype == float


def test_numbers_are_drawn_for_all_that_a_system_reads_and_does_not_define(system) -> None:
    made = ModelTrace.drawn(system, {n_in: N_IN, n: N}, LENGTH, forward, {"f": tanh}, 3, u=0.5)
    assert {name: array.shape for name, array in made.inputs.items()} == {"x": (LENGTH, N_IN), "late": (LENGTH,)}
    assert made.parameters["w"].shape == (N, N_IN)
    assert (made.parameters["u"] == np.full(N, 0.5)).all()
    assert tt.Bench(system, [{n_in: 1, n: 2}], model=made).on_model([chain(h[i, t], f(z[i, t]) + late[t])]).passed
    again = ModelTrace.drawn(system, {n_in: N_IN, n: N}, LENGTH, forward, {}, 3)
    assert (again.parameters["w"] == made.parameters["w"]).all()
    assert not (again.parameters["u"] == 0.5).any()
    with pytest.raises(MisuseError, match=r"given: \['v'\], expected some of \['late', 'u', 'w', 'x'\]"):
        ModelTrace.drawn(system, {n_in: N_IN, n: N}, LENGTH, forward, {}, 3, v=1.0)


def test_steps_are_stacked_behind_zeros_for_time_0() -> None:
    found = stacked([{"a": np.array([1.0, 2.0]), "b": 3.0}, {"a": np.array([4.0, 5j]), "b": 6.0}])
    assert found["a"].tolist() == [[0, 0], [1, 2], [4, 5j]]
    assert found["b"].tolist() == [0, 3, 6]


@pytest.mark.parametrize(
    "symbol",
    [tt.partial(z[i, t], u[i]), d(h[i, t], z[i, t]), tt.Truncated(h[i, t], u[i], tt.cut(h[i, t - 1], into=z))],
    ids=["immediate", "by a node", "truncated"],
)
def test_what_a_trace_cannot_tell_is_unreadable(witness, symbol) -> None:
    with pytest.raises(Unreadable, match="a trace tells total derivatives by parameters and inputs only"):
        witness.value(symbol, at(1, 2))
    outcome = tt.holds_on([witness], [chain(symbol, 2 * symbol)], close)
    assert outcome.passed is None
    assert outcome.reason


@pytest.mark.parametrize(
    ("formula", "when"),
    [
        (h[i, t], LENGTH + 1),
        (h[i, t], -1),
        (x[k, t], 0),
        (x[k, t], LENGTH + 1),
        (late[t], 1),
        (late[t], LENGTH + 2),
        (d(h[i, Integer(1)], x[k, t]), 0),
        (d(h[i, Integer(1)], late[t]), 1),
        (d(h[i, t], u[i]), LENGTH + 1),
    ],
)
def test_times_beyond_the_trace_are_out_of_range(witness, formula, when) -> None:
    with pytest.raises(OutOfRange):
        witness.value(formula, at(1, when))
