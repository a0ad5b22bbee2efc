"""The browser check itself: sound pages pass, and on each other page every planted fault is named, and nothing else."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError as BrowserTimeoutError
from site_check import ALL, USUAL, Reader, check, looks_at
from site_files import Served, chosen_pages, pages, redirect_target, serve

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
<figure><div class="cell_output"><img alt="a point" src="{PIXEL}"></div>
<figcaption><p><span class="caption-number">Fig. 1 </span>A point.</p></figcaption></figure>
<button>Show <svg></svg></button>
<div style="overflow-x:auto">
<mjx-container style="display:block;width:2000px">wide \\frac, in its own box</mjx-container></div>
<div class="cell_output text_html" style="background:#fff"><p style="color:#000">legible</p></div>
<style>.narrows {{ width: 900px; transition: width 60s }} @media (width < 900px) {{ .narrows {{ width: 90px }} }}
@keyframes turn {{ to {{ rotate: 1turn }} }} .turns {{ animation: turn 9s infinite }}</style>
<p class="narrows">slowly</p><p><span class="turns">always</span></p>
"""

# The faults that are planted together in a page: the HTML of each, and what has to be said of it.
PLANTED = {
    "mathematics": {
        '<mjx-container><mjx-merror data-mjx-error="Undefined control sequence"></mjx-merror></mjx-container>': [
            "mathematics in error: Undefined control sequence"
        ],
        "<p>so \\(x\\)</p>": ['untypeset mathematics in <p class="">: so \\(x'],
        "<p>\\[ x \\]</p>": ['untypeset mathematics in <p class="">: \\[ x'],
        "<p>$$ x $$</p>": ['untypeset mathematics in <p class="">: $$ x'],
        "<p>$x$</p>": ['untypeset mathematics in <p class="">: $x$'],
        "<table><tr><td>\\frac{1}{2}</td></tr></table>": ['untypeset mathematics in <td class="">: \\frac'],
        "<table><tr><td>their ratio, $</td></tr></table>": ['untypeset mathematics in <td class="">: their ratio, $'],
        "<details><summary>\\beta</summary></details>": ['untypeset mathematics in <summary class="">: \\beta'],
        "<p>one\n2. two</p>": ['marks of Markdown in <p class="">: one 2. two'],
        "<p>so **much**</p>": ['marks of Markdown in <p class="">: so **much**'],
        "<p>so *very much*, 2*nm*k</p>": ['marks of Markdown in <p class="">: so *very much*, 2*nm*k'],
        "<table><tr><td>`x`</td></tr></table>": ['marks of Markdown in <td class="">: `x`'],
        '<span class="math">x + y</span>': ["untypeset mathematics: no formula was made of x + y"],
    },
    "requests": {
        "<script>console.error('broken')</script>": ["console error: broken"],
        "<script>throw new Error('thrown')</script>": ["error in a script: thrown"],
        '<link rel="stylesheet" href="https://fonts.example.org/a.css">': [
            "outside request: https://fonts.example.org/a.css"
        ],
        '<script src="https://example.org/a.js"></script>': ["outside request: https://example.org/a.js"],
        "<script>fetch('http://example.org/x').catch(() => 0)</script>": ["outside request: http://example.org/x"],
        "<script>new WebSocket('ws://127.0.0.1:9/')</script>": ["outside request: ws"],
        '<script src="missing.js"></script>': ["failed request: missing.js (404)"],
        '<img alt="a figure" src="missing.png">': [
            "failed request: missing.png (404)",
            "an image that cannot be shown: missing.png",
        ],
    },
    "links": {
        '<a href="nowhere.html">x</a>': ["dead link: nowhere.html"],
        '<a href="/folder/nowhere.html">x</a>': ["dead link: folder/nowhere.html"],
        '<a href="other.html#gone">x</a>': ["dead anchor: other.html#gone"],
        '<a href="#gone">x</a>': ["dead anchor: links.html#gone"],
    },
    "figures": {
        '<img alt="a figure" src="broken.png">': ["an image that cannot be shown: broken.png"],
        '<img src="pixel.svg?none">': ["no alternative text: pixel.svg?none"],
        '<img alt=" " src="pixel.svg?blank">': ["no alternative text: pixel.svg?blank"],
        '<img alt="../_images/0a1b.png" src="pixel.svg?file">': ["no alternative text: pixel.svg?file"],
        '<svg width="9" height="9"></svg>': ['no alternative text: <svg class="">'],
        '<button><svg class="icon"></svg></button>': ['no alternative text: <svg class="icon">'],
        '<svg role="img" aria-label="falls to 7e-14" width="9" height="9"></svg>': [
            "a number as programs print it, in words for a voice: falls to 7e-14"
        ],
        "<canvas></canvas>": ['no alternative text: <canvas class="">'],
        f'<div class="cell_output"><img alt="a point" src="{PIXEL}"></div>': [
            'a figure without number and caption: <img class="">'
        ],
        "<figure><figcaption><p style='color:#555'>pale</p></figcaption></figure>": [
            "a caption that is not in the colour of the text: pale"
        ],
    },
    "wide": {
        '<div style="width:1600px">wide</div>': [
            "light, 1440 px: the page scrolls sideways",
            "dark, 360 px: the page scrolls sideways",
        ],
        '<p style="overflow:clip"><mjx-container style="display:block;width:900px">cut</mjx-container></p>': [
            'dark, 360 px: <mjx-container class=""> reaches 540 px beyond the window'
        ],
        '<div style="overflow:auto"><table style="margin-left:-50px;width:90px"><tr><td>cut</table></div>': [
            'light, 1440 px: <table class=""> loses 50 px on its left',
            'dark, 360 px: <table class=""> loses 50 px on its left',
        ],
        '<div style="width:600px"><mjx-container display="true" style="display:block;overflow-x:auto">'
        '<span style="display:block;width:1300px">wide</span></mjx-container></div>': [
            "light, 1440 px: a formula is 700 px wider than its column"
        ],
        "<script>document.documentElement.dataset.theme = 'dark'</script>": ["asked for in light, the page is dark"],
    },
    "narrow": {
        '<div style="width:500px">wide</div>': ["dark, 360 px: the page scrolls sideways"],
        "<style>.moves { transition: margin 60s } @media (width < 900px) { .moves { margin-left: -50px } }</style>"
        '<div style="overflow:auto"><table class="moves"><tr><td>cut by and by</table></div>': [
            'dark, 360 px: <table class="moves"> loses 50 px on its left'
        ],
        "<style>@media (prefers-color-scheme: dark) { body { background: #111 } }</style>"
        '<div class="cell_output text_html"><p class="dark" style="color:#000">dark</p></div>': [
            'dark, 360 px: text in <p class="dark"> is hard to read'
        ],
        '<div class="cell_output text_html"><p class="faint" style="color:#eee">faint</p></div>': [
            'light, 1440 px: text in <p class="faint"> is hard to read'
        ],
        "<script>document.documentElement.dataset.theme = 'light'</script>": ["asked for in dark, the page is light"],
    },
}
# What Chromium itself writes to the console about a planted request, sooner or later.
ECHOES = ("console error: Failed to load resource", "console error: WebSocket connection")

