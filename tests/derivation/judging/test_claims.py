"""Claims: misuse of `claim` is refused, and slips are made in every part of a formula."""

import re

import numpy as np
import pytest
import throughtime as tt
from one_unit import f, leak, t, u, v, w, x, y, z
from sympy import Abs, Eq, Integer, Lt, Ne, Not, Rational, Symbol, cos, sin
from throughtime.derivation.formulas.errors import CheckError
from throughtime.derivation.formulas.nodes import Truncated, d
from throughtime.derivation.judging.checks import holds_in_general
from throughtime.derivation.judging.claims import claim
from throughtime.derivation.judging.mutants import slips
from throughtime.derivation.judging.proofs import prove
from throughtime.derivation.publishing.outcome import Outcome
from throughtime.derivation.publishing.proof import SAMPLED, Step

a, b, q = Symbol("a", real=True), Symbol("b", real=True), tt.lag("q")
FORM = Lt(a**2 - a, Integer(3), evaluate=False)
WRONG = Lt(a**2 + a, Integer(3), evaluate=False)
SAMPLES = [Rational(number, 4) for number in range(-20, 21)]


def truth(formula) -> list[bool]:
    return [bool(formula.func(*(side.subs(a, value) for side in formula.args))) for value in SAMPLES]


def is_true(formula) -> bool:
    return truth(formula) == truth(FORM)


PROVED = tt.identity("circle", sin(a) ** 2 + cos(a) ** 2, 1)
SLIP = tt.identity("slip", a, a + Rational(1, 10**9))
HOW = {"is_true": is_true, "verdict": "holds", "proof": [PROVED], "instance": lambda: True, "numeric": "no model"}
CORRECTED = {**HOW, "verdict": "corrected", "corrected": FORM, "counterexample": "At $a = 2$ it fails."}
REFUTED = {**HOW, "verdict": "refuted", "counterexample": "At $a = 2$ it fails."}


def test_each_verdict_can_be_reached() -> None:
    assert claim("a", FORM, **HOW).verdict == "holds"
    assert claim("b", WRONG, **CORRECTED).verdict == "corrected"
    supported = {**HOW, "proof": (), "general": "an experiment", "verdict": "supported"}
    assert claim("c", FORM, **supported).verdict == "supported"

    def never(formula) -> bool:
        return formula not in (WRONG,)

    assert claim("d", WRONG, **{**REFUTED, "is_true": never}).verdict == "refuted"


def test_statement_carries_what_was_given() -> None:
    made = claim("c", WRONG, title="a bound", tag="7", assumptions=["$a$ is real"], **CORRECTED)
    assert (made.id, made.source.title, made.source.tag, made.assumptions) == ("c", "a bound", "7", ("$a$ is real",))
    assert (made.printed, made.corrected, made.proof) == (((WRONG,),), ((FORM,),), (PROVED,))
    assert (made.checks["general"].passed, made.checks["general"].count) == (True, 1)
    assert made.checks["instance"].passed is True
    assert (made.checks["numeric"].passed, made.checks["numeric"].reason) == (None, "no model")
    assert made.mutants.tried == made.mutants.rejected == len(slips(FORM))


def test_steps_argued_in_words_are_counted_apart(bench) -> None:
    exact = (PROVED, *tt.by_induction(bench, tt.Lemma(d(v[t], v[t - q]), u**q, q)))
    in_words = Step("words", None, lambda: True)
    assert claim("c", FORM, **{**HOW, "proof": exact}).checks["general"].argued == 0
    made = claim("c", FORM, **{**HOW, "proof": (*exact, in_words)})
    assert {"passed": True, "argued": 1, "reach": 0}.items() <= made.as_json()["checks"]["general"].items()
    assert "general: passed, 1 step argued in words" in made._repr_mimebundle_()["text/plain"]
    equation = bench.equation("e", tt.chain(v[t], v[t] + 0), proof=(PROVED, in_words, in_words), numeric="no model")
    assert "2 steps argued in words" in equation._repr_mimebundle_()["text/html"]


def test_times_that_the_general_check_leaves_open_are_told(bench) -> None:
    told = {}
    for back in (0, 1, 2):
        made = bench.equation(f"reach {back}", tt.chain(v[t - back], v[t - back - 1] * u + x[t - back]), numeric="-")
        told[back] = next(line for line in made.text().splitlines() if line.startswith("general"))
        assert made.as_json()["checks"]["general"]["reach"] == back
    first = "general: passed, first"
    assert told == {0: "general: passed", 1: f"{first} time on instances only", 2: f"{first} 2 times on instances only"}


