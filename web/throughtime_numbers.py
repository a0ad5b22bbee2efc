"""Sphinx extension for the site: numbers are written in one way, −1.02·10³, and stand in line in the columns of tables.

What a program prints, -1.02e+03, is right in code and in a terminal; prose, tables and boxes of a page are set. The
finished page is where all of them can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sphinx.application import Sphinx

# Code, formulas and drawings are passed over whole, of the rest every tag, so that attributes keep what they hold.
PASSED_OVER = (
    r"<(?P<kind>script|style|svg|textarea|code|pre|kbd|samp)\b.*?</(?P=kind)>"
    r'|<(?P<math>div|span) class="math\b.*?</(?P=math)>|<!--.*?-->|<[^>]*>'
)
POWER = r"(?<![\w.,:/@–-])(?P<factor>[-−+]?\d+(?:\.\d+)?)e(?P<exponent>[-+]?\d+)(?!\w|\.\d)"
MINUS = r"(?P<minus>(?<![\w.:/)\]-])-(?=\d)|(?<=Rprop)-(?!\w))"  # also that of a method's name
PART = re.compile(rf"{PASSED_OVER}|{POWER}|{MINUS}", re.S)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

TABLE = re.compile(r"<table\b.*?</table>", re.S)
ROW = re.compile(r"<tr\b.*?</tr>", re.S)
CELL = re.compile(r"<(?P<tag>t[hd])(?P<attributes>[^>]*)>(?P<content>.*?)</t[hd]>", re.S)
RAISED_ONES = "[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+"
NUMBER = re.compile(
    rf"[−+±]?(?:\d+(?:\.(?P<decimals>\d+))?(?P<power>·10{RAISED_ONES})?|(?P<alone>10{RAISED_ONES}))(?: ?%)?"
)
TAG = re.compile("<[^>]*>")
LAST = re.compile(r"(?=(?:</[^>]*>|\s)*$)")  # where the words of a cell end
POINT, DIGIT = "\u2008", "\u2007"  # spaces as wide as a point and as a digit


def written(body: str) -> str:
    """HTML with every number of its text written with a real minus, and with a power of ten instead of an ``e``."""
    return PART.sub(_written, body)


def _written(part: re.Match[str]) -> str:
    if part["minus"]:
        return "−"
    if not part["factor"]:
        return part[0]
    factor, exponent = part["factor"].replace("-", "−"), int(part["exponent"])
    if not exponent:
        return factor
    power = "10" + str(exponent).translate(RAISED)
    return factor[:-1] + power if factor.lstrip("−+") == "1" else f"{factor}·{power}"


def aligned(table: str) -> str:
    """HTML of a table; columns that hold numbers alone have the class ``tt-number`` and their points in line."""
    rows = [CELL.findall(row) for row in ROW.findall(table)]
    body = [[TAG.sub("", content).strip() for _, _, content in row] for row in rows if any(c[0] == "td" for c in row)]
    if "span=" in table or table.count("<table") > 1 or len({len(row) for row in rows}) != 1:
        return table
    pads = [_pads(column) for column in zip(*body, strict=True)]
    shown = iter(range(-(len(rows) - len(body)), len(body)))
    return ROW.sub(lambda row: _aligned(row[0], pads, next(shown)), table)


def _pads(column: Sequence[str]) -> list[str] | None:
    """What each number of a column lacks behind to stand in line; None for a column that holds other things as well."""
    numbers = [NUMBER.fullmatch(text) for text in column]
    if not any(numbers) or any(text and not number for text, number in zip(column, numbers, strict=True)):
        return None
    if any(number and (number["power"] or number["alone"]) for number in numbers):
        return [""] * len(column)
    lengths = [len(number["decimals"] or "") if number else 0 for number in numbers]
    most = max(lengths)
    return [(POINT if most and not length else "") + DIGIT * (most - length) for length in lengths]


def _aligned(row: str, pads: Sequence[list[str] | None], place: int) -> str:
    columns = iter(pads)

    def cell(found: re.Match[str]) -> str:
        pad = next(columns)
        if pad is None:
            return found[0]
        tag, attributes, content = found["tag"], found["attributes"], found["content"]
        named = 'class="' in attributes
        attributes = attributes.replace('class="', 'class="tt-number ') if named else f'{attributes} class="tt-number"'
        inner = LAST.sub(pad[place], content, count=1) if place >= 0 else content
        return f"<{tag}{attributes}>{inner}</{tag}>"

    return CELL.sub(cell, row)


def set_numbers(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Write the numbers of one page."""
    if "body" in context:
        context["body"] = TABLE.sub(lambda table: aligned(table[0]), written(context["body"]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", set_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
