"""Printed positions of units in a layer: preceding kinds first, then full rows, then the index within the row."""

import pytest
import throughtime as tt
from throughtime.derivation.formulas.nodes import Delta, time
from throughtime.derivation.printing.printer import Latex, Text

first, second = tt.Dimension("d_a"), tt.Dimension("d_b")
length, number = tt.Dimension("d_c"), tt.Dimension("n_c", count=True)
named = tt.Dimension("n_d")
rows = tt.domain("rows", number)
columns = tt.domain("columns", length)
k, i, j = tt.Index("k", rows), tt.Index("i", columns), tt.Index("j", columns)
t, s = time("t"), time("s")

PLACES = {
    "letter in a row": (first + second + (k - 1) * length + j, "d_a+d_b+(k-1)*d_c+j"),
    "first of a row": (first + (k + 1) * length + 1, "d_a+(k+1)*d_c+1"),
    "back from a column": (j - first - second - (k + 1) * length, "j-d_a-d_b-(k+1)*d_c"),
    "last of all rows": (first + (2 + number) * length, "d_a+(2+n_c)*d_c"),
    "as many rows as there are": (first + number * length, "d_a+n_c*d_c"),
    "rows of rows": (first + number * length * j + 2 * number * length, "d_a+((j+2)*n_c)*d_c"),
    "count before length": (first + 3 * length * number, "d_a+3*n_c*d_c"),
    "product of lengths as they were made": (first + length * second, "d_a+d_b*d_c"),
    "a name that begins with n is no count": (first + length * named, "d_a+d_c*n_d"),
    "two rows": (k * length + length + j * second + second, "(j+1)*d_b+(k+1)*d_c"),
    "the size made first is the length first": (
        k * length + length + length * second + second,
        "(1+d_c)*d_b+(k+1)*d_c",
    ),
    "a size in several terms, but never times an index": (2 * length + first, "d_a+2*d_c"),
    "rows taken away": (first - length * k - length, "d_a-(k+1)*d_c"),
    "rows without index taken away": (first - length * number - length, "d_a-(1+n_c)*d_c"),
    "rows without index partly taken away": (first + length * number - length, "d_a+(-1+n_c)*d_c"),
    "several sizes": (2 * length + first + 1, "d_a+2*d_c+1"),
    "letter behind the kind before": (j + first, "d_a+j"),
    "lag": (1 + t - s, "t-s+1"),
    "time to the end": (first - t, "d_a-t"),
    "nothing positive": (-first - t, "-d_a-t"),
}


@pytest.mark.parametrize(("place", "text"), PLACES.values(), ids=PLACES)
def test_place(place, text) -> None:
    assert Text().place(place) == text


def test_sizes_in_latex_do_not_run_together() -> None:
    assert Latex().place(first + (k - 1) * length) == r"d_a + (k - 1)\,d_c"
    assert tt.to_latex(Delta(first + j, k)) == r"\delta_{d_a + j, k}"
    assert tt.to_latex(Delta(i, j)) == r"\delta_{i j}"
