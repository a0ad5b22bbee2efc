"""The library stays small enough to be read; lines of code are counted, explanations are free."""

from __future__ import annotations

from pathlib import Path

from book.reference.sizes import code_lines, code_of

LIBRARY = Path(__file__).parents[2] / "lib" / "throughtime"
MOST = 8045  # the engine, the models and what they need: without the two rooms below
READING = 1430  # recurrences from text
PROGRAMS = 2128  # the compiler, which will take the place of the loops in models/


def test_the_library_is_small() -> None:
    files = sorted(LIBRARY.rglob("*.py"))
    assert len(files) > 50
    whole, programs, reading = map(code_of, (LIBRARY, LIBRARY / "programs", LIBRARY / "reading"))
    assert 100 < programs <= PROGRAMS
    assert 100 < reading <= READING
    assert 1000 < whole - programs - reading <= MOST


def test_code_is_counted_and_nothing_else() -> None:
    source = (
        '"""Text.\n\nMore.\n"""\n\nx = [\n    1,  # one\n]\n# why\n\n\ndef f():\n    """Text."""\n    return "text"\n'
    )
    assert code_lines(source) == 5
