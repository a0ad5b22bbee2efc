"""The chapter on today's libraries: its verdict, and the figure's data against the closed form of momentum."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from book.peephole.libraries import checks as library_lstm
from book.peephole.libraries import figures

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "peephole" / "libraries.ipynb"


def test_the_counterexample_counts_parameters(judged):
    assert "has 84 parameters" in judged["peephole-pytorch"].record["counterexample"]


@pytest.mark.parametrize("gates", ["fg ig og", "fg", "ig", "og"])
def test_the_library_that_has_peepholes_has_those_of_2002(gates):
    assert library_lstm.recorded("number of parameters")["onnx reference LSTM"] == str(library_lstm.counts(2, 3)["own"])
    assert library_lstm.confirmed(f"outputs, peepholes of {gates}")
    assert library_lstm.confirmed("outputs without P")


@pytest.mark.parametrize("momentum", figures.MOMENTA)
def test_a_steady_slope_is_followed_as_the_closed_form_says(momentum):
    """The sum over steps of (1 - eta^n) / (1 - eta)."""
    found, steps = figures.moved(momentum, 500), np.arange(501)
    expected = np.cumsum((1 - momentum**steps) / (1 - momentum))
    assert np.allclose(found, expected, rtol=1e-9, atol=0.0)
    assert not np.allclose(found, expected + steps, rtol=1e-9, atol=0.0)


# --- the programs that the page shows; tests/oracles runs them

SNIPPETS = BOOK.parent / "tests" / "oracles" / "snippets"


def test_the_page_has_each_program_and_its_answer():
    """Written out, since JupyterLab shows nothing of a file that is included."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    shown = re.findall(r"^```(?:python|text)\n(.*?)^```", prose, re.M | re.S)
    assert sorted(shown) == sorted(path.read_text(encoding="utf-8") for path in SNIPPETS.iterdir() if path.is_file())


@pytest.mark.parametrize("path", sorted(SNIPPETS.glob("*.py")), ids=lambda path: path.stem)
def test_a_program_fits_the_column_and_the_oracles_run_it(path):
    text = path.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 80
    tests = [SNIPPETS.parent / folder / "test_library_snippets.py" for folder in (".", "nightly")]
    assert any(f'snippet("{path.stem}")' in test.read_text(encoding="utf-8") for test in tests)


def test_the_answer_is_of_the_version_that_was_measured():
    said = (SNIPPETS / "ask_for_peepholes.txt").read_text(encoding="utf-8")
    versions = {row["library"]: row["version"] for row in library_lstm.record()}
    assert said.startswith(f"PyTorch {versions['torch']}\n")
    assert said.endswith("as without peepholes: True\n")
