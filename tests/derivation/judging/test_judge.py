"""Titles and tags by id: equations and claims take them from a list alike, and what is given goes before it."""

from dataclasses import replace

import pytest
import throughtime as tt
from one_unit import leak, t, u, v, x
from sympy import Integer, Lt, Symbol
from throughtime.derivation import CheckError, Source, chain, d

a = Symbol("a", real=True)
FORM = Lt(a, Integer(3), evaluate=False)
ROWS = {"net-1": Source("state of the unit", "1"), "net-2": Source("a bound")}


@pytest.fixture(scope="module")
def bench() -> tt.Bench:
    """A bench with a list of two statements."""
    return tt.Bench(leak(), [{}], sources=ROWS)


def equation(bench, id, **how):
    return bench.equation(id, chain(v[t], u * v[t - 1] + x[t]), numeric="no model", **how)


def judged(id, sources=ROWS, **how):
    is_true = lambda formula: formula == FORM  # noqa: E731
    proof = [tt.identity("so", a, a)]
    how |= {"sources": sources, "instance": "none", "numeric": "none"}
    return tt.claim(id, FORM, is_true=is_true, proof=proof, verdict="holds", **how)


def test_listed_statement_has_the_title_and_tag_of_the_list(bench) -> None:
    made = equation(bench, "net-1")
    assert (made.source.title, made.source.tag) == ("state of the unit", "1")
    assert r"\tag{1}" in made.html()
    assert (judged("net-2").source.title, judged("net-2").source.tag) == ("a bound", None)


def test_what_is_given_goes_before_the_list(bench) -> None:
    made = equation(bench, "net-1", title="own", tag="A")
    assert (made.source.title, made.source.tag) == ("own", "A")
    assert judged("net-2", tag="9").source.tag == "9"
    assert judged("net-2", title="").source.title == ""


def test_statement_of_ones_own_has_a_title_and_no_tag_unless_given(bench) -> None:
    assert equation(bench, "mine", title="own").source.title == "own"
    assert equation(bench, "mine", title="").source.tag is None
    assert judged("yours", title="a claim", tag="3").as_json()["title"] == "a claim"


def test_without_a_list_a_statement_needs_no_title(bench) -> None:
    assert equation(replace(bench, sources={}), "mine").source == judged("yours", sources={}).source == Source()


def test_an_id_that_the_list_lacks_is_refused_unless_it_has_a_title(bench) -> None:
    for statement in (lambda: equation(bench, "net-11"), lambda: judged("net-11", tag="11")):
        with pytest.raises(CheckError, match="net-11: is not in the list of statements; one of your own needs a title"):
            statement()
    with pytest.raises(CheckError, match="net-22: is not in the list"):
        equation(bench, "net-1", also="net-22")


def test_kind_that_does_not_belong_to_the_verdict_is_refused(bench) -> None:
    graded = {"net-1": Source("unit", kind="index"), "net-2": Source("a bound", quote="a is small")}
    with pytest.raises(CheckError, match=r"net-1: is listed as 'index', yet its verdict is holds"):
        equation(replace(bench, sources=graded), "net-1")
    assert judged("net-2", graded).as_json()["words"] == "holds as read"


def test_one_box_takes_the_ids_of_all_sources_that_print_the_same(bench) -> None:
    assert equation(bench, "net-1", also="net-2").also == {"net-2": Source("a bound")}
    with pytest.raises(CheckError, match="net-2: another statement has this id"):
        judged("net-2")
    with pytest.raises(CheckError, match="net-1: another statement has this id"):
        judged("mine", title="own", also="net-1")


@pytest.mark.parametrize("grade", [{"kind": "index", "fault": "One letter."}, {"kind": "misprint", "fault": "It."}])
def test_sources_of_one_box_have_the_same_kind_and_fault(bench, grade) -> None:
    graded = {"net-1": Source("unit", kind="index", fault="It."), "net-2": Source("unit", **grade)}
    false, true = chain(v[t], u * v[t - 1]), chain(v[t], u * v[t - 1] + x[t])
    how = {"corrected": [true], "numeric": "no model", "also": "net-2"}
    with pytest.raises(CheckError, match="net-2: is listed with another kind or fault than net-1"):
        replace(bench, sources=graded).equation("net-1", false, **how)
    same = graded | {"net-2": graded["net-1"]}
    assert replace(bench, sources=same).equation("net-1", false, **how).verdict == "corrected"


TRUE_LATER = chain(v[t + 1], u * v[t] + x[t + 1])
FALSE, TRUE = chain(v[t], u * v[t - 1]), chain(v[t], u * v[t - 1] + x[t])
NO_CORRECTION = {
    "another true equation": ([FALSE], [chain(d(v[t], x[t]), 1)], r"nothing for v\(t\), wrong as printed"),
    "x = x": ([FALSE], [chain(v[t], v[t])], r"v\(t\) = v\(t\) says nothing"),
    "x = x in other words": ([FALSE], [chain(v[t], (v[t] + u * v[t]) / (1 + u))], r"v\(t\) = v\(t\) says"),
    "one for two": ([FALSE, chain(v[t - 1], u * v[t - 2])], [TRUE], r"nothing for v\(t-1\), wrong"),
    "one for two of one left side": ([FALSE, chain(v[t], x[t])], [TRUE], r"nothing for v\(t\), wrong"),
}


@pytest.mark.parametrize(("printed", "corrected", "message"), NO_CORRECTION.values(), ids=NO_CORRECTION)
def test_a_correction_says_the_same_left_side_as_the_wrong_print(bench, printed, corrected, message) -> None:
    with pytest.raises(CheckError, match=f"net-1: corrected: {message}"):
        bench.equation("net-1", *printed, corrected=corrected, numeric="no model")


def test_a_corrected_statement_tells_what_it_changes(bench) -> None:
    bench = replace(bench, sources={})
    made = bench.equation("mine", FALSE, corrected=[TRUE], numeric="no model")
    assert made.as_json()["changes"] == [{"from": "v(t)", "left": "v(t)", "lost": [], "added": ["x(t)"]}]
    moved = bench.equation("left", chain(v[t], TRUE_LATER[1]), corrected=[TRUE_LATER], numeric="no model")
    assert moved.as_json()["changes"] == [{"from": "v(t)", "left": "v(t + 1)", "lost": [], "added": []}]
    assert "changes" not in equation(bench, "yours").as_json()


def test_forget_frees_one_id_or_all(bench) -> None:
    equation(bench, "net-1")
    judged("net-2")
    tt.reset_statements("net-1", "never judged")
    judged("net-1")
    tt.reset_statements()
    equation(bench, "net-2")
