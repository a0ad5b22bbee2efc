"""Every notebook of the book is what a fresh run of it leaves behind, and fit to be read by everyone.

The guards look at what a comparison with a fresh run passes over: order, metadata, words of images, hand-made boxes.
Each guard takes a notebook and yields its faults; below, each is shown a notebook with that fault planted.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from nbval.plugin import comment_markers

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
NOTEBOOKS = [p for p in sorted(BOOK.rglob("*.ipynb")) if ".ipynb_checkpoints" not in p.parts]

RECORD = "application/vnd.throughtime.statement+json"
IMAGES = {"image/png", "image/svg+xml"}
SHOWN = {"text/plain", "text/html", "text/markdown", "text/latex", *IMAGES}
CELL_METADATA = {"mystnb", "tags"}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users|var|private)/|[A-Z]:\\Users|site-packages")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
BASE64 = re.compile(r"base64,[A-Za-z0-9+/=\s]+")
HAND_MADE = re.compile(r"\btt-(?:statement|steps|verdict|checks|reason|tag)\b")
RETYPED = re.compile(r"\b(?:Math|Latex)\s*\(|import[^\n]*\b(?:Math|Latex)\b")
# The words of nbval for a cell whose output it does not compare.
UNCHECKED = re.compile(r"^\s*#\s*((?:NBVAL|PYTEST_VALIDATE)_\w+)", re.M)
UNCHECKED_TAGS = {word.lower().replace("_", "-") for word in comment_markers} | {"raises-exception"}
DERIVES = {"System", "show", "derive", "derive_backward", "derive_gradient"}
JUDGES = {"equation", "claim"}  # a derivation behind a statement is folded into its box
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
IMG = re.compile(r"<img\b[^>]*>", re.I)
SVG = re.compile(r"<svg\b[^>]*>", re.I)
SPOKEN = re.compile(r"""\b(?:alt|aria-label|aria-labelledby)\s*=\s*["'][^"'\s][^"']*["']""", re.I)
UNSPOKEN = re.compile(r"""\baria-hidden\s*=\s*["']true["']""", re.I)

Notebook = dict
Faults = Iterator[str]


