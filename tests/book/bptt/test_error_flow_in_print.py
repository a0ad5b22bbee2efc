"""Error flow in print: the times of an error signal, and which order of subscripts is shown as wrong."""

import json
from pathlib import Path

import pytest
from book.bptt.error_flow import checks
from sympy import And, Equivalent, Ge, Le, Lt

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "error-flow-in-print.ipynb"

RANGES = {
    "as printed": (Le(0, checks.t_past), Le(checks.t_past, checks.t_future), True),
    "from the first net input on": (Le(1, checks.t_past), Le(checks.t_past, checks.t_future), True),
    "too late": (Le(2, checks.t_past), Le(checks.t_past, checks.t_future), False),
    "without the time of the error": (Le(0, checks.t_past), Lt(checks.t_past, checks.t_future), False),
    "one step into the future": (Le(0, checks.t_past), Le(checks.t_past, checks.t_future + 1), False),
    "the future alone": (Le(0, checks.t_past), Ge(checks.t_past, checks.t_future), False),
}


@pytest.mark.parametrize("reached", [checks.reached_exactly, checks.reached_in_library])
@pytest.mark.parametrize(("first", "last", "true"), RANGES.values(), ids=RANGES)
def test_times_that_have_an_error_signal(reached, first, last, true):
    assert checks.holds_for_times(Equivalent(checks.REACHED, And(first, last)), reached) is true


def test_only_a_start_before_the_first_net_input_says_the_same():
    in_range = Equivalent(checks.REACHED, And(Le(0, checks.t_past), Le(checks.t_past, checks.t_future)))
    start = [
        Equivalent(checks.REACHED, And(Le(n, checks.t_past), Le(checks.t_past, checks.t_future))) for n in (-1, 1, 2)
    ]
    assert [checks.same_for_net_inputs(formula, in_range) for formula in start] == [True, True, False]
    assert not checks.reached_exactly(2, 0)


def test_what_both_notes_print_stands_in_one_box(judged):
    pairs = {name: item.box for name, item in judged.items() if item.box != name}
    assert pairs == {"lstm97-20": "bptt-12", "lstm97-21": "bptt-13", "lstm97-22": "bptt-14"}


def test_the_error_signal_is_defined_where_the_note_has_it(judged):
    record = judged["lstm97-15"].record
    assert (record["verdict"], record["words"]) == ("holds", "defined")
    assert record["mutants"]["rejected"] >= 3
    assert record["mutants"]["survivors"] == []
    assert "ge 1" in record["assumptions"][0]


def test_the_paper_s_order_is_shown_as_wrong():
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    shown = "".join("".join(out["data"]["text/plain"]) for cell in cells for out in cell.get("outputs", ()))
    assert shown.count(r"\ne ") == 1
    assert r"\tag{3.2}" in shown.split(r"\ne ")[1]
