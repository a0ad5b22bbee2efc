"""Tables of the reference pages: what does not fit is refused, and nothing in them becomes markup."""

import pytest
from book.shared.rendered import quantities, table
from throughtime.derivation import Dimension, System, domain, indices, parameter, sequence, sum_over, time, variable

t, n, m = time("t"), Dimension("n"), Dimension("m")
units = domain("units", n)
i = indices("i", units)
k = indices("k", domain("inputs", m))
w, x, a = parameter("w", units, k.domain), sequence("x", k.domain), variable("a", units)


def small() -> System:
    net = System("small", t)
    net[a[i, t]] = sum_over(k, w[i, k] * x[k, t])
    return net


WORDS = {"w": "a weight", "x": "an input at $t$", "a": "its sum"}


@pytest.mark.parametrize("words", [WORDS | {"z": "none"}, {"w": "", "x": ""}])
def test_words_that_do_not_fit_the_system_are_refused(words):
    with pytest.raises(ValueError, match=r"words: \['[za]'\] are on one side only"):
        quantities(small(), words)


def test_words_do_not_become_markup():
    name = '<img src=x onerror="alert(1)">'
    net, hostile = System("small", t), variable(name, units, latex="a")
    net[hostile[i, t]] = sum_over(k, w[i, k] * x[k, t])
    words = {"w": WORDS["w"], "x": WORDS["x"], name: name}
    html = quantities(net, words).html
    assert "<img" not in html
    assert html.count("&lt;img src=x") == 2
    assert "<td>&lt;i&gt;</td>" in table(["a"], [["<i>"]]).html


def test_row_that_does_not_fit_its_head_is_refused():
    with pytest.raises(ValueError, match=r"rows: \['1'\] has 1 cells, expected 2"):
        table(["a", "b"], [[1]])
