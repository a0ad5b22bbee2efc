"""The site's extension for statements: link targets on every page, found by the search, listed in the index."""

from __future__ import annotations

import json
from pathlib import Path

from small_sites import build
from throughtime_statements import listed

BOX = '.. raw:: html\n\n   <div class="tt-statement tt-holds" id="lfmn-9">box</div>'


def test_each_id_of_a_box_is_a_link_target_from_any_page_and_no_other_id_is(tmp_path: Path) -> None:
    head = '<header><span class="tt-tag">lfmn-9</span><span class="tt-tag" id="bptt-3">bptt-3</span></header>'
    links = ":ref:`lfmn-9` :ref:`bptt-3` :ref:`lfmn-99`"
    site, warnings = build(tmp_path, index=links, other=BOX.replace(">box<", f">{head}<"))
    assert [line.partition("WARNING: ")[2].partition(" [")[0] for line in warnings.splitlines()] == [
        "undefined label: 'lfmn-99'"
    ]
    page = (site / "index.html").read_text(encoding="utf-8")
    assert all(f'href="other.html#{name}"' in page for name in ("lfmn-9", "bptt-3"))


def test_statement_on_two_pages_is_a_warning_and_the_index_counts(tmp_path: Path) -> None:
    site, warnings = build(tmp_path, index=BOX, other=f"{BOX}\n\n{BOX.replace('lfmn-9', 'lfmn-10')}")
    assert "statement lfmn-9 stands on index and on other" in warnings
    index = (site / "genindex.html").read_text(encoding="utf-8")
    assert index.index("#lfmn-9") < index.index("#lfmn-10")


def test_the_search_and_the_index_lead_to_the_box_and_not_to_its_erratum(tmp_path: Path) -> None:
    site, _ = build(tmp_path, index=BOX, errata=BOX.replace('id="', 'id="erratum-'))
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    (names,) = found["objects"].values()
    ((page, kind, _, anchor, name),) = names
    title = f"lfmn-9: {listed()['lfmn-9']['states']}"
    assert (found["docnames"][page], name, anchor) == ("index", title, "lfmn-9")
    assert found["objnames"][str(kind)][2] == f"equation, {listed()['lfmn-9']['verdict']}"
    index = (site / "genindex.html").read_text(encoding="utf-8")
    assert 'href="index.html#lfmn-9"' in index
    assert "erratum" not in index
