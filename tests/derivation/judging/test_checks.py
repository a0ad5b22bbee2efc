"""Numbers that differ by little, bounds, and mutants at places that are not there."""

import pytest
import throughtime as tt
from one_unit import f, leak, t, u, v, x
from sympy import Integer, Rational
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.nodes import Constant, Modulus, partial, product_over, time, variable
from throughtime.derivation.judging.checks import close, upper_bound
from throughtime.derivation.judging.survivors import NEAREST, Differences, bounded_on, run_mutants

M = Constant("M", Integer(1))


def floating(**options) -> ExactInstance:
    return ExactInstance(leak(), {}, 3, number=float, **options)


@pytest.mark.parametrize("error", [1e-9, -1e-9, 1e-11])
@pytest.mark.parametrize("value", [1e-6, 1.0, -3.0, 1e6])
def test_numbers_that_differ_by_more_than_rounding_are_not_close(value, error) -> None:
    assert close(value, value * (1 + 1e-14))
    assert not close(value, value + error * max(1.0, abs(value)))


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_close_to_nothing(value) -> None:
    assert not any(close(*pair) for pair in ((value, value), (value, 1.0), (1.0, value), (value, -value)))


class Slightly(ExactInstance):
    """A numeric witness whose states are wrong by one part in 1e9, as after a slip in the last bits of a model."""

    def element(self, key):
        return super().element(key) * (1 + 1e-9 * (key[0] == v))


def test_numeric_witness_off_by_1e_9_is_refused() -> None:
    equation = tt.chain(v[t], u * v[t - 1] + x[t])
    for kind, passes in ((ExactInstance, True), (Slightly, False)):
        witness = kind(leak(), {}, 3, number=float)
        assert tt.holds_on([witness], [equation], close).passed is passes
        bench = tt.Bench(leak(), [{}], model=witness)
        if passes:
            assert bench.equation("exact", equation).checks["numeric"].passed is True
        else:
            with pytest.raises(tt.CheckError, match="numeric check failed"):
                bench.equation("off", equation)


def test_bound_exceeded_or_missed_by_1e_9_is_noticed() -> None:
    left = Modulus(v[t])
    for factor, problem in ((1 - Rational(1, 10**9), "exceeds"), (1 + Rational(1, 10**9), "is not attained")):
        assert problem in bounded_on([floating()], [floating()], left, factor * left)


def test_bound_that_is_read_nowhere_or_only_zero_is_none() -> None:
    assert "cannot be read" in bounded_on([floating()], [floating()], v[t], v[t + 5])
    nothing = floating(zeros=frozenset({"u"}))
    assert "is 0" in bounded_on([nothing], [nothing], u, 2 * u)


def test_largest_slope_bounds_the_slope_alone_and_negative_constant_is_no_modulus() -> None:
    curvature = Modulus(f.prime(v[t]).derivative())
    assert upper_bound(curvature, {"f": M}) == curvature
    with pytest.raises(tt.DerivationError, match="not every factor is a modulus"):
        upper_bound(Constant("c", Integer(-1)) * Modulus(v[t]), {})


def test_mutant_that_reads_a_time_that_is_not_there_is_rejected() -> None:
    """The mutant agrees with the formula where both have values, at t = T, and has no value at earlier times."""
    witness, s = ExactInstance(leak(), {}, 2), time("s")
    formula, late = (product_over((s, t + 1, tt.LENGTH), partial(v[when], v[s - 1])) for when in (s, s + 1))
    assert not Differences().found([witness], formula, late)
    report = run_mutants([witness], [(u ** (tt.LENGTH - t), formula)], lambda left, right: None, lambda link: ())
    assert report.survivors == []
    assert report.rejected == report.tried > 3


def test_longer_sequences_are_asked_of_what_is_not_shown_to_be_the_same() -> None:
    """At t = 1 no mutant of u v(0) can be told from it, since v(0) = 0; at t = 2 all can. The nearest larger
    instances are asked before the general comparison, the others after it."""
    short, long = ExactInstance(leak(), {}, 1), ExactInstance(leak(), {}, 3)
    chains, asked = [(v[t], u * v[t - 1] + x[t])], []

    def larger(link):
        yield from [short] * NEAREST
        asked.append(link)
        yield long

    report = run_mutants([short], chains, lambda left, right: None, larger)
    assert report.rejected == report.tried > 3
    assert asked
    asked.clear()
    left_open = run_mutants([short], chains, lambda left, right: 0, larger)
    assert left_open.equal == left_open.tried - left_open.rejected > 0
    assert not asked


def test_side_that_divides_by_0_where_the_other_does_not_is_wrong() -> None:
    system = tt.System("integrator")
    system[v[t]] = v[t - 1] + 1
    bench = tt.Bench(system, [{}])
    with pytest.raises(tt.CheckError, match=r"at t=1; the sides are 0 and without a value"):
        bench.equation("ratio", tt.chain(v[t] - v[t - 1] - 1, 0 / v[t - 1] + 1 / v[t - 1]), numeric="no model")
    judged = bench.equation("inverse", tt.chain(1 / v[t], 1 / (v[t - 1] + 1)), numeric="no model")
    assert (judged.verdict, judged.mutants.survivors) == ("holds", [])
    with pytest.raises(tt.CheckError, match=r"at t=2; the sides are 1 and 2"):
        bench.equation("both", tt.chain(1 / v[t - 1], 2 / v[t - 1]), numeric="no model")
    system[variable("y")[t]] = 1 / v[t - 1]
    with pytest.raises(tt.DerivationError, match=r"has no value at t=1 .*needs an `initial` value"):
        tt.Bench(system, [{}])
