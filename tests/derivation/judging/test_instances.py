"""A false equation is refused by numbers wherever its form hides that it is false; a true one is asked something."""

import pytest
import throughtime as tt
from one_layer import U, a, b, f, h, i, j, k, loss, m, n, p, s, t, u, units, w, x
from sympy import Add, expand, prod
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import least_length
from throughtime.derivation.formulas.chains import chain
from throughtime.derivation.formulas.domains import LENGTH as T
from throughtime.derivation.formulas.errors import CheckError
from throughtime.derivation.formulas.nodes import Delta, d, parameter, partial, product_over, sum_over, time, variable
from throughtime.derivation.judging.bench import Bench
from throughtime.derivation.judging.checks import holds_in_general

r, l, q = time("r"), time("l"), tt.lag("q")
y, z, g = variable("y"), parameter("z", units), tt.Activation("g")


def independent() -> System:
    """Units that do not read each other, and a signal that is 0 before time 1 and 1 from then on."""
    net = System("independent units", t)
    net[a[i, t]] = u[i] * h[i, t - 1] + sum_over(j, w[i, j] * x[j, t]) + b[i]
    net[h[i, t]] = f(a[i, t])
    net[y[t]] = 1
    net[loss] = sum_over((s, 1, T), i, h[i, s] ** 2)
    return net


BENCH = Bench(independent(), [{n: 2, m: 2}])
LARGE = Bench(independent(), [{n: 3, m: 2}], length=5)


def gap(when, unit=i):
    """0 from time 1 on, where h is what defines it, and -f(0) at time 0."""
    return h[unit, when] - f(a[unit, when])


def slope_gap(when):
    """0 from time 1 on, and not 0 at time 0, where the derivative of h is 0."""
    return d(h[i, when], b[i]) - f.prime(a[i, when]) * (1 + u[i] * d(h[i, when - 1], b[i]))


