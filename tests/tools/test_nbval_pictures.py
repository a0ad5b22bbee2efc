"""Pictures of notebooks are compared, and a cell that was never run fails: shown on planted faults."""

from __future__ import annotations

import base64
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbval_pictures import LEVELS, differences
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


# ---- with nbval, on a notebook that draws

DRAW = """
from throughtime_book.shared.figure_style import canvas
figure, axes = canvas(2, 1)
axes.text(0.1, 0.5, "{words}")
figure
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Notebooks of two cells, the second of which draws those words, as a fresh run stores them."""
    folder, found = tmp_path_factory.mktemp("drawn"), {}
    for words in ("right", "wrong figure"):
        found[words] = folder / f"{words}.ipynb"
        cells = [new_code_cell("1 + 1"), new_code_cell(DRAW.format(words=words))]
        nbformat.write(new_notebook(cells=cells), found[words])
        run(found[words], timeout=60)
    return found


@pytest.fixture
def notebook(drawn: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(drawn["right"], tmp_path / "page.ipynb"))


def validate(path: Path) -> subprocess.CompletedProcess:
    """Run nbval on a notebook outside the project, with the plugin."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "nbval_pictures",
        "--nbval",
        "--nbval-current-env",
        "-q",
        path.name,
    ]
    found = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    return subprocess.run(command, cwd=path.parent, env=found, capture_output=True, text=True, check=False)


def plant(path: Path, change) -> None:
    stored = nbformat.read(path, as_version=4)
    change(stored.cells)
    nbformat.write(stored, path)


def test_a_fresh_run_draws_what_is_stored(notebook: Path) -> None:
    ended = validate(notebook)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_wrong_figure_fails(drawn: dict[str, Path], notebook: Path) -> None:
    """Of the same size and with the same text/plain: the words drawn are others."""
    (wrong,) = nbformat.read(drawn["wrong figure"], as_version=4).cells[1].outputs
    plant(notebook, lambda cells: cells[1].outputs[0].data.update({"image/png": wrong.data["image/png"]}))
    ended = validate(notebook)
    assert ended.returncode == 1
    assert "Pictures differ" in ended.stdout
    assert "picture 1: " in ended.stdout


def test_a_cell_that_was_never_run_fails(notebook: Path) -> None:
    plant(notebook, lambda cells: cells[0].update(execution_count=None, outputs=[]))
    ended = validate(notebook)
    assert ended.returncode == 1
    assert "never run (make notebooks)" in ended.stdout
