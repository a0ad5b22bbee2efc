"""A part needs its caption in the contents and its section on the page of reading paths, and nothing else."""

import json
import re
from pathlib import Path

from book.reference import reading_paths as paths

BOOK = Path(__file__).parents[3] / "book"


def test_every_part_has_its_section():
    cells = json.loads((BOOK / "reference/reading-paths.ipynb").read_text(encoding="utf-8"))["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells)
    parts = list(dict.fromkeys(chapter.part for chapter in paths.read_chapters(BOOK)))
    assert re.findall(r'table\(CHAPTERS, "(.+)"\)', source) == parts
    assert all(f"### {part}\n" in source for part in parts)
