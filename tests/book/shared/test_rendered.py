"""Tables of the reference pages: what does not fit is refused, and nothing in them becomes markup."""

import pytest
from book.shared.rendered import quantities, table
from throughtime.derivation import Dimension, System, domain, indices, parameter, sequence, sum_over, time, variable

t, n, m = time("t"), Dimension("n"), Dimension("m")
units = domain("units", n)
i = indices("i", units)
k = indices("k", domain("inputs", m))
w, x = parameter("w", units, k.domain), sequence("x", k.domain)


HOSTILE = '<img src=x onerror="alert(1)">'
NET = System("small", t)
NET[variable(HOSTILE, units, latex="a")[i, t]] = sum_over(k, w[i, k] * x[k, t])
WORDS = {"w": "a weight", "x": "an input at $t$", HOSTILE: HOSTILE}


@pytest.mark.parametrize("words", [WORDS | {"z": "none"}, {"x": "", HOSTILE: ""}])
def test_words_that_do_not_fit_the_system_are_refused(words):
    with pytest.raises(ValueError, match=r"words: \['[zw]'\] are on one side only"):
        quantities(NET, words)


def test_words_do_not_become_markup():
    html = quantities(NET, WORDS).html
    assert "<img" not in html
    assert html.count("&lt;img src=x") == 2
    assert "<td>&lt;i&gt;</td>" in table(["a"], [["<i>"]]).html


def test_row_that_does_not_fit_its_head_is_refused():
    with pytest.raises(ValueError, match=r"rows: \['1'\] has 1 cells, expected 2"):
        table(["a", "b"], [[1]])