TWICE = f.prime(a[i, t]) * (1 + u[i] * f.prime(a[i, t - 1]) * (1 + u[i] * d(h[i, t - 2], b[i])))
FALSE = {
    # definitions put in at times that need not be one
    "at one lag": (BENCH, chain(Delta(l, 5) * gap(t - l), 0), "l=5, t=1"),
    "from the end": (BENCH, chain((T - 1) * (T - 2) * (T - 3) * gap(T - t), 0), "t=4, T=4"),
    "two times": (BENCH, chain((t - 1) * (t - 2) * (t - 3) * gap(t - s), 0), "s=4, t=4"),
    "one time, from the end": (BENCH, chain(Delta(t, 5) * gap(T - t), 0), "t=5, T=5"),
    "in sequences of one step": (BENCH, chain(Delta(T, 1) * gap(T - t), 0), "t=1, T=1"),
    "a derivative at one lag": (BENCH, chain(Delta(l, 5) * slope_gap(t - l), 0), "l=5, t=1"),
    # ranges that are empty, and factors that vanish, in short sequences
    "sum that ends early": (BENCH, chain(sum_over((s, 1, t - 3), gap(s - 1)), 0), "t=4"),
    "sum that begins late": (BENCH, chain(sum_over((s, 4, t), gap(t - s)), 0), "t=4"),
    "sum over all times but three": (BENCH, chain(sum_over((s, 1, T - 3), gap(s - 1)), 0), "T=4"),
    "sum over the end": (BENCH, chain(sum_over((s, 4, T), gap(T - s)), 0), "T=4"),
    "two products": (
        BENCH, chain(product_over((s, 4, t), h[i, t - s]), product_over((s, 4, t), f(a[i, t - s]))), "t=4"),
    "one length": (BENCH, chain(Delta(T, 4) * h[i, t - 2], Delta(T, 4) * f(a[i, t - 2])), "t=1, T=4"),
    "both ends cut": (
        BENCH, chain(sum_over((s, 2, T - 2), h[i, t - s]), sum_over((s, 2, T - 2), f(a[i, t - s]))), "t=1, T=4"),
    "factors before a sum": (BENCH, chain((t - 1) * (t - 2) * (t - 3) * sum_over((s, 1, t), gap(s - 1)), 0), "t=4"),
    # sizes
    "as many units as inputs": (BENCH, chain((n - m) * gap(t - 1), 0), "t=1, m=2, n=1"),
    "a delta of two sizes": (BENCH, chain((1 - Delta(n, m)) * gap(t - 1), 0), "t=1, m=2, n=1"),
    "mean over the other size": (
        BENCH, chain(sum_over(k, gap(t - 1, k)) / n, sum_over(k, gap(t - 1, k)) / m), "t=1, m=2, n=1"),
    "a recursion unrolled twice": (BENCH, chain((n - m) * (d(h[i, t], b[i]) - TWICE), 0), "t=1, m=2, n=1"),
    "the third unit": (BENCH, chain(Delta(i, 3) * gap(t - 1), 0), "i=3, t=1"),
    "neither of two units": (BENCH, chain((1 - Delta(i, 1)) * (1 - Delta(i, 2)) * gap(t - 1), 0), "i=3, t=1"),
    "a fourth unit": (LARGE, chain(Delta(i, 4) * gap(t - 1), 0), "i=4, t=1"),
    "one unit more than inputs": (LARGE, chain((n - m - 1) * gap(t - 1), 0), "t=1, m=2, n=1"),
    "a single unit": (BENCH, chain(Delta(n, 1) * gap(t - 1), 0), "t=1, n=1"),
    "six units": (BENCH, chain(Delta(n, 6) * gap(t - 1), 0), "t=1, n=6"),
    "two to five units": (BENCH, chain((n - 2) * (n - 3) * (n - 4) * (n - 5) * gap(t - 1), 0), "t=1, n=1"),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_what_the_setting_does_not_show_is_refused_with_place_and_numbers(name) -> None:
    bench, equation, place = FALSE[name]
    with pytest.raises(CheckError, match=rf"is wrong as printed.* at (i=\d, )?{place}; the sides are"):
        bench.equation(name, equation, numeric="no model")


POLYNOMIALS = {  # 0 for all small sizes or lengths, multiplied out so that no factor is 0
    "three sizes": (n - 2) * (m - 2) * (n - m) + t - 1,
    "sizes and lengths": (n - 2) * (m - 2) * (n - 3) * (T - 3) + t - 1,
    "eight sizes": prod(n - one for one in range(1, 9)) + t - 1,
    "fourteen lengths": prod(T - one for one in range(1, 15)) + t - 1,
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_polynomial_that_is_zero_for_most_sizes_is_wrong(name) -> None:
    terms = Add(*(term * gap(t - 1) for term in Add.make_args(expand(POLYNOMIALS[name]))))
    with pytest.raises(CheckError, match="is wrong as printed"):
        BENCH.equation(name, chain(terms, 0), numeric="no model")


@pytest.mark.parametrize("name", ["at one lag", "two products", "a single unit"])
def test_a_step_of_a_proof_is_asked_like_an_equation(name) -> None:
    bench, equation, place = FALSE[name]
    with pytest.raises(CheckError, match=rf"at (i=\d, )?{place}; the sides are"):
        tt.prove(tt.derived(name, bench, equation, numeric="no model"))


@pytest.mark.parametrize(
    ("formula", "what"),
    [
        (Delta(l, 50) * gap(t - l), r"delta\[50,l\] is 0"),
        (sum_over((s, 1, t - 40), gap(s - 1)), "a range that is empty"),
        (Delta(n, 20) * gap(t - 1), r"delta\[20,n\] is 0"),
    ],
)
def test_what_is_asked_nowhere_is_refused(formula, what) -> None:
    with pytest.raises(CheckError, match=f"instance check failed: .*{what} at every place that was asked"):
        BENCH.equation("nowhere", chain(formula, 0), numeric="no model")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sum_over((s, 1, T), h[i, s + 1]), sum_over((s, 1, T), f(a[i, s + 1]))),
        (h[i, t] * x[j, t + T], f(a[i, t]) * x[j, t + T]),
    ],
)
def test_what_can_be_read_nowhere_is_not_called_wrong(left, right) -> None:
    nowhere = "^(?!.*wrong as printed).*no place where both sides can be read; .*larger `length`"
    with pytest.raises(CheckError, match=nowhere):
        BENCH.equation("nowhere", chain(left, right), numeric="no model")
    with pytest.raises(CheckError, match=nowhere):
        BENCH.equation(
            "nowhere", chain(u[i], 2 * u[i]), corrected=[chain(u[i], u[i] + left - right)], numeric="no model"
        )


