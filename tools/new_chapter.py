"""Write the skeleton of a chapter that is green at once (``make chapter NAME=part/chapter``).

A notebook with stored outputs, the folder of its code, its test, its row in the list of statements and its line in the
table of contents; then the pages that are read off all chapters run again. What fails leaves everything as it was.
"""

from __future__ import annotations

import argparse
import keyword
import re
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

import nbformat
from book.reference.ledger import OWN, matches, rows

ROOT = Path(__file__).parents[1]
# The errata stay as they are: the statement of the skeleton holds.
READS_CHAPTERS = ("book/reference/reading-paths.ipynb", "book/reference/ledger.ipynb")
NAME = re.compile(r"([a-z][a-z0-9]*)/([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")

SETTING = '''\
"""${title}: the equations as a system, and what the statements of the page are checked against."""

import throughtime as tt
from book.shared.statements import SOURCES

n = tt.Dimension("n")
units = tt.domain("units", n)
i, t = tt.indices("i", units), tt.time("t")

w, x = tt.parameter("w", units), tt.sequence("x", units)
z, h = tt.variable("z", units), tt.variable("h", units)
f = tt.Activation("f")


def make_bench() -> tt.Bench:
    """Units that feed back to themselves, with two of them for the exact instance; every call makes a new one."""
    system = tt.System("${title}", t)
    system[z[i, t]] = w[i] * h[i, t - 1] + x[i, t]
    system[h[i, t]] = f(z[i, t])
    return tt.Bench(system, sizes=[{n: 2}], sources=SOURCES)
'''

TEST = '''\
"""The chapter ${title}: a slip in its equation is refused."""

import pytest
import throughtime as tt
from book.${module} import bench as s


def test_recursion_without_the_weight_is_refused():
    state, before = s.h[s.i, s.t], s.h[s.i, s.t - 1]
    wrong = s.f.prime(s.z[s.i, s.t]) * (before + tt.d(before, s.w[s.i]))
    with pytest.raises(tt.CheckError, match="is wrong as printed"):
        s.make_bench().equation("wrong", tt.chain(tt.d(state, s.w[s.i]), wrong), numeric="no model")
'''

STATES = "state of a unit that feeds back to itself, with respect to its weight"
STATEMENTS = Path("book/data/statements.csv")

HEAD = """\
# ${title}

What the chapter is about, in two or three sentences.

**After this chapter you can**

- say how the state of a unit that feeds back to itself depends on its weight.

**You should know** what a recurrence is. A link to an earlier chapter here puts an arc on the map of reading paths.

| letter | meaning | size |
|---|---|---|
| $$x_i(t)$$, $$z_i(t)$$, $$h_i(t)$$ | input, net input and state of unit $$i$$ at time $$t$$ | $$n$$ |
| $$w_i$$ | weight of unit $$i$$ from itself | $$n$$ |

## The network

A sentence or a picture, then the network in one formula,

$$$$h_i(t) = f(w_i\\, h_i(t-1) + x_i(t)),$$$$

and the equations that everything below is derived from."""
IMPORTS = """\
import throughtime as tt
from book.${module} import bench as s
from book.shared.rendered import formulas

S = s.make_bench()
formulas(*((line.left, line.right) for line in S.system.all_definitions()))"""
FIRST = """\
## The derivative

What is derived, and why it is wanted."""
DERIVATION = "tt.show(S, S.derive(s.h[s.i, s.t], s.w[s.i]))"
JUDGED = """\
What the result means. Then:

## What the source prints

Write a formula as its source prints it. The cell fails if it is wrong and no correction is given."""
STATEMENT = """\
state, before, weight = s.h[s.i, s.t], s.h[s.i, s.t - 1], s.w[s.i]

S.equation(
    "${id}",
    tt.chain(tt.d(state, weight), s.f.prime(s.z[s.i, s.t]) * (before + weight * tt.d(before, weight))),
    title="${states}",
    numeric="The chapter has no numeric model yet.",
)"""
END = """\
## Recap

- The derivative of a state with respect to its weight is carried forward with the state.

## Exercises

```{exercise} Without feedback
:label: ${part}-${chapter}-exercise
What is left of the recursion if the weight is 0?
```

```{solution} ${part}-${chapter}-exercise
:class: dropdown
Only the first term, $$f'(z_i(t))\\, h_i(t-1)$$: the derivative at the previous step is multiplied by the weight.
```"""


class Refused(ValueError):
    """A name for which no chapter can be written."""


def contents(root: Path) -> list[str]:
    """The lines of the table of contents."""
    return (root / "_toc.yml").read_text(encoding="utf-8").splitlines(keepends=True)


