"""Slips of every kind, planted in a true equation, are refused by each check alone and by all together."""

from dataclasses import replace
from math import tanh
from time import process_time

import pytest
from book.lfmn.bench import make_bench
from sympy import Integer, Rational
from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.chains import AtMost
from throughtime.derivation.formulas.domains import Dimension, Index, domain
from throughtime.derivation.formulas.errors import CheckError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import Activation, Modulus, d, parameter, sequence, sum_over, variable
from throughtime.derivation.judging.bench import Bench, _ranges, show
from throughtime.derivation.judging.checks import holds_in_general, holds_on
from throughtime.derivation.judging.judge import reset_statements
from throughtime.derivation.judging.mutants import KINDS, mutants
from throughtime.systems import lfmn as s

SETTING = replace(make_bench(), sources={})  # with names of our own
LEFT = d(s.cost[s.t], s.u_hid[s.j_n])
TRUE = SETTING.derive(s.cost[s.t], s.u_hid[s.j_n]).result
PLANTED = [(LEFT, mutant) for mutant in mutants(TRUE, LEFT)]

# Two units with different indices over one domain, for slips that swap the indices.
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
    assert report.tried == report.rejected + report.equal > 0
    assert all(outcome.count > 0 for outcome in statement.checks.values())


def test_ranges_of_one_letter_stand_in_an_order_that_no_hash_decides() -> None:
    letters = [Index("i", domain(name, Dimension(f"n_{name}"))) for name in ("B", "A")]
    chains = [[variable(f"v_{letter.domain.name}", letter.domain)[letter, s.t]] for letter in letters]
    assert _ranges(chains) == [r"$i = 1, \dots, n_A$, $i = 1, \dots, n_B$"]


def test_every_kind_of_slip_can_be_planted() -> None:
    assert {mutant.kind for _, mutant in PLANTED} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_planted_equation_is_refused(kind) -> None:
    with pytest.raises(CheckError, match="is wrong as printed, and no correction is given"):
        SETTING.equation("planted", FIRST[kind])


# In general a second or two each; tests/derivation/deriving/test_reduce.py puts slips in smaller networks.
SLOW = [pytest.param(kind, marks=pytest.mark.nightly) for kind in ("sign", "time", "factor", "slope", "exponent")]


@pytest.mark.parametrize("kind", [*SLOW, "index", "term", "limit"])
def test_each_check_rejects_it_on_its_own(kind) -> None:
    chains = [FIRST[kind]]
    assert holds_in_general(SETTING.reducer, chains).passed is False
    assert holds_on(SETTING.witnesses, chains).passed is False
    assert SETTING.on_model(chains).passed is False


def test_wrong_print_with_its_correction_gets_a_counterexample() -> None:
    _, wrong = FIRST["sign"]
    statement = SETTING.equation("sign", (LEFT, wrong), corrected=[(LEFT, TRUE)])
    assert statement.verdict == "corrected"
    assert "the printed right side is" in statement.counterexample


def test_correction_of_what_holds_is_refused() -> None:
    with pytest.raises(CheckError, match="holds as printed, yet a correction is given"):
        SETTING.equation("superfluous", (LEFT, TRUE), corrected=[(LEFT, TRUE)])


def test_wrong_correction_is_refused() -> None:
    start = process_time()
    with pytest.raises(CheckError, match=r"corrected form is not true: .* at j=3, t=2; the sides are 11\.2403"):
        SETTING.equation("wrong twice", FIRST["sign"], corrected=[FIRST["factor"]])
    assert process_time() - start < 2  # a proof is not tried where numbers refuse


def test_wrong_line_of_a_derivation_is_refused_with_its_place() -> None:
    derivation = SETTING.derive(s.cost[s.t], s.u_hid[s.j_n])
    wrong = Derivation(derivation.left, (*derivation.lines[:-1], replace(derivation.lines[-1], expr=FIRST["sign"][1])))
    with pytest.raises(CheckError, match=r"instance check failed: .* at j=3, t=2; the sides are"):
        SETTING.equation("wrong line", (LEFT, TRUE), derivations=[wrong])


def test_zero_is_put_to_the_test_too() -> None:
    zero = d(s.current[s.j, s.t], s.u_hid[s.j_n])
    report = SETTING.equation("empty", (zero, 0 * s.t)).mutants
    assert (report.tried, report.rejected) == (2, 2)


def test_witness_without_elements_proves_nothing() -> None:
    empty = ExactInstance(SETTING.system, {**SETTING.sizes[0], s.r_h: 0}, 2)
    outcome = holds_on([empty], [(LEFT, TRUE)])
    assert outcome.passed is False
    assert "no place where both sides can be read" in outcome.reason
    assert holds_on([empty], [(s.cost[s.t], sum_over(s.i, (s.y[s.i, s.t] - s.target[s.i, s.t]) ** 2))]).passed


