"""The site's extension for lines: a formula is not parted from the sign that touches it."""

import pytest
from throughtime_lines import held

X = r'<span class="math notranslate nohighlight">\(x\)</span>'


@pytest.mark.parametrize(("before", "after"), [("", ","), ("(", ")."), ("", "-th"), ("(", ""), ("", "%")])
def test_what_touches_a_formula_stays_beside_it(before: str, after: str) -> None:
    assert held(f"<p>of {before}{X}{after} and</p>") == f'<p>of <span class="tt-line">{before}{X}{after}</span> and</p>'


@pytest.mark.parametrize("html", [f"<p>{X} and {X} {X}</p>", f"{X} (so)", "a, b", f"{X}<b>,</b>", f"( {X} )"])
def test_formulas_between_words_are_left_alone(html: str) -> None:
    assert held(html) == html


def test_a_number_stays_beside_its_percent_outside_of_programs() -> None:
    program = "<pre><span></span>print(7 % 2)\n# 5 % of them</pre>"
    assert held(f"<p>95 % of %</p>{program}<td>3 %</td>") == f"<p>95\u00a0% of %</p>{program}<td>3\u00a0%</td>"