def test_a_longer_setting_asks_what_needs_it() -> None:
    bench = Bench(independent(), [{n: 1, m: 1}], length=20)
    with pytest.raises(CheckError, match=r"wrong as printed.* l=15, t=1;"):
        bench.equation("late", chain(Delta(l, 15) * gap(t - l), 0), numeric="no model")


def test_both_sides_0_everywhere_say_nothing_unless_one_is_written_so() -> None:
    net = System("nothing", t)
    net[h[i, t]] = u[i] * h[i, t - 1]
    bench = Bench(net, [{n: 2}])
    with pytest.raises(CheckError, match="both sides are 0 at every place that was asked"):
        bench.equation("nothing", chain(h[i, t], u[i] * h[i, t - 1]), numeric="no model")
    assert BENCH.equation("zero", chain(d(x[j, t], b[i]), 0), numeric="no model").verdict == "holds"


def test_reach_is_infinite_unless_ranges_or_what_is_read_bound_a_time() -> None:
    reach = BENCH.reducer.reach
    both = [(h[i, t - 2], f(a[i, t - 2])), (h[i, t], f(a[i, t]))]
    assert holds_in_general(BENCH.reducer, both).reach == 2
    assert reach(gap(t - l), 0) == float("inf")
    assert reach(product_over((s, 1, t - 1), h[i, t - s]), product_over((s, 1, t - 1), f(a[i, t - s]))) == 0
    assert reach(product_over((s, 1, t), h[i, t - s]), product_over((s, 1, t), f(a[i, t - s]))) == 1
    by_state = d(h[i, t], h[i, t - l])
    assert [reach(by_state * h[i, t - back], by_state * f(a[i, t - back])) for back in (l, l + 1)] == [0, 1]
    judged = BENCH.equation("window", chain(u[i] * h[i, t - l], u[i] * (h[i, t - l] + 0 * b[i])), numeric="no model")
    assert judged.checks["general"].reach == 0


def skipping() -> System:
    """Two lags, and a learnt start behind an activation."""
    net = System("a start and a skip", t)
    inner = sum_over(k, U[i, k] * h[k, t - 1]) + u[i] * h[i, t - 3] + sum_over(j, w[i, j] * x[j, t])
    net[a[i, t]] = inner
    net[h[i, t]] = f(a[i, t])
    net.initial(h[i, 0], g(z[i]))
    net[loss] = sum_over((s, 1, T), i, h[i, s] ** 2)
    return net


@pytest.mark.parametrize("sizes", [{n: 1, m: 1}, {n: 2, m: 1}], ids=str)
def test_a_true_derivation_is_shown_with_any_sizes(sizes) -> None:
    bench = Bench(skipping(), [sizes])
    for weight in (U[p, k], u[p], w[p, j], z[p]):
        tt.show(bench, bench.derive(h[i, t], weight))
        tt.show(bench, bench.derive_gradient(loss, weight))


