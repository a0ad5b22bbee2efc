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
from nbval_pictures import BESIDE, LEVELS, NEAR, along, differences, drawing_difference
from PIL import Image
from run_notebooks import run

ROOT = Path(__file__).parents[2]
GRAY = np.full((20, 30, 3), 128, dtype=np.uint8)


def png(colours: np.ndarray) -> str:
    stream = io.BytesIO()
    Image.fromarray(colours).save(stream, format="png")
    return base64.b64encode(stream.getvalue()).decode()


def shown(*images: str, **size: int) -> list[dict]:
    return [
        new_output("display_data", data={"image/png": image, "text/plain": "f"}, metadata={"image/png": size})
        for image in images
    ]


def moved(by: int, **where: slice) -> np.ndarray:
    colours = GRAY.copy()
    colours[where.get("rows", slice(3, 4)), where.get("columns", slice(5, 6))] += np.uint8(by)
    return colours


def test_the_plugin_is_loaded_in_every_run_of_this_project(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("nbval_pictures")


def test_the_same_picture_has_no_difference() -> None:
    other_bytes = png(GRAY)
    Image.fromarray(GRAY).save(stream := io.BytesIO(), format="png", compress_level=0)
    again = base64.b64encode(stream.getvalue()).decode()
    assert again != other_bytes
    assert list(differences(shown(other_bytes + "\n"), shown(again))) == []


def test_the_last_digits_of_a_number_may_move_the_soft_edge_of_a_line() -> None:
    everywhere = {"rows": slice(None), "columns": slice(None)}
    assert list(differences(shown(png(GRAY)), shown(png(moved(LEVELS, **everywhere))))) == []


def test_one_other_pixel_is_a_difference() -> None:
    (fault,) = differences(shown(png(GRAY)), shown(png(moved(LEVELS + 1))))
    assert fault == f"picture 1: 1 of 600 pixels differ by more than {LEVELS} of 255 levels, at most by {LEVELS + 1}"


FAULTS = [
    (shown(), "0 pictures are stored, a fresh run draws 1"),
    (shown(png(GRAY), png(GRAY)), "2 pictures are stored, a fresh run draws 1"),
    (shown(png(GRAY[:, 1:])), "picture 1: 29 x 20 pixels are stored, a fresh run draws 30 x 20"),
    (shown(base64.b64encode(b"no picture").decode()), "picture 1: what is stored is no PNG image"),
    (shown(png(GRAY)[:60]), "picture 1: what is stored is no PNG image"),
    (shown(png(GRAY), width=9), "picture 1 is stored to be shown as {'width': 9}, a fresh run shows it as {}"),
]


@pytest.mark.parametrize(("stored", "words"), FAULTS)
def test_planted_picture_is_found(stored: list[dict], words: str) -> None:
    (fault,) = differences(stored, shown(png(GRAY)))
    assert fault.startswith(words)


# ---- drawings

DRAWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90"><g><path d="M 0 0 L 10 0 L 20 5" style="stroke: #0072b2"/>'
    '<use href="#s1" transform="translate(3.25 7.5) scale(0.09 -0.09)"/></g></svg>'
)


def drawn(*drawings: str) -> list[dict]:
    return [new_output("execute_result", data={"image/svg+xml": one, "text/plain": "f"}) for one in drawings]


def test_the_same_drawing_has_no_difference_nor_has_one_with_other_last_digits() -> None:
    last = DRAWN.replace("3.25", f"{3.25 + NEAR}").replace("L 10 0", "L 9.99 0.01")
    assert list(differences(drawn(DRAWN), drawn(DRAWN))) == []
    assert list(differences(drawn(DRAWN), drawn(last))) == []


