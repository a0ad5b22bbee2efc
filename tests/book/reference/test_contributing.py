"""The guides for contributors name commands, files and folders that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
SHORT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
GUIDE = SHORT + (ROOT / "book" / "reference" / "writing.md").read_text(encoding="utf-8")


def test_the_guides_name_commands_and_files_that_are_there():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"`make ([a-z-]+)", GUIDE)) <= targets
    paths = re.findall(r"`((?:book|lib|tests|\.ci)/[\w./-]+)`", GUIDE)
    assert len(paths) > 8
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_short_guide_shows_the_folders_of_the_repository():
    text = SHORT.split("```")[1]
    rooms = {path.name for path in (ROOT / "lib" / "throughtime").iterdir() if (path / "__init__.py").exists()}
    rooms |= {path.parent.name for path in (ROOT / "lib" / "throughtime" / "derivation").glob("*/__init__.py")}
    assert {room for room in rooms if f"{room}/" not in text} == set()
