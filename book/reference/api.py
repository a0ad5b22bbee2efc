"""The API reference as Markdown, room by room, from signatures and docstrings.

`web/throughtime_api.py` puts `page(room)` at the end of `book/reference/api/<room>.md` when the site is built, so the
pages cannot be older than the docstrings.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from itertools import groupby
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from book.reference.ledger import read_book

# In the order of need.
ROOMS = ("reading", "programs", "checks", "textbook", "learning", "tasks")
ROOMS += ("systems", "arrays", "derivation", "evidence")
# Argument checks of the networks, and how a text is read: no part of the public interface.
INTERNAL = re.compile(r"\._|\.validate$|\.reading\.(?!face$|source$)\w+$")
PROPERTIES = (property, cached_property)
WIDE = 76  # characters: a longer signature is printed with one parameter a line

QUOTED = re.compile(r"""(: |-> )(['"])(.*?)\2(?=[,)]| =|$)""")
PARAMETER = re.compile(r", (?=\w+: |\*)")
OBJECT = re.compile(r"<(?:function |class ')?[\w.]+[^<>]*(?:<\w+>[^<>]*)*>")
COLUMNS = re.compile(
    r"^(?!>>>)[^\s.>](?:[^\s.]| (?! ))* {2,}\S.*(?:\n(?:[^\s.>](?:[^\s.]| (?! ))* {2,}| {4,})\S.*)*", re.M
)
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.M)
LITERAL = re.compile(r"(^```pycon\n.*?^```|^ {4}.*?$|``.+?``|`[^`]+`|\$[^$]+\$)", re.S | re.M)
MARKUP = re.compile(r"[*_\[\]<>{}]")
ID = re.compile(r"\b[a-z][a-z0-9]*(?:-[a-z0-9]+)+\b")


@dataclass(frozen=True)
class Entry:
    """A public name: the module that defines it, the name, and its value."""

    module: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        """The full dotted name."""
        return f"{self.module}.{self.name}"

    @property
    def label(self) -> str:
        """Its link target, or of a constant that of its module; a class is told from a function of its name."""
        own = is_callable(self.value) or isinstance(self.value, PROPERTIES)
        path = (self.path if own else self.module).removeprefix("throughtime.")
        return f"api-{'class-' * inspect.isclass(self.value)}{path}"

    def members(self) -> "Iterator[Entry]":
        """Methods and properties of a class that it describes itself, or a private base does."""
        found: dict[str, Any] = {}
        for base in reversed(self.value.__mro__ if inspect.isclass(self.value) else ()):
            if base is self.value or (base.__name__[0] == "_" and base.__module__.startswith("throughtime")):
                found |= vars(base)
        for name, value in found.items():
            value = getattr(value, "__func__", value)  # of class and static methods
            described = inspect.isfunction(value) or isinstance(value, PROPERTIES)
            if described and value.__doc__ and not name.startswith(("_", "visit_")):
                yield Entry(self.module, f"{self.name}.{name}", value)


def is_callable(value: Any) -> bool:
    """Whether a value is a class or a function; objects that can be called are not."""
    return inspect.isclass(value) or inspect.isroutine(value)


@cache
def entries(room: str) -> tuple[Entry, ...]:
    """The public names of a room, module by module, in the order of their definitions.

    All functions and classes that a public module defines, letters of systems, and what the package exports; of the
    engine the last alone.
    """
    package = import_module(f"throughtime.{room}")
    walked = walk_packages(getattr(package, "__path__", ()), f"{package.__name__}.")
    exported, found = getattr(package, "__all__", ()), {}
    for module in (package, *(import_module(info.name) for info in walked)):
        public = room != "derivation" and not INTERNAL.search(module.__name__)
        for name, value in vars(module).items():
            given = name in exported and getattr(package, name) is value
            if name[0] != "_" and _made_in(module, name, value) and (public or given):
                found.setdefault((name, id(value)), Entry(module.__name__, name, value))
    return tuple(found.values())


def _made_in(module: ModuleType, name: str, value: Any) -> bool:
    """Whether a module defines a function or a class, or assigns an object; of constants letters and exported ones."""
    if is_callable(value):
        return getattr(value, "__module__", "") == module.__name__
    kept = not name.isupper() or ".systems" in module.__name__ or ".derivation" in module.__name__
    return kept and name in _assigned(module)


@cache
def _assigned(module: ModuleType) -> frozenset[str]:
    made = (node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.Assign | ast.AnnAssign))
    targets = (one for node in made for one in (node.targets if isinstance(node, ast.Assign) else [node.target]))
    return frozenset(leaf.id for one in targets for leaf in ast.walk(one) if isinstance(leaf, ast.Name))


@cache
def front_door() -> dict[str, Entry]:
    """The entry of each name of `import throughtime as tt` that is no module."""
    tt = import_module("throughtime")
    every = (entry for room in ROOMS for entry in entries(room) if entry.name in dir(tt))
    return {entry.name: entry for entry in every if entry.value is getattr(tt, entry.name)}


