"""The API reference as Markdown, made from signatures and docstrings.

`web/throughtime_api.py` puts `page(room)` at the end of `book/reference/api/<room>.md` when the site is built, so the
pages cannot be older than the docstrings.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from functools import cache
from importlib import import_module
from itertools import groupby

from book.reference.api import PROPERTIES, ROOMS, Entry, entries, front_door, is_callable
from book.reference.api_sources import source_of
from book.reference.ledger import read_book

WIDE = 76  # characters: a longer signature is printed with one parameter a line
COLUMNS = re.compile(
    r"^(?!>>>)[^\s.>](?:[^\s.]| (?! ))* {2,}\S.*(?:\n(?:[^\s.>](?:[^\s.]| (?! ))* {2,}| {4,})\S.*)*", re.M
)
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.M)
LITERAL = re.compile(r"(^```pycon\n.*?^```|^ {4}.*?$|``.+?``|`[^`]+`|\$[^$]+\$)", re.S | re.M)
MARKUP = re.compile(r"[*_\[\]<>{}]")
ID = re.compile(r"\b[a-z][a-z0-9]*(?:-[a-z0-9]+)+\b")
MODULE = re.compile(r"\b(?:throughtime|collections|numpy|typing|sympy)(?:\.\w+)*\.(?=\w)")
OBJECT = re.compile(r"<(?:function |class ')?([\w.]+)[^<>]*(?:<\w+>[^<>]*)*>")


def page(room: str) -> str:
    """All public names of a room, module by module: first those of the front door, and of these those with classes.

    In a module functions come before classes, and a constant is shown if its source says what it is. Raises KeyError
    for a room that is not one of `api.ROOMS`.
    """
    modules = ((module, list(rows)) for module, rows in groupby(entries(room), key=lambda entry: entry.module))
    parts = []
    for module, found in sorted(modules, key=lambda pair: min((far, not made) for far, made in map(_need, pair[1]))):
        rows = sorted(found, key=_need)
        values = [row for row in rows if not is_callable(row.value)]
        package, _, name = module.rpartition(".")
        head = f"(api-{module.removeprefix('throughtime.')})=\n## {name.lstrip('_').replace('_', ' ')}"
        head += f"\n\nModule `{name}` of `{package}`."
        words = prose(import_module(module).__doc__ or "")
        parts += [head, words, f"*Source:* {_with_links(source_of(module))}."]
        parts.append((_letters if room == "systems" else _values)(values))
        parts += [_described(row) for row in rows if row not in values]
    return "\n\n".join(filter(None, parts)) + "\n"


def _need(entry: Entry) -> tuple[bool, bool]:
    """Whether a name is not of the front door, and whether it is a class."""
    return front_door().get(entry.name) != entry, inspect.isclass(entry.value)


def index() -> str:
    """Every name of the front door, by room, each leading to its entry."""
    found = front_door().values()
    return "\n".join(
        f"* [`{room}`](api/{room}): " + ", ".join(f"[`{row.name}`](#{row.label})" for row in rows)
        for room, rows in groupby(sorted(found, key=lambda row: (ROOMS.index(_room(row)), row.name.lower())), key=_room)
    )


def _room(entry: Entry) -> str:
    return entry.module.split(".")[1]


def _described(entry: Entry, level: int = 3) -> str:
    head = f"({entry.label})=\n{'#' * level} `{entry.name.rpartition('.')[2]}`"
    rest = [prose(entry.doc), _bases(entry), *(_described(member, level + 1) for member in entry.members())]
    return "\n\n".join([head, f"```python\n{signature(entry)}\n```", *filter(None, rest)])


def _bases(entry: Entry) -> str:
    """The public bases of a class, which have the rest of its methods."""
    own = [base for base in entry.bases() if base.__module__.startswith("throughtime")]
    shown = (
        f"[`{base.__name__}`](#{Entry(base.__module__, base.__name__, base).label})" for base in own if _listed(base)
    )
    text = ", ".join(shown)
    return f"*Bases:* {text}." if text else ""


def _listed(base: type) -> bool:
    found = entries(base.__module__.split(".")[1])
    return any(entry.value is base for entry in found)


class _Bare:
    """Text that shows itself without quotes, for annotations kept as strings and for defaults."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature(entry: Entry) -> str:
    """How a name is called, or the value of a constant; objects that print as `<...>` are left out."""
    value, name = entry.value, entry.name
    if isinstance(value, PROPERTIES):
        getter = value.fget if isinstance(value, property) else value.func
        kind = inspect.signature(getter).return_annotation
        return name if kind is inspect.Parameter.empty else f"{name}: {_bare(kind)}"
    if not is_callable(value):
        return f"{name} = {textwrap.shorten(MODULE.sub('', OBJECT.sub('...', repr(value))), 200, placeholder=' ...')}"
    word = "class " * inspect.isclass(value)
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):  # an exception has none
        return f"{word}{name}"
    taken = [_plain(one) for one in found.parameters.values() if one.name not in ("self", "cls")]
    answer = found.empty if word else _bare(found.return_annotation)
    line = f"{word}{name}{found.replace(parameters=taken, return_annotation=answer)}"
    return line if len(line) <= WIDE else _one_parameter_a_line(line)


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is not parameter.empty:
        default = _Bare(default.__name__ if inspect.isclass(default) else OBJECT.sub("...", repr(default)))
    return parameter.replace(annotation=_bare(parameter.annotation), default=default)


