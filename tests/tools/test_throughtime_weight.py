"""The site's extension for the weight of pages: icons, scripts, styles and pictures, as the theme writes them."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image
from throughtime_weight import Icons, drawn, lighten, shrunk, without_spare

# Of each name the last drawing is the solid one, as in the theme's library.
LIBRARY = """a={sun:[512,512,[9728],"f185","M1"],"arrow-up":[1,2,[],"f0","x"]},b={sun:[640,512,[9728],"f185","M2"]}"""
PAGE = """<script defer src="../_static/scripts/fontawesome.js?digest=1"></script>
<script src="searchindex.js"></script><script src="_static/own.js?v=1"></script>
<i class="theme-switch fa-solid fa-sun   fa-lg" data-mode="light"></i><span class="fas fa-arrow-up"></span>
<img src="_images/a.png"><p id="top" class="here">\\(\\class{mjx-now}{x}\\)
"""


def test_a_fold_says_its_word_once() -> None:
    word = '<p class="{}admonition-title">code</p>'
    cell = '<div class="cell {}docutils container">{}<pre>{}x = 1</pre></div>'
    full = cell.format("tag_hide-input ", f"{word.format('collapsed ')}\n{word.format('expanded ')}", "<span></span>")
    assert without_spare(full) == cell.format("", word.format(""), "")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for folder in ("_static/scripts", "_static/styles", "_images"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "_static" / "scripts" / "fontawesome.js").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "_static" / "own.js").write_text('box.classList.add("opened")', encoding="utf-8")
    css = ".here{a:b}.gone{a:b}.opened .here{a:b}#top,.gone{a:b}.mjx-now{a:b}"
    (tmp_path / "_static" / "styles" / "pydata-sphinx-theme.css").write_text(css, encoding="utf-8")
    Image.new("RGB", (40, 20), "#0072B2").save(tmp_path / "_images" / "a.png")
    for name in ("page.html", "search.html"):
        (tmp_path / name).write_text(PAGE, encoding="utf-8")
    lighten(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html")), None)
    return tmp_path


def test_a_page_asks_for_no_script_that_it_does_not_use(site: Path) -> None:
    page, search = ((site / name).read_text(encoding="utf-8") for name in ("page.html", "search.html"))
    assert [name for name in ("fontawesome", "searchindex", "own.js") if name in page] == ["own.js"]
    assert [name for name in ("fontawesome", "searchindex", "own.js") if name in search] == ["searchindex", "own.js"]


def test_icons_are_drawings_with_the_attributes_that_the_theme_looks_for(site: Path) -> None:
    page = (site / "page.html").read_text(encoding="utf-8")
    assert (
        '<svg class="svg-inline--fa theme-switch fa-sun fa-lg" aria-hidden="true" data-mode="light" '
        'viewBox="0 0 640 512"><path fill="currentColor" d="M2"/></svg>'
    ) in page
    assert '<svg class="svg-inline--fa fa-arrow-up" aria-hidden="true" viewBox="0 0 1 2">' in page


def test_an_icon_that_the_theme_lacks_fails_the_build(site: Path) -> None:
    with pytest.raises(ValueError, match="the theme has no icon 'moon'"):
        drawn('<i class="fas fa-moon"></i>', Icons(site / "_static" / "scripts" / "fontawesome.js"))


def test_styles_of_what_no_page_and_no_script_names_are_gone(site: Path) -> None:
    css = (site / "_static" / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    assert css == ".here{a:b}.opened .here{a:b}#top{a:b}.mjx-now{a:b}"


def test_pictures_keep_every_pixel(site: Path) -> None:
    assert 'src="_images/a.webp"' in (site / "page.html").read_text(encoding="utf-8")
    with Image.open(site / "_images" / "a.webp") as picture:
        assert picture.convert("RGB").getcolors() == [(800, (0, 0x72, 0xB2))]
    assert not (site / "_images" / "a.png").exists()


@pytest.mark.parametrize(
    ("css", "left"),
    [
        ("p,a:hover{x:y}", "p,a:hover{x:y}"),
        (".a.gone{x:y}.a>.b{x:y}", ".a>.b{x:y}"),
        (".a:not(.gone){x:y}:is(.gone,.b){x:y}", ".a:not(.gone){x:y}:is(.gone,.b){x:y}"),
        ("@media print{.gone{x:y}}@media (width<9px){.gone{x:y}.a{x:y}}", "@media (width<9px){.a{x:y}}"),
        ("@font-face{font-family:F}@keyframes k{to{x:y}}", "@font-face{font-family:F}@keyframes k{to{x:y}}"),
        (".a{background:url(.gone)}", ".a{background:url(.gone)}"),
    ],
)
def test_a_rule_stays_if_something_could_match_it(css: str, left: str) -> None:
    assert shrunk(css, {"a", "b"}) == left