NO_BOOL = {"a text": "yes", "a count": 1, "a list": [False], "a share": 0.5, "a symbol": a, "an array": np.ones(1)}


@pytest.mark.parametrize("given", NO_BOOL.values(), ids=NO_BOOL)
def test_what_is_no_bool_is_no_answer(given) -> None:
    shown = re.escape(repr(given))
    refused = rf"returned {shown} of {re.escape(str(type(given)))}, expected True or False"
    for how in ({"is_true": lambda formula: given}, {"instance": lambda: given}, {"numeric": lambda: given}):
        with pytest.raises(TypeError, match=rf"^({'|'.join(how)})(\(.*\))?: {refused}"):
            claim("a", FORM, **(HOW | how))
    with pytest.raises(TypeError, match=f"check of the step 'so': {refused}"):
        prove(Step("so", None, lambda: given))


def test_an_outcome_is_true_if_it_passed_and_no_answer_of_a_step(bench) -> None:
    false = tt.chain(v[t], 2 * u * v[t - 1])
    failed = bench.on_instances([false])
    assert (bool(Outcome(True)), bool(Outcome(False)), bool(Outcome(None))) == (True, False, False)
    assert not failed
    assert str(failed).startswith("FAILED, 1 compared: 2*u*v(t-1) is not v(t) at t=1; the sides are ")
    for given in (failed, holds_in_general(bench.reducer, [false])):
        with pytest.raises(TypeError, match=r"check of the step 'so': returned Outcome\(.*expected True or False"):
            prove(Step("so", None, lambda given=given: given))


MISUSES = {
    "unknown verdict": ({**HOW, "verdict": "true"}, FORM, "verdict 'true', expected one of"),
    "false form that holds": (HOW, WRONG, "verdict holds, yet the printed form is false"),
    "false form that is supported": ({**HOW, "verdict": "supported"}, WRONG, "yet the printed form is false"),
    "true form that is refuted": (REFUTED, FORM, "verdict refuted, yet the printed form is true"),
    "true form that is corrected": (CORRECTED, FORM, "verdict corrected, yet the printed form is true"),
    "no counterexample": ({**CORRECTED, "counterexample": ""}, WRONG, "without a counterexample"),
    "no correction": ({**CORRECTED, "corrected": ()}, WRONG, "is wrong as printed, and no correction is given"),
    "false correction": ({**CORRECTED, "corrected": WRONG}, WRONG, "the corrected form is not true: a"),
    "correction of what holds": ({**HOW, "corrected": FORM}, FORM, "holds as printed, yet a correction is given"),
    "no proof": ({**HOW, "proof": (), "general": "hard"}, FORM, "without a proof; expected supported"),
    "no proof and no reason": ({**HOW, "proof": ()}, FORM, "general check was not made, and no reason is given"),
    "no instance": ({**HOW, "instance": ""}, FORM, "instance check was not made, and no reason is given"),
    "no numbers": ({**HOW, "numeric": ""}, FORM, "numeric check was not made, and no reason is given"),
    "instance fails": ({**HOW, "instance": lambda: False}, FORM, "instance check failed"),
    "numbers fail": ({**HOW, "numeric": lambda: False}, FORM, "numeric check failed"),
    "step fails": ({**HOW, "proof": [PROVED, SLIP]}, FORM, "general check failed: slip"),
    "blind decision": ({**HOW, "is_true": lambda formula: True}, FORM, "mutants survive"),
    "nothing to slip in": ({**HOW, "is_true": lambda formula: True}, Eq(a, b, evaluate=False), "0 of 0 mutants"),
    "one of two forms is false": (HOW, (FORM, WRONG), "yet the printed form is false"),
}


@pytest.mark.parametrize(("how", "printed", "message"), MISUSES.values(), ids=MISUSES)
def test_misuse_is_refused(how, printed, message) -> None:
    with pytest.raises(CheckError, match=f"^c: .*{message}"):
        claim("c", printed, **how)


def test_mutant_that_is_the_same_has_to_be_shown_to_be() -> None:
    form = Lt(Abs(a), Integer(1), evaluate=False)
    twin = Lt(Abs(-a), Integer(1), evaluate=False)
    accepted = {slip.expr for slip in slips(form)} - {form}

    def lenient(formula) -> bool:
        return formula == form or formula.args[1] == 2

    how = {**HOW, "is_true": lenient}
    assert twin == form
    assert any(lenient(slip) for slip in accepted)
    with pytest.raises(CheckError, match="1 of 3 mutants survive"):
        claim("c", form, **how)
    report = claim("c", form, same=lambda mutant, formula: mutant.args[1] == 2, **how).mutants
    assert (report.tried, report.rejected, report.equal) == (3, 2, 1)


