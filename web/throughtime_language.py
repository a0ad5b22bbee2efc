"""Sphinx extension for the site: Chinese words say that they are Chinese, so that a voice and a font can follow.

Most of them stand in prose, others in the boxes that cells have printed: the finished page is where all can be seen.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

# What is not prose is passed over whole; of the rest every tag, so that attributes keep their words.
PASSED_OVER = r"<(?P<kind>script|style|svg|textarea)\b.*?</(?P=kind)>|<!--.*?-->|<[^>]*>"
HAN = r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+"  # with the marks between, which no other language here has
PART = re.compile(rf"{PASSED_OVER}|(?P<han>{HAN})", re.S)


def marked(body: str) -> str:
    """HTML with each run of Chinese in an element of its own that names the language."""
    return PART.sub(lambda part: f'<span lang="zh-Hant">{part[0]}</span>' if part["han"] else part[0], body)


def mark_chinese(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Mark the words of one page; its title and its contents at the side are made from their own sources."""
    if "body" in context:
        context["body"] = marked(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", mark_chinese)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
