"""The browser check itself: a sound page passes, and each planted fault is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from site_check import Readers, check, pages, redirect_target, serve

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="icon" href="data:,"></head>
<body style="margin:0"><article><h1 id="top">Page</h1>{body}</article></body></html>
"""
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
SOUND = f"""
<p>Costs 5 $. <code>\\(x\\) $$</code> <a href="other.html#there">on</a>
<a href="#top">up</a> <a href="#">top</a></p>
<p><a href="https://example.org/elsewhere">a link out is not a request</a></p>
<img alt="a point" src="{PIXEL}"><svg role="img" aria-label="a line" width="9" height="9"></svg>
<svg width="9" height="9"><title>a line</title></svg><svg aria-hidden="true"></svg>
<button>Show <svg></svg></button>
<div style="overflow-x:auto">
<mjx-container style="display:block;width:2000px">wide \\frac, in its own box</mjx-container></div>
<div class="cell_output text_html" style="background:#fff"><p style="color:#000">legible</p></div>
"""
OTHER = PAGE.format(title="Other", body='<a name="there">there</a>')

FAULTS = {
    "console error: broken": "<script>console.error('broken')</script>",
    "error in a script: ": "<script>throw new Error('broken')</script>",
    "mathematics in error: Undefined control sequence": (
        '<mjx-container><mjx-merror data-mjx-error="Undefined control sequence"></mjx-merror></mjx-container>'
    ),
    'untypeset mathematics in <p class="">: so \\(x': "<p>so \\(x\\)</p>",
    'untypeset mathematics in <p class="">: \\[ x': "<p>\\[ x \\]</p>",
    'untypeset mathematics in <p class="">: $$ x': "<p>$$ x $$</p>",
    'untypeset mathematics in <p class="">: $x$': "<p>$x$</p>",
    'untypeset mathematics in <td class="">: \\frac': "<table><tr><td>\\frac{1}{2}</td></tr></table>",
    'untypeset mathematics in <summary class="">: \\beta': "<details><summary>\\beta</summary></details>",
    "untypeset mathematics: no formula was made of x + y": '<span class="math">x + y</span>',
    "outside request: https://fonts.example.org/a.css": '<link rel="stylesheet" href="https://fonts.example.org/a.css">',
    "outside request: https://example.org/a.js": '<script src="https://example.org/a.js"></script>',
    "outside request: http://example.org/x": "<script>fetch('http://example.org/x').catch(() => 0)</script>",
    "outside request: ws": "<script>new WebSocket('ws://127.0.0.1:9/')</script>",
    "failed request: missing.png (404)": '<img alt="a figure" src="missing.png">',
    "failed request: missing.js (404)": '<script src="missing.js"></script>',
    "an image that cannot be shown: broken.png": '<img alt="a figure" src="broken.png">',
    "dead link: nowhere.html": '<a href="nowhere.html">x</a>',
    "dead link: folder/nowhere.html": '<a href="/folder/nowhere.html">x</a>',
    "dead anchor: other.html#gone": '<a href="other.html#gone">x</a>',
    "dead anchor: page.html#gone": '<a href="#gone">x</a>',
    "no alternative text: data:image/gif": f'<img src="{PIXEL}">',
    "no alternative text: data:image/gif;": f'<img alt=" " src="{PIXEL}">',
    "no alternative text: data:image/gif;base64": f'<img alt="../_images/0a1b.png" src="{PIXEL}">',
    'no alternative text: <svg class="">': '<svg width="9" height="9"></svg>',
    'no alternative text: <svg class="icon">': '<button><svg class="icon"></svg></button>',
    'no alternative text: <canvas class="">': "<canvas></canvas>",
    "light, 390 px: the page scrolls sideways": '<div style="width:600px">wide</div>',
    "dark, 390 px: the page scrolls sideways": '<div style="width:500px">wide</div>',
    "light, 1280 px: the page scrolls sideways": '<div style="width:1400px">wide</div>',
    '390 px: <mjx-container class=""> reaches': (
        '<p style="overflow:clip"><mjx-container style="display:block;width:900px">cut</mjx-container></p>'
    ),
    '1280 px: <table class=""> loses 50 px on its left': (
        '<div style="overflow:auto"><table style="margin-left:-50px;width:90px"><tr><td>cut</table></div>'
    ),
    "light, 1280 px: a formula is 700 px wider than its column": (
        '<div style="width:600px"><mjx-container display="true" style="display:block;overflow-x:auto">'
        '<span style="display:block;width:1300px">wide</span></mjx-container></div>'
    ),
    'light, 1280 px: text in <p class="faint"> is hard to read': (
        '<div class="cell_output text_html"><p class="faint" style="color:#eee">faint</p></div>'
    ),
    'dark, 1280 px: text in <p class="dark">': (
        "<style>@media (prefers-color-scheme: dark) { body { background: #111 } }</style>"
        '<div class="cell_output text_html"><p class="dark" style="color:#000">dark</p></div>'
    ),
    "asked for in dark, the page is light": "<script>document.documentElement.dataset.theme='light'</script>",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "other.html").write_text(OTHER, encoding="utf-8")
    (tmp_path / "broken.png").write_text("not an image", encoding="utf-8")
    return tmp_path


def faults_of(readers: Readers, site: Path, body: str, title: str = "Page") -> list[str]:
    (site / "page.html").write_text(PAGE.format(title=title, body=body), encoding="utf-8")
    with serve(site) as served:
        return check(readers, served, "page.html")


def test_sound_page_has_no_fault(readers: Readers, site: Path) -> None:
    assert faults_of(readers, site, SOUND) == []


@pytest.mark.parametrize(("fault", "body"), FAULTS.items(), ids=FAULTS)
def test_planted_fault_is_named(fault: str, body: str, readers: Readers, site: Path) -> None:
    assert [found for found in faults_of(readers, site, SOUND + body) if fault in found]


def test_mathematics_in_the_title_is_named(readers: Readers, site: Path) -> None:
    assert any("untypeset" in found for found in faults_of(readers, site, SOUND, title="The \\(x\\)"))


def test_redirect_is_followed_to_its_target(readers: Readers, site: Path) -> None:
    (site / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=gone.html" />', encoding="utf-8")
    assert redirect_target(site / "index.html") == "gone.html"
    assert redirect_target(site / "other.html") is None
    with serve(site) as served:
        assert check(readers, served, "index.html") == ["dead link: gone.html"]


def test_pages_are_found_at_every_depth(site: Path) -> None:
    for name in ("a/b/deep.html", "_static/theme.html"):
        (site / name).parent.mkdir(parents=True)
        (site / name).write_text(OTHER, encoding="utf-8")
    assert pages(site) == ["a/b/deep.html", "other.html"]
