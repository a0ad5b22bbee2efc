"""Tables and formulas of the reference pages."""

import re

import pytest
from book.shared.rendered import formulas, quantities, table
from throughtime.derivation import (
    Activation,
    Dimension,
    System,
    domain,
    indices,
    parameter,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.systems import lfmn

t, n, m = time("t"), Dimension("n"), Dimension("m")
units = domain("units", n)
i = indices("i", units)
k = indices("k", domain("inputs", m))
w, x, a, f = parameter("w", units, k.domain), sequence("x", k.domain), variable("a", units), Activation("f")


def small() -> System:
    net = System("small", t)
    net[a[i, t]] = sum_over(k, w[i, k] * x[k, t])
    return net


WORDS = {"w": "a weight", "x": "an input at $t$", "a": "its sum <&>"}


def test_every_quantity_has_symbol_range_name_role_and_words():
    html = quantities(small(), WORDS).html
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    assert len(rows) == 3
    weight = rows[0]
    assert r"\(w_{i k}\)" in weight
    assert r"\(i = 1, \dots, n\)" in weight
    assert "<code>w</code>" in weight
    assert "<td>learnt</td>" in weight
    assert "<td>a weight<div>" in weight
    assert "<td>given</td>" in rows[1]
    assert "<td>computed</td>" in rows[2]
    assert "<td>its sum &lt;&amp;&gt;<div>" in rows[2]


def test_range_is_the_one_that_the_quantity_has_not_one_of_its_parts():
    net = lfmn.build()
    names = re.findall(r"<code>(.*?)</code>", quantities(net, dict.fromkeys(_names(net), "word")).html)
    assert sorted(names) == sorted(_names(net))
    html = quantities(net, dict.fromkeys(_names(net), "word")).html
    (row,) = [row for row in re.findall(r"<tr>(.*?)</tr>", html) if "<code>h</code>" in row]
    assert r"j = 1, \dots, n_{h} + r_{h} + a_{h}" in row
    assert r"\(\sigma(t)\)" in html  # the system has it under a sum over s


def _names(net: System) -> list[str]:
    try:
        quantities(net, {})
    except ValueError as error:
        return re.findall(r"'(.*?)'", str(error))
    raise AssertionError("a system without words was accepted")


@pytest.mark.parametrize("words", [WORDS | {"z": "none"}, {"w": "", "x": ""}])
def test_words_that_do_not_fit_the_system_are_refused(words):
    with pytest.raises(ValueError, match=r"words: \['[za]'\] are on one side only"):
        quantities(small(), words)


def test_name_of_a_quantity_does_not_become_markup():
    name = '<img src=x onerror="alert(1)">'
    net, hostile = System("small", t), variable(name, units, latex="a")
    net[hostile[i, t]] = sum_over(k, w[i, k] * x[k, t])
    words = {"w": WORDS["w"], "x": WORDS["x"], name: name}
    html = quantities(net, words).html
    assert "<img" not in html
    assert html.count("&lt;img src=x") == 2


def test_table_of_numbers_and_formulas():
    shown = table(["$t$", "value"], [[1, 0.123456], [2, "a < b"]])
    assert "<td>0.1235</td>" in shown.html
    assert "<td>a &lt; b</td>" in shown.html
    assert r"\(t\)</span></th>" in shown.html
    assert shown.text.splitlines() == ["$t$  value", "1  0.1235", "2  a < b"]


def test_code_in_a_table_is_code():
    shown = table(["room of `a_b`"], [["`<c>`"]])
    assert "<th>room of <code>a_b</code></th>" in shown.html
    assert "<td><code>&lt;c&gt;</code></td>" in shown.html
    assert shown.text == "room of `a_b`\n`<c>`"


def test_row_that_does_not_fit_its_head_is_refused():
    with pytest.raises(ValueError, match=r"rows: \['1'\] has 1 cells, expected 2"):
        table(["a", "b"], [[1]])


def test_formulas_come_from_the_engine():
    shown = formulas((a[i, t], sum_over(k, w[i, k] * x[k, t])))
    assert r"a_{i}(t) &amp;= \sum_{k=1}^{m}" in shown.html
    assert shown.text == "  a[i](t) = sum[k=1..m] w[i,k]*x[k](t)"
