"""Whole numbers print as one counts: kinds in front, then rows of one length, then the letter in the row."""

from __future__ import annotations

import pytest
from throughtime.derivation.domains import Dimension, Index, domain
from throughtime.derivation.nodes import time
from throughtime.derivation.places import bracket_terms, negative, place_terms
from throughtime.derivation.styles import Latex, Text

first, second = Dimension("d_a"), Dimension("d_b")
length, number = Dimension("d_c"), Dimension("n_c")
rows = domain("rows", number)
k, j = Index("k", rows), Index("j", domain("columns", length))
t, s = time("t"), time("s")

PLACES = {
    "letter in a row": (first + second + (k - 1) * length + j, "d_a+d_b+(k-1)*d_c+j"),
    "first of a row": (first + (k + 1) * length + 1, "d_a+(k+1)*d_c+1"),
    "back from a column": (j - first - second - (k + 1) * length, "j-d_a-d_b-(k+1)*d_c"),
    "last of all rows": (first + (2 + number) * length, "d_a+(2+n_c)*d_c"),
    "as many rows as there are": (first + number * length, "d_a+n_c*d_c"),
    "several sizes": (2 * length + first + 1, "d_a+2*d_c+1"),
    "letter behind the kind before": (j + first, "d_a+j"),
    "lag": (1 + t - s, "t-s+1"),
    "time to the end": (first - t, "d_a-t"),
    "nothing positive": (-first - t, "-d_a-t"),
}


@pytest.mark.parametrize("name", PLACES)
def test_place(name: str) -> None:
    place, text = PLACES[name]
    assert Text().dimension(place) == text


def test_a_row_keeps_its_value() -> None:
    place = j - first - (k + 1) * length
    parts = place_terms(place)
    row = next(part for part in parts if isinstance(part, tuple))
    assert negative(row)
    assert [str(term) for term in bracket_terms(row)] == ["k", "1"]
    assert (sum(part[0] * part[1] if isinstance(part, tuple) else part for part in parts) - place).expand() == 0


def test_sizes_in_latex_do_not_run_together() -> None:
    assert Latex().dimension(first + (k - 1) * length) == r"d_a + (k - 1)\,d_c"
    assert Latex().delta("d_a + j", "q") == r"\delta_{d_a + j, q}"
    assert Latex().delta("i", "j") == r"\delta_{i j}"
