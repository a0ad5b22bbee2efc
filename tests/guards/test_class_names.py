"""A name of a class says which one is meant: in the library it is there once, and no part of the book takes it anew."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def classes(files: list[Path]) -> Counter[str]:
    """Public classes by name, with their number; those of one small letter are functions of SymPy."""
    bodies = [node for path in files for node in ast.parse(path.read_text(encoding="utf-8")).body]
    return Counter(node.name for node in bodies if isinstance(node, ast.ClassDef) and node.name[0].isupper())


def imported(files: list[Path]) -> set[str]:
    """Names that files take from the library."""
    found = (node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    named = (node for node in found if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith("throughtime"))
    return {alias.name for node in named for alias in node.names}


def test_a_class_of_the_library_has_its_name_alone() -> None:
    assert [name for name, count in classes([*(ROOT / "lib").rglob("*.py")]).items() if count > 1] == []


def test_no_part_of_the_book_has_a_class_of_the_name_of_one_that_it_imports() -> None:
    parts = {path.name: [*path.rglob("*.py")] for path in (ROOT / "book").iterdir() if path.is_dir()}
    assert {name: both for name, files in parts.items() if (both := {*classes(files)} & imported(files))} == {}
