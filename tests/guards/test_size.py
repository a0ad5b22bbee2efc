"""The library stays small enough to be read; lines of code are counted, explanations are free."""

from __future__ import annotations

from pathlib import Path

from throughtime_book.reference.sizes import code_lines, code_of

LIBRARY = Path(__file__).parents[2] / "lib" / "throughtime"
MOST = 7320  # without the compiler, which will take the place of the loops in models/
WITH_COMPILER = 9290  # more than the 7 500 aimed at: the loops by hand are still there


def test_the_library_is_small() -> None:
    files = sorted(LIBRARY.rglob("*.py"))
    assert len(files) > 50
    whole, compiler = code_of(LIBRARY), code_of(LIBRARY / "programs")
    assert 1000 < whole - compiler <= MOST
    assert compiler > 100
    assert whole <= WITH_COMPILER


def test_code_is_counted_and_nothing_else() -> None:
    source = (
        '"""Text.\n\nMore.\n"""\n\nx = [\n    1,  # one\n]\n# why\n\n\ndef f():\n    """Text."""\n    return "text"\n'
    )
    assert code_lines(source) == 5
