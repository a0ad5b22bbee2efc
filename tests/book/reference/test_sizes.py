"""The lines that a reader has to trust: all rooms are listed, and none is longer than the page says."""

import pytest
from book.reference import sizes


def test_every_room_of_the_engine_is_listed():
    folders = {path.parent.name for path in (sizes.LIBRARY / "derivation").glob("*/__init__.py")}
    assert folders == set(sizes.ROOMS)


def test_the_bounds_are_close():
    for room, (_, most) in sizes.ROOMS.items():
        assert 0.75 * most < sizes.code_of(sizes.LIBRARY / "derivation" / room) <= most


def test_a_room_that_has_grown_is_refused(monkeypatch):
    monkeypatch.setitem(sizes.ROOMS, "printing", ("formulas", 10))
    with pytest.raises(ValueError, match=r"printing: \d+ lines of code, expected at most 10"):
        sizes.rooms()
