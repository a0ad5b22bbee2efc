"""The record of what the libraries' LSTMs are, which the book shows, against the libraries that are installed."""

import pytest
from library_lstms import ERROR, LIBRARIES, RECORD

TOLERANCE = 1e-12


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_record_is_what_is_measured_afresh(library):
    afresh = [check._asdict() for check in LIBRARIES[library]()]
    recorded = [row for row in RECORD.read() if row["library"] == library]
    assert len(recorded) == len(afresh) > 5
    for row, now in zip(recorded, afresh, strict=True):
        assert row | {"result": ""} == now | {"result": ""}
        if now["kind"] == ERROR:
            assert float(row["result"]) <= TOLERANCE
            assert float(now["result"]) <= TOLERANCE
        else:
            assert row["result"] == now["result"]
