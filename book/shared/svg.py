"""A figure as SVG that follows the theme of the page, small, and the same from run to run but for last digits.

Text is drawn as paths: no reader needs the font. Numbers are rounded to a hundredth of a point. Colours of the book's
palette become CSS variables with the light colour as fallback, so that a viewer without them shows the light figure;
``web/static/throughtime.css`` gives their values in dark. Names are short and count from one figure to the next anew:
``web/throughtime_svg.py`` makes them different where several figures stand on one page.
"""

import io
import re
from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
from matplotlib.collections import Collection, QuadMesh
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

MOST = 20_000  # points of lines and dots; with more, a picture of pixels is smaller

OPENING = re.compile(r'<svg\b[^>]*?viewBox="([^"]*)"[^>]*>')
UNSEEN = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", re.S)
NUMBERS = re.compile(r'\b(?:d|x|y|width|height|transform|points|style)="[^"]*"')
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e-?\d+)?")
SCALE = re.compile(r"(scale\([^)]*\))")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
ID = re.compile(r' ?\bid="([^"]+)"')
REFERENCE = re.compile(r'(href="#|url\(#)([^")]+)')
EMPTY = re.compile(r"<(g|defs)></\1>")
ALIKE = re.compile(r'<use [^>]*? style="([^"]*)"/>(?:<use [^>]*? style="\1"/>)+')  # dots of one kind


def drawable(figure: Figure) -> bool:
    """Whether a figure is shown as SVG: without heat map, and with few enough points.

    The colours of a heat map, or of filled contours, are data, and words on them are dark or white for good: the theme
    must not change them.
    """
    filled = (part for part in figure.findobj() if isinstance(part, (AxesImage, QuadMesh)))
    contours = (part for part in figure.findobj(ContourSet) if part.filled)
    return not any(filled) and not any(contours) and points(figure) <= MOST


def points(figure: Figure) -> int:
    """The number of points of all lines and collections of a figure."""
    lines = sum(len(line.get_xydata()) for line in figure.findobj(Line2D))
    shapes = figure.findobj(Collection)
    return lines + sum(max(sum(len(p.vertices) for p in s.get_paths()), len(s.get_offsets())) for s in shapes)


def to_svg(figure: Figure, palette: Mapping[str, str], style: Mapping[str, Any], pixels: float) -> str:
    """The figure as an SVG element, shown at ``pixels`` per inch.

    ``palette`` has the name of a CSS variable by colour, ``#rrggbb`` in small letters; ``style`` are rcParams.
    """
    stream = io.StringIO()
    with mpl.rc_context({**style, "svg.fonttype": "path", "svg.hashsalt": "throughtime"}):
        figure.savefig(stream, facecolor="none", format="svg", metadata={"Date": None})
    width, height = (round(inches * pixels) for inches in figure.get_size_inches())
    return tidied(stream.getvalue(), palette, width, height)


def tidied(svg: str, palette: Mapping[str, str], width: int, height: int) -> str:
    """SVG as matplotlib writes it, without what is not seen, with rounded numbers, short names and named colours."""
    svg = UNSEEN.sub("", svg).replace("xlink:href", "href")
    svg = NUMBERS.sub(lambda found: "".join(map(_rounded, SCALE.split(found[0]))), svg)
    svg = COLOUR.sub(lambda found: _named(found[0].lower(), palette), svg)
    svg = _renamed(svg)
    svg = re.sub(r"\s+", " ", svg).strip()  # one line, as a PNG image is one line of a notebook
    for loose, tight in (("> <", "><"), (' "', '"'), (" />", "/>"), (" >", ">")):
        svg = svg.replace(loose, tight)
    while (fewer := EMPTY.sub("", svg)) != svg:
        svg = fewer
    svg = ALIKE.sub(_grouped, svg)
    lines = 'stroke-linejoin="round" stroke-linecap="butt"'  # for all elements, as matplotlib's style sheet has it
    opening = rf'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="\1" {lines}>'
    return OPENING.sub(opening, svg, count=1)


def _rounded(text: str) -> str:
    """Numbers to two decimals; the factors of a scale keep their digits."""
    return text if SCALE.match(text) else NUMBER.sub(_short, text)


def _short(found: re.Match[str]) -> str:
    text = f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _grouped(dots: re.Match[str]) -> str:
    """Dots with their style said once."""
    style = f' style="{dots[1]}"'
    return f"<g{style}>{dots[0].replace(style, '')}</g>"


def _named(colour: str, palette: Mapping[str, str]) -> str:
    return f"var(--tt-{palette[colour]},{colour})" if colour in palette else colour


def _renamed(svg: str) -> str:
    """Names that something refers to become s0, s1, ... in the order in which they stand; the others go."""
    used = {name for _, name in REFERENCE.findall(svg)}
    names = dict.fromkeys(name for name in ID.findall(svg) if name in used)
    short = {name: f"s{number}" for number, name in enumerate(names)}
    svg = ID.sub(lambda found: f' id="{short[found[1]]}"' if found[1] in short else "", svg)
    return REFERENCE.sub(lambda found: found[1] + short[found[2]], svg)
