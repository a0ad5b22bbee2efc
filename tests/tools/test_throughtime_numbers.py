"""The site's extension for numbers: signs and powers in the text of a page, columns of its tables."""

import re

import pytest
from throughtime_numbers import DIGIT, POINT, aligned, set_numbers, written


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("-1.02e+03", "−1.02·10³"),
        ("1e-06", "10⁻⁶"),
        ("-1e-12.", "−10⁻¹²."),
        ("2.50e+00", "2.50"),
        ("[-1, 1]", "[−1, 1]"),
        ("Rprop-, iRprop-", "Rprop−, iRprop−"),
        ("<b>1.9</b>e-3 (-0.5)", "<b>1.9</b>e-3 (−0.5)"),
    ],
)
def test_numbers_are_written_in_one_way(printed: str, shown: str) -> None:
    assert written(printed) == shown


@pytest.mark.parametrize(
    "html",
    [
        "lfmn-9, Rprop-like, 2016-11, 3-5, 10.1038/s41467-020, x2e3, 0.1e3.2",
        '<p title="-1e-3">',
        "<code>-1e-3</code><pre>-1</pre><svg><text>-1</text></svg>",
        '<span class="math notranslate">\\(-1\\)</span>',
    ],
)
def test_names_ranges_code_and_formulas_stay(html: str) -> None:
    assert written(html) == html


def table(*rows: tuple[str, ...]) -> str:
    head = "".join(f"<th>{letter}</th>" for letter in "abc"[: len(rows[0])])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def columns(html: str) -> list[list[str]]:
    """The cells of each column of numbers, without its head."""
    rows = [re.findall(r'<td class="tt-number">(.*?)</td>', row) for row in re.findall("<tr>.*?</tr>", html)]
    return [list(column) for column in zip(*filter(None, rows), strict=True)]


def test_points_of_a_column_stand_in_line() -> None:
    shown = aligned(table(("one", "1.5", "10⁻⁶"), ("two", "−12", "3.2·10³"), ("three", "<p>0.25</p>", "")))
    assert columns(shown) == [[f"1.5{DIGIT}", f"−12{POINT}{DIGIT}{DIGIT}", "<p>0.25</p>"], ["10⁻⁶", "3.2·10³", ""]]
    assert [letter for letter in "abc" if f'<th class="tt-number">{letter}</th>' in shown] == ["b", "c"]


def test_what_a_paragraph_holds_is_filled_inside_of_it() -> None:
    assert f"<p>1{POINT}{DIGIT}</p></td>" in aligned(table(("<p>1</p>",), ("<p>0.5</p>",)))


def test_a_cell_keeps_the_classes_that_it_has() -> None:
    assert '<td class="tt-number text-right">' in aligned(table(("1",)).replace("<td>", '<td class="text-right">'))


@pytest.mark.parametrize(
    "html", [table(("1 of 3",), ("2",)), table(("",), ("",)), table(("1",)).replace("<td>", '<td colspan="2">')]
)
def test_other_columns_stay(html: str) -> None:
    assert aligned(html) == html


def test_the_body_of_a_page_is_set() -> None:
    page = {"body": table(("1e-3",), ("-2e3",))}
    set_numbers(None, "", "", page, None)
    assert columns(page["body"]) == [["10⁻³", "−2·10³"]]