def test_correction_is_put_to_the_instances_even_where_only_a_bound_was_wrong() -> None:
    """h(t-1) = f(z(t-1)) is provable for generic t and false at t = 1, where h(0) = 0; only the instances refuse it."""
    t, u, f = s.t, parameter("u"), Activation("f")
    z, h, x = variable("z"), variable("h"), sequence("x")
    system = System("one unit")
    system[z[t]], system[h[t]] = u[()] * h[t - 1] + x[t], f(z[t])
    orders = (tanh, lambda z: 1 - tanh(z) ** 2, lambda z: -2 * tanh(z) * (1 - tanh(z) ** 2))
    bench = Bench(system, [{}], activations={"f": lambda z, order: orders[order](z)})
    sharp = {"slopes": {"f": Integer(1)}, "zeros": ["x"], "numeric": "no model"}
    left, exact = Modulus(d(h[t], z[t])), Modulus(f.prime(z[t]))
    printed, better = (left, exact, AtMost(Rational(1, 2))), (left, exact, AtMost(Integer(1)))
    assert bench.equation("bound", printed, corrected=[better], **sharp).verdict == "corrected"
    with pytest.raises(CheckError, match=r"corrected form is not true: f\(z\(t-1\)\) is not h\(t-1\) at t=1"):
        bench.equation("bound", printed, corrected=[better, (h[t - 1], f(z[t - 1]))], **sharp)


# what is no statement


def test_form_that_is_no_chain_is_refused_with_the_word_to_use() -> None:
    left, right = d(s.cost[s.t], s.u_hid[s.j_n]), TRUE
    for printed in (left, left == right, "C = 1"):
        with pytest.raises(TypeError, match=r"^x: printed: expected chain\(left, right\), got"):
            SETTING.equation("x", printed, right)
        with pytest.raises(TypeError, match=r"^x: corrected: expected chain\(left, right\), got"):
            SETTING.equation("x", (LEFT, TRUE), corrected=[printed])


def test_quantity_that_the_system_does_not_define_is_refused() -> None:
    forgotten = variable("forgotten", s.H_net)
    for left in (d(s.cost[s.t], forgotten[s.j_n, s.t]), forgotten[s.j_n, s.t]):
        for chains in ({"corrected": [(left, 0 * s.t)]}, {}):
            printed = FIRST["sign"] if chains else (left, 0 * s.t)
            with pytest.raises(UndefinedQuantityError, match=r"^x: .* does not define forgotten, read in "):
                SETTING.equation("x", printed, **chains)
    with pytest.raises(UndefinedQuantityError):
        SETTING.equation("x", (Modulus(s.net_hid[s.j_n, s.t]), AtMost(Modulus(forgotten[s.j_n, s.t]))))


def test_two_formulas_cannot_have_one_id() -> None:
    for _ in range(2):
        assert SETTING.equation("twice", (LEFT, TRUE)).verdict == "holds"
    with pytest.raises(CheckError, match=r"twice: another statement has this id.*reset_statements\('twice'\)"):
        SETTING.equation("twice", (PAIR, PAIR_TRUE))
    reset_statements("twice")
    assert SETTING.equation("twice", (PAIR, PAIR_TRUE)).verdict == "holds"


def test_refused_statement_leaves_its_id_free() -> None:
    with pytest.raises(CheckError):
        SETTING.equation("tried", FIRST["sign"])
    assert SETTING.equation("tried", (LEFT, TRUE)).verdict == "holds"


# a net that is too short


def vanilla(length: int | None = None) -> tuple[Bench, Derivation]:
    """h(t) = f(U h(t-1) + W x(t)), and its derivation with respect to W."""
    n, m = Dimension("n"), Dimension("m")
    H, X, t = domain("H", n), domain("X", m), s.t
    i, j, p, k, q = Index("i", H), Index("j", H), Index("p", H), Index("k", X), Index("q", X)
    w, u, x, h = parameter("w", H, X), parameter("u", H, H), sequence("x", X), variable("h", H)
    system = System("vanilla")
    system[h[i, t]] = Activation("f")(sum_over(k, w[i, k] * x[k, t]) + sum_over(j, u[i, j] * h[j, t - 1]))
    bench = Bench(system, sizes=[{n: 2, m: 2}], **({} if length is None else {"length": length}))
    return bench, bench.derive(h[i, t], w[p, q])


def test_vanilla_network_of_default_length_is_shown_and_judged() -> None:
    counts = []
    for length in (None, 5):
        bench, derivation = vanilla(length)
        shown = show(bench, derivation).mutants
        judged = bench.equation("vanilla", (derivation.left, derivation.result), numeric="no model").mutants
        assert shown == judged
        assert shown.passed
        counts.append((shown.tried, shown.rejected, shown.equal))
    assert counts[0] == counts[1]


def test_one_unit_is_enough_since_mutants_are_put_to_more() -> None:
    n = Dimension("n")
    H = domain("H", n)
    i, j, t, w, x, v = Index("i", H), Index("j", H), s.t, parameter("w", H, H), sequence("x", H), variable("v", H)
    system = System("one layer")
    system[v[i, t]] = sum_over(j, w[i, j] * x[j, t])
    bench = Bench(system, [{n: 1}])
    assert bench.equation("small", (v[i, t], sum_over(j, w[i, j] * x[j, t])), numeric="no model").mutants.passed
    assert show(bench, bench.derive(v[i, t], x[j, t])).mutants.passed