def test_letters_over_one_element_are_that_element() -> None:
    """A shift register: what a slip makes of the only element is the same, and shown to be."""
    first = tt.domain("first", 1)
    taps = tt.union("taps", first, tt.domain("rest", n, after=first))
    o, e, r = tt.Index("o", taps), tt.Index("e", first), tt.Index("r", taps.parts[1])
    c, kept, y = parameter("c", taps), variable("kept", taps), variable("y")
    net = System("register", t)
    net[kept[e, t]] = y[t - 1]
    net[kept[r, t]] = kept[r - 1, t - 1]
    net[y[t]] = f(sum_over(o, c[o] * kept[o, t]))
    net[loss] = sum_over((s, 1, T), y[s] ** 2)
    bench = Bench(net, [{n: 2}])
    tt.show(bench, bench.derive_backward(loss, kept[e, t]))
    tt.show(bench, bench.derive(y[t], c[o]))
    tt.show(bench, bench.derive_gradient(loss, c[o]))  # all taps are 0 at time 1: other starts tell where it begins


def test_sizes_that_differ_are_asked_in_the_shortest_sequence_too() -> None:
    """At T = 1 alone the definition is put in too early, and the factor is 0 unless the sizes differ."""
    with pytest.raises(CheckError, match=r"is wrong as printed.*T=1"):
        BENCH.equation("sizes and length", chain((n - m) * gap(T - 1), 0), numeric="no model")


@pytest.mark.parametrize("factor", [U[i, k] - U[i, p], U[i, 1] - U[i, 2], U[i, k] + U[i, p]], ids=str)
def test_numbers_that_coincide_hide_nothing(factor) -> None:
    with pytest.raises(CheckError, match="is wrong as printed"):
        Bench(skipping(), [{n: 2, m: 2}]).equation("coincide", chain(factor * gap(t - 1), 0), numeric="no model")


def test_no_two_numbers_of_an_instance_have_one_modulus() -> None:
    net = tt.ExactInstance(skipping(), {n: 3, m: 4}, 6)
    slopes = [net.value(f.prime(a[unit, when]), {}) for unit in (1, 2, 3) for when in range(1, 7)]
    drawn = [*map(abs, (*net.given.values(), *slopes))]
    states = [abs(value) for (quantity, *_), value in net.trace.items() if quantity == h]
    assert len({*drawn, *states}) == len(drawn) + len(states) == 3 + 9 + 3 + 12 + 24 + 18 + 18
    assert not {0, 1} & {*drawn}  # whose powers are all alike


def pulse(when):
    """1 at time 4, else 0."""
    return y[when - 3] * (1 - y[when - 4])


APART = (1 - Delta(i, p)) * (1 - Delta(i, k)) * (1 - Delta(p, k))
FEW = {
    "a product of two times": (h[i, t - 3] * (h[i, t - 4] - f(a[i, t - 4])), "i=1, t=4"),
    "a derivative": (d(h[i, t - 3], u[i]) * (h[i, t - 5] - f(a[i, t - 5])), "i=1, t=5"),
    "a pulse": (pulse(t), "t=4"),
    "a late pulse": (pulse(t - 9), "t=13"),
    "a sum over the sequence": (sum_over((s, 1, T), pulse(s)), "T=4"),
    "one length alone": (sum_over((s, 1, T), pulse(s) - pulse(s - 1)), "T=4"),
    "a sum over a window": (sum_over((s, t - 3, t), pulse(s - 2)), "t=6"),
    "the end": (pulse(T), "T=4"),
    "a definition before the end": (h[i, T - 2] - f(a[i, T - 2]), "i=1, T=1"),
    "the end of a loss": (loss * pulse(T), "T=4"),
    "an adjoint": (d(loss, h[i, t]) * pulse(T - 1), "i=1, t=1, T=5"),
    "an immediate derivative": (partial(a[i, t - 4], b[i]) - 1, "i=1, t=1"),
    "a size that the bench does not have": ((n - 2) * pulse(t), "t=4, n=1"),
    "more units than the bench has": (APART * pulse(t), "i=1, k=2, p=3, t=4"),
    "a time between others": (pulse(t) * y[t - 5] + pulse(t - 1) * y[t - 4], "t=5"),
}


