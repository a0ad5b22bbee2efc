"""The site's extension for statements: link targets on every page, found by the search, listed in the index."""

import json
from pathlib import Path

import pytest
from small_sites import build
from throughtime_statements import listed

BOX = '.. raw:: html\n\n   <div class="tt-statement tt-holds" id="{}">{}</div>'
HEAD = '<header><span class="tt-tag">lfmn-9</span><span class="tt-tag" id="bptt-3">bptt-3</span></header>'
PAGES = {
    "index": ":ref:`lfmn-9` :ref:`bptt-3` :ref:`lfmn-99`",
    "other": f"{BOX.format('lfmn-9', HEAD)}\n\n{BOX.format('lfmn-10', 'box')}",
    "errata": BOX.format("erratum-lfmn-9", "box"),
    "twice": BOX.format("lfmn-10", "box"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return build(tmp_path_factory.mktemp("statements"), **PAGES)


def test_each_id_of_a_box_is_a_link_target_from_any_page_and_no_other_id_is(built: tuple[Path, str]) -> None:
    site, warnings = built
    assert [line.partition("WARNING: ")[2].partition(" [")[0] for line in warnings.splitlines()] == [
        "statement lfmn-10 stands on other and on twice",
        "undefined label: 'lfmn-99'",
    ]
    page = (site / "index.html").read_text(encoding="utf-8")
    assert all(f'href="other.html#{name}"' in page for name in ("lfmn-9", "bptt-3"))


def test_the_search_and_the_index_lead_to_the_box_and_not_to_its_erratum(built: tuple[Path, str]) -> None:
    site, _ = built
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    (names,) = found["objects"].values()
    places = {anchor: (found["docnames"][page], name) for page, _, _, anchor, name in names}
    assert places.keys() == {"lfmn-9", "lfmn-10", "bptt-3"}
    assert places["lfmn-9"] == ("other", f"lfmn-9: {listed()['lfmn-9']['states']}")
    kinds = {anchor: found["objnames"][str(kind)][2] for _, kind, _, anchor, _ in names}
    assert kinds["lfmn-9"] == f"equation, {listed()['lfmn-9']['verdict']}"
    index = (site / "genindex.html").read_text(encoding="utf-8")
    assert index.index("other.html#lfmn-9") < index.index("#lfmn-10")  # as numbers, not as text
    assert "erratum" not in index
