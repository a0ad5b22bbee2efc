"""False equations that resemble true ones: each is refused, and each test names the difference."""

import pytest
import throughtime as tt
from sympy import Integer, Symbol
from throughtime.derivation import LENGTH as T
from throughtime.derivation import DomainError, Modulus, UndefinedQuantityError, d, parameter, sum_over, variable
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.domains import AsNumber, Index, lies_in
from throughtime.derivation.formulas.nodes import Delta, Truncated
from throughtime.derivation.formulas.rewrite import contract, free, substitute
from throughtime.derivation.judging.checks import upper_bound

n, m = tt.Dimension("n"), tt.Dimension("m")
LOW = tt.domain("low", n)
HIGH = tt.domain("high", m, after=LOW)
ALL = tt.union("all", LOW, HIGH)
i, j = tt.indices("i j", LOW)
t, s, r, q = tt.time("t"), tt.time("s"), tt.time("r"), tt.lag("q")
a, b, u, w = tt.sequence("a"), tt.sequence("b"), parameter("u", LOW), parameter("w", LOW, LOW)
x, y, f, loss = tt.sequence("x", LOW), variable("y", LOW), tt.Activation("f"), tt.scalar("loss")[()]


def net(start=0) -> tt.System:
    system = tt.System("a net")
    system[y[i, t]] = f(sum_over(j, w[i, j] * y[j, t - 1]) + x[i, t])
    system[loss] = sum_over((s, 1, T), i, y[i, s] ** 2) + 0 * a[1]
    system.initial(y, start)
    return system


FALSE_SUMS = {
    "two sums over different times, their letters exchanged": (
        sum_over((s, 1, T), sum_over((r, 1, t), a[s] * b[r])),
        sum_over((s, 1, T), sum_over((r, 1, t), a[r] * b[s])),
    ),
    "a delta at time 0, which the other sum does not reach": (
        sum_over((s, 0, T), sum_over((r, 1, T), Delta(r, s) * a[r])),
        sum_over((s, 0, T), a[s]),
    ),
    "a delta after the last time": (
        sum_over((s, 1, T + 1), sum_over((r, 1, T), Delta(r, s) * a[r])),
        sum_over((s, 1, T + 1), a[s]),
    ),
    "a delta in a sum as long as a layer is wide": (sum_over((s, 1, n), Delta(s, t) * a[s]), a[t]),
    "a delta in a sum over as many steps as a lag says": (
        sum_over((s, 1, q), sum_over((r, 1, T), Delta(r, s) * a[r])),
        sum_over((s, 1, q), a[s]),
    ),
    "an empty product with its first factor divided out": (
        sum_over((s, 0, T), tt.product_over((r, 2, s), a[r])),
        sum_over((s, 0, T), tt.product_over((r, 1, s), a[r]) / a[1]),
    ),
    "a sum that is empty where its last term is taken off": (
        sum_over((s, 3, T), a[s]),
        sum_over((s, 3, T - 1), a[s]) + a[T],
    ),
}


@pytest.mark.parametrize("sides", FALSE_SUMS.values(), ids=FALSE_SUMS)
def test_a_false_equation_between_sums_over_times_is_refused(sides) -> None:
    assert not tt.equal(*sides)
    left_open = Reducer(net()).reach(*sides)
    assert left_open is None or left_open >= 2  # a sequence of two times, which the instances judge
    with pytest.raises(tt.DerivationError, match=r"is wrong as printed|general check failed|can be read"):
        tt.Bench(net(), [{n: 2, m: 2}]).equation("false", tt.chain(*sides), numeric="no model")


def test_deltas_at_times_that_may_lie_outside_stay() -> None:
    for limits in ((0, T), (1, T + 1), (1, q), (t - 1, T)):
        assert contract(sum_over((s, *limits), sum_over((r, 1, T), Delta(r, s) * a[r]))).has(Delta)
    for limits in ((1, T), (1, T - 1), (1, t), (t, T)):
        assert not contract(sum_over((s, *limits), sum_over((r, 1, T), Delta(r, s) * a[r]))).has(Delta)


elsewhere = Index("i", tt.domain("low", m))
NAMESAKES = {
    "a domain": (sum_over(i, Integer(1)), sum_over(elsewhere, Integer(1))),
    "a dimension": (sum_over(i, u[i]), sum_over(i, u[i]) * n / tt.Dimension("n", "N")),
    "a constant": (tt.Constant("M", 1), tt.Constant("M", 2)),
    "a time and a lag": (a[Symbol("q", integer=True)], a[q]),
    "two activations": (f(a[t]), tt.Activation("f", latex="g")(a[t])),
    "a function and an activation": (tt.exp(a[t]), tt.Activation("exp")(a[t])),
    "a weight and a sequence": (w[i, j], tt.sequence("w", LOW, LOW)[i, j, t]),
}


