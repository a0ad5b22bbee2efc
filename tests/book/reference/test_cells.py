"""The page of cells shows those that the tests of the reader compare with programs."""

from textwrap import dedent

import gated_cells  # noqa: F401  registers its cells
import normalized_cells  # noqa: F401  registers its cells
import pasted_cells  # noqa: F401  registers its cells
import plain_cells  # noqa: F401  registers its cells
from book.reference import cells
from printed import CELLS


def test_the_cells_are_those_of_the_tests() -> None:
    found = {cell.name: (cell.source, cell.text) for cell in cells.cells()}
    assert found == {name: (printed.paper, dedent(printed.text).strip()) for name, printed in CELLS.items()}
