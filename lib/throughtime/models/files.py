"""A model and its parameters in one file: an ``.npz`` archive of named arrays and one text, without pickles."""

import json
import zipfile
from dataclasses import fields
from os import PathLike
from typing import Any

import numpy as np

from throughtime import models
from throughtime.models import validate
from throughtime.models.activations import ACTIVATIONS, Activation

SETTINGS = "settings"  # entry with class and arguments, as JSON


def save(path: str | PathLike, model: Any, theta: np.ndarray) -> None:
    """Write a model and its checked parameters, a vector of ``model.layout.size``.

    Raises TypeError for another class, ValueError for an activation that is not in the catalogue, OSError.
    """
    kind = type(model).__name__
    if getattr(models, kind, None) is not type(model):
        raise TypeError(f"model: expected a class of throughtime.models, got {kind}")
    settings = json.dumps({"model": kind, **{field.name: _text(getattr(model, field.name)) for field in fields(model)}})
    with open(path, "wb") as file:  # noqa: PTH123, a path or a string
        np.savez(file, allow_pickle=False, **{SETTINGS: np.array(settings)}, **model.layout.split(theta))


def load(path: str | PathLike) -> tuple[Any, np.ndarray]:
    """The model and theta that ``model.save(path, theta)`` has written, to the last bit.

    Raises OSError for a file that cannot be read, ValueError, naming it, for one that ``save`` has not written.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        settings = json.loads(arrays.pop(SETTINGS).item())
        kind = validate.one_of("model", settings.pop("model"), models.__all__)
        model = getattr(models, kind)(**settings)
        return model, model.layout.flatten(arrays)
    except (zipfile.BadZipFile, EOFError, KeyError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"path: expected a file of model.save, got {path}: {error}") from error


def _text(value: Any) -> Any:
    if isinstance(value, Activation):
        if ACTIVATIONS.get(value.name) != value:
            raise ValueError(f"activation: expected one of {', '.join(ACTIVATIONS)}, got {value!r}")
        return value.name
    return [_text(part) for part in value] if isinstance(value, tuple) else value
