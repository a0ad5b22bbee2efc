"""The site's extension for the search: parts of Chinese terms, exercises by their numbers, pages by their terms."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import throughtime_search
from sphinx.application import Sphinx
from throughtime_search import English, ExerciseDomain


def test_pairs_of_a_term_are_words_beside_the_term() -> None:
    assert English({}).split("a gate (遺忘閘) and 梯度") == ["a", "gate", "遺忘閘", "and", "梯度", "遺忘", "忘閘"]


def test_exercises_have_their_numbers() -> None:
    numbers = {"one": {"figure": {"fig": (1,)}, "exercise": {"ex-a": (3,)}}, "two": {}}
    domain = SimpleNamespace(env=SimpleNamespace(toc_fignumbers=numbers))
    assert list(ExerciseDomain.get_objects(domain)) == [("Exercise 3", "Exercise 3", "exercise", "one", "ex-a", 1)]


def test_terms_of_pages_that_are_not_built_again_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughtime_search, "terms", lambda: {"still": ["one term"], "moved": ["another term"]})
    (tmp_path / "conf.py").write_text("extensions = ['throughtime_search']\n")
    (tmp_path / "index.rst").write_text("Title\n=====\n\n.. toctree::\n\n   still\n   moved\n")
    (tmp_path / "still.rst").write_text("Still\n=====\n")
    for text in ("first", "second"):
        (tmp_path / "moved.rst").write_text(f"Moved\n=====\n\n{text}\n")
        Sphinx(tmp_path, tmp_path, tmp_path / "site", tmp_path / "trees", "html", status=None).build()
    index = (tmp_path / "site" / "searchindex.js").read_text()
    assert "one term" in index
    assert "another term" in index