def made(formula, kind: str, **how) -> set:
    return {slip.expr for slip in slips(formula, **how) if slip.kind == kind}


def test_relations_are_turned_round_and_negated() -> None:
    assert made(Lt(a, b, evaluate=False), "relation") == {a > b}
    assert made(Lt(a, b, evaluate=False), "relation", strictness=True) == {a > b, a <= b}
    assert made(Ne(a, b, evaluate=False), "relation") == {Eq(a, b)}
    assert made(Not(Eq(a, b)), "relation") == {Eq(a, b)}


def test_signs_terms_factors_and_constants() -> None:
    assert made(a - b, "term") == {a, -b}
    assert {-a - b, a + b} <= made(a - b, "sign")
    assert made(2 * a * b, "factor") == {a * b, 2 * a, 2 * b}
    assert made(a + 3, "constant") == {a + 4, a + 2}
    assert made(a / 2, "constant") == {3 * a / 2}  # -a/2 is a slip of the sign already
    assert made(sin(2 * a), "factor") == {sin(a), sin(Integer(2))}


def test_slips_differ_from_the_formula_and_from_each_other_and_say_something() -> None:
    formula = Lt(sin(a) ** 2 + 2 * cos(b) / a, a - b, evaluate=False)
    found = [slip.expr for slip in slips(formula, strictness=True)]
    assert formula not in found
    assert len(found) == len(set(found)) > 15
    assert {True, False}.isdisjoint(slip.expr for slip in slips(Lt(Abs(a), Integer(0), evaluate=False)))


def test_truncated_derivative_may_be_taken_for_a_total_one() -> None:
    truncated = Truncated(y[t], w, tt.cut(y[t - 1], into=z))
    found = {slip.kind: slip.expr for slip in slips(Eq(truncated, 0, evaluate=False)) if slip.kind == "cut"}
    assert found == {"cut": (total := Eq(d(y[t], w), 0, evaluate=False))}
    assert not [slip for slip in slips(total) if slip.kind == "cut"]


@pytest.fixture(scope="module")
def bench() -> tt.Bench:
    return tt.Bench(leak(), [{}], length=4, activations={})


def test_derived_step_is_put_to_all_checks(bench) -> None:
    right = v[t - 1] + u * d(v[t - 1], u)
    assert tt.derived("leak", bench, tt.chain(d(v[t], u), right), numeric="no model").check()
    with pytest.raises(CheckError, match="step 'leak': is wrong as printed"):
        tt.derived("leak", bench, tt.chain(d(v[t], u), 2 * right), numeric="no model").check()
    with pytest.raises(CheckError, match="numeric check was not made"):
        tt.derived("leak", bench, tt.chain(d(v[t], u), right)).check()


def test_induction_as_steps(bench) -> None:
    steps = tt.by_induction(bench, tt.Lemma(d(v[t], v[t - q]), u**q, q))
    assert [step.check() for step in steps] == [True, True, True]
    assert steps[0].words.startswith("By induction over the lag, $")
    with pytest.raises(CheckError, match=r"at q=0, t=1; the sides are 1 and 2"):
        tt.by_induction(bench, tt.Lemma(d(v[t], v[t - q]), 2 * u**q, q))[0].check()


def test_proof_passes_with_its_steps_only() -> None:
    proof = prove(PROVED, Step("words with $a < b$", None, lambda: np.bool_(True)))
    bundle = proof._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[1] == f"2. words with $a < b$ [{SAMPLED}]"
    assert bundle["text/html"].count(SAMPLED) == 1
    assert bundle["text/html"].count("<li>") == 2
    assert r"\(a &lt; b\)" in bundle["text/html"]
    with pytest.raises(CheckError, match="these steps fail: one; two"):
        prove(tt.identity("one", a, b), PROVED, Step("two", None, lambda: np.bool_(False)))
    with pytest.raises(CheckError, match="no step is given"):
        prove()


def test_step_shows_its_formula_in_either_form() -> None:
    assert Step("so", r"x \to 0", lambda: True).tex() == r"x \to 0"
    assert Step("so", None, lambda: True).tex() == ""
    assert "math notranslate" not in Step("so", None, lambda: True).html()
    assert Step("so", u * f(v[t]), lambda: True).tex() == r"\begin{aligned}& u\,f\left(v(t)\right)\end{aligned}"
    assert Step("so", a < b, lambda: True, exact=True).text() == "so a < b"