FILES = {
    "other.html": PAGE.format(title="Other", body='<a name="there">there</a>'),
    "sound.html": PAGE.format(title="Sound", body=SOUND),
    "title.html": PAGE.format(title="The \\(x\\)", body=SOUND),
    "between.html": PAGE.format(
        title="Between", body="<style>@media (900px < width < 1200px) { p { width: 1300px } }</style><p>wide</p>"
    ),
    "talks.html": PAGE.format(
        title="Talks",
        body="<script>const talk = () => { console.error('still here'); fetch('late.txt') };"
        "talk(); setInterval(talk, 20)</script>",
    ),
    "moves.html": PAGE.format(
        title="Moves",
        body="<p>here</p><script>requestAnimationFrame(() => requestAnimationFrame(() => {"
        "document.querySelector('h1').style.marginTop = '400px' }))</script>",
    ),
    "shuts-out.html": PAGE.format(
        title="Shuts out", body='<main><button></button><p style="color:#999;background:#fff">faint</p></main>'
    ),
    "hangs.html": PAGE.format(
        title="Hangs", body="<script>onload = () => setTimeout(() => { while (true); })</script>"
    ),
    "waits.html": PAGE.format(
        title="Waits",
        body="<script>MathJax = { startup: { promise: new Promise(() => console.error('waiting')) } }</script>",
    ),
    "index.html": '<meta http-equiv="Refresh" content="0; url=gone.html" />',
    "broken.png": "not an image",
    "pixel.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
} | {f"{name}.html": PAGE.format(title=name, body=SOUND + "\n".join(faults)) for name, faults in PLANTED.items()}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("planted")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    with serve(root) as served:
        yield served


