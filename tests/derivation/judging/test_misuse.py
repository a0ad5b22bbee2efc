"""What is handed in wrongly is refused by one family of errors, with what was given and what was expected."""

import pytest
import throughtime as tt
from sympy import Abs, Mod
from throughtime.derivation import Modulus, parameter, scalar, sequence, sum_over, time, variable
from throughtime.derivation.formulas.errors import (
    CutError,
    DerivationError,
    DomainError,
    MisuseError,
    UndefinedQuantityError,
)

n, t, s = tt.Dimension("n"), time("t"), time("s")
units = tt.domain("units", n)
i, j = tt.indices("i j", units)
OWN, y = tt.Index("i#0", units), variable("y", units)
x, h, a = sequence("x", units), variable("h", units), variable("a", units)
u, loss = parameter("u")[()], scalar("L")[()]
SYSTEM = tt.System("leak", t)
SYSTEM[a[i, t]] = x[i, t] + h[i, t - 1]
SYSTEM[h[i, t]] = u * a[i, t]
SYSTEM[loss] = sum_over(i, h[i, 1])
BENCH = tt.Bench(SYSTEM, [{n: 2}])
ONE, FAR = (tt.cut(h[i, t - lag], into=a) for lag in (1, 4))

MISUSED = [
    (MisuseError, r"sizes: got {n: 2}, expected a list of dicts", lambda: tt.Bench(SYSTEM, {n: 2})),
    (MisuseError, "length: got 0, expected an integer", lambda: tt.Bench(SYSTEM, [{}], length=0)),
    (MisuseError, r"printed: expected chain\(left, right\), got h", lambda: BENCH.equation("a", h[i, t])),
    (CutError, r"cut\(h, into=a\): expected a reference and a quantity", lambda: tt.cut(h, into=a)),
    (CutError, r"into=a\[i\]\(t\)\): expected a reference", lambda: tt.cut(h[i, t - 1], into=a[i, t])),
    (CutError, r"cuts: got h\(t - 1\) in a, expected a list of cuts", lambda: BENCH.derive(h[i, t], u, cuts=ONE)),
    (CutError, r"cuts: got \[h\[i\]\(t-1\)\], ex", lambda: BENCH.derive_backward(loss, h[i, t], cuts=[h[i, t - 1]])),
    (CutError, r"the time is t \+ 1, expected t or t - n", lambda: tt.cut(h[i, t + 1], into=a)),
    (CutError, "names no dependence of the system", lambda: BENCH.derive(h[i, t], u, cuts=[FAR])),
    (DerivationError, "wrt: t is not an element of a quantity", lambda: BENCH.derive(h[i, t], t)),
    (DerivationError, "that the system defines once", lambda: BENCH.derive_backward(h[i, t], a[i, t])),
    (DerivationError, "h is no given sequence, which alone can be", lambda: tt.System("net").given_from(h, 0)),
    (DerivationError, "False is equated .* write a comma", lambda: tt.chain(h[i, t] == a[i, t])),
    (DerivationError, "i#0: the engine keeps #", lambda: BENCH.reducer.equal(sum_over(OWN, h[OWN, t]), 0)),
    (DerivationError, "^x: got Domain", lambda: x[units, t]),
    (DerivationError, "^x: got 'i' of type str, expected a number or an expression of SymPy's$", lambda: x["i", t]),
    (DerivationError, "^limit of s: got None of type NoneType, expected a", lambda: sum_over((s, 1, None), x[1, s])),
    (DomainError, "i: an index runs over its domain, a time from a first to a", lambda: sum_over((i, 1, 2), x[i, t])),
    (DomainError, "s: an index runs over its domain", lambda: tt.product_over(s, x[1, s])),
    (DomainError, "dimension T: T is the length of a sequence", lambda: tt.Dimension("T")),
    (UndefinedQuantityError, "which the system does not define", lambda: SYSTEM.initial(y[i, 0], 1)),
]


@pytest.mark.parametrize(("kind", "message", "misuse"), MISUSED)
def test_misuse_says_what_was_given_and_what_was_expected(kind, message, misuse) -> None:
    with pytest.raises(DerivationError, match=message) as refusal:
        misuse()
    assert refusal.type is kind


def test_cuts_may_come_as_any_collection() -> None:
    results = [BENCH.derive(h[i, t], u, cuts=cuts).result for cuts in ([ONE], (ONE,), iter([ONE]), {ONE})]
    assert len(set(results)) == 1
    assert BENCH.derive_gradient(loss, u, cuts=tt.cut_set("one", ONE)).lines


NO_RULE = {
    "abs": (Abs(u) * x[i, t], r"write relu\(z\) \+ relu\(-z\) for abs\(z\)"),
    "the engine's modulus": (Modulus(u) * x[i, t], r"write relu\(z\) \+ relu\(-z\)"),
    "a period": (Mod(t, 3) * u * x[i, t], "give what has a period as a sequence, with mask=True"),
    "a learnt exponent": (x[i, t] ** u, r"write exp\(a\*log\(x\)\)"),
    "taps by an index": (sum_over(j, u * x[j, t - j]), r"expected a time t or t - n; taps .* are a shift register"),
    "looking ahead": (u * h[i, t + 1], "looks ahead to .* on the reversed sequence"),
}


def derived(right) -> None:
    system = tt.System("one", t)
    system[h[i, t]] = right
    bench = tt.Bench(system, [{n: 2}])
    tt.show(bench, bench.derive(h[i, t], u))


@pytest.mark.parametrize(("right", "way"), NO_RULE.values(), ids=NO_RULE)
def test_what_has_no_rule_is_refused_with_the_way_out(right, way) -> None:
    with pytest.raises(DerivationError, match=way):
        derived(right)


def test_the_ways_out_lead_out() -> None:
    period, c = sequence("c", mask=True), u * x[i, t]
    for right in (tt.relu(c) + tt.relu(-c), period[t] * c, tt.exp(u * tt.log(x[i, t]))):
        derived(right)


def test_what_is_printed_is_what_a_notebook_shows() -> None:
    derivation = BENCH.derive(h[i, t], u)
    shown = tt.show(BENCH, derivation)
    made = BENCH.equation("mine", tt.chain(h[i, t], u * a[i, t]), derivations=[derivation], numeric="no model")
    proof = tt.prove(tt.identity("so", 1, 1))
    for one in (shown, made, proof):
        assert str(one) == one._repr_mimebundle_()["text/plain"]
    assert str(shown).startswith(f"{derivation}\ngeneral: ")
    assert str(derivation).startswith("dh[i](t)/du\n  = ")
    assert str(proof) == f"1. {proof.steps[0]}" == "1. so Eq(1, 1)"