# ---- as Markdown


def page(room: str) -> str:
    """All public names of a room: first modules of the front door, in a module functions before classes."""
    modules = ((module, sorted(rows, key=_need)) for module, rows in groupby(entries(room), lambda one: one.module))
    parts = []
    for module, rows in sorted(modules, key=lambda pair: (_need(pair[1][0])[0], not is_callable(pair[1][0].value))):
        name = module.removeprefix("throughtime.")
        head = f"(api-{name})=\n## {name.rpartition('.')[2].lstrip('_').replace('_', ' ')}\n\nModule `{module}`."
        objects = [row for row in rows if not is_callable(row.value)]
        text = prose(import_module(module).__doc__ or "")
        parts += [head, text, (_letters if room == "systems" else _values)(objects)]
        parts += [_described(row) for row in rows if row not in objects]
    return "\n\n".join(filter(None, parts)) + "\n"


def _need(entry: Entry) -> tuple[bool, bool]:
    """Whether a name is not of the front door, and whether it is a class."""
    return front_door().get(entry.name) != entry, inspect.isclass(entry.value)


def index() -> str:
    """Every name of the front door, by room, each leading to its entry."""
    rows = sorted(front_door().values(), key=lambda row: (ROOMS.index(row.module.split(".")[1]), row.name.lower()))
    rooms = groupby(rows, lambda row: row.module.split(".")[1])
    lines = ((room, ", ".join(f"[`{row.name}`](#{row.label})" for row in some)) for room, some in rooms)
    return "\n".join(f"* [`{room}`](api/{room}): {names}" for room, names in lines)


def _described(entry: Entry, level: int = 3) -> str:
    head = f"({entry.label})=\n{'#' * level} `{entry.name.rpartition('.')[2]}`"
    members = (_described(member, level + 1) for member in entry.members())
    called, text = f"```python\n{signature(entry)}\n```", prose(inspect.getdoc(entry.value) or "")
    return "\n\n".join([head, called, text, *members])


def signature(entry: Entry) -> str:
    """How a name is called; objects that print as `<...>` are left out."""
    value, word = entry.value, "class " * inspect.isclass(entry.value)
    if isinstance(value, PROPERTIES):
        getter = value.fget if isinstance(value, property) else value.func
        called = f": {inspect.formatannotation(inspect.signature(getter).return_annotation)}"
    else:
        try:
            called = str(inspect.signature(value)).replace("(self, ", "(").replace("(self)", "()")
        except (TypeError, ValueError):  # an exception has none
            called = ""
    line = word + entry.name + OBJECT.sub("...", QUOTED.sub(r"\1\3", called))
    line = line.removesuffix(" -> None") if word else line
    return line if len(line) <= WIDE else PARAMETER.sub(",\n    ", line.replace("(", "(\n    ", 1))


def prose(doc: str) -> str:
    """A docstring as Markdown: examples as code, statements of the list and public names linked, signs escaped."""
    doc = COLUMNS.sub(_list_of, inspect.cleandoc(doc))
    doc = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", doc)
    parts = LITERAL.split(doc)
    to_box = lambda found: f"[{found[0]}](#{found[0]})" if found[0] in _judged() else found[0]  # noqa: E731
    parts[::2] = [ID.sub(to_box, MARKUP.sub(r"\\\g<0>", part)) for part in parts[::2]]
    parts[1::2] = [_linked(part) for part in parts[1::2]]
    return "".join(parts).replace("Raises ", "**Raises** ")


def _list_of(columns: re.Match[str]) -> str:
    """Terms in a first column and words in a second one, as a list; a line that goes on is indented.

    The blanks in its marks keep an argument that is called like a function from becoming a link to it.
    """
    lines = []
    for line in columns[0].splitlines():
        term, _, words = line.partition("  ")
        shown = f"`` {term} ``" if re.fullmatch(r"\w+(, \w+)*", term) else term
        lines.append(f"- {shown}: {words.strip()}" if term else f"  {words.strip()}")
    return "\n".join(lines)


def _linked(code: str) -> str:
    entry = front_door().get(code.strip("`"))
    return f"[{code}](#{entry.label})" if entry else code


@cache
def _judged() -> frozenset[str]:
    return frozenset(item.id for item in read_book())


def _values(rows: list[Entry]) -> str:
    """The objects of a module by their names."""
    return "Also: " + ", ".join(f"`{row.name}`" for row in rows) + "." if rows else ""


def _letters(rows: list[Entry]) -> str:
    """The quantities, indices and other letters of a system, a line for each kind."""
    lines = []
    for kind, some in groupby(sorted(rows, key=_kind), key=_kind):
        latex = ((row.name, getattr(row.value, "latex", "")) for row in some)
        lines.append(f"* *{kind}*: " + ", ".join(f"`{name}` ${tex}$" if tex else f"`{name}`" for name, tex in latex))
    return "\n".join(lines)


def _kind(entry: Entry) -> str:
    return type(entry.value).__name__
