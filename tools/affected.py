"""Run what an edit can have broken (``make check``): ruff, mypy, the tests and notebooks that depend on a changed file.

Changed is what differs from the last common commit with BASE, committed or not. What depends on it runs, as far as the
text of the files says (`dependencies.py`). Where that is most of the project, as after an edit of the engine, a chosen
minute runs instead. The last line says how many files did not run that can depend on the edit, also by a program that
they start: the minute is a filter, ``make test`` the proof.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dependencies import Project

ROOT = Path(__file__).parents[1]
MOST = (60, 16)  # more test files or notebooks than these are not run in a minute
# What says most about an edit below a folder in a minute; the last line is for all others that reach too far.
MINUTES = {
    "lib/throughtime/derivation/": (
        "tests/derivation",
        "tests/fuzz/test_sample.py",
        "tests/book/lfmn/test_planted_slips.py",
        "book/reference/derive-your-own.ipynb",
        "book/bptt/two-derivatives.ipynb",
        "book/lfmn/gradients.ipynb",
        "book/lstm1997/updates.ipynb",
    ),
    "lib/throughtime/models/": (
        "tests/models",
        "tests/learning",
        "tests/checks",
        "tests/evidence",
        "tests/book/lstm1997/test_descent.py",
        "book/lfmn/gradients.ipynb",
    ),
    "": (
        "tests/guards",
        "tests/derivation/judging",
        "tests/models/test_lfmn.py",
        "tests/book/test_statements.py",
        "book/reference/derive-your-own.ipynb",
        "book/training/clipping.ipynb",
    ),
}


@dataclass(frozen=True)
class Selection:
    """What runs after an edit, and how many test files and notebooks do not that can depend on it."""

    tests: list[str]
    notebooks: list[str]
    left: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        if not any(self.left):
            return "nothing else depends on the edit"
        return "not run: {} test files, {} notebooks; make test runs them".format(*self.left)


def git(*command: str, root: Path = ROOT) -> list[str]:
    """The lines that git prints; SystemExit with its message if it fails."""
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {shlex.join(command)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def changed(base: str, root: Path = ROOT) -> set[str]:
    """The files that differ from the last common commit of ``base`` and HEAD: committed, not committed, not added."""
    (common,) = git("merge-base", base, "HEAD", root=root)
    differ = git("diff", "--name-only", "--no-renames", "-z", common, root=root)
    new = git("ls-files", "--others", "--exclude-standard", "-z", root=root)
    return {path for line in (*differ, *new) for path in line.split("\0") if path}


def under(path: str, places: Sequence[str]) -> bool:
    """Whether a file is one of these, or below one of these folders."""
    return any(path == place or path.startswith(f"{place}/") for place in places)


def select(project: Project, edited: set[str]) -> Selection:
    """The tests and notebooks to run after an edit of these files."""
    tests, notebooks = project.tests, project.notebooks
    reached = {path: project.closure(path) for path in (*tests, *notebooks)}
    chosen: set[str] = set()
    for room in MINUTES:
        own = {path for path in edited if room == next(one for one in MINUTES if path.startswith(one))}
        near = [{path for path in paths if reached[path] & own} for paths in (tests, notebooks)]
        far = any(len(found) > most for found, most in zip(near, MOST, strict=True))
        places = [*MINUTES[room], *own]
        chosen |= {path for found in near for path in found if not far or under(path, places)}
    runs = [[path for path in paths if path in chosen] for paths in (tests, notebooks)]
    left = [
        sum(bool(project.surely(path) & edited) for path in paths if path not in chosen) for paths in (tests, notebooks)
    ]
    return Selection(*runs, left=tuple(left))


def commands(selection: Selection, edited: set[str]) -> dict[str, list[str]]:
    """The commands of a check, by name; mypy after an edit of the library, which it reads alone."""
    ruff, pytest = [sys.executable, "-m", "ruff"], [sys.executable, "-m", "pytest", "-q"]
    found = {"ruff check": [*ruff, "check", "."], "ruff format": [*ruff, "format", "--check", "."]}
    if any(path.startswith("lib/throughtime/") for path in edited):
        found["mypy"] = [sys.executable, "-m", "mypy"]
    if selection.tests:
        found["tests"] = [*pytest, "-n", "2", "--dist", "loadfile", *selection.tests]
    if selection.notebooks:
        found["notebooks"] = [*pytest, "--nbval", "--nbval-current-env", *selection.notebooks]
    return found


def run(todo: dict[str, list[str]], root: Path = ROOT) -> list[str]:
    """Run commands at the same time and print what each said, one after the other; returns the names of the failed."""
    started = {
        name: subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for name, command in todo.items()
    }
    failed = []
    for name, process in started.items():
        said, _ = process.communicate()
        print(f"== {name}\n{said}", end="", flush=True)
        failed += [name] if process.returncode else []
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="main", help="the commit to compare with")
    parser.add_argument("--list", action="store_true", help="print what would run")
    options = parser.parse_args(arguments)
    edited = changed(options.base)
    selection = select(Project(ROOT, also=edited), edited)
    print(f"== {len(edited)} changed files: {len(selection.tests)} test files, {len(selection.notebooks)} notebooks")
    if options.list:
        print(*selection.tests, *selection.notebooks, selection, sep="\n")
        return 0
    failed = run(commands(selection, edited))
    print(f"== failed: {', '.join(failed)}; {selection}" if failed else f"== passed; {selection}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
