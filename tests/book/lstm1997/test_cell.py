"""The chapter on the memory cell: its worked example, and what its boxes say that no slip tries."""

from dataclasses import replace

import numpy as np
import pytest
from book.lstm1997 import example
from book.lstm1997.cell import checks
from book.shared.reading import equals
from throughtime.systems import lstm1997 as s

PAGE = "lstm1997/cell-in-print"


@pytest.mark.parametrize("kind", ["hid", "ig", "og", "cell", "out"])
def test_the_terms_of_the_worked_example_add_up(kind):
    run = example.trace()
    for t in range(1, 5):
        for cell in (1, 2) if kind == "cell" else (1,):
            net = getattr(run, f"net_{kind}")[t].ravel()[cell - 1]
            assert sum(term[3] for term in example.terms(kind, t, cell)) == pytest.approx(net, rel=1e-14)


def test_previous_is_same_one_step_late_without_direct_weights():
    direct, indirect = example.THETA, example.THETA.copy()
    example.NET.layout.views(indirect)["w_out"][:, 0] = 0.0
    for theta, equal in ((indirect, True), (direct, False)):
        late, same = (
            replace(example.NET, timing=timing).forward(theta, example.X).y for timing in ("previous", "same")
        )
        assert np.allclose(late[2:], same[1:-1], rtol=1e-15) is equal


def test_each_judge_refuses_numbers_that_are_no_columns_and_no_example_is_made_of_what_is_right(run_page):
    names = run_page("S = make_bench()", "def by_kinds(")
    net, w = names["net_ig"], lambda q: s.w_ig[s.i, q]
    wrong, right = (equals(net, names["by_kinds"](w, s.k, gates=True, own_numbers=own)) for own in (False, True))
    assert not checks.holds_exactly(wrong)
    assert not checks.holds_in_library(wrong)
    with pytest.raises(ValueError, match="expected one that fails"):
        checks.columns_as_units(right)


def test_columns_of_a_kind_off_by_one_do_not_fit(monkeypatch):
    monkeypatch.setattr(s, "d_in", s.d_in + 1)
    assert not checks._columns_fit(gates=True)