@pytest.mark.parametrize("sides", NAMESAKES.values(), ids=NAMESAKES)
def test_two_things_of_one_name_are_refused(sides) -> None:
    with pytest.raises(tt.DerivationError, match="two different things have the name"):
        Reducer(net()).equal(*sides)


def test_a_letter_of_a_sum_may_be_free_beside_it() -> None:
    left = u[i] * sum_over(i, u[i])
    assert Reducer(net()).equal(left, u[i] * sum_over(j, u[j]))
    assert not Reducer(net()).equal(left, sum_over(i, u[i] ** 2))


FALSE_DERIVATIVES = {
    "by the quantity of another time": (d(y[i, t], y[j, t - 2]), d(y[i, t], y[j, t - 1])),
    "of the quantity of another time": (d(y[i, t], w[i, j]), d(y[i, t - 1], w[i, j])),
    "by the transposed weight": (d(y[i, t], w[i, j]), d(y[i, t], w[j, i])),
    "of the future by the past, reversed": (d(y[i, t], y[j, t - 1]), d(y[j, t - 1], y[i, t])),
    "of itself, not the same unit": (d(y[i, t], y[j, t]), Integer(1)),
    "with a cut that is ignored": (Truncated(y[i, t], w[i, j], tt.cut(y[j, t - 1], into=y)), d(y[i, t], w[i, j])),
    "of a loss after the end": (d(loss, y[i, T + 1]), 2 * y[i, T + 1]),
}


@pytest.mark.parametrize("sides", FALSE_DERIVATIVES.values(), ids=FALSE_DERIVATIVES)
def test_a_false_equation_between_derivatives_is_refused(sides) -> None:
    assert not Reducer(net()).equal(*sides)


def test_initial_states_and_what_comes_after_the_end_have_no_derivatives() -> None:
    reducer = Reducer(net(start=2))
    assert reducer.equal(d(y[i, 0], w[i, j]), Integer(0))
    assert reducer.equal(d(loss, y[i, T + 1]), Integer(0))
    assert not reducer.equal(d(y[i, 1], w[i, j]), Integer(0))
    assert not reducer.equal(d(loss, y[i, T]), Integer(0))
    term = d(loss, y[i, s]) * y[j, s - 1] * f.prime(sum_over(j, w[i, j] * y[j, s - 1]) + x[i, s])
    term = substitute(term, {j: Index("k", LOW)})
    whole = sum_over((s, 1, T), term)
    assert reducer.equal(whole, sum_over((s, 1, T + 1), term))
    assert not reducer.equal(whole, sum_over((s, 2, T), term))
    assert Reducer(net()).equal(whole, sum_over((s, 2, T), term))  # where y(0) is 0


def decays() -> tuple[tt.System, tt.Lemma]:
    """A system whose low and high units decay by different rates, and a lemma on the low units."""
    system, v = tt.System("two kinds"), variable("v", ALL)
    slow, fast = parameter("slow")[()], parameter("fast")[()]
    unit, other = Index("c", ALL), Index("e", LOW)
    for part, rate in ((LOW, slow), (HIGH, fast)):
        system[v[unit.within(part), t]] = rate * v[unit.within(part), t - 1]
    low = unit.within(LOW)
    return system, tt.Lemma(d(v[low, t], v[other, t - q]), Delta(low, other) * slow**q, q)


def test_a_lemma_is_not_used_on_a_computed_place_of_another_part() -> None:
    system, lemma = decays()
    lemma.prove(Reducer(system))
    v, e, high = lemma.left.target.quantity, lemma.left.wrt.indices[0], Index("h", tt.domain("count", m))
    outside, inside = d(v[n + high, t], v[e, t - 1]), d(v[j, t], v[e, t - 1])
    assert lemma.apply(outside) == outside
    assert lemma.apply(inside) == lemma.right.xreplace({q: Integer(1), lemma.left.target.indices[0]: j})


def test_a_lag_that_starts_late_does_not_prove_the_steps_before() -> None:
    """With q >= 1 the induction step from q = 0 to 1 would not be proved."""
    v, late = variable("v"), tt.lag("q", 1)
    with pytest.raises(tt.DerivationError, match="q is a lag from 0 on"):
        tt.Lemma(d(v[t], v[t - late]), 2**late, late)
    with pytest.raises(tt.DerivationError, match="does not count back by a lag"):
        tt.FromTheEnd(d(loss, v[T - late]), 2**late, late)


def test_a_claim_from_the_end_is_silent_before_the_first_time() -> None:
    system, v, rate = tt.System("decay"), variable("v"), parameter("rate")[()]
    system[v[t]] = rate * v[t - 1] + a[t]
    system[loss] = v[T]
    claim = tt.FromTheEnd(d(loss, v[T - q]), rate**q, q)
    claim.prove(Reducer(system))
    for when in (q, Integer(0), T + 1):
        assert claim.apply(d(loss, v[when])) == d(loss, v[when])
    reducer = Reducer(system)
    for limits in ((1, T + 1), (1, q)):
        wrong = sum_over((s, *limits), rate ** (T - s) * a[s])
        assert not reducer.equal(sum_over((s, *limits), d(loss, v[s]) * a[s]), wrong, claim.apply)