def test_sound_page_has_no_fault(reader: Reader, planted: Served) -> None:
    assert check(reader, planted, "sound.html", ALL) == []


@pytest.mark.parametrize("page", PLANTED)
def test_planted_faults_are_named_and_no_others(page: str, reader: Reader, planted: Served) -> None:
    found = check(reader, planted, f"{page}.html")
    expected = [sentence for sentences in PLANTED[page].values() for sentence in sentences]
    assert [sentence for sentence in expected if not any(sentence in fault for fault in found)] == []
    assert [fault for fault in found if not any(sentence in fault for sentence in (*expected, *ECHOES))] == []


def test_mathematics_in_the_title_is_named(reader: Reader, planted: Served) -> None:
    found = check(reader, planted, "title.html")
    assert found == [f'{look}: untypeset mathematics in <title class="">: The \\(x\\)' for look in USUAL]


def test_what_moves_while_the_page_comes_is_named(reader: Reader, planted: Served) -> None:
    (fault,) = check(reader, planted, "moves.html")
    assert fault.startswith("light, 1440 px: ")
    assert fault.endswith("% of the window moves while the page comes")


def test_more_looks_find_what_shows_between_the_usual_widths(reader: Reader, planted: Served) -> None:
    assert check(reader, planted, "between.html") == []
    found = check(reader, planted, "between.html", ALL)
    assert [fault.partition(": ")[0] for fault in found] == ["light, 1024 px", "dark, 1024 px"]


def test_what_shuts_readers_out_is_named(reader: Reader, planted: Served) -> None:
    assert check(reader, planted, "sound.html", axe=True) == []
    found = check(reader, planted, "shuts-out.html", axe=True)
    rules = {fault.partition("axe, ")[2].partition(":")[0] for fault in found}
    assert rules == {"button-name", "color-contrast"}
    assert {fault.partition(": ")[0] for fault in found} == set(map(str, USUAL))


def test_what_a_page_says_is_not_said_of_the_next(reader: Reader, planted: Served) -> None:
    assert {"console error: still here", "failed request: late.txt (404)"} <= set(check(reader, planted, "talks.html"))
    assert check(reader, planted, "sound.html") == []


@pytest.mark.parametrize(("page", "step"), [("hangs.html", "its coming"), ("waits.html", "all its formulas")])
def test_a_page_without_an_end_is_left_and_the_next_is_checked(
    page: str, step: str, reader: Reader, planted: Served
) -> None:
    hasty = Reader(reader.browser, step=1000, whole=1000)
    with pytest.raises(BrowserTimeoutError) as stopped:
        check(hasty, planted, page)
    assert stopped.value.__notes__[0].startswith(f"{page}: waited for {step}")
    hasty.tab.set_default_timeout(reader.step)  # the tab that was opened instead
    hasty.whole = reader.whole
    assert check(hasty, planted, "other.html") == []
    hasty.tab.close()


def test_redirect_is_followed_to_its_target(reader: Reader, planted: Served) -> None:
    assert redirect_target(planted.root / "index.html") == "gone.html"
    assert redirect_target(planted.root / "other.html") is None
    assert check(reader, planted, "index.html") == ["dead link: gone.html"]


def test_a_look_is_wide_or_narrow_in_turn_or_all_widths_in_both_schemes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITE_LOOKS", raising=False)
    assert [looks_at(place) for place in range(3)] == [((1440, "light"),), ((360, "dark"),), ((1440, "light"),)]
    monkeypatch.setenv("SITE_LOOKS", "all")
    assert sorted(looks_at(1)) == sorted(product((360, 1024, 1440), ("light", "dark")))
    monkeypatch.setenv("SITE_LOOKS", "wide")
    with pytest.raises(ValueError, match="'all' or nothing is expected, 'wide' is given"):
        looks_at(0)


def test_pages_are_found_at_every_depth_and_chosen_by_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/b/deep.html", "_static/theme.html", "other.html", "third.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(FILES["other.html"], encoding="utf-8")
    monkeypatch.delenv("SITE_PAGES", raising=False)
    assert pages(tmp_path) == chosen_pages(tmp_path) == ["a/b/deep.html", "other.html", "third.html"]
    monkeypatch.setenv("SITE_PAGES", "a/*, third*")
    assert chosen_pages(tmp_path) == ["a/b/deep.html", "third.html"]
    monkeypatch.setenv("SITE_PAGES", "third*,deep*")
    with pytest.raises(ValueError, match=r"'deep\*' matches none of the 3 pages"):
        chosen_pages(tmp_path)
