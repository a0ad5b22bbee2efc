"""pytest plugin for nbval: pictures are compared too, and a cell that was never run fails.

By itself nbval compares every output but PNG images, and passes a cell without an execution count whatever it shows. It
would compare the SVG of a figure to the letter: here its numbers may differ in their last digits.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from nbval.plugin import IPyNbCell, NbCellError
from PIL import Image, UnidentifiedImageError

PNG, SVG = "image/png", "image/svg+xml"
# The largest difference of a colour channel, of 255 levels. matplotlib is pinned exactly, so that only the last digits
# of the numbers differ from machine to machine. Without AVX512, AVX2, FMA and Numba, 4 of 55 figures of the book
# differed from those with them, each in at most 21 pixels and by 1 level.
LEVELS = 8
# The largest difference of a number of an SVG, in points: numbers are rounded to a hundredth of a point when written.
NEAR = 0.05
# matplotlib leaves out points of a curve that lie within a ninth of a point of a straight line. Which ones, last digits
# may decide: two curves are the same if every point of either lies within this distance of the other.
BESIDE = 0.15

NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")


def pixels(png: str) -> np.ndarray:
    """The colours (height, width, 4) of an image in base64, from 0 to 255; ValueError if it is none."""
    try:
        image = Image.open(io.BytesIO(base64.b64decode(png, validate=False)))
        return np.asarray(image.convert("RGBA"), dtype=np.int16)
    except (binascii.Error, UnidentifiedImageError, OSError) as error:
        raise ValueError(f"no PNG image: {error}") from error


def pictures(outputs: Sequence[dict[str, Any]]) -> list[tuple[str, str, dict]]:
    """The pictures among the outputs of a cell, in order: type, data, and the size at which a PNG image is shown."""
    return [
        (kind, "".join(output["data"][kind]), output.get("metadata", {}).get(kind, {}))
        for output in outputs
        for kind in (PNG, SVG)
        if kind in output.get("data", {})
    ]


def differences(stored: Sequence[dict[str, Any]], fresh: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What sets the stored pictures of a cell apart from those of a fresh run."""
    old, new = pictures(stored), pictures(fresh)
    if len(old) != len(new):
        yield f"{len(old)} pictures are stored, a fresh run draws {len(new)}"
        return
    for number, ((kind, data, size), (other, again, wanted)) in enumerate(zip(old, new, strict=True), start=1):
        if kind != other:
            yield f"picture {number} is stored as {kind}, a fresh run draws {other}"
            continue
        if size != wanted:
            yield f"picture {number} is stored to be shown as {size}, a fresh run shows it as {wanted}"
        apart = difference if kind == PNG else drawing_difference
        if data.strip() != again.strip() and (fault := apart(data, again)):
            yield f"picture {number}: {fault}"


def difference(png: str, again: str) -> str:
    """What sets a stored image in base64 apart from one drawn afresh; empty if it is less than ``LEVELS``."""
    try:
        old = pixels(png)
    except ValueError as error:
        return f"what is stored is {error}"
    new = pixels(again)
    if old.shape != new.shape:
        return f"{old.shape[1]} x {old.shape[0]} pixels are stored, a fresh run draws {new.shape[1]} x {new.shape[0]}"
    apart = np.abs(old - new).max(axis=-1)
    count = np.count_nonzero(apart > LEVELS)
    if not count:
        return ""
    return f"{count} of {apart.size} pixels differ by more than {LEVELS} of 255 levels, at most by {apart.max()}"


def drawing_difference(svg: str, again: str) -> str:
    """What sets a stored SVG apart from one drawn afresh; empty if nothing but last digits does."""
    try:
        old = list(ElementTree.fromstring(svg).iter())
    except ElementTree.ParseError as error:
        return f"what is stored is no SVG: {error}"
    new = list(ElementTree.fromstring(again).iter())
    if len(old) != len(new):
        return f"{len(old)} elements are stored, a fresh run draws {len(new)}"
    for one, other in zip(old, new, strict=True):
        name = one.tag.rpartition("}")[2]
        if (one.tag, one.attrib.keys(), one.text) != (other.tag, other.attrib.keys(), other.text):
            return f"{name} {one.attrib} is stored, a fresh run draws {other.tag.rpartition('}')[2]} {other.attrib}"
        for key, value in one.attrib.items():
            if not (same(value, other.attrib[key]) or (key == "d" and along(value, other.attrib[key]))):
                return f"{name}: {key}={value[:80]!r} is stored, a fresh run draws {other.attrib[key][:80]!r}"
    return ""


def same(one: str, other: str) -> bool:
    """Whether two texts are the same but for numbers that differ by at most ``NEAR``."""
    if one == other:
        return True
    numbers = [list(map(float, NUMBER.findall(text))) for text in (one, other)]
    apart = [abs(a - b) for a, b in zip(*numbers, strict=False)]
    return NUMBER.sub("#", one) == NUMBER.sub("#", other) and max(apart, default=0) <= NEAR + 1e-9


def along(one: str, other: str) -> bool:
    """Whether two paths of straight lines, with other points, run within ``BESIDE`` of each other."""
    pieces = [[curve(part) for part in path.split("M") if part.strip()] for path in (one, other)]
    if len(pieces[0]) != len(pieces[1]) or any(piece is None for path in pieces for piece in path):
        return False
    return all(max(reach(a, b), reach(b, a)) <= BESIDE for a, b in zip(*pieces, strict=True))


def curve(part: str) -> np.ndarray | None:
    """The points (n, 2) of one line of a path, closed if the path says so; None if it is bent."""
    if set(re.sub(r"[-+.\d\s]", "", part)) - {"L", "z"}:
        return None
    found = np.array(NUMBER.findall(part), float).reshape(-1, 2)
    return np.vstack([found, found[:1]]) if "z" in part else found


def reach(points: np.ndarray, line: np.ndarray) -> float:
    """The largest distance of a point from a line of straight pieces."""
    start, way = line[:-1], np.diff(line, axis=0)
    if not len(way):
        return float(np.hypot(*(points - line[0]).T).max())
    square = np.maximum((way**2).sum(axis=1), 1e-12)
    share = np.clip(((points[:, None] - start) * way).sum(axis=2) / square, 0, 1)
    return float(np.hypot(*np.moveaxis(points[:, None] - start - share[:, :, None] * way, 2, 0)).min(axis=1).max())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """After nbval has run a cell and compared its text, compare its pictures."""
    if isinstance(item, IPyNbCell):
        item.parent.skip_compare = (*item.parent.skip_compare, SVG)
    result = yield
    if isinstance(item, IPyNbCell) and item.cell.source.strip():
        if item.cell.execution_count is None:
            raise NbCellError(item.cell_num, "The stored cell was never run (make update-outputs)", item.cell.source)
        if item.options["check"] and (faults := list(differences(item.cell.outputs, item.test_outputs))):
            raise NbCellError(item.cell_num, "Pictures differ", item.cell.source, "\n".join(faults))
    return result
