"""Sphinx extension for the site: SVG figures of the notebooks stand in the page itself, in the colours of its theme.

As a file of its own a figure would not see the colours of the page. The alternative text becomes the name of the
drawing; the names inside it, which count from s0 in every figure, get the number of the figure in front. A letter or
sign that an earlier figure of the page has drawn is not drawn again.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

NAME = re.compile(r'(\bid="|href="#|url\(#)(s\d+)')
SHAPE = re.compile(r'<path id="(\w+)" ([^>]*)/>')
USE = re.compile(r'(?<=href="#)\w+(?=")')
WIDTH = re.compile(r'<svg\b[^>]*?\bwidth="(\d+)"')
WIDE = 470  # pixels; on a phone such a figure scrolls, so that its words can be read


def put_figures_into_the_page(app: Sphinx, doctree: nodes.document, _name: str) -> None:
    """Replace the images that are SVG outputs of cells by their drawings."""
    if app.builder.format != "html":
        return
    outputs = Path(app.outdir).parent / "jupyter_execute"
    known: dict[str, str] = {}
    found = [image for image in doctree.findall(nodes.image) if image["uri"].endswith(".svg")]
    for number, image in enumerate(found):
        path = next((p for p in (Path(app.srcdir, image["uri"]), Path(image["uri"])) if p.is_file()), None)
        if path and outputs.resolve() in path.resolve().parents:
            svg = path.read_text(encoding="utf-8")
            html = shared(drawing(svg, image.get("alt", ""), f"f{number}"), known)
            image.replace_self(nodes.raw("", html, format="html"))


def drawing(svg: str, alt: str, prefix: str) -> str:
    """HTML of a figure with alternative text; names inside it begin with ``prefix``."""
    spoken = f'<svg role="img" aria-label="{escape(alt)}" '
    named = NAME.sub(rf"\g<1>{prefix}\g<2>", svg).replace("<svg ", spoken, 1)
    width = WIDTH.search(named)
    wide = f' tt-broad" style="--tt-width: {width[1]}px' if width and int(width[1]) >= WIDE else ""
    return f'<div class="tt-drawing{wide}">{named}</div>'


def shared(svg: str, known: dict[str, str]) -> str:
    """The drawing without the shapes that ``known`` names: it refers to these. Its own new ones are added there."""
    elsewhere = {}

    def new(shape: re.Match[str]) -> str:
        name, form = shape.groups()
        first = known.setdefault(form, name)
        elsewhere[name] = first
        return shape[0] if first == name else ""

    fewer = SHAPE.sub(new, svg)
    return USE.sub(lambda name: elsewhere.get(name[0], name[0]), fewer)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", put_figures_into_the_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