def test_a_point_on_a_straight_line_may_be_left_out() -> None:
    assert drawing_difference(DRAWN, DRAWN.replace("L 10 0", "L 4 0.1 L 10 0")) == ""
    assert along("M 0 0 L 10 0", f"M 0 0 L 5 {BESIDE} L 10 0")
    assert not along("M 0 0 L 10 0", f"M 0 0 L 5 {2 * BESIDE} L 10 0")
    assert not along("M 0 0 L 10 0", "M 0 0 L 8 0")
    assert not along("M 0 0 L 10 0", "M 0 0 L 5 0 M 5 0 L 10 0")
    assert not along("M 0 0 Q 5 5 10 0", "M 0 0 L 10 0")


DRAWN_FAULTS = [
    ("translate(3.25", "translate(3.35", "use: transform"),
    ("L 20 5", "L 20 6", "path: d"),
    ("L 10 0 ", "L 10 1 L 15 2 ", "path: d"),
    ("#0072b2", "#0072b3", "path: style"),
    ("#s1", "#s2", "use: href"),
    ('width="90"', 'width="91"', "svg: width"),
    ("<use", "<path", "use {"),
    ("<g>", "<g><g/>", "4 elements are stored, a fresh run draws 5"),
    ("<g>", '<g><path d="M 0 0"/>', "4 elements are stored"),
    ("<g>", "<g>words", "g {} is stored"),
]


@pytest.mark.parametrize(("old", "new", "words"), DRAWN_FAULTS)
def test_planted_fault_in_a_drawing_is_found(old: str, new: str, words: str) -> None:
    (fault,) = differences(drawn(DRAWN), drawn(DRAWN.replace(old, new)))
    assert fault.startswith(f"picture 1: {words}")


def test_a_drawing_is_no_image_of_pixels() -> None:
    (fault,) = differences(drawn(DRAWN), shown(png(GRAY)))
    assert fault == "picture 1 is stored as image/svg+xml, a fresh run draws image/png"
    (fault,) = differences(drawn("<svg>"), drawn(DRAWN))
    assert fault.startswith("picture 1: what is stored is no SVG")


# ---- with nbval, on a notebook that draws

DRAW = """
from book.shared.figure_style import canvas
figure, axes = canvas(2, 1)
axes.text(0.1, 0.5, "{words}")
figure
"""


def page(path: Path, *cells: nbformat.NotebookNode) -> None:
    nbformat.write(new_notebook(cells=cells), path)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What nbval, with the plugin, tells of three pages outside the project: as drawn, and with a fault each.

    Both figures are of the same size, with the same text/plain: the words drawn are others.
    """
    folder = tmp_path_factory.mktemp("drawn")
    sources = ("1 + 1", DRAW.format(words="right"), DRAW.format(words="wrong figure"))
    page(folder / "drawn.ipynb", *map(new_code_cell, sources))
    run(folder / "drawn.ipynb", timeout=60)
    number, right, other = nbformat.read(folder / "drawn.ipynb", as_version=4).cells
    page(folder / "right.ipynb", number, right)
    page(folder / "wrong.ipynb", number, nbformat.NotebookNode(right, outputs=other.outputs))
    page(folder / "never.ipynb", new_code_cell(number.source), number)
    options = ("-p", "nbval_pictures", "--nbval", "--nbval-current-env", "-rA")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "right.ipynb", "wrong.ipynb", "never.ipynb"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stdout


def faults(told: str, cell: str) -> str:
    """What is told of a cell, which has to have failed, up to the next one."""
    assert f"FAILED {cell} " in told
    return re.split(r"\n_+ .* _+\n|\n=+ .* =+\n", told[told.index(f" {cell} _") :])[0]


def test_a_wrong_figure_and_a_cell_that_was_never_run_fail(told: str) -> None:
    assert "PASSED right.ipynb::Cell 0\nPASSED right.ipynb::Cell 1\n" in told
    assert "PASSED wrong.ipynb::Cell 0\n" in told
    assert "Pictures differ" in (fault := faults(told, "wrong.ipynb::Cell 1"))
    assert "picture 1: " in fault
    assert "never run (make update-outputs)" in faults(told, "never.ipynb::Cell 0")
    assert "PASSED never.ipynb::Cell 1\n" in told
