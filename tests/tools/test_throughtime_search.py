"""The site's extension for the search, in a build of pages that have changed; what it finds is asked of the site."""

from pathlib import Path

import pytest
import throughtime_search
from sphinx.application import Sphinx


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