def _bare(annotation: object) -> object:
    if annotation is inspect.Parameter.empty or annotation is None:
        return annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _Bare(MODULE.sub("", OBJECT.sub(r"\1", text)))


def _one_parameter_a_line(line: str) -> str:
    """A call broken after its opening parenthesis and after each comma that stands in no inner one."""
    shown, depth = "", 0
    for place, sign in enumerate(line):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == ")" and depth == 0 and ")" not in shown.partition("\n")[0]:
            return f"{shown},\n{line[place:]}"
        shown += sign
        if depth == 1 and sign in "(,":
            shown += "\n   " if sign == "," else "\n    "
    return shown


def prose(doc: str) -> str:
    """A docstring as Markdown: examples as code, statements of the list and public names linked, signs escaped."""
    doc = COLUMNS.sub(_list_of, inspect.cleandoc(doc))
    doc = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", doc)
    parts = LITERAL.split(doc)
    parts[::2] = [_with_links(MARKUP.sub(r"\\\g<0>", part)) for part in parts[::2]]
    parts[1::2] = [_linked(part) for part in parts[1::2]]
    return "".join(parts).replace("Raises ", "**Raises** ")


def _list_of(columns: re.Match[str]) -> str:
    """Terms in a first column and words in a second one, as a list; a line that goes on is indented."""
    lines = []
    for line in columns[0].splitlines():
        term, _, words = line.partition("  ")
        shown = f"`{term}`" if re.fullmatch(r"\w+(, \w+)*", term) else term
        lines.append(f"- {shown}: {words.strip()}" if term else f"  {words.strip()}")
    return "\n".join(lines)


def _linked(code: str) -> str:
    entry = front_door().get(code.strip("`"))
    return f"[{code}](#{entry.label})" if entry else code


def _with_links(text: str) -> str:
    """The text with every id of a statement that the book judges as a link to its box."""
    return ID.sub(lambda found: f"[{found[0]}](#{found[0]})" if found[0] in _judged() else found[0], text)


@cache
def _judged() -> frozenset[str]:
    return frozenset(item.id for item in read_book())


def _values(entries: list[Entry]) -> str:
    """The constants of a module, a line for each: its value, and what its comment says of it."""
    return "\n".join(f"* `{signature(row)}`: {prose(row.doc)}" for row in entries if row.doc)


def _letters(entries: list[Entry]) -> str:
    """The quantities, indices and other letters of a system, a line for each kind."""
    lines = []
    for kind, rows in groupby(sorted(entries, key=_kind), key=_kind):
        latex = ((row.name, getattr(row.value, "latex", "")) for row in rows)
        shown = (f"`{name}` ${tex}$" if tex else f"`{name}`" for name, tex in latex)
        lines.append(f"* *{kind}*: {', '.join(shown)}")
    return "\n".join(lines)


def _kind(entry: Entry) -> str:
    return type(entry.value).__name__
