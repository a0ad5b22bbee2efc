"""Counterexamples to wrong printed formulas, recomputed by running the network with their numbers."""

import re
from fractions import Fraction
from math import tanh

import pytest
import throughtime as tt
from one_unit import f, s, t, u, v, x, y
from throughtime.derivation.formulas.errors import NotShownError
from throughtime.derivation.formulas.functions import Elementary
from throughtime.derivation.formulas.nodes import Modulus, d, parameter, sum_over, variable
from throughtime.derivation.judging.bench import Bench
from throughtime.derivation.judging.counterexample import counterexample

n = tt.Dimension("n")
H = tt.domain("H", n)
i, j, z = tt.Index("i", H), tt.Index("j", H), variable("z", H)


def slope(value, order):
    return tanh(value) if order == 0 else 1 - tanh(value) ** 2


def example(bench: Bench, printed) -> tuple[str, str]:
    lengths = [*sorted({2, bench.length}), *range(3, bench.length)]
    return counterexample(bench.floating, bench.sizes, lengths, "c", printed)


@pytest.fixture(scope="module")
def bench() -> Bench:
    system = tt.System("leak")
    system[v[t]] = f(u * v[t - 1] + x[t])
    return Bench(system, [{}], length=3, activations={"f": slope})


RIGHT = f.prime(u * v[t - 1] + x[t]) * (v[t - 1] + u * d(v[t - 1], u))


def test_wrong_equation_gets_a_place_and_both_values(bench) -> None:
    text, data = example(bench, [(v[t], x[t])])
    place, left, right = re.fullmatch(
        r"At \$t=(\d)\$ the left side \$v\(t\)\$ is (\S+), the printed right side is (\S+)\.", text
    ).groups()
    given = {name: float(Fraction(value)) for name, value in re.findall(r"\$([^$]*) = ([^$]*)\$", data)}
    state = 0.0
    for step in range(1, int(place) + 1):
        state = tanh(given["u"] * state + given[f"x({step})"])
    assert float(left) == pytest.approx(state, rel=1e-3)
    assert float(right) == pytest.approx(given[f"x({place})"], rel=1e-3)
    assert float(left) != float(right)


def test_lost_recursion_is_found_at_a_time_where_it_tells(bench) -> None:
    lost = f.prime(u * v[t - 1] + x[t]) * v[t - 1]
    text, _ = example(bench, [(d(v[t], u), lost)])
    assert int(re.match(r"At \$t=(\d)\$", text)[1]) == 3  # v(0) = 0, so the lost term is 0 up to time 2
    assert r"\frac{\partial  v(t)}{\partial  u}" in text


def test_what_is_true_has_no_counterexample(bench) -> None:
    for printed in ([(d(v[t], u), RIGHT)], [(Modulus(v[t]), tt.AtMost(2 * Modulus(v[t])))]):
        with pytest.raises(NotShownError, match="c: is not shown: it fails in exact numbers, which stand in"):
            example(bench, printed)


def test_exact_numbers_tell_of_any_functions_what_plain_ones_do_not(bench) -> None:
    nearly = [(v[t], v[t] + v[t] / 10**9)]
    lengths = [bench.length]
    assert counterexample(bench.floating, bench.sizes, lengths, "c", nearly, "at t=1") == ("at t=1.", "")
    system = tt.System("a leak of tanh")
    system[v[t]] = Elementary("tanh", lambda value, z: 1 - value**2, "tanh")(u * v[t - 1] + x[t])
    known = Bench(system, [{}])
    with pytest.raises(NotShownError, match="c: is not shown: it fails in exact numbers, which stand in"):
        counterexample(known.floating, known.sizes, lengths, "c", nearly, "at t=1")


def test_only_the_wrong_one_of_several_is_shown(bench) -> None:
    text, _ = example(bench, [(d(v[t], u), RIGHT), (v[t], 2 * v[t])])
    assert "$v(t)$" in text


def test_larger_network_is_taken_where_one_unit_shows_nothing() -> None:
    w = parameter("w", H)
    system = tt.System("sum")
    system[z[i, t]] = sum_over(j, w[j]) * w[i]
    bench = Bench(system, [{n: 2}], length=2)
    text, data = example(bench, [(z[i, t], w[i] ** 2)])
    assert "w_{2}" in data
    assert re.match(r"At \$i=\d\$, \$t=\d\$ the left side", text)


@pytest.mark.parametrize(("first", "read"), [(0, s), (-1, s), (2, s - 2)])
def test_sums_that_differ_before_time_1_alone_are_said_to(first, read) -> None:
    system = tt.System("two states")
    system[v[t]], system[y[t]] = u * v[t - 1] + x[t], f(v[t])
    left, right = (sum_over((s, first, t), side) for side in (y[read], f(v[read])))
    for off in (0, 1):
        text, _ = example(Bench(system, [{}]), [(left + off, right)])
        assert ("They differ before time 1 alone" in text) == (off == 0)
