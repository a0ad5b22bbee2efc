"""`make chapter` writes a skeleton that is green at once, in a copy of the book, and refuses what it cannot write."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import new_chapter
import pytest

ROOT = Path(__file__).parents[2]
NAME = "peephole/leaky-unit"
NEW = {"book/peephole/leaky-unit.ipynb", "book/peephole/leaky_unit/bench.py", "tests/book/peephole/test_leaky_unit.py"}
CHANGED = {"_toc.yml", "book/data/statements.csv", "book/reference/ledger.ipynb", "book/reference/reading-paths.ipynb"}


def files(root: Path) -> dict[str, bytes]:
    found = (path for folder in ("book", "tests") for path in (root / folder).rglob("*") if path.is_file())
    kept = [*(path for path in found if "__pycache__" not in path.parts), root / "_toc.yml"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in kept}


def run(root: Path, *command: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root / "lib"), str(root)])}
    return subprocess.run(
        [sys.executable, *command], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes], dict[str, bytes]]:
    """A copy of this checkout with a new chapter, and its files before and after."""
    root = tmp_path_factory.mktemp("book") / "copy"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__"))
    before = files(root)
    made = run(root, "tools/new_chapter.py", NAME)
    assert made.returncode == 0, made.stderr
    return root, before, files(root)


@pytest.mark.nightly
def test_chapter_touches_its_own_files_the_contents_and_the_pages_about_all_chapters(copy) -> None:
    _, before, after = copy
    assert after.keys() - before.keys() == NEW
    assert {path for path in before if before[path] != after[path]} == CHANGED
    lines = after["_toc.yml"].decode().splitlines()
    place = lines.index("      - file: book/peephole/leaky-unit")
    assert lines[place - 1] == "      - file: book/peephole/family"
    assert "caption" in lines[place + 1]


@pytest.mark.nightly
def test_skeleton_is_green(copy) -> None:
    """Its own tests, every guard over its notebook, and the guards over the pages about all chapters."""
    root, _, _ = copy
    pages = [f"tests/book/reference/test_{name}.py" for name in ("pages", "reading_paths")]
    tests = ["tests/book/peephole/test_leaky_unit.py", "tests/book/test_statements.py", *pages, "tests/guards"]
    others = ("every_page", "twice", "on_a_path", "ledger", "reading_paths", "page_shows", "test_file", "without_any")
    which = " or ".join(["leaky", "of_the_list", *others])
    tested = run(root, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which, *tests)
    assert tested.returncode == 0, tested.stdout
    passed = int(re.search(r"(\d+) passed", tested.stdout)[1])
    assert passed >= 20, tested.stdout


@pytest.mark.nightly
def test_skeleton_is_formatted(copy) -> None:
    root, _, _ = copy
    for command in (["check"], ["format", "--check"]):
        linted = run(root, "-m", "ruff", *command, "--no-cache", *sorted(NEW))
        assert linted.returncode == 0, linted.stdout


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Contents of two parts, a test, an empty list of statements, and a tool whose run fails and leaves bytecode."""
    for folder in ("tools", "tests/book/two", new_chapter.STATEMENTS.parent):
        (tmp_path / folder).mkdir(parents=True)
    for name in (new_chapter.STATEMENTS, "tests/book/two/test_c_d.py"):
        (tmp_path / name).touch()
    runs = "import pathlib\npathlib.Path('book/one/new/__pycache__').mkdir()\nraise SystemExit(1)\n"
    (tmp_path / "tools" / "run_notebooks.py").write_text(runs, encoding="utf-8")
    chapters = "".join(f"      - file: book/{name}\n" for name in ("one/a", "two/b", "reference/ledger"))
    toc = f"root: book/index\nparts:\n  - caption: A\n    chapters:\n{chapters}"
    (tmp_path / "_toc.yml").write_text(toc, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gru", "expected part/chapter"),
        ("one/Two", "expected part/chapter"),
        ("one/../two", "expected part/chapter"),
        ("three/gru", "there is no part 'three'; expected one of one, two "),
        ("reference/gru", "there is no part 'reference'"),
        ("one/class", "'class' cannot name the folder"),
        ("one/bench", "'bench' cannot name the folder"),
        ("one/a", "one/a is there already: _toc.yml"),
        ("two/c-d", r"two/c-d is there already: tests/book/two/test_c_d\.py"),
    ],
)
def test_name_that_cannot_be_used_is_refused(small: Path, name: str, why: str) -> None:
    with pytest.raises(new_chapter.Refused, match=why):
        new_chapter.write(name, small)


def test_name_of_statements_on_the_list_is_refused(small: Path) -> None:
    (small / "_toc.yml").write_text("      - file: book/lfmn/a\n", encoding="utf-8")
    with pytest.raises(new_chapter.Refused, match=r"statements lfmn-example-\.\.\. are on the list"):
        new_chapter.write("lfmn/example", small)


def test_chapter_that_does_not_run_leaves_everything_as_it_was_and_its_name_free(small: Path) -> None:
    before = files(small)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="one/new: a notebook failed"):
            new_chapter.write("one/new", small)
        assert files(small) == before
        assert not (small / "book" / "one" / "new").exists()


def test_command_says_why_it_refuses(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["new_chapter.py", "peephole"])
    assert new_chapter.main() == 2
    assert capsys.readouterr().err.startswith("NAME: expected part/chapter in small letters")
