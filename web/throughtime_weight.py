"""Sphinx extension for the site: a page asks for what it uses.

The theme sends with each page a library of two thousand icons, the index of the search and the styles of all that it
could show. When the site is written, the icons of a page are put into it as drawings, the index is left to the search
page, and rules for classes that no page and no script names go. Pictures of pixels become WebP, half as large.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

import tinycss2
from PIL import Image
from sphinx.application import Sphinx

ICONS = "scripts/fontawesome.js"
# Scripts that no page uses, and those that the search page alone does.
NOWHERE = (ICONS, "design-tabs.js")
# What a page asks for only if its HTML has this: a drawing that answers, rows that a filter chooses from.
IF_THERE = {
    'class="tt-play': ("start.js", "start.css"),
    'class="tt-bench': ("bench.js", "bench-drawing.js", "bench.css"),
    " data-kind=": ("filter.js",),
}
SEARCH = ("searchtools.js", "language_data.js", "searchindex.js", "results.js")
OWN = ("throughtime.css", "formulas.css", "statements.css", "tables.css", "front.css", "start.css", "bench.css")
THEMES = ("styles/pydata-sphinx-theme.css", "sphinx-design.min.css", "mystnb.*.css", "basic.css", "proof.css")
SHRUNK = (*THEMES, *OWN)
SPARE = (  # of each cell: a second word for its fold, the tag that folded it, an empty element
    (re.compile(r'<p class="collapsed (admonition-title">[^<]*</p>)\s*<p class="expanded \1'), r'<p class="\1'),
    (re.compile(r'<div class="cell tag_hide-input '), '<div class="cell '),
    (re.compile(r"<pre><span></span>"), "<pre>"),
    # of each line of code: names and brackets have the colour of all text
    (re.compile(r'<span class="[np]">([^<]*)</span>'), r"\1"),
    # of each head: what stands there before in other words, and marks for a search that no page uses
    (re.compile(r'\s*<meta name="(?:docsearch:\w+|viewport" content="width=device-width, initial-scale=1)"[^>]*>'), ""),
)

ICON = re.compile(r'<(?P<tag>i|span) class="(?P<classes>[^"]*\bfa-[^"]*)"(?P<more>[^>]*)></(?P=tag)>')
SCRIPT = re.compile(r'\s*<script[^>]*\bsrc="(?P<file>[^"?]*)[^"]*"[^>]*></script>')
SHEET = re.compile(r'\s*<link rel="stylesheet"[^>]*\bhref="(?P<file>[^"?]*)[^"]*"[^>]*>')
CLASS = re.compile(r'\bclass="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')
IN_FORMULA = re.compile(r"\\class\{([^}]*)\}")  # MathJax makes an element of it
PICTURE = re.compile(r"(\b_images/[\w-]+)\.png\b")
LARGE = 300_000  # bytes: a picture of more is a map of smooth colours, which WebP need not keep to the last bit
STYLES = {"fas", "fab", "far", "fa-solid", "fa-brands", "fa-regular"}
SIZES = {"fa-lg"}
NAMES = re.compile(r"[\w-]+")


class Icons:
    """The drawings of the library by name."""

    def __init__(self, library: Path) -> None:
        self.text = library.read_text(encoding="utf-8")

    @cache  # noqa: B019 - one library for a build
    def draw(self, name: str) -> str:
        """The view box and the path of an icon as attributes and elements of SVG; ValueError for an unknown name."""
        entry = re.compile(rf'[{{,]"?{re.escape(name)}"?:\[(\d+),(\d+),\[[^\]]*\],"\w+","([^"]+)"\]')
        found = entry.findall(self.text)
        if not found:
            raise ValueError(f"name: the theme has no icon {name!r}")
        width, height, path = found[-1]  # the solid ones are the last of the library
        return f'viewBox="0 0 {width} {height}"><path fill="currentColor" d="{path}"/>'


def drawn(page: str, icons: Icons) -> str:
    """HTML of a page whose icons are drawings, with the classes and attributes by which the theme knows them."""

    def svg(icon: re.Match[str]) -> str:
        classes = [name for name in icon["classes"].split() if name not in STYLES]
        (name,) = (name for name in classes if name.startswith("fa-") and name not in SIZES)
        kept = " ".join(["svg-inline--fa", *classes])
        return f'<svg class="{kept}" aria-hidden="true"{icon["more"]} {icons.draw(name[3:])}</svg>'

    return ICON.sub(svg, page)


def without_files(page: str, names: Collection[str]) -> str:
    """HTML of a page that asks for no script and no style sheet of these names."""
    for tags in (SCRIPT, SHEET):
        page = tags.sub(lambda tag: "" if tag["file"].endswith(tuple(names)) else tag[0], page)
    return page


def without_spare(page: str) -> str:
    """HTML of a page whose cells say nothing twice."""
    for pattern, instead in SPARE:
        page = pattern.sub(instead, page)
    return page


def packed(picture: Path) -> None:
    """Put a WebP in the place of a PNG."""
    with Image.open(picture) as image:
        image.save(picture.with_suffix(".webp"), lossless=picture.stat().st_size < LARGE, quality=95, method=6)
    picture.unlink()


def names_of(page: str) -> Iterator[str]:
    """The classes and ids of a page, those in its formulas too."""
    for value in (*CLASS.findall(page), *ID.findall(page), *IN_FORMULA.findall(page)):
        yield from value.split()


def shrunk(css: str, known: Collection[str]) -> str:
    """A style sheet without the rules whose every selector names a class or an id that is not known."""
    return "".join(_kept(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True), known))


def _kept(rules: Iterable[tinycss2.ast.Node], known: Collection[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports", "layer") and rule.content:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if body := "".join(_kept(inner, known)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{body}}}"
        elif rule.type == "qualified-rule":
            selectors = [part for part in _split(rule.prelude) if all(name in known for name in _named(part))]
            if selectors:
                yield f"{','.join(map(tinycss2.serialize, selectors))}{{{tinycss2.serialize(rule.content)}}}"
        else:
            yield rule.serialize()


def _split(prelude: list[tinycss2.ast.Node]) -> Iterator[list[tinycss2.ast.Node]]:
    """The selectors of a list."""
    part: list[tinycss2.ast.Node] = []
    for token in prelude:
        if token == ",":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _named(selector: list[tinycss2.ast.Node]) -> Iterator[str]:
    """The classes and ids that an element or one around it must have, without those in ``:not()`` and its like."""
    for before, token in zip([None, *selector], selector, strict=False):
        if token.type == "hash" or (token.type == "ident" and before == "."):
            yield token.value


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """Take away from the finished site what its pages do not use."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    library = static / ICONS
    if not library.is_file():
        return
    icons, known = Icons(library), set()
    for path in (path for path in site.rglob("*.html") if static not in path.parents):
        page = path.read_text(encoding="utf-8")
        unused = NOWHERE if path.name == "search.html" else (*NOWHERE, *SEARCH)
        unused += tuple(file for mark, files in IF_THERE.items() if mark not in page for file in files)
        lighter = PICTURE.sub(r"\1.webp", drawn(without_spare(without_files(page, unused)), icons))
        if lighter != page:
            path.write_text(lighter, encoding="utf-8")
        known.update(names_of(lighter))
    for picture in (site / "_images").glob("*.png"):
        packed(picture)
    for script in static.rglob("*.js"):
        if "mathjax" not in script.parts and script != library:
            known.update(NAMES.findall(script.read_text(encoding="utf-8")))
    for sheet in (sheet for pattern in SHRUNK for sheet in static.glob(pattern)):
        sheet.write_text(shrunk(sheet.read_text(encoding="utf-8"), known), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", lighten, priority=900)  # after all that writes pages
    return {"parallel_read_safe": True, "parallel_write_safe": True}
