"""Sphinx extension for the site: a formula and the sign beside it stay on one line, and so do a number and its percent.

To a browser a formula is a box, and a line may break between a box and a comma, a bracket or the rest of "n-th".
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

FORMULA = re.compile(
    r'(?P<before>[(\[“‘]?)(?P<formula><span class="math\b[^>]*>[^<]*</span>)(?P<after>(?:[,.;:?!)\]’”%]+|-\w+)?)'
)
PERCENT = re.compile(r"<pre\b.*?</pre>|(?<=\d) (?=%)", re.DOTALL)  # in programs a space stays what it is


def held(body: str) -> str:
    """HTML in which the formulas of a line hold what touches them, and numbers their percent."""

    def hold(found: re.Match[str]) -> str:
        alone = not found["before"] and not found["after"]
        return found[0] if alone else f'<span class="tt-line">{found[0]}</span>'

    return PERCENT.sub(lambda found: "\N{NO-BREAK SPACE}" if found[0] == " " else found[0], FORMULA.sub(hold, body))


def hold_signs(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Hold the signs beside the formulas of one page."""
    if "body" in context:
        context["body"] = held(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", hold_signs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
