"""The page "Derive your own": what it says of the nets that it trains."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

PAGE = Path(__file__).parents[3] / "book" / "reference" / "derive-your-own.ipynb"


def printed(beginning: str) -> list[float]:
    """The numbers of the lines, among all that the page prints, that begin so."""
    cells = [cell for cell in nbformat.read(PAGE, 4).cells if cell.cell_type == "code"]
    texts = [output.text for cell in cells for output in cell.outputs if output.output_type == "stream"]
    lines = [line for text in texts for line in text.splitlines() if line.startswith(beginning)]
    assert len(lines) == 1
    return [float(number) for number in re.findall(r"\d+\.\d+", lines[0])]


def test_all_nets_have_learnt() -> None:
    """The worst of them is far better than the best was."""
    best_before, worst_after = printed("before:")[1], printed("after:")[2]
    assert worst_after < best_before / 100


def test_the_gate_opens_at_marks_alone() -> None:
    assert printed("mean of the gate at marks:")[0] > 0.9
    assert printed("mean of the gate elsewhere:")[0] < 0.05
