"""Derivations kept on disk, so that a later process need not derive again.

What is kept lies where compiled programs lie, under a digest of all that it was derived from: the system, the loss, the
sizes, the cuts, the sources of engine and compiler, and SymPy. A file that is torn or changed is not what its first
line says, and is derived anew; where nothing can be read or written, nothing is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import sympy

from throughtime.derivation.formulas.domains import Domain, Leaf
from throughtime.derivation.formulas.functions import POINT, VALUE, Elementary
from throughtime.programs import build
from throughtime.programs.plan import Plan

SOURCES = Path(__file__).parents[1]


def kept(plan: Plan, how: str, derive: Callable[[], Any]) -> Any:
    """What `derive` returns, made of lists, dictionaries, texts and numbers, for a plan and for words that say how."""
    folder = build.CACHE
    if folder is None:
        return derive()
    path = folder / f"derived_{digest(content(plan), how, versions())}.txt"
    try:
        first, _, text = path.read_text(encoding="utf-8").partition("\n")
        if first == digest(text):
            return json.loads(text)
    except (OSError, ValueError):
        pass  # there is none, or what is left of one
    found = derive()
    text = json.dumps(found)
    build.write(path, f"{digest(text)}\n{text}")
    return found


def digest(*texts: str) -> str:
    """32 hexadecimal digits that change with each text."""
    return sha256("\0".join(texts).encode()).hexdigest()[:32]


@cache
def versions() -> str:
    """A digest of all code that derives and writes programs."""
    paths = chain((SOURCES / "derivation").rglob("*.py"), (SOURCES / "programs").rglob("*.py"))
    return digest(sympy.__version__, *(path.read_text(encoding="utf-8") for path in sorted(paths)))


def content(plan: Plan) -> str:
    """All that a plan was made of, as text that differs where the plans differ."""
    system = plan.system
    starts, first, sizes = len(system.initial_values), [*system.first_times.items()], [*plan.sizes.items()]
    formulas = [[one.left, one.right] for one in system.all_equations()]
    return _said([system.name, system.t, formulas, starts, first, plan.loss, sizes, plan.cuts])


def _said(thing: Any) -> str:
    """A formula, a number, a text or a collection of these, with the names of the classes of its nodes."""
    match thing:
        case Elementary():
            parts: Any = (*thing._compared, thing.rule(VALUE, POINT))
        case Leaf():
            parts = thing._compared
        case Domain():
            parts = thing.name, thing.lower, thing.upper, thing.parts
        case list() | tuple():
            parts = thing
        case sympy.Basic(args=parts) if parts:
            pass
        case sympy.Basic():
            return sympy.srepr(thing)
        case _:
            return repr(thing)
    return f"{type(thing).__name__}({', '.join(map(_said, parts))})"
