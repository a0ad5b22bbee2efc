"""The public names of the library, room by room, and what their docstrings and comments say of them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

# In the order of need.
ROOMS = (
    "reading",
    "programs",
    "checks",
    "textbook",
    "learning",
    "tasks",
    "systems",
    "arrays",
    "derivation",
    "evidence",
)
# Loops and argument checks that the models call, and how a text is read: no part of the public interface.
INTERNAL = re.compile(r"(^|\.)_|_kernels$|\.validate$|\.reading\.(?!face$|source$)\w+$")
PROPERTIES = (property, cached_property)


@dataclass(frozen=True)
class Entry:
    """A public name: the module that defines it (or "" for a method), the name, and its value."""

    module: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        """The full dotted name."""
        return f"{self.module}.{self.name}"

    @property
    def label(self) -> str:
        """Where it stands: its own link target or, of a constant, that of its module.

        Labels know no case, so a class is told from a function of the same name.
        """
        own = is_callable(self.value) or isinstance(self.value, PROPERTIES)
        path = (self.path if own else self.module).removeprefix("throughtime.")
        return f"api-{'class-' * inspect.isclass(self.value)}{path}"

    @property
    def doc(self) -> str:
        """The docstring; of a constant the comment beside or above its definition, or the string below it."""
        if is_callable(self.value) or isinstance(self.value, PROPERTIES):
            return inspect.getdoc(self.value) or ""
        return constant_doc(inspect.getsource(import_module(self.module)), self.name)

    def members(self) -> Iterator[Entry]:
        """Public methods and properties of a class, with those of private bases.

        A method without a docstring of its own is left out where a base has it: there it is described.
        """
        seen = set()
        for base in self.value.__mro__ if inspect.isclass(self.value) else ():
            if base is not self.value and base in self.bases():
                continue
            for name, value in vars(base).items():
                value = getattr(value, "__func__", value)  # of class and static methods
                described = inspect.isfunction(value) or isinstance(value, PROPERTIES)
                inherited = not value.__doc__ and any(hasattr(other, name) for other in self.bases())
                inherited |= name.startswith("visit_") and issubclass(self.value, ast.NodeVisitor)  # named by a node
                if described and not name.startswith("_") and name not in seen and not inherited:
                    seen.add(name)
                    yield Entry(self.module, f"{self.name}.{name}", value)

    def bases(self) -> list[type]:
        """The bases of a class that are described elsewhere: public ones, and those of other packages."""
        found = self.value.__mro__[1:] if inspect.isclass(self.value) else ()
        return [base for base in found if not (base.__name__[0] == "_" and base.__module__.startswith("throughtime"))]


def is_callable(value: Any) -> bool:
    """Whether a value is a class or a function, compiled ones included; objects that can be called are not."""
    return inspect.isclass(value) or inspect.isroutine(value) or hasattr(value, "py_func")


def constant_doc(source: str, name: str) -> str:
    """What a module's source says of a constant: a string below it, a comment behind it or comments above it."""
    lines, body = source.splitlines(), ast.parse(source).body
    for place, node in enumerate(body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not any(leaf.id == name for one in targets if one for leaf in ast.walk(one) if isinstance(leaf, ast.Name)):
            continue
        after = body[place + 1] if place + 1 < len(body) else None
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            return inspect.cleandoc(after.value.value)
        if "  # " in lines[node.end_lineno - 1]:
            return lines[node.end_lineno - 1].partition("  # ")[2]
        first = node.lineno - 1
        while lines[first - 1].startswith("# "):
            first -= 1
        return " ".join(line.removeprefix("# ") for line in lines[first : node.lineno - 1])
    return ""


@cache
def entries(room: str) -> tuple[Entry, ...]:
    """The public names of a room, in the order of their modules and of their definitions.

    The engine's are those of `throughtime.derivation.__all__`; of the other rooms all names that a public module
    defines, and what the package exports. Raises KeyError for a room that is not one of `ROOMS`.
    """
    if room not in ROOMS:
        raise KeyError(f"room: expected one of {ROOMS}, got {room!r}")
    package = import_module(f"throughtime.{room}")
    exported = getattr(package, "__all__", ())
    found: dict[str, Entry] = {}
    for module in _modules(package):
        for name in filter(partial(_defines, module), vars(module)):
            entry = Entry(module.__name__, name, vars(module)[name])
            if room == "derivation":
                if name in exported and entry.value is getattr(package, name):
                    found.setdefault(name, entry)
            elif name in exported or not INTERNAL.search(module.__name__):
                found[entry.path] = entry
    return tuple(found.values())


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for info in iter_modules(getattr(package, "__path__", ())):
        yield from _modules(import_module(f"{package.__name__}.{info.name}"))


@cache
def _assigned(module: ModuleType) -> frozenset[str]:
    statements = ast.parse(inspect.getsource(module)).body
    targets = (node.targets for node in statements if isinstance(node, ast.Assign))
    plain = {leaf.id for row in targets for one in row for leaf in ast.walk(one) if isinstance(leaf, ast.Name)}
    return frozenset(plain | {node.target.id for node in statements if isinstance(node, ast.AnnAssign)})


def _defines(module: ModuleType, name: str) -> bool:
    value = vars(module)[name]
    if name.startswith("_") or isinstance(value, ModuleType):
        return False
    if name in _assigned(module):
        return type(value).__name__ != "TypeVar"
    return is_callable(value) and value.__module__ == module.__name__


@cache
def front_door() -> dict[str, Entry]:
    """The entry of each name of `import throughtime as tt` that is no module."""
    tt = import_module("throughtime")
    names = set(dir(tt))
    every = (entry for room in ROOMS for entry in entries(room) if entry.name in names)
    return {entry.name: entry for entry in every if entry.value is getattr(tt, entry.name, None)}