@pytest.mark.parametrize("name", FEW)
def test_what_fails_at_a_few_times_is_refused_with_place_and_numbers(name) -> None:
    formula, place = FEW[name]
    message = rf"wrong as printed, and no correction is given: 0 is not .* at {place}; the sides are \S+ and 0$"
    with pytest.raises(CheckError, match=message):
        BENCH.equation(name, chain(formula, 0), numeric="no model")


def test_it_gets_a_correction_like_any_other_wrong_print() -> None:
    judged = BENCH.equation(
        "pulse", chain(h[i, t], f(a[i, t]) + pulse(t - 3)), corrected=[chain(h[i, t], f(a[i, t]))], numeric="no model"
    )
    assert judged.verdict == "corrected"
    assert "$t=7$" in judged.counterexample


def test_sequence_is_as_long_as_its_formulas_need() -> None:
    assert least_length(h[i, t]) == 1
    assert least_length(d(h[i, t], h[i, t - 3])) == 4
    assert least_length(h[i, t + 1], x[j, t - 2]) == 4
    assert least_length(h[i, T - 4]) == 5
    assert least_length(h[i, 7]) == 7


def test_equation_that_reaches_further_than_the_setting_is_judged_on_longer_sequences() -> None:
    far = product_over((s, 1, 5), u[i] * f.prime(a[i, t - s + 1]))
    judged = BENCH.equation("far", chain(d(h[i, t], h[i, t - 5]), far), numeric="no model")
    assert judged.verdict == "holds"
    with pytest.raises(CheckError, match="i=1, t=6"):
        BENCH.equation("too far", chain(d(h[i, t], h[i, t - 5]), far * u[i]), numeric="no model")


def test_claim_over_lags_is_put_to_the_instances() -> None:
    factors = product_over((r, 1, q), u[i] * f.prime(a[i, t - r + 1]))
    tt.prove(*tt.by_induction(BENCH, tt.Lemma(d(h[i, t], h[i, t - q]), factors, q)))
    with pytest.raises(CheckError, match=r"instance check failed: .* at i=1, q=0, t=1; the sides are 1 and 0"):
        tt.prove(*tt.by_induction(BENCH, tt.Lemma(d(h[i, t], h[i, t - q]), factors * y[t - q - 1], q)))
    late = tt.Lemma(d(h[i, t], h[i, t - q]), factors * (1 - pulse(t - q - 3)), q)
    with pytest.raises(CheckError, match="t=7; the sides are 1 and 0"):
        tt.prove(*tt.by_induction(BENCH, late))


def test_initial_value_has_no_immediate_derivative() -> None:
    witness = tt.ExactInstance(BENCH.system, {n: 2, m: 1}, 2)
    assert [witness.value(partial(a[1, when], b[1]), {}) for when in (0, 1)] == [0, 1]
    assert BENCH.reducer.equal(partial(a[i, 0], b[i]), 0)
    assert not BENCH.reducer.equal(partial(a[i, 1], b[i]), 0)


def test_terms_that_cancel_by_chance_do_not_let_a_mutant_survive() -> None:
    """With the first numbers that are drawn the first summand is 0."""
    net, c, given = System("a late echo", t), parameter("c"), tt.sequence("x")
    net[y[t]] = c[()] * given[t] + parameter("v")[()] * y[t - 4]
    net.initial(y, 1)
    bench = Bench(net, [{}])
    first = c[()] * given[2] + parameter("v")[()]
    assert bench.exact.at({}, 10).value(first, {}) == 0
    right = sum_over((s, 2, T - 2), c[()] * given[s] + parameter("v")[()] * y[s - 4])
    assert bench.equation("echo", chain(sum_over((s, 2, T - 2), y[s]), right), title="", numeric="no model")
