"""A wrong equation of every kind of slip, planted in a true one, is refused by each check on its own and by all."""

from math import tanh

import pytest
from sympy import Integer, Rational
from throughtime.bridge.lfmn import setting
from throughtime.derivation.checks import AtMost, close, holds_in_general, holds_on
from throughtime.derivation.domains import Dimension, Index, domain
from throughtime.derivation.errors import CheckError
from throughtime.derivation.mutants import KINDS, mutants
from throughtime.derivation.nodes import Activation, Modulus, d, parameter, sequence, sum_over, variable
from throughtime.derivation.statement import Setting
from throughtime.derivation.system import System
from throughtime.derivation.systems import lfmn as s
from throughtime.derivation.unroll import Unrolled

SETTING = setting()
LEFT = d(s.cost[s.t], s.u_hid[s.j_n])
TRUE = SETTING.derive(s.cost[s.t], s.u_hid[s.j_n]).result
PLANTED = [(LEFT, mutant) for mutant in mutants(TRUE, LEFT)]

# Two units side by side, whose indices can be mistaken for each other.
other = Index("l", s.H_net)
PAIR = s.net_hid[s.j_n, s.t] - s.current[other, s.t]
inputs = [sum_over(s.k, s.w_hid[unit, s.k] * s.x[s.k, s.t]) for unit in (s.j_n, other)]
PAIR_TRUE = s.u_hid[s.j_n] * s.net_hid[s.j_n, s.t - 1] + inputs[0] - inputs[1]
PLANTED += [(PAIR, mutant) for mutant in mutants(PAIR_TRUE, PAIR) if mutant.kind == "index"]
COST, COST_TRUE = s.cost[s.t], sum_over(s.i, (s.y[s.i, s.t] - s.target[s.i, s.t]) ** 2)
PLANTED += [(COST, mutant) for mutant in mutants(COST_TRUE, COST) if mutant.kind in ("exponent", "limit")]
FIRST = {kind: next((left, m.expr) for left, m in PLANTED if m.kind == kind) for kind in KINDS}


def test_true_equation_holds() -> None:
    statement = SETTING.equation("true", (LEFT, TRUE))
    assert statement.verdict == SETTING.equation("pair", (PAIR, PAIR_TRUE)).verdict == "holds"
    assert [outcome.passed for outcome in statement.checks.values()] == [True] * 3
    report = statement.mutants
    assert report.tried == report.rejected + len(report.equal) > 0
    assert all(outcome.count > 0 for outcome in statement.checks.values())


def test_ranges_of_one_letter_stand_in_an_order_that_no_hash_decides() -> None:
    letters = [Index("i", domain(name, Dimension(f"n_{name}"))) for name in ("B", "A")]
    chains = [[variable(f"v_{letter.domain.name}", letter.domain)[letter, s.t]] for letter in letters]
    assert SETTING._ranges(chains) == [r"$i = 1, \dots, n_A$, $i = 1, \dots, n_B$"]


def test_every_kind_of_slip_can_be_planted() -> None:
    assert {mutant.kind for _, mutant in PLANTED} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_planted_equation_is_refused(kind) -> None:
    with pytest.raises(CheckError, match="is wrong as printed, and no correction is given"):
        SETTING.equation("planted", FIRST[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_each_check_rejects_it_on_its_own(kind) -> None:
    chains = [FIRST[kind]]
    assert holds_in_general(SETTING.reducer, chains).passed is False
    assert holds_on(SETTING.witnesses, chains).passed is False
    assert holds_on([SETTING.model], chains, close).passed is False


def test_wrong_print_with_its_correction_gets_a_counterexample() -> None:
    _, wrong = FIRST["sign"]
    statement = SETTING.equation("sign", (LEFT, wrong), corrected=[(LEFT, TRUE)])
    assert statement.verdict == "corrected"
    assert "the printed right side is" in statement.counterexample


def test_correction_of_what_holds_is_refused() -> None:
    with pytest.raises(CheckError, match="holds as printed, yet a correction is given"):
        SETTING.equation("superfluous", (LEFT, TRUE), corrected=[(LEFT, TRUE)])


def test_wrong_correction_is_refused() -> None:
    with pytest.raises(CheckError, match="general check failed"):
        SETTING.equation("wrong twice", FIRST["sign"], corrected=[FIRST["factor"]])


def test_zero_is_put_to_the_test_too() -> None:
    zero = d(s.current[s.j, s.t], s.u_hid[s.j_n])
    report = SETTING.equation("empty", (zero, 0 * s.t)).mutants
    assert (report.tried, report.rejected) == (2, 2)


def test_witness_without_elements_proves_nothing() -> None:
    empty = Unrolled(SETTING.system, {**SETTING.sizes[0], s.r_h: 0}, 2)
    outcome = holds_on([empty], [(LEFT, TRUE)])
    assert outcome.passed is False
    assert "no place where both can be read" in outcome.reason
    assert holds_on([empty], [(s.cost[s.t], sum_over(s.i, (s.y[s.i, s.t] - s.target[s.i, s.t]) ** 2))]).passed


def test_correction_is_put_to_the_instances_even_where_only_a_bound_was_wrong() -> None:
    """h(t-1) = f(z(t-1)) fails at t = 1, where h(0) = 0: for all times alike it is true, and the instances judge it."""
    t, u, f = s.t, parameter("u"), Activation("f")
    z, h, x = variable("z"), variable("h"), sequence("x")
    system = System("one unit")
    system[z[t]], system[h[t]] = u[()] * h[t - 1] + x[t], f(z[t])
    orders = (tanh, lambda z: 1 - tanh(z) ** 2, lambda z: -2 * tanh(z) * (1 - tanh(z) ** 2))
    bench = Setting(system, [{}], activations={"f": lambda z, order: orders[order](z)})
    sharp = {"slopes": {"f": Integer(1)}, "zeros": ["x"], "numeric": "no model"}
    left, exact = Modulus(d(h[t], z[t])), Modulus(f.prime(z[t]))
    printed, better = (left, exact, AtMost(Rational(1, 2))), (left, exact, AtMost(Integer(1)))
    assert bench.equation("bound", printed, corrected=[better], **sharp).verdict == "corrected"
    with pytest.raises(CheckError, match=r"instance check failed: f\(z\(t-1\)\) is not h\(t-1\) at t=1"):
        bench.equation("bound", printed, corrected=[better, (h[t - 1], f(z[t - 1]))], **sharp)