def checked(name: str, root: Path) -> tuple[str, str]:
    """Part and chapter of a name. Raises Refused, saying why, for a name that cannot be used or is taken."""
    found = NAME.fullmatch(name)
    if found is None:
        raise Refused(f"NAME: expected part/chapter in small letters, digits and hyphens, got {name!r}")
    part, chapter = found.groups()
    lines = "".join(contents(root))
    parts = sorted(set(re.findall(r"- file: book/([a-z0-9]+)/", lines)) - {"reference"})
    if part not in parts:
        known = ", ".join(parts)
        raise Refused(
            f"NAME: there is no part {part!r}; expected one of {known} (book/reference/writing.md: Add a part)"
        )
    module = chapter.replace("-", "_")
    if keyword.iskeyword(module) or module == "bench":
        raise Refused(f"NAME: {chapter!r} cannot name the folder of a chapter")
    if any(matches(row.id, f"{part}-{chapter}") for row in rows()):
        raise Refused(f"NAME: statements {part}-{chapter}-... are on the list already; choose another name")
    taken = [path for path in paths(part, chapter) if (root / path).exists()]
    if taken or f"book/{part}/{chapter}\n" in lines:
        raise Refused(f"NAME: {name} is there already: {', '.join(map(str, taken)) or '_toc.yml'}")
    return part, chapter


def paths(part: str, chapter: str) -> list[Path]:
    """What a chapter consists of: its notebook, its folder, its test."""
    module = chapter.replace("-", "_")
    here = Path("book") / part
    return [here / f"{chapter}.ipynb", here / module, Path("tests") / "book" / part / f"test_{module}.py"]


def skeleton(part: str, chapter: str) -> dict[Path, str]:
    """The text of each new file, by its path."""
    module = chapter.replace("-", "_")
    words = {
        "title": chapter.replace("-", " ").capitalize(),
        "part": part,
        "chapter": chapter,
        "id": f"{part}-{chapter}-1",
        "module": f"{part}.{module}",
        "states": STATES,
    }
    cells = [
        nbformat.v4.new_markdown_cell(Template(HEAD).substitute(words)),
        nbformat.v4.new_code_cell(Template(IMPORTS).substitute(words)),
        nbformat.v4.new_markdown_cell(FIRST),
        nbformat.v4.new_code_cell(DERIVATION),
        nbformat.v4.new_markdown_cell(JUDGED),
        nbformat.v4.new_code_cell(Template(STATEMENT).substitute(words), metadata={"tags": ["hide-input"]}),
        nbformat.v4.new_markdown_cell(Template(END).substitute(words)),
    ]
    notebook, folder, test = paths(part, chapter)
    return {
        notebook: nbformat.writes(nbformat.v4.new_notebook(cells=cells)) + "\n",
        folder / "bench.py": Template(SETTING).substitute(words),
        test: Template(TEST).substitute(words),
    }


def with_line(lines: list[str], part: str, chapter: str) -> str:
    """The table of contents with the chapter at the end of its part."""
    last = max(place for place, line in enumerate(lines) if f"- file: book/{part}/" in line)
    line = re.sub(r"(- file: ).*", rf"\1book/{part}/{chapter}", lines[last])
    return "".join([*lines[: last + 1], line, *lines[last + 1 :]])


def with_row(text: str, part: str, chapter: str) -> str:
    """The list of statements with the one of the skeleton, which holds and has no numeric model."""
    return f'{text}{part}-{chapter}-1,{OWN},unnumbered,"{STATES}",printed,,,holds,general instance,,\n'


def write(name: str, root: Path = ROOT) -> list[Path]:
    """Write a chapter and run it; returns what is new or has changed.

    Raises Refused for a name that cannot be used, RuntimeError if a notebook fails. Then everything is as it was.
    """
    part, chapter = checked(name, root)
    listed_now = (root / STATEMENTS).read_text(encoding="utf-8")
    files = skeleton(part, chapter) | {
        Path("_toc.yml"): with_line(contents(root), part, chapter),
        STATEMENTS: with_row(listed_now, part, chapter),
    }
    touched = [*files, *map(Path, READS_CHAPTERS)]
    before = {path: (root / path).read_bytes() if (root / path).exists() else None for path in touched}
    try:
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        command = [sys.executable, "tools/run_notebooks.py", paths(part, chapter)[0].as_posix(), *READS_CHAPTERS]
        if subprocess.run(command, cwd=root, check=False).returncode:
            raise RuntimeError(f"{name}: a notebook failed, see above; nothing is changed")
    except BaseException:
        restore(before, root)
        raise
    return [path for path in touched if (root / path).read_bytes() != before[path]]


def restore(before: dict[Path, bytes | None], root: Path) -> None:
    """Put every file back as it was, and remove those that were not there, with the folder made for them.

    A folder that holds more than the bytecode of a run is kept.
    """
    for path, content in before.items():
        if content is not None:
            (root / path).write_bytes(content)
            continue
        (root / path).unlink(missing_ok=True)
        folder = (root / path).parent
        if folder.is_dir() and {each.name for each in folder.iterdir()} <= {"__pycache__"}:
            shutil.rmtree(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", help="part/chapter, such as peephole/gru")
    name = parser.parse_args().name
    try:
        changed = write(name)
    except (Refused, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(["written:", *(f"  {path.as_posix()}" for path in changed)]))
    print("next: write the chapter, its bench and its test; after each change")
    print(f"  make update-outputs NOTEBOOKS=book/{name}.ipynb")
    print(f"  make check PART={name.partition('/')[0]}")
    print("and at the end what book/reference/writing.md names under Add a chapter")
    return 0


if __name__ == "__main__":
    sys.exit(main())
