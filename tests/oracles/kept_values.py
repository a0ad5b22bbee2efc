"""Values of PyTorch and ONNX, kept in files: the library is compared with them without any of these.

A transcription is a module of tests/oracles/transcriptions that needs one of them. A test names a function of it and
its arguments, and gets arrays by name. The environment variable ORACLES says where they come from:

    kept      from tests/oracles/kept, a file for each transcription (the default: no framework is imported)
    live      the function is called, and what it gives is compared with the file as well
    record    the function is called, and the file written anew with all that the run asked for

A value is found by the digest of the function's arguments, and a file holds for one text of its transcription: a
problem or a forward pass that has changed has no values until they are recorded.

Of a long array the file has its shape and a few random projections. For normally distributed ones the mean of the
squared projections of an error is the square of its norm, and so the ratio of two such norms stands for
``relative_error``, under the same tolerance; a live run compares whole arrays.
"""

import hashlib
import importlib
import json
import math
import os
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from throughtime.checks import relative_error

HERE = Path(__file__).parent
SEED, PROJECTIONS = 1990, 4
REPEATED = 1e-12  # relative difference of two runs of one function on different processors
MODES = ("kept", "live", "record")
FRAMEWORKS = {"torch": ("torch",), "onnx": ("onnx",)}

Numbers = tuple[tuple[int, ...], list[float]]  # a shape, and all entries or the projections


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


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def directions(size: int) -> np.ndarray:
    """The vectors that arrays of this size are projected on, (PROJECTIONS, size)."""
    return np.random.default_rng([SEED, size]).normal(size=(PROJECTIONS, size))


def sketch(array: np.ndarray) -> np.ndarray:
    """The projections of an array; the array itself, flat, if it has no more entries than that."""
    flat = np.asarray(array, dtype=np.float64).ravel()
    return flat if flat.size <= PROJECTIONS else directions(flat.size) @ flat


def numbers(array: np.ndarray, whole: bool) -> Numbers:
    """What a file has of an array."""
    return array.shape, (array.ravel() if whole else sketch(array)).tolist()


class Values:
    """Arrays by name: whole, or as the file has them."""

    def __init__(self, named: dict[str, Numbers]) -> None:
        self.named, self.compared = named, set()

    def __getitem__(self, name: str) -> np.ndarray:
        """A whole array; ValueError if only projections are there."""
        self.compared.add(name)
        shape, found = self.named[name]
        if math.prod(shape) != len(found):
            raise ValueError(f"{name}: expected all entries of an array of shape {shape}, got {len(found)} projections")
        return np.array(found).reshape(shape)

    def error(self, name: str, ours: Any) -> float:
        """The relative error of an array of ours, by projections if no more is there; ValueError for another shape."""
        self.compared.add(name)
        shape, found = self.named[name]
        if np.shape(ours) != tuple(shape):
            raise ValueError(f"{name}: expected the shape {shape}, got {np.shape(ours)}")
        whole = math.prod(shape) == len(found)
        return relative_error(np.ravel(ours) if whole else sketch(ours), np.array(found))

    def left(self) -> list[str]:
        """The names of arrays that no test has looked at."""
        return sorted(set(self.named) - self.compared)


class File:
    """The kept values of one transcription: a line of JSON for each, after one that says how they were made."""

    def __init__(self, transcription: str, folder: Path = HERE) -> None:
        self.transcription = transcription
        self.path = folder / "kept" / f"{transcription}.jsonl"
        self.source = digest((folder / "transcriptions" / f"{transcription}.py").read_text(encoding="utf-8"))
        self.new: dict[tuple[str, str], dict[str, Numbers]] = {}

    def made_by(self) -> dict[str, Any]:
        """What the values depend on besides arguments. The versions are told; a live run sees whether they matter."""
        return {"transcription": self.source, "seed": SEED, "projections": PROJECTIONS}

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]

    def read(self) -> dict[tuple[str, str], dict[str, Numbers]]:
        """All values by function and digest; ValueError if the transcription has changed since they were recorded."""
        if not self.path.is_file():
            raise LookupError(f"no values of {self.transcription} are kept: make keep-oracles records them")
        header, *lines = self.lines
        for name, expected in self.made_by().items():
            if header[name] != expected:
                raise ValueError(
                    f"{self.transcription}: values are kept for {name} {header[name]}, not {expected}: "
                    "make keep-oracles records them anew"
                )
        return {(line["function"], line["arguments"]): line["values"] for line in lines}

    def write(self) -> None:
        """The new values in place of the file."""
        needed = ("numpy", *FRAMEWORKS[self.transcription.rsplit("_", 1)[1]])
        versions = {name: version(name).split("+")[0] for name in needed}
        header = self.made_by() | {"versions": {"python": platform.python_version()} | versions}
        lines = ({"function": of, "arguments": key, "values": found} for (of, key), found in self.new.items())
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("".join(json.dumps(line) + "\n" for line in (header, *lines)), encoding="utf-8")


class Oracles:
    """What the fixture ``kept`` gives; one for a whole run."""

    def __init__(self, how: str, folder: Path = HERE) -> None:
        self.how, self.folder = how, folder
        self.files: dict[str, File] = {}
        self.read: dict[str, dict[tuple[str, str], dict[str, Numbers]]] = {}

    def values(self, function: str, arguments: tuple, whole: bool = False) -> Values:
        """What ``transcription.function`` gives for these arguments.

        whole    all entries of its arrays are kept, for a test that compares them one by one

        LookupError if no value is kept for these arguments, ValueError if it is of another transcription. Live,
        AssertionError if the value is another one than is kept.
        """
        transcription, name = function.split(".")
        if transcription not in self.files:
            self.files[transcription] = File(transcription, self.folder)
        file, key = self.files[transcription], (name, digest(described(arguments)))
        if self.how == "kept":
            return Values(self.kept(file, key))
        made = getattr(importlib.import_module(f"transcriptions.{transcription}"), name)(*arguments)
        made = {name: np.asarray(array) for name, array in made.items()}
        if other := [name for name, array in made.items() if array.dtype != np.float64]:
            raise TypeError(f"{function}: expected arrays of float64, got others for {other}")
        if self.how == "record":
            file.new[key] = {name: numbers(array, whole) for name, array in made.items()}
        else:
            faults = list(differences(self.kept(file, key), made))
            assert faults == [], f"{function} gives other values than are kept: {faults}"
        return Values({name: numbers(array, whole=True) for name, array in made.items()})

    def kept(self, file: File, key: tuple[str, str]) -> dict[str, Numbers]:
        if file.transcription not in self.read:
            self.read[file.transcription] = file.read()
        found = self.read[file.transcription].get(key)
        if not found:
            raise LookupError(
                f"no value of {file.transcription}.{key[0]} is kept for these arguments ({key[1]}): the problem is "
                "new or has changed; make keep-oracles records it"
            )
        return found

    def write(self) -> None:
        """Record what this run has asked for."""
        for file in self.files.values():
            file.write()


def differences(kept: dict[str, Numbers], made: dict[str, np.ndarray]) -> Iterator[str]:
    """The names of arrays that are not those of the file, or are missing from one of the two."""
    yield from sorted(set(kept) ^ set(made))
    for name in set(kept) & set(made):
        shape, found = kept[name]
        now = numbers(made[name], whole=math.prod(shape) == len(found))
        if tuple(shape) != now[0] or not _same(np.array(found), np.array(now[1])):
            yield name


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.array_equal(a, b, equal_nan=True)
    return relative_error(a, b) <= REPEATED
