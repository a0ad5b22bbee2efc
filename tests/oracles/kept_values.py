"""Values of PyTorch, kept in files: the library is compared with them without it.

A transcription is a module of tests/oracles/transcriptions that needs PyTorch. A test names a function of it and
its arguments, and gets arrays by name. The environment variable ORACLES says where they come from:

    kept      from tests/oracles/kept.jsonl (the default: PyTorch is not imported)
    live      the function is called, and what it gives is compared with the file as well
    record    the function is called, and the file written anew with all that the run asked for

A value is found by the digest of the transcription's text and of the function's arguments: a problem or a forward pass
that has changed has no values until they are recorded.
"""

import hashlib
import importlib
import json
import os
import platform
from collections.abc import Iterator
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from throughtime.checks import relative_error

HERE = Path(__file__).parent
REPEATED = 1e-12  # relative difference of two runs of one function on different processors
MODES = ("kept", "live", "record")

Arrays = dict[str, np.ndarray]


def mode() -> str:
    """What the environment variable ORACLES says; ValueError for an unknown word."""
    found = os.environ.get("ORACLES", "kept")
    if found not in MODES:
        raise ValueError(f"ORACLES: expected one of {MODES}, got {found!r}")
    return found


def described(value: object) -> str:
    """Arguments of a function as text. Ten digits of a number: the last ones vary with the processor."""
    if isinstance(value, np.ndarray):
        return f"{value.shape} " + " ".join(f"{number:.10g}" for number in value.ravel().tolist())
    if isinstance(value, dict):
        return "; ".join(f"{name}: {described(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(described, value))}]"
    return repr(value)


class Values:
    """Arrays by name, and which of them no test has looked at."""

    def __init__(self, named: Arrays) -> None:
        self.named, self.left = named, {*named}

    def __getitem__(self, name: str) -> np.ndarray:
        self.left.discard(name)
        return self.named[name]

    def error(self, name: str, ours: Any) -> float:
        """The relative error of an array of ours; ValueError for another shape."""
        return relative_error(ours, self[name])


class Oracles:
    """What the fixture ``kept`` gives; one for a whole run.

    The file has a line of JSON for each function and its arguments, after one of versions. These are told; a live run
    sees whether they matter.
    """

    def __init__(self, how: str, folder: Path = HERE) -> None:
        self.how, self.folder, self.path = how, folder, folder / "kept.jsonl"
        self.new: dict[str, Arrays] = {}

    @cached_property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]

    @cached_property
    def stored(self) -> dict[str, Arrays]:
        return {line["asked"]: {name: np.array(one) for name, one in line["values"].items()} for line in self.lines[1:]}

    def values(self, function: str, arguments: tuple) -> Values:
        """What ``transcription.function`` gives for these arguments.

        LookupError if no value is kept for them. Live, AssertionError if the value is another one than is kept.
        """
        transcription, name = function.split(".")
        text = (self.folder / "transcriptions" / f"{transcription}.py").read_text(encoding="utf-8")
        asked = f"{function} {hashlib.sha256((text + described(arguments)).encode()).hexdigest()[:16]}"
        if self.how != "record" and asked not in self.stored:
            raise LookupError(f"no value of {asked} is kept: its problem or text is new; make keep-oracles records it")
        if self.how == "kept":
            return Values(self.stored[asked])
        made = getattr(importlib.import_module(f"transcriptions.{transcription}"), name)(*arguments)
        made = {name: np.asarray(array) for name, array in made.items()}
        if other := [name for name, array in made.items() if array.dtype != np.float64]:
            raise TypeError(f"{function}: expected arrays of float64, got others for {other}")
        if self.how == "record":
            self.new[asked] = made
        else:
            faults = list(differences(self.stored[asked], made))
            assert faults == [], f"{function} gives other values than are kept: {faults}"
        return Values(made)

    def write(self) -> None:
        """Record what this run has asked for."""
        versions = {name: version(name).split("+")[0] for name in ("numpy", "torch")}
        lines = [{"python": platform.python_version()} | versions]
        for asked, made in self.new.items():
            lines.append({"asked": asked, "values": {name: array.tolist() for name, array in made.items()}})
        self.path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def differences(kept: Arrays, made: Arrays) -> Iterator[str]:
    """The names of arrays that are not those of the file, or are missing from one of the two."""
    yield from sorted(kept.keys() ^ made.keys())
    for name in kept.keys() & made.keys():
        a, b = kept[name], made[name]
        if a.shape != b.shape or not (np.array_equal(a, b, equal_nan=True) or relative_error(a, b) <= REPEATED):
            yield name
