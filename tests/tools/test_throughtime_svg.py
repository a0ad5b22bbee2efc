"""The site's extension for figures: drawings stand in the page, with alternative text and names of their own."""

from pathlib import Path
from types import SimpleNamespace

from docutils import nodes
from docutils.utils import new_document
from throughtime_svg import drawing, put_figures_into_the_page, shared

SVG = '<svg xmlns="http://www.w3.org" width="{width}"><path id="s0"/><use href="#s0" clip-path="url(#s1)"/></svg>'


def page(folder: Path, *images: nodes.image, builder: str = "html") -> nodes.document:
    """A page with images after the extension has seen it; cells have written one drawing, and there is another file."""
    outputs = folder / "_build" / "jupyter_execute"
    outputs.mkdir(parents=True)
    (outputs / "a.svg").write_text(SVG.format(width=700), encoding="utf-8")
    (folder / "logo.svg").write_text("<svg/>", encoding="utf-8")
    document = new_document("page")
    document += images
    app = SimpleNamespace(builder=SimpleNamespace(format=builder), srcdir=folder, outdir=folder / "_build" / "html")
    put_figures_into_the_page(app, document, "page")
    return document


def test_drawings_of_cells_stand_in_the_page_and_share_no_name(tmp_path: Path) -> None:
    uri = "_build/jupyter_execute/a.svg"
    document = page(tmp_path, nodes.image(uri=uri, alt='a < b "c"'), nodes.image(uri=uri, alt="again"))
    first, second = (raw.astext() for raw in document.findall(nodes.raw))
    assert 'role="img" aria-label="a &lt; b &quot;c&quot;"' in first
    assert all(part in first for part in ('id="f0s0"', 'href="#f0s0"', "url(#f0s1)"))
    assert "url(#f1s1)" in second
    assert not list(document.findall(nodes.image))


def test_other_images_and_other_builders_keep_theirs(tmp_path: Path) -> None:
    document = page(tmp_path, nodes.image(uri="logo.svg"), nodes.image(uri="x.png"))
    assert len(list(document.findall(nodes.image))) == 2
    latex = page(tmp_path / "b", nodes.image(uri="_build/jupyter_execute/a.svg"), builder="latex")
    assert len(list(latex.findall(nodes.image))) == 1


def test_a_wide_figure_scrolls_on_a_phone() -> None:
    assert drawing(SVG.format(width=469), "", "f0").startswith('<div class="tt-drawing"><svg ')
    wide = '<div class="tt-drawing tt-broad" style="--tt-width: 470px"><svg '
    assert drawing(SVG.format(width=470), "", "f0").startswith(wide)


def test_what_an_earlier_figure_has_drawn_is_used_and_not_drawn_again() -> None:
    known: dict[str, str] = {}
    first = '<path id="f0s0" d="M0"/><use href="#f0s0"/>'
    assert shared(first, known) == first
    second = '<path id="f1s0" d="M0"/><path id="f1s1" d="M1"/><use href="#f1s0"/><use href="#f1s1" clip="url(#f1s2)"/>'
    assert shared(second, known) == ('<path id="f1s1" d="M1"/><use href="#f0s0"/><use href="#f1s1" clip="url(#f1s2)"/>')
