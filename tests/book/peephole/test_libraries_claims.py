"""Dependence of gates on states: the judge on different members of the family, and the record of library versions."""

import csv

import pytest
from sympy import Eq, Ne, Symbol
from throughtime.derivation import slips
from throughtime.systems import lstm_family as s
from throughtime_book.peephole.libraries import claims as b


def test_the_engine_tells_the_members_apart():
    assert b.sees(s.LIBRARY) == (False, False)
    assert b.sees(s.EXPERIMENTS) == (True, False)
    with pytest.raises(ValueError, match="member: expected gates that see no state or that of their block"):
        b.sees(s.LSTM2002)  # its gates depend on other gates, which depend on states


@pytest.mark.parametrize(
    ("member", "true"), [(s.LIBRARY, b.NOT_AT_ALL), (s.EXPERIMENTS, b.OWN_ONLY)], ids=["library", "peepholes"]
)
def test_one_of_three_formulas_is_true_and_its_slips_are_not(member, true):
    assert [form for form in (b.FULLY, b.NOT_AT_ALL, b.OWN_ONLY) if b.decide(form, member)] == [true]
    found = slips(b.NOT_AT_ALL)
    assert len(found) >= 4
    assert not any(b.decide(slip.expr) for slip in found)


def test_both_parts_of_the_claim_are_false_of_the_library_and_every_slip_in_them_is_true():
    for part in b.FULLY.args:
        assert not b.decide(part)
        assert len(slips(part)) == 3
        assert all(b.decide(slip.expr) for slip in slips(part))


def test_of_a_net_with_peepholes_to_all_gates_the_claim_would_be_true(monkeypatch):
    monkeypatch.setattr(b, "sees", lambda member: (True, True))
    assert all(b.decide(part) for part in b.FULLY.args)


def test_an_open_formula_is_not_true():
    assert not b.decide(Eq(b.OWN, Symbol("z")))
    assert b.decide(Ne(b.OWN, 1))


def test_counts_of_parameters():
    assert b.counts(2, 3) == {"none": 4 * 3 * 5 + 24, "own": 84 + 9, "all": 84 + 27}


def test_an_error_in_the_record_is_noticed(tmp_path, monkeypatch):
    assert b.confirmed("outputs")
    assert not b.confirmed("something else")
    rows = b.record()
    for row in rows:
        row["result"] = "0.001" if row["check"] == "outputs" and row["library"] == "jax" else row["result"]
    changed = tmp_path / "library_lstms.csv"
    with changed.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    monkeypatch.setattr(b, "RECORD", changed)
    assert not b.confirmed("outputs")
    assert b.confirmed("last state")
