"""What fails only at a few times is refused, however short the sequences of the bench are."""

import pytest
from throughtime.derivation.deriving.induction import Lemma, lag
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import least_length
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import LENGTH, Dimension, domain, indices
from throughtime.derivation.formulas.errors import CheckError
from throughtime.derivation.formulas.nodes import (
    Activation,
    Delta,
    d,
    parameter,
    partial,
    product_over,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.judging.bench import Bench
from throughtime.derivation.judging.checks import chain, holds_in_general
from throughtime.derivation.judging.claims import by_induction
from throughtime.derivation.judging.proofs import prove

n = Dimension("n")
units = domain("units", n)
i, p, k = indices("i p k", units)
t, s, r, q = time("t"), time("s"), time("r"), lag("q")
w, u, b, x = parameter("w", units), parameter("u", units), parameter("b", units), sequence("x", units)
a, h, y, loss = variable("a", units), variable("h", units), variable("y"), scalar("L")
f = Activation("f")


@pytest.fixture(scope="module")
def bench() -> Bench:
    """Independent units, and a signal that is 0 before time 1 and 1 from then on."""
    net = System("independent units", t)
    net[a[i, t]] = w[i] * x[i, t] + u[i] * h[i, t - 1] + b[i]
    net[h[i, t]] = f(a[i, t])
    net[y[t]] = 1
    net[loss[()]] = sum_over((s, 1, LENGTH), i, h[i, s] ** 2)
    return Bench(net, [{n: 2}])


def pulse(when):
    """1 at time 4, else 0."""
    return y[when - 3] * (1 - y[when - 4])


APART = (1 - Delta(i, p)) * (1 - Delta(i, k)) * (1 - Delta(p, k))
FALSE = {
    "a product of two times": (h[i, t - 3] * (h[i, t - 4] - f(a[i, t - 4])), "i=1, t=4"),
    "a derivative": (d(h[i, t - 3], u[i]) * (h[i, t - 5] - f(a[i, t - 5])), "i=1, t=5"),
    "a pulse": (pulse(t), "t=4"),
    "a late pulse": (pulse(t - 9), "t=13"),
    "a sum over the sequence": (sum_over((s, 1, LENGTH), pulse(s)), "T=4"),
    "one length alone": (sum_over((s, 1, LENGTH), pulse(s) - pulse(s - 1)), "T=4"),
    "a sum over a window": (sum_over((s, t - 3, t), pulse(s - 2)), "t=6"),
    "the end": (pulse(LENGTH), "T=4"),
    "a definition before the end": (h[i, LENGTH - 2] - f(a[i, LENGTH - 2]), "i=1, T=1"),
    "the end of a loss": (loss[()] * pulse(LENGTH), "T=4"),
    "an adjoint": (d(loss[()], h[i, t]) * pulse(LENGTH - 1), "i=1, t=1, T=5"),
    "an immediate derivative": (partial(a[i, t - 4], b[i]) - 1, "i=1, t=1"),
    "a size that the bench does not have": ((n - 2) * pulse(t), "t=4, n=1"),
    "more units than the bench has": (APART * pulse(t), "i=1, k=2, p=3, t=4"),
    "a time between others": (pulse(t) * y[t - 5] + pulse(t - 1) * y[t - 4], "t=5"),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_fails_at_a_few_times_is_refused_with_place_and_numbers(bench, name) -> None:
    formula, place = FALSE[name]
    message = rf"wrong as printed, and no correction is given: 0 is not .* at {place}; the sides are \S+ and 0$"
    with pytest.raises(CheckError, match=message):
        bench.equation(name, chain(formula, 0), numeric="no model")


def test_it_gets_a_correction_like_any_other_wrong_print(bench) -> None:
    judged = bench.equation(
        "pulse", chain(h[i, t], f(a[i, t]) + pulse(t - 3)), corrected=[chain(h[i, t], f(a[i, t]))], numeric="no model"
    )
    assert judged.verdict == "corrected"
    assert "$t=7$" in judged.counterexample


def test_general_check_says_how_many_first_steps_it_leaves_open(bench) -> None:
    reducer = Reducer(bench.system)
    assert reducer.reach(h[i, t], f(a[i, t])) == 0
    assert reducer.reach(h[i, t - 4], f(a[i, t - 4])) == 4
    assert reducer.reach(h[i, t], a[i, t]) is None
    assert holds_in_general(reducer, [(h[i, t - 2], f(a[i, t - 2])), (h[i, t], f(a[i, t]))]).reach == 2
    recursion = f.prime(a[i, t]) * (h[i, t - 1] + u[i] * d(h[i, t - 1], u[i]))
    assert reducer.reach(d(h[i, t], u[i]), recursion) == 0


def test_sequence_is_as_long_as_its_formulas_need() -> None:
    assert least_length(h[i, t]) == 1
    assert least_length(d(h[i, t], h[i, t - 3])) == 4
    assert least_length(h[i, t + 1], x[i, t - 2]) == 4
    assert least_length(h[i, LENGTH - 4]) == 5
    assert least_length(h[i, 7]) == 7


def test_equation_that_reaches_further_than_the_setting_is_judged_on_longer_sequences(bench) -> None:
    far = product_over((s, 1, 5), u[i] * f.prime(a[i, t - s + 1]))
    judged = bench.equation("far", chain(d(h[i, t], h[i, t - 5]), far), numeric="no model")
    assert judged.verdict == "holds"
    with pytest.raises(CheckError, match="i=1, t=6"):
        bench.equation("too far", chain(d(h[i, t], h[i, t - 5]), far * u[i]), numeric="no model")


def test_claim_over_lags_is_put_to_the_instances(bench) -> None:
    factors = product_over((r, 1, q), u[i] * f.prime(a[i, t - r + 1]))
    prove(*by_induction(bench, Lemma(d(h[i, t], h[i, t - q]), factors, q)))
    with pytest.raises(CheckError, match=r"instance check failed: .* at i=1, q=0, t=1; the sides are 1 and 0"):
        prove(*by_induction(bench, Lemma(d(h[i, t], h[i, t - q]), factors * y[t - q - 1], q)))
    late = Lemma(d(h[i, t], h[i, t - q]), factors * (1 - pulse(t - q - 3)), q)
    with pytest.raises(CheckError, match="t=7; the sides are 1 and 0"):
        prove(*by_induction(bench, late))


def test_initial_value_has_no_immediate_derivative(bench) -> None:
    witness = ExactInstance(bench.system, {n: 2}, 2)
    assert [witness.value(partial(a[1, when], b[1]), {}) for when in (0, 1)] == [0, 1]
    assert Reducer(bench.system).equal(partial(a[i, 0], b[i]), 0)
    assert not Reducer(bench.system).equal(partial(a[i, 1], b[i]), 0)
