"""Sphinx extension for the site: the search finds parts of Chinese terms, and exercises by number.

A word of Chinese has no spaces around it. The index gets every pair of its signs beside the whole; Sphinx itself finds
parts of three signs and more. (What a result says and in which order results stand is set in results.js.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType
from sphinx.search.en import SearchEnglish

HAN = re.compile("[\u4e00-\u9fff]{3,}")


class English(SearchEnglish):
    """English with Chinese terms."""

    def split(self, input: str) -> list[str]:
        pairs = [one + other for term in HAN.findall(input) for one, other in pairwise(term)]
        return super().split(input) + pairs


class ExerciseDomain(Domain):
    """The exercises of the book under the numbers that sphinx-exercise has given them."""

    name = "exercises"
    label = "Exercises"
    object_types: ClassVar[dict[str, ObjType]] = {"exercise": ObjType("exercise")}

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """What the search finds by name."""
        for page, numbered in self.env.toc_fignumbers.items():
            for label, number in numbered.get("exercise", {}).items():
                name = f"Exercise {'.'.join(map(str, number))}"
                yield name, name, "exercise", page, label, 1

    def get_type_name(self, type: ObjType, primary: bool = False) -> str:
        """What the search says that it has found."""
        return type.lname

    def merge_domaindata(self, docnames: object, otherdata: object) -> None:
        """Nothing is kept beside the numbers."""

    def resolve_any_xref(self, *_: object) -> list:
        """The labels of sphinx-exercise are enough."""
        return []


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_search_language(English)
    app.add_domain(ExerciseDomain)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
