"""The API reference holds every public name, and every docstring says what a caller has to know.

A docstring of a public function, class or method names each exception that its own code raises, and gives the shapes
of the arrays that it takes or returns. Its class may say it for a method.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import throughtime as tt
from book.reference import api
from book.reference.api import Entry

ROOT = Path(__file__).parents[3]
ARRAY = re.compile(r"ndarray|ArrayLike|\bArrays?\b|\bVector\b")
SHAPE = re.compile(r"\bshapes?\b|\bvectors?\b|\bmatri(?:x|ces)\b|\bscalars?\b|element by element|\([\w+ ]+,[^()]*\)")
SOURCE = re.compile(r"\b(?:19|20)\d\d\b|\b(?:lfmn|bptt|lstm97|peephole|rnn)-\w")
EVERY = [entry for room in api.ROOMS for entry in api.entries(room) if api.is_callable(entry.value)]


def raised(value: object) -> set[str]:
    """The exceptions that a function raises itself, or that a class raises when it is made."""
    makers = ("__init__", "__new__", "__post_init__")
    parts = [vars(value)[name] for name in makers if name in vars(value)] if inspect.isclass(value) else [value]
    found = set()
    for part in parts:
        part = getattr(part, "__func__", getattr(part, "fget", part))
        if not str(getattr(part, "__module__", "")).startswith("throughtime"):  # as of a protocol
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError):  # made by a decorator, as the __init__ of a dataclass
            continue
        raises = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc)
        names = (ast.unparse(error).partition("(")[0] for error in raises)
        found |= {name.rpartition(".")[2] for name in names if name[:1].isupper()} - {"NotImplementedError"}
    return found


def thin(entry: Entry, of_class: str = "") -> Iterator[str]:
    """What the docstring of a name, or that of its class, does not say."""
    own = inspect.getdoc(entry.value) or ""
    if not own:
        yield f"{entry.path}: no docstring"
    for name in sorted(raised(entry.value)):
        if name not in own + of_class:
            yield f"{entry.path}: raises {name}"
    function = not inspect.isclass(entry.value) and not isinstance(entry.value, api.PROPERTIES)
    if function and ARRAY.search(str(inspect.signature(entry.value))) and not SHAPE.search(own + of_class):
        yield f"{entry.path}: shapes"


def test_every_docstring_says_what_a_caller_has_to_know() -> None:
    with_members = ((one, entry) for entry in EVERY for one in (entry, *entry.members()))
    found = {fault for one, entry in with_members for fault in thin(one, inspect.getdoc(entry.value) or "")}
    assert sorted(found) == []


class Example:
    """Something with members."""

    def __init__(self, size: int, *, of=object()):  # noqa: B008
        """Nothing is kept."""

    def act(self, a_rather_long_argument: dict[str, int], another: tuple[int, ...] = (), *, last: bool = False) -> int:
        """Undescribed."""

    @property
    def kind(self) -> str:
        """Which."""
        return "kind"


EXAMPLE = Entry(__name__, "Example", Example)
MEMBERS = {entry.name: entry for entry in (EXAMPLE, *EXAMPLE.members())}


def test_modules_of_what_papers_have_name_a_paper_or_a_statement() -> None:
    modules = {one.module for room in ("systems", "textbook", "tasks", "learning") for one in api.entries(room)}
    named = {name for name in modules - {"throughtime.systems.letters"} if "._" not in name}
    thin = [name for name in named if not SOURCE.search(import_module(name).__doc__ or "")]
    assert sorted(thin) == []


def test_every_name_of_the_front_door_and_of_a_package_has_an_entry() -> None:
    for package in (tt, *(getattr(tt, room) for room in api.ROOMS)):
        names = {one for one in getattr(package, "__all__", ()) if not isinstance(getattr(package, one), ModuleType)}
        held = api.front_door() if package is tt else {one.name for one in api.entries(package.__name__[12:])}
        assert names <= set(held), package


def test_every_room_is_a_package_and_has_a_page_that_the_contents_name() -> None:
    packages = {path.stem for path in (ROOT / "lib" / "throughtime").iterdir()} - {"py"}
    assert set(api.ROOMS) == {name for name in packages if not name.startswith("_")}
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert all(f"- file: book/reference/api/{room}\n" in contents for room in api.ROOMS)


def test_every_link_leads_to_one_label_and_no_address_in_memory_is_shown() -> None:
    pages = "\n".join([api.index(), *map(api.page, api.ROOMS)])
    labels = [label.lower() for label in re.findall(r"^\((api-[^)]+)\)=$", pages, re.M)]
    assert len(labels) == len(set(labels)) > 300
    assert {link.lower() for link in re.findall(r"\(#(api-[^)]+)\)", pages)} <= set(labels)
    assert not re.search(r"\b0x[0-9a-f]{6,}|^[\w.]+: \.\.\.$", pages, re.M)


def test_examples_columns_statements_names_and_signs_are_set() -> None:
    doc = """The gradient (lfmn-8) of a `Bench`, d[k](t) * `w[i]` $a_i^*$ and <b>.

    theta   a vector, w*w
            and more
    x       rows

    >>> 1 + 1
    2
    """
    shown = api.prose(doc)
    assert "([lfmn-8](#lfmn-8))" in shown
    assert "[`Bench`](#api-class-derivation.judging" in shown
    assert r"d\[k\](t) \* `w[i]` $a_i^*$ and \<b\>" in shown
    assert "- `` theta ``: a vector, w\\*w\n  and more\n- `` x ``: rows\n" in shown
    assert "```pycon\n>>> 1 + 1\n2\n```" in shown


def test_signatures_are_broken_where_they_are_wide() -> None:
    assert api.signature(EXAMPLE) == "class Example(size: int, *, of=...)"
    assert api.signature(MEMBERS["Example.kind"]) == "Example.kind: str"
    assert api.signature(MEMBERS["Example.act"]).splitlines() == [
        "Example.act(",
        "    a_rather_long_argument: dict[str, int],",
        "    another: tuple[int, ...] = (),",
        "    *,",
        "    last: bool = False) -> int",
    ]