@pytest.mark.parametrize("below", [Modulus(u[i] + u[j]), Modulus(f.prime(u[i])), Modulus(sum_over(j, u[j]))], ids=str)
def test_what_is_enlarged_below_a_fraction_bar_makes_no_upper_bound(below) -> None:
    with pytest.raises(tt.DerivationError, match="stands below a fraction bar"):
        upper_bound(1 / below, {"f": Integer(1)})


@pytest.mark.parametrize(("size", "length"), [(1, 1), (1, 3), (2, 1), (0, 2)])
def test_a_setting_too_small_to_tell_accepts_nothing_false(size, length) -> None:
    bench = tt.Bench(net(), [{n: size}], length)
    k = Index("k", LOW)
    for left, right in (
        (d(y[i, t], y[j, t - 1]), w[j, i] * f.prime(sum_over(k, w[i, k] * y[k, t - 1]) + x[i, t])),
        (d(y[i, t], y[i, t - 1]), w[i, i]),
        (loss, sum_over((s, 2, T), i, y[i, s] ** 2)),
        (sum_over(i, y[i, t]), y[i, t]),
    ):
        with pytest.raises(tt.CheckError):
            bench.equation("false", (left, right), numeric="no model")


def test_nothing_is_no_statement() -> None:
    bench = tt.Bench(net(), [{n: 2}])
    for chains in ((), ((y[i, t],),), ((Modulus(y[i, t]), tt.AtMost(Integer(0))),)):
        with pytest.raises(tt.CheckError):
            bench.equation("nothing", *chains, numeric="no model")


def test_the_number_of_an_index_stands_where_another_range_is_meant() -> None:
    high = Index("h", HIGH)
    assert AsNumber(high) != high
    assert AsNumber(Integer(3)) == 3
    assert free(AsNumber(high)) == {high}
    assert str(AsNumber(high)) == "h"
    assert AsNumber(high).latex == high.latex
    assert substitute(AsNumber(high), {high: Integer(2)}) == 2
    assert isinstance(u[AsNumber(high)], tt.Ref)
    with pytest.raises(DomainError, match="index h in place 1 runs over high, expected low"):
        u[high]


def test_the_number_of_an_index_is_read_as_a_number() -> None:
    """An index of another range, used as a number, selects the weight of that number in `low`, or none."""
    count = Index("c", tt.domain("count", m))
    witness = tt.ExactInstance(net(), {n: 2, m: 3}, 1)
    reads = [witness.value(u[AsNumber(count)], {count: Integer(place)}) for place in (1, 2)]
    assert reads == [witness.value(u[i], {i: Integer(place)}) for place in (1, 2)]
    with pytest.raises(DomainError, match="index 3 lies outside low"):
        witness.value(u[AsNumber(count)], {count: Integer(3)})
    assert witness.value(Delta(AsNumber(count), i), {count: Integer(2), i: Integer(2)}) == 1


def test_nothing_is_assumed_of_where_the_number_of_an_index_lies() -> None:
    count = Index("c", tt.domain("count", m))
    assert not lies_in(AsNumber(count), LOW)
    assert not tt.equal(u[AsNumber(i)], u[i])
    assert not tt.equal(Delta(AsNumber(count), i), Integer(0))
    assert not tt.equal(sum_over(i, Integer(1)) * u[AsNumber(j)], sum_over(i, Integer(1)) * u[j])
    with pytest.raises(DomainError, match="c may lie outside"):
        contract(sum_over(i, Delta(AsNumber(count), i) * u[i]))


LOST = variable("lost", LOW)
UNDEFINED = {
    "a quantity below an immediate derivative": lambda bench: bench.reducer.equal(tt.partial(y[i, t], LOST[i, t]), 0),
    "a target": lambda bench: bench.derive(LOST[i, t], u[j]),
    "what it is derived by": lambda bench: bench.derive(y[i, t], LOST[j, t]),
    "an adjoint": lambda bench: bench.derive_backward(loss, LOST[i, t]),
    "a claim over lags": lambda bench: tt.prove(
        *tt.by_induction(bench, tt.Lemma(d(LOST[i, t], LOST[j, t - q]), Delta(i, j), q))
    ),
}


@pytest.mark.parametrize("what", UNDEFINED)
def test_quantity_that_the_system_does_not_define_is_refused(what) -> None:
    with pytest.raises(UndefinedQuantityError, match="lost"):
        UNDEFINED[what](tt.Bench(net(), [{n: 2}]))
