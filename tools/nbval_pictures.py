"""pytest plugin for nbval: pictures are compared too, and a cell that was never run fails.

By itself nbval compares every output but PNG images, and passes a cell without an execution count whatever it shows.
"""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from nbval.plugin import IPyNbCell, NbCellError
from PIL import Image, UnidentifiedImageError

PNG = "image/png"
# The largest difference of a colour channel, of 255 levels. matplotlib is pinned exactly, so that only the last digits
# of the numbers differ from machine to machine. Without AVX512, AVX2, FMA and Numba, 4 of 55 figures of the book
# differed from those with them, each in at most 21 pixels and by 1 level.
LEVELS = 8


def pixels(png: str) -> np.ndarray:
    """The colours (height, width, 4) of an image in base64, from 0 to 255; ValueError if it is none."""
    try:
        image = Image.open(io.BytesIO(base64.b64decode(png, validate=False)))
        return np.asarray(image.convert("RGBA"), dtype=np.int16)
    except (binascii.Error, UnidentifiedImageError, OSError) as error:
        raise ValueError(f"no PNG image: {error}") from error


def pictures(outputs: Sequence[dict[str, Any]]) -> list[tuple[str, dict]]:
    """The PNG images among the outputs of a cell, in order, each with the size at which it is shown."""
    shown = (output for output in outputs if PNG in output.get("data", {}))
    return [("".join(output["data"][PNG]), output.get("metadata", {}).get(PNG, {})) for output in shown]


def differences(stored: Sequence[dict[str, Any]], fresh: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What sets the stored pictures of a cell apart from those of a fresh run."""
    old, new = pictures(stored), pictures(fresh)
    if len(old) != len(new):
        yield f"{len(old)} pictures are stored, a fresh run draws {len(new)}"
        return
    for number, ((png, size), (again, wanted)) in enumerate(zip(old, new, strict=True), start=1):
        if size != wanted:
            yield f"picture {number} is stored to be shown as {size}, a fresh run shows it as {wanted}"
        if png.strip() != again.strip() and (fault := difference(png, again)):
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """After nbval has run a cell and compared its text, compare its pictures."""
    result = yield
    if isinstance(item, IPyNbCell) and item.cell.source.strip():
        if item.cell.execution_count is None:
            raise NbCellError(item.cell_num, "The stored cell was never run (make notebooks)", item.cell.source)
        if item.options["check"] and (faults := list(differences(item.cell.outputs, item.test_outputs))):
            raise NbCellError(item.cell_num, "Pictures differ", item.cell.source, "\n".join(faults))
    return result
