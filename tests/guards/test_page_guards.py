"""The guards of a notebook: a sound one has no fault, each planted fault is found by its guard alone."""

from __future__ import annotations

from copy import deepcopy

import page_guards as g
import pytest
from page_guards import GUARDS, RECORD, Notebook, in_contents, judged_twice, lost_links


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
    (g.not_run_in_order, change("cells.1.execution_count", None)),
    (g.not_run_in_order, change("cells.4.execution_count", 4)),
    (g.error_or_stderr, output(1, {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []})),
    (g.error_or_stderr, output(1, {"output_type": "stream", "name": "stderr", "text": "warning"})),
    (g.of_this_machine, change("cells.1.source", "open('/home/me/x')")),
    (g.of_this_machine, output(1, {"output_type": "stream", "name": "stdout", "text": ["/var/x"]})),
    (g.of_this_machine, output(1, execute_result(1, **{"text/plain": "<object at 0x7f1c2d3e4f50>"}))),
    (g.of_this_machine, output(1, execute_result(1, **{RECORD: {"id": "b", "at": "lib/site-packages/x"}}))),
    (g.trailing_semicolon, change("cells.1.source", "x;\n")),
    (g.unknown_output, output(1, execute_result(1, **{"application/vnd.jupyter.widget-view+json": {}}))),
    (g.left_unchecked, change("cells.1.source", "# NBVAL_IGNORE_OUTPUT\nx")),
    (g.left_unchecked, change("cells.4.source", "# PYTEST_VALIDATE_IGNORE_OUTPUT\nx")),
    (g.left_unchecked, change("cells.1.metadata", {"tags": ["hide-input", "nbval-skip"]})),
    (g.metadata_to_spare, change("metadata.kernelspec", {"name": "conda-env"})),
    (g.metadata_to_spare, change("metadata.widgets", {})),
    (g.metadata_to_spare, change("cells.1.metadata.execution", {})),
    (g.silent_figure, change("cells.2.metadata", {})),
    (g.silent_figure, change("cells.2.metadata", {"mystnb": {"image": {"alt": " "}}})),
    (g.silent_figure, output(1, execute_result(1, **{"text/html": "<p><img src='x.png'></p>"}))),
    (g.silent_figure, output(1, execute_result(1, **{"text/html": "<svg width='3'><path/></svg>"}))),
    (g.colour_of_one_theme, output(2, execute_result(2, **{"image/svg+xml": "<path style='fill: #ffffff'/>"}))),
    (g.retyped_derivation, change("cells.0.source", '<div class="tt-statement">by hand</div>')),
    (g.retyped_derivation, change("cells.1.source", r'Math(r"\frac{1}{2}")')),
    (g.hidden_derivation, change("cells.1.source", "tt.show(S, S.derive(z[t], w))")),
    (g.hidden_derivation, change("cells.1.source", "S.equation('a', f)\nS.derive(z[t], w)")),
    (g.hidden_derivation, change("cells.1.source", "net = tt.System('net')")),
    (g.wide_code, change("cells.2.source", f"plot({'x' * 75})")),
    (g.wide_code, change("cells.0.source", f"{CHAPTER}\n\n````python\n{'x' * 81}\n````\n")),
    *(
        (g.chapter_without_its_end, change("cells.0.source", CHAPTER.replace(part, "")))
        for part in ("## Recap", "## Exercises", "```{exercise} One\n```")
    ),
]


def test_sound_notebook_has_no_fault(sound: Notebook) -> None:
    assert [fault for guard in GUARDS for fault in guard(sound)] == []


@pytest.mark.parametrize(("guard", "plant"), FAULTS)
def test_planted_fault_is_found_by_its_guard_alone(guard, plant, sound: Notebook) -> None:
    plant(sound)
    assert [each for each in GUARDS if list(each(sound))] == [guard]


def test_every_guard_has_a_planted_fault() -> None:
    assert {guard for guard, _ in FAULTS} == set(GUARDS)


def test_second_verdict_is_found(sound: Notebook) -> None:
    assert list(judged_twice([sound])) == []
    assert list(judged_twice([sound, deepcopy(sound)])) == ["lfmn-1 is judged 2 times"]
    other = deepcopy(sound)
    change("cells.4.outputs.0.data", {RECORD: {"id": "a-1", "also": [{"id": "lfmn-1"}]}})(other)
    assert list(judged_twice([sound, other])) == ["lfmn-1 is judged 2 times"]


def test_lost_link_is_found(sound: Notebook) -> None:
    change("cells.0.source", "[a](#lfmn-1), [b](#here), [c](#there)\n\n(here)=\n## The heading\n")(sound)
    assert list(lost_links([sound])) == ["no label, figure or statement has the name there"]
    change("cells.2.metadata", {"mystnb": {"figure": {"name": "there"}}})(sound)
    assert list(lost_links([sound])) == []
    change("cells.0.source", "[d](#the-heading)\n\n## The heading\n")(sound)
    assert list(lost_links([sound])) == ["no label, figure or statement has the name the-heading"]


def test_contents_are_read_at_every_depth() -> None:
    toc = {"root": "a", "parts": [{"chapters": [{"file": "b", "sections": [{"file": "c"}]}, {"glob": "x"}]}]}
    assert in_contents(toc) == {"a", "b", "c"}
