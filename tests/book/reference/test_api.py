"""The API reference holds every public name, and every docstring says what a caller has to know.

A docstring of a public function, class or method names each exception that its own code raises, gives the shapes of
the arrays that it takes or returns, and stands in a module whose source is given. Its class may say it for a method.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import throughtime as tt
from book.reference import api, api_pages
from book.reference.api import Entry
from book.reference.api_sources import SOURCES, source_of
from book.reference.ledger import listed

ROOT = Path(__file__).parents[3]
ARRAY = re.compile(r"ndarray|ArrayLike|\bArrays?\b|\bVector\b")
SHAPE = re.compile(r"\bshapes?\b|\bvectors?\b|\bmatri(?:x|ces)\b|\bscalars?\b|element by element|\([\w+ ]+,[^()]*\)")
EVERY = [entry for room in api.ROOMS for entry in api.entries(room) if api.is_callable(entry.value)]


# ---- what a docstring has to say


def raised(value: object) -> set[str]:
    """The exceptions that a function raises itself, or that a class raises when it is made."""
    makers = ("__init__", "__new__", "__post_init__")
    parts = [vars(value)[name] for name in makers if name in vars(value)] if inspect.isclass(value) else [value]
    found = set()
    for part in parts:
        part = getattr(part, "__func__", getattr(part, "fget", getattr(part, "py_func", part)))
        if not str(getattr(part, "__module__", "")).startswith(("throughtime", __name__)):  # as of a protocol
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError):  # made by a decorator, as the __init__ of a dataclass
            continue
        raises = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc)
        names = (ast.unparse(error).partition("(")[0] for error in raises)
        found |= {name.rpartition(".")[2] for name in names if name[:1].isupper()} - {"NotImplementedError"}
    return found


def takes_arrays(value: object) -> bool:
    """Whether a function takes or returns arrays."""
    if inspect.isclass(value) or isinstance(value, api.PROPERTIES):
        return False
    return bool(ARRAY.search(str(inspect.signature(value))))


def thin(entry: Entry, of_class: str = "") -> Iterator[str]:
    """What the docstring of a name, or that of its class, does not say."""
    if not entry.doc:
        yield f"{entry.path}: no docstring"
    said = entry.doc + of_class
    for name in sorted(raised(entry.value)):
        if name not in said:
            yield f"{entry.path}: raises {name}"
    if takes_arrays(entry.value) and not SHAPE.search(said):
        yield f"{entry.path}: shapes"


def test_every_docstring_says_what_a_caller_has_to_know() -> None:
    found = {fault for entry in EVERY for one in (entry, *entry.members()) for fault in thin(one, entry.doc)}
    assert sorted(found) == []


def test_every_module_has_a_source_and_every_source_a_module() -> None:
    modules = {entry.module for room in api.ROOMS for entry in api.entries(room)}
    assert all(source_of(module) for module in modules)
    for name in SOURCES:
        assert any(module == name or module.startswith(name + ".") for module in modules), name


def test_module_without_a_source_is_refused() -> None:
    with pytest.raises(KeyError, match=r"no source is given for throughtime\.tasks\.new; add a row"):
        source_of("throughtime.tasks.new")


def test_sources_are_in_the_bibliography_and_on_the_list() -> None:
    bibliography = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    ids = {row.id for row in listed()}
    for text in SOURCES.values():
        for key in re.findall(r"\{cite:t\}`(\w+)`", text):
            assert f"{{{key}," in bibliography
        assert set(re.findall(r"\b(?:lfmn|bptt|lstm97|peephole|rnn)-\w+(?:-\d+)?", text)) <= ids


# ---- what the pages hold


def test_every_name_of_the_front_door_has_an_entry() -> None:
    names = {name for name in tt.__all__ if not isinstance(getattr(tt, name), ModuleType)}
    assert names - api.front_door().keys() == set()


@pytest.mark.parametrize("room", api.ROOMS)
def test_every_name_that_a_package_exports_has_an_entry(room: str) -> None:
    package = getattr(tt, room)
    names = {name for name in getattr(package, "__all__", ()) if not isinstance(getattr(package, name), ModuleType)}
    assert names <= {entry.name for entry in api.entries(room)}


def test_every_room_is_a_package_and_has_a_page_that_the_contents_name() -> None:
    packages = {path.stem for path in (ROOT / "lib" / "throughtime").iterdir()} - {"py"}
    packages = {name for name in packages if not name.startswith("_")}
    assert set(api.ROOMS) == packages
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    for room in api.ROOMS:
        assert f"- file: book/reference/api/{room}\n" in contents
        assert (ROOT / "book" / "reference" / "api" / f"{room}.md").is_file()


def test_every_link_leads_to_one_label() -> None:
    pages = "\n".join([api_pages.index(), *map(api_pages.page, api.ROOMS)])
    labels = [label.lower() for label in re.findall(r"^\((api-[^)]+)\)=$", pages, re.M)]
    assert len(labels) == len(set(labels)) > 300
    assert {link.lower() for link in re.findall(r"\(#(api-[^)]+)\)", pages)} <= set(labels)


def test_pages_show_no_address_in_memory() -> None:
    assert re.findall(r".*\b0x[0-9a-f]{6,}.*", "\n".join(map(api_pages.page, api.ROOMS))) == []


def test_unknown_room_is_refused() -> None:
    with pytest.raises(KeyError, match=r"room: expected one of .* got 'attic'"):
        api.entries("attic")


# ---- how docstrings become Markdown


def test_examples_columns_statements_and_names_are_set() -> None:
    doc = """The gradient (lfmn-8) of a `Bench`.

    theta   a vector, w*w
            and more
    x       rows

    >>> 1 + 1
    2
    """
    shown = api_pages.prose(doc)
    assert "([lfmn-8](#lfmn-8))" in shown
    assert "[`Bench`](#api-class-derivation.judging" in shown
    assert "- `theta`: a vector, w\\*w\n  and more\n- `x`: rows\n" in shown
    assert "```pycon\n>>> 1 + 1\n2\n```" in shown


def test_signs_that_markdown_reads_are_escaped_outside_code_and_formulas() -> None:
    assert api_pages.prose("d[k](t) * `w[i]` $a_i^*$ and <b>") == r"d\[k\](t) \* `w[i]` $a_i^*$ and \<b\>"


def test_constants_are_described_by_strings_and_comments() -> None:
    source = '# of three\n# lines\nONE = 1\nTWO = 2  # beside\nTHREE = 3\n"""Below."""\nFOUR: int = 4\n'
    found = [api.constant_doc(source, name) for name in ("ONE", "TWO", "THREE", "FOUR", "FIVE")]
    assert found == ["of three lines", "beside", "Below.", "", ""]


class Example:
    """Something with members."""

    def __init__(self, size: int, *, of=object()):  # noqa: B008
        if size < 0:
            raise ValueError("size")

    def act(self, a_rather_long_argument: dict[str, int], another: tuple[int, ...] = (), *, last: bool = False) -> int:
        """Undescribed."""
        raise KeyError(last)

    @property
    def kind(self) -> str:
        return "kind"

    def read(self, x: np.ndarray) -> None:
        """Only words."""


EXAMPLE = Entry(__name__, "Example", Example)
MEMBERS = {entry.name: entry for entry in EXAMPLE.members()}


def test_signatures_are_broken_where_they_are_wide() -> None:
    assert api_pages.signature(EXAMPLE) == "class Example(size: int, *, of=...)"
    assert api_pages.signature(MEMBERS["Example.kind"]) == "Example.kind: str"
    assert api_pages.signature(MEMBERS["Example.act"]).splitlines() == [
        "Example.act(",
        "    a_rather_long_argument: dict[str, int],",
        "    another: tuple[int, ...] = (),",
        "    *,",
        "    last: bool = False,",
        ") -> int",
    ]


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("Example", ["raises ValueError"]),
        ("Example.act", ["raises KeyError"]),
        ("Example.kind", ["no docstring"]),
        ("Example.read", ["shapes"]),
    ],
)
def test_planted_docstring_that_says_too_little_is_found(name: str, faults: list[str]) -> None:
    entry = MEMBERS.get(name, EXAMPLE)
    assert [fault.rpartition(": ")[2] for fault in thin(entry)] == faults
    assert list(thin(entry, "Raises ValueError or KeyError; x is a vector.")) == (
        [f"{entry.path}: no docstring"] if faults == ["no docstring"] else []
    )
