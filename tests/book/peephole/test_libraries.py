"""The chapter on today's libraries: the judge of its statement, the record, and the programs to paste."""

import json
import re
from pathlib import Path

import pytest
from book.peephole.libraries import checks as b
from sympy import And, Eq, Ne, Symbol
from throughtime.systems import lstm_family as s

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "peephole" / "libraries.ipynb"


def test_gates_that_see_states_through_gates_are_refused():
    with pytest.raises(ValueError, match="member: expected gates that see no state or that of their block"):
        b.sees(s.LSTM2002)  # its gates depend on other gates, which depend on states


FORMS = {
    "all": And(Ne(b.OWN, 0), Ne(b.OTHER, 0)),
    "none": And(Eq(b.OWN, 0), Eq(b.OTHER, 0)),
    "own": And(Ne(b.OWN, 0), Eq(b.OTHER, 0)),
}


@pytest.mark.parametrize(("member", "true"), [(s.LIBRARY, "none"), (s.EXPERIMENTS, "own")], ids=["library", "2002"])
def test_one_of_three_formulas_is_true(member, true):
    assert [name for name, form in FORMS.items() if b.is_true(form, member)] == [true]


def test_of_a_net_with_peepholes_to_all_gates_the_claim_would_be_true(monkeypatch):
    monkeypatch.setattr(b, "sees", lambda member: (True, True))
    assert all(b.is_true(part) for part in FORMS["all"].args)


def test_an_open_formula_is_not_true():
    assert not b.is_true(Eq(b.OWN, Symbol("z")))
    assert b.is_true(Ne(b.OWN, 1))


def test_an_error_in_the_record_is_noticed(monkeypatch):
    assert b.confirmed("outputs")
    assert not b.confirmed("something else")
    rows = b.record()
    for row in rows:
        row["result"] = "0.001" if row["check"] == "outputs" and row["library"] == "jax" else row["result"]
    monkeypatch.setattr(b, "record", lambda: rows)
    assert not b.confirmed("outputs")
    assert b.confirmed("last state")


@pytest.mark.parametrize("gates", ["fg ig og", "fg", "ig", "og"])
def test_the_library_that_has_peepholes_has_those_of_2002(gates):
    assert b.recorded("number of parameters")["onnx reference LSTM"] == str(b.counts(2, 3)["own"])
    assert b.confirmed(f"outputs, peepholes of {gates}")
    assert b.confirmed("outputs without P")


SNIPPETS = BOOK.parent / "tests" / "oracles" / "snippets"


def test_the_page_has_each_program_and_its_answer():
    """Written out, since JupyterLab shows nothing of a file that is included."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    shown = re.findall(r"^```(?:python|text)\n(.*?)^```", prose, re.M | re.S)
    assert sorted(shown) == sorted(path.read_text(encoding="utf-8") for path in SNIPPETS.iterdir() if path.is_file())


@pytest.mark.parametrize("path", sorted(SNIPPETS.glob("*.py")), ids=lambda path: path.stem)
def test_the_oracles_run_a_program(path):
    tests = [SNIPPETS.parent / folder / "test_library_snippets.py" for folder in (".", "nightly")]
    assert any(f'snippet("{path.stem}")' in test.read_text(encoding="utf-8") for test in tests)


def test_the_answer_is_of_the_version_that_was_measured():
    said = (SNIPPETS / "ask_for_peepholes.txt").read_text(encoding="utf-8")
    versions = {row["library"]: row["version"] for row in b.record()}
    assert said.startswith(f"PyTorch {versions['torch']}\n")
    assert said.endswith("as without peepholes: True\n")
