"""Figures: their layout is looked at whenever they show themselves, and they are independent of matplotlib's settings.

nbval says whether each looks as it did.
"""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from book.index import figures as front
from book.lfmn import one_unit as lt
from book.lfmn.architecture import figures as lfmn_architecture
from book.lfmn.latching import figures as lfmn
from book.shared import figure_style as style
from book.shared import svg
from book.shared.figure_layout import faults
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

BOOK = Path(__file__).parents[2] / "book"
ELEMENTS = {"svg", "g", "defs", "path", "use", "clipPath", "rect"}  # of a stored drawing
MOST = 160_000  # characters of a stored drawing
SPOILT = {
    "it has no words": lambda ax: (ax.axis("off"), ax.set_xlabel("")),
    "it is 292 pixels wide": lambda ax: ax.figure.set_figwidth(3),
    "a page in dark shines through": lambda ax: ax.set_facecolor("none"),
    "axes have no name": lambda ax: ax.set_xlabel(""),
    "'3e-05' is written as a program": lambda ax: ax.set_xticks([0.5], [f"{3e-5:g}"]),
    "'a word' is cut off": lambda ax: ax.text(0.5, -0.5, "a word"),
    "'one' lies on 'another'": lambda ax: (ax.text(0.3, 0.5, "one"), ax.text(0.3, 0.52, "another")),
}


@style.drawn(4, 3)
def plain(ax: Axes) -> None:
    ax.set(xlabel="time", yticks=[0.5])


@style.drawn(4, 3)
def heat(ax: Axes) -> None:
    ax.imshow(np.eye(3))
    ax.set_xlabel("unit")


def luminance(color) -> float:
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot([0.2126, 0.7152, 0.0722], channels))


def test_a_figure_that_is_well_laid_out_has_no_faults():
    assert list(faults(plain(), style.PIXELS)) == []


@pytest.mark.parametrize("fault", SPOILT)
def test_a_figure_tells_what_is_wrong_with_its_layout(fault):
    figure = plain()
    SPOILT[fault](figure.axes[0])
    with pytest.warns(UserWarning, match=f"^a figure: {fault}") as told:
        figure._repr_svg_()
    assert len(told) == 1


def test_the_same_figure_shows_itself_as_the_same_picture():
    figure, again = lfmn_architecture.network(), lfmn_architecture.network()
    assert figure._repr_png_() is None
    assert figure._repr_svg_().startswith("<svg ")
    assert figure._repr_svg_() == figure._repr_svg_() == again._repr_svg_()
    shown, again = heat(), heat()
    assert shown._repr_svg_() is None
    assert shown._repr_png_()[0].startswith(b"\x89PNG")
    assert shown._repr_png_() == again._repr_png_()


def test_stored_drawings_are_small_with_short_names_and_few_elements():
    """Its colours are a guard's (tests/guards/page_guards.py)."""
    pages = [json.loads(path.read_text(encoding="utf-8")) for path in BOOK.rglob("*.ipynb")]
    outputs = [output for page in pages for cell in page["cells"] for output in cell.get("outputs", ())]
    drawings = ["".join(svg) for output in outputs if (svg := output.get("data", {}).get("image/svg+xml"))]
    assert len(drawings) > 90
    assert max(map(len, drawings)) < MOST
    for drawing in drawings:
        parts = list(ElementTree.fromstring(drawing).iter())
        names = [name for part in parts if (name := part.get("id"))]
        assert names == [f"s{number}" for number in range(len(names))]
        assert {part.tag.rpartition("}")[2] for part in parts} <= ELEMENTS


def test_numbers_of_a_drawing_are_rounded():
    path = '<svg viewBox="0 0 9 9"><path d="M 1.23456 -0.001 L 2.0 3"/></svg>'
    assert svg.tidied(path, {}, 9, 9).endswith('<path d="M 1.23 0 L 2 3"/></svg>')
    moved = '<use transform="translate(1.23456 7.0) scale(0.015625)"/>'
    assert 'transform="translate(1.23 7) scale(0.015625)"' in svg.tidied(
        f'<svg viewBox="0 0 9 9">{moved}</svg>', {}, 9, 9
    )


def test_every_named_colour_has_a_value_in_dark_that_stands_out_from_a_dark_page():
    css = (Path(__file__).parents[2] / "web" / "static" / "throughtime.css").read_text(encoding="utf-8")
    values = dict(re.findall(r"--tt-(\w+): ([^;]+);", css))
    assert set(style.PALETTE.values()) <= values.keys()
    for name in set(style.PALETTE.values()) - {"card", "ink", "hair"}:
        assert (luminance(values[name]) + 0.05) / (luminance("#121212") + 0.05) >= 4.5, name


def test_the_callers_settings_change_nothing_and_stay_as_they_were():
    plain = style.to_png(lfmn.two_fates())
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "lines.linewidth": 9}):
        before = dict(mpl.rcParams)
        assert style.to_png(lfmn.two_fates()) == plain
        assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", ["INK", "BLUE", "VERMILION", "GREEN", "PURPLE"])
def test_colours_of_words_and_curves_stand_out_from_the_card(name):
    contrast = (luminance(style.CARD) + 0.05) / (luminance(getattr(style, name)) + 0.05)
    assert contrast >= 3  # what WCAG asks of graphics


def test_the_crest_of_the_error_flow_is_where_the_state_passes_the_critical_point():
    for v in np.linspace(2.3, 6, 20):
        states = lt.trajectory(v, 0.01, np.zeros(80))
        crest = front._crossing(states, lt.critical_point(v))
        assert np.argmax(lt.gradient(v, states)) == np.ceil(crest)


def test_no_crossing_is_no_number():
    assert np.isnan(front._crossing(np.array([0.1, 0.2]), 1.0))
