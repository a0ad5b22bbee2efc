"""Pictures of notebooks are compared, and a cell that was never run fails: shown on planted faults."""

import base64
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbval_pictures import BESIDE, LEVELS, NEAR, along, differences
from PIL import Image
from run_notebooks import run

ROOT = Path(__file__).parents[2]
GRAY = np.full((20, 30, 3), 128, dtype=np.uint8)
ONE = np.zeros_like(GRAY)
ONE[3, 5] = 1
DRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90"><g><path d="M 0 0 L 10 0 L 20 5" style="stroke: #0072b2"/>'
    '<use href="#s1" transform="translate(3.25 7.5) scale(0.09 -0.09)"/></g></svg>'
)


def png(colours: np.ndarray, **options: int) -> str:
    stream = io.BytesIO()
    Image.fromarray(colours).save(stream, format="png", **options)
    return base64.b64encode(stream.getvalue()).decode()


def shown(*pictures: str, **size: int) -> list[dict]:
    kinds = ("image/svg+xml" if one.startswith("<svg") else "image/png" for one in pictures)
    return [
        new_output("display_data", data={kind: one, "text/plain": "f"}, metadata={"image/png": size})
        for kind, one in zip(kinds, pictures, strict=True)
    ]


def test_the_plugin_is_loaded_in_every_run_of_this_project(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("nbval_pictures")


SAME = {
    "other bytes": (png(GRAY) + "\n", png(GRAY, compress_level=0)),
    "the soft edge of a line": (png(GRAY), png(GRAY + np.uint8(LEVELS))),
    "last digits": (DRAWN, DRAWN.replace("3.25", f"{3.25 + NEAR}").replace("L 10 0", "L 9.99 0.01")),
    "a point on a straight line": (DRAWN, DRAWN.replace("L 10 0", "L 4 0.1 L 10 0")),
}


@pytest.mark.parametrize(("stored", "fresh"), SAME.values(), ids=SAME)
def test_the_same_picture_has_no_difference(stored: str, fresh: str) -> None:
    assert list(differences(shown(stored), shown(fresh))) == []


FAULTS = [
    (shown(), "0 pictures are stored, a fresh run draws 1"),
    (shown(png(GRAY), png(GRAY)), "2 pictures are stored, a fresh run draws 1"),
    (
        shown(png(GRAY + np.uint8(LEVELS + 1) * ONE)),
        f"picture 1: 1 of 600 pixels differ by more than {LEVELS} of 255 levels, at most by {LEVELS + 1}",
    ),
    (shown(png(GRAY[:, 1:])), "picture 1: 29 x 20 pixels are stored, a fresh run draws 30 x 20"),
    (shown(base64.b64encode(b"no picture").decode()), "picture 1: what is stored is no PNG image"),
    (shown(png(GRAY)[:60]), "picture 1: what is stored is no PNG image"),
    (shown(png(GRAY), width=9), "picture 1 is stored to be shown as {'width': 9}, a fresh run shows it as {}"),
    (shown(DRAWN), "picture 1 is stored as image/svg+xml, a fresh run draws image/png"),
]


@pytest.mark.parametrize(("stored", "words"), FAULTS)
def test_planted_picture_is_found(stored: list[dict], words: str) -> None:
    (fault,) = differences(stored, shown(png(GRAY)))
    assert fault.startswith(words)


DRAWN_FAULTS = [
    ("translate(3.25", "translate(3.35", "use: transform"),
    ("L 20 5", "L 20 6", "path: d"),
    ("L 10 0 ", "L 10 1 L 15 2 ", "path: d"),
    ("#0072b2", "#0072b3", "path: style"),
    ("#s1", "#s2", "use: href"),
    ('width="90"', 'width="91"', "svg: width"),
    ("<use", "<path", "path {"),
    ("<g>", "<g><g/>", "5 elements are stored, a fresh run draws 4"),
    ("<g>", "<g>words", "g {} is stored"),
    ("</g>", "", "what is stored is no SVG"),
]


@pytest.mark.parametrize(("old", "new", "words"), DRAWN_FAULTS)
def test_planted_fault_in_a_drawing_is_found(old: str, new: str, words: str) -> None:
    (fault,) = differences(shown(DRAWN.replace(old, new)), shown(DRAWN))
    assert fault.startswith(f"picture 1: {words}")


def test_only_lines_beside_each_other_are_the_same_path() -> None:
    assert along("M 0 0 L 10 0", f"M 0 0 L 5 {BESIDE} L 10 0")
    assert not along("M 0 0 L 10 0", f"M 0 0 L 5 {2 * BESIDE} L 10 0")
    assert not along("M 0 0 L 10 0", "M 0 0 L 8 0")
    assert not along("M 0 0 L 10 0", "M 0 0 L 5 0 M 5 0 L 10 0")
    assert not along("M 0 0 Q 5 5 10 0", "M 0 0 L 10 0")


DRAW = """
from book.shared.figure_style import canvas
figure, axes = canvas(2, 1)
axes.text(0.1, 0.5, "{words}")
figure
"""


def page(path: Path, *cells: nbformat.NotebookNode) -> None:
    nbformat.write(new_notebook(cells=cells), path)


def test_a_wrong_figure_and_a_cell_that_was_never_run_fail(tmp_path: Path) -> None:
    """Both figures are of the same size, with the same text/plain: the words drawn are others."""
    page(tmp_path / "drawn.ipynb", *(new_code_cell(DRAW.format(words=words)) for words in ("right", "wrong figure")))
    run(tmp_path / "drawn.ipynb", timeout=60)
    right, other = nbformat.read(tmp_path / "drawn.ipynb", as_version=4).cells
    page(tmp_path / "right.ipynb", right)
    page(tmp_path / "wrong.ipynb", nbformat.NotebookNode(right, outputs=other.outputs))
    page(tmp_path / "never.ipynb", new_code_cell("1 + 1"), new_code_cell("x = 1", execution_count=1))
    options = ("-p", "nbval_pictures", "--nbval", "--nbval-current-env", "-rA")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "right.ipynb", "wrong.ipynb", "never.ipynb"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )
    ends = re.findall(r"^(PASSED|FAILED) (\w+)\.ipynb::Cell (\d)", ended.stdout, re.M)
    assert sorted(ends) == [
        ("FAILED", "never", "0"),
        ("FAILED", "wrong", "0"),
        ("PASSED", "never", "1"),
        ("PASSED", "right", "0"),
    ]
    assert re.search("Pictures differ.*?picture 1: ", ended.stdout, re.S)
    assert "never run (make update-outputs)" in ended.stdout