def text(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def code_cells(notebook: Notebook) -> list[tuple[int, dict]]:
    cells = enumerate(notebook["cells"])
    return [(n, c) for n, c in cells if c["cell_type"] == "code" and text(c["source"]).strip()]


def outputs(notebook: Notebook) -> Iterator[tuple[int, dict]]:
    for number, cell in code_cells(notebook):
        for output in cell["outputs"]:
            yield number, output


def readable(output: dict) -> Iterator[str]:
    """The parts of an output that are text, embedded images left out."""
    if output["output_type"] == "stream":
        yield text(output["text"])
    for mime, value in output.get("data", {}).items():
        if mime == "image/png":
            continue
        yield BASE64.sub("", json.dumps(value) if mime.endswith("json") else text(value))


# ---- the guards


def not_run_in_order(notebook: Notebook) -> Faults:
    counts = [cell["execution_count"] for _, cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: run it from a fresh kernel (make notebooks)"


def error_or_stderr(notebook: Notebook) -> Faults:
    for number, output in outputs(notebook):
        if output["output_type"] == "error":
            yield f"cell {number} raised {output['ename']}: {output['evalue']}"
        if output.get("name") == "stderr":
            yield f"cell {number} wrote to stderr: {text(output['text'])[:80]!r}"


def of_this_machine(notebook: Notebook) -> Faults:
    for number, cell in enumerate(notebook["cells"]):
        if found := MACHINE_PATH.search(text(cell["source"])):
            yield f"cell {number} names a path of one machine: {found[0]!r}"
    for number, output in outputs(notebook):
        for part in readable(output):
            if found := MACHINE_PATH.search(part):
                yield f"the output of cell {number} names a path of one machine: {found[0]!r}"
            if found := ADDRESS.search(part):
                yield f"the output of cell {number} shows an address in memory: {found[0]!r}"


def trailing_semicolon(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        if text(cell["source"]).rstrip().endswith(";"):
            yield f"cell {number} ends in ';', which hides nothing under nbval"


def unknown_output(notebook: Notebook) -> Faults:
    for number, output in outputs(notebook):
        for mime in sorted(output.get("data", {}).keys() - SHOWN - {RECORD}):
            yield f"cell {number} has an output of type {mime}; pages show {sorted(SHOWN)}"


def left_unchecked(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        words = [*UNCHECKED.findall(text(cell["source"])), *(UNCHECKED_TAGS & set(cell["metadata"].get("tags", [])))]
        if words:
            yield f"cell {number} says {words[0]!r}: nbval would not compare it"


def metadata_to_spare(notebook: Notebook) -> Faults:
    kernel = notebook["metadata"].get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"the kernel is {kernel!r}, not 'python3'"
    if extra := sorted(notebook["metadata"].keys() - {"kernelspec", "language_info"}):
        yield f"metadata that no page needs: {extra}"
    for number, cell in enumerate(notebook["cells"]):
        if extra := sorted(cell["metadata"].keys() - CELL_METADATA):
            yield f"metadata of cell {number} that no page needs: {extra}"


def silent_figure(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
        for output in cell["outputs"]:
            data = output.get("data", {})
            html = text(data.get("text/html", ""))
            if IMAGES & data.keys() and not html and not alt.strip():
                yield f"cell {number} shows a figure without alternative text (metadata mystnb.image.alt)"
            for tag in [*IMG.findall(html), *SVG.findall(html)]:
                if not (SPOKEN.search(tag) or UNSPOKEN.search(tag)):
                    yield f"cell {number} shows {tag[:60]} without alternative text"


def retyped_derivation(notebook: Notebook) -> Faults:
    for number, cell in enumerate(notebook["cells"]):
        if found := HAND_MADE.search(text(cell["source"])):
            yield f"cell {number} makes a {found[0]} box by hand: the engine makes them from what it checked"
    for number, cell in code_cells(notebook):
        if found := RETYPED.search(text(cell["source"])):
            yield f"cell {number} displays LaTeX of its own ({found[0].strip()!r}), which nothing checks"


def chapter_without_its_end(notebook: Notebook) -> Faults:
    """A page that promises what its reader can do afterwards sums up and sets exercises."""
    prose = "".join(text(cell["source"]) + "\n" for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    if "**After this chapter you can**" in prose:
        for part in ("\n## Recap\n", "\n## Exercises\n", "```{exercise}"):
            if part not in prose:
                yield f"the chapter lacks {part.strip()!r}"


def hidden_derivation(notebook: Notebook) -> Faults:
    for number, cell in code_cells(notebook):
        if FOLDED & set(cell["metadata"].get("tags", [])):
            calls = [node for node in ast.walk(ast.parse(text(cell["source"]))) if isinstance(node, ast.Call)]
            behind = {id(node) for call in calls if called(call) in JUDGES for node in ast.walk(call)}
            for call in calls:
                if called(call) in DERIVES and id(call) not in behind:
                    yield f"cell {number} hides {called(call)}(...): show the system and its derivations"


def called(call: ast.Call) -> str:
    """The name of a function that is called, without what stands before its last dot."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


GUARDS = [
    not_run_in_order,
    error_or_stderr,
    of_this_machine,
    trailing_semicolon,
    unknown_output,
    left_unchecked,
    metadata_to_spare,
    silent_figure,
    retyped_derivation,
    chapter_without_its_end,
    hidden_derivation,
]


def judged_twice(notebooks: list[Notebook]) -> Faults:
    """No statement is judged in two places: which of the two verdicts would the ledger show?"""
    records = (
        output["data"][RECORD] for nb in notebooks for _, output in outputs(nb) if RECORD in output.get("data", {})
    )
    for name, times in Counter(record["id"] for record in records).items():
        if times > 1:
            yield f"{name} is judged {times} times"


def in_contents(toc: object) -> set[str]:
    """Every page that the table of contents names, without its suffix."""
    if isinstance(toc, list):
        return set().union(*map(in_contents, toc))
    if isinstance(toc, dict):
        here = {toc[key] for key in ("file", "root") if key in toc}
        return here.union(*(in_contents(value) for value in toc.values() if isinstance(value, list)))
    return set()


# ---- the book


def load(path: Path) -> Notebook:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.relative_to(BOOK).as_posix())
def test_notebook_is_as_a_fresh_run_leaves_it(path: Path) -> None:
    notebook = load(path)
    faults = [fault for guard in GUARDS for fault in guard(notebook)]
    assert not faults, "\n".join(faults)


def test_no_statement_is_judged_twice() -> None:
    assert list(judged_twice([load(path) for path in NOTEBOOKS])) == []


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = in_contents(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in [*NOTEBOOKS, *BOOK.rglob("*.md")]}
    assert {page for page in pages if ".ipynb_checkpoints" not in page and not page.endswith("README")} == listed


# ---- the guards themselves: a sound notebook has no fault, each planted fault is found by its guard alone


def execute_result(count: int, **data: object) -> dict:
    return {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}


def code(count: int | None, source: str, *outs: dict, **metadata: object) -> dict:
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": metadata,
        "source": source.splitlines(keepends=True),
        "outputs": list(outs),
    }


def statement(count: int, name: str = "lfmn-1") -> dict:
    shown = {"text/html": f'<div class="tt-statement" id="{name}"></div>', "text/plain": f"{name}: holds"}
    return execute_result(count, **shown, **{RECORD: {"id": name}})


@pytest.fixture
def sound() -> Notebook:
    figure = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": "/var/0x123456789", "text/plain": "f"},
    }
    return {
        "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": CHAPTER},
            code(1, "import sympy\nx", execute_result(1, **{"text/plain": ["x"]}), tags=["hide-input"]),
            code(2, "plot(x)", figure, mystnb={"image": {"alt": "x over time"}}),
            code(None, "  \n"),
            code(3, "S.equation('a', f, derivations=[S.derive(z, w)])", statement(3), tags=["hide-input"]),
        ],
    }


def change(where: str, value: object):
    """A fault: the value at a dotted path of the notebook is replaced."""

    def plant(notebook: Notebook) -> None:
        *path, last = [int(key) if key.isdigit() else key for key in where.split(".")]
        for key in path:
            notebook = notebook[key]
        notebook[last] = value

    return plant


def output(where: int, out: dict):
    return lambda notebook: notebook["cells"][where]["outputs"].append(out)


CHAPTER = "# Title\n\n**After this chapter you can**\n\n## Recap\n\n## Exercises\n\n```{exercise} One\n```"
FAULTS = [
    (not_run_in_order, change("cells.1.execution_count", None)),
    (not_run_in_order, change("cells.4.execution_count", 4)),
    (error_or_stderr, output(1, {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []})),
    (error_or_stderr, output(1, {"output_type": "stream", "name": "stderr", "text": "warning"})),
    (of_this_machine, change("cells.1.source", "open('/home/me/x')")),
    (of_this_machine, output(1, {"output_type": "stream", "name": "stdout", "text": ["/var/x"]})),
    (of_this_machine, output(1, execute_result(1, **{"text/plain": "<object at 0x7f1c2d3e4f50>"}))),
    (of_this_machine, output(1, execute_result(1, **{RECORD: {"id": "b", "at": "lib/site-packages/x"}}))),
    (trailing_semicolon, change("cells.1.source", "x;\n")),
    (unknown_output, output(1, execute_result(1, **{"application/vnd.jupyter.widget-view+json": {}}))),
    (left_unchecked, change("cells.1.source", "# NBVAL_IGNORE_OUTPUT\nx")),
    (left_unchecked, change("cells.4.source", "# PYTEST_VALIDATE_IGNORE_OUTPUT\nx")),
    (left_unchecked, change("cells.1.metadata", {"tags": ["hide-input", "nbval-skip"]})),
    (metadata_to_spare, change("metadata.kernelspec", {"name": "conda-env"})),
    (metadata_to_spare, change("metadata.widgets", {})),
    (metadata_to_spare, change("cells.1.metadata.execution", {})),
    (silent_figure, change("cells.2.metadata", {})),
    (silent_figure, change("cells.2.metadata", {"mystnb": {"image": {"alt": " "}}})),
    (silent_figure, output(1, execute_result(1, **{"text/html": "<p><img src='x.png'></p>"}))),
    (silent_figure, output(1, execute_result(1, **{"text/html": "<svg width='3'><path/></svg>"}))),
    (retyped_derivation, change("cells.0.source", '<div class="tt-statement">by hand</div>')),
    (retyped_derivation, change("cells.1.source", r'Math(r"\frac{1}{2}")')),
    (hidden_derivation, change("cells.1.source", "tt.show(S, S.derive(z[t], w))")),
    (hidden_derivation, change("cells.1.source", "S.equation('a', f)\nS.derive(z[t], w)")),
    (hidden_derivation, change("cells.1.source", "net = tt.System('net')")),
    *(
        (chapter_without_its_end, change("cells.0.source", CHAPTER.replace(part, "")))
        for part in ("## Recap", "## Exercises", "```{exercise} One\n```")
    ),
]


def test_sound_notebook_has_no_fault(sound: Notebook) -> None:
    assert [fault for guard in GUARDS for fault in guard(sound)] == []


@pytest.mark.parametrize(("guard", "plant"), FAULTS)
def test_planted_fault_is_found_by_its_guard_alone(guard, plant, sound: Notebook) -> None:
    plant(sound)
    assert [g for g in GUARDS if list(g(sound))] == [guard]


def test_every_guard_has_a_planted_fault() -> None:
    assert {guard for guard, _ in FAULTS} == set(GUARDS)


def test_second_verdict_is_found(sound: Notebook) -> None:
    assert list(judged_twice([sound])) == []
    assert list(judged_twice([sound, deepcopy(sound)])) == ["lfmn-1 is judged 2 times"]


def test_contents_are_read_at_every_depth() -> None:
    toc = {"root": "a", "parts": [{"chapters": [{"file": "b", "sections": [{"file": "c"}]}, {"glob": "x"}]}]}
    assert in_contents(toc) == {"a", "b", "c"}
